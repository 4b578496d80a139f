package strategy

import "dowse/text"

// A book tells which numbered term a word of running text stands for, without making
// the term: a hash and one look at memory, for those who read every word of every
// page. Words are known by their hash alone, which begins with a secret. It forgets, and then says that it does
// not know; as long as numbers stay what they are it says nothing else than was noted.
type book struct {
	seed  text.Seed
	pages []leaf
	last  int // terms that the lexicon had forgotten when the book was begun
}

// A leaf has places for words that share the low bits of their hash: one line of the
// processor's cache.
type leaf [4]gloss

type gloss struct {
	hash uint64
	term word
	says says
}

// says tells what a gloss says of a word.
type says uint32

const (
	unknownWord says = iota
	isTerm
	isNothing // a stop word, or too short
)

const bookLeaves = 1 << 14 // for 65,536 words, which make up nearly all of running text

// open makes the book ready for a page, with numbers of a lexicon. Those of forgotten
// terms are told by their generation, which comes round again at the earliest when the
// lexicon has forgotten more terms than it holds; the book begins anew before that.
func (b *book) open(lex *lexicon) {
	if b.pages == nil || lex.forgot-b.last > lex.size/2 {
		b.anew()
		b.last = lex.forgot
	}
}

// anew empties the book.
func (b *book) anew() {
	if b.pages == nil {
		b.seed, b.pages = text.NewSeed(), make([]leaf, bookLeaves)
	}
	clear(b.pages)
}

// hash returns that of the word t[start:end], in a book that was begun.
func (b *book) hash(t string, start, end int) uint64 { return b.seed.Hash(t, start, end) }

// find returns what is known of the word with a hash.
func (b *book) find(h uint64) (word, says) {
	l := &b.pages[h&(bookLeaves-1)]
	for i := range l {
		if l[i].hash == h {
			return l[i].term, l[i].says
		}
	}
	return 0, unknownWord
}

// touch has the leaves of hashes brought near, see [touchNotes].
//
//go:noinline
func (b *book) touch(hashes []uint64) (sum uint64) {
	for _, h := range hashes {
		sum += b.pages[h&(bookLeaves-1)][0].hash
	}
	return sum
}

// note writes down what a word stands for, in place of the one that was written down
// first.
func (b *book) note(h uint64, term word, s says) {
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
