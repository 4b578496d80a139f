package text

import (
	"strings"
	"sync/atomic"
)

// ways is the number of places per bucket. Four keep the words of a natural
// language with hardly a collision at three quarters full.
const ways = 4

// defaultMemory is how many words make up more than 98 % of running text.
const defaultMemory = 1 << 16

// A Memo caches the values of a pure function of words. It never holds more
// than its size, takes no lock and is safe for concurrent use: a hit costs a
// hash and a comparison. When a bucket is full, a word that was not looked up
// since the last replacement gives way, so a flood of words that occur once
// does not displace the common ones.
type Memo[V any] struct {
	value   func(word string) V
	buckets []bucket[V]
	mask    uint64
}

// A bucket has places for words that share the low bits of their hash. The tags
// are the high bits of these hashes, 16 per place, so that a word that is
// absent is recognised without reading the places. A tag may lag behind its
// place while another goroutine writes: then a word is computed again, or
// compared in vain, but never gets a wrong value.
type bucket[V any] struct {
	tags   atomic.Uint64
	places [ways]atomic.Pointer[known[V]]
}

const tagBits = 64 / ways

// tag returns the bits of a hash that distinguish the words of a bucket.
func tag(h uint64) uint64 { return h >> (64 - tagBits) }

func (b *bucket[V]) setTag(i int, h uint64) {
	at := i * tagBits
	b.tags.Store(b.tags.Load()&^((1<<tagBits-1)<<at) | tag(h)<<at)
}

// known is a word with its value. Only asked changes after it was stored.
type known[V any] struct {
	word  string
	value V
	asked atomic.Bool // looked up since the last search for a victim
}

// NewMemo returns a cache of value for about size words, rounded up to a power
// of two; 0 means 65,536. value must depend on nothing but the word and must
// not keep it.
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

// Of returns the value of word. Words longer than maxWord are computed each
// time.
func (m *Memo[V]) Of(word string) V {
	if len(word) > maxWord {
		return m.value(word)
	}
	h, _ := hash(word, 0, len(word), asWritten)
	b := &m.buckets[h&m.mask]
	for i, tags := 0, b.tags.Load(); i < ways; i, tags = i+1, tags>>tagBits {
		if tags&(1<<tagBits-1) != tag(h) {
			continue
		}
		k := b.places[i].Load()
		if k == nil || k.word != word {
			continue
		}
		if !k.asked.Load() {
			k.asked.Store(true)
		}
		return k.value
	}
	return m.learn(b, h, word)
}

// learn computes the value and stores it with a copy of the word, because the
// word usually shares the memory of a whole page.
func (m *Memo[V]) learn(b *bucket[V], h uint64, word string) V {
	k := &known[V]{word: strings.Clone(word)}
	k.value = m.value(k.word)
	i := b.victim(h)
	b.places[i].Store(k)
	b.setTag(i, h)
	return k.value
}

// victim returns the place to overwrite: a free one, else one that was not
// asked for, starting at a place that depends on the hash. Every place that it
// passes loses the mark.
func (b *bucket[V]) victim(h uint64) int {
	for i := range b.places {
		if b.places[i].Load() == nil {
			return i
		}
	}
	first := h >> 32
	for i := range uint64(ways) {
		if place := (first + i) % ways; !b.places[place].Load().asked.Swap(false) {
			return int(place)
		}
	}
	return int(first % ways)
}
