package text

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"dowse"

	"github.com/zeebo/xxh3"
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
	last := wordHash(d.Word(0))
	for i := 1; i < len(d.Words); i++ {
		next := wordHash(d.Word(i))
		votes.add(pairHash(last, next))
		last = next
	}
	return max(votes.majority(), 1)
}

// tally counts for each of 64 positions in how many of the added values it was
// set. Plane k holds bit k of all 64 counters, so that adding costs two steps on
// average and not 64.
type tally struct {
	planes [32]uint64
	added  uint64
}

func (t *tally) add(v uint64) {
	t.added++
	for k := 0; v != 0 && k < len(t.planes); k++ {
		t.planes[k], v = t.planes[k]^v, t.planes[k]&v
	}
}

// majority returns the positions that were set in more than half of the values,
// by comparing all counters with the half at once, from the highest bit down.
func (t *tally) majority() uint64 {
	half := t.added / 2
	var above uint64
	equal := ^uint64(0)
	for k := len(t.planes) - 1; k >= 0; k-- {
		if half>>k&1 == 1 {
			equal &= t.planes[k]
			continue
		}
		above |= equal & t.planes[k]
		equal &^= t.planes[k]
	}
	return above
}

// pairHash mixes two hashes in order; the last steps are those of MurmurHash3.
func pairHash(a, b uint64) uint64 {
	h := a ^ bits.RotateLeft64(b, 29)*0x9e3779b97f4a7c15
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// wordHash hashes a word without regard to case. Of a very long word it takes the
// beginning.
func wordHash(word string) uint64 {
	if len(word) > MaxWord {
		word = word[:MaxWord]
	}
	if !hasUpper(word) {
		return xxh3.HashString(word)
	}
	var space [2 * MaxWord]byte
	return xxh3.Hash(appendLower(space[:0], word))
}

// hasUpper reports whether a word may have upper case letters.
func hasUpper(word string) bool {
	for i := 0; i < len(word); i++ {
		if c := word[i]; c >= utf8.RuneSelf {
			return strings.IndexFunc(word[i:], unicode.IsUpper) >= 0
		} else if 'A' <= c && c <= 'Z' {
			return true
		}
	}
	return false
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
