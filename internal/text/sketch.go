package text

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"dowse"
)

const (
	// shingleWords is the length of a shingle. With fewer words, pages of one
	// template that differ in a name here and there share most of their
	// shingles.
	shingleWords = 5

	// shingleShift moves earlier words out of a running hash of 64 bits, so
	// that it depends on the last shingleWords alone.
	shingleShift = (63 + shingleWords) / shingleWords

	// sketchMin is the number of bins that a sketch must fill. About 18
	// distinct shingles fill that many; texts with fewer are alike by chance.
	sketchMin = dowse.SketchBins / 4

	// binBits is the number of bits that select a bin.
	binBits = 6
)

// Sketch reduces the words of a page to a [dowse.Sketch] by one-permutation
// MinHash: each bin keeps the least hash of the features that fall into it, so
// the share of equal bins of two pages estimates how many features they have in
// common. The features are the distinct shingles of the text: runs of five
// words, without regard to case and punctuation. How often a shingle occurs
// makes no difference. A text with too few distinct shingles has a sketch
// without bins, see [shortText].
func Sketch(d *dowse.Document) (s dowse.Sketch) {
	if len(d.Words) < shingleWords {
		return shortText(d)
	}
	var least [dowse.SketchBins]uint64
	for i := range least {
		least[i] = ^uint64(0)
	}
	var shingle, whole uint64
	for i, w := range d.Words {
		h := wordHash(d.Text, w)
		whole = (bits.RotateLeft64(whole, 5) ^ h) * hashMix
		if shingle = shingle<<shingleShift ^ h; i < shingleWords-1 {
			continue
		}
		f := fold(shingle)
		if bin, rest := f>>(64-binBits), f<<binBits; rest < least[bin] {
			least[bin] = rest
			s.Bins[bin] = max(uint16(f), 1)
		}
	}
	if s.Filled() < sketchMin {
		return shortText(d)
	}
	s.Text = max(whole, 1)
	return s
}

// shortText returns the sketch of a text with too few shingles: the hash of its
// words alone. Words with digits are left out. The pages of a calendar, or of a
// list that goes on without end, often differ in numbers only; these do not
// make a text of their own. A text without other words has the zero sketch.
func shortText(d *dowse.Document) (s dowse.Sketch) {
	for _, w := range d.Words {
		if !strings.ContainsFunc(d.Text[w.Start:w.End], unicode.IsDigit) {
			s.Text = max((bits.RotateLeft64(s.Text, 5)^wordHash(d.Text, w))*hashMix, 1)
		}
	}
	return s
}

// wordHash hashes a word without regard to case. Of a word longer than maxWord
// it hashes the beginning.
func wordHash(t string, w dowse.Span) uint64 {
	start, end := int(w.Start), min(int(w.End), int(w.Start)+maxWord)
	if n := end - start; uint(n) <= 8 && start+8 <= len(t) { // as hash, which would be a call
		if v := load64(t[start:]) & (1<<(8*n) - 1); v&beyondASCII == 0 {
			begin := uint64(hashBegin)
			return fold(uint64(n)*begin ^ (v | lowerCase))
		}
	}
	h, set := hash(t, start, end, lowerCase)
	if set&beyondASCII == 0 {
		return h
	}
	var space [2 * maxWord]byte
	lower := appendLower(space[:0], t[start:end])
	h, _ = hash(string(lower), 0, len(lower), asWritten)
	return h
}

func appendLower(dst []byte, word string) []byte {
	for _, r := range word {
		if r < utf8.RuneSelf {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			dst = append(dst, byte(r))
			continue
		}
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}
