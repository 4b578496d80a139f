package crawler_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/collection"
	"dowse/crawler"
	"dowse/demo"
)

// TestTrace crawls the made web for what two people went to see, stops, and goes
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
			Topic: tidePools, Seeds: []string{string(web.Seeds("tide pools", 1)[0])}, StrategyName: "collaborative",
			Trace: accesses, Pages: pages, Transport: web.RoundTripper(), Polite: collection.Politeness{Delay: -1, InFlight: 1},
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
	if _, err := crawler.NeedsOf(crawler.Config{Trace: filepath.Join(base, "none.log")}, 1); err == nil || !strings.Contains(err.Error(), "none.log") {
		t.Errorf("a trace that is not there: %v", err)
	}
}
