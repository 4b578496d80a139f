package judge

import (
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"dowse"
	"dowse/internal/text"
)

// Codes of words in the word memory of a space. A word with one term has the number of
// its term, plus firstTerm.
const (
	unknown   uint32 = iota // not a term of the space
	several                 // a run of words in a script without spaces
	firstTerm               // term 0
)

// A space turns pages into sparse vectors. It reads a page once; the vectors of
// windows are cut from that reading. Nearly all words of a page are in the word
// memory, so that a word costs one look-up and is neither lower-cased nor stemmed
// again. A space does not change (the memory and the pool are safe for concurrent
// use).
type space struct {
	features Features
	analyzer *text.Analyzer
	codes    *text.Codes[uint32] // word as written to code, remembered
	id       func(string) int32  // term to number; negative if not in the space
	weigh    func(v text.Vector) // turns counts into weights, in place
	size     int                 // all numbers are smaller
	words    *text.Vocabulary    // nil for a hashed space
	own      []string            // by number: the term that an example has; nil if the space is not hashed, or more can be learnt
	mixed    []atomic.Uint64     // one bit per number: another term than own was met; parallel to own
	counts   bool                // weights are plain counts
	readings sync.Pool
}

// newSpace returns the space of a vocabulary, with TF-IDF weights (idf) or plain
// counts.
func newSpace(f Features, v *text.Vocabulary, idf bool) *space {
	s := &space{features: f, words: v, counts: !idf, id: v.ID, size: v.Len()}
	weights := text.NewTFIDF(v, !f.Raw)
	s.weigh = func(v text.Vector) {
		if f.Damp {
			damp(v)
		}
		if idf {
			weights.Weigh(v)
		} else if !f.Raw {
			v.Normalize()
		}
	}
	s.start()
	return s
}

// start sets up analyzer, word memory and pool. The analyzer has no memory of its own,
// since it is only used for words that the space does not remember.
func (s *space) start() {
	s.analyzer = s.features.analyzer(-1)
	s.codes = text.NewCodes(memory, firstTerm+uint32(s.size), s.code)
	s.readings.New = func() any {
		words := (s.size + 63) / 64
		return &pageReading{counts: make([]tally, s.size), marks: make([]uint64, words), upper: make([]uint64, (words+63)/64)}
	}
}

// code computes the code of a word for the word memory.
func (s *space) code(word string) uint32 {
	if text.Spaceless(word) {
		return several
	}
	if t := s.analyzer.Term(word); t != "" {
		if id := s.number(t); id >= 0 {
			return firstTerm + uint32(id)
		}
	}
	return unknown
}

// number returns the number of a term, negative if it is not in the space, and remembers that
// a hashed space has met another term with the number than the one of the examples.
func (s *space) number(term string) int32 {
	id := s.id(term)
	if id >= 0 && s.own != nil && s.own[id] != term {
		s.mixed[id/64].Or(1 << (id % 64))
	}
	return id
}

// mixes reports whether pages may have another term with this number than the one of the
// examples. All terms of pages were met before.
func (s *space) mixes(number int32) bool {
	if s.words != nil {
		return false
	}
	return s.own == nil || s.mixed[number/64].Load()>>(number%64)&1 != 0
}

// onPage returns the terms of a page that have the number, first those of its text, in the order of the
// text. It reads the words again that have the number, because nothing else is kept of words.
func (s *space) onPage(number int32, r *pageReading, p *dowse.Page, heads func() []string) (terms []string) {
	take := func(t string) {
		if t != "" && len(terms) < mostSharing && s.id(t) == number && !slices.Contains(terms, t) {
			terms = append(terms, t)
		}
	}
	var forms [4]string // the words that were read last; most of a page's words with one number are equal
	n := 0
	if r.counts[number].body > 0 {
		for _, h := range r.hits {
			if h.term != number {
				continue
			}
			word := s.analyzer.Word(p.Text, p.Words[h.word])
			if slices.Contains(forms[:], word) {
				continue
			}
			forms[n%len(forms)] = word
			n++
			if !text.Spaceless(word) {
				take(s.analyzer.Term(word))
				continue
			}
			for _, pair := range text.Bigrams(nil, word) {
				take(s.analyzer.Term(pair))
			}
		}
	}
	if r.counts[number].head > 0 {
		for _, t := range heads() {
			take(t)
		}
	}
	return terms
}

// mostSharing is how many terms with one number are named.
const mostSharing = 4

// vector returns the weighted vector of a bag.
func (s *space) vector(b bag) text.Vector {
	v := s.count(b)
	s.weigh(v)
	return v
}

// count returns the counts of a bag, ordered by term number.
func (s *space) count(b bag) text.Vector {
	v := make(text.Vector, 0, len(b.terms))
	for i, t := range b.terms {
		if id := s.id(t); id >= 0 {
			v = append(v, text.Entry{Term: id, Weight: b.counts[i]})
		}
	}
	if s.words == nil {
		v = merged(v)
	}
	return v
}

// merged sorts entries by term and adds up those with the same term, which hashing
// produces.
func merged(v text.Vector) text.Vector {
	slices.SortStableFunc(v, func(a, b text.Entry) int { return int(a.Term) - int(b.Term) })
	kept := v[:0]
	for _, e := range v {
		if n := len(kept); n > 0 && kept[n-1].Term == e.Term {
			kept[n-1].Weight += e.Weight
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

func damp(v text.Vector) {
	for i := range v {
		v[i].Weight = damped(v[i].Weight)
	}
}

// A pageReading is the working memory for reading one page. Between pages all counts
// and marks are zero; it is as large as the vocabulary, therefore pooled.
type pageReading struct {
	spans   []dowse.Span
	parts   []string
	codes   []uint32 // of the words of a text
	hits    []termAt // terms of the text in order of their words
	heads   []termAt // terms of title or meta
	counts  []tally  // by term
	touched []int32  // terms with a count
	marks   []uint64 // one bit per touched term, used by order and rateFew only
	upper   []uint64 // one bit per word of marks that is not 0, used by rateFew only
	vector  text.Vector
	at      int // of hits: where the last window began
	left    [3][]float64
	reasons reasons
}

// A termAt is an occurrence of a term: the index of the word, and the term.
type termAt struct{ word, term int32 }

// A tally counts a term in the text, and in title, description and keywords.
type tally struct{ body, head int32 }

func (s *space) open() *pageReading { return s.readings.Get().(*pageReading) }

// release returns a reading to the pool, unless a huge page has made its buffers too
// large to keep.
func (s *space) release(r *pageReading) {
	if cap(r.codes) > keepFinds {
		r.codes = nil
	}
	if cap(r.hits) <= keepFinds && cap(r.spans) <= keepFinds && cap(r.parts) <= keepFinds {
		r.parts = r.parts[:0]
		s.readings.Put(r)
	}
}

// read finds the terms in the page's text.
func (s *space) read(r *pageReading, p *dowse.Page) {
	r.hits = s.appendTerms(r.hits[:0], r, p.Text, p.Words, text.NumbersOf(&p.Document))
	r.at = 0
	touchCounts(r.counts, r.hits)
}

// appendTerms appends the terms of a text in order of their words. numbers are those of
// the words, nil for none.
func (s *space) appendTerms(dst []termAt, r *pageReading, t string, words []dowse.Span, numbers []uint32) []termAt {
	r.codes = s.codes.Append(r.codes[:0], s.analyzer, t, words, numbers)
	for i, code := range r.codes {
		if code >= firstTerm {
			dst = append(dst, termAt{int32(i), int32(code - firstTerm)})
		} else if code == several {
			dst = s.appendRun(dst, r, int32(i), s.analyzer.Word(t, words[i]))
		}
	}
	return dst
}

// touchCounts loads the counts of terms into the processor's cache. A loop that only reads lets
// the processor load many cache lines concurrently; in the code that counts it would wait for each.
// It is not inlined, because its result is not used and a compiler would leave out the reading.
//
//go:noinline
func touchCounts(counts []tally, hits []termAt) (sum int32) {
	for _, h := range hits {
		sum += counts[h.term].body
	}
	return sum
}

// appendRun appends the terms of a run without spaces. Its pairs bypass the word
// memory, which would treat each as a run again.
func (s *space) appendRun(dst []termAt, r *pageReading, at int32, word string) []termAt {
	r.parts = text.Bigrams(r.parts[:0], word)
	for _, part := range r.parts {
		if t := s.analyzer.Term(part); t != "" {
			if id := s.number(t); id >= 0 {
				dst = append(dst, termAt{at, id})
			}
		}
	}
	return dst
}

// page returns the vector of the whole page. It is valid until the reading is used
// again; the same holds for pageCounts and window.
func (s *space) page(r *pageReading, p *dowse.Page) text.Vector {
	v := s.pageCounts(r, p)
	s.weigh(v)
	return v
}

// pageCounts returns the counts of the whole page.
func (s *space) pageCounts(r *pageReading, p *dowse.Page) text.Vector {
	for _, h := range r.hits {
		r.touch(h.term).body++
	}
	for _, part := range heads(p) {
		r.spans = dowse.AppendWords(r.spans[:0], part, 0)
		r.heads = s.appendTerms(r.heads[:0], r, part, r.spans, nil)
		for _, h := range r.heads {
			r.touch(h.term).head++
		}
	}
	return s.counted(r)
}

// window returns the vector of the page's words w.Start up to w.End. Hits are ordered
// by word, so it costs a binary search and the window's own terms.
func (s *space) window(r *pageReading, w dowse.Span) text.Vector {
	for _, h := range r.within(w) {
		r.touch(h.term).body++
	}
	v := s.counted(r)
	s.weigh(v)
	return v
}

// within returns the terms of a window. Windows mostly follow each other on the page, so the search
// begins where the last window did.
func (r *pageReading) within(w dowse.Span) []termAt {
	first := min(r.at, len(r.hits))
	if first > 0 && r.hits[first-1].word >= w.Start {
		first = 0
	}
	from := first
	for n := first; n < len(r.hits) && r.hits[n].word < w.Start; n++ {
		if first = n + 1; first-from > nearWords {
			first += sort.Search(len(r.hits)-first, func(i int) bool { return r.hits[first+i].word >= w.Start })
			break
		}
	}
	r.at = first
	end := first
	for end < len(r.hits) && r.hits[end].word < w.End {
		end++
	}
	return r.hits[first:end]
}

// nearWords is how many terms are looked through for the beginning of a window before they are
// searched.
const nearWords = 64

// touch returns the tally of a term, and lists the term the first time.
func (r *pageReading) touch(term int32) *tally {
	t := &r.counts[term]
	if *t == (tally{}) {
		r.touched = append(r.touched, term)
	}
	return t
}

// counted returns the vector of all tallies, ordered by term number.
func (s *space) counted(r *pageReading) text.Vector {
	r.order()
	head := s.features.head()
	v := r.vector[:0]
	for _, id := range r.touched {
		t := r.counts[id]
		v = append(v, text.Entry{Term: id, Weight: float64(t.body) + float64(head*float64(t.head))})
	}
	r.vector = v
	return v
}

// order sorts the touched terms by the method that is fastest for their number:
// insertion sort for a window, the general sort for a few more, and a bit set for a
// whole page, which is linear.
func (r *pageReading) order() {
	switch n := len(r.touched); {
	case n <= 32:
		insert(r.touched)
		return
	case n < 48:
		slices.Sort(r.touched)
		return
	}
	for _, id := range r.touched {
		r.marks[id/64] |= 1 << (id % 64)
	}
	r.touched = r.touched[:0]
	for i, m := range r.marks {
		for ; m != 0; m &= m - 1 {
			r.touched = append(r.touched, int32(i*64+bits.TrailingZeros64(m)))
		}
		r.marks[i] = 0
	}
}

// insert is insertion sort. For the about 20 terms of a window it takes half the time
// of the general sort, which would be half of the cost of a window.
func insert(list []int32) {
	for i := 1; i < len(list); i++ {
		x, at := list[i], i
		for ; at > 0 && list[at-1] > x; at-- {
			list[at] = list[at-1]
		}
		list[at] = x
	}
}

func (r *pageReading) clear() {
	for _, id := range r.touched {
		r.counts[id] = tally{}
	}
	r.touched = r.touched[:0]
}

// damped returns 1 + ln(count), so that the tenth occurrence adds less than the
// second. Counts below 1 are treated as 1.
func damped(count float64) float64 {
	if count == 1 {
		return 1
	}
	return 1 + ln(max(count, 1))
}

// ln is math.Log, from a table for the small whole numbers that counts usually are.
// The table holds the values of math.Log, so results do not depend on the path.
func ln(x float64) float64 {
	if n := int(x); x >= 0 && x < float64(len(logs)) && float64(n) == x {
		return logs[n]
	}
	return math.Log(x)
}

var logs = func() (t [1024]float64) {
	for n := range t {
		t[n] = math.Log(float64(n))
	}
	return t
}()
