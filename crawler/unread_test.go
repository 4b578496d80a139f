package crawler_test

import (
	"path/filepath"
	"testing"

	"dowse"
	"dowse/crawler"
)

// TestBrokenLoop breaks the loop over the pages of a crawl again and again: together the loops see every
// page that was fetched, each once.
func TestBrokenLoop(t *testing.T) {
	c := openPools(t, filepath.Join(t.TempDir(), "pools.dowse"), 60)
	defer c.Close()
	seen := map[dowse.URL]int{}
	for loop := range 60 {
		n := 0
		for p := range c.Crawl(t.Context()) {
			seen[p.URL]++
			if n++; n == 3 && loop < 15 {
				break
			}
		}
		if err := c.Err(); err != nil {
			t.Fatal(err)
		}
		if n < 3 {
			break
		}
		if loop < 5 && c.StopReason() != dowse.StopSignal {
			t.Fatalf("loop %d was broken, and stopped because of %q", loop, c.StopReason())
		}
	}
	if got := c.Status().Fetched; got != 60 || len(seen) != 60 {
		t.Errorf("the loops saw %d of %d pages, want 60 of 60", len(seen), got)
	}
	for u, n := range seen {
		if n != 1 {
			t.Errorf("the loops saw %s %d times", u, n)
		}
	}
}

// TestViewIsNotCrawled crawls a collection that was opened to be read, which is an error.
func TestViewIsNotCrawled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pools.dowse")
	c := openPools(t, dir, 5)
	for range c.Crawl(t.Context()) {
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	v, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for p := range v.Crawl(t.Context()) {
		t.Errorf("a view fetched %s", p.URL)
	}
	if v.Err() == nil {
		t.Error("a view was crawled without an error")
	}
	if v.StopReason() != dowse.StopPages {
		t.Errorf("the last run stopped because of %q, want %q", v.StopReason(), dowse.StopPages)
	}
}
