package site

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/crawl"
	"dowse/internal/golden"
	"dowse/strategy/strategytest"
)

type goldenCase struct {
	Name   string
	Params struct {
		PErr       float64 `json:"p_err"`
		PThr       float64 `json:"p_thr"`
		LThr       float64 `json:"l_thr"`
		PThreshold float64 `json:"p_threshold"`
		LThreshold float64 `json:"l_threshold"`
		C          float64
		Cap        int
		Weight     string     `json:"edge_weight"`
		Clamp      [2]float64 `json:"prior_clamp"`
		Guard      int        `json:"guard_max_pages_per_host"`
		Budget     int
		Prior      float64
	}
	Input    json.RawMessage
	Expected json.RawMessage
}

type goldenPage struct {
	Conf  float64
	Links []dowse.URL
	Out   []string
}

func goldenCases(t *testing.T, prefix string) (list []goldenCase) {
	t.Helper()
	var file struct{ Cases []goldenCase }
	golden.Read(t, "website", &file)
	for _, c := range file.Cases {
		if strings.HasPrefix(c.Name, prefix) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		t.Fatalf("no case %s", prefix)
	}
	return list
}

func decode[T any](t *testing.T, raw json.RawMessage) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// opaqueSite takes "r/a" for a page of r.
func opaqueSite(u dowse.URL) (string, dowse.URL) {
	name, _, _ := strings.Cut(string(u), "/")
	return name, dowse.URL(name + "/")
}

func toy(pages map[dowse.URL]goldenPage, into strategytest.Toy) {
	for u, p := range pages {
		var links []dowse.URL
		for _, l := range p.Links {
			if _, ok := pages[l]; ok {
				links = append(links, l)
			}
		}
		for _, h := range p.Out {
			links = append(links, dowse.URL(h+"/"))
		}
		into[u] = strategytest.Page{Relevance: p.Conf, Links: strategytest.To(links...)}
	}
}

// walk crawls a toy web one visit at a time. before is called before each visit, after with
// what came of it.
func walk(t *testing.T, s dowse.Strategy, web strategytest.Toy, pages int, before func(v crawl.Visit), after func(p *dowse.Page), seeds ...dowse.URL) {
	t.Helper()
	c, err := crawl.New(crawl.Config{Strategy: s, Limits: crawl.Limits{Pages: pages}, Polite: crawl.Politeness{Delay: crawl.None}, Traps: crawl.Traps{Budget: -1}})
	if err != nil {
		t.Fatal(err)
	}
	runWith(c, web, before, after, seeds...)
	if b := c.Books(); !b.Balanced() || b.InFlight != 0 {
		t.Errorf("books %+v", b)
	}
}

func TestGoldenWeights(t *testing.T) {
	for _, c := range goldenCases(t, "fig3_edge_weights") {
		in := decode[struct {
			Site  float64   `json:"site_confidence"`
			Pages []float64 `json:"linking_page_confidences"`
		}](t, c.Input)
		mean := (in.Pages[0] + in.Pages[1]) / 2
		for w, want := range decode[map[string]float64](t, c.Expected) {
			near(t, w, Weight(w).Of(in.Site, mean), want)
		}
	}
}

type goldenInner struct {
	Steps []struct {
		Page            string
		Rank, Conf      float64
		CorrectedTarget float64 `json:"corrected_target"`
		CorrectedOther  float64 `json:"corrected_other"`
		Posterior       float64
		Classified      bool
		NewHosts        []string `json:"new_hosts"`
		LinkWeight      float64  `json:"link_weight"`
		LinkRank        float64  `json:"link_rank"`
	}
	Site      string
	Stop      Stop
	Pages     int
	Posterior float64
	Relevant  bool
	Edges     map[string]float64 `json:"edges_local"`
}

func TestGoldenInner(t *testing.T) {
	for _, g := range goldenCases(t, "internal_") {
		t.Run(g.Name, func(t *testing.T) { goldenInnerCase(t, g) })
	}
}

func goldenInnerCase(t *testing.T, g goldenCase) {
	in := decode[struct{ Pages map[dowse.URL]goldenPage }](t, g.Input)
	want := decode[goldenInner](t, g.Expected)
	web := strategytest.Toy{}
	toy(in.Pages, web)
	c := &Crawler{Sure: g.Params.PThr, Links: g.Params.LThr, Error: g.Params.PErr, Pages: g.Params.Cap, Bonus: g.Params.C, AtOnce: 1, siteOf: opaqueSite}
	var w *inner
	step, edges, weights := 0, 0, 0.0
	before := func(v crawl.Visit) {
		if w = c.open[want.Site]; w != nil {
			edges, weights = len(w.Edges), w.Weights
		}
		if w == nil || step >= len(want.Steps) {
			return
		}
		s := want.Steps[step]
		if string(v.URL) != s.Page {
			t.Fatalf("step %d reads %s, want %s", step, v.URL, s.Page)
		}
		near(t, s.Page+" rank", v.Lead.Priority, s.Rank)
	}
	after := func(p *dowse.Page) {
		if c.SiteOf(p.URL) != want.Site {
			return
		}
		s := want.Steps[step]
		near(t, s.Page+" c'", corrected(s.Conf, g.Params.PErr), s.CorrectedTarget)
		near(t, s.Page+" other c'", corrected(1-s.Conf, g.Params.PErr), s.CorrectedOther)
		near(t, s.Page+" posterior", w.P, s.Posterior)
		near(t, s.Page+" link weight", w.Weights-weights, s.LinkWeight)
		near(t, s.Page+" link rank", linkRank(w.Weights, w.P), s.LinkRank)
		var fresh []string
		for _, e := range w.Edges[edges:] {
			fresh = append(fresh, c.outer.sites[e.To].name)
		}
		if (w.Judged > 0) != s.Classified || !slices.Equal(fresh, s.NewHosts) {
			t.Errorf("%s: classified %v, new sites %v; want %v, %v", s.Page, w.Judged > 0, fresh, s.Classified, s.NewHosts)
		}
		step++
	}
	walk(t, c, web, 0, before, after, dowse.URL(want.Site+"/"))
	got, _ := c.Lookup(want.Site)
	if step != len(want.Steps) || got.Stop != want.Stop || got.Pages != want.Pages || (got.Verdict == Relevant) != want.Relevant {
		t.Errorf("%d steps, got %+v; want %d steps, stop %s after %d pages, relevant %v", step, got, len(want.Steps), want.Stop, want.Pages, want.Relevant)
	}
	near(t, "posterior", got.Confidence, want.Posterior)
	if len(c.open) > 0 {
		t.Errorf("%d inner crawls were not freed", len(c.open))
	}
}

type goldenOuter struct {
	Log []struct {
		Site                   string
		Rank, Prior, Posterior float64
		Relevant               bool
		Pages                  int
		Start                  bool               `json:"start_site"`
		Edges                  map[string]float64 `json:"edge_weights"`
		Ranks                  map[string]float64 `json:"frontier_ranks_after"`
	}
	Pages    int
	Relevant int     `json:"relevant_sites"`
	Examined int     `json:"examined_sites"`
	Harvest  float64 `json:"website_harvest_rate"`
	PPRS     float64
}

func TestGoldenOuter(t *testing.T) {
	for _, g := range goldenCases(t, "external_") {
		t.Run(g.Name, func(t *testing.T) { goldenOuterCase(t, g) })
	}
}

func goldenOuterCase(t *testing.T, g goldenCase) {
	in := decode[struct {
		Sites map[string]map[dowse.URL]goldenPage
		Start []string
	}](t, g.Input)
	want := decode[goldenOuter](t, g.Expected)
	web := strategytest.Toy{}
	for _, pages := range in.Sites {
		toy(pages, web)
	}
	c := &Crawler{
		Sure: g.Params.PThreshold, Links: g.Params.LThreshold, Error: g.Params.PErr, Bonus: g.Params.C, Weigh: g.Params.Weight,
		PriorLow: g.Params.Clamp[0], PriorHigh: g.Params.Clamp[1], AtOnce: 1, siteOf: opaqueSite,
	}
	var w *inner
	at, pages := 0, 0
	after := func(p *dowse.Page) {
		got, _ := c.Lookup(c.SiteOf(p.URL))
		if got.Verdict == Reading {
			return
		}
		s := want.Log[at]
		if got.Name != s.Site || got.Start != s.Start || got.Pages != s.Pages || (got.Verdict == Relevant) != s.Relevant {
			t.Fatalf("site %d is %+v, want %+v", at, got, s)
		}
		near(t, s.Site+" rank", got.Rank, s.Rank)
		near(t, s.Site+" prior", got.Prior, s.Prior)
		near(t, s.Site+" posterior", got.Confidence, s.Posterior)
		edges, ranks := map[string]float64{}, map[string]float64{}
		for i := range w.Edges {
			edges[c.outer.sites[w.Edges[i].To].name] = Weight(c.Weigh).Of(w.P, w.Edges[i].local())
		}
		for _, k := range c.outer.sites {
			if k.state != done {
				ranks[k.name] = k.rank()
			}
		}
		same(t, s.Site+" edges", edges, s.Edges)
		same(t, s.Site+" ranks", ranks, s.Ranks)
		at++
		pages += got.Pages
	}
	start := dowse.URL(in.Start[0] + "/")
	walk(t, c, web, 0, func(v crawl.Visit) { w = c.open[c.SiteOf(v.URL)] }, after, start)
	_, _, examined, relevant := c.Counts()
	if at != len(want.Log) || pages != want.Pages || examined != want.Examined || relevant != want.Relevant {
		t.Errorf("%d sites, %d pages, %d examined, %d relevant; want %d, %d, %d, %d", at, pages, examined, relevant, len(want.Log), want.Pages, want.Examined, want.Relevant)
	}
	near(t, "harvest", float64(relevant)/float64(examined), want.Harvest)
	near(t, "pprs", float64(pages-want.Log[0].Pages)/float64(relevant), want.PPRS)
}

func same(t *testing.T, what string, got, want map[string]float64) {
	t.Helper()
	if g, w := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(g, w) {
		t.Errorf("%s are those of %v, want %v", what, g, w)
		return
	}
	for k, v := range want {
		near(t, what+" "+k, got[k], v)
	}
}

func TestGoldenDirections(t *testing.T) {
	for _, g := range goldenCases(t, "link_rank_direction") {
		in := decode[struct {
			Sum float64   `json:"link_weight_sum"`
			P   []float64 `json:"posterior"`
		}](t, g.Input)
		want := decode[struct {
			R []float64 `json:"link_rank"`
		}](t, g.Expected)
		for i, p := range in.P {
			near(t, "link rank", linkRank(in.Sum, p), want.R[i])
		}
	}
	for _, g := range goldenCases(t, "p_err_as_accuracy_is_wrong") {
		want := decode[map[string]float64](t, g.Expected)
		near(t, "with the error", corrected(0.8, 0.15), want["corrected_with_error_0.15"])
		near(t, "with the accuracy", corrected(0.8, 0.85), want["corrected_with_0.85_literally"])
	}
	if err := (&Crawler{Error: 0.85}).Check(); err == nil {
		t.Error("an accuracy is taken for an error")
	}
}
