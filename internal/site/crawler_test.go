package site

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"dowse"
	"dowse/crawl"
	"dowse/judge"
	"dowse/strategy/strategytest"
)

// look crawls a toy web and returns the sites by name.
func look(t *testing.T, c *Crawler, web strategytest.Toy, seeds ...dowse.URL) map[string]Site {
	t.Helper()
	walk(t, c, web, 0, nil, nil, seeds...)
	if len(c.open) > 0 {
		t.Errorf("%d inner crawls were not freed", len(c.open))
	}
	sites := map[string]Site{}
	for _, s := range c.All() {
		sites[s.Name] = s
	}
	return sites
}

func page(conf float64, links ...dowse.URL) strategytest.Page {
	list := strategytest.To(links...)
	for i := range list {
		list[i].Anchor = "more"
	}
	return strategytest.Page{Relevance: conf, Links: list}
}

func bare(conf float64, links ...dowse.URL) strategytest.Page {
	return strategytest.Page{Relevance: conf, Links: strategytest.To(links...)}
}

func TestHomepagesOfAllKinds(t *testing.T) {
	web := strategytest.Toy{
		"http://start.test/": page(0.9, "http://start.test/1", "http://www.frames.test/", "http://moved.test/", "http://refresh.test/", "http://dead.test/x",
			"http://gone.test/deep", "http://void.test/", "http://upgrade.test/", "http://loop.test/"),
		"http://start.test/1":         page(0.9),
		"http://www.frames.test/":     bare(0.5, "http://www.frames.test/menu", "http://www.frames.test/main"),
		"http://www.frames.test/menu": page(0.5, "http://frames.test/a"),
		"http://www.frames.test/main": page(0.95),
		"http://frames.test/a":        page(0.95),
		"http://moved.test/":          {Redirect: "http://new.test/welcome"},
		"http://new.test/":            page(0.9, "http://new.test/welcome"),
		"http://new.test/welcome":     page(0.9),
		"http://refresh.test/":        bare(0.5, "http://fresh.test/"),
		"http://fresh.test/":          page(0.1, "http://fresh.test/1"),
		"http://fresh.test/1":         page(0.1),
		"http://dead.test/":           {Fails: dowse.FailDNS},
		"http://gone.test/deep":       page(0.9, "http://gone.test/deeper"),
		"http://gone.test/deeper":     page(0.9),
		"http://void.test/":           bare(0.5),
		"http://upgrade.test/":        {Redirect: "https://www.upgrade.test/"},
		"https://www.upgrade.test/":   page(0.1, "https://www.upgrade.test/1"),
		"https://www.upgrade.test/1":  page(0.1),
		"http://loop.test/":           {Redirect: "http://loop.test/2"},
		"http://loop.test/2":          {Redirect: "http://loop.test/"},
	}
	for _, atOnce := range []int{1, 16} {
		got := look(t, &Crawler{AtOnce: atOnce}, web, "http://start.test/")
		for name, want := range map[string]struct {
			verdict Verdict
			stop    Stop
			home    Homepage
			detail  string
		}{
			"frames.test":  {Relevant, Exhausted, homeFrames, ""},
			"moved.test":   {None, Moved, homeRedirecting, "new.test"},
			"new.test":     {Relevant, Exhausted, homeThin, ""},
			"refresh.test": {None, Moved, homeThin, "fresh.test"},
			"fresh.test":   {Irrelevant, "", homeThin, ""},
			"dead.test":    {None, SiteDead, homeDead, "net.dns"},
			"gone.test":    {Relevant, Exhausted, homeThin, "http.status 404"},
			"void.test":    {None, Unreadable, homeScript, "words"},
			"upgrade.test": {Irrelevant, "", homeThin, ""},
			"loop.test":    {None, SiteDead, homeDead, "redirect"},
		} {
			s := got[name]
			if s.Verdict != want.verdict || want.stop != "" && s.Stop != want.stop || s.Home != want.home || !strings.Contains(s.Detail, want.detail) {
				t.Errorf("%d sites concurrently, %s: %s %s %s %q; want %+v", atOnce, name, s.Verdict, s.Stop, s.Home, s.Detail, want)
			}
		}
		if new, old := got["new.test"], got["moved.test"]; new.Rank != old.Rank {
			t.Errorf("new.test has rank %v, moved.test had %v", new.Rank, old.Rank)
		}
	}
}

// A site that a script makes is read from its sitemap.
func TestSitemapOfAScript(t *testing.T) {
	c := &Crawler{AtOnce: 1, siteOf: opaqueSite}
	c.Start([]dowse.URL{"s/"})
	home := &dowse.Page{URL: "s/", Outcome: dowse.Fetched, Lead: dowse.Lead{URL: "s/"}, Verdict: rated(0.5, "no words")}
	c.Follow(home)
	if s, _ := c.Lookup("s"); s.Verdict != Reading {
		t.Fatalf("the site is %+v before its sitemap was read", s)
	}
	leads := c.Follow(&dowse.Page{URL: "s/sitemap.xml", Outcome: dowse.Listed, Document: dowse.Document{Links: []dowse.Link{{URL: "s/1"}, {URL: "x/1"}}}})
	if len(leads) != 1 || leads[0].URL != "s/1" {
		t.Fatalf("leads %+v", leads)
	}
	c.Follow(&dowse.Page{URL: "s/1", Outcome: dowse.Fetched, Verdict: dowse.Verdict{Relevance: 0.9}})
	if s, _ := c.Lookup("s"); s.Verdict != Relevant || s.Pages != 2 || s.Home != homeScript {
		t.Errorf("the site is %+v", s)
	}
}

// Without a sitemap it can't be judged, and does not keep others waiting.
func TestNothingToRead(t *testing.T) {
	web := strategytest.Toy{"http://a.test/": bare(0.5), "http://b.test/": page(0.9)}
	got := look(t, &Crawler{AtOnce: 1}, web, "http://a.test/", "http://b.test/")
	if got["a.test"].Stop != Unreadable || got["b.test"].Verdict != Relevant {
		t.Errorf("%+v", got)
	}
}

func TestReader(t *testing.T) {
	r := Reader{By: fixed(0.8)}
	text := func(s string) *dowse.Page {
		return &dowse.Page{Document: dowse.Document{Text: s, Words: dowse.Words(s)}}
	}
	long := "This domain is for sale, the agent said. " + strings.Repeat("She wrote on about crabs and kelp. ", 60)
	for words, want := range map[string]float64{"": 0.5, "crabs and kelp": 0.8, "Buy this domain now": 0, long: 0.8} {
		v := r.Judge(text(words))
		if v.Relevance != want || isParked(&v) != (want == 0) {
			t.Errorf("%.30q: %+v, want %v", words, v, want)
		}
	}
	if r.ErrorRate() != 0.2 || (Reader{By: Reader{}}).ErrorRate() != 0 {
		t.Errorf("error %v", r.ErrorRate())
	}
}

type fixed float64

func (f fixed) Judge(*dowse.Page) dowse.Verdict { return dowse.Verdict{Relevance: float64(f)} }
func (fixed) ErrorRate() float64                { return 0.2 }

func TestSitesAreNamed(t *testing.T) {
	for _, c := range []struct{ url, by, name, home string }{
		{"http://www.a.test/x?y", "", "a.test", "http://www.a.test/"},
		{"https://a.test:8443/x", "host", "a.test:8443", "https://a.test:8443/"},
		{"http://blog.shop.co.uk/p", "host", "blog.shop.co.uk", "http://blog.shop.co.uk/"},
		{"http://blog.shop.co.uk/p", "domain", "shop.co.uk", "http://shop.co.uk/"},
		{"http://www.shop.co.uk/p", "domain", "shop.co.uk", "http://www.shop.co.uk/"},
		{"http://me.github.io/p", "domain", "me.github.io", "http://me.github.io/"},
		{"s1", "", "s1", "s1"},
	} {
		if name, home := Of(dowse.URL(c.url), c.by); name != c.name || string(home) != c.home {
			t.Errorf("%s by %s: %s, %s; want %s, %s", c.url, c.by, name, home, c.name, c.home)
		}
	}
}

// Sites of one domain are one site, and its hosts are left together.
func TestByDomain(t *testing.T) {
	web := strategytest.Toy{
		"http://a.test/":       page(0.95, "http://blog.a.test/1", "http://shop.a.test/1"),
		"http://blog.a.test/1": page(0.95, "http://blog.a.test/2"),
		"http://shop.a.test/1": page(0.95, "http://shop.a.test/2"),
		"http://blog.a.test/2": page(0.95),
		"http://shop.a.test/2": page(0.95),
	}
	if got := look(t, &Crawler{By: "domain", Sure: 0.99, Links: 100}, web, "http://a.test/"); len(got) != 1 || got["a.test"].Pages != 5 {
		t.Errorf("%+v", got)
	}
	if got := look(t, &Crawler{Sure: 0.99, Links: 100}, web, "http://a.test/"); len(got) != 3 {
		t.Errorf("by host: %+v", got)
	}
}

func TestNoMoreSites(t *testing.T) {
	web := strategytest.Toy{}
	for i := range 50 {
		web[dowse.URL(fmt.Sprintf("http://s%d.test/", i))] = page(0.99, dowse.URL(fmt.Sprintf("http://s%d.test/", i+1)), dowse.URL(fmt.Sprintf("http://s%d.test/1", i)))
		web[dowse.URL(fmt.Sprintf("http://s%d.test/1", i))] = page(0.99)
	}
	relevant := 0
	for _, s := range look(t, &Crawler{Sites: 5, AtOnce: 1}, web, "http://s0.test/") {
		if s.Verdict == Relevant && !s.Start {
			relevant++
		}
	}
	if relevant != 5 {
		t.Errorf("%d sites on topic, want 5", relevant)
	}
}

// A homepage that may not be visited ends its site, and others are read.
func TestRefusedSites(t *testing.T) {
	web := strategytest.Toy{"http://a.test/": page(0.9, "http://b.test/x", "http://c.test/"), "http://c.test/": page(0.9)}
	c := &Crawler{AtOnce: 1}
	cr, err := crawl.New(crawl.Config{
		Strategy: c, Polite: crawl.Politeness{Delay: crawl.None}, Traps: crawl.Traps{Budget: -1},
		Scope: crawl.Scope{Exclude: excludes(`b\.test/$`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	run(cr, web, "http://a.test/")
	b, _ := c.Lookup("b.test")
	other, _ := c.Lookup("c.test")
	if b.Stop != Refused || b.Detail != string(dowse.SkipScopeExclude) || other.Verdict != Relevant {
		t.Errorf("%+v\n%+v", b, other)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []Crawler{
		{Sure: 0.4}, {Sure: 1}, {Error: 0.6}, {Error: -1}, {Weigh: "heavy"}, {By: "street"}, {PriorLow: 0.6}, {PriorHigh: 0.3}, {Pages: -1},
	} {
		if c.Check() == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	if err := (&Crawler{Sure: 0.7, By: "domain", Weigh: "local"}).Check(); err != nil {
		t.Error(err)
	}
	if (&PageCrawler{Guard: -1}).Check() == nil {
		t.Error("a negative guard is taken")
	}
}

func TestFirstPages(t *testing.T) {
	var list []judge.Example
	for i := range 60 {
		u := dowse.URL(fmt.Sprintf("http://www.s%d.test/%d", i%2, i))
		list = append(list, judge.Example{Page: &dowse.Page{URL: u}, Relevant: i%2 == 0})
	}
	kept := First(list, 0)
	if len(kept) != 50 || kept[49].Page.URL != "http://www.s1.test/49" || len(First(list, 1)) != 2 {
		t.Errorf("%d examples", len(kept))
	}
}

func FuzzLoad(f *testing.F) {
	c := &Crawler{AtOnce: 4}
	web, seeds := strategytest.Sites(120, 5)
	cr, err := crawl.New(crawl.Config{Strategy: c, Limits: crawl.Limits{Pages: 20}, Polite: crawl.Politeness{Delay: crawl.None}})
	if err != nil {
		f.Fatal(err)
	}
	run(cr, web, seeds...)
	data, err := c.Save()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		c, again := &Crawler{}, &Crawler{}
		if c.Load(data) != nil {
			return
		}
		c.All()
		c.Idle()
		saved, err := c.Save()
		if err != nil || again.Load(saved) != nil {
			t.Errorf("what was loaded can't be saved and loaded: %v", err)
		}
	})
}

func FuzzMeanNote(f *testing.F) {
	f.Add(meanNote(1.5, 3))
	f.Add("")
	f.Fuzz(func(t *testing.T, note string) {
		if sum, n := meanOf(note); n < 0 || !(sum >= 0 && sum <= float64(n)) {
			t.Errorf("%q: %v of %d", note, sum, n)
		}
	})
}

func graph(n int) *Graph {
	g := &Graph{}
	for i := range n {
		s := Site{Name: fmt.Sprintf("site-%d.<test>&\"", i), Verdict: []Verdict{Relevant, Irrelevant, None, Waiting}[i%4], Pages: i % 9, Start: i == 0}
		g.Nodes = append(g.Nodes, s)
		if i > 0 {
			g.Edges = append(g.Edges, Edge{From: i, To: i / 2, Pages: 1, Weight: 0.5})
		}
	}
	return g
}

func TestGraphFiles(t *testing.T) {
	for name, write := range map[string]func(*Graph, *bytes.Buffer) error{
		"gexf":    func(g *Graph, b *bytes.Buffer) error { return g.GEXF(b) },
		"graphml": func(g *Graph, b *bytes.Buffer) error { return g.GraphML(b) },
		"svg":     func(g *Graph, b *bytes.Buffer) error { return g.SVG(b, "A <picture>") },
	} {
		for _, n := range []int{0, 1, 2, 40} {
			var a, b bytes.Buffer
			if err := write(graph(n), &a); err != nil {
				t.Fatal(err)
			}
			if err := write(graph(n), &b); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s of %d nodes differs the second time", name, n)
			}
			if err := wellFormed(a.Bytes()); err != nil {
				t.Errorf("%s of %d nodes: %v", name, n, err)
			}
		}
	}
	var b bytes.Buffer
	if err := graph(3).DOT(&b); err != nil || !strings.Contains(b.String(), `label="site-1.<test>&\""`) || !strings.Contains(b.String(), "n2 -> n1") {
		t.Errorf("dot: %v\n%s", err, b.String())
	}
}

// Labels cover neither each other nor a site.
func TestLabelsDoNotCollide(t *testing.T) {
	g := graph(300)
	c := &canvas{lines: &lines{w: &bytes.Buffer{}}, width: 900, height: 700}
	c.at = g.layout(c.width, c.height)
	for i := range g.Nodes {
		c.radius = append(c.radius, radiusOf(&g.Nodes[i]))
	}
	c.nodes(g)
	nodes := len(c.taken)
	c.labels(g)
	if len(c.taken) < nodes+30 {
		t.Errorf("only %d labels", len(c.taken)-nodes)
	}
	for i := nodes; i < len(c.taken); i++ {
		for k := range i {
			if c.taken[i].meets(c.taken[k]) {
				t.Fatalf("label %d covers %d", i, k)
			}
		}
	}
	for i, p := range c.at {
		if !(p.x >= 0 && p.x <= c.width && p.y >= 0 && p.y <= c.height) {
			t.Errorf("node %d is at %v", i, p)
		}
	}
}

func TestReduced(t *testing.T) {
	small := graph(40).Reduced(10)
	if len(small.Nodes) != 10 || !small.Nodes[0].Start || small.Nodes[9].Verdict != Relevant {
		t.Errorf("%+v", small.Nodes)
	}
	for _, e := range small.Edges {
		if e.From >= 10 || e.To >= 10 {
			t.Errorf("an edge to nowhere: %+v", e)
		}
	}
}
