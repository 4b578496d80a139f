package interest

import (
	"math"
	"slices"

	"dowse"
	"dowse/strategy/input"
)

// Deviations returns the significance of a feature; per is the number of pages in its denominator.
func Deviations(r Ratios, base input.Tally, per float64, feature input.Tally) float64 {
	m := r.at(cellOf(base), per)
	return m.deviations(cellOf(feature))
}

// Significant is the logarithm of a feature's ratio if it counts, else 0.
func Significant(r Ratios, base input.Tally, per float64, feature input.Tally) float64 {
	m := r.at(cellOf(base), per)
	return m.significant(cellOf(feature))
}

// LnRatio is the logarithm of a feature's ratio.
func LnRatio(r Ratios, base, feature input.Tally) float64 {
	m := r.at(cellOf(base), base[0])
	return m.ln(cellOf(feature))
}

// LinkRatios are the ratios of a link from a page on topic, and of one from another.
func LinkRatios(r Ratios, base input.Tally, links [4]float64, norm string) (p, q float64) {
	m := r.at(cellOf(base), base[1])
	lnP, lnQ := m.linkRatios(links, norm)
	return math.Exp(lnP), math.Exp(lnQ)
}

// SiblingRatio is the ratio of a target whose siblings were visited.
func SiblingRatio(r Ratios, base, siblings input.Tally) float64 {
	k := newLinkage(&r, &Linkage{}, 10, newLexicon(10))
	k.state.Base = cellOf(base)
	page := k.found.page(nil, false, 1)
	k.found.pages[page].visited, k.found.pages[page].onTopic = uint32(siblings[0]), uint32(siblings[1])
	t := k.found.want("t")
	k.found.link(page, t)
	k.state.Pace.due(k.state.Base, true)
	k.rebase()
	return math.Exp(k.siblings(&k.found.targets[t]))
}

// Case is what is known of a URL before it is visited.
type Case struct {
	Factors       [factorCount]float64
	Words, Tokens []string
	K, M, V, S    int

	Habits            [habitCount]float64
	Users, Signatures []string
	Near              bool
}

// CaseOf returns what a strategy knows of a URL.
func CaseOf(s dowse.Strategy, u dowse.URL) (c Case) {
	switch s := s.(type) {
	case *intelligent:
		s.links.caseOf(u, &c)
	case *collaborative:
		s.usage.caseOf(u, &c)
	case *combined:
		s.usage.caseOf(u, &c)
		one := []prospect{s.prospect(u)}
		s.prepare(one)
		c.Factors, _ = s.rate(&one[0])
	}
	return c
}

func (k *linkage) caseOf(u dowse.URL, c *Case) {
	for _, t := range tokens(nil, u) {
		if e := k.tokens.find(k.tokens.at.hash(t)); e != nil && k.now.significant(e.Cells[asContent]) != 0 {
			c.Tokens = append(c.Tokens, t)
		}
	}
	slices.Sort(c.Tokens)
	t := k.found.find(u)
	if t == nil {
		return
	}
	one := []prospect{{url: u, target: t.place}}
	k.addresses(one)
	c.Factors, c.K, c.M = k.rate(t, one[0].address), int(t.k), int(t.m)
	for _, p := range k.found.linkingTo(t) {
		page := &k.found.pages[p]
		c.V, c.S = c.V+int(page.visited), c.S+int(page.onTopic)
		c.Words = k.words.used(c.Words, page.ownWords())
	}
	slices.Sort(c.Words)
	c.Words = slices.Compact(c.Words)
}

func (w *ratioCache) used(dst []string, words []word) []string {
	for _, id := range words {
		if e := w.lex.entry(id); e != nil && w.now.significant(e.Cells[w.column]) != 0 {
			dst = append(dst, e.Term)
		}
	}
	return dst
}

func (k *usage) caseOf(u dowse.URL, c *Case) {
	page, ok := k.page(u)
	if !ok {
		return
	}
	c.Habits, c.Near = k.rate(page), k.state.Near.has(page)
	for _, v := range k.visitors(page) {
		if k.now.significant(k.state.Users[v]) != 0 {
			c.Users = append(c.Users, k.trace.Key(v))
		}
		c.Signatures = k.words.used(c.Signatures, k.state.Tastes[v])
	}
	slices.Sort(c.Signatures)
	c.Signatures = slices.Compact(c.Signatures)
}

// NearPages returns the pages accessed near those on topic.
func NearPages(s dowse.Strategy) (list []dowse.URL) {
	k := usageOf(s)
	for p := range uint32(k.state.Pages) {
		if k.state.Near.has(p) {
			list = append(list, k.trace.URL(p))
		}
	}
	slices.Sort(list)
	return list
}

func usageOf(s dowse.Strategy) *usage {
	if c, ok := s.(*combined); ok {
		return c.usage
	}
	return s.(*collaborative).usage
}

// EvidenceFor counts the URLs and pages that a strategy keeps evidence of.
func EvidenceFor(s dowse.Strategy) (targets, pages int) {
	var e *evidence
	switch s := s.(type) {
	case *intelligent:
		e = s.links.found
	case *combined:
		e = s.links.found
	}
	return len(e.targets) - len(e.freeT), len(e.pages) - len(e.freeP)
}

// Tests know strategies by these names; programs make them by their names in the list.
type (
	Collaborative = collaborative
	Combined      = combined
	Intelligent   = intelligent
)

var (
	ErrNoTrace      = errNoTrace
	NormConditional = normConditional
	NormPaper       = normPaper
	SigSupport      = sigSupport
)
