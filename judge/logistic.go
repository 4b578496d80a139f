package judge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"dowse"
	"dowse/internal/text"
)

// A Logistic trains logistic regression by small steps, so that it can go on
// learning, one label at a time. Terms live in a table of fixed size by their hash:
// memory is bounded whatever pages say, and a new word needs no new table.
//
// It may be trained on examples of one kind, or on none, and then says what little
// it knows.
type Logistic struct {
	Language string  // for stems and stop words; "" means English
	Prefix   int     // stem to so many letters; 0 means the language's stemmer
	Head     float64 // what a word in title or meta counts; 0 means 2
	Slots    int     // of the table of terms, a power of two; 0 means 65,536
	Rate     float64 // of learning; 0 means 1, fitted on Wikispeedia's tuning topics
	Decay    float64 // pull of a weight towards 0; 0 means 1e-3, fitted likewise
	Epochs   int     // passes over the examples; 0 means 10, fitted likewise
	Folds    int     // of the calibration; 0 means 5
	Prior    float64 // share of the pages to be judged that are on topic; 0 means 0.1, fitted likewise
	Seed     uint64  // of the order of the examples
}

const (
	maxSlots    = 1 << 20
	onlineKind  = "logistic"
	firstSquare = 1e-2 // of the gradients, to begin with
)

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

// Online is the judge that [Logistic] trains. It may be asked from many goroutines
// while it learns.
type Online struct {
	mu sync.RWMutex
	*trained
	made  Logistic
	state *regression
}

// Train makes the judge, an *[Online]. Its reasons add up on the scale of log-odds.
func (t Logistic) Train(examples []Example) (Model, error) {
	j, err := t.untrained()
	if err != nil {
		return nil, err
	}
	s := t.features().sample(examples)
	counts := make([]text.Vector, len(s.bags))
	for i, b := range s.bags {
		counts[i] = j.space.count(b)
		j.nameAll(b.terms)
	}
	j.state.train(j.made, counts, s.wanted)
	if wantedIn(s.wanted, s.all()) > 1 && bothKinds(examples) == nil {
		j.state.calibrate(j.made, counts, s.wanted)
	}
	return j, nil
}

func (t Logistic) untrained() (*Online, error) {
	t = t.withDefaults()
	if !(t.Prior > 0 && t.Prior < 1) {
		return nil, fmt.Errorf("judge: logistic: a prior of %g", t.Prior)
	}
	if t.Slots < 2 || t.Slots > maxSlots || t.Slots&(t.Slots-1) != 0 {
		return nil, fmt.Errorf("judge: logistic: %d slots: a power of two up to %d is needed", t.Slots, maxSlots)
	}
	state := newRegression(t.Slots)
	in := newHashedSpace(t.features(), t.Slots, state.weigh)
	j := &Online{made: t, state: state}
	j.trained = &trained{kind: onlineKind, threshold: Threshold, space: in, core: state, names: make([]string, t.Slots)}
	return j, nil
}

// newHashedSpace returns the space of all terms, numbered by their hash.
func newHashedSpace(f Features, slots int, weigh func(text.Vector)) *space {
	mask := uint64(slots - 1)
	s := &space{features: f, size: slots, weigh: weigh}
	s.id = func(term string) int32 { return int32(text.Hash(term) & mask) }
	s.start()
	return s
}

// nameAll remembers the terms by their slots. Of two in one slot the first stays.
func (j *Online) nameAll(terms []string) {
	for _, t := range terms {
		if slot := j.space.id(t); j.names[slot] == "" {
			j.names[slot] = quoted(t)
			j.state.terms[slot] = t
		}
	}
}

// Judge rates the page.
func (j *Online) Judge(p *dowse.Page) dowse.Verdict {
	v, _ := j.JudgeWindows(p, nil)
	return v
}

// JudgeWindows rates the page, and each window as a text of its own.
func (j *Online) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.trained.JudgeWindows(p, windows)
}

// Learn takes in one more example, in about the time of reading it. Afterwards the
// judge is 0.98 sure of it, if it was not before, and pages like it move along by
// as much as they have in common.
func (j *Online) Learn(e Example) {
	p := e.page()
	r := j.space.open()
	defer j.space.release(r)
	j.space.read(r, p)
	counts := j.space.pageCounts(r, p)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.nameNew(r, p)
	j.state.learn(j.made, counts, e.Relevant)
	r.clear()
}

// nameNew remembers the terms of a page whose slots have no name yet.
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

// regression is the state of the judge. Its scale is log-odds: what it has learnt,
// stretched and shifted by the calibration.
type regression struct {
	terms   []string  // by slot; "" for a slot without
	weights []float64 // by slot, the bias last
	squares []float64 // of the gradients so far, by slot, the bias last
	df      []int32   // examples with the term, by slot
	docs    [2]int    // examples: others, on topic
	idf     []float64 // by df, as far as it is kept
	slope   float64
	shift   float64
}

func newRegression(slots int) *regression {
	return &regression{
		terms: make([]string, slots), weights: make([]float64, slots+1), squares: make([]float64, slots+1),
		df: make([]int32, slots), idf: []float64{0}, slope: 1,
	}
}

// set takes over the state of another of the same size.
func (s *regression) set(from *regression) {
	copy(s.terms, from.terms)
	copy(s.weights, from.weights)
	copy(s.squares, from.squares)
	copy(s.df, from.df)
	s.docs, s.slope, s.shift = from.docs, from.slope, from.shift
	s.reckon()
}

// weigh turns counts into (1 + ln count)·ln(1 + examples/df), of length 1. Terms
// that no example has weigh nothing.
func (s *regression) weigh(v text.Vector) {
	for i := range v {
		v[i].Weight = damped(v[i].Weight) * s.rarity(int(s.df[v[i].Term]))
	}
	v.Normalize()
}

// rarity returns the weight of a term that is in so many examples.
func (s *regression) rarity(df int) float64 {
	if df < len(s.idf) {
		return s.idf[df]
	}
	return ln(float64(s.docs[0]+s.docs[1]+df)) - ln(float64(df))
}

// see counts an example.
func (s *regression) see(counts text.Vector, wanted bool) {
	s.docs[side(wanted)]++
	for _, e := range counts {
		s.df[e.Term]++
	}
}

// maxRarity bounds the rarities that are kept, since each example changes them all.
const maxRarity = 256

// reckon makes the rarities of the most frequent cases ready, after examples have
// been seen.
func (s *regression) reckon() {
	all := s.docs[0] + s.docs[1]
	s.idf = append(s.idf[:0], 0)
	for df := 1; df <= min(all, maxRarity); df++ {
		s.idf = append(s.idf, ln(float64(all+df))-ln(float64(df)))
	}
}

// train goes over the examples several times, in a shuffled order.
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

// sure is the log-odds, 0.98 against 0.02, at which a lesson is learnt: beyond what a
// topic asks somebody else about.
const sure = 4

// learn takes in one more example. It goes on until the example is on its side and
// sure, and no further: the terms of a page that were never seen before are hundreds,
// and steps as wide as those of the training would make every page that shares the
// commonest of them as sure.
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

// missing returns by how much the sum of an example must still move to its side.
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

// stepAtMost makes a step that moves the sum of the example by no more than so much.
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

// step moves the weights against the gradient of one example, each by a rate that
// falls with what it has moved before (Duchi, Hazan and Singer 2011).
func (s *regression) step(t Logistic, v text.Vector, wanted bool) {
	off := sigmoid(s.sum(v)) - float64(side(wanted))
	for _, e := range v {
		if e.Weight != 0 {
			s.pull(t, int(e.Term), float64(off*e.Weight)+float64(t.Decay*s.weights[e.Term]))
		}
	}
	s.pull(t, len(s.weights)-1, off)
}

func (s *regression) pull(t Logistic, slot int, gradient float64) {
	s.squares[slot] += float64(gradient * gradient)
	s.weights[slot] -= t.Rate * gradient / math.Sqrt(firstSquare+s.squares[slot])
}

func (s *regression) bias() float64 { return s.weights[len(s.weights)-1] }

func (s *regression) sum(v text.Vector) float64 { return s.bias() + v.DotDense(s.weights) }

// calibrate stretches and shifts the scale by what models say that have not seen
// the example, and from the share of examples on topic to that of pages.
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

func (s *regression) explain(v text.Vector, r *pageReading) (float64, string, []dowse.Because) {
	for _, e := range v {
		r.reasons.add(e.Term, s.slope*e.Weight*s.weights[e.Term])
	}
	base := dowse.Because{What: "bias", Weight: float64(s.slope*s.bias()) + s.shift}
	return s.rate(v), LogOdds, []dowse.Because{base}
}

// savedOnline is how the judge is written down: terms by alphabet.
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
	Examples [2]int       `json:"examples"` // others, on topic
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

// MarshalJSON writes down the terms and their weights, and what is needed to go on
// learning.
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

func (j *Online) restore(v *savedOnline) error {
	s := j.state
	s.docs, s.slope, s.shift = v.Examples, v.Slope, v.Shift
	last := len(s.weights) - 1
	s.weights[last], s.squares[last] = v.Bias[0], v.Bias[1]
	for _, e := range v.Terms {
		slot := j.space.id(e.Term)
		if j.names[slot] != "" || e.DF < 0 || e.Squares < 0 {
			return fmt.Errorf("the term %q", e.Term)
		}
		j.nameAll([]string{e.Term})
		s.weights[slot], s.squares[slot], s.df[slot] = e.Weight, e.Squares, e.DF
	}
	if min(s.docs[0], s.docs[1]) < 0 || max(s.docs[0], s.docs[1]) > 1<<30 {
		return fmt.Errorf("%d examples", s.docs)
	}
	s.reckon()
	return sane(s.weights, s.squares, []float64{s.slope, s.shift})
}
