package crawler_test

import (
	"context"
	"dowse/settings"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dowse/crawler"
	"dowse/internal/demo"
)

// A counter counts requests that are under way at the same time. It holds each up
// for a moment, so that others can join it.
type counter struct {
	http.RoundTripper
	now, most atomic.Int64
}

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	time.Sleep(5 * time.Millisecond)
	return c.RoundTripper.RoundTrip(r)
}

// TestBackoffAfterKills checks that a crawl continues with half of its connections after a run that
// was killed, with a quarter after two in a row, and reports it. After a run that stopped by
// itself, or had fetched many pages, it continues as before.
func TestBackoffAfterKills(t *testing.T) {
	sameGoroutines(t)
	const conns = 16
	begun := func(i, fetched int) string {
		return fmt.Sprintf(`{"begun":"2026-01-0%dT00:00:00Z","process":%d,"fetched":%d,"on_topic":0}`, i, i, fetched)
	}
	ended := func(i, fetched int) string {
		return strings.Replace(begun(i, fetched), `"process"`, fmt.Sprintf(`"ended":"2026-01-0%dT01:00:00Z","process"`, i), 1)
	}
	for _, c := range []struct {
		name string
		log  []string
		most int64
		note string
	}{
		{"stopped", []string{begun(1, 0), ended(1, 20)}, conns, ""},
		{"killed once", []string{begun(1, 0), ended(1, 10), begun(2, 10)}, conns / 2, "the last run was killed, perhaps for want of memory: going on with 8 connections and 32 MiB"},
		{"killed twice at the same place", []string{begun(1, 0), begun(2, 10)}, conns / 4, "the last 2 runs were killed, perhaps for want of memory: going on with 4 connections and 16 MiB"},
		{"killed again and again", []string{begun(1, 0), begun(2, 10), begun(3, 10), begun(4, 10), begun(5, 10), begun(6, 10)}, 1, "the last 6 runs were killed, perhaps for want of memory: going on with 1 connection and 8 MiB"},
		{"killed after it had come far", []string{begun(1, 0), begun(2, 10), begun(3, 2000)}, conns / 2, "the last run was killed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "pools.dowse")
			web := demo.New(demo.Config{Latency: -1, SlowLatency: -1})
			seen := &counter{RoundTripper: web.RoundTripper()}
			cfg := crawler.Config{
				Words: []string{"tide pools"}, Settings: settings.Settings{Limits: settings.Limits{Pages: 5}, Identity: settings.Identity{Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: -1, InFlight: conns, Conns: conns, Hold: -1}}, Memory: 64 << 20,
				Transport: seen,
			}
			for _, u := range web.Seeds("tide pools", 2) {
				cfg.Seeds = append(cfg.Seeds, string(u))
			}
			crawlThrough(t, dir, cfg)
			log := filepath.Join(dir, "log", "sittings.jsonl")
			if err := os.WriteFile(log, []byte(strings.Join(c.log, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			seen.most.Store(0)
			cfg.Pages = 80
			notes := strings.Join(crawlThrough(t, dir, cfg), "\n")
			if most := seen.most.Load(); most > c.most {
				t.Errorf("%d concurrent requests, want at most %d", most, c.most)
			}
			if !strings.Contains(notes, c.note) || c.note == "" && strings.Contains(notes, "killed") {
				t.Errorf("the notes are %q, want %q", notes, c.note)
			}
		})
	}
}

// crawlThrough crawls to the end and returns what the crawl noted when it was opened.
func crawlThrough(t *testing.T, dir string, cfg crawler.Config) []string {
	t.Helper()
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	if err := c.Err(); err != nil {
		t.Error(err)
	}
	notes := c.Notes
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	return notes
}
