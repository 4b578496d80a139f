package demo

import (
	"strings"
	"testing"

	"dowse"
)

// breadthFirst visits pages in the order in which they are found, as a crawler
// without a topic does that ignores session ids and does not enter endless
// pages. It returns the share on topic and the pages.
func breadthFirst(w *Web, seeds []dowse.URL, budget int) (float64, []dowse.URL) {
	seen := map[dowse.URL]bool{}
	var queue, order []dowse.URL
	add := func(u dowse.URL) {
		clean, _, _ := strings.Cut(string(u), "?")
		if u = dowse.URL(clean); !seen[u] && w.Allowed(u) {
			seen[u] = true
			queue = append(queue, u)
		}
	}
	for _, u := range seeds {
		add(u)
	}
	on := 0
	for len(queue) > 0 && len(order) < budget {
		u := queue[0]
		queue = queue[1:]
		if _, ok := w.numberOf(u); !ok {
			if at, _ := parse(u); !w.isEndless(u) {
				if to, ok := w.redirectAt(&w.sites[w.hosts[at.host]], at.path); ok {
					add(dowse.URL(to))
				}
			}
			continue
		}
		order = append(order, u)
		if r, _ := w.Truth(u, tidePools); r {
			on++
		}
		for _, l := range w.Links(u) {
			add(l)
		}
	}
	return float64(on) / float64(len(order)), order
}

func TestOracleIsFarAboveBreadthFirst(t *testing.T) {
	sequential(t)
	for seed := range uint64(4) {
		w := New(Config{Seed: seed})
		seeds := w.Seeds(tidePools, 2)
		for _, budget := range []int{200, 800} {
			best, order := w.Oracle(tidePools, seeds, budget)
			blind, _ := breadthFirst(w, seeds, budget)
			t.Logf("seed %d, %d pages: breadth-first %.3f, oracle %.3f", seed, budget, blind, best)
			if len(order) != budget {
				t.Errorf("the oracle visited %d pages of %d", len(order), budget)
			}
			if best < 2*blind || best < 0.65 {
				t.Errorf("seed %d, %d pages: breadth-first %.3f, oracle %.3f", seed, budget, blind, best)
			}
		}
	}
}

func TestOracleVisitsOnlyWhatACrawlerCould(t *testing.T) {
	w := small()
	seeds := w.Seeds(tidePools, 2)
	harvest, order := w.Oracle(tidePools, seeds, 1000)
	named, visited := map[dowse.URL]bool{}, map[dowse.URL]bool{}
	for _, u := range seeds {
		named[u] = true
	}
	on := 0
	for _, u := range order {
		if !named[u] || visited[u] || !w.Allowed(u) {
			t.Fatalf("%s: named %v, visited before %v, allowed %v", u, named[u], visited[u], w.Allowed(u))
		}
		visited[u] = true
		if r, _ := w.Truth(u, tidePools); r {
			on++
		}
		at, _ := parse(u)
		for _, l := range append(w.Links(u), w.Sitemap(at.host)...) {
			to, _ := parse(l)
			if goal, ok := w.redirectAt(&w.sites[w.hosts[to.host]], to.path); ok {
				l = dowse.URL(goal)
			}
			clean, _, _ := strings.Cut(string(l), "?")
			named[dowse.URL(clean)] = true
		}
	}
	if got := float64(on) / float64(len(order)); got != harvest {
		t.Errorf("harvest %v, counted %v", harvest, got)
	}
}

func TestOracleFindsAllThereIs(t *testing.T) {
	w := small()
	_, order := w.Oracle(tidePools, w.Seeds(tidePools, 2), w.Len())
	on := 0
	for _, u := range order {
		if r, _ := w.Truth(u, tidePools); r {
			on++
		}
	}
	allowed := 0
	for u := range w.Relevant(tidePools) {
		if w.Allowed(u) {
			allowed++
		}
	}
	if on != allowed {
		t.Errorf("found %d of %d pages", on, allowed)
	}
}

func TestOracleWithoutATopic(t *testing.T) {
	w := small()
	if h, order := w.Oracle("submarines", w.GeneralSeeds(1), 10); h != 0 || order != nil {
		t.Errorf("%v, %v", h, order)
	}
	if h, order := w.Oracle(tidePools, []dowse.URL{"http://nowhere.demo/"}, 10); h != 0 || order != nil {
		t.Errorf("%v, %v", h, order)
	}
}

func BenchmarkOracle(b *testing.B) {
	w := New(Config{})
	seeds := w.Seeds(tidePools, 2)
	for b.Loop() {
		w.Oracle(tidePools, seeds, 800)
	}
}
