package judge

import (
	"math"
	"slices"

	"dowse"
	"dowse/internal/text"
)

// Features says how a trained judge sees a page: as a vector of weighted terms.
type Features struct {
	Language string  // for stems and stop words; "" means English
	Prefix   int     // stem to so many letters; 0 means the language's stemmer
	Terms    int     // kept by chi-square; 0 means 2,000, Wang et al. 2009; negative all
	Head     float64 // what a word in title or meta counts; 0 means 2, Taylan et al. 2011
	Damp     bool    // count 1 + ln(count) in place of count
	Raw      bool    // keep the length of vectors, which else are scaled to 1
	Prior    float64 // share of the pages to be judged that are on topic; 0 means that of the examples
}

const (
	defaultTerms = 2000
	defaultHead  = 2
)

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

// A bag is a page as terms: each once, by alphabet, with its weighted count.
type bag struct {
	terms  []string
	counts []float64
}

// A sample is a set of examples as bags.
type sample struct {
	Features
	bags   []bag
	wanted []bool
	sites  []string
}

// sample reads the examples.
func (f Features) sample(examples []Example) *sample {
	a := f.analyzer(0)
	s := &sample{Features: f}
	for i := range examples {
		s.bags = append(s.bags, readBag(a, examples[i].page(), f.head()))
		s.wanted = append(s.wanted, examples[i].Relevant)
		s.sites = append(s.sites, examples[i].site())
	}
	return s
}

func readBag(a *text.Analyzer, p *dowse.Page, head float64) bag {
	counts := map[string]float64{}
	terms := a.AppendTerms(nil, p.Text, p.Words)
	for _, t := range terms {
		counts[t]++
	}
	for _, part := range heads(p) {
		for _, t := range a.Terms(part) {
			counts[t] += head
		}
	}
	b := bag{terms: make([]string, 0, len(counts))}
	for t := range counts {
		b.terms = append(b.terms, t)
	}
	slices.Sort(b.terms)
	for _, t := range b.terms {
		b.counts = append(b.counts, counts[t])
	}
	return b
}

// heads returns what the author says a page is about, each as far as it is read.
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

// vocabulary returns the terms that tell the given examples apart best.
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

// space returns the space of a vocabulary with TF-IDF weights.
func (s *sample) space(v *text.Vocabulary) *space {
	return newSpace(s.Features, v, true)
}

// vectors returns the examples in a space.
func (s *sample) vectors(in *space) []text.Vector {
	list := make([]text.Vector, len(s.bags))
	for i := range list {
		list[i] = in.vector(s.bags[i])
	}
	return list
}

// calibration fits probabilities to decision values of examples, and moves them from
// the share of examples on topic to that of pages.
func (f Features) calibration(decisions []float64, wanted []bool) platt {
	p := fitPlatt(decisions, wanted)
	if f.Prior > 0 {
		p.b -= priorShift(f.Prior, wanted)
	}
	return p
}

// priorShift returns what the log-odds change by if not the share of the examples
// but the prior is on topic.
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
