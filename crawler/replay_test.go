package crawler_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/settings"
	"dowse/strategy"
)

// strategiesToTry returns the strategies that need nothing but a trace. With -short they are the default and one that
// reads the trace: the others start no goroutines of their own.
func strategiesToTry() []strategy.Description {
	return slices.DeleteFunc(slices.Clone(strategy.All()), func(e strategy.Description) bool {
		needsGraph := e.Name == "treasure" || e.Name == "context-graph"
		return needsGraph || testing.Short() && e.Name != "auto" && e.Name != "intelligent"
	})
}

// TestReplayOfEveryStrategy crawls the synthetic web with each strategy: the journal alone,
// with the text of the archive, gives the priorities that the crawl ended with. After a
// kill a crawl goes on from there.
func TestReplayOfEveryStrategy(t *testing.T) {
	sameGoroutines(t)
	web := demo.New(demo.Config{Pages: 600, Latency: -1, SlowLatency: -1})
	people := peopleOf(t, web)
	for _, e := range strategiesToTry() {
		t.Run(e.Name, func(t *testing.T) {
			cfg := crawler.Config{
				Topic: tidePools, Settings: settings.Settings{Order: settings.Order{Strategy: e.Name}, Limits: settings.Limits{Pages: 30}, Politeness: settings.Politeness{Delay: -1, InFlight: 4}}, Trace: people, Transport: web.RoundTripper(),
			}
			for _, u := range web.Seeds("tide pools", 2) {
				cfg.Seeds = append(cfg.Seeds, string(u))
			}
			dir := filepath.Join(t.TempDir(), "x.dowse")
			c, err := crawler.Open(dir, cfg)
			if err != nil {
				t.Fatal(err)
			}
			for range c.Crawl(t.Context()) {
			}
			v, err := c.Verify(nil)
			if err != nil || !v.OK() || !v.Replayed {
				t.Errorf("%v, %+v", err, v)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			withoutSnapshot(t, dir)
		})
	}
}

// withoutSnapshot cuts the snapshots of a collection short: what a strategy had learnt
// can still be read, but it is to learn it from the journal, once.
func withoutSnapshot(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "state", "snapshot-*.snap"))
	if err != nil || len(files) == 0 {
		t.Fatalf("snapshots: %v, %v", files, err)
	}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, info.Size()-20); err != nil {
			t.Fatal(err)
		}
	}
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	v, err := c.Verify(nil)
	if err != nil || !v.Replayed || len(v.Problems) != len(files) {
		t.Errorf("a snapshot cut short: %v, %+v", err, v)
	}
}
