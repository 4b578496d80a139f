package experiment

import (
	"context"
	"errors"
	"testing"
)

// TestEfforts: each process that makes crawls records what it spent and by which program, also if
// it is interrupted; one that finds the run complete records nothing.
func TestEfforts(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	stopAfterTwo := func(p Progress) {
		if p.Stage == "crawling" && p.Done == 2 {
			cancel()
		}
	}
	if _, err := Run(ctx, parsed(t, small), Options{Dir: dir, Cache: cache, Jobs: 1, Version: "v", Progress: stopAfterTwo}); !errors.Is(err, context.Canceled) {
		t.Fatalf("the first process ended with %v, want that it was cancelled", err)
	}
	r := ran(t, small, Options{Dir: dir, Version: "v"})
	ran(t, small, Options{Dir: dir, Version: "v"})
	again, _, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Efforts) != 2 {
		t.Fatalf("%d efforts, want 2: %+v", len(again.Efforts), again.Efforts)
	}
	first, second := again.Efforts[0], again.Efforts[1]
	if first.Crawls != 2 || first.Crawls+second.Crawls != len(r.Trails) {
		t.Errorf("%d and %d crawls, want 2 and the other %d", first.Crawls, second.Crawls, len(r.Trails)-2)
	}
	for _, e := range again.Efforts {
		if e.Version != "v" || e.Elapsed <= 0 || e.Begun.IsZero() {
			t.Errorf("incomplete: %+v", e)
		}
	}
}
