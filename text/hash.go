package text

import "math/bits"

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
// multiplies to twice the width and folds, as wyhash does. It is not meant to
// withstand those who look for words that collide.
func hash(t string, start, end int, mask uint64) (h, set uint64) {
	n := end - start
	h = uint64(n) * hashBegin
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

// HashWord returns 64 bits of the word t[start:end], much faster than [Hash] does, for
// tables in memory: it is the same in every run of a version, and may change with it.
func HashWord(t string, start, end int) uint64 {
	h, _ := hash(t, start, end, asWritten)
	return h
}
