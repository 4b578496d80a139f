package experiment

import (
	"context"
	"dowse/settings"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"dowse/crawler"
	"dowse/topic"
)

// A topic that requires links to a page is evaluated in a replay with the links that the
// replay has seen: the same as live if it makes the same visits, fewer if it has seen
// less. The web as a whole, where every page has ten, is not looked at.
func TestReplayCountsLinks(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<title>%d</title><p>%s", n, strings.Repeat("reef coral ", 5))
		for k := range 10 {
			fmt.Fprintf(w, `<a href="/%d">%d</a> `, (n+k*k+1)%40, k)
		}
	}))
	defer s.Close()
	to, err := topic.Parse([]byte("dowse: topic/v1\nname: x\nwords: [reef]\nwhere: {links_in: 5..}\n"), "x")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	c, err := crawler.Open(dir, crawler.Config{
		Topic: to, Seeds: []string{s.URL + "/0"}, Settings: settings.Settings{Order: settings.Order{Strategy: "breadth-first"}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}, Network: settings.Network{AllowNet: []string{"127.0.0.1"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	live := c.Status()
	if err := c.Close(); err != nil || c.Err() != nil {
		t.Fatal(err, c.Err())
	}
	if live.Fetched != 40 || live.OnTopic < 5 || live.OnTopic > 35 {
		t.Fatalf("%d of %d on topic: the clause makes no difference", live.OnTopic, live.Fetched)
	}
	list, err := Replay{Strategies: []string{"random:seed=1"}}.Run(context.Background(), dir, Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if list[0].Pages != live.Fetched || list[0].OnTopic != live.OnTopic {
		t.Errorf("%d of %d on topic in the lab, %d of %d live", list[0].OnTopic, list[0].Pages, live.OnTopic, live.Fetched)
	}
	if r := list[1]; r.OnTopic == 0 || r.OnTopic == r.Pages {
		t.Errorf("with other visits %d of %d are on topic, want fewer", r.OnTopic, r.Pages)
	}
}
