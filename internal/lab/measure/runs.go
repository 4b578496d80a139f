package measure

import (
	"slices"
	"strings"
)

// Runs are the crawls of one experiment: strategies × topics × seed sets, on the
// same web and with the same budget, so that they can be compared.
type Runs struct {
	Trails []Trail
	Budget int // pages per crawl; default those of the longest
	// Oracle is the name of the strategy that knew the labels; default "oracle", and in
	// crawls for sites "site-oracle". It is shown as the upper bound, but not tested.
	Oracle string
}

func (r *Runs) budget() int {
	if r.Budget > 0 {
		return r.Budget
	}
	n := 0
	for i := range r.Trails {
		n = max(n, r.Trails[i].Steps.Len())
	}
	return n
}

// Pages returns the budget of the crawls.
func (r *Runs) Pages() int { return r.budget() }

// isOracle reports whether a trail is one of the oracle's.
func (r *Runs) isOracle(t *Trail) bool {
	name, _, _ := strings.Cut(t.Strategy, ":")
	if r.Oracle != "" {
		return name == r.Oracle
	}
	return name == "oracle" || name == "site-oracle"
}

// oracle returns the oracle's trail on the topic and seeds of a trail, nil if there
// is none.
func (r *Runs) oracle(t *Trail) *Trail {
	for i := range r.Trails {
		o := &r.Trails[i]
		if o.Topic == t.Topic && o.SeedSet == t.SeedSet && r.isOracle(o) {
			return o
		}
	}
	return nil
}

// Strategies returns the names of the strategies, in order of first appearance.
func (r *Runs) Strategies() (names []string) {
	return r.distinct((*Trail).Name)
}

// Topics returns the topics, in order of first appearance.
func (r *Runs) Topics() []string {
	return r.distinct(func(t *Trail) string { return t.Topic })
}

// distinct returns the different values of a property, in order of first
// appearance.
func (r *Runs) distinct(of func(*Trail) string) (list []string) {
	seen := map[string]bool{}
	for i := range r.Trails {
		if s := of(&r.Trails[i]); !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	return list
}

// SeedSets returns the number of different seed sets.
func (r *Runs) SeedSets() int {
	seen := map[int]bool{}
	for i := range r.Trails {
		seen[r.Trails[i].SeedSet] = true
	}
	return len(seen)
}

// IsOracle reports whether a strategy, by its name in tables, is the oracle.
func (r *Runs) IsOracle(name string) bool {
	i := slices.IndexFunc(r.Trails, func(t Trail) bool { return t.Name() == name })
	return i >= 0 && r.isOracle(&r.Trails[i])
}

// Rivals returns the names of the strategies without the oracle.
func (r *Runs) Rivals() []string {
	return slices.DeleteFunc(r.Strategies(), r.IsOracle)
}

// Of returns the trails of a strategy.
func (r *Runs) Of(strategy string) (trails []*Trail) {
	for i := range r.Trails {
		if t := &r.Trails[i]; t.Name() == strategy {
			trails = append(trails, t)
		}
	}
	return trails
}

// ByTopic measures a strategy on every topic, in the order of Topics: the centre
// over its seed sets, NaN where it was not run.
func (r *Runs) ByTopic(m Measure, strategy string) []float64 {
	values := map[string][]float64{}
	for _, t := range r.Of(strategy) {
		values[t.Topic] = append(values[t.Topic], m.Of(r, t))
	}
	var list []float64
	for _, topic := range r.Topics() {
		list = append(list, m.Centre(values[topic]))
	}
	return list
}

// Curves returns a measure of a strategy at the given numbers of pages: one curve
// per topic, in the order of Topics, averaged over seed sets. Topics without a
// crawl have none.
func (r *Runs) Curves(m Measure, strategy string, at []int) (curves [][]float64) {
	byTopic := map[string][]Curve{}
	for _, t := range r.Of(strategy) {
		if c := m.Curve(r, t); c != nil {
			byTopic[t.Topic] = append(byTopic[t.Topic], c)
		}
	}
	for _, topic := range r.Topics() {
		if cs := byTopic[topic]; len(cs) > 0 {
			curves = append(curves, sampled(cs, at))
		}
	}
	return curves
}

// sampled returns the mean of curves at the given numbers of pages, NaN left out.
func sampled(curves []Curve, at []int) []float64 {
	values := make([]float64, len(at))
	for i, k := range at {
		var v []float64
		for _, c := range curves {
			v = append(v, c(k))
		}
		values[i] = Mean(defined(v))
	}
	return values
}
