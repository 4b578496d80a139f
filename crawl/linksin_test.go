package crawl_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"dowse"
	"dowse/crawl"
)

// TestLinksIn counts the pages that link to a page when its visit begins.
func TestLinksIn(t *testing.T) {
	for _, tt := range []struct {
		name string
		web  toy
		want string // pages in the order of their visits, and how many link to each
	}{
		{"each page once", toy{"s": {Links: to("a", "b", "b", "s")}, "a": {Links: to("b", "c")}, "b": {Links: to("c", "b")}, "c": {Links: to("s")}},
			"s 0, a 1, b 2, c 2"},
		{"failed pages link to nothing", toy{"s": {Links: to("a", "b")}, "a": {Fails: dowse.FailHTTP}, "b": {}},
			"s 0, a 1, b 1"},
		{"a redirect hands on what it had", toy{"s": {Links: to("old", "a")}, "old": {Redirect: "new"}, "a": {Links: to("old", "new")}, "new": {}},
			"s 0, old 1, a 1, new 2"},
		{"no page counts twice", toy{"s": {Links: to("old", "new", "x")}, "old": {Redirect: "new"}, "x": {}, "new": {}},
			"s 0, old 1, new 1, x 1"},
		{"a page that is tried again", toy{"s": {Links: to("f", "a")}, "f": {Flaky: 1}, "a": {Links: to("f")}},
			"s 0, f 1, f 1, a 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := hurried(follow(queueAll))
			cfg.LinksIn = true
			c := begin(t, cfg, "s")
			var got []string
			now := epoch
			for {
				p := step(c, tt.web, &now)
				if p == nil {
					break
				}
				got = append(got, fmt.Sprintf("%s %d", p.URL, *p.LinksIn))
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("%s, want %s", s, tt.want)
			}
		})
	}
}

// Without Config.LinksIn nothing is counted, and pages carry no count.
func TestLinksInUnasked(t *testing.T) {
	c := begin(t, hurried(follow(queueAll)), "s")
	for _, p := range run(c, toy{"s": {Links: to("a")}, "a": {}}) {
		if p.LinksIn != nil {
			t.Errorf("%s: %d", p.URL, *p.LinksIn)
		}
	}
	if n := crawl.LinksIn(c, 1); n != 0 {
		t.Errorf("%d counted", n)
	}
}

// A snapshot without counts is of no use to a crawl that counts: it begins with
// the journal. The other way round the counts are left aside.
func TestLinksInOfOlderSnapshots(t *testing.T) {
	taken := func(counts bool) []byte {
		cfg := hurried(follow(queueAll))
		cfg.LinksIn = counts
		c := begin(t, cfg, "s")
		run(c, toy{"s": {Links: to("a")}, "a": {Links: to("b")}})
		var b bytes.Buffer
		if err := saveTo(c, &b, 0); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for _, tt := range []struct{ was, is, ok bool }{{false, false, true}, {true, false, true}, {true, true, true}, {false, true, false}} {
		cfg := hurried(follow(queueAll))
		cfg.LinksIn = tt.is
		c, _, err := crawl.Restore(cfg, bytes.NewReader(taken(tt.was)))
		if (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt, err)
		}
		if err == nil && tt.is && crawl.LinksIn(c, 1) != 1 {
			t.Errorf("%+v: a has %d", tt, crawl.LinksIn(c, 1))
		}
	}
}
