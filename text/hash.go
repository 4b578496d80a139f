package text

import (
	"hash/maphash"
	"math/bits"
)

// The multipliers of hash: odd numbers with about as many ones as zeros.
const (
	hashBegin = 0x9e3779b97f4a7c15
	hashMix   = 0xd6e8feb86659fd93
)

// What hash lays over the bytes of a word: nothing, or the bit that makes lower
// case of ASCII letters and leaves digits as they are.
const (
	asWritten = 0
	lowerCase = 0x2020202020202020
)

// beyondASCII are the bits that a word of ASCII has none of.
const beyondASCII = 0x8080808080808080

// hash returns 64 bits of the word t[start:end], eight of its bytes at a time, each
// with the mask laid over it, and all bits that are set anywhere in it. It
// multiplies to twice the width and folds, as wyhash does. Everybody can find words
// that collide: it is for those who compare the words, too, or weigh thousands of them.
func hash(t string, start, end int, mask uint64) (h, set uint64) {
	return hashFrom(hashBegin, t, start, end, mask)
}

// hashFrom is hash with another beginning, an odd number.
func hashFrom(begin uint64, t string, start, end int, mask uint64) (h, set uint64) {
	n := end - start
	h = uint64(n) * begin
	if n <= 8 {
		v := loadShort(t, start, n)
		return fold(h ^ (v | mask)), v
	}
	for i := start; i < end-8; i += 8 {
		v := load64(t[i:])
		h, set = fold(h^(v|mask)), set|v
	}
	v := load64(t[end-8:]) // may take some bytes again
	return fold(h ^ (v | mask)), set | v
}

func fold(v uint64) uint64 {
	hi, lo := bits.Mul64(v, hashMix)
	return hi ^ lo
}

// loadShort returns the n bytes from start on, at most eight. Inside a text it
// reads eight at once and forgets those that were too many.
func loadShort(t string, start, n int) (v uint64) {
	if rest := t[start:]; len(rest) >= 8 {
		return load64(rest) & (1<<(8*n) - 1)
	}
	for i := range n {
		v |= uint64(t[start+i]) << (8 * i)
	}
	return v
}

func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// A Seed is a secret that hashes of words begin with, for tables in memory that know words
// by their hash alone. Pages are hostile: without it one could have a word that takes
// the place of another, so that the other is read as nothing on every page to come.
type Seed uint64

// NewSeed returns another seed each time. It must not be written down.
func NewSeed() Seed { return Seed(maphash.String(maphash.MakeSeed(), "") | 1) }

// Hash returns 64 bits of the word t[start:end], much faster than [Hash] does. Words that
// collide can't be looked for; by chance one in 2⁶⁴ pairs does.
func (s Seed) Hash(t string, start, end int) uint64 {
	h, _ := hashFrom(uint64(s), t, start, end, asWritten)
	return h
}
