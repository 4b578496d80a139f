package text

import (
	"math/bits"
	"unicode"
	"unicode/utf8"

	"dowse"
)

// simhashMin is the number of words below which a page has no simhash: short
// pages are alike by chance.
const simhashMin = 30

// Simhash returns 64 bits of the page's words such that pages with nearly the same
// words, in nearly the same order, differ in few of them: 3 is the usual limit
// (Manku et al. 2007). Its features are pairs of neighbouring words in lower case,
// each as often as it occurs; pairs, since single words make any two pages of one
// site alike. It returns 0, and never otherwise, for a page with fewer than 30
// words.
func Simhash(d *dowse.Document) uint64 {
	if len(d.Words) < simhashMin {
		return 0
	}
	var votes tally
	var pairs [8]uint64
	last := wordHash(d.Text, d.Words[0])
	for i := 1; i < len(d.Words); i++ {
		next := wordHash(d.Text, d.Words[i])
		pairs[i%8] = pairHash(last, next)
		last = next
		if i%8 == 7 {
			votes.add(&pairs)
			pairs = [8]uint64{}
		}
	}
	votes.add(&pairs)
	return max(votes.majority(uint64(len(d.Words)-1)/2), 1)
}

// tally counts for each of 64 positions in how many of the added values it was
// set. Plane k holds bit k of all 64 counters.
type tally [32]uint64

// add adds eight values at once: seven steps of full adders make one carry of
// them, so that the loop, which takes two steps on average, is run for every
// eighth value only.
func (t *tally) add(v *[8]uint64) {
	var a, b, c, d, e, f uint64
	t[0], a = addBits(t[0], v[0], v[1])
	t[0], b = addBits(t[0], v[2], v[3])
	t[0], c = addBits(t[0], v[4], v[5])
	t[0], d = addBits(t[0], v[6], v[7])
	t[1], e = addBits(t[1], a, b)
	t[1], f = addBits(t[1], c, d)
	t[2], a = addBits(t[2], e, f)
	for k := 3; a != 0 && k < len(t); k++ {
		t[k], a = t[k]^a, t[k]&a
	}
}

// addBits adds three bits at each position.
func addBits(a, b, c uint64) (sum, carry uint64) {
	return a ^ b ^ c, a&b | (a^b)&c
}

// majority returns the positions that were set in more than half of the values,
// by comparing all counters with the half at once, from the highest bit down.
func (t *tally) majority(half uint64) uint64 {
	var above uint64
	equal := ^uint64(0)
	for k := len(t) - 1; k >= 0; k-- {
		if half>>k&1 == 1 {
			equal &= t[k]
			continue
		}
		above |= equal & t[k]
		equal &^= t[k]
	}
	return above
}

// pairHash mixes two hashes in order.
func pairHash(a, b uint64) uint64 { return fold(a ^ bits.RotateLeft64(b, 29)) }

// wordHash hashes a word without regard to case. Of a very long word it takes the
// beginning.
func wordHash(t string, w dowse.Span) uint64 {
	start, end := int(w.Start), min(int(w.End), int(w.Start)+MaxWord)
	h, set := hash(t, start, end, lowerCase)
	if set&beyondASCII == 0 {
		return h
	}
	var space [2 * MaxWord]byte
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
