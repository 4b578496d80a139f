package treasure

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"dowse"
	"dowse/internal/text"
	"dowse/internal/tgraph"
	"dowse/strategy/input"
	"dowse/strategy/internal/lead"
	"dowse/strategy/internal/state"
)

// contextGraph follows links on pages that resemble those a few clicks from a target
// (Diligenti et al. 2000, the baseline of Seyfi and Patel 2015; SPEC C.8). A page is
// classified into a layer of the [tgraph.Graph] by naive Bayes over a few words, or into
// none if it is unlike all layers. Its links wait in the queue of that layer. The queue of
// the lowest layer that is not empty is served first, links with the highest posterior of
// their page first. Of several linking pages the one in the lowest layer counts.
type contextGraph struct {
	Terms int     `param:"terms" default:"40" help:"words by which layers are distinguished: those with the highest TF-IDF on targets and pages one click away; Diligenti et al. 2000"`
	Read  int     `param:"read" default:"1000" help:"words of a page that are read, from its beginning: as many as a T-Graph keeps; ours"`
	Slack float64 `param:"slack" default:"0" help:"by how much the mean log-likelihood of a word may be worse than in the layer's own worst page; ours"`

	Expand string `param:"expand" default:"link" help:"what is taken from a queue at a time: one link (link), or all links of its page (parent), as Diligenti et al. 2000 have it"`

	TGraph     *tgraph.Graph  // required, with the texts of its pages
	Vocabulary []string       // terms in place of the best; nil for none
	Analyzer   *text.Analyzer // takes the place of the T-Graph's language; nil for none

	layers   *layers
	reason   []string // by layer
	families families
}

// maxTerms bounds the vocabulary to what fits into the 16 bits of a code.
const maxTerms = 1 << 15

// The values of the parameter expand: what is taken from a queue at a time.
const (
	expandLink   = "link"
	expandParent = "parent"
)

// Check returns an error for a value of expand that does not exist.
func (s *contextGraph) Check() error {
	if s.Expand != "" && s.Expand != expandLink && s.Expand != expandParent {
		return fmt.Errorf("expand=%s: want %s or %s", s.Expand, expandLink, expandParent)
	}
	return nil
}

// Inputs returns the T-Graph as required.
func (s *contextGraph) Inputs() (required, used input.Kind) { return input.KindTGraph, 0 }

// Take sets the T-Graph, which must have the texts of its pages.
func (s *contextGraph) Take(in input.Inputs) error {
	if in.TGraph == nil {
		return errTGraph
	}
	if !slices.ContainsFunc(in.TGraph.Pages, func(p tgraph.Page) bool { return p.Text != "" }) {
		return errors.New("the T-Graph has no texts of pages: build it from a collection or a WARC")
	}
	s.TGraph = in.TGraph
	return nil
}

// begin trains the classifier when it is first needed, after the parameters were set.
func (s *contextGraph) begin() {
	if s.layers != nil {
		return
	}
	s.Analyzer = analyzerFor(s.Analyzer, s.TGraph)
	s.layers = newLayers(s.TGraph, s.Analyzer, s.Vocabulary, cmp.Or(s.Terms, 40), s.Slack)
	s.layers.length = max(cmp.Or(s.Read, 1000), 0)
	for i := range s.layers.theta {
		like := "on a page like those " + tgraph.Clicks(i) + " from a target"
		if i == 0 {
			like = "on a page like the targets"
		}
		s.reason = append(s.reason, like)
	}
	s.reason = append(s.reason, "on a page like none of the context graph")
}

// Traits states what is the same for a whole crawl.
func (s *contextGraph) Traits() dowse.Traits {
	return dowse.Traits{ReadsText: true}
}

// Start queues a single seed with the links of pages that are in no layer, as Diligenti et
// al. 2000 do. Of several seeds all but the first would then wait behind everything that
// the first leads to; several seeds therefore come before all links.
func (s *contextGraph) Start(seeds []dowse.URL) []dowse.Lead {
	s.begin()
	leads := lead.Seeds(seeds)
	if len(seeds) == 1 {
		leads[0].Priority, leads[0].Band = 0, s.band(s.layers.other())
	}
	return leads
}

// Follow classifies the page, and queues its links in the queue of its layer.
func (s *contextGraph) Follow(p *dowse.Page) []dowse.Lead {
	if p.Outcome != dowse.Fetched && p.Outcome != dowse.Listed {
		return nil
	}
	s.begin()
	layer, sure := s.layers.place(s.layers.readPage(p))
	because := []dowse.Because{{What: s.reason[layer], Weight: sure}}
	leads := make([]dowse.Lead, 0, len(p.Links))
	if s.Expand == expandParent {
		leads = s.families.release(leads, p)
		return s.families.follow(leads, p, dowse.Lead{Priority: sure, Band: s.band(layer), Because: because})
	}
	for i := range p.Links {
		if l := &p.Links[i]; l.Target.State != dowse.Visited {
			leads = append(leads, dowse.Lead{URL: l.URL, Priority: sure, Merge: dowse.Max, Band: s.band(layer), Because: because})
		}
	}
	return leads
}

// band returns the band of a layer's queue. With expand=parent, band 0 is left for released
// families.
func (s *contextGraph) band(layer int) int8 {
	if s.Expand == expandParent {
		layer++
	}
	return int8(layer)
}

// Save encodes which links wait together.
func (s *contextGraph) Save() ([]byte, error) { return state.SaveJSON(s.families) }

// Load restores what Save encoded.
func (s *contextGraph) Load(b []byte) error { return state.LoadJSON(b, &s.families) }

// layers is a multinomial naive Bayes classifier with one class per layer and equal priors.
// A page whose words are less likely, on average, than those of the layer's own worst
// training page belongs to no layer.
type layers struct {
	analyzer *text.Analyzer
	length   int // words read of a page
	term     map[string]int
	codes    *text.Codes[uint16] // of words: 0 for one whose term does not count, else its term and one

	theta [][]float64 // by layer and term
	ln    [][]float64 // of theta
	least []float64   // by layer: mean log-likelihood of a term, from which a page is in it

	count []float64
	joint []float64
}

// newLayers trains on the pages of a T-Graph. If vocabulary is nil the terms are chosen by
// TF-IDF. The cost is that of reading the graph's pages three times, at most 1,000 words
// each, once per crawl.
func newLayers(g *tgraph.Graph, a *text.Analyzer, vocabulary []string, terms int, slack float64) *layers {
	pages, _ := g.Levels()
	docs := make([][]string, len(g.Pages))
	for i := range g.Pages {
		docs[i] = a.Terms(g.Pages[i].Text)
	}
	if vocabulary == nil {
		vocabulary = topTerms(g, docs, terms)
	}
	vocabulary = vocabulary[:min(len(vocabulary), maxTerms)]
	y := &layers{analyzer: a, term: map[string]int{}, count: make([]float64, len(vocabulary)), joint: make([]float64, len(pages))}
	for i, t := range vocabulary {
		y.term[t] = i
	}
	y.codes = text.NewCodes(0, math.MaxUint16, y.code)
	y.train(g, docs, len(pages))
	y.limit(g, docs, slack)
	return y
}

// topTerms returns the n terms with the largest TF-IDF on the pages of layers 0 and 1,
// equal ones in alphabetical order. Document frequency is counted over all layers, so that
// terms of all layers are worth nothing.
func topTerms(g *tgraph.Graph, docs [][]string, n int) []string {
	in, near := map[string]float64{}, map[string]float64{}
	for i, terms := range docs {
		seen := map[string]bool{}
		for _, t := range terms {
			if !seen[t] {
				seen[t] = true
				in[t]++
			}
			if g.Pages[i].Level <= 1 {
				near[t]++
			}
		}
	}
	for t := range near {
		near[t] *= math.Log(float64(len(docs)) / in[t])
	}
	list := slices.Sorted(maps.Keys(near))
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(near[b], near[a]) })
	return list[:min(n, len(list))]
}

// train computes the probability of each term in each layer, with Laplace smoothing.
func (y *layers) train(g *tgraph.Graph, docs [][]string, n int) {
	counts, total := make([][]float64, n), make([]float64, n)
	for i := range counts {
		counts[i] = make([]float64, len(y.count))
	}
	for i, terms := range docs {
		layer := g.Pages[i].Level
		total[layer] += y.read(terms)
		for t, c := range y.count {
			counts[layer][t] += c
		}
	}
	for layer := range n {
		theta, ln := make([]float64, len(y.count)), make([]float64, len(y.count))
		for t := range theta {
			theta[t] = (1 + counts[layer][t]) / (float64(len(y.count)) + total[layer])
			ln[t] = math.Log(theta[t])
		}
		y.theta, y.ln = append(y.theta, theta), append(y.ln, ln)
	}
}

// limit sets the threshold of each layer: the lowest average log-likelihood per term of the
// layer's own pages, less the slack. A layer without pages gets an infinite threshold, so
// that no page is put into it.
func (y *layers) limit(g *tgraph.Graph, docs [][]string, slack float64) {
	y.least = make([]float64, len(y.theta))
	for i := range y.least {
		y.least[i] = math.Inf(1)
	}
	for i, terms := range docs {
		layer := g.Pages[i].Level
		if n := y.read(terms); n > 0 {
			y.least[layer] = min(y.least[layer], y.likelihood(layer)/n-slack)
		}
	}
}

// read counts the terms of the vocabulary in a list and returns their number.
func (y *layers) read(terms []string) (n float64) {
	clear(y.count)
	for _, t := range terms {
		if i, ok := y.term[t]; ok {
			y.count[i]++
			n++
		}
	}
	return n
}

// likelihood returns the logarithm of the probability that a layer gives to the terms that
// were read.
func (y *layers) likelihood(layer int) (sum float64) {
	for t, c := range y.count {
		if c > 0 {
			sum += float64(c * y.ln[layer][t])
		}
	}
	return sum
}

// code returns the term of the vocabulary that a word stands for: its number and one, 0 for
// none.
func (y *layers) code(word string) uint16 {
	if i, ok := y.term[y.analyzer.Term(word)]; ok {
		return uint16(i + 1)
	}
	return 0
}

// readPage counts the terms of the vocabulary on a page and returns their number. Words are
// looked up in a cache, so that most of them are not stemmed.
func (y *layers) readPage(p *dowse.Page) (n float64) {
	clear(y.count)
	for _, w := range p.Words[:min(len(p.Words), y.length)] {
		end := y.analyzer.WordEnd(p.Text, w)
		if text.Spaceless(p.Text[w.Start:end]) {
			n += y.readSpaceless(p.Text[w.Start:end])
			continue
		}
		if c := y.codes.In(p.Text, int(w.Start), end); c > 0 {
			y.count[c-1]++
			n++
		}
	}
	return n
}

// readSpaceless counts the terms of a run of a script without spaces, which is cut into
// pairs of characters as the training texts were.
func (y *layers) readSpaceless(run string) (n float64) {
	for _, part := range text.Bigrams(nil, run) {
		if c := y.code(part); c > 0 {
			y.count[c-1]++
			n++
		}
	}
	return n
}

// other returns the number of the layer for pages that are in none.
func (y *layers) other() int { return len(y.theta) }

// place returns the most probable layer of the page whose n terms were read, and its
// posterior among the layers. A page below the threshold of that layer, or without a term
// of the vocabulary, is in layer other.
func (y *layers) place(n float64) (layer int, sure float64) {
	if n == 0 {
		return y.other(), 0
	}
	for i := range y.joint {
		y.joint[i] = y.likelihood(i)
		if y.joint[i] > y.joint[layer] {
			layer = i
		}
	}
	sum := 0.0
	for _, l := range y.joint {
		sum += math.Exp(l - y.joint[layer])
	}
	if y.joint[layer]/n < y.least[layer]-1e-12 {
		return y.other(), 1 / sum
	}
	return layer, 1 / sum
}
