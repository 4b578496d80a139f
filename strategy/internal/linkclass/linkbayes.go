package linkclass

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"dowse"
	"dowse/judge"
	"dowse/strategy/input"
	"dowse/strategy/internal/state"
)

// LinkBayes are the parameters and the state of rating links of relevant pages by naive
// Bayes over the terms of anchor and URL (Taylan et al. 2011, eqs 5 to 7; SPEC C.6).
//
// It learns from links with known outcomes. These are given, or they are links of the seed
// pages, which are then visited first, within the budget of the crawl; pages that arrive
// meanwhile are kept until there is a model. If all outcomes are of one class there is no
// model, and links of relevant pages are ordered by their score as in [NewLSFC]. Links of
// irrelevant pages always are.
//
// A link that is admitted by its probability comes before all links that only have a score.
type LinkBayes struct {
	Train       int     `param:"train" default:"64" min:"-1" help:"links of seed pages to learn from first; -1 for none; Taylan et al. 2011"`
	Vocabulary  int     `param:"vocabulary" default:"100000" help:"words known of links; later ones are ignored; ours"`
	ReuseWeight float64 `param:"reuse-weight" default:"1" max:"1" help:"weight of what an earlier crawl has learnt, 0 to 1; after Aggarwal 2004, the weight is ours"`
	LinkScoring

	Links []input.LabelledLink // to learn from, in place of links of seed pages; nil for none

	by    policy
	links *scorer
	model judge.MultinomialBags
	state linkBayesState
	terms []string
	known []weighted
}

// A policy holds the differences between the naive Bayes strategies.
type policy struct {
	least float64 // probability from which links are followed
	learn lesson
	rate  float64 // probability from which the model is sure
}

// A lesson selects which links are learnt from during the crawl.
type lesson uint8

const (
	nothing  lesson = iota
	certain         // those about which the model is sure already
	verified        // those whose page was visited
)

// linkBayesState is what is saved, besides the model. Its fields are a file format.
type linkBayesState struct {
	Training training
	Lessons  judge.MultinomialCounts // only when saved
	Pending  []bag                   // to be learnt at the end of the period
	Fetched  int
}

// weighted is a term with its part in the log-odds of a link.
type weighted struct {
	term   string
	weight float64
}

const (
	probable   = 0.5
	maxPending = 20_000 // links to be learnt in one period
	namedTerms = 3      // in a reason
)

// Inputs returns the inputs that the strategy uses: those of [LinkWords], and links to
// learn from. None is required.
func (b *LinkBayes) Inputs() (required, used input.Kind) {
	required, used = b.LinkScoring.Inputs()
	return required, used | input.KindLinks
}

// Take sets the language and the words of the topic, and the links to learn from
// unless there are some.
func (b *LinkBayes) Take(in input.Inputs) error {
	if b.Links == nil {
		b.Links = in.Links
	}
	return b.LinkScoring.Take(in)
}

// begin makes the parts of the strategy when it is first used, and learns from the given
// links. With given links, or with Train < 0, there is no training.
func (b *LinkBayes) begin() {
	if b.links != nil {
		return
	}
	b.links = newScorer(&b.LinkScoring)
	b.model.Limit = cmp.Or(b.Vocabulary, 100_000)
	b.state.Training.Over = len(b.Links) > 0 || b.Train < 0
	var list []bag
	for _, l := range b.Links {
		list = append(list, bag{l.Relevant, b.features(nil, l.Anchor, l.URL)})
	}
	b.learn(list)
}

// learn adds links to the model. Counts are additive, so that this is exact and costs one
// addition per term.
func (b *LinkBayes) learn(list []bag) {
	for _, l := range list {
		b.model.Add(l.Relevant, l.Terms)
	}
}

// ready reports whether the model has seen both classes. With one class it would rate
// all links alike.
func (b *LinkBayes) ready() bool {
	irrelevant, relevant := b.model.Bags()
	return irrelevant > 0 && relevant > 0
}

// features appends the terms by which a link is rated.
func (b *LinkBayes) features(dst []string, anchor string, u dowse.URL) []string {
	return b.links.words.url(b.links.words.anchor(dst, anchor), u)
}

// Start queues the seeds before everything else.
func (b *LinkBayes) Start(seeds []dowse.URL) []dowse.Lead {
	b.begin()
	return b.links.start(seeds)
}

// follow counts the outcome of a page, then returns leads for its links: for training as
// long as there is no model, by the model afterwards.
func (b *LinkBayes) follow(p *dowse.Page, by policy) []dowse.Lead {
	b.begin()
	b.by = by
	b.outcome(p)
	if !b.state.Training.Over {
		return b.train(p)
	}
	return b.links.follow(p, b.admit)
}

// idle ends the training when nothing waits: there are fewer links to train with than
// wanted.
func (b *LinkBayes) idle(by policy) []dowse.Lead {
	b.begin()
	b.by = by
	if b.state.Training.Over {
		return nil
	}
	return b.endTraining()
}

// outcome records whether a link led to a relevant page, if it is to be learnt from.
func (b *LinkBayes) outcome(p *dowse.Page) {
	if p.Again || p.Outcome != dowse.Fetched {
		return
	}
	b.state.Fetched++
	known := standingOf(p.Lead.Note)
	if !known.is(teaches) {
		return
	}
	lesson := bag{b.links.relevant(p), b.features(nil, known.words, p.URL)}
	switch {
	case !b.state.Training.Over:
		b.state.Training.Outcomes = append(b.state.Training.Outcomes, lesson)
	case b.by.learn == verified:
		b.remember(lesson)
	}
}

// remember keeps a link for the next update and reports whether there was room.
func (b *LinkBayes) remember(lesson bag) bool {
	if len(b.state.Pending) == maxPending {
		return false
	}
	b.state.Pending = append(b.state.Pending, lesson)
	return true
}

// admit is the gate of these strategies: it admits links that are probable enough, or all
// as long as there is no model. It also selects what is learnt from.
func (b *LinkBayes) admit(c *candidate) {
	c.admitted = true
	if b.ready() {
		c.rated = true
		c.chance, c.why = b.chance(c.link)
		c.admitted = c.chance >= b.by.least
	}
	switch b.by.learn {
	case certain:
		b.trust(c)
	case verified:
		c.known.teach(c.link.Anchor)
	}
}

// trust keeps a link about which the model is certain, for self-training (mode self): by
// its first anchor, with the class that the model gives it, each URL once.
func (b *LinkBayes) trust(c *candidate) {
	relevant, sure := c.chance >= b.by.rate, 1-c.chance >= b.by.rate
	if !c.rated || c.known.is(taught) || !relevant && !sure {
		return
	}
	if b.remember(bag{relevant, b.features(nil, c.link.Anchor, c.link.URL)}) {
		c.known.flags |= taught
	}
}

// update adds the links to the model that were kept since the last update.
func (b *LinkBayes) update() {
	b.learn(b.state.Pending)
	b.state.Pending = nil
}

// chance returns the probability that a link leads to a relevant page, by its best anchor,
// and the terms that contribute most to it.
func (b *LinkBayes) chance(l *dowse.Link) (p float64, why string) {
	p, why = b.rated(&l.Mention, l.URL)
	for i := range l.More {
		if q, because := b.rated(&l.More[i], l.URL); q > p {
			p, why = q, because
		}
	}
	return p, why
}

// rated returns the probability by one anchor: the log-odds of the prior plus those of
// every known term, occurrences counted (eq. 7).
func (b *LinkBayes) rated(m *dowse.Mention, u dowse.URL) (p float64, why string) {
	b.terms = b.features(b.terms[:0], m.Anchor, u)
	share := b.model.P(nil)
	odds := math.Log(share) - math.Log1p(-share)
	b.known = b.known[:0]
	for _, t := range b.terms {
		if w := b.model.Weight(t); w != 0 {
			odds += w
			b.known = append(b.known, weighted{t, w})
		}
	}
	return 1 / (1 + math.Exp(-odds)), b.reason()
}

// reason names the terms with the largest part in the log-odds, of either sign.
func (b *LinkBayes) reason() string {
	if len(b.known) == 0 {
		return "no known words of anchor and URL"
	}
	slices.SortStableFunc(b.known, func(x, y weighted) int { return cmp.Compare(math.Abs(y.weight), math.Abs(x.weight)) })
	var names [namedTerms]string
	n := 0
	for _, k := range b.known {
		if n < namedTerms && !slices.Contains(names[:n], k.term) {
			names[n] = k.term
			n++
		}
	}
	return "words of anchor and URL: " + strings.Join(names[:n], ", ")
}

// Save returns the model, and the pages that are kept until the training ends.
func (b *LinkBayes) Save() ([]byte, error) {
	b.begin()
	s := b.state
	s.Lessons = b.model.Counts()
	return state.SaveBinary(&s)
}

// Load restores what Save returned.
func (b *LinkBayes) Load(data []byte) error {
	b.begin()
	var s linkBayesState
	if err := state.LoadBinary(data, &s); err != nil {
		return err
	}
	b.model = judge.MultinomialBags{Limit: b.model.Limit}
	if err := b.model.AddCounts(s.Lessons, 1); err != nil {
		return fmt.Errorf("strategy: load: %w", err)
	}
	s.Lessons = judge.MultinomialCounts{}
	b.state = s
	return nil
}

// Learnt returns what was learnt about a predicate, to start another crawl with.
func (b *LinkBayes) Learnt(predicate string) *input.Learnt {
	b.begin()
	c := b.model.Counts()
	l := &input.BagsLearnt{Links: input.Tally{c.Bags[0] + c.Bags[1], c.Bags[1]}, Terms: make(map[string]input.Tally, len(c.Tokens))}
	for i, t := range c.Tokens {
		l.Terms[t] = input.Tally{c.Counts[i][0] + c.Counts[i][1], c.Counts[i][1]}
	}
	return &input.Learnt{Predicate: predicate, Bags: l}
}

// LearnFrom starts with what an earlier crawl learnt, weighted by ReuseWeight, in
// place of links of seed pages.
func (b *LinkBayes) LearnFrom(l *input.Learnt, predicate string) error {
	if err := l.Fits(predicate, l.Bags != nil, "the words of links"); err != nil {
		return err
	}
	b.begin()
	c := judge.MultinomialCounts{Bags: l.Bags.Links.Sides()}
	for _, t := range slices.Sorted(maps.Keys(l.Bags.Terms)) {
		c.Tokens, c.Counts = append(c.Tokens, t), append(c.Counts, l.Bags.Terms[t].Sides())
	}
	b.state.Training.Over = true
	return b.model.AddCounts(c, cmp.Or(b.ReuseWeight, 1))
}
