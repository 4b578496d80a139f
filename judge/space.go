package judge

import (
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"

	"dowse"
	"dowse/internal/text"
)

// What the memory of a space says of a word that is no term.
const (
	unknown int32 = -1
	several int32 = -2 // it is a run of words
)

// A space turns pages into vectors. It reads a page once; windows are cut from
// that reading. It does not change and may be used from many goroutines.
type space struct {
	features Features
	analyzer *text.Analyzer
	memo     *text.Memo[int32]   // word as written to term
	id       func(string) int32  // term to its number; negative for none
	weigh    func(v text.Vector) // counts to weights, in place
	size     int                 // numbers are below it
	words    *text.Vocabulary    // nil for a hashed space
	counts   bool                // weights are plain counts
	readings sync.Pool
}

// newSpace returns the space of a vocabulary, with TF-IDF weights or plain counts.
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

// start makes ready what depends on the rest. The analyzer remembers nothing, since
// it is asked only for what the space does not remember.
func (s *space) start() {
	s.analyzer = s.features.analyzer(-1)
	s.memo = text.NewMemo(memory, s.number)
	s.readings.New = func() any { return &pageReading{counts: make([]tally, s.size), marks: make([]uint64, (s.size+63)/64)} }
}

// number is what the memory remembers of a word.
func (s *space) number(word string) int32 {
	if text.Spaceless(word) {
		return several
	}
	t := s.analyzer.Term(word)
	if t == "" {
		return unknown
	}
	return s.id(t)
}

// vector returns a bag in the space.
func (s *space) vector(b bag) text.Vector {
	v := s.count(b)
	s.weigh(v)
	return v
}

// count returns the counts of a bag in the space.
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

// merged brings entries in order and adds up those of one term.
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

// A pageReading is the working memory of reading one page. Between pages all counts
// and marks are zero.
type pageReading struct {
	spans   []dowse.Span
	parts   []string
	hits    []termAt // terms of the text, in order
	heads   []termAt // terms of title or meta
	counts  []tally  // by term
	touched []int32  // terms with a count
	marks   []uint64 // a bit for each touched term, while they are put in order
	vector  text.Vector
	left    [3][]float64
	reasons reasons
}

// A termAt is a term of the space in the text, and the word it stands in.
type termAt struct{ word, term int32 }

// A tally is how often a term was found.
type tally struct{ body, head int32 }

func (s *space) open() *pageReading { return s.readings.Get().(*pageReading) }

// release gives a reading back, unless a giant page has blown it up.
func (s *space) release(r *pageReading) {
	if cap(r.hits) <= keepFinds && cap(r.spans) <= keepFinds && cap(r.parts) <= keepFinds {
		r.parts = r.parts[:0]
		s.readings.Put(r)
	}
}

// read finds the terms of the page's text.
func (s *space) read(r *pageReading, p *dowse.Page) {
	r.hits = s.appendTerms(r.hits[:0], r, p.Text, p.Words)
}

func (s *space) appendTerms(dst []termAt, r *pageReading, t string, words []dowse.Span) []termAt {
	for i, w := range words {
		word := s.analyzer.Word(t, w)
		id := s.memo.Of(word)
		if id >= 0 {
			dst = append(dst, termAt{int32(i), id})
		} else if id == several {
			dst = s.appendRun(dst, r, int32(i), word)
		}
	}
	return dst
}

// appendRun finds the terms of a word of a script without spaces. Pairs are looked
// up past the memory, which would take each for a run.
func (s *space) appendRun(dst []termAt, r *pageReading, at int32, word string) []termAt {
	r.parts = text.Bigrams(r.parts[:0], word)
	for _, part := range r.parts {
		if t := s.analyzer.Term(part); t != "" {
			if id := s.id(t); id >= 0 {
				dst = append(dst, termAt{at, id})
			}
		}
	}
	return dst
}

// page leaves in the reading the vector of the whole page.
func (s *space) page(r *pageReading, p *dowse.Page) text.Vector {
	v := s.pageCounts(r, p)
	s.weigh(v)
	return v
}

// pageCounts leaves in the reading the counts of the whole page.
func (s *space) pageCounts(r *pageReading, p *dowse.Page) text.Vector {
	for _, h := range r.hits {
		r.touch(h.term).body++
	}
	for _, part := range heads(p) {
		r.spans = dowse.AppendWords(r.spans[:0], part, 0)
		r.heads = s.appendTerms(r.heads[:0], r, part, r.spans)
		for _, h := range r.heads {
			r.touch(h.term).head++
		}
	}
	return s.counted(r)
}

// window leaves in the reading the vector of some of the page's words.
func (s *space) window(r *pageReading, w dowse.Span) text.Vector {
	first := sort.Search(len(r.hits), func(i int) bool { return r.hits[i].word >= w.Start })
	for _, h := range r.hits[first:] {
		if h.word >= w.End {
			break
		}
		r.touch(h.term).body++
	}
	v := s.counted(r)
	s.weigh(v)
	return v
}

func (r *pageReading) touch(term int32) *tally {
	t := &r.counts[term]
	if *t == (tally{}) {
		r.touched = append(r.touched, term)
	}
	return t
}

// counted returns what was counted, in order.
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

// order sorts the touched terms: the few of a window by inserting each in its place,
// more by comparing, many by marking them.
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

// insert sorts a short list. For the 20 terms of a window it takes half the time of
// the general sort, which is half of what a window costs.
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

// damped returns 1 + ln(count).
func damped(count float64) float64 {
	if count == 1 {
		return 1
	}
	return 1 + ln(max(count, 1))
}

// ln is the natural logarithm, at once for the small whole numbers that counts are.
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
