package interest

import (
	"maps"
	"math"
	"slices"
	"strings"

	"dowse/strategy/input"
)

// A word is the number of a term in a termTable: its place, and in the upper 8 bits how
// often that place was given to another term. A word whose term was dropped stands for
// nothing, even if its place is in use again. This holds for 255 reuses of one place. A
// place is given away at most once per sixteenth of the table's size in dropped terms, so
// that a word would have to be held while 16 times as many terms are dropped as the table
// holds.
type word uint32

const (
	placeBits = 24
	placeMask = 1<<placeBits - 1
)

func (w word) place() uint32 { return uint32(w) & placeMask }

// Columns of a termTable's counts. The same term is one feature of the pages that link to a
// page, and another of the pages that its readers read.
const (
	asContent = iota
	asSignature
)

// A termTable numbers terms and counts pages by them. It never holds more than size terms:
// beyond that, a new term takes the place of one that few pages have. Only 16 candidates
// are compared for that, so that a term costs the same in a full table. Words that are seen
// once thus replace each other, and words that many pages share stay.
type termTable struct {
	terms []entry
	heads []head // of the terms
	hand  uint32 // where the search for a term to forget goes on

	size   int
	at     index
	forgot int           // terms so far, of this run
	caches []*ratioCache // of its columns
}

// An entry is a term with its counts.
type entry struct {
	hash  uint64
	Cells [2]ratioCell
	Term  string
}

// A head is what is read for every word of every page. Heads are stored apart from the
// entries, so that those of all terms fit into a cache of the processor.
type head struct {
	met uint32 // pages that have the term
	gen uint8  // of the place
}

// newLexicon returns an empty table for at most size terms.
func newLexicon(size int) *termTable {
	return &termTable{size: min(size, placeMask), at: newIndex()}
}

// savedLexicon is the form in which a table is saved. Terms keep their places, since saved
// evidence refers to them. The fields of this and the next type are a file format.
type savedLexicon struct {
	Terms []savedTerm
	Hand  uint32
}

type savedTerm struct {
	Term  string
	Met   uint32
	Gen   uint8
	Cells [2]ratioCell
}

// saved returns what restored needs.
func (x *termTable) saved() *savedLexicon {
	s := &savedLexicon{Terms: make([]savedTerm, len(x.terms)), Hand: x.hand}
	for i, e := range x.terms {
		s.Terms[i] = savedTerm{e.Term, x.heads[i].met, x.heads[i].gen, e.Cells}
	}
	return s
}

// restored returns the table that was saved, for at most size terms from now on.
func (s *savedLexicon) restored(size int) *termTable {
	x := newLexicon(size)
	x.hand = s.Hand
	x.terms, x.heads = make([]entry, len(s.Terms)), make([]head, len(s.Terms))
	for i, t := range s.Terms {
		h := x.at.hash(t.Term)
		x.terms[i], x.heads[i] = entry{h, t.Cells, t.Term}, head{t.Met, t.Gen}
		x.at.add(h, uint32(i))
	}
	return x
}

// wordAt returns the number of the term that is at a place now.
func (x *termTable) wordAt(place uint32) word {
	return word(uint32(x.heads[place].gen)<<placeBits | place)
}

// find returns the entry of the term with a hash, or nil. Only the 64-bit hash is
// compared, since the term itself is elsewhere in memory. Every lexicon, also a
// restored one, draws its own secret hash seed, so that a page cannot construct terms
// that collide. If two collide by chance, one is rated by the other's counts; no count
// is wrong, since learning compares the terms.
func (x *termTable) find(h uint64) *entry {
	if place, ok := x.at.find(h, func(i uint32) bool { return x.terms[i].hash == h }); ok {
		return &x.terms[place]
	}
	return nil
}

// touch loads the entries of the terms with these hashes into the cache, see
// lead.TouchNotes.
func (x *termTable) touch(hashes []uint64) {
	x.at.touch(hashes)
	x.touchEntries(hashes)
}

// touchEntries is the second part of touch: by now the slots of the index are in the cache.
//
//go:noinline
func (x *termTable) touchEntries(hashes []uint64) (sum uint64) {
	for _, h := range hashes {
		if i := x.at.guess(h); i != noPlace {
			sum += x.terms[i].hash
		}
	}
	return sum
}

// place returns the place of a term with a hash, and whether it has one.
func (x *termTable) place(term string, h uint64) (uint32, bool) {
	return x.at.find(h, func(i uint32) bool { return x.terms[i].Term == term })
}

// entry returns the entry of a word, nil if its term was dropped.
func (x *termTable) entry(w word) *entry {
	if x.head(w) == nil {
		return nil
	}
	return &x.terms[w.place()]
}

// head returns the head of a word, nil if its term was dropped.
func (x *termTable) head(w word) *head {
	if place := w.place(); int(place) < len(x.heads) {
		if h := &x.heads[place]; h.gen == uint8(w>>placeBits) {
			return h
		}
	}
	return nil
}

// add returns the number of a term, which is added to the table if need be.
func (x *termTable) add(term string) word {
	h := x.at.hash(term)
	if place, ok := x.place(term, h); ok {
		return x.wordAt(place)
	}
	term = strings.Clone(term)
	if len(x.terms) < x.size {
		x.terms, x.heads = append(x.terms, entry{hash: h, Term: term}), append(x.heads, head{})
		x.at.add(h, uint32(len(x.terms)-1))
		return x.wordAt(uint32(len(x.terms) - 1))
	}
	place := x.forget()
	x.terms[place], x.heads[place] = entry{hash: h, Term: term}, head{gen: x.heads[place].gen + 1}
	x.at.add(h, place)
	return x.wordAt(place)
}

// forget drops the term that is on the fewest pages among the next 16, and returns its
// place. The next search continues behind them, as the hand of a clock does.
func (x *termTable) forget() uint32 {
	const few = 16
	least := x.hand
	for range few {
		if x.heads[x.hand].met < x.heads[least].met {
			least = x.hand
		}
		x.hand = (x.hand + 1) % uint32(len(x.heads))
	}
	x.at.remove(x.terms[least].hash, least)
	x.forgot++
	for _, w := range x.caches {
		w.lost(least)
	}
	return least
}

// learn counts a page that has a word. A dropped word is ignored.
func (x *termTable) learn(w word, column int, on bool) {
	if e := x.entry(w); e != nil {
		e.Cells[column].count(on)
	}
}

// reuse adds counts of another crawl, times a weight, in the order of the terms, so that
// the same counts give the same table.
func (x *termTable) reuse(counts map[string]input.Tally, column int, weight float64) {
	for _, term := range slices.Sorted(maps.Keys(counts)) {
		place := x.add(term).place()
		x.terms[place].Cells[column].add(cellOf(counts[term]), weight)
		h := &x.heads[place]
		h.met = max(h.met, uint32(min(max(counts[term][0]*weight, 0), 1<<31)))
	}
}

// counts returns the terms of a column that are on any page, with their counts.
func (x *termTable) counts(column int) map[string]input.Tally {
	list := map[string]input.Tally{}
	for i := range x.terms {
		if c := x.terms[i].Cells[column]; c.N > 0 {
			list[x.terms[i].Term] = input.Tally{c.N, c.C}
		}
	}
	return list
}

// A ratioCache holds the logarithms of the ratios of a table's words, by one column of
// counts. Rating a lead adds up some hundred of them, and between two pages few change.
// Each is computed when it is first needed after its counts, or the model, changed. Most
// words are not significant; two bit sets let sum skip these without reading their marks.
type ratioCache struct {
	lex       *termTable
	column    int
	now       ratioModel
	marks     []mark // by place
	round     uint32
	since     uint32    // marks of earlier rounds are invalid
	zero      bitset    // by place: the word's logarithm is 0 now
	uncounted bitset    // by place: no page was counted by the word, so that its logarithm is 0 in every model
	skip      bool      // the logarithm of words that no page was counted by is 0
	few       []float64 // logarithms of small counts, a triangle of N and C; NaN for those not computed yet
}

// fewPages bounds the counts whose logarithms are cached by count instead of by word: most
// words are on few pages, and many words have the same counts.
const fewPages = 64

// A mark is what the cache holds of the word at a place. It is 16 bytes, because the marks
// are most of the memory that is read to rate a lead.
type mark struct {
	word  word
	round uint32 // in which the word was last met; 0 for never
	ln    float64
}

// addCache makes w a cache of a column of this table, which from now on informs it of
// dropped terms.
func (x *termTable) addCache(w *ratioCache, column int) {
	*w = ratioCache{lex: x, column: column}
	x.caches = append(x.caches, w)
}

// lost removes the word at a place, which was dropped from the table. Its weight is 0 from
// now on, as it would be after a restart.
func (w *ratioCache) lost(place uint32) {
	if int(place) < len(w.marks) {
		w.marks[place] = mark{}
		w.zero.unset(place)
		w.uncounted.unset(place)
	}
}

// setModel computes with another model from now on. Marks of earlier rounds become invalid.
// Words that no page was counted by keep their bit, since they are insignificant in any
// model, unless smoothing and thresholds of 0 make even them count.
func (w *ratioCache) setModel(now ratioModel) {
	w.now = now
	w.since = w.round + 1
	if w.skip = now.significant(ratioCell{}) == 0; !w.skip {
		clear(w.uncounted)
	}
	copy(w.zero, w.uncounted)
	if w.few == nil {
		w.few = make([]float64, fewPages*(fewPages+1)/2)
	}
	for i := range w.few {
		w.few[i] = math.NaN()
	}
}

// significant returns what the model's significant returns, from a table for small whole
// counts.
func (w *ratioCache) significant(c ratioCell) float64 {
	if !(c.N < fewPages && 0 <= c.C && c.C <= c.N) {
		return w.now.significant(c)
	}
	n, of := int(c.N), int(c.C)
	if float64(n) != c.N || float64(of) != c.C {
		return w.now.significant(c)
	}
	x := &w.few[n*(n+1)/2+of]
	if *x != *x {
		*x = w.now.significant(c)
	}
	return *x
}

// grow makes room for words that were added to the table.
func (w *ratioCache) grow() {
	if n := len(w.lex.terms); len(w.marks) < n {
		w.marks = append(w.marks, make([]mark, n+n/2-len(w.marks))...)
		more := newBitset(len(w.marks))[len(w.uncounted):]
		w.zero, w.uncounted = append(w.zero, more...), append(w.uncounted, more...)
	}
}

// learn counts a page that has a word, and invalidates the word's ratio.
func (w *ratioCache) learn(id word, on bool) {
	w.lex.learn(id, w.column, on)
	w.marks[id.place()] = mark{}
	w.zero.unset(id.place())
	w.uncounted.unset(id.place())
}

// recount invalidates the bit sets after many counts changed. The marks are invalidated by
// the setModel that follows.
func (w *ratioCache) recount() {
	clear(w.zero)
	clear(w.uncounted)
}

// begin starts a new union of words, in which sum and fresh use each word once.
func (w *ratioCache) begin() {
	if w.round++; w.round == 0 {
		clear(w.marks)
		w.round, w.since = 1, 1
	}
}

// sum returns the sum of the logarithms of those words that were not used in this union
// yet. Words whose terms were dropped contribute nothing.
func (w *ratioCache) sum(words []word) (sum float64) {
	if w.now.flat {
		return 0
	}
	for _, id := range words {
		if w.zero.has(id.place()) {
			continue
		}
		m := &w.marks[id.place()]
		if m.round == w.round && m.word == id || (m.round < w.since || m.word != id) && !w.compute(m, id) {
			continue
		}
		m.round = w.round
		sum += m.ln
	}
	return sum
}

// compute computes the ratio of a word into its mark. It reports false for a word whose
// term was dropped.
func (w *ratioCache) compute(m *mark, id word) bool {
	e := w.lex.entry(id)
	if e == nil {
		return false
	}
	c := e.Cells[w.column]
	*m = mark{id, 0, w.significant(c)}
	if m.ln == 0 && w.skip {
		w.zero.set(id.place())
		if c.N == 0 {
			w.uncounted.set(id.place())
		}
	}
	return true
}

// fresh appends those words that were not used in this union yet, without dropped ones.
func (w *ratioCache) fresh(dst []word, words []word) []word {
	for _, id := range words {
		m := &w.marks[id.place()]
		if m.round == w.round && m.word == id || (m.round < w.since || m.word != id) && !w.compute(m, id) {
			continue
		}
		m.round = w.round
		dst = append(dst, id)
	}
	return dst
}
