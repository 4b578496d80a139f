// Package book remembers which term a word of running text stands for, so that
// strategies that read every word of every page seldom stem one.
package book

import "dowse/internal/text"

// A Book tells which numbered term a word of running text stands for, without making
// the term: a hash and one look at memory, for those who read every word of every
// page. Words are known by their hash alone, which begins with a secret. It forgets, and then says that it does
// not know; as long as numbers stay what they are it says nothing else than was noted.
type Book struct {
	seed  text.Seed
	pages []bookLeaf
	last  int // terms that the lexicon had forgotten when the book was begun
}

// A bookLeaf has places for words that share the low bits of their hash: one line of the
// processor's cache.
type bookLeaf [4]gloss

type gloss struct {
	hash uint64
	term uint32
	says Says
}

// Says returns what a gloss says of a word.
type Says uint32

// What a book says of a word.
const (
	Unknown Says = iota
	IsTerm
	IsNothing // a stop word, or too short
)

const bookLeaves = 1 << 14 // for 65,536 words, which make up nearly all of running text

// Open makes the book ready for a page, with numbers of a lexicon of a size that has
// forgotten so many terms. Those of forgotten terms are told by their generation, which
// comes round again at the earliest when the lexicon has forgotten more terms than it
// holds; the book begins anew before that.
func (b *Book) Open(forgot, size int) {
	if !b.Begun() || forgot-b.last > size/2 {
		b.Anew()
		b.last = forgot
	}
}

// Begun reports whether the book was begun.
func (b *Book) Begun() bool { return b.pages != nil }

// Anew empties the book.
func (b *Book) Anew() {
	if b.pages == nil {
		b.seed, b.pages = text.NewSeed(), make([]bookLeaf, bookLeaves)
	}
	clear(b.pages)
}

// Hash returns that of the word t[start:end], in a book that was begun.
func (b *Book) Hash(t string, start, end int) uint64 { return b.seed.Hash(t, start, end) }

// Find returns what is known of the word with a hash.
func (b *Book) Find(h uint64) (uint32, Says) {
	l := &b.pages[h&(bookLeaves-1)]
	for i := range l {
		if l[i].hash == h {
			return l[i].term, l[i].says
		}
	}
	return 0, Unknown
}

// Touch has the leaves of hashes brought near, as lead.TouchNotes does with notes.
//
//go:noinline
func (b *Book) Touch(hashes []uint64) (sum uint64) {
	for _, h := range hashes {
		sum += b.pages[h&(bookLeaves-1)][0].hash
	}
	return sum
}

// Note writes down what a word stands for, in place of the one that was written down
// first.
func (b *Book) Note(h uint64, term uint32, s Says) {
	l := &b.pages[h&(bookLeaves-1)]
	for i := range l {
		if l[i].hash == h {
			l[i] = gloss{h, term, s}
			return
		}
	}
	copy(l[1:], l[:])
	l[0] = gloss{h, term, s}
}
