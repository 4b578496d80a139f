package interest

import (
	"maps"
	"math"
	"slices"
	"strings"

	"dowse/strategy/input"
)

// A word is the number of a term in a lexicon. It stays valid as long as the term
// is kept; afterwards it stands for nothing, even if its place is taken again.
type word uint32

const (
	placeBits = 24
	placeMask = 1<<placeBits - 1
)

func (w word) place() uint32 { return uint32(w) & placeMask }

// Columns of a lexicon's counts: a term means one thing on the pages that link to a
// page, and another on the pages that its readers read.
const (
	asContent = iota
	asSignature
)

// A termTable numbers terms and counts pages by them. It never holds more than its
// size: then a new term takes the place of one that is hardly met. So a flood of
// words met once washes out others of its kind, not those that pages share.
type termTable struct {
	terms []entry
	heads []head // of the terms
	hand  uint32 // where the search for a term to forget goes on

	size     int
	at       index
	forgot   int        // terms so far, of this run
	weighers []*weigher // which remember what words say
}

type entry struct {
	hash  uint64
	Cells [2]ratioCell
	Term  string
}

// A head is what is asked of every word of every page. Heads lie by themselves, so that
// those of all terms stay in a cache of the processor.
type head struct {
	met uint32 // in so many pages
	gen uint8  // of the place
}

func newLexicon(size int) *termTable {
	return &termTable{size: min(size, placeMask), at: newIndex()}
}

// savedLexicon is a lexicon as it is written down.
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

func (x *termTable) saved() *savedLexicon {
	s := &savedLexicon{Terms: make([]savedTerm, len(x.terms)), Hand: x.hand}
	for i, e := range x.terms {
		s.Terms[i] = savedTerm{e.Term, x.heads[i].met, x.heads[i].gen, e.Cells}
	}
	return s
}

// restored is the lexicon that was saved.
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

// touch has the entries of terms with hashes brought near, see lead.TouchNotes.
func (x *termTable) touch(hashes []uint64) {
	x.at.touch(hashes)
	x.touchEntries(hashes)
}

//go:noinline
func (x *termTable) touchEntries(hashes []uint64) (sum uint64) {
	for _, h := range hashes {
		if i := x.at.guess(h); i != noPlace {
			sum += x.terms[i].hash
		}
	}
	return sum
}

// place returns where a term with a hash is kept.
func (x *termTable) place(term string, h uint64) (uint32, bool) {
	return x.at.find(h, func(i uint32) bool { return x.terms[i].Term == term })
}

// entry returns what is known of a word, nil if it was forgotten.
func (x *termTable) entry(w word) *entry {
	if x.head(w) == nil {
		return nil
	}
	return &x.terms[w.place()]
}

// head returns the head of a word, nil if it was forgotten.
func (x *termTable) head(w word) *head {
	if place := w.place(); int(place) < len(x.heads) {
		if h := &x.heads[place]; h.gen == uint8(w>>placeBits) {
			return h
		}
	}
	return nil
}

// add returns the word of a term, which is kept from now on.
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

// forget frees the place of the term that was met the least, of a few.
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
	for _, w := range x.weighers {
		w.lost(least)
	}
	return least
}

// learn counts a page by a word.
func (x *termTable) learn(w word, column int, on bool) {
	if e := x.entry(w); e != nil {
		e.Cells[column].count(on)
	}
}

// reuse adds counts of another crawl.
func (x *termTable) reuse(counts map[string]input.Tally, column int, weight float64) {
	for _, term := range slices.Sorted(maps.Keys(counts)) {
		place := x.add(term).place()
		x.terms[place].Cells[column].add(cellOf(counts[term]), weight)
		h := &x.heads[place]
		h.met = max(h.met, uint32(min(max(counts[term][0]*weight, 0), 1<<31)))
	}
}

// counts returns the terms that any page was counted by.
func (x *termTable) counts(column int) map[string]input.Tally {
	list := map[string]input.Tally{}
	for i := range x.terms {
		if c := x.terms[i].Cells[column]; c.N > 0 {
			list[x.terms[i].Term] = input.Tally{c.N, c.C}
		}
	}
	return list
}

// A weigher knows the logarithms of ratios of a lexicon's words. Each is computed
// when it is first asked for after its counts, or the moment, have changed.
type weigher struct {
	lex    *termTable
	column int
	now    visitMoment
	marks  []mark // by place
	round  uint32
	since  uint32    // marks of earlier rounds say nothing any more
	silent bitset    // by place: its word says nothing now
	unmet  bitset    // by place: no page was counted by its word, so that it says nothing at any time
	quiet  bool      // words that no page was counted by say nothing
	few    []float64 // what small counts say, by their numbers; NaN where it was not asked for
}

// fewPages bounds the counts whose logarithms are remembered: most words are on few
// pages.
const fewPages = 64

// A mark is what is known of the word at a place. It is small, because the marks are
// most of the memory that rating a lead goes through.
type mark struct {
	word  word
	round uint32 // in which the word was last met; 0 for never
	ln    float64
}

// weigh lets w tell what words of the lexicon say, by the counts of a column.
func (x *termTable) weigh(w *weigher, column int) {
	*w = weigher{lex: x, column: column}
	x.weighers = append(x.weighers, w)
}

// lost records that the word at a place was dropped: from now on its weight is 0, as
// it would be after a restart.
func (w *weigher) lost(place uint32) {
	if int(place) < len(w.marks) {
		w.marks[place] = mark{}
		w.silent.unset(place)
		w.unmet.unset(place)
	}
}

// turn takes note that the moment has changed.
func (w *weigher) turn(now visitMoment) {
	w.now = now
	w.since = w.round + 1
	if w.quiet = now.significant(ratioCell{}) == 0; !w.quiet {
		clear(w.unmet)
	}
	copy(w.silent, w.unmet)
	if w.few == nil {
		w.few = make([]float64, fewPages*(fewPages+1)/2)
	}
	for i := range w.few {
		w.few[i] = math.NaN()
	}
}

// significant is that of the moment, which it remembers.
func (w *weigher) significant(c ratioCell) float64 {
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

// grow makes room for words that the lexicon took in.
func (w *weigher) grow() {
	if n := len(w.lex.terms); len(w.marks) < n {
		w.marks = append(w.marks, make([]mark, n+n/2-len(w.marks))...)
		more := newBitset(len(w.marks))[len(w.unmet):]
		w.silent, w.unmet = append(w.silent, more...), append(w.unmet, more...)
	}
}

// learn counts a page by a word.
func (w *weigher) learn(id word, on bool) {
	w.lex.learn(id, w.column, on)
	w.marks[id.place()] = mark{}
	w.silent.unset(id.place())
	w.unmet.unset(id.place())
}

// recount takes note that the lexicon's counts have changed.
func (w *weigher) recount() {
	clear(w.silent)
	clear(w.unmet)
}

// begin starts a union of words.
func (w *weigher) begin() {
	if w.round++; w.round == 0 {
		clear(w.marks)
		w.round, w.since = 1, 1
	}
}

// sum adds up what the words say that have not been met in this union.
func (w *weigher) sum(words []word) (sum float64) {
	if w.now.flat {
		return 0
	}
	for _, id := range words {
		if w.silent.has(id.place()) {
			continue
		}
		m := &w.marks[id.place()]
		if m.round == w.round && m.word == id || (m.round < w.since || m.word != id) && !w.weigh(m, id) {
			continue
		}
		m.round = w.round
		sum += m.ln
	}
	return sum
}

// weigh computes what a word says. It reports false for one that was forgotten.
func (w *weigher) weigh(m *mark, id word) bool {
	e := w.lex.entry(id)
	if e == nil {
		return false
	}
	c := e.Cells[w.column]
	*m = mark{id, 0, w.significant(c)}
	if m.ln == 0 && w.quiet {
		w.silent.set(id.place())
		if c.N == 0 {
			w.unmet.set(id.place())
		}
	}
	return true
}

// fresh appends the words that have not been met in this union, forgotten ones left
// out.
func (w *weigher) fresh(dst []word, words []word) []word {
	for _, id := range words {
		m := &w.marks[id.place()]
		if m.round == w.round && m.word == id || (m.round < w.since || m.word != id) && !w.weigh(m, id) {
			continue
		}
		m.round = w.round
		dst = append(dst, id)
	}
	return dst
}
