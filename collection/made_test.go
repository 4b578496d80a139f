package collection_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/fetch"
	"dowse/internal/demo"
	"dowse/internal/durable"
	"dowse/settings"
	"dowse/strategy"
	"dowse/topic"
)

const madePages = 120

// crawlMade crawls the synthetic web into dir until it has the given number of pages.
func crawlMade(t testing.TB, dir string, pages int) {
	t.Helper()
	web := madeWeb()
	tp, _ := web.Topic("tide pools")
	var seeds []string
	for _, u := range web.Seeds("tide pools", 3) {
		seeds = append(seeds, string(u))
	}
	for site := range web.Sites() {
		switch site.Kind {
		case demo.Calendar, demo.Closed, demo.Moved, demo.Mirror, demo.Forum:
			seeds = append(seeds, "http://"+site.Host+"/")
		}
	}
	c, err := crawler.Open(dir, crawler.Config{
		Topic: &topic.Topic{Name: "pools", Words: tp.Words, Also: tp.Also, Not: tp.Not}, Seeds: seeds,
		Settings: settings.Settings{Order: settings.Order{Strategy: "link-context"}, Contrast: "everyday", Scope: settings.Scope{Exclude: []string{`/shop/`}}, Limits: settings.Limits{Pages: pages, PerHost: 15, Depth: 4}, Identity: settings.Identity{Agent: "poolbot", Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}}, Transport: web.RoundTripper(),

		// no judge grows, so that it is the same at every run
	})
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

var madeWeb = sync.OnceValue(func() *demo.Web { return demo.New(demo.Config{Latency: -1, SlowLatency: -1}) })

// made is the folder of a collection of the synthetic web that is crawled once. Tests
// that change it work on a copy.
var made = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "dowse-collection-*") })

var madeOnce sync.Once

func TestMain(m *testing.M) {
	durable.UsualFloor = 1 << 20 // tests run on any disk
	code := m.Run()
	if dir, err := made(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func madeDir(t testing.TB) string {
	t.Helper()
	root, err := made()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "pools.dowse")
	madeOnce.Do(func() {
		crawlMade(t, dir, madePages/2)
		crawlMade(t, dir, madePages)
	})
	return dir
}

// sequential skips a test that starts no goroutines if tests are to be short: short runs
// are those under the race detector.
func sequential(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
}

// copied returns a copy of that collection, which a test may change.
func copied(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	if err := os.CopyFS(dir, os.DirFS(madeDir(t))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func config(s collection.Settings) (crawl.Config, error) {
	st, err := strategy.New(s.Strategy)
	if err != nil {
		return crawl.Config{}, err
	}
	scope := crawl.Scope{Reach: crawl.Reach(s.Scope.Reach)}
	for _, re := range s.Scope.Exclude {
		scope.Exclude = append(scope.Exclude, regexp.MustCompile(re))
	}
	return crawl.Config{
		Strategy: st, Threshold: s.Threshold, Limits: s.Limits, Scope: scope, Robots: true, Sitemaps: true,
		Polite: crawl.Politeness{Delay: s.Politeness.Delay, InFlight: s.Politeness.InFlight},
	}, nil
}

func parse(body []byte, status int) dowse.Rules {
	return fetch.ParseRobots(body, status, "poolbot").Rules
}

// open opens and loads a collection.
func open(t testing.TB, dir string, readOnly bool) *collection.Collection {
	t.Helper()
	c, err := collection.Open(dir, parse, readOnly)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	cfg, err := config(c.Settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Load(cfg, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// verified runs all checks.
func verified(t testing.TB, c *collection.Collection) *collection.Verification {
	t.Helper()
	v, err := c.Verify(collection.VerifyOptions{Config: func() (crawl.Config, error) { return config(c.Settings) }})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func readAll(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
