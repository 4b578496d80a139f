package crawler_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/archive"
	"dowse/internal/demo"
	"dowse/settings"
)

// A calendar is a demo web that changes, and the clock of it and of the crawl.
type calendar struct {
	web  *demo.Changing
	skew atomic.Int64
}

func (c *calendar) now() time.Time { return time.Now().Add(time.Duration(c.skew.Load())) }

// sleep lets days pass.
func (c *calendar) sleep(days int) { c.skew.Add(int64(days) * int64(24*time.Hour)) }

// config returns the config of a crawl in this web that asks for pages again.
func (c *calendar) config(refresh string, pages int) crawler.Config {
	return crawler.Config{
		Topic: tidePools, Seeds: []string{"http://shorewalks.demo/", "http://kelp.demo/"},
		Settings: settings.Settings{
			Order: settings.Order{Strategy: "link-context", Refresh: refresh}, Key: 7,
			Limits: settings.Limits{Pages: pages}, Politeness: settings.Politeness{Delay: -1, InFlight: 1},
		},
		Transport: c.web.RoundTripper(c.now), Clock: c.now,
	}
}

// crawl runs the crawl in dir once.
func (c *calendar) crawl(t *testing.T, dir, refresh string, pages int) {
	t.Helper()
	x, err := crawler.Open(dir, c.config(refresh, pages))
	if err != nil {
		t.Fatal(err)
	}
	for range x.Crawl(t.Context()) {
	}
	if err := x.Err(); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

// outcomes counts what came of asking for pages again, and the versions of each page.
func outcomes(t *testing.T, dir string) (counts map[string]int, versions map[dowse.URL]int) {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	counts, versions = map[string]int{}, map[dowse.URL]int{}
	col := c.Collection
	for e, err := range col.Journal.Scan(0, col.URL) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != crawl.EntryPage || e.Idle {
			continue
		}
		if e.Page.Outcome == dowse.Fetched {
			versions[e.Page.URL]++
		}
		if e.Page.Again {
			counts[fmt.Sprint(e.Page.Outcome, " ", e.Page.Reason)]++
			counts[fmt.Sprint(e.Page.Fetch.Status)]++
		}
	}
	return counts, versions
}

// sound verifies a collection, with a replay.
func sound(t *testing.T, dir string) {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	v, err := c.Verify(nil)
	if err != nil || !v.OK() || !v.Replayed || !v.Books.Balanced() {
		t.Fatalf("%v, %+v", err, v)
	}
}

// refreshed makes a collection of which all pages on topic were asked again several times.
func refreshed(t *testing.T) (dir string, c *calendar) {
	t.Helper()
	c = &calendar{web: demo.New(demo.Config{Pages: 1000, Latency: -1, SlowLatency: -1}).Changing(time.Now())}
	dir = filepath.Join(t.TempDir(), "x.dowse")
	c.crawl(t, dir, "", 60)
	for range 4 {
		c.sleep(40)
		c.crawl(t, dir, "7d", 60)
	}
	return dir, c
}

// A collection whose pages are asked again has what changed as versions, what did not as revisit
// records, and marks what is gone; its journal gives the same state.
func TestRefresh(t *testing.T) {
	sameGoroutines(t)
	dir, c := refreshed(t)
	sound(t, dir)
	t.Run("salvage", func(t *testing.T) { salvageVersions(t, copyOf(t, dir)) })
	t.Run("forget", func(t *testing.T) { forgetVersions(t, copyOf(t, dir), c) })
	counts, versions := outcomes(t, dir)
	more := 0
	for _, n := range versions {
		if n > 1 {
			more++
		}
	}
	if len(versions) != 60 || more < 20 || counts["skipped unchanged"] < 20 || counts["304"] < 5 || counts["failed gone"] < 3 || counts["200"] < 50 {
		t.Errorf("%d pages, %d with several versions, and %v", len(versions), more, counts)
	}
	if n := revisitRecords(t, dir); n[archive.NotModified] != counts["304"] || n[archive.IdenticalPayload] == 0 {
		t.Errorf("revisit records %v, want %d for answers 304", n, counts["304"])
	}
	before := counts["skipped unchanged"]
	c.crawl(t, dir, "7d", 60)
	if counts, _ := outcomes(t, dir); counts["skipped unchanged"] != before {
		t.Error("pages were asked again that had just been asked")
	}
	c.sleep(1)
	c.crawl(t, dir, "", 80) // it keeps the setting, and has new pages to visit
	if _, versions := outcomes(t, dir); len(versions) != 80 {
		t.Errorf("%d pages, want 80", len(versions))
	}
	sound(t, dir)
}

// copyOf copies a collection.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy.dowse")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// revisitRecords counts the revisit records of an archive by profile.
func revisitRecords(t *testing.T, dir string) map[string]int {
	t.Helper()
	n := map[string]int{}
	files, err := archive.Files(filepath.Join(dir, "archive"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		for k, err := range archive.Exchanges(path, func(l archive.Loss) { t.Error(l.Err) }) {
			if err != nil {
				t.Fatal(err)
			}
			if k.IsRevisit() {
				n[k.Header.Value("WARC-Profile")]++
			}
		}
	}
	return n
}

// A salvage of the archive alone finds the same versions, and what was unchanged or gone.
func salvageVersions(t *testing.T, dir string) {
	wantCounts, wantVersions := outcomes(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, "state")); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "n.dowse")
	s, err := crawler.Salvage(t.Context(), dir, out, crawler.SalvageConfig{})
	if err != nil || s.Lost() > 0 {
		t.Fatalf("%v, %+v", err, s)
	}
	sound(t, out)
	counts, versions := outcomes(t, out)
	if fmt.Sprint(counts) != fmt.Sprint(wantCounts) || fmt.Sprint(versions) != fmt.Sprint(wantVersions) {
		t.Errorf("got %v and %v, want %v and %v", counts, versions, wantCounts, wantVersions)
	}
}

// A takedown removes all versions of a page.
func forgetVersions(t *testing.T, dir string, c *calendar) {
	_, versions := outcomes(t, dir)
	var u dowse.URL
	for v, n := range versions {
		if n > 2 && !strings.HasSuffix(string(v), ".demo/") && (u == "" || v < u) {
			u = v
		}
	}
	if _, err := crawler.Forget(dir, collection.Takedown{URLs: []dowse.URL{u}, Why: "a test"}); err != nil {
		t.Fatal(err)
	}
	sound(t, dir)
	files, err := archive.Files(filepath.Join(dir, "archive"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		for k, err := range archive.Exchanges(path, func(archive.Loss) {}) {
			if err != nil {
				t.Fatal(err)
			}
			if k.Target() == string(u) {
				t.Errorf("a record of %s is still there", u)
			}
		}
	}
	c.sleep(30)
	defer c.sleep(-30)
	c.crawl(t, dir, "7d", 60)
	sound(t, dir)
	if _, versions := outcomes(t, dir); versions[u] > 0 {
		t.Error("the page was asked again")
	}
}
