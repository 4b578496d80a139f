package crawl_test

import (
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/strategy/strategytest"
)

// archived gives every robots.txt of a web a place in an archive, one behind the other.
type archived struct {
	web visits
	end *int64
}

func (a archived) Visit(v crawl.Visit) (*dowse.Page, time.Duration) {
	p, took := a.web.Visit(v)
	if v.Kind == crawl.VisitRobots {
		p.Fetch.Archive = dowse.Place{File: "A-20261116000000000-00000-x.warc.gz", Offset: *a.end, Length: 100}
		*a.end += 100
	}
	return p, took
}

// TestTakedownOfHostsKeepsTheArchive takes down all that a crawl has seen, with the names
// of its hosts. The journal still knows how far the archive is committed: what follows the
// last place is cut off when a collection is opened.
func TestTakedownOfHostsKeepsTheArchive(t *testing.T) {
	dir := t.TempDir()
	toy, seeds := strategytest.Random(200, 5)
	cfg, j := journalled(t, dir, hurried(follow(queueAll)))
	c := fresh(t, cfg)
	c.Start(epoch, seeds)
	c.Resume(crawl.Limits{Pages: 20, Depth: 30})
	d := &driver{c: c, now: epoch}
	d.run(archived{withRobots{toy}, new(int64)}, 6)
	if err := j.Sync(); err != nil {
		t.Fatal(err)
	}
	want := c.LastArchived()
	ids := map[frontier.ID]bool{}
	for id := range frontier.ID(c.Frontier().Len()) {
		ids[id] = true
	}
	takeDown(t, dir, c, ids, false)
	j.Close()

	_, j = journalled(t, dir, hurried(follow(queueAll)))
	robots := 0
	if _, err := j.Redact(crawl.Redaction{Edit: func(e *crawl.Entry) bool {
		if e.Kind != crawl.EntryRobots || e.Host == "" {
			return false
		}
		robots++
		e.Host, e.Page.URL = "", ""
		return true
	}, Gone: func(frontier.ID) bool { return true }}); err != nil || robots == 0 {
		t.Fatalf("%d entries of robots.txt blanked: %v", robots, err)
	}
	j.Close()

	cfg, j = journalled(t, dir, hurried(follow(queueAll)))
	c = fresh(t, cfg)
	if _, _, err := c.Fold(j, 0, nil); err != nil {
		t.Fatal(err)
	}
	if got := c.LastArchived(); got != want || want.File == "" {
		t.Errorf("the archive is committed up to %v, want %v", got, want)
	}
}
