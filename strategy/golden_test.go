package strategy_test

import (
	"slices"
	"testing"

	"dowse"
	"dowse/strategy"
	"dowse/strategy/strategytest"
)

func TestGoldenBreadthFirst(t *testing.T) {
	for _, g := range vectors(t, "breadth_first") {
		in := decode[struct {
			Web   map[dowse.URL][]dowse.URL
			Seeds []dowse.URL
		}](t, g.Input)
		want := decode[struct{ Batches [][]dowse.URL }](t, g.Expected)
		web := strategytest.Toy{}
		for u, links := range in.Web {
			web[u] = strategytest.Page{Links: strategytest.To(links...)}
		}
		c := newCrawl(t, strategy.BreadthFirst{}, int(g.Params["N"].(float64)), in.Seeds)
		var got [][]dowse.URL
		strategytest.Rounds(c, web, func(taken []dowse.URL) { got = append(got, taken) })
		if !slices.EqualFunc(got, want.Batches, slices.Equal) {
			t.Errorf("%s: batches %v, want %v", g.Name, got, want.Batches)
		}
	}
}

func TestGoldenLinkContext(t *testing.T) {
	runGolden(t, "lcp", map[string]func(*testing.T, goldenCase){
		"window":          goldenWindow,
		"score_and_merge": goldenScores,
		"crawl":           goldenLinkContextCrawl,
	})
}

// goldenScores rates links one by one, and as a crawl merges them.
func goldenScores(t *testing.T, g goldenCase) {
	in := decode[struct {
		Links []struct {
			To      dowse.URL
			Page    float64 `json:"page_score"`
			Context float64 `json:"context_score"`
		}
	}](t, g.Input)
	want := decode[struct {
		Scores []float64
		Merged map[dowse.URL]float64 `json:"merged_max"`
	}](t, g.Expected)
	s := &strategy.LinkContext{Beta: g.Params["beta"].(float64)}
	merged := map[dowse.URL]float64{}
	for i, l := range in.Links {
		p := page("p", 1, l.Page, l.To)
		p.Links[0].Context = l.Context
		lead := s.Follow(p)[0]
		if !near(lead.Priority, want.Scores[i]) {
			t.Errorf("link %d: %v, want %v", i, lead.Priority, want.Scores[i])
		}
		old, had := merged[l.To]
		merged[l.To] = lead.Merge.Merged(old, had, lead.Priority)
	}
	for u, score := range want.Merged {
		if !near(merged[u], score) {
			t.Errorf("%s: %v, want %v", u, merged[u], score)
		}
	}
}

func goldenWindow(t *testing.T, g goldenCase) {
	in := decode[struct {
		Words   []string
		Queries []struct {
			Anchor [2]int32
			T      int
		}
	}](t, g.Input)
	want := decode[struct{ Windows [][]string }](t, g.Expected)
	for i, q := range in.Queries {
		w := dowse.Window(dowse.Span{Start: q.Anchor[0], End: q.Anchor[1]}, len(in.Words), q.T)
		if got := in.Words[w.Start:w.End]; !slices.Equal(got, want.Windows[i]) {
			t.Errorf("window %v of %d words: %v, want %v", q.Anchor, q.T, got, want.Windows[i])
		}
	}
}

func goldenLinkContextCrawl(t *testing.T, g goldenCase) {
	in := decode[struct {
		Web   map[dowse.URL]toyPage
		Seeds []dowse.URL
	}](t, g.Input)
	want := decode[struct {
		Iterations []struct {
			List   []dowse.URL           `json:"fetch_list"`
			Scores map[dowse.URL]float64 `json:"scores_of_unfetched"`
		}
	}](t, g.Expected).Iterations
	s := &strategy.LinkContext{Beta: g.Params["beta"].(float64)}
	c := newCrawl(t, s, int(g.Params["N"].(float64)), in.Seeds)
	round := 0
	strategytest.Rounds(c, toyWeb(in.Web), func(taken []dowse.URL) {
		if round >= len(want) {
			t.Fatalf("round %d: %v, want no more", round, taken)
		}
		if !slices.Equal(taken, want[round].List) {
			t.Errorf("round %d: took %v, want %v", round, taken, want[round].List)
		}
		f := c.Frontier()
		for u, score := range want[round].Scores {
			id, ok := f.Find(u)
			if !ok || f.State(id) != dowse.Waiting || !near(f.Priority(id), score) {
				t.Errorf("round %d: %s is at %v, want %v", round, u, f.Priority(id), score)
			}
		}
		if f.Count(dowse.Waiting) != len(want[round].Scores) {
			t.Errorf("round %d: %d wait, want %d", round, f.Count(dowse.Waiting), len(want[round].Scores))
		}
		round++
	})
	if round != len(want) {
		t.Errorf("%d rounds, want %d", round, len(want))
	}
}

// toyPage is a page as the vectors write it down.
type toyPage struct {
	R     float64
	Links [][2]any
}

func toyWeb(pages map[dowse.URL]toyPage) strategytest.Toy {
	web := strategytest.Toy{}
	for u, p := range pages {
		tp := strategytest.Page{Relevance: p.R}
		for _, l := range p.Links {
			tp.Links = append(tp.Links, strategytest.Link{To: dowse.URL(l[0].(string)), Context: l[1].(float64)})
		}
		web[u] = tp
	}
	return web
}
