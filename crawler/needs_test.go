package crawler_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/internal/ledger"
	"dowse/judge"
	"dowse/settings"
	"dowse/topic"
)

// TestSalt checks that people are known again under the same salt alone, and that no
// two crawls have the same if none is given.
func TestSalt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "access.log")
	line := "1286536309.430 12 10.0.0.1 TCP_MISS/200 5000 GET http://kelp.demo/ - DIRECT/1 text/html\n"
	if err := os.WriteFile(path, []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}
	key := func(salt []byte) string {
		n, err := crawler.NeedsOf(crawler.Config{Trace: path, Salt: salt})
		if err != nil {
			t.Fatal(err)
		}
		return n.Trace.Key(0)
	}
	mine, other := crawler.NewSalt(), crawler.NewSalt()
	first, again := key(mine), key(mine)
	if first != again {
		t.Error("a person is not known again")
	}
	one, two := key(nil), key(nil)
	if first == key(other) || one == two {
		t.Error("a person is known under another salt")
	}
	if _, err := crawler.NeedsOf(crawler.Config{Trace: path, Salt: []byte("short")}); err == nil {
		t.Error("a salt of five bytes was taken")
	}
}

// TestTrace crawls the synthetic web for what two people went to see, stops, and goes
// on from the collection alone.
func TestTrace(t *testing.T) {
	web := demo.New(demo.Config{Latency: -1, SlowLatency: -1})
	var log strings.Builder
	n := 0
	for u := range web.Relevant("tide pools") {
		if n++; n > 40 {
			break
		}
		fmt.Fprintf(&log, "1286536%03d.430 12 10.0.0.1 TCP_MISS/200 5000 GET %s reader%d DIRECT/1 text/html\n", n, u, n%2)
	}
	base := t.TempDir()
	accesses := filepath.Join(base, "access.log")
	if err := os.WriteFile(accesses, []byte(log.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "x.dowse")
	for _, pages := range []int{10, 25} {
		c, err := crawler.Open(dir, crawler.Config{
			Topic: tidePools, Seeds: []string{string(web.Seeds("tide pools", 1)[0])}, Settings: settings.Settings{Order: settings.Order{Strategy: "collaborative"}, Limits: settings.Limits{Pages: pages}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
			Trace: accesses, Transport: web.RoundTripper(),
		})
		if err != nil {
			t.Fatal(err)
		}
		for range c.Crawl(t.Context()) {
		}
		os.Remove(accesses) // the collection has what it needs of it
		if s := c.Status(); c.Err() != nil || s.Fetched != pages || s.OnTopic < pages/2 {
			t.Errorf("%d pages, %d on topic, %v", s.Fetched, s.OnTopic, c.Err())
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := crawler.NeedsOf(crawler.Config{Trace: filepath.Join(base, "none.log")}); err == nil || !strings.Contains(err.Error(), "none.log") {
		t.Errorf("a trace that is not there: %v", err)
	}
}

// TestTableOfTheTopic: the weighted words of a topic that is judged by a table reach the
// strategies, with the way in which they were cut.
func TestTableOfTheTopic(t *testing.T) {
	sameGoroutines(t)
	dir := t.TempDir()
	m, err := judge.Table{Language: "tr", Prefix: 5}.Of([]judge.TopicWord{{Term: "spor", Weight: 1}, {Term: "haber", Weight: 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	data, err := judge.Save(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "table.json"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	n, err := crawler.NeedsOf(crawler.Config{Topic: &topic.Topic{Name: "spor", Model: "table.json", Dir: dir}})
	want := []judge.TopicWord{{Term: "haber", Weight: 0.5}, {Term: "spor", Weight: 1}}
	if err != nil || n.Language != "tr" || n.Prefix != 5 || !slices.Equal(n.Stems, want) {
		t.Errorf("%+v, %v; want %v, cut to 5 letters", n, err, want)
	}
}

// TestLongTopicName refuses a topic that a Go program gave a name which no topic may have, before anything is
// written: the collection would be refused as damaged by the next Open.
func TestLongTopicName(t *testing.T) {
	cfg := local
	cfg.Topic, cfg.Seeds = &topic.Topic{Name: strings.Repeat("reef", 17), Words: []string{"coral"}}, []string{"http://127.0.0.1:1/"}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	cr, err := crawler.Open(dir, cfg)
	if err == nil {
		cr.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "64 at most") || collection.IsCollection(dir) {
		t.Errorf("%v, collection there: %t; want an error that names the bound, and no collection", err, collection.IsCollection(dir))
	}
}

// TestLostNeeds removes and damages the file that the strategy of a collection needs. Everything that was crawled is
// read as before, verify and Damage name the file, and only a resume is refused.
func TestLostNeeds(t *testing.T) {
	web := demo.New(demo.Config{Latency: -1, SlowLatency: -1})
	base := t.TempDir()
	accesses := filepath.Join(base, "access.log")
	var log strings.Builder
	for u := range web.Relevant("tide pools") {
		fmt.Fprintf(&log, "1286536309.430 12 10.0.0.1 TCP_MISS/200 5000 GET %s reader DIRECT/1 text/html\n", u)
		break
	}
	if err := os.WriteFile(accesses, []byte(log.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "x.dowse")
	cfg := crawler.Config{
		Topic: tidePools, Seeds: []string{string(web.Seeds("tide pools", 1)[0])},
		Settings: settings.Settings{Order: settings.Order{Strategy: "collaborative", Shadows: []string{"collaborative"}}, Limits: settings.Limits{Pages: 12}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
		Trace:    accesses, Transport: web.RoundTripper(),
	}
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(t.Context()) {
	}
	want := c.Status().Books
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, filepath.FromSlash(c.Collection.Settings.Needs.Trace))
	for what, lose := range map[string]func() error{
		"missing": func() error { return os.Remove(file) },
		"damaged": func() error { return os.WriteFile(file, []byte("dowse-trace/1\n\xff\xff"), 0o644) },
	} {
		if err := lose(); err != nil {
			t.Fatal(err)
		}
		v, err := crawler.View(dir)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got := v.Status().Books; got != want {
			t.Errorf("%s: books %+v, want %+v", what, got, want)
		}
		if err := v.Collection.Damage(); !errors.Is(err, ledger.ErrInputLost) || !strings.Contains(err.Error(), "needs/trace.bin") {
			t.Errorf("%s: damage %v, want that of needs/trace.bin", what, err)
		}
		report, err := v.Verify(nil)
		if err != nil || len(report.Problems) != 1 || report.Problems[0].Place != "needs" {
			t.Errorf("%s: verify found %v, %v; want the lost file alone", what, report.Problems, err)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		if _, err := crawler.Open(dir, crawler.Config{Transport: web.RoundTripper()}); !errors.Is(err, ledger.ErrInputLost) {
			t.Errorf("%s: a resume returned %v", what, err)
		}
	}
}
