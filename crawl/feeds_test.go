package crawl_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dowse"
	"dowse/crawl"
)

// feeding is a web whose pages have feeds.
type feeding struct {
	listing
	feeds map[dowse.URL][]dowse.URL // of pages
	moved map[dowse.URL]dowse.URL   // feeds that redirect
	order []dowse.URL               // of all visits but those to robots.txt
}

func (f *feeding) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := f.listing.Visit(v)
	if v.Kind != crawl.VisitRobots {
		f.order = append(f.order, v.URL)
	}
	to, moved := f.moved[v.URL]
	switch {
	case moved:
		p.Outcome, p.Links = dowse.Redirected, []dowse.Link{{URL: to}}
	case v.Kind == crawl.VisitSitemap:
		p.Fetch.Type = "application/rss+xml"
		p.Text, p.Words = "Tides and reefs", dowse.Words("Tides and reefs") // what a visitor leaves in a feed
	case v.Kind == crawl.VisitPage:
		p.Maps = f.feeds[v.URL]
	}
	return p, took
}

// newFeeding returns a web of pages, feeds of pages, and items of feeds.
func newFeeding(web toy, feeds, items map[dowse.URL][]dowse.URL) *feeding {
	maps := map[dowse.URL]dowse.Page{}
	for u, list := range items {
		var p dowse.Page
		for _, item := range list {
			p.Links = append(p.Links, dowse.Link{URL: item, Mention: dowse.Mention{Anchor: "about " + string(item), Context: 0.5, At: dowse.Span{Start: 1, End: 2}}})
		}
		maps[u] = p
	}
	robots := func(crawl.Visit) *dowse.Robots { return disallow("/no") }
	return &feeding{listing: listing{answering: answering{toy: web, robots: robots}, maps: maps}, feeds: feeds}
}

// urls are URLs of the host of a test.
func urls(paths ...string) (list []dowse.URL) {
	for _, p := range paths {
		list = append(list, dowse.URL("http://a.test"+p))
	}
	return list
}

// The feed of a page on topic is read next, and its items are links of the page. That of another page comes last.
func TestFeeds(t *testing.T) {
	web := newFeeding(
		toy{
			"http://a.test/": {Relevance: 1, Links: to(urls("/on", "/off")...)}, "http://a.test/on": {Relevance: 1}, "http://a.test/off": {},
			"http://a.test/new": {Relevance: 1}, "http://a.test/old": {}, "http://b.test/x": {},
		},
		map[dowse.URL][]dowse.URL{"http://a.test/": urls("/feed"), "http://a.test/on": urls("/feed"), "http://a.test/off": urls("/late"), "http://b.test/x": urls("/feed", "/no.xml")},
		map[dowse.URL][]dowse.URL{"http://a.test/feed": append(urls("/new", "/on", "/no"), "http://b.test/x"), "http://a.test/late": urls("/old", "/feed")},
	)
	var shown []string
	s := follow(func(p *dowse.Page) leads {
		for i := range p.Links {
			if p.Outcome == dowse.Listed {
				shown = append(shown, fmt.Sprint(p.Links[i].URL, " ", p.Links[i].Anchor, p.Links[i].At, len(p.Words)))
			}
		}
		return queueAll(p)
	})
	cfg := robotic(s)
	cfg.Sitemaps = true
	c := begin(t, cfg, "http://a.test/")
	run(c, web)
	want := append(urls("/", "/feed", "/on", "/off", "/new"), "http://b.test/x", "http://a.test/late", "http://a.test/old")
	if !slices.Equal(web.order, want) {
		t.Errorf("visited %v, want %v", web.order, want)
	}
	if got := strings.Join(shown[:2], ", "); got != "http://a.test/new about http://a.test/new{0 0} 0, http://a.test/on about http://a.test/on{0 0} 0" {
		t.Errorf("the strategy was shown %s", got)
	}
	if b := c.Books(); b.Fetched != 6 || b.Sitemaps != 2 || stateOf(c, "http://a.test/no.xml") != dowse.Excluded {
		t.Errorf("books %+v", b)
	}
	f := c.Frontier()
	id, _ := f.Find("http://a.test/new")
	feed, _ := f.Find("http://a.test/feed")
	if depth, _ := f.Depth(id); depth != 1 || !crawl.IsList(c, feed) || crawl.IsList(c, id) {
		t.Errorf("an item of the seed's feed has depth %d", depth)
	}
	balanced(t, c)
}

// However many feeds the pages of a host have, and feeds list, ten of a host are read.
func TestEndlessFeeds(t *testing.T) {
	web := newFeeding(toy{}, map[dowse.URL][]dowse.URL{}, map[dowse.URL][]dowse.URL{})
	for i := range 60 {
		u := dowse.URL(fmt.Sprintf("http://a.test/p%d", i))
		web.toy[u] = page{Relevance: 1, Links: to(u + "1")}
		web.feeds[u] = []dowse.URL{u + ".xml"}
		web.maps[u+".xml"] = dowse.Page{Document: dowse.Document{Links: []dowse.Link{{URL: dowse.URL(fmt.Sprintf("http://a.test/p%d", i+1))}, {URL: u + ".xml"}, {URL: u + "x.xml"}}}}
	}
	cfg := robotic(follow(queueAll))
	cfg.Sitemaps = true
	c := begin(t, cfg, "http://a.test/p0", "http://a.test/p20", "http://a.test/p40")
	if run(c, web); len(web.seen) != 10 || c.Stopped() != dowse.StopExhausted {
		t.Errorf("read %d feeds, stopped: %s", len(web.seen), c.Stopped())
	}
	balanced(t, c)
}

// A feed that has moved is read where it is now, and a feed that redirects to a known page leaves it one.
func TestMovedFeeds(t *testing.T) {
	web := newFeeding(toy{"http://a.test/": {Relevance: 1, Links: to(urls("/page")...)}, "http://a.test/page": {Relevance: 1}, "http://a.test/new": {}},
		map[dowse.URL][]dowse.URL{"http://a.test/": urls("/feed"), "http://a.test/new": urls("/gone")},
		map[dowse.URL][]dowse.URL{"http://a.test/feed/": urls("/new")})
	web.moved = map[dowse.URL]dowse.URL{"http://a.test/feed": "http://a.test/feed/", "http://a.test/gone": "http://a.test/page"}
	cfg := robotic(follow(queueAll))
	cfg.Sitemaps = true
	c := begin(t, cfg, "http://a.test/")
	run(c, web)
	if b := c.Books(); b.Fetched != 3 || b.Sitemaps != 1 || b.Redirected != 2 {
		t.Errorf("books %+v, visited %v", b, web.order)
	}
	balanced(t, c)
}

// The feed of a page whose links are not to be followed is not read, nor any feed where lists of URLs are not wanted.
func TestUnwantedFeeds(t *testing.T) {
	for _, lists := range []bool{true, false} {
		web := newFeeding(toy{"http://a.test/": {Relevance: 1}}, map[dowse.URL][]dowse.URL{"http://a.test/": urls("/feed")}, nil)
		cfg := robotic(follow(queueAll))
		cfg.Sitemaps = lists
		c, _ := simulate(t, cfg, web, 1, func(_ time.Time, _ crawl.Visit, p *dowse.Page) { p.NoFollow = lists }, "http://a.test/")
		if b := c.Books(); b.Known != 1 {
			t.Errorf("lists %v: books %+v", lists, b)
		}
	}
}

// A crawl with feeds is the same when it is rebuilt, from any moment on.
func TestFoldWithFeeds(t *testing.T) {
	dir := t.TempDir()
	config := func() (crawl.Config, *crawl.Journal) {
		cfg, j := journalled(t, dir, crawl.Config{Strategy: follow(queueAll)})
		cfg.Sitemaps = true
		return cfg, j
	}
	cfg, j := config()
	web := newFeeding(toy{}, map[dowse.URL][]dowse.URL{}, map[dowse.URL][]dowse.URL{})
	web.moved = map[dowse.URL]dowse.URL{"http://a.test/p3.xml": "http://a.test/p3.xml/"}
	for i := range 16 {
		u, next := dowse.URL(fmt.Sprintf("http://a.test/p%d", i)), dowse.URL(fmt.Sprintf("http://a.test/p%d", i+1))
		web.toy[u] = page{Relevance: float64(i % 2), Links: to(next)}
		web.feeds[u] = []dowse.URL{u + ".xml"}
		for _, x := range []dowse.URL{u + ".xml", u + ".xml/"} {
			web.maps[x] = dowse.Page{Document: dowse.Document{Links: []dowse.Link{{URL: next + "0", Mention: dowse.Mention{Anchor: "title", Context: 0.25}}, {URL: next}}}}
		}
	}
	c := begin(t, cfg, "http://a.test/p0")
	now := epoch
	var snapshots [][]byte
	for step(c, web, &now) != nil {
		snapshots = append(snapshots, snap(t, c, j))
	}
	if b := c.Books(); b.Sitemaps != 10 || b.Redirected != 1 {
		t.Fatalf("books %+v", b)
	}
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	for i, s := range append(snapshots, nil) {
		cfg, j := config()
		twin, from := fresh(t, cfg), uint64(0)
		if s != nil {
			var err error
			if twin, from, err = crawl.Restore(cfg, bytes.NewReader(s)); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := twin.Fold(j, from, nil); err != nil {
			t.Fatalf("from snapshot %d: %v", i, err)
		}
		twin.Stop(c.Stopped())
		if diff := cmp.Diff(strings.Split(state(c), "\n"), strings.Split(state(twin), "\n")); diff != "" {
			t.Fatalf("from snapshot %d the rebuilt state differs:\n%s", i, diff)
		}
	}
}
