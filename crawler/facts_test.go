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

// TestGatesKnowHowAPageWasFound checks that how a page was found, and when its server says it was
// changed, is known when the page is judged and when it is judged again.
func TestGatesKnowHowAPageWasFound(t *testing.T) {
	sameGoroutines(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/":
			fmt.Fprint(w, `<title>Reefs</title><p>reef reef reef reef coral <a href="/new">the good one</a> <a href="/old">the good old one</a> <a href="/plain">something</a>`)
		case "/new":
			w.Header().Set("Last-Modified", "Tue, 03 Mar 2026 10:00:00 GMT")
			fmt.Fprint(w, `<title>New</title><p>reef coral`)
		case "/old":
			w.Header().Set("Last-Modified", "Tue, 03 Mar 2015 10:00:00 GMT")
			fmt.Fprint(w, `<title>Old</title><p>reef coral`)
		default:
			fmt.Fprint(w, `<title>Plain</title><p>reef coral`)
		}
	}))
	defer s.Close()
	to, err := topic.Parse([]byte(`dowse: topic/v1
name: x
words: [reef]
where:
  all:
    - anchor: good
    - parent.host: 127.0.0.1
    - parent.score: "..0.3"
    - modified: {after: 2020}
    - title: /new|old|plain/i
`), "x")
	if err != nil {
		t.Fatal(err)
	}
	if !to.AsksVia() {
		t.Fatal("the gate asks how a page was found")
	}
	cfg := local
	cfg.Topic, cfg.Seeds, cfg.Key = to, []string{s.URL + "/"}, 1
	dir := filepath.Join(t.TempDir(), "x.dowse")
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	on := map[string]bool{}
	for p := range c.Crawl(context.Background()) {
		on[p.Title] = p.OnTopic
	}
	if err := c.Close(); err != nil || c.Err() != nil {
		t.Fatal(err, c.Err())
	}
	if len(on) != 4 || !on["New"] || on["Old"] || on["Plain"] || on["Reefs"] {
		t.Errorf("on topic: %v", on)
	}
	clausesHold(t, dir, s.URL+"/new")
	labels := []collection.Label{{URL: dowse.URL(s.URL + "/new"), Label: collection.LabelOn}, {URL: dowse.URL(s.URL + "/plain"), Label: collection.LabelOff}}
	if err := collection.AppendLabels(dir, labels...); err != nil {
		t.Fatal(err)
	}
	if _, err := crawler.Retrain(dir, ""); err != nil {
		t.Fatal(err)
	}
	clausesHold(t, dir, s.URL+"/new")
}

// clausesHold checks that every clause of the gate reports that it holds for a page.
func clausesHold(t *testing.T, dir, url string) {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	x, err := c.Collection.Why(dowse.URL(url))
	if err != nil {
		t.Fatal(err)
	}
	v, n := x.Judged, 0
	if x.Alone != nil {
		v = x.Alone
	}
	for _, b := range v.Because {
		if strings.HasPrefix(b.What, "where ") && strings.Contains(b.What, ": yes") {
			n++
		}
	}
	if n != 5 {
		t.Errorf("%d clauses hold: %+v", n, v.Because)
	}
}
