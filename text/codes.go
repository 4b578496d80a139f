package text

import "sync/atomic"

// Codes remember small numbers of words, which a pure function gives: what a
// [Memo] does, for those who ask about every word of every page. A hit costs a hash
// and one look at memory, because a word is known by 60 bits of its hash, with a secret
// seed, and nothing else of it is kept. Codes never hold more than their size, take no lock
// and may be used from many goroutines. Of the words that share a place those asked
// for since the last one came are kept.
type Codes struct {
	code    func(word string) uint16
	seed    Seed
	buckets []codeBucket
	mask    uint64
}

// A codeBucket has places for words that share the low bits of their hash. A place
// holds the high bits of the hash, a mark and the code; 0 is free.
type codeBucket [ways]atomic.Uint64

const (
	codeBits = 16
	asked    = 1 << codeBits // the mark: asked for since it was last passed over
	hashBits = ^uint64(asked<<1 - 1)
)

// NewCodes returns the memory of code for about size words, rounded up to a power
// of two; 0 means 65,536. Code must depend on nothing but the word and must not
// keep it.
func NewCodes(size int, code func(word string) uint16) *Codes {
	n := bucketsFor(size)
	return &Codes{code: code, seed: NewSeed(), buckets: make([]codeBucket, n), mask: uint64(n - 1)}
}

// Of returns the code of word. Words longer than [MaxWord] are never kept.
func (c *Codes) Of(word string) uint16 { return c.In(word, 0, len(word)) }

// In returns the code of the word t[start:end], faster than Of does.
func (c *Codes) In(t string, start, end int) uint16 {
	if end-start > MaxWord {
		return c.code(t[start:end])
	}
	h := c.seed.Hash(t, start, end)
	b := &c.buckets[h&c.mask]
	// All places are looked at without a branch: which one it is can't be foreseen.
	at, known := 0, uint64(0)
	for i := range b {
		if k := b[i].Load(); (k^h)&hashBits == 0 {
			at, known = i, k
		}
	}
	if known == 0 {
		return c.learn(b, h, t[start:end])
	}
	if known&asked == 0 {
		b[at].CompareAndSwap(known, known|asked)
	}
	return uint16(known)
}

func (c *Codes) learn(b *codeBucket, h uint64, word string) uint16 {
	code := c.code(word)
	if k := h&hashBits | uint64(code); k != 0 {
		b.victim(h).Store(k)
	}
	return code
}

// victim returns the place to overwrite: a free one, else one that was not asked
// for, the hash telling where to begin. Where all were, they lose the mark.
func (b *codeBucket) victim(h uint64) *atomic.Uint64 {
	for i := range b {
		if b[i].Load() == 0 {
			return &b[i]
		}
	}
	first := h >> 32
	for i := range uint64(ways) {
		if place := &b[(first+i)%ways]; place.And(^uint64(asked))&asked == 0 {
			return place
		}
	}
	return &b[first%ways]
}
