package strategy_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/strategy"
	"dowse/strategy/strategytest"
)

func TestGoldenOPIC(t *testing.T) {
	tests := map[string]func(*testing.T, goldenCase){
		"pagerank":               goldenPageRank,
		"opic_greedy_closed":     goldenClosed,
		"opic_crawl_plain":       goldenOPICCrawl,
		"opic_crawl_virtual":     goldenOPICCrawl,
		"opic_crawl_failure":     goldenOPICCrawl,
		"adaptive_interpolation": goldenWindowed,
		"adaptive_tracks_change": goldenChange,
	}
	runGolden(t, "opic", tests)
}

type links = map[dowse.URL][]dowse.URL

// closed is a web that OPIC visits for ever: all pages are known from the start,
// and a visited page waits again. Cash is in a real frontier.
type closed struct {
	s     *strategy.OPIC
	f     *frontier.Frontier
	graph links
}

// newClosed gives each page, and the virtual one, the same cash.
func newClosed(s *strategy.OPIC, graph links) *closed {
	w := &closed{s, frontier.New(frontier.Config{}), graph}
	share := 1 / float64(len(graph)+1)
	for _, u := range slices.Sorted(maps.Keys(graph)) {
		id, _ := w.f.See(u, "")
		w.f.SetPriority(id, share, dowse.Add)
		w.f.Queue(id)
	}
	s.Follow(&dowse.Page{Outcome: dowse.Failed, Lead: dowse.Lead{Priority: share}}) // to the virtual page
	return w
}

func (w *closed) Best() (dowse.Lead, bool)        { id, ok := w.f.Peek(); return w.lead(id), ok }
func (w *closed) BestVisited() (dowse.Lead, bool) { return dowse.Lead{}, false }
func (w *closed) Waiting() int                    { return w.f.Len() }
func (w *closed) Visited() int                    { return 0 }

func (w *closed) lead(id frontier.ID) dowse.Lead {
	return dowse.Lead{URL: w.f.URL(id), Priority: w.f.Priority(id), Note: w.f.Note(id)}
}

// step visits the richest page, the virtual one ("V") included.
func (w *closed) step() (picked dowse.URL, spent float64) {
	cash := w.s.Virtual().Priority
	if raise := w.s.BeforeRound(w); len(raise) > 0 {
		w.apply(raise)
		return "V", cash
	}
	l, _ := w.Best()
	p := &dowse.Page{URL: l.URL, Lead: l, Outcome: dowse.Fetched}
	for _, u := range w.graph[l.URL] {
		p.Links = append(p.Links, dowse.Link{URL: u})
	}
	w.apply(w.s.Follow(p))
	return l.URL, l.Priority
}

func (w *closed) apply(leads []dowse.Lead) {
	for _, l := range leads {
		if l.Kind == dowse.Raise {
			w.f.Raise(l.Priority, l.Cap, l.Visited)
			continue
		}
		id, _ := w.f.Find(l.URL)
		w.f.SetPriority(id, l.Priority, l.Merge)
		if l.Note != "" {
			w.f.SetNote(id, l.Note)
		}
	}
}

// page returns a page, or the virtual one, as a lead.
func (w *closed) page(u dowse.URL) dowse.Lead {
	if u == "V" {
		return w.s.Virtual()
	}
	id, _ := w.f.Find(u)
	return w.lead(id)
}

func goldenClosed(t *testing.T, g goldenCase) {
	in := decode[struct{ Graph links }](t, g.Input)
	want := decode[struct {
		Steps []struct {
			Picked dowse.URL
			Spent  float64
			Cash   map[dowse.URL]float64
		}
		X      map[dowse.URL]float64 `json:"x_after_8"`
		Better map[dowse.URL]float64 `json:"x_estimate_better_after_8"`
		Fix    map[dowse.URL]float64 `json:"stationary_augmented"`
		Pages  map[dowse.URL]float64 `json:"importance_without_V"`
		Within float64               `json:"x_after_200000_within"`
	}](t, g.Expected)
	w := newClosed(&strategy.OPIC{}, in.Graph)
	for i, step := range want.Steps {
		picked, spent := w.step()
		if picked != step.Picked || !near(spent, step.Spent) {
			t.Errorf("step %d: %s spends %v, want %s and %v", i+1, picked, spent, step.Picked, step.Spent)
		}
		for u, cash := range step.Cash {
			if got := w.page(u).Priority; !near(got, cash) {
				t.Errorf("step %d: %s has %v, want %v", i+1, u, got, cash)
			}
		}
	}
	for u := range want.X {
		if x := w.s.Rank(w.page(u)); !near(x, want.X[u]) {
			t.Errorf("rank of %s: %v, want %v", u, x, want.X[u])
		}
		if x := w.s.Importance(w.page(u)); !near(x, want.Better[u]) {
			t.Errorf("importance of %s: %v, want %v", u, x, want.Better[u])
		}
	}
	for range 200_000 - len(want.Steps) {
		w.step()
	}
	rest := 1 - w.s.Rank(w.page("V"))
	for u, x := range want.Fix {
		if got := w.s.Rank(w.page(u)); math.Abs(got-x) > want.Within {
			t.Errorf("rank of %s in the end: %v, want %v", u, got, x)
		}
		if got := w.s.Rank(w.page(u)) / rest; u != "V" && math.Abs(got-want.Pages[u]) > want.Within {
			t.Errorf("rank of %s among the pages in the end: %v, want %v", u, got, want.Pages[u])
		}
	}
}

func goldenChange(t *testing.T, g goldenCase) {
	in := decode[struct {
		Before links `json:"graph_before"`
		After  links `json:"graph_after"`
	}](t, g.Input)
	want := decode[struct {
		Adaptive map[dowse.URL]float64 `json:"adaptive_estimate"`
		Basic    map[dowse.URL]float64 `json:"basic_estimate"`
	}](t, g.Expected)
	run := func(window float64) *closed {
		w := newClosed(&strategy.OPIC{T: window}, in.Before)
		for i := range int(g.Params["steps"].(float64)) {
			if i == int(g.Params["switch_after_step"].(float64)) {
				w.graph = in.After
			}
			w.step()
		}
		return w
	}
	adaptive, basic := run(g.Params["T"].(float64)), run(0)
	for u := range want.Adaptive {
		if got := adaptive.s.Rank(adaptive.page(u)); math.Abs(got-want.Adaptive[u]) > 0.01 {
			t.Errorf("%s with a window: %v, want %v", u, got, want.Adaptive[u])
		}
		if got := basic.s.Rank(basic.page(u)); math.Abs(got-want.Basic[u]) > 0.01 {
			t.Errorf("%s without: %v, want %v", u, got, want.Basic[u])
		}
	}
}

func goldenWindowed(t *testing.T, g goldenCase) {
	want := decode[struct {
		Rows []struct {
			Time, H float64
			Cash    float64 `json:"cash_at_fetch"`
		}
	}](t, g.Expected)
	history, last := 0.0, 0.0
	for _, row := range want.Rows {
		history = strategy.Windowed(history, last, row.Cash, row.Time, g.Params["T"].(float64))
		last = row.Time
		if !near(history, row.H) {
			t.Errorf("at %v: history %v, want %v", row.Time, history, row.H)
		}
	}
}

// goldenPageRank checks that the importance of OPIC with the virtual page is a
// PageRank: that of a surfer who leaves each page for the virtual one as if it were
// one of its links. The classic one, with a fixed chance to leave, is of the golden
// numbers; both come from the same equation.
func goldenPageRank(t *testing.T, g goldenCase) {
	in := decode[struct{ Graph links }](t, g.Input)
	want := decode[struct{ Rank map[dowse.URL]float64 }](t, g.Expected)
	alpha := g.Params["teleport"].(float64)
	classic := pageRank(in.Graph, func(dowse.URL) float64 { return alpha })
	for u, r := range want.Rank {
		if !near(classic[u], r) {
			t.Errorf("classic rank of %s: %v, want %v", u, classic[u], r)
		}
	}
	w := newClosed(&strategy.OPIC{}, in.Graph)
	for range 100_000 {
		w.step()
	}
	rest := 1 - w.s.Rank(w.page("V"))
	for u, r := range pageRank(in.Graph, func(u dowse.URL) float64 { return 1 / float64(len(in.Graph[u])+1) }) {
		if got := w.s.Rank(w.page(u)) / rest; math.Abs(got-r) > 1e-4 {
			t.Errorf("rank of %s: %v, by power iteration %v", u, got, r)
		}
	}
}

// pageRank is eqs 1 and 2 of Wang et al. 2009, with a chance to leave for any page
// that may differ from page to page.
func pageRank(graph links, leaves func(dowse.URL) float64) map[dowse.URL]float64 {
	n := float64(len(graph))
	rank := map[dowse.URL]float64{}
	for u := range graph {
		rank[u] = 1 / n
	}
	for range 2000 {
		next, jump := map[dowse.URL]float64{}, 0.0
		for _, u := range slices.Sorted(maps.Keys(graph)) {
			jump += rank[u] * leaves(u)
			for _, v := range graph[u] {
				next[v] += rank[u] * (1 - leaves(u)) / float64(len(graph[u]))
			}
		}
		for u := range graph {
			next[u] += jump / n
		}
		rank = next
	}
	return rank
}

func goldenOPICCrawl(t *testing.T, g goldenCase) {
	in := decode[struct {
		Web      links
		Seeds    []dowse.URL
		Failures []dowse.URL `json:"permanent_failures"`
	}](t, g.Input)
	want := decode[struct {
		Iterations []struct {
			List    []dowse.URL `json:"fetch_list"`
			Cash    map[dowse.URL]float64
			History map[dowse.URL]float64
			Virtual float64 `json:"virtual_cash"`
		}
	}](t, g.Expected).Iterations
	web := strategytest.Toy{}
	for u, to := range in.Web {
		web[u] = strategytest.Page{Links: strategytest.To(to...)}
	}
	for _, u := range in.Failures {
		web[u] = strategytest.Page{Fails: dowse.FailHTTP}
	}
	s := &strategy.OPIC{NoVirtual: !g.Params["virtual_page"].(bool), Recrawl: -1, N: int(g.Params["N"].(float64))}
	c := newCrawl(t, s, 0, in.Seeds)
	round := 0
	strategytest.Rounds(c, web, func(taken []dowse.URL) {
		if round < len(want) {
			it := want[round]
			if !slices.Equal(taken, it.List) {
				t.Errorf("round %d: took %v, want %v", round+1, taken, it.List)
			}
			for u, cash := range it.Cash {
				if got := known(c, u); !near(got.Priority, cash) {
					t.Errorf("round %d: %s has %v, want %v", round+1, u, got.Priority, cash)
				}
			}
			checkHistory(t, c, s, it.History)
			if got := s.Virtual().Priority; !near(got, it.Virtual) {
				t.Errorf("round %d: the virtual page has %v, want %v", round+1, got, it.Virtual)
			}
		}
		round++
	})
	if round < len(want) {
		t.Errorf("%d rounds, want %d", round, len(want))
	}
}

// checkHistory compares histories by their shares, which is what can be asked for.
func checkHistory(t *testing.T, c *crawl.Crawl, s *strategy.OPIC, want map[dowse.URL]float64) {
	t.Helper()
	sum := s.Rank(s.Virtual())
	total := 0.0
	for _, h := range want {
		total += h
	}
	for u := range want {
		sum += s.Rank(known(c, u))
	}
	if !near(sum, 1) {
		t.Errorf("ranks sum up to %v", sum)
	}
	for u, h := range want {
		if got := s.Rank(known(c, u)) / (1 - s.Rank(s.Virtual())) * total; !near(got, h) {
			t.Errorf("history of %s: %v, want %v", u, got, h)
		}
	}
}
