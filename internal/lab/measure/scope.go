package measure

import (
	"fmt"
	"slices"
)

// A Field is what claims on an experiment can speak of. All of it is known before anything
// is run, so that a claim that can't be held against the outcome is told at once.
type Scope struct {
	Strategies []string // as tables name them
	Pages      int      // that a crawl is allowed; 0 if nobody says
	Oracle     bool     // it takes part
	Sites      bool     // whole sites are looked for
}

// Field returns what claims on the runs can speak of.
func (r *Runs) Scope() Scope {
	return Scope{
		Strategies: r.Strategies(), Pages: r.Budget,
		Oracle: slices.ContainsFunc(r.Trails, func(t Trail) bool { return r.isOracle(&t) }),
		Sites:  slices.ContainsFunc(r.Trails, func(t Trail) bool { return len(t.Sites) > 0 }),
	}
}

// Fits tells by a [*Mistake] what of a claim an experiment can't answer: a strategy that it
// does not have, a measure of sites where pages are looked for, one relative to an
// oracle that does not take part, or a place behind the end of its crawls.
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

// lacks tells what an experiment has not that a measure needs.
func (f Scope) lacks(m Measure) *flaw {
	k := m.Kind()
	switch {
	case k.Name == "auc_rel" && !f.Oracle:
		return &flaw{problem: "auc_rel is relative to the oracle, which does not take part", fix: "add oracle to the strategies, or take auc"}
	case !f.Sites && slices.ContainsFunc(siteKinds(), func(s Kind) bool { return s.Name == k.Name }):
		return &flaw{problem: k.Name + " is of crawls for sites, and these look for pages", fix: "take a measure of pages, as harvest or recall"}
	case f.Pages > 0 && m.pages > f.Pages:
		return &flaw{problem: fmt.Sprintf("%s looks behind the end: crawls have %d pages", m, f.Pages), fix: "take a smaller number, a percentage, or end"}
	}
	return nil
}
