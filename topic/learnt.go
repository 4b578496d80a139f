package topic

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"dowse"
	"dowse/judge"
)

// A Term is what a judge makes of a word: what it adds to the log-odds of an example
// that has it, on average.
type Term struct {
	Name     string  `json:"term"`
	Weight   float64 `json:"weight"`
	Examples int     `json:"examples"` // that have it

	total float64
}

// Learnt returns the terms that count most among examples, for the topic and against
// it, the strongest first. It asks the judge about the examples, so that it tells what
// matters to pages as they are, and works for any judge whose reasons add up.
func Learnt(j dowse.Judge, examples []judge.Example, n int) (on, off []Term) {
	terms := map[string]*Term{}
	for _, e := range examples {
		p := e.Page
		if p == nil {
			p = textPage(e.Text)
		}
		for _, b := range j.Judge(p).Because {
			name, quoted := strings.CutPrefix(b.What, `"`)
			if !quoted || b.Weight == 0 {
				continue
			}
			name = strings.TrimSuffix(name, `"`)
			if terms[name] == nil {
				terms[name] = &Term{Name: name}
			}
			terms[name].Examples++
			terms[name].total += b.Weight
		}
	}
	for _, t := range terms {
		t.Weight = t.total / float64(t.Examples)
		if t.total > 0 {
			on = append(on, *t)
		} else {
			off = append(off, *t)
		}
	}
	return strongestTerms(on, n), strongestTerms(off, n)
}

func strongestTerms(list []Term, n int) []Term {
	slices.SortFunc(list, func(a, b Term) int {
		return cmp.Or(cmp.Compare(math.Abs(b.total), math.Abs(a.total)), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(n, len(list))]
}

// A TermChange is a term that two judges take differently.
type TermChange struct {
	Name   string  `json:"term"`
	Before float64 `json:"before"` // weights, as [Term] has them; 0 where the judge does not know it
	After  float64 `json:"after"`
}

// Changes returns the terms of which two judges make the most different things.
func Changes(before, after dowse.Judge, examples []judge.Example, n int) (list []TermChange) {
	byName := map[string]*TermChange{}
	take := func(j dowse.Judge, set func(c *TermChange, w float64)) {
		on, off := Learnt(j, examples, math.MaxInt)
		for _, t := range slices.Concat(on, off) {
			if byName[t.Name] == nil {
				byName[t.Name] = &TermChange{Name: t.Name}
			}
			set(byName[t.Name], t.Weight)
		}
	}
	take(before, func(c *TermChange, w float64) { c.Before = w })
	take(after, func(c *TermChange, w float64) { c.After = w })
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if c := *byName[name]; math.Abs(c.After-c.Before) > 1e-9 {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b TermChange) int {
		return cmp.Compare(math.Abs(b.After-b.Before), math.Abs(a.After-a.Before))
	})
	return list[:min(n, len(list))]
}
