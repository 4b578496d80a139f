package measure

import (
	"fmt"
	"slices"
)

// A Scope is what claims about an experiment may refer to. All of it is known
// before the first crawl, so that a claim which can't be checked is refused
// immediately and not after hours of crawling.
type Scope struct {
	Strategies []string // names in tables
	Pages      int      // budget of a crawl; 0 if unknown
	Oracle     bool     // the oracle of pages takes part, so that auc_rel has a value
	Sites      bool     // the crawls look for whole sites
}

// Scope returns what claims about the runs may refer to.
func (r *Runs) Scope() Scope {
	return Scope{
		Strategies: r.Strategies(), Pages: r.Budget,
		Oracle: slices.ContainsFunc(r.Trails, func(t Trail) bool { return r.isOracle(&t) && len(t.Sites) == 0 }),
		Sites:  slices.ContainsFunc(r.Trails, func(t Trail) bool { return len(t.Sites) > 0 }),
	}
}

// CheckScope returns a [*Mistake] if the experiment can't decide the claim: it
// names a strategy that does not take part, a measure of sites in a page crawl, a
// measure relative to an oracle that does not take part, or a place after the end
// of the crawls.
func (c *Claim) CheckScope(f Scope) error {
	if err := c.CheckStrategies(f.Strategies); err != nil {
		return err
	}
	for _, t := range c.terms {
		if t.strategy == "" {
			continue
		}
		if wrong := f.lacks(t.measure); wrong != nil {
			return wrong.from(t.measureAt).placed(c.text)
		}
	}
	return nil
}

// CheckMeasure returns a [*Mistake] if the experiment has no value of a measure; text is how
// the measure was written.
func (f Scope) CheckMeasure(m Measure, text string) error {
	if wrong := f.lacks(m); wrong != nil {
		return wrong.placed(text)
	}
	return nil
}

// lacks returns what a measure needs and the experiment does not have; nil if it
// has everything.
func (f Scope) lacks(m Measure) *flaw {
	k := m.Kind()
	switch {
	case k.Name == "auc_rel" && !f.Oracle:
		return &flaw{problem: "auc_rel is relative to the oracle, which does not take part", fix: "add oracle to the strategies, or use auc"}
	case !f.Sites && slices.ContainsFunc(siteKinds(), func(s Kind) bool { return s.Name == k.Name }):
		return &flaw{problem: k.Name + " applies to site crawls, and these look for pages", fix: "use a measure of pages, as harvest or recall"}
	case f.Pages > 0 && m.pages > f.Pages:
		return &flaw{problem: fmt.Sprintf("%s is after the end of the crawls (%d pages)", m, f.Pages), fix: "use a smaller number, a percentage, or end"}
	}
	return nil
}
