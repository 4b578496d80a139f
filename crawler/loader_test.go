package crawler_test

import (
	"context"
	"dowse/settings"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/topic"
)

// reefSite is a small site: a first page that links to others, one of them elsewhere.
func reefSite(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
			return
		}
		if r.URL.Path == "/gone" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<html lang="en"><title>Reef %s</title><p>Coral reefs and bleaching, page %s.
<a href="/a">a</a> <a href="/b">b</a> <a href="/private/c">c</a> <a href="/gone">d</a> <a href="http://other.example/">e</a>`, r.URL.Path, r.URL.Path)
	}))
	t.Cleanup(s.Close)
	return s
}

func testLoader(t *testing.T, dir string) *crawler.Loader {
	t.Helper()
	f, err := crawler.NewFetcher(local)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return &crawler.Loader{Dir: dir, Fetcher: f}
}

// local is a config for servers of the test.
var local = crawler.Config{Settings: settings.Settings{Politeness: settings.Politeness{Delay: -1}, Network: settings.Network{AllowNet: []string{"127.0.0.1"}}}}

func titles(pages []*dowse.Page) string {
	var list []string
	for _, p := range pages {
		list = append(list, p.Title)
	}
	return strings.Join(list, ", ")
}

func TestLoaderFetches(t *testing.T) {
	s := reefSite(t)
	l := testLoader(t, "")
	for _, tt := range []struct {
		source topic.Source
		want   string
		notes  string
	}{
		{topic.Source{URL: s.URL + "/a"}, "Reef /a", ""},
		{topic.Source{URL: s.URL + "/gone"}, "", "404"},
		{topic.Source{URL: s.URL + "/private/x"}, "", "robots.txt"},
		{topic.Source{Site: s.URL + "/"}, "Reef /, Reef /a, Reef /b", "404"},
		{topic.Source{Site: s.URL + "/", Limit: 2}, "Reef /, Reef /a", ""},
	} {
		pages, notes, err := l.Pages(context.Background(), tt.source)
		if err != nil || titles(pages) != tt.want || !strings.Contains(strings.Join(notes, "\n"), tt.notes) {
			t.Errorf("%s: %q, %q, %v; want %q, %q", tt.source, titles(pages), notes, err, tt.want, tt.notes)
		}
	}
}

func TestLoaderReadsFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("b.html", `<title>B</title><link rel=canonical href="https://b.example/reef"><p>reef`)
	write("a.html", `<title>A</title><p>coral`)
	write("c.txt", "just words")
	l := testLoader(t, dir)
	pages, _, err := l.Pages(context.Background(), topic.Source{File: "*.html"})
	if err != nil || titles(pages) != "A, B" || pages[0].URL != "file:a.html" || pages[1].URL != "https://b.example/reef" {
		t.Errorf("%q %v", titles(pages), err)
	}
	pages, _, err = l.Pages(context.Background(), topic.Source{File: "c.txt"})
	if err != nil || pages[0].Text != "just words" || len(pages[0].Words) != 2 {
		t.Errorf("%+v %v", pages, err)
	}
	if _, _, err := l.Pages(context.Background(), topic.Source{File: "none*"}); err == nil || !strings.Contains(err.Error(), "no file") {
		t.Error(err)
	}
}

// Examples come from the labels of a collection, of a label file of URLs, and stay in
// the collection that was made with them.
func TestExamplesFromLabelsAreKept(t *testing.T) {
	sameGoroutines(t)
	s := reefSite(t)
	dir := t.TempDir()
	cfg := local
	cfg.Words, cfg.Seeds, cfg.NoSitemaps = []string{"coral reefs"}, []string{s.URL + "/"}, true
	cfg.Scope.Reach = "host"
	first := filepath.Join(dir, "first.dowse")
	crawlAll(t, first, cfg)
	labels := fmt.Sprintf("{\"url\":%q,\"label\":\"off\"}\n{\"url\":%q,\"label\":\"on\"}\n{\"url\":%q,\"label\":\"off\"}\n", s.URL+"/a", s.URL+"/a", s.URL+"/b")
	if err := os.WriteFile(filepath.Join(first, "labels.jsonl"), []byte(labels), 0o600); err != nil {
		t.Fatal(err)
	}
	wanted := &topic.Topic{
		Name: "second", Dir: dir, SeedsFrom: topic.FromLike,
		Like: []topic.Source{{Collection: "first.dowse"}}, Unlike: []topic.Source{{Collection: "first.dowse"}},
	}
	cfg = local
	cfg.Topic, cfg.NoSitemaps, cfg.Scope.Reach = wanted, true, "host"
	second := filepath.Join(dir, "second.dowse")
	crawlAll(t, second, cfg)
	col, err := collection.Open(second, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	defer col.Close()
	examples, err := col.Examples()
	if err != nil || len(examples) != 2 || examples[0].Title != "Reef /a" || !examples[0].Relevant || examples[1].Relevant {
		t.Errorf("%+v, %v", examples, err)
	}
	if col.Settings.Model != collection.FirstModel || len(col.Settings.Seeds) != 2 {
		t.Errorf("%+v", col.Settings)
	}
	m, err := crawler.MaterialOf(col)
	if err != nil || m.Trained == nil || len(m.Examples) != 2 || m.Origins[0].SHA256 != examples[0].SHA256 {
		t.Errorf("%+v, %v", m, err)
	}
}

func crawlAll(t *testing.T, dir string, cfg crawler.Config) {
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
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
