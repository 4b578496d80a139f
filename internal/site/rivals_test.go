package site

import (
	"testing"

	"dowse"
	"dowse/crawl"
	"dowse/strategy/strategytest"
)

func TestGoldenPageCrawler(t *testing.T) {
	g := goldenCases(t, "page_crawler_guard_postprocess")[0]
	in := decode[struct {
		Pages map[dowse.URL]goldenPage
		Seed  dowse.URL
	}](t, g.Input)
	want := decode[struct {
		Order []struct {
			Page dowse.URL
			Rank float64
		}
		Sites map[string]struct {
			Pages     int
			Posterior float64
			Relevant  bool
		}
		Homepage map[string]*bool `json:"homepage_relevant"`
		Single   float64          `json:"relevant_sites_judged_by_one_page"`
	}](t, g.Expected)
	web := strategytest.Toy{}
	for u, p := range in.Pages {
		web[u] = strategytest.Page{Relevance: p.Conf, Links: strategytest.To(p.Links...)}
	}
	var pages []Rated
	before := func(v crawl.Visit) {
		s := want.Order[len(pages)]
		if v.URL != s.Page {
			t.Fatalf("page %d is %s, want %s", len(pages), v.URL, s.Page)
		}
		near(t, string(v.URL), v.Lead.Priority, s.Rank)
	}
	after := func(p *dowse.Page) { pages = append(pages, Rated{p.URL, p.Verdict.Relevance}) }
	walk(t, &PageCrawler{Guard: g.Params.Guard}, web, g.Params.Budget, before, after, in.Seed)
	if len(pages) != len(want.Order) {
		t.Errorf("%d pages, want %d", len(pages), len(want.Order))
	}
	catch := Catch{Error: g.Params.PErr, siteOf: opaqueSite}
	relevant := 0
	for _, p := range pages {
		relevant = catch.Add(p)
	}
	groups := catch.Groups()
	for _, s := range groups {
		relevant -= map[bool]int{true: 1}[s.Relevant]
	}
	if relevant != 0 {
		t.Errorf("Add counts %d sites on topic too many", relevant)
	}
	if len(groups) != len(want.Sites) {
		t.Errorf("%d sites, want %d", len(groups), len(want.Sites))
	}
	for _, s := range groups {
		w := want.Sites[s.Site]
		near(t, s.Site, s.posterior, w.Posterior)
		if s.Pages != w.Pages || s.Relevant != w.Relevant {
			t.Errorf("%s: %+v, want %+v", s.Site, s, w)
		}
		relevant, fetched := s.HomepageRelevant()
		if h := want.Homepage[s.Site]; (h != nil) != fetched || h != nil && *h != relevant {
			t.Errorf("%s: homepage %v %v", s.Site, relevant, fetched)
		}
	}
	one, on := 0.0, 0.0
	for _, g := range groups {
		if g.Relevant {
			on++
		}
		if g.Relevant && g.Pages == 1 {
			one++
		}
	}
	near(t, "judged by one page", one/on, want.Single)
}

func TestConformance(t *testing.T) {
	for name, make := range map[string]func() dowse.Strategy{
		"one":     func() dowse.Strategy { return &Crawler{AtOnce: 1, Sure: 0.999, Links: 200} },
		"many":    func() dowse.Strategy { return &Crawler{Sure: 0.999, Links: 200} },
		"domain":  func() dowse.Strategy { return &Crawler{By: "domain", Weigh: "local", Sure: 0.999, Links: 200} },
		"pages":   func() dowse.Strategy { return &PageCrawler{} },
		"default": func() dowse.Strategy { return &Crawler{} },
		"hubs":    func() dowse.Strategy { return &Crawler{Order: "hubs", Sure: 0.999, Links: 200} },
		"scan":    func() dowse.Strategy { return &Crawler{Scan: 7, AtOnce: 3, Links: 20} },
	} {
		t.Run(name, func(t *testing.T) { strategytest.RunOn(t, strategytest.Sites, make) })
	}
}
