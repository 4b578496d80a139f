package crawler_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/topic"
)

// linkedWeb is a web of a page and three others that it links to, two of which link
// to further ones.
var linkedWeb = map[string]string{
	"/":  `<a href="/a">one</a> <a href="/b">two</a> <a href="/c">three</a>`,
	"/a": `<a href="/c">three</a> <a href="/d">four</a> <a href="/d">four again</a> <a href="/a">itself</a>`,
	"/b": `<a href="/c">three</a> <a href="/e">five</a>`,
	"/c": `<a href="/">home</a>`, "/d": ``, "/e": ``,
}

// TestGatesCountLinks checks that a gate gets the number of pages that were fetched before and link
// to a page, and the same number when a page is judged again, though more link to it by then.
func TestGatesCountLinks(t *testing.T) {
	sameGoroutines(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		links, ok := linkedWeb[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<title>%s</title><p>reef reef reef reef coral %s`, r.URL.Path, links)
	}))
	defer s.Close()
	to, err := topic.Parse([]byte("dowse: topic/v1\nname: x\nwords: [reef]\nwhere: {links_in: 2..}\n"), "x")
	if err != nil {
		t.Fatal(err)
	}
	cfg := local
	cfg.Topic, cfg.Seeds, cfg.Key, cfg.Settings.Strategy = to, []string{s.URL + "/"}, 1, "breadth-first"
	cfg.Politeness.InFlight = 1
	dir := filepath.Join(t.TempDir(), "x.dowse")
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	var on []string
	for p := range c.Crawl(context.Background()) {
		if p.OnTopic {
			on = append(on, p.Title)
		}
	}
	if err := c.Close(); err != nil || c.Err() != nil {
		t.Fatal(err, c.Err())
	}
	if strings.Join(on, " ") != "/c" {
		t.Errorf("on topic: %v, want /c", on)
	}
	want := map[string]string{"/": "no, is 0", "/a": "no, is 1", "/b": "no, is 1", "/c": "yes, is 3", "/d": "no, is 1", "/e": "no, is 1"}
	clauseSays(t, dir, s.URL, want)
	if err := collection.AppendLabels(dir, collection.Label{URL: dowse.URL(s.URL + "/c"), Label: collection.LabelOn},
		collection.Label{URL: dowse.URL(s.URL + "/d"), Label: collection.LabelOff}); err != nil {
		t.Fatal(err)
	}
	if _, err := crawler.Retrain(dir, ""); err != nil {
		t.Fatal(err)
	}
	clauseSays(t, dir, s.URL, want)
}

// clauseSays checks what the gate's one clause said of pages.
func clauseSays(t *testing.T, dir, host string, want map[string]string) {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for path, says := range want {
		x, err := c.Collection.Why(dowse.URL(host + path))
		if err != nil {
			t.Fatal(err)
		}
		v := x.Judged
		if x.Alone != nil {
			v = x.Alone
		}
		got := ""
		for _, b := range v.Because {
			if after, ok := strings.CutPrefix(b.What, "where links_in: 2..: "); ok {
				got = after
			}
		}
		if got != says {
			t.Errorf("%s: %q, want %q of %+v", path, got, says, v.Because)
		}
	}
}
