package text

import "unicode/utf8"

// Spaceless reports whether a word contains characters of a script that is
// written without spaces between words, Chinese, Japanese or Korean, so that it
// is a run of several words to be cut by [Bigrams]. (Korean has spaces, but
// appends particles to its words.)
func Spaceless(word string) bool {
	for i := 0; i < len(word); i++ {
		if word[i] < firstCJK {
			continue
		}
		for _, r := range word[i:] {
			if isCJK(r) {
				return true
			}
		}
		return false
	}
	return false
}

// firstCJK is the lowest byte with which the UTF-8 encoding of a CJK character
// begins.
const firstCJK = 0xe3

// Bigrams cuts a run of characters without spaces into its overlapping pairs,
// the usual replacement for words, and appends them to dst. Letters and digits
// between such runs are appended whole, and so is a run of one character. No
// part is longer than maxWord, and all share the memory of word.
func Bigrams(dst []string, word string) []string {
	for word != "" {
		end := runEnd(word)
		if r, _ := utf8.DecodeRuneInString(word); isCJK(r) {
			dst = appendPairs(dst, word[:end])
		} else if end <= maxWord {
			dst = append(dst, word[:end])
		}
		word = word[end:]
	}
	return dst
}

// runEnd returns where the first run, of CJK characters or of others, ends.
func runEnd(word string) int {
	first, _ := utf8.DecodeRuneInString(word)
	for i, r := range word {
		if isCJK(r) != isCJK(first) {
			return i
		}
	}
	return len(word)
}

func appendPairs(dst []string, run string) []string {
	_, size := utf8.DecodeRuneInString(run)
	if size == len(run) {
		return append(dst, run)
	}
	for size < len(run) {
		_, next := utf8.DecodeRuneInString(run[size:])
		dst = append(dst, run[:size+next])
		run, size = run[size:], next
	}
	return dst
}

// isCJK reports whether r is a Han character, a kana or a Hangul syllable.
func isCJK(r rune) bool {
	switch {
	case r < 0x3005:
		return false
	case r <= 0x3007, r >= 0x3041 && r <= 0x30ff, r >= 0x31f0 && r <= 0x31ff,
		r >= 0x3400 && r <= 0x4dbf, r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0x20000 && r <= 0x3fffd:
		return true
	}
	return false
}
