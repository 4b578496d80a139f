package strategy_test

import (
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/strategy"
	"dowse/strategy/internal/interest"
)

// TestEdgeCases is the matrix of what strategies do where papers are silent (those that
// go by words, T-Graphs and people have rows of their own in TestLinkEdgeCases,
// TestEdgeCasesOfTGraphs, TestOutcomes and TestRedirectKeepsPeople): pages
// without links, links to themselves, ratings of zero, visited targets, redirects
// and failures. A row holds what was visited, in order, and what URLs have then; V is
// the virtual page.
func TestEdgeCases(t *testing.T) {
	bfs := func() dowse.Strategy { return &strategy.BreadthFirst{} }
	lcp := func() dowse.Strategy { return &strategy.LinkContext{} }
	opic := func() dowse.Strategy { return &strategy.OPIC{} }
	plain := func() dowse.Strategy { return &strategy.OPIC{NoVirtual: true} }
	nutch := func() dowse.Strategy { return &strategy.OPIC{Nutch: true} }
	otie := func() dowse.Strategy { return &strategy.OTIE{} }
	fish := func() dowse.Strategy { return &strategy.Fish{} }
	shark := func() dowse.Strategy { return &strategy.Shark{} }
	naive := func() dowse.Strategy { return &strategy.NaiveBestFirst{} }
	soft := func() dowse.Strategy { return &strategy.SoftFocus{} }
	intelligent := interest.NewIntelligent
	type has = map[dowse.URL]float64
	for _, row := range []struct {
		name    string
		s       func() dowse.Strategy
		web     toy
		visits  int
		visited string
		has     has
	}{
		{"breadth-first, no links", bfs, deadEnd, 9, "s", nil},
		{"opic, no links", opic, deadEnd, 1, "s", has{"s": 0, "V": 1}},
		{"opic without virtual page, no links", plain, deadEnd, 1, "s", has{"s": 0, "V": 0}},
		{"nutch, no links", nutch, deadEnd, 1, "s", has{"s": 1, "V": 0}},
		{"link-context, no links", lcp, deadEnd, 9, "s", nil},
		{"otie, no links", otie, deadEnd, 1, "s", has{"s": 0}},
		{"fish, no links", fish, deadEnd, 9, "s", nil},
		{"shark, no links", shark, deadEnd, 9, "s", nil},
		{"naive, no links", naive, deadEnd, 9, "s", nil},
		{"soft focus, no links", soft, deadEnd, 9, "s", nil},
		{"intelligent, no links", intelligent, deadEnd, 9, "s", nil},

		{"breadth-first, twice", bfs, twice, 9, "s a b", nil},
		{"opic, twice", opic, twice, 1, "s", has{"s": 0, "a": 1. / 3, "b": 1. / 3, "V": 1. / 3}},
		{"opic without virtual page, twice", plain, twice, 1, "s", has{"s": 0, "a": 0.5, "b": 0.5}},
		{"nutch, twice", nutch, twice, 1, "s", has{"s": 1, "a": 0.5, "b": 0.5}},
		{"link-context, twice", lcp, twice, 1, "s", has{"a": 0.125 + 0.6, "b": 0.125 + 0.3}},
		{"otie, twice", otie, twice, 1, "s", has{"s": 0, "a": 0.725 / 1.15, "b": 0.425 / 1.15}},
		{"shark, twice", shark, twice, 1, "s", has{"a": 0.5*0.25 + 0.5*0.2*0.8, "b": 0.5*0.25 + 0.5*0.2*0.4}},
		{"naive, twice", naive, twice, 1, "s", has{"a": 0.5, "b": 0.5}},
		{"soft focus, twice", soft, twice, 1, "s", has{"a": 0.5, "b": 0.5}},
		{"intelligent, twice", intelligent, twice, 9, "s a b", nil},

		{"opic, zero", opic, zero, 1, "s", has{"a": 1. / 3, "b": 1. / 3}},
		{"link-context, zero", lcp, zero, 9, "s a b", nil},
		{"otie, zero", otie, zero, 1, "s", has{"s": 0, "a": 0.075, "b": 0.075}},
		{"fish, zero", fish, zero, 9, "s a b", nil},
		{"shark, zero", shark, zero, 9, "s a b", nil},
		{"naive, zero", naive, zero, 9, "s a b", nil},
		{"intelligent, zero", intelligent, zero, 1, "s", has{"a": 0, "b": 0}},
		{"intelligent, zero, in order", intelligent, zero, 9, "s a b", nil},

		{"breadth-first, fetched", bfs, fetched, 9, "s a b", nil},
		{"opic, fetched", opic, fetched, 2, "s a", has{"s": 0.5 / 3, "b": 0.5 / 3, "V": 0.5 + 0.5/3}},
		{"nutch, fetched", nutch, fetched, 2, "s a", has{"s": 1.5, "a": 1, "b": 0.5}},
		{"link-context, fetched", lcp, fetched, 9, "s a b", has{"s": 1}},
		{"otie, fetched", otie, fetched, 2, "s a", has{"s": 1.0544 * 0.7 / (0.7 + 0.275), "b": 1.0544 * 0.275 / (0.7 + 0.275)}},
		{"naive, fetched", naive, fetched, 9, "s a b", has{"s": 1}},
		{"soft focus, fetched", soft, fetched, 9, "s a b", has{"s": 1}},
		{"intelligent, fetched", intelligent, fetched, 9, "s a b", has{"s": 1}},

		{"breadth-first, redirect", bfs, moved, 9, "s a b c d", nil},
		{"opic, redirect", opic, moved, 2, "s a", has{"a": 0, "b": 0.4, "c": 0.2, "V": 0.2}},
		{"opic, redirect known", opic, moved, 3, "s a b", has{"a": 0, "b": 0, "c": 0.4, "V": 0.4}},
		{"link-context, redirect", lcp, moved, 2, "s a", has{"b": 0.125 + 0.675}},
		{"otie, redirect", otie, moved, 2, "s a", has{"a": 0, "b": (0.8 + 0.275) / 1.625, "c": 0.35 / 1.625}},
		{"otie, redirect known", otie, moved, 3, "s a b", has{"a": 0, "b": 0, "c": 0.35/1.625 + (0.8+0.275)/1.625}},
		{"naive, redirect", naive, moved, 9, "s a c b d", nil},
		{"shark, redirect", shark, moved, 3, "s a b", nil},
		{"intelligent, redirect", intelligent, moved, 9, "s a c b d", nil},

		{"breadth-first, failure", bfs, failing, 9, "s a b c", nil},
		{"opic, failure", opic, failing, 2, "s a", has{"a": 0, "b": 1. / 3, "V": 2. / 3}},
		{"opic without virtual page, failure", plain, failing, 3, "s a b", has{"a": 0, "b": 0, "c": 0.5}},
		{"nutch, failure", nutch, failing, 3, "s a b", has{"a": 0.5, "b": 0.5, "c": 0.5}},
		{"link-context, failure", lcp, failing, 9, "s a b c", nil},
		{"otie, failure", otie, failing, 3, "s a b", has{"a": 0, "b": 0, "c": 0.35 / 1.15}},
		{"fish, failure", fish, failing, 9, "s a b c", nil},
		{"naive, failure", naive, failing, 9, "s a b c", nil},
		{"intelligent, failure", intelligent, failing, 9, "s a b c", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := row.s()
			c, order := stroll(t, s, row.web, row.visits, "s")
			var visited []dowse.URL
			for u := range strings.FieldsSeq(row.visited) {
				visited = append(visited, dowse.URL(u))
			}
			if !slices.Equal(order, visited) {
				t.Errorf("visited %v, want %v", order, visited)
			}
			for u, want := range row.has {
				got := known(c, u).Priority
				if u == "V" {
					got = s.(*strategy.OPIC).Virtual().Priority
				}
				if !near(got, want) {
					t.Errorf("%s has %v, want %v", u, got, want)
				}
			}
		})
	}
}
