package main

import (
	"strings"
	"testing"
)

// TestPage holds the cheap web to what it is said to be.
func TestPage(t *testing.T) {
	w := newWeb(20_000, 0, 0, 1)
	bytes, tags, words := 0, 0, 0
	for n := range 50 {
		p := string(w.page(nil, n*97))
		bytes += len(p)
		tags += strings.Count(p, "<")
		if links := strings.Count(p, "<a "); links != pageLinks {
			t.Fatalf("%d links, want %d", links, pageLinks)
		}
		words += len(strings.Fields(p))
	}
	t.Logf("mean page: %d bytes, %d tags, about %d words", bytes/50, tags/50, words/50)
	if mean := bytes / 50; mean < 17_000 || mean > 23_000 {
		t.Errorf("mean page of %d bytes, want about 20,000", mean)
	}
}
