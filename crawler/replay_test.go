package crawler_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"dowse/collection"
	"dowse/crawler"
	"dowse/demo"
	"dowse/strategy"
)

// TestReplayOfEveryStrategy crawls the made web with each strategy: the journal alone,
// with the text of the archive, gives the priorities that the crawl ended with. After a
// kill a crawl goes on from there.
func TestReplayOfEveryStrategy(t *testing.T) {
	web := demo.New(demo.Config{Pages: 600, Latency: -1, SlowLatency: -1})
	people := filepath.Join(t.TempDir(), "people.log")
	f, err := os.Create(people)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(web.WriteAccessLog(f, 100), f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, e := range strategy.All() {
		if e.Name == "treasure" || e.Name == "context-graph" {
			continue // they need a T-Graph
		}
		t.Run(e.Name, func(t *testing.T) {
			cfg := crawler.Config{
				Topic: tidePools, StrategyName: e.Name, Trace: people, Pages: 30, Transport: web.RoundTripper(),
				Polite: collection.Politeness{Delay: -1, InFlight: 4},
			}
			for _, u := range web.Seeds("tide pools", 2) {
				cfg.Seeds = append(cfg.Seeds, string(u))
			}
			c, err := crawler.Open(filepath.Join(t.TempDir(), "x.dowse"), cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			for range c.Crawl(t.Context()) {
			}
			v, err := c.Verify(nil)
			if err != nil || !v.OK() || !v.Replayed {
				t.Errorf("%v, %+v", err, v)
			}
		})
	}
}
