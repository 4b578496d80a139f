package crawler_test

import (
	"context"
	"dowse/settings"
	"os"
	"path/filepath"
	"testing"

	"dowse"
	"dowse/crawler"
	"dowse/internal/demo"
)

func openPools(t *testing.T, dir string, pages int) *crawler.Crawler {
	t.Helper()
	web := demo.New(demo.Config{Latency: -1, SlowLatency: -1})
	var seeds []string
	for _, u := range web.Seeds("tide pools", 2) {
		seeds = append(seeds, string(u))
	}
	c, err := crawler.Open(dir, crawler.Config{
		Words: []string{"tide pools"}, Seeds: seeds, Settings: settings.Settings{Limits: settings.Limits{Pages: pages}, Identity: settings.Identity{Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: -1, InFlight: 4}},
		Transport: web.RoundTripper(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestView reads what the crawl committed, during the crawl and after it, which changes
// nothing.
func TestView(t *testing.T) {
	sameGoroutines(t)
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	c := openPools(t, dir, 40)
	n := 0
	for range c.Crawl(context.Background()) {
		if n++; n == 20 {
			v, err := crawler.View(dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := v.Status().Fetched; got < 20 {
				t.Errorf("the view shows %d pages, 20 were committed", got)
			}
			if last, ok := crawler.LastRun(v.Collection); !ok || !last.Ended.IsZero() || v.StopReason() != "" {
				t.Errorf("the crawl is running, and the view shows %+v", last)
			}
			v.Close()
		}
	}
	want := c.Status()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	before := sizes(t, dir)
	v, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	got := v.Status()
	if got.Fetched != want.Fetched || got.OnTopic != want.OnTopic || got.Books != want.Books || got.Regret != want.Regret {
		t.Errorf("the view shows\n%+v, the crawl was\n%+v", got, want)
	}
	if v.StopReason() != dowse.StopPages {
		t.Errorf("stopped by %q, want pages", v.StopReason())
	}
	for name, size := range sizes(t, dir) {
		if before[name] != size {
			t.Errorf("looking changed %s from %d to %d bytes", name, before[name], size)
		}
	}
}

func sizes(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	m := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		st, err := d.Info()
		m[path] = st.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLastRun reads how each run ended.
func TestLastRun(t *testing.T) {
	sameGoroutines(t)
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	c := openPools(t, dir, 10)
	if _, ok := crawler.LastRun(c.Collection); ok {
		t.Error("a run was found before the first")
	}
	for range c.Crawl(context.Background()) {
		break
	}
	last, ok := crawler.LastRun(c.Collection)
	if !ok || last.Why != dowse.StopSignal || last.Ended.Before(last.Begun) || last.Process != os.Getpid() {
		t.Errorf("paused, and the log has %+v", last)
	}
	for range c.Crawl(context.Background()) {
	}
	last, _ = crawler.LastRun(c.Collection)
	if last.Why != dowse.StopPages || last.Fetched != 10 {
		t.Errorf("finished, and the log has %+v", last)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestViewWithoutTheStrategy reads a collection whose strategy is a program's own: while it is
// crawled, without any snapshot, and after its end. The queue is the one that the program has.
func TestViewWithoutTheStrategy(t *testing.T) {
	sameGoroutines(t)
	web := demo.New(demo.Config{Latency: -1, SlowLatency: -1})
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	c, err := crawler.Open(dir, crawler.Config{
		Words: []string{"tide pools"}, Seeds: []string{string(web.Seeds("tide pools", 1)[0])}, Strategy: deepest{}, Transport: web.RoundTripper(),
		Settings: settings.Settings{Limits: settings.Limits{Pages: 40}, Identity: settings.Identity{Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	same := func(when string) {
		t.Helper()
		v, err := crawler.View(dir)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		defer v.Close()
		got, want := v.Status().Books, c.Status().Books
		if got.Known != want.Known || got.Queued+got.InFlight != want.Queued+want.InFlight || got.Fetched != want.Fetched || !got.Balanced() {
			t.Errorf("%s: books %+v, the program has %+v", when, got, want)
		}
		f, own := v.Collection.Crawl.Frontier(), c.Collection.Crawl.Frontier()
		for i, id := range f.Top(20) {
			if list := own.Top(20); f.Priority(id) != own.Priority(list[i]) {
				t.Errorf("%s: the link at %d has priority %g, the program has %g", when, i, f.Priority(id), own.Priority(list[i]))
			}
		}
		if _, err := v.Collection.Why(f.URL(0)); err != nil {
			t.Errorf("%s: why: %v", when, err)
		}
	}
	n := 0
	for range c.Crawl(t.Context()) {
		if n++; n == 25 {
			same("while it runs")
		}
	}
	same("at the end")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}
