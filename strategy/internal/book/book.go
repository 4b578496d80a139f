// Package book is a cache from words of running text to numbered terms. Strategies that
// read every word of every page would otherwise spend most of their time on stemming the
// same words.
package book

import "dowse/internal/text"

// A Book is a cache from a word of running text to the number of its term in a table of the
// caller. A lookup is one hash and one cache line, without an allocation. A word is known
// by a 64-bit hash with a secret alone, so that a page cannot construct two words that are
// confused. The cache has a fixed size and drops words; then it answers Unknown and the
// caller stems the word. As long as the caller's numbers keep their meaning, it returns
// nothing else than what was recorded. The zero value must be opened before use.
type Book struct {
	seed  text.Seed
	table []bookBucket
	last  int // terms that the lexicon had forgotten when the book was begun
}

// A bookBucket holds four words that share the low bits of their hash: one cache line.
type bookBucket [4]slot

type slot struct {
	hash uint64
	term uint32
	kind Kind
}

// A Kind is what the book knows of a word.
type Kind uint32

// The kinds of words.
const (
	Unknown Kind = iota
	IsTerm
	IsNothing // a stop word, or too short
)

// buckets is the size of the table: room for 65,536 words, which make up nearly all of
// running text, in 1 MiB.
const buckets = 1 << 14 // for 65,536 words, which make up nearly all of running text

// Open makes the book ready for a page. The numbers belong to a table of the given size
// that has dropped a number of terms so far. A number whose term was dropped is recognised by
// its generation, which repeats at the earliest after the table has dropped more terms than
// it holds; the book is emptied before that.
func (b *Book) Open(forgot, size int) {
	if !b.Ready() || forgot-b.last > size/2 {
		b.Reset()
		b.last = forgot
	}
}

// Ready reports whether Open or Reset was called.
func (b *Book) Ready() bool { return b.table != nil }

// Reset empties the book.
func (b *Book) Reset() {
	if b.table == nil {
		b.seed, b.table = text.NewSeed(), make([]bookBucket, buckets)
	}
	clear(b.table)
}

// Hash returns the hash of the word t[start:end]. The book must be ready.
func (b *Book) Hash(t string, start, end int) uint64 { return b.seed.Hash(t, start, end) }

// Find returns the kind of the word with a hash and, if it is IsTerm, the number of its
// term.
func (b *Book) Find(h uint64) (uint32, Kind) {
	l := &b.table[h&(buckets-1)]
	for i := range l {
		if l[i].hash == h {
			return l[i].term, l[i].kind
		}
	}
	return 0, Unknown
}

// Touch loads the buckets of hashes into the cache, see lead.TouchNotes.
//
//go:noinline
func (b *Book) Touch(hashes []uint64) (sum uint64) {
	for _, h := range hashes {
		sum += b.table[h&(buckets-1)][0].hash
	}
	return sum
}

// Note records what the word with a hash is. In a full bucket it replaces the word that was
// recorded first.
func (b *Book) Note(h uint64, term uint32, s Kind) {
	l := &b.table[h&(buckets-1)]
	for i := range l {
		if l[i].hash == h {
			l[i] = slot{h, term, s}
			return
		}
	}
	copy(l[1:], l[:])
	l[0] = slot{h, term, s}
}
