package dowse

import (
	"math/bits"
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
		if len(s)-i >= 64 {
			if letters, ok := asciiWords(s[i:]); ok {
				dst, start = appendRuns(dst, letters, i, start)
				i += 64
				continue
			}
		}
		for end := min(i+64, len(s)); i < end; {
			n, word := wordByte(s[i:], start >= 0)
			if word && start < 0 {
				start = i
			} else if !word && start >= 0 {
				dst = append(dst, Span{int32(start), int32(i)})
				start = -1
			}
			i += n
		}
	}
	if start >= 0 {
		dst = append(dst, Span{int32(start), int32(len(s))})
	}
	return dst
}

// appendRuns appends the runs of set bits; bit i is the byte at+i.
// start is where a run began before them, or -1; it is returned for those after.
func appendRuns(dst []Span, set uint64, at, start int) ([]Span, int) {
	for {
		if start < 0 {
			n := bits.TrailingZeros64(set)
			if n == 64 {
				return dst, -1
			}
			start = at + n
		}
		// From here on the bits before the run's end are set, or passed.
		n := bits.TrailingZeros64(^set & (^uint64(0) << max(0, start-at)))
		if n == 64 {
			return dst, start
		}
		dst = append(dst, Span{int32(start), int32(at + n)})
		set &= ^uint64(0) << n
		start = -1
	}
}

// asciiWords returns which of the first 64 bytes of s are letters or digits. It
// reports false if any of them is not ASCII.
func asciiWords(s string) (set uint64, ok bool) {
	const all, high = 0x0101010101010101, 0x8080808080808080
	s = s[:64]
	var beyond uint64
	for i := 0; i < 64; i += 8 {
		v := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		beyond |= v
		v &^= high
		lower := v | 0x20*all
		// The high bit of a byte is set where adding carries into it.
		letter := (lower + (0x80-'a')*all) &^ (lower + (0x80-'z'-1)*all)
		digit := (v + (0x80-'0')*all) &^ (v + (0x80-'9'-1)*all)
		// The multiplication gathers the eight high bits in the highest byte.
		set |= ((letter | digit) & high >> 7) * 0x0102040810204080 >> 56 << i
	}
	return set, beyond&high == 0
}

// wordByte returns the length of the first character of s and whether it belongs
// to a word; marks do only inside of one.
func wordByte(s string, inside bool) (n int, word bool) {
	if c := s[0]; c < utf8.RuneSelf {
		return 1, asciiWord[c]
	}
	r, n := utf8.DecodeRuneInString(s)
	return n, unicode.IsLetter(r) || unicode.IsDigit(r) || inside && unicode.IsMark(r)
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
