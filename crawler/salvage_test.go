package crawler_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/settings"
)

// TestSalvageOfEveryStrategy rebuilds a crawl of each strategy from its archive: the same
// pages are there under the same dates, the counts add up, and a replay of the new journal
// gives the state.
func TestSalvageOfEveryStrategy(t *testing.T) {
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
			want := datesOf(t, c.Collection)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(dir, "state")); err != nil {
				t.Fatal(err)
			}
			rebuilt(t, dir, want)
		})
	}
}

// rebuilt salvages a collection and checks what comes of it.
func rebuilt(t *testing.T, dir string, want map[dowse.URL]string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "n.dowse")
	s, err := crawler.Salvage(t.Context(), dir, out, crawler.SalvageConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Lost() > 0 || s.Pages != len(want) {
		t.Errorf("%d pages of %d, %d lost: %+v", s.Pages, len(want), s.Lost(), s)
	}
	c, err := crawler.View(out)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := datesOf(t, c.Collection); !maps.Equal(got, want) {
		t.Errorf("pages or dates differ: %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	v, err := c.Verify(nil)
	if err != nil || !v.OK() || !v.Replayed || !v.Books.Balanced() {
		t.Errorf("%v, %+v", err, v)
	}
}

// datesOf returns when each page was fetched first, to the millisecond that an archive
// keeps.
func datesOf(t *testing.T, col *collection.Collection) map[dowse.URL]string {
	t.Helper()
	dates := map[dowse.URL]string{}
	for row, err := range col.Pages(collection.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		dates[row.URL] = row.Fetch.At.UTC().Format("2006-01-02T15:04:05.000")
	}
	return dates
}
