package site

import (
	"fmt"
	"testing"

	"dowse"
)

// star returns the homepage of a hub that links to sites a to f, and the pages of these sites.
func starPage(u dowse.URL, relevance float64, to ...string) *dowse.Page {
	p := &dowse.Page{URL: u, Outcome: dowse.Fetched, Verdict: dowse.Verdict{Relevance: relevance}}
	for _, t := range to {
		p.Links = append(p.Links, dowse.Link{URL: dowse.URL("http://" + t + ".test/")})
	}
	return p
}

// chosen returns the sites in the order in which a crawler with one place begins them, after two
// start sites: one on topic that links to a and b, one that is not and links to c and d first.
func chosenBy(t *testing.T, c *Crawler) string {
	t.Helper()
	c.AtOnce, c.Sure, c.Links = 1, 0.6, 0.1
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	leads := c.Start([]dowse.URL{"http://off.test/", "http://on.test/"})
	links := map[string][]string{"http://off.test/": {"c", "d"}, "http://on.test/": {"a", "b"}}
	rates := map[string]float64{"http://on.test/": 0.95, "http://a.test/": 0.9, "http://d.test/": 0.9}
	order := ""
	for len(leads) > 0 {
		var next dowse.URL
		for _, l := range leads {
			if l.Kind == dowse.Queue && l.Note == homeNote {
				next = l.URL
			}
		}
		if next == "" {
			break
		}
		if name := c.SiteOf(next); len(name) == len("a.test") {
			order += name[:1]
		}
		r, ok := rates[string(next)]
		if !ok {
			r = 0.1
		}
		leads = c.Follow(starPage(next, r, links[string(next)]...))
	}
	return order
}

// TestOrders: sites are read by rank, in the order in which they became known, or at random, and by
// an oracle those on topic first.
func TestOrders(t *testing.T) {
	if got := chosenBy(t, &Crawler{}); got != "abcd" {
		t.Errorf("by rank: %q, want those that the site on topic links to first", got)
	}
	if got := chosenBy(t, &Crawler{Order: orderBreadth}); got != "cdab" {
		t.Errorf("breadth-first: %q, want cdab", got)
	}
	if got := chosenBy(t, &Crawler{Order: orderSum}); got != "abcd" {
		t.Errorf("by the sum of the links: %q, want abcd", got)
	}
	first, again := chosenBy(t, &Crawler{Order: orderRandom}), chosenBy(t, &Crawler{Order: orderRandom})
	if first != again || len(first) != 4 || first == "cdab" {
		t.Errorf("random: %q, then %q", first, again)
	}
	oracle := &Crawler{Truth: func(site string) bool { return site == "d.test" || site == "b.test" }}
	if got := chosenBy(t, oracle); got != "dbca" {
		t.Errorf("oracle: %q, want dbca", got)
	}
	for _, c := range []*Crawler{{Order: "depth"}, {Evidence: "title"}} {
		if c.Check() == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}

// TestHomepageAlone: a site is judged by the confidence of its homepage, and left.
func TestHomepageAlone(t *testing.T) {
	c := &Crawler{Evidence: evidenceHomepage}
	chosenBy(t, c)
	for name, want := range map[string]Verdict{"a.test": Relevant, "b.test": Irrelevant} {
		s, _ := c.Lookup(name)
		if s.Verdict != want || s.Pages != 1 || s.Judged != 1 || s.Stop != HomepageOnly {
			t.Errorf("%s: %+v, want %s by one page", name, s, want)
		}
	}
	if s, _ := c.Lookup("a.test"); s.Confidence != 0.9 {
		t.Errorf("confidence %v, want that of the homepage", s.Confidence)
	}
}

// TestHomepageAndLinks: a site that its homepage decides is read on for links, and what else is
// read does not change the verdict; neither does it give one to a site whose homepage says nothing.
func TestHomepageAndLinks(t *testing.T) {
	for home, want := range map[float64]Verdict{0.9: Relevant, 0.5: None} {
		c := &Crawler{Evidence: evidenceHomepage, AtOnce: 1, Links: 3}
		c.Start([]dowse.URL{"http://start.test/"})
		front := starPage("http://start.test/", home)
		front.Links = []dowse.Link{{URL: "http://start.test/links"}}
		if leads := c.Follow(front); len(leads) != 1 || leads[0].URL != "http://start.test/links" || leads[0].Kind != dowse.Queue {
			t.Fatalf("after the homepage (%v): %v, want the page with the links", home, leads)
		}
		leads := c.Follow(starPage("http://start.test/links", 0.01, "x", "y", "z"))
		s, _ := c.Lookup("start.test")
		if s.Verdict != want || s.Judged != 1 || s.Pages != 2 || want == Relevant && s.Confidence != 0.9 {
			t.Errorf("homepage %v: %+v, want %s by the homepage, after two pages", home, s, want)
		}
		if len(leads) == 0 {
			t.Errorf("homepage %v: no further site is read", home)
		}
	}
}

// TestPagesPerSite: pages per site on topic, over all sites and over the last ones, also after the
// state was saved and loaded.
func TestPagesPerSite(t *testing.T) {
	c := &Crawler{}
	c.begin()
	costs := []siteCost{{10, true}, {4, false}, {6, true}, {5, false}, {3, false}}
	for i, x := range costs {
		name := fmt.Sprintf("s%d.test", i)
		s := c.outer.site(name, dowse.URL("http://"+name+"/"), dowse.URL("http://"+name+"/"))
		v := Irrelevant
		if x.relevant {
			v = Relevant
		}
		s.state, s.result = done, &result{Verdict: v, Pages: x.pages, Order: len(costs) - i}
		c.outer.close(s)
	}
	check := func(c *Crawler, what string) {
		for _, tt := range []struct {
			window int
			pprs   float64
			full   bool
		}{{0, 14, true}, {8, 0, true}, {14, 14, true}, {28, 14, true}, {29, 14, false}} {
			if pprs, full := c.PagesPerSite(tt.window); pprs != tt.pprs || full != tt.full {
				t.Errorf("%s: over %d pages %v, full %v; want %v, %v", what, tt.window, pprs, full, tt.pprs, tt.full)
			}
		}
	}
	check(c, "counted")
	data, err := c.Save()
	if err != nil {
		t.Fatal(err)
	}
	again := &Crawler{}
	if err := again.Load(data); err != nil {
		t.Fatal(err)
	}
	check(again, "loaded")
}

// TestSumCountsLinks: by the mean, one link from a good site is as much as two; by the sum it is
// not.
func TestSumCountsLinks(t *testing.T) {
	for order, want := range map[string]string{"": "one.test", orderSum: "two.test"} {
		c := &Crawler{Order: order}
		c.begin()
		for name, links := range map[string]int{"one.test": 1, "two.test": 2} {
			home := dowse.URL("http://" + name + "/")
			s := c.outer.site(name, home, home)
			s.sum, s.links = 0.9*float64(links), links
			if name == "one.test" {
				s.sum = 0.95
			}
			c.outer.offer(s)
		}
		if got := c.outer.best().name; got != want {
			t.Errorf("order %q: %s first, want %s", order, got, want)
		}
	}
}
