package crawler_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/settings"
)

// TestReasonsOfTaken crawls with strategies that rate leads again when their turn comes:
// the reasons given for a page add up to the priority it was taken at.
func TestReasonsOfTaken(t *testing.T) {
	sameGoroutines(t)
	web := demo.New(demo.Config{Pages: 600, Latency: -1, SlowLatency: -1})
	people := peopleOf(t, web)
	pages := 60
	if testing.Short() {
		pages = 25
	}
	for _, name := range []string{"intelligent", "collaborative", "combined", "online", "auto"} {
		t.Run(name, func(t *testing.T) {
			cfg := crawler.Config{
				Topic: tidePools, Settings: settings.Settings{Order: settings.Order{Strategy: name}, Limits: settings.Limits{Pages: pages}, Politeness: settings.Politeness{Delay: -1, InFlight: 4}}, Trace: people, Transport: web.RoundTripper(),
			}
			for _, u := range web.Seeds("tide pools", 2) {
				cfg.Seeds = append(cfg.Seeds, string(u))
			}
			c, err := crawler.Open(filepath.Join(t.TempDir(), "x.dowse"), cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			n, named := 0, 0
			for p := range c.Crawl(t.Context()) {
				x, err := c.Collection.Why(p.URL)
				if err != nil {
					t.Fatal(err)
				}
				sum, names := 0.0, false
				for _, b := range x.Chosen.Because {
					sum += b.Weight
					names = names || strings.Contains(b.What, `"`)
				}
				if names {
					named++
				}
				if math.Abs(sum-x.Chosen.Priority) > 1e-6*max(1, math.Abs(sum)) {
					t.Errorf("%s was taken at %v, for %s", p.URL, x.Chosen.Priority, fmt.Sprint(x.Chosen.Because))
				}
				n++
			}
			if name == "auto" && named < n/2 {
				t.Errorf("the reasons of %d of %d pages name a word", named, n)
			}
			if n < 2 || c.Err() != nil { // the seeds; some follow only what pages on topic link to, and which come first is chance
				t.Errorf("%d pages, %v", n, c.Err())
			}
		})
	}
}

// peopleOf writes the log of a hundred people who read a synthetic web.
func peopleOf(t *testing.T, web *demo.Web) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "people.log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(web.WriteAccessLog(f, 100), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}
