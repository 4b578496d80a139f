package dowse

import (
	"unicode"
	"unicode/utf8"
)

// Words cuts s into words: maximal runs of letters, digits and combining marks
// that begin with a letter or digit. Link windows and anchors are measured in
// these; package text makes terms of them.
func Words(s string) []Span { return AppendWords(nil, s, 0) }

// AppendWords appends the words of s[from:] to dst, as ranges of s.
func AppendWords(dst []Span, s string, from int) []Span {
	start := -1
	for i := from; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if asciiWord[c] {
				if start < 0 {
					start = i
				}
			} else if start >= 0 {
				dst = append(dst, Span{int32(start), int32(i)})
				start = -1
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || start >= 0 && unicode.IsMark(r):
			if start < 0 {
				start = i
			}
		case start >= 0:
			dst = append(dst, Span{int32(start), int32(i)})
			start = -1
		}
		i += n
	}
	if start >= 0 {
		dst = append(dst, Span{int32(start), int32(len(s))})
	}
	return dst
}

var asciiWord = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	return t
}()

// Window returns the size words around the words of at, at included, of a page
// of total words: as many before as after (one more after where it does not come
// out even), and where one side runs out the other gets its share. Of a longer
// at it returns the first size words. Wang et al. 2009 take 20.
func Window(at Span, total, size int) Span {
	n := at.Len()
	if n >= size {
		return Span{at.Start, at.Start + int32(size)}
	}
	left := (size - n) / 2
	right := size - n - left
	before, after := int(at.Start), total-int(at.End)
	if left > before {
		right += left - before
		left = before
	}
	if right > after {
		left = min(before, left+right-after)
		right = after
	}
	return Span{at.Start - int32(left), at.End + int32(right)}
}
