package judge

import (
	"math"
	"slices"

	"dowse"
	"dowse/internal/text"
)

// Features selects how a trained judge represents a page: as a sparse vector of
// weighted terms. The zero value is the representation of Wang et al. 2009: the 2,000
// terms with the highest chi-square, weighted by TF-IDF, in vectors of length 1.
type Features struct {
	Language string  // for stems and stop words; default English
	Prefix   int     // stem by cutting words to so many letters; 0 uses the language's stemmer
	Terms    int     // terms to keep, by chi-square; default 2,000 (Wang et al. 2009); negative keeps all
	Head     float64 // count of a word in title or meta, against 1 in the text; default 2 (Taylan et al. 2011)
	Damp     bool    // use 1 + ln(count) instead of the count
	Raw      bool    // do not scale vectors to length 1
	Prior    float64 // expected share of on-topic pages among those judged; 0 takes the examples' share
}

const (
	defaultTerms = 2000
	defaultHead  = 2
)

// analyzer returns the analyzer that turns text into terms; memory is the number of
// words whose term it remembers, see text.Options.
func (f Features) analyzer(memory int) *text.Analyzer {
	o := text.Options{Language: f.Language, Memory: memory}
	if f.Prefix > 0 {
		o.Stem = text.Prefix(f.Prefix)
	}
	return text.NewAnalyzer(o)
}

func (f Features) head() float64 {
	if f.Head == 0 {
		return defaultHead
	}
	return f.Head
}

// A bag is a page as terms in alphabetical order, each once, with its weighted count.
// Sorted, so that no order of a map reaches a sum of floating-point numbers: training
// is reproducible to the last bit.
type bag struct {
	terms  []string
	counts []float64
}

// A sample is a set of examples as bags; the slices are parallel. Examples are read
// once, and cross-validation then works on numbers of examples.
type sample struct {
	Features
	bags   []bag
	wanted []bool
	sites  []string
}

// sample reads the examples into bags.
func (f Features) sample(examples []Example) *sample {
	r := newBagReader(f.analyzer(0), f.head())
	s := &sample{Features: f}
	for i := range examples {
		s.bags = append(s.bags, r.read(examples[i].page()))
		s.wanted = append(s.wanted, examples[i].Relevant)
		s.sites = append(s.sites, examples[i].site())
	}
	return s
}

// A bagReader counts the terms of pages; a term in title, description or keywords counts
// head times.
type bagReader struct {
	analyzer *text.Analyzer
	head     float64
	terms    []string           // of a page
	counts   map[string]float64 // of a page
}

func newBagReader(a *text.Analyzer, head float64) *bagReader {
	return &bagReader{analyzer: a, head: head, counts: map[string]float64{}}
}

// read returns the terms of a page and their counts.
func (r *bagReader) read(p *dowse.Page) bag {
	clear(r.counts)
	r.terms = r.analyzer.AppendTerms(r.terms[:0], p.Text, p.Words)
	for _, t := range r.terms {
		r.counts[t]++
	}
	for _, part := range heads(p) {
		for _, t := range r.analyzer.Terms(part) {
			r.counts[t] += r.head
		}
	}
	b := bag{terms: make([]string, 0, len(r.counts)), counts: make([]float64, len(r.counts))}
	for t := range r.counts {
		b.terms = append(b.terms, t)
	}
	slices.Sort(b.terms)
	for i, t := range b.terms {
		b.counts[i] = r.counts[t]
	}
	return b
}

// heads returns what the author declares the page to be about: title, description and
// keywords, each cut to the length that judges read.
func heads(p *dowse.Page) [3]string {
	return [...]string{head(p.Title, maxTitle), head(p.Description, maxMeta), head(p.Keywords, maxMeta)}
}

// all returns the numbers of all examples.
func (s *sample) all() []int {
	list := make([]int, len(s.bags))
	for i := range list {
		list[i] = i
	}
	return list
}

// vocabulary selects the terms that best separate the given examples, by chi-square.
// Trainers select it once, from all examples; the cross-validation that they calibrate
// with uses the same terms for every fold.
func (s *sample) vocabulary(of []int) *text.Vocabulary {
	var c text.Census
	for _, i := range of {
		c.Add(s.bags[i].terms, s.wanted[i])
	}
	switch {
	case s.Terms < 0:
		return c.Vocabulary()
	case s.Terms == 0:
		return c.Best(defaultTerms)
	}
	return c.Best(s.Terms)
}

// space returns the vector space of a vocabulary with TF-IDF weights.
func (s *sample) space(v *text.Vocabulary) *space {
	return newSpace(s.Features, v, true)
}

// vectors returns the examples as vectors of a space.
func (s *sample) vectors(in *space) []text.Vector {
	list := make([]text.Vector, len(s.bags))
	for i := range list {
		list[i] = in.vector(s.bags[i])
	}
	return list
}

// calibration fits probabilities to the decision values of left-out examples, see
// [platt], and then moves them from the share of on-topic examples to the share
// expected among pages (f.Prior). Trainers must pass values from models that have not
// seen the example: those of training examples lie too far from 0.
func (f Features) calibration(decisions []float64, wanted []bool) platt {
	p := fitPlatt(decisions, wanted)
	if f.Prior > 0 {
		p.b -= priorShift(f.Prior, wanted)
	}
	return p
}

// priorShift returns by how much the log-odds change if the share of on-topic pages is
// the prior and not that of the examples:
//
//	ln(prior/(1-prior)) - ln(on/off)
//
// This is Bayes' rule with another prior and the same likelihoods.
func priorShift(prior float64, wanted []bool) float64 {
	on := 0.0
	for _, w := range wanted {
		on += float64(side(w))
	}
	return math.Log(prior/(1-prior)) - math.Log(on/(float64(len(wanted))-on))
}

// signs returns +1 for each example on topic and -1 for the others.
func signs(wanted []bool) []float64 {
	y := make([]float64, len(wanted))
	for i, w := range wanted {
		y[i] = -1
		if w {
			y[i] = 1
		}
	}
	return y
}

// pick returns the elements with the given numbers.
func pick[T any](list []T, numbers []int) []T {
	picked := make([]T, len(numbers))
	for i, n := range numbers {
		picked[i] = list[n]
	}
	return picked
}
