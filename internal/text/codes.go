package text

import (
	"math/bits"
	"sync/atomic"
)

// Codes cache the values of a pure function from words to small numbers, as a
// [Memo] does, for callers that look up every word of every page. A hit costs a
// hash and one read of memory, because a word is known by bits of its hash, with
// a secret seed, and nothing else of it is kept: 60 bits where codes have 16 and
// 32,768 words are kept, one less for each further bit of a code. Two words with
// equal bits would share a code, but no page can construct such a pair.
//
// Codes never hold more than their size, take no lock and are safe for
// concurrent use. When a bucket is full, a word that was not looked up since
// the last replacement gives way.
type Codes[V uint16 | uint32] struct {
	code    func(word string) V
	seed    Seed
	buckets []codeBucket
	mask    uint64
	asked   uint64 // the bit above the codes: looked up since the last search for a victim
	hash    uint64 // the bits above asked: those of the hash

	numbered numbered // of words with a number, see Word
}

// A codeBucket has places for words that share the low bits of their hash. A
// place holds the high bits of the hash, the bit asked and the code; 0 means
// free.
type codeBucket [ways]atomic.Uint64

// NewCodes returns a cache of code for about size words, rounded up to a power
// of two; 0 means 65,536. code must depend on nothing but the word, must not
// keep it, and must not return more than most.
func NewCodes[V uint16 | uint32](size int, most V, code func(word string) V) *Codes[V] {
	n := bucketsFor(size)
	asked := uint64(1) << bits.Len64(uint64(most))
	return &Codes[V]{code: code, seed: NewSeed(), buckets: make([]codeBucket, n), mask: uint64(n - 1), asked: asked, hash: -(asked << 1)}
}

// In returns the code of the word t[start:end]. It takes the text and not the
// word because in the middle of a text the hash may read eight bytes beyond the
// word. Words longer than maxWord are computed each time.
func (c *Codes[V]) In(t string, start, end int) V {
	var h uint64
	if n := end - start; uint(n) <= 8 && start+8 <= len(t) { // as Seed.Hash, which would be a call
		h = fold(uint64(n)*uint64(c.seed) ^ load64(t[start:])&(1<<(8*n)-1))
	} else if n > maxWord {
		return c.code(t[start:end])
	} else {
		h = c.seed.Hash(t, start, end)
	}
	b := &c.buckets[h&c.mask]
	// All places are compared without a branch, since the CPU cannot predict
	// which one matches.
	k0, k1, k2, k3 := b[0].Load(), b[1].Load(), b[2].Load(), b[3].Load()
	known := uint64(0)
	if (k0^h)&c.hash == 0 {
		known = k0
	}
	if (k1^h)&c.hash == 0 {
		known = k1
	}
	if (k2^h)&c.hash == 0 {
		known = k2
	}
	if (k3^h)&c.hash == 0 {
		known = k3
	}
	if known&c.asked == 0 {
		return c.ask(b, h, known, t[start:end])
	}
	return V(known & (c.asked - 1))
}

// ask returns the code of a word that was not looked up since the last search
// for a victim, and marks it. known is its place's content, 0 if it has none.
func (c *Codes[V]) ask(b *codeBucket, h, known uint64, word string) V {
	if known == 0 {
		return c.learn(b, h, word)
	}
	for i := range b {
		b[i].CompareAndSwap(known, known|c.asked)
	}
	return V(known & (c.asked - 1))
}

// learn computes the code and stores it.
func (c *Codes[V]) learn(b *codeBucket, h uint64, word string) V {
	code := c.code(word)
	if k := h&c.hash | uint64(code); k != 0 {
		b.victim(h, c.asked).Store(k)
	}
	return code
}

// victim returns the place to overwrite: a free one, else one whose bit asked
// is not set, starting at a place that depends on the hash. Every place that it
// passes loses the bit. This is the clock algorithm within a bucket.
func (b *codeBucket) victim(h, asked uint64) *atomic.Uint64 {
	for i := range b {
		if b[i].Load() == 0 {
			return &b[i]
		}
	}
	first := h >> 32
	for i := range uint64(ways) {
		if place := &b[(first+i)%ways]; place.And(^asked)&asked == 0 {
			return place
		}
	}
	return &b[first%ways]
}
