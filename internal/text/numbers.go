package text

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"dowse"
)

// Number sets the numbers of the words of a document. Equal words have equal
// numbers as long as the process runs, and different words have different ones.
// [Codes] find what they know of a word with a number by one read of memory, so
// it pays to number the words of a page that several judges and a strategy read.
//
// The first 65,535 different words get a number, which are nearly all words of
// running text. All others, and words longer than maxWord, have 0.
func Number(d *dowse.Document) {
	d.Numbers = make([]uint32, len(d.Words))
	words.numberAll(d.Numbers, d.Text, d.Words)
}

// NumbersOf returns the numbers of the words of a document, nil if they have
// none.
func NumbersOf(d *dowse.Document) []uint32 {
	if len(d.Numbers) != len(d.Words) {
		return nil
	}
	return d.Numbers
}

// words are the numbers of all words that the process has met.
var words = newWordNumbers()

const (
	numberBits  = 16
	mostNumbers = 1<<numberBits - 1
	firstPlaces = 1 << 12 // of a table, which doubles when it is half full
)

// wordNumbers number words in the order of their first occurrence. Like [Codes]
// they know a word by bits of its hash, with a secret seed. They take a lock
// only for a word that is new.
type wordNumbers struct {
	seed  Seed
	table atomic.Pointer[numberTable]

	mu    sync.Mutex // held by who adds a word
	given uint64     // the last number
}

// A numberTable is a hash table with linear probing. A place has the high bits of
// the hash of a word, by which the search for it begins, and its number; 0 means
// free. At least half of the places are free.
type numberTable struct {
	places []atomic.Uint64
	shift  int // of a hash, to the place where the search begins
}

func newWordNumbers() *wordNumbers {
	n := &wordNumbers{seed: NewSeed()}
	n.table.Store(newNumberTable(firstPlaces))
	return n
}

func newNumberTable(places int) *numberTable {
	return &numberTable{places: make([]atomic.Uint64, places), shift: 64 - bits.Len(uint(places-1))}
}

// numberAll sets dst to the numbers of some words of a text; 0 for none. It works on some words at a time, and reads
// the places of all of them before it compares any: where a comparison fails, the processor has to begin anew, and
// would have waited for memory until then.
func (n *wordNumbers) numberAll(dst []uint32, t string, words []dowse.Span) {
	var hashes, places [numberedTogether]uint64
	for len(words) > 0 {
		part := words[:min(len(words), len(hashes))]
		table := n.table.Load()
		mask, shift := uint64(len(table.places)-1), table.shift&63
		for i, w := range part {
			h := n.hash(t, int(w.Start), int(w.End))
			hashes[i], places[i] = h, table.places[h>>shift&mask].Load()
		}
		for i, h := range hashes[:len(part)] {
			if k := places[i]; k != 0 && (k^h)>>numberBits == 0 {
				dst[i] = uint32(k & mostNumbers)
			} else {
				dst[i] = n.look(table, h)
			}
		}
		words, dst = words[len(part):], dst[len(part):]
	}
}

// numberedTogether is the number of words whose places are read together.
const numberedTogether = 32

// hash returns the hash by which the word t[start:end] is known; 0 for a word that has no number.
func (n *wordNumbers) hash(t string, start, end int) uint64 {
	length := end - start
	if uint(length) <= 8 && start+8 <= len(t) { // as Seed.Hash, which would be a call
		return fold(uint64(length)*uint64(n.seed) ^ load64(t[start:])&(1<<(8*length)-1))
	}
	if length > maxWord {
		return 0
	}
	return n.seed.Hash(t, start, end)
}

// look returns the number of the word with a hash, and gives it one if it has none.
func (n *wordNumbers) look(t *numberTable, h uint64) uint32 {
	if h == 0 {
		return 0
	}
	place, found := t.find(h)
	if !found {
		return n.add(h)
	}
	return uint32(place & mostNumbers)
}

// find returns the content of the place of a word.
func (t *numberTable) find(h uint64) (place uint64, found bool) {
	for i := h >> t.shift; ; i++ {
		k := t.places[i&uint64(len(t.places)-1)].Load()
		if k == 0 || (k^h)>>numberBits == 0 {
			return k, k != 0
		}
	}
}

// put stores the content of a place for a word that the table does not have.
func (t *numberTable) put(k uint64) {
	i := k >> t.shift
	for t.places[i&uint64(len(t.places)-1)].Load() != 0 {
		i++
	}
	t.places[i&uint64(len(t.places)-1)].Store(k)
}

// add gives a word the next number, unless there is none left.
func (n *wordNumbers) add(h uint64) uint32 {
	n.mu.Lock()
	defer n.mu.Unlock()
	t := n.table.Load()
	if place, found := t.find(h); found { // another goroutine was faster
		return uint32(place & mostNumbers)
	}
	if n.given == mostNumbers {
		return 0
	}
	n.given++
	if int(n.given)*2 > len(t.places) {
		t = t.grown()
	}
	t.put(h>>numberBits<<numberBits | n.given)
	n.table.Store(t)
	return uint32(n.given)
}

// grown returns the table with twice as many places.
func (t *numberTable) grown() *numberTable {
	larger := newNumberTable(2 * len(t.places))
	for i := range t.places {
		if k := t.places[i].Load(); k != 0 {
			larger.put(k)
		}
	}
	return larger
}

// numbered are the codes of words by their numbers, in parts that are made when
// they are needed. A part holds codes plus 1; 0 is one that was not yet computed.
type numbered [(mostNumbers + 1) / numberedPart]atomic.Pointer[[numberedPart]atomic.Uint32]

const numberedPart = 1 << 12

// Word returns the code of the word t[start:end] with a number; 0 is none. It
// returns the same as In and costs less.
func (c *Codes[V]) Word(number uint32, t string, start, end int) V {
	if number == 0 {
		return c.In(t, start, end)
	}
	if part := c.numbered[number/numberedPart%uint32(len(c.numbered))].Load(); part != nil {
		if k := part[number%numberedPart].Load(); k != 0 {
			return V(k - 1)
		}
	}
	return c.learnNumber(number, t[start:end])
}

// Append appends the codes of the words of a text to dst. numbers are those of the
// words, nil for none. If the analyzer a reads symbols after a word as a part of
// it, they are part of the word here, and its number is not used.
func (c *Codes[V]) Append(dst []V, a *Analyzer, t string, words []dowse.Span, numbers []uint32) []V {
	if numbers == nil || a.symbols {
		for i, w := range words {
			number, end := uint32(0), a.WordEnd(t, w)
			if numbers != nil && end == int(w.End) {
				number = numbers[i]
			}
			dst = append(dst, c.Word(number, t, int(w.Start), end))
		}
		return dst
	}
	n := len(dst)
	dst = slices.Grow(dst, len(words))[:n+len(words)]
	for i, number := range numbers[:len(words)] {
		code := uint32(0)
		if part := c.numbered[number/numberedPart%uint32(len(c.numbered))].Load(); part != nil {
			code = part[number%numberedPart].Load()
		}
		if code == 0 { // without a number, or not yet computed
			w := words[i]
			code = uint32(c.Word(number, t, int(w.Start), int(w.End))) + 1
		}
		dst[n+i] = V(code - 1)
	}
	return dst
}

// learnNumber computes the code of a word with a number and stores it.
func (c *Codes[V]) learnNumber(number uint32, word string) V {
	at := &c.numbered[number/numberedPart]
	if at.Load() == nil {
		at.CompareAndSwap(nil, new([numberedPart]atomic.Uint32))
	}
	code := c.code(word)
	at.Load()[number%numberedPart].Store(uint32(code) + 1)
	return code
}
