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

// A Term is the effect of a word: what it adds to the log-odds of an example
// that has it, on average.
type Term struct {
	Name     string  `json:"term"`
	Word     string  `json:"word,omitempty"` // the full word, if the term is a stem
	Weight   float64 `json:"weight"`
	Examples int     `json:"examples"` // examples that have it

	total float64
}

// Spelt returns the term as a full word.
func (t Term) Spelt() string { return cmp.Or(t.Word, t.Name) }

// Learnt returns the n terms with the largest effect among examples, for the
// topic and against it, strongest first. It reads the reasons of verdicts on
// the examples, so it shows what matters on real pages, and works for any judge
// whose reasons add up.
func (t *Topic) Learnt(j dowse.Judge, examples []judge.Example, n int) (on, off []Term) {
	on, off = learnt(j, examples, n)
	var names []string
	for _, term := range slices.Concat(on, off) {
		names = append(names, term.Name)
	}
	words := t.wordsBehind(names, examples)
	for _, list := range [][]Term{on, off} {
		for i := range list {
			list[i].Word = words[list[i].Name]
		}
	}
	return on, off
}

// learnt is Learnt without full words: it adds up the weights of quoted reasons over the
// examples that have them.
func learnt(j dowse.Judge, examples []judge.Example, n int) (on, off []Term) {
	terms := map[string]*Term{}
	for _, p := range pagesOf(examples) {
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

// strongestTerms returns the n terms with the largest total effect; terms with the same effect
// are in alphabetical order, so that the result does not depend on the order of a map.
func strongestTerms(list []Term, n int) []Term {
	slices.SortFunc(list, func(a, b Term) int {
		return cmp.Or(cmp.Compare(math.Abs(b.total), math.Abs(a.total)), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(n, len(list))]
}

// A TermChange is a term to which two judges give different weights.
type TermChange struct {
	Name string `json:"term"`
	Word string `json:"word,omitempty"` // the full word, if the term is a stem
	// Weights as in [Term]; 0 if the judge does not know the term.
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// Spelt returns the term as a full word.
func (c TermChange) Spelt() string { return cmp.Or(c.Word, c.Name) }

// Changes returns the n terms whose weights differ most between two judges.
func (t *Topic) Changes(before, after dowse.Judge, examples []judge.Example, n int) (list []TermChange) {
	byName := map[string]*TermChange{}
	take := func(j dowse.Judge, set func(c *TermChange, w float64)) {
		on, off := learnt(j, examples, math.MaxInt)
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
	list = list[:min(n, len(list))]
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	words := t.wordsBehind(names, examples)
	for i := range list {
		list[i].Word = words[list[i].Name]
	}
	return list
}
