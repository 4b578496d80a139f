package crawler_test

import (
	"context"
	"dowse/settings"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/fetch"
	"dowse/internal/demo"
	"dowse/internal/repeats"
	"dowse/lab"
	"dowse/strategy"
	"dowse/topic"
)

// fickle are the hosts of the synthetic web whose answers depend on when they are
// asked; what waits for them comes in another order on another clock.
func fickle(web *demo.Web) (hosts []string) {
	for s := range web.Sites() {
		if s.Kind == demo.Busy || s.Kind == demo.Flaky || s.Kind == demo.Slow { // slow has a Crawl-delay
			hosts = append(hosts, s.Host)
		}
	}
	return hosts
}

// TestLiveEqualsSimulation crawls the synthetic web twice, with one worker and no
// delay: live, over loopback, with archive and journal; and simulated, in virtual
// time. Both must visit the same pages in the same order. The live judge does not grow from
// its words, as the simulation has one judge for the whole crawl.
func TestLiveEqualsSimulation(t *testing.T) {
	type how struct {
		strategy  string
		templates []string
	}
	pages, list := 250, []how{{"link-context", repeats.Uses}, {"link-context", nil}, {"breadth-first", nil}, {"opic", nil}, {"otie", nil}, {"shark", nil}}
	if testing.Short() {
		pages, list = 60, list[:2]
	}
	for _, x := range list {
		t.Run(x.strategy, func(t *testing.T) {
			web := demo.New(demo.Config{Latency: -1, SlowLatency: -1, Topology: demo.Topology{Boilerplate: 0.2 * float64(len(x.templates))}})
			live := crawlLive(t, web, x.strategy, pages, x.templates)
			simulated := crawlSimulated(t, web, x.strategy, pages, x.templates)
			if diff := cmp.Diff(live, simulated); diff != "" {
				t.Errorf("live (-) and simulated (+) differ:\n%s", diff)
			}
			if len(live) != pages {
				t.Errorf("%d pages, want %d", len(live), pages)
			}
		})
	}
}

var tidePools = &topic.Topic{Name: "tide-pools", Words: []string{"tide pools"}}

func crawlLive(t *testing.T, web *demo.Web, name string, pages int, templates []string) (visited []dowse.URL) {
	t.Helper()
	server, err := web.Serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var seeds []string
	for _, u := range web.Seeds("tide pools", 2) {
		seeds = append(seeds, string(u))
	}
	c, err := crawler.Open(filepath.Join(t.TempDir(), "live.dowse"), crawler.Config{
		Topic: tidePools, Seeds: seeds, Settings: settings.Settings{Contrast: crawler.ContrastEveryday, Order: settings.Order{Strategy: name, Templates: templates}, Scope: settings.Scope{Block: fickle(web)}, Limits: settings.Limits{Pages: pages}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}}, Dial: server.Dial,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for p := range c.Crawl(context.Background()) {
		visited = append(visited, p.URL)
	}
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	return visited
}

func crawlSimulated(t *testing.T, web *demo.Web, name string, pages int, templates []string) (visited []dowse.URL) {
	t.Helper()
	s, err := strategy.New(name)
	if err != nil {
		t.Fatal(err)
	}
	judge, err := tidePools.Judge()
	if err != nil {
		t.Fatal(err)
	}
	client, err := fetch.New(fetch.Config{Transport: web.RoundTripper()})
	if err != nil {
		t.Fatal(err)
	}
	block := map[string]bool{}
	for _, h := range fickle(web) {
		block[h] = true
	}
	v := &crawler.Visitor{Client: client, Judge: judge, Templates: repeats.UseOf(templates)}
	v.Rate(s)
	_, err = lab.Setup{
		Crawl: crawl.Config{
			Strategy: s, Limits: crawl.Limits{Pages: pages}, Scope: crawl.Scope{Block: block}, Robots: true, Sitemaps: true, FilesLast: true, Templates: templates != nil,
			Polite: crawl.Politeness{Delay: crawl.None, InFlight: 1},
		},
		Web: lab.Over(v, web.Latency), Seeds: web.Seeds("tide pools", 2),
		Each: func(_ time.Time, p *dowse.Page) bool {
			if p.Outcome == dowse.Fetched {
				visited = append(visited, p.URL)
			}
			return true
		},
	}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clip(visited)
}
