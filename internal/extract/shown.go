package extract

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks one character of a field may have.
// Vietnamese needs two, pointed Hebrew three, Tibetan and phonetic notation a
// few more.
const maxMarks = 6

// Shown returns the characters of a line that a reader can see. Titles and
// descriptions of documents are already like that; texts and anchors are as the
// page has them.
func Shown(line string) string {
	if firstBeyond([]byte(line)) < 0 {
		return line
	}
	return string(bytes.TrimRight(shown(nil, []byte(line)), " "))
}

// shown appends to dst the characters of s that a reader can see, for fields
// that people read in a list: titles, descriptions. The others could make two
// different titles look alike, hide a message in one, or blow it up.
//
// Zero-width joiners and non-joiners, variation selectors and combining marks
// are part of the spelling of many languages and of emoji. They are kept where
// they can have a meaning: joiners one at a time between two characters,
// selectors one at a time after a character, marks at most maxMarks in a row.
//
// A joiner is written only when the next visible character follows, so that it
// never ends the text or precedes a space.
func shown(dst, s []byte) []byte {
	var last rune // the last character appended; 0 for none
	joiner, marks := rune(0), 0
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		c := s[:n]
		s = s[n:]
		switch {
		case isInvisible(r), r == ' ' && (last == 0 || last == ' '):
			continue
		case r == zwnj || r == zwj:
			if last != 0 && last != ' ' && joiner == 0 {
				joiner = r
			}
			continue
		case isSelector(r):
			if last == 0 || last == ' ' || isSelector(last) {
				continue
			}
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r):
			if marks++; marks > maxMarks {
				continue
			}
		default:
			marks = 0
		}
		if joiner != 0 && r != ' ' {
			dst = utf8.AppendRune(dst, joiner)
		}
		joiner = 0
		dst = append(dst, c...)
		last = r
	}
	return dst
}

const (
	zwnj = 0x200C // zero width non-joiner
	zwj  = 0x200D // zero width joiner
)

// isSelector reports whether r selects a variant of the character before it.
func isSelector(r rune) bool {
	return 0xFE00 <= r && r <= 0xFE0F || 0xE0100 <= r && r <= 0xE01EF || 0x180B <= r && r <= 0x180D
}

// isInvisible reports whether r shows nothing and is not part of a spelling:
// format characters except joiners (directions, word joiners, invisible
// operators, tags, soft hyphens), and letters and marks that are blank by
// definition.
func isInvisible(r rune) bool {
	switch r {
	case zwnj, zwj, 0xFFFD:
		return false
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180F, 0x2800, 0x3164, 0xFFA0:
		return true
	}
	return r >= utf8.RuneSelf && (unicode.Is(unicode.Cf, r) && !isPrepended(r) || 0xE0000 <= r && r <= 0xE00FF || 0xE01F0 <= r && r <= 0xE0FFF || 0x1BCA0 <= r && r <= 0x1BCA3 || 0xFFF0 <= r && r <= 0xFFFB)
}

// isPrepended reports whether r is a format character that is shown: the signs
// that Arabic, Syriac and Kaithi write around a number.
func isPrepended(r rune) bool {
	return 0x0600 <= r && r <= 0x0605 || r == 0x06DD || r == 0x070F || r == 0x0890 || r == 0x0891 || r == 0x08E2 || r == 0x110BD || r == 0x110CD
}
