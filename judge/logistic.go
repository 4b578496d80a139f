package judge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"dowse"
	"dowse/internal/text"
)

// A Logistic trains logistic regression by stochastic gradient descent with one
// adaptive rate per weight (AdaGrad: Duchi, Hazan and Singer 2011). It can continue to
// learn, one label at a time, which is what a person who labels pages during a crawl
// needs: the other trainers start anew from all examples.
//
// Terms live in a table of fixed size, indexed by hash (feature hashing). Memory is
// bounded whatever pages contain, and a new word needs no new table. Two terms in one
// slot share a weight. A reason names those of them that the page has.
//
// Training accepts examples of one class only, or none at all; the verdicts then say
// little.
type Logistic struct {
	Language string  // for stems and stop words; default English
	Prefix   int     // stem by cutting words to so many letters; 0 uses the language's stemmer
	Head     float64 // count of a word in title or meta, against 1 in the text; default 2
	Slots    int     // size of the term table, a power of two up to 2^20; default 65,536
	Rate     float64 // learning rate; default 1, fitted on Wikispeedia's tuning topics
	Decay    float64 // L2 regularisation; default 1e-3, fitted likewise
	Epochs   int     // passes over the examples; default 10, fitted likewise
	Folds    int     // folds of the calibration; default 5
	Prior    float64 // expected share of on-topic pages among those judged; default 0.1, fitted likewise
	Seed     uint64  // random seed for the order of the examples
}

const (
	maxSlots    = 1 << 20
	onlineKind  = "logistic"
	firstSquare = 1e-2 // initial sum of squared gradients; keeps the first step finite
)

// withDefaults replaces zero fields by their defaults.
func (t Logistic) withDefaults() Logistic {
	t.Slots = cmp.Or(t.Slots, 1<<16)
	t.Rate = cmp.Or(t.Rate, 1)
	t.Decay = cmp.Or(t.Decay, 1e-3)
	t.Epochs = cmp.Or(t.Epochs, 10)
	t.Folds = cmp.Or(t.Folds, 5)
	t.Prior = cmp.Or(t.Prior, 0.1)
	return t
}

func (t Logistic) features() Features {
	return Features{Language: t.Language, Prefix: t.Prefix, Head: t.Head}
}

// Online is the judge that [Logistic] trains. It is safe for concurrent use: pages are
// judged concurrently, and Learn excludes them only while it changes weights.
type Online struct {
	mu sync.RWMutex
	*trained
	made  Logistic
	state *regression

	reading sync.Once
	reader  *trained // what judges pages: see dense; set by reading and by Learn
}

// Train returns an *[Online]. Its reasons add up on the scale of log-odds. The
// calibration needs two examples on topic and one off topic; without them the raw
// log-odds are used.
func (t Logistic) Train(examples []Example) (Model, error) {
	p, err := t.Read(examples)
	if err != nil {
		return nil, err
	}
	wanted := make([]bool, len(examples))
	for i := range examples {
		wanted[i] = examples[i].Relevant
	}
	return p.train(p.all(), wanted), nil
}

// untrained returns a judge with all weights 0, or an error for parameters out of
// range.
func (t Logistic) untrained() (*Online, error) {
	t = t.withDefaults()
	if !(t.Prior > 0 && t.Prior < 1) {
		return nil, fmt.Errorf("judge: logistic: prior is %g (want more than 0, less than 1)", t.Prior)
	}
	if t.Slots < 2 || t.Slots > maxSlots || t.Slots&(t.Slots-1) != 0 {
		return nil, fmt.Errorf("judge: logistic: %d slots (want a power of two from 2 to %d)", t.Slots, maxSlots)
	}
	state := newRegression(t.Slots)
	in := newHashedSpace(t.features(), t.Slots, state.weigh)
	j := &Online{made: t, state: state}
	j.trained = &trained{kind: onlineKind, threshold: Threshold, space: in, core: state, names: make([]string, t.Slots)}
	return j, nil
}

// newHashedSpace returns a space that contains every term, numbered by its hash modulo
// slots.
func newHashedSpace(f Features, slots int, weigh func(text.Vector)) *space {
	mask := uint64(slots - 1)
	s := &space{features: f, size: slots, weigh: weigh}
	s.id = func(term string) int32 { return int32(text.Hash(term) & mask) }
	s.start()
	return s
}

// nameAll records the terms of slots, for reasons and for saving. If two terms share a
// slot, the first one stays.
func (j *Online) nameAll(terms []string) {
	for _, t := range terms {
		if slot := j.space.id(t); j.names[slot] == "" {
			j.names[slot] = quoted(t)
			j.state.terms[slot] = t
		}
	}
}

// Judge returns the verdict on the page.
func (j *Online) Judge(p *dowse.Page) dowse.Verdict {
	v, _ := j.JudgeWindows(p, nil)
	return v
}

// JudgeWindows returns the verdict on the page, and the relevance of each window as a
// text of its own.
func (j *Online) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	j.reading.Do(func() { j.reader = j.dense() })
	return j.reader.JudgeWindows(p, windows)
}

// dense returns a judge with the same ratings and reasons, to the last digit, that has only
// the terms of the examples, numbered in the order of their slots. Its tables have some
// thousand entries in place of 65,536, so that they stay in the processor's cache while
// pages are fetched, stored and followed in between. The other terms add nothing: their
// weight in a vector is 0.
func (j *Online) dense() *trained {
	s := j.state
	var slots []int32
	var own []string
	part := &regression{docs: s.docs, idf: slices.Clone(s.idf), slope: s.slope, shift: s.shift}
	t := &trained{kind: j.kind, threshold: j.threshold, core: part}
	for slot, df := range s.df {
		if df > 0 {
			slots = append(slots, int32(slot))
			part.df, part.weights = append(part.df, df), append(part.weights, s.weights[slot])
			t.names, own = append(t.names, j.names[slot]), append(own, s.terms[slot])
		}
	}
	part.weights = append(part.weights, s.bias())
	mixed := make([]atomic.Uint64, (len(slots)+63)/64)
	t.space = &space{features: j.space.features, size: len(slots), weigh: part.weigh, own: own, mixed: mixed, id: func(term string) int32 {
		if at, ok := slices.BinarySearch(slots, j.space.id(term)); ok {
			return int32(at)
		}
		return -1
	}}
	t.space.start()
	return t
}

// Learn updates the judge with one more example, in about the time of reading it.
// Afterwards the judge rates the example at least 0.98 (or at most 0.02), unless the
// epochs do not suffice, and similar pages move by as much as they have in common with
// it.
func (j *Online) Learn(e Example) {
	p := e.page()
	r := j.space.open()
	defer j.space.release(r)
	j.space.read(r, p)
	counts := j.space.pageCounts(r, p)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.reading.Do(func() {})
	j.reader = j.trained // every further example would need a new dense form
	j.nameNew(r, p)
	j.state.learn(j.made, counts, e.Relevant)
	r.clear()
}

// nameNew records the terms of a page whose slots have no name yet.
func (j *Online) nameNew(r *pageReading, p *dowse.Page) {
	for _, h := range r.hits {
		if j.names[h.term] == "" {
			j.nameAll(j.space.analyzer.AppendTerms(nil, p.Text, p.Words[h.word:h.word+1]))
		}
	}
	for _, part := range heads(p) {
		j.nameAll(j.space.analyzer.Terms(part))
	}
}

// regression is the state of the judge. The rating is sigmoid(slope·(w·x + bias) +
// shift); slope and shift are the calibration. Slots of df, weights and squares
// correspond; weights and squares have the bias as one more entry at the end.
type regression struct {
	terms   []string  // by slot; "" if no term of an example has it
	weights []float64 // by slot, the bias last
	squares []float64 // sums of squared gradients, by slot, the bias last
	df      []int32   // examples with the term, by slot
	docs    [2]int    // examples seen: off topic, on topic
	idf     []float64 // rarity by df, for df up to maxRarity
	slope   float64
	shift   float64
}

func newRegression(slots int) *regression {
	return &regression{
		terms: make([]string, slots), weights: make([]float64, slots+1), squares: make([]float64, slots+1),
		df: make([]int32, slots), idf: []float64{0}, slope: 1,
	}
}

// set copies the state of another regression with the same number of slots.
func (s *regression) set(from *regression) {
	copy(s.terms, from.terms)
	copy(s.weights, from.weights)
	copy(s.squares, from.squares)
	copy(s.df, from.df)
	s.docs, s.slope, s.shift = from.docs, from.slope, from.shift
	s.reckon()
}

// weigh turns counts into (1 + ln count)·ln(1 + examples/df) and scales the vector to
// length 1. Terms that no example has get weight 0: nothing is known of them.
func (s *regression) weigh(v text.Vector) {
	for i := range v {
		v[i].Weight = damped(v[i].Weight) * s.rarity(int(s.df[v[i].Term]))
	}
	v.Normalize()
}

// touch loads what is known of terms into the processor's cache, see touchCounts.
//
//go:noinline
func (s *regression) touch(hits []termAt) (sum float64) {
	for _, h := range hits {
		sum += s.weights[h.term] + float64(s.df[h.term])
	}
	return sum
}

// rarity returns ln(1 + examples/df), the weight of a term that df examples have.
func (s *regression) rarity(df int) float64 {
	if df < len(s.idf) {
		return s.idf[df]
	}
	return ln(float64(s.docs[0]+s.docs[1]+df)) - ln(float64(df))
}

// see counts an example and its terms.
func (s *regression) see(counts text.Vector, wanted bool) {
	s.docs[side(wanted)]++
	for _, e := range counts {
		s.df[e.Term]++
	}
}

// maxRarity limits the precomputed rarities, since every example changes all of them.
const maxRarity = 256

// reckon precomputes the rarities of low document frequencies, which nearly all terms
// have. It must be called after see and before weigh.
func (s *regression) reckon() {
	all := s.docs[0] + s.docs[1]
	s.idf = append(s.idf[:0], 0)
	for df := 1; df <= min(all, maxRarity); df++ {
		s.idf = append(s.idf, ln(float64(all+df))-ln(float64(df)))
	}
}

// train makes t.Epochs passes over the examples, each in a new random order drawn from
// the seed.
func (s *regression) train(t Logistic, counts []text.Vector, wanted []bool) {
	for i, v := range counts {
		s.see(v, wanted[i])
	}
	s.reckon()
	x := make([]text.Vector, len(counts))
	for i, v := range counts {
		x[i] = slices.Clone(v)
		s.weigh(x[i])
	}
	rng := rand.New(rand.NewPCG(t.Seed, 0x6c6f67))
	for range t.Epochs {
		for _, i := range rng.Perm(len(x)) {
			s.step(t, x[i], wanted[i])
		}
	}
}

// sure is the log-odds (0.98 against 0.02) at which Learn considers an example learnt.
// It lies beyond the range in which a cascade asks its next judge.
const sure = 4

// learn updates the weights with one more example. It makes steps until the example is
// on its side by the margin sure, and no further. A page has hundreds of terms that
// were never seen, whose rates are still those of a first step; steps of full width
// would make every page that shares the commonest of them as certain as this one.
func (s *regression) learn(t Logistic, counts text.Vector, wanted bool) {
	s.see(counts, wanted)
	s.reckon()
	s.weigh(counts)
	for range t.Epochs {
		missing := s.missing(counts, wanted)
		if missing <= 0 {
			return
		}
		s.stepAtMost(t, counts, wanted, missing)
	}
}

// missing returns by how much w·x must still move for the example to reach the margin.
// Without a positive slope no step helps, and it returns 0.
func (s *regression) missing(v text.Vector, wanted bool) float64 {
	if s.slope <= 0 {
		return 0
	}
	z := s.logOdds(v)
	if !wanted {
		z = -z
	}
	return (sure - z) / s.slope
}

// stepAtMost makes a step that moves w·x of the example by at most the given amount: a
// full step, of which it keeps a share.
func (s *regression) stepAtMost(t Logistic, v text.Vector, wanted bool, most float64) {
	before := s.sum(v)
	kept := make([]float64, 0, len(v)+1)
	for _, e := range v {
		kept = append(kept, s.weights[e.Term])
	}
	bias := s.bias()
	s.step(t, v, wanted)
	moved := math.Abs(s.sum(v) - before)
	if moved <= most {
		return
	}
	share := most / moved
	for i, e := range v {
		s.weights[e.Term] = kept[i] + float64(share*(s.weights[e.Term]-kept[i]))
	}
	last := len(s.weights) - 1
	s.weights[last] = bias + float64(share*(s.weights[last]-bias))
}

// step moves the weights against the gradient of the log-loss of one example plus its
// share of the L2 penalty.
func (s *regression) step(t Logistic, v text.Vector, wanted bool) {
	off := sigmoid(s.sum(v)) - float64(side(wanted))
	for _, e := range v {
		if e.Weight != 0 {
			s.pull(t, int(e.Term), float64(off*e.Weight)+float64(t.Decay*s.weights[e.Term]))
		}
	}
	s.pull(t, len(s.weights)-1, off)
}

// pull moves one weight by Rate·g/√(firstSquare + Σg²): the more a weight has moved
// before, the less it moves now (AdaGrad). Common terms settle early while rare ones
// still learn.
func (s *regression) pull(t Logistic, slot int, gradient float64) {
	s.squares[slot] += float64(gradient * gradient)
	s.weights[slot] -= t.Rate * gradient / math.Sqrt(firstSquare+s.squares[slot])
}

func (s *regression) bias() float64 { return s.weights[len(s.weights)-1] }

func (s *regression) sum(v text.Vector) float64 { return s.bias() + v.DotDense(s.weights) }

// calibrate sets slope and shift from models that have not seen the examples they
// rate, and moves the probabilities from the examples' share of on-topic pages to
// t.Prior. A negative slope, which would turn the judge around, becomes 0.
func (s *regression) calibrate(t Logistic, counts []text.Vector, wanted []bool) {
	f := outOfFold(folds(wanted, t.Folds), t.Folds, func(from []int) func(int) float64 {
		part := newRegression(len(s.df))
		part.train(t, pick(counts, from), pick(wanted, from))
		return func(i int) float64 {
			v := slices.Clone(counts[i])
			part.weigh(v)
			return part.sum(v)
		}
	})
	p := Features{Prior: t.Prior}.calibration(f, wanted)
	s.slope, s.shift = max(-p.a, 0), -p.b
}

func (s *regression) logOdds(v text.Vector) float64 { return float64(s.slope*s.sum(v)) + s.shift }

func (s *regression) rate(v text.Vector) float64 { return sigmoid(s.logOdds(v)) }

// windowTerms is up to how many words rateFew is made for.
const windowTerms = 32

// rateFew is rate for the vector of a few words, without making the vector. It adds up the same
// numbers in the same order, that of the terms. A set of bits sorts them without comparing.
func (s *regression) rateFew(r *pageReading, hits []termAt) float64 {
	var again [windowTerms]int32 // terms of words that repeat one
	repeated := 0
	for _, h := range hits {
		at, bit := h.term>>6, uint64(1)<<(h.term&63)
		if r.marks[at]&bit != 0 {
			again[repeated] = h.term
			repeated++
		}
		r.marks[at] |= bit
		r.upper[at>>6] |= 1 << (at & 63)
	}
	var terms [windowTerms]int32
	var weights [windowTerms]float64
	n, length := 0, 0.0
	for i, upper := range r.upper {
		r.upper[i] = 0
		for ; upper != 0; upper &= upper - 1 {
			at := i<<6 | bits.TrailingZeros64(upper)
			marks := r.marks[at]
			r.marks[at] = 0
			for ; marks != 0; marks &= marks - 1 {
				term := int32(at<<6 | bits.TrailingZeros64(marks))
				x := s.rarity(int(s.df[term]))
				if repeated > 0 {
					x *= damped(float64(1 + occurrences(again[:repeated], term)))
				}
				terms[n&(windowTerms-1)], weights[n&(windowTerms-1)] = term, x
				length += float64(x * x)
				n++
			}
		}
	}
	sum := 0.0
	if length = math.Sqrt(length); length != 0 {
		for i, x := range weights[:n] {
			sum += float64(x / length * s.weights[terms[i]])
		}
	}
	return sigmoid(float64(s.slope*(s.bias()+sum)) + s.shift)
}

// occurrences returns how often a term is in a list.
func occurrences(list []int32, term int32) (n int) {
	for _, t := range list {
		if t == term {
			n++
		}
	}
	return n
}

func (s *regression) explain(v text.Vector, r *pageReading) (float64, string, []dowse.Because) {
	for _, e := range v {
		r.reasons.add(e.Term, s.slope*e.Weight*s.weights[e.Term])
	}
	base := dowse.Because{What: "bias", Weight: float64(s.slope*s.bias()) + s.shift}
	return s.rate(v), LogOdds, []dowse.Because{base}
}

// savedOnline is the saved form of the judge; terms are in alphabetical order.
type savedOnline struct {
	Language string       `json:"language,omitempty"`
	Prefix   int          `json:"prefix,omitempty"`
	Head     float64      `json:"head,omitempty"`
	Slots    int          `json:"slots"`
	Rate     float64      `json:"rate"`
	Decay    float64      `json:"decay"`
	Epochs   int          `json:"epochs"`
	Folds    int          `json:"folds"`
	Prior    float64      `json:"prior"`
	Seed     uint64       `json:"seed"`
	Examples [2]int       `json:"examples"` // off topic, on topic
	Slope    float64      `json:"slope"`
	Shift    float64      `json:"shift"`
	Bias     [2]float64   `json:"bias"` // weight and squares
	Terms    []savedEntry `json:"terms"`
}

type savedEntry struct {
	Term    string  `json:"term"`
	Weight  float64 `json:"weight"`
	Squares float64 `json:"squares"`
	DF      int32   `json:"df"`
}

// MarshalJSON returns the terms with their weights, and everything that is needed to
// continue learning.
func (j *Online) MarshalJSON() ([]byte, error) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	t, s := j.made, j.state
	last := len(s.weights) - 1
	v := savedOnline{
		Language: t.Language, Prefix: t.Prefix, Head: t.Head, Slots: t.Slots, Rate: t.Rate, Decay: t.Decay,
		Epochs: t.Epochs, Folds: t.Folds, Prior: t.Prior, Seed: t.Seed, Examples: s.docs, Slope: s.slope, Shift: s.shift,
		Bias: [2]float64{s.weights[last], s.squares[last]},
	}
	for slot, term := range s.terms {
		if term != "" {
			v.Terms = append(v.Terms, savedEntry{term, s.weights[slot], s.squares[slot], s.df[slot]})
		}
	}
	slices.SortFunc(v.Terms, func(a, b savedEntry) int { return cmp.Compare(a.Term, b.Term) })
	return json.Marshal(v)
}

func loadOnline(data []byte) (Model, error) {
	var v savedOnline
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	j, err := Logistic{
		Language: v.Language, Prefix: v.Prefix, Head: v.Head, Slots: v.Slots, Rate: v.Rate, Decay: v.Decay,
		Epochs: v.Epochs, Folds: v.Folds, Prior: v.Prior, Seed: v.Seed,
	}.untrained()
	if err != nil {
		return nil, err
	}
	return j, j.restore(&v)
}

// restore sets the state from a saved judge. It rejects two terms in one slot, which
// no saved judge has, and numbers out of range.
func (j *Online) restore(v *savedOnline) error {
	s := j.state
	s.docs, s.slope, s.shift = v.Examples, v.Slope, v.Shift
	last := len(s.weights) - 1
	s.weights[last], s.squares[last] = v.Bias[0], v.Bias[1]
	for _, e := range v.Terms {
		slot := j.space.id(e.Term)
		if j.names[slot] != "" || e.DF < 0 || e.Squares < 0 {
			return fmt.Errorf("term %q is invalid or shares a slot with another", e.Term)
		}
		j.nameAll([]string{e.Term})
		s.weights[slot], s.squares[slot], s.df[slot] = e.Weight, e.Squares, e.DF
	}
	if min(s.docs[0], s.docs[1]) < 0 || max(s.docs[0], s.docs[1]) > 1<<30 {
		return fmt.Errorf("number of examples %d is out of range", s.docs)
	}
	s.reckon()
	return sane(s.weights, s.squares, []float64{s.slope, s.shift})
}
