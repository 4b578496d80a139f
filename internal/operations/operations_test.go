package operations_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/internal/operations"
	"dowse/settings"
	"dowse/topic"
)

const madePages = 120

var madeWeb = sync.OnceValue(func() *demo.Web { return demo.New(demo.Config{Latency: -1, SlowLatency: -1}) })

// openMade opens a crawl of the synthetic web in dir, which ends after the given number of pages.
func openMade(t testing.TB, dir string, pages int) *crawler.Crawler {
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
		Settings: settings.Settings{
			Order: settings.Order{Strategy: "link-context"}, Contrast: "everyday", Scope: settings.Scope{Exclude: []string{`/shop/`}},
			Limits: settings.Limits{Pages: pages, PerHost: 15, Depth: 4}, Identity: settings.Identity{Agent: "poolbot", Contact: "https://example.org/bot"},
			Politeness: settings.Politeness{Delay: -1, InFlight: 1},
		}, Transport: web.RoundTripper(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// crawlMade crawls the synthetic web into dir until it has the given number of pages.
func crawlMade(t testing.TB, dir string, pages int) {
	t.Helper()
	c := openMade(t, dir, pages)
	for range c.Crawl(context.Background()) {
	}
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

var (
	made     = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "dowse-operations-test-*") })
	madeOnce sync.Once
)

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := made(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// copied returns a folder with a copy of a collection of the synthetic web, pools.dowse, which is
// crawled once for all tests.
func copied(t testing.TB) string {
	t.Helper()
	root, err := made()
	if err != nil {
		t.Fatal(err)
	}
	madeOnce.Do(func() { crawlMade(t, filepath.Join(root, "pools.dowse"), madePages) })
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// over returns the operations over folders, which are closed at the end of the test.
func over(t testing.TB, cfg operations.Config) *operations.Operations {
	t.Helper()
	o, err := operations.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	return o
}

var bg = context.Background()

func TestSmoke(t *testing.T) {
	dir := copied(t)
	o := over(t, operations.Config{Dirs: []string{dir}})
	list, err := o.Collections(bg)
	t.Log(list, err)
	st, err := o.Status(bg, "pools")
	t.Logf("%+v %v", st, err)
	p, err := o.Pages(bg, "pools", operations.PageQuery{Limit: 3, Sort: "score"})
	t.Logf("%+v %v", p, err)
	for _, q := range p.Pages {
		t.Log(q.URL, q.Relevance(), q.Title)
	}
	one, err := o.Page(bg, "pools", string(p.Pages[0].URL))
	t.Logf("%d bytes %d links %v", len(one.Text), len(one.Links), err)
	w, err := o.Why(bg, "pools", string(p.Pages[0].URL), true)
	t.Logf("%+v %v", w, err)
	f, err := o.Frontier(bg, "pools", operations.FrontierQuery{Limit: 3})
	t.Logf("%+v %v", f, err)
	h, err := o.Hosts(bg, "pools", operations.HostQuery{Limit: 3})
	t.Logf("%+v %v", h, err)
	pr, err := o.Problems(bg, "pools")
	t.Logf("%+v %v", pr, err)
	se, err := o.Series(bg, "pools", operations.SeriesQuery{Points: 5})
	t.Logf("%+v %v", se, err)
	g, err := o.Graph(bg, "pools", 5)
	t.Logf("%+v %v", g, err)
	si, err := o.Sites(bg, "pools", operations.SiteQuery{Limit: 2})
	t.Logf("%+v %v", si, err)
	ev, err := o.Events(bg, "pools", "0", 5)
	t.Logf("%+v %v", ev, err)
	fo, err := o.Search(bg, []string{"pools"}, operations.SearchQuery{Query: "anemones"})
	t.Logf("%+v %v", fo, err)
	m, err := o.Models(bg, "pools")
	t.Logf("%+v %v", m, err)
	s, err := o.Settings(bg, "pools")
	t.Logf("%+v %v", s, err)
}
