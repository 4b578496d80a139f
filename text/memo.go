package text

import (
	"strings"
	"sync/atomic"
)

// ways is the number of places a word can have in a memo. Four keep the words of
// a natural language with hardly a collision at three quarters full.
const ways = 4

// defaultMemory holds the words that make up more than 98 % of running text.
const defaultMemory = 1 << 16

// A Memo remembers the values of a pure function of words. It never holds more
// than its size, takes no lock and may be used from many goroutines: a hit costs a
// hash and a comparison. Of the words that share a place those asked for since the
// last one came are kept, so that a flood of words seen once does not wash out the
// common ones.
type Memo[V any] struct {
	value   func(word string) V
	buckets []bucket[V]
	mask    uint64
}

type bucket[V any] [ways]atomic.Pointer[known[V]]

type known[V any] struct {
	word  string
	value V
	asked atomic.Bool // since it was last passed over
}

// NewMemo returns a memo of value for about size words, rounded up to a power of
// two; 0 means 65,536. Value must depend on nothing but the word and must not keep
// it.
func NewMemo[V any](size int, value func(word string) V) *Memo[V] {
	n := bucketsFor(size)
	return &Memo[V]{value: value, buckets: make([]bucket[V], n), mask: uint64(n - 1)}
}

// bucketsFor returns how many buckets hold size words, a power of two.
func bucketsFor(size int) int {
	if size <= 0 {
		size = defaultMemory
	}
	n := 1
	for n*ways < size {
		n *= 2
	}
	return n
}

// Of returns the value of word. Words longer than [MaxWord] are never kept.
func (m *Memo[V]) Of(word string) V {
	if len(word) > MaxWord {
		return m.value(word)
	}
	h, _ := hash(word, 0, len(word), asWritten)
	b := &m.buckets[h&m.mask]
	for i := range b {
		k := b[i].Load()
		if k == nil {
			break
		}
		if k.word != word {
			continue
		}
		if !k.asked.Load() {
			k.asked.Store(true)
		}
		return k.value
	}
	return m.learn(b, h, word)
}

// learn computes the value and keeps it with a copy of the word, since the word
// is usually a part of a whole page.
func (m *Memo[V]) learn(b *bucket[V], h uint64, word string) V {
	k := &known[V]{word: strings.Clone(word)}
	k.value = m.value(k.word)
	b.victim(h).Store(k)
	return k.value
}

// victim returns the place to overwrite: a free one, else one that was not asked
// for, the hash telling where to begin. Where all were, they lose the mark.
func (b *bucket[V]) victim(h uint64) *atomic.Pointer[known[V]] {
	for i := range b {
		if b[i].Load() == nil {
			return &b[i]
		}
	}
	first := h >> 32
	for i := range uint64(ways) {
		if place := &b[(first+i)%ways]; !place.Load().asked.Swap(false) {
			return place
		}
	}
	return &b[first%ways]
}
