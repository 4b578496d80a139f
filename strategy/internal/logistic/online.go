package logistic

import (
	"cmp"
	"errors"
	"math"

	"dowse"
	"dowse/strategy/input"
	"dowse/strategy/internal/state"
)

// online learns during the crawl which links lead to the topic, by logistic regression
// with one gradient step per known outcome. It is our own design, not from a paper.
//
// The features of a link are the judge's ratings of the words around it and of its
// anchor; the relevance and number of the linking pages; how other links of these
// pages and other pages of the host turned out; and the words of anchor, window and
// URL. The initial weights make it behave like link-context.
//
// Memory is bounded: three times Features weights, tallies of the last 16,384 pages
// and of up to 16,384 hosts, and 2,000 leads to rate again. A link costs about 50
// features.
type online struct {
	Rate     float64 `param:"rate" default:"0.3" help:"size of the first steps of learning; steps get smaller where much was learnt; ours"`
	Prior    float64 `param:"prior" default:"3" help:"how much the ratings of judge and linking pages count at the beginning; ours"`
	Link     float64 `param:"link" default:"0.5" help:"weight of an example that is a link to a visited page, against the visit itself; ours"`
	Words    int     `param:"words" default:"20" help:"words around a link, its anchor included; ours"`
	Features int     `param:"features" default:"65536" max:"65536" help:"weights of words, in each of three places; words share them by hash; ours"`
	Refresh  int     `param:"refresh" default:"20" min:"-1" help:"waiting leads rated again after a page; -1 for none; ours"`
	Language string  `param:"language" default:"en" help:"of stems and stop words, as in BCP 47; ours"`

	learner
	weights []weight // sigCount signals, then Features words per place
	x       []feature
}

// A weight is the coefficient of a feature (W) and the sum of its squared gradients
// (G), which sets its step size.
type weight struct{ W, G float64 }

// A feature is the index of a weight and the feature's value.
type feature struct {
	at int
	x  float64
}

const (
	maxFeatures = 1 << 16
	steepest    = 5   // limit of a weight's magnitude
	firstSum    = 0.1 // initial sum of squared gradients
)

// The signals: features of a link other than words. Those before sigFixed depend on the
// clues alone.
const (
	sigBase = iota
	sigContext
	sigAnchor
	sigParent
	sigParents
	sigLinks
	sigFixed

	sigSiblings = iota - 1
	sigHost
	sigCount
)

// The reasons, signals first, then words by place.
var onlineSays = []string{
	"what is usual", "ratings of the link's words", "linking pages", "other links of the linking pages", "other pages of the host",
	"words of the anchor", "words around the link", "words of the URL",
}

const onlineReasons = 8

// signalGroup maps a signal to its reason in onlineSays.
var signalGroup = [sigCount]int{sigBase: 0, sigContext: 1, sigAnchor: 1, sigParent: 2, sigParents: 2, sigLinks: 2, sigSiblings: 3, sigHost: 4}

// Inputs returns the input that the strategy uses: the language of the topic.
func (s *online) Inputs() (required, used input.Kind) { return 0, input.KindLanguage }

// Take sets the language to that of the topic, unless a parameter gave one.
func (s *online) Take(in input.Inputs) error {
	s.Language = cmp.Or(s.Language, in.Language)
	return nil
}

// begin sets up what the parameters determine. Every entry point calls it, because a
// strategy is a plain struct without a constructor.
func (s *online) begin() *learner {
	if s.codes == nil {
		m := manner{form: onlineForm, says: onlineSays, link: cmp.Or(s.Link, 0.5), refresh: max(cmp.Or(s.Refresh, 20), 0), still: -1, passes: 1}
		s.open(s, m, s.Language, func(_, term string) uint16 { return codeOf(term) })
		s.weights = make([]weight, sigCount+placeCount*s.features())
		s.prior()
	}
	return &s.learner
}

func (s *online) features() int { return cmp.Or(s.Features, maxFeatures) }

// prior sets the initial weights, which rank links much like link-context does.
func (s *online) prior() {
	w, prior := s.weights, cmp.Or(s.Prior, 3)
	w[sigBase].W = -1
	w[sigContext].W = prior
	w[sigAnchor].W = prior / 3
	w[sigParent].W = prior / 3
	w[sigSiblings].W = prior / 3
}

// Traits states what is the same for a whole crawl.
func (s *online) Traits() dowse.Traits {
	return dowse.Traits{Window: cmp.Or(s.Words, 20), Anchors: true, ReadsText: true}
}

// Start queues the seeds before all else.
func (s *online) Start(seeds []dowse.URL) []dowse.Lead { return s.begin().start(seeds) }

// Follow learns from the outcome of the visit, and then rates the page's links with
// the new weights.
func (s *online) Follow(p *dowse.Page) []dowse.Lead { return s.begin().follow(p) }

// Rescore returns the priority of a lead with the present weights. A lead of another
// strategy keeps its own.
func (s *online) Rescore(l dowse.Lead) float64 { return s.begin().rescore(l) }

// Explain returns the reasons for the priority that Rescore returns.
func (s *online) Explain(l dowse.Lead) []dowse.Because {
	parts, ok := s.begin().partsOf(l)
	if !ok {
		return nil
	}
	return s.because(nil, parts, -1)
}

// fix computes the signals that depend on the clues alone.
func (s *online) fix(x *[mostFixed]float64, k *clues) {
	x[sigBase], x[sigContext], x[sigAnchor] = 1, logit(k.context), logit(k.anchor)
	x[sigParent], x[sigParents], x[sigLinks] = k.best, k.per(k.sum), math.Log1p(float64(k.links))/3
}

// gatherFeatures sets s.x to the features of a link. Rates of siblings and host are
// relative to the mean of all pages, so that they are 0 where nothing is known.
func (s *online) gatherFeatures(e *link) {
	s.x = s.x[:0]
	for i, x := range e.fixed[:sigFixed] {
		s.x = append(s.x, feature{i, x})
	}
	base := s.base.mean(0.1)
	usual := logit(base)
	siblings := cell{}
	for _, page := range e.pages[:e.n] {
		siblings.add(*s.ring.page(page))
	}
	s.x = append(s.x, feature{sigSiblings, logit(siblings.mean(base)) - usual})
	s.x = append(s.x, feature{sigHost, logit(s.places.of(e.host).mean(base)) - usual})
	for place := range placeCount {
		s.addWords(place, e.words(place))
	}
}

// addWords adds the words of a place as features. Together they have length 1, so that a
// long anchor does not count more than a short one.
func (s *online) addWords(place int, codes []uint16) {
	if len(codes) == 0 {
		return
	}
	x, n := 1/math.Sqrt(float64(len(codes))), s.features()
	for _, c := range codes {
		s.x = append(s.x, feature{sigCount + place*n + int(c)%n, x})
	}
}

// parts returns the contributions of a link's features, summed by reason.
func (s *online) parts(e *link) (sums parts) {
	s.gatherFeatures(e)
	n := s.features()
	for _, f := range s.x {
		var group int
		if f.at < sigCount {
			group = signalGroup[f.at]
		} else {
			group = onlineReasons - placeCount + (f.at-sigCount)/n
		}
		sums[group] += float64(f.x * s.weights[f.at].W)
	}
	return sums
}

// learn makes one gradient step: the link led to a page of relevance r. The step size of a
// weight falls with the sum of its squared gradients (AdaGrad: Duchi, Hazan and Singer
// 2011). by is the weight of the example.
func (s *online) learn(e *link, r, by float64) {
	s.gatherFeatures(e)
	z := 0.0
	for _, f := range s.x {
		z += float64(f.x * s.weights[f.at].W)
	}
	miss := by * (r - 1/(1+math.Exp(-z)))
	rate := cmp.Or(s.Rate, 0.3)
	for _, f := range s.x {
		w := &s.weights[f.at]
		g := miss * f.x
		w.G += float64(g * g)
		w.W = bounded(w.W + float64(rate*g/math.Sqrt(firstSum+w.G)))
	}
}

// bounded limits the magnitude of a weight.
func bounded(w float64) float64 { return max(-steepest, min(w, steepest)) }

// read does nothing: online learns from links alone.
func (s *online) read(*dowse.Page) {}

// onlineState is what was learnt, in the form in which it is saved.
type onlineState struct {
	Weights []weight
	Base    cell
	Pages   []cell
	Next    uint32
	Hosts   []hostCell
	Kept    []keptLead
	Turn    int
	Hand    int
}

// Save returns the weights, the tallies and the waiting leads.
func (s *online) Save() ([]byte, error) {
	s.begin()
	return state.SaveBinary(&onlineState{
		Weights: s.weights, Base: s.base, Pages: s.ring.pages, Next: s.ring.next, Hosts: s.places,
		Kept: s.waiting.list, Turn: s.waiting.turn, Hand: s.waiting.hand,
	})
}

// Load restores what Save returned. The number of features must be the same.
func (s *online) Load(b []byte) error {
	s.begin()
	var saved onlineState
	if err := state.LoadBinary(b, &saved); err != nil {
		return err
	}
	if len(saved.Weights) != len(s.weights) || len(saved.Pages) != lastPages || len(saved.Hosts) != tableSize {
		return errors.New("strategy: load: saved state has another number of features")
	}
	s.weights, s.base, s.ring, s.places = saved.Weights, saved.Base, ring{saved.Pages, saved.Next}, saved.Hosts
	s.restore(saved.Kept, saved.Turn, saved.Hand)
	return nil
}
