package text

import (
	"hash/maphash"
	"math/bits"
)

// The multipliers of hash: odd numbers with about as many one bits as zero
// bits.
const (
	hashBegin = 0x9e3779b97f4a7c15
	hashMix   = 0xd6e8feb86659fd93
)

// The masks that hash combines with the bytes of a word: nothing, or the bit
// that turns ASCII letters into lower case and leaves digits as they are.
const (
	asWritten = 0
	lowerCase = 0x2020202020202020
)

// beyondASCII are the bits that no byte of an ASCII word has.
const beyondASCII = 0x8080808080808080

// hash returns a 64-bit hash of the word t[start:end] and the union of the bits
// of its bytes. It reads eight bytes at a time, combines them with mask,
// multiplies to 128 bits and folds, as wyhash does. Anyone can construct words
// that collide: it is for callers that also compare the words, or for
// statistics over thousands of them.
func hash(t string, start, end int, mask uint64) (h, set uint64) {
	return hashFrom(hashBegin, t, start, end, mask)
}

// hashFrom is hash with another starting value, which must be odd.
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
	v := load64(t[end-8:]) // overlaps the bytes before
	return fold(h ^ (v | mask)), set | v
}

// fold multiplies v and combines both halves of the product.
func fold(v uint64) uint64 {
	hi, lo := bits.Mul64(v, hashMix)
	return hi ^ lo
}

// loadShort returns the n bytes from start on, at most eight. In the middle of
// a text it reads eight bytes with one load and masks those beyond the word.
func loadShort(t string, start, n int) (v uint64) {
	if rest := t[start:]; len(rest) >= 8 {
		return load64(rest) & (1<<(8*n) - 1)
	}
	for i := range n {
		v |= uint64(t[start+i]) << (8 * i)
	}
	return v
}

// load64 returns the first eight bytes of s, little-endian; the compiler makes
// one load of it.
func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// A Seed is a secret starting value for hashes of words, for tables in memory
// that know words by their hash alone. Pages are hostile: without a seed, a
// page could contain a word that replaces another one in the table, so that the
// other is misread on every later page.
type Seed uint64

// NewSeed returns a new random seed. A seed must not be stored in a file.
func NewSeed() Seed { return Seed(maphash.String(maphash.MakeSeed(), "") | 1) }

// Hash returns a 64-bit hash of the word t[start:end], much faster than the
// function [Hash]. Without the seed, colliding words cannot be constructed; one
// in 2⁶⁴ pairs collides by chance.
func (s Seed) Hash(t string, start, end int) uint64 {
	h, _ := hashFrom(uint64(s), t, start, end, asWritten)
	return h
}
