package crawler

import (
	"cmp"
	"context"
	"time"
)

// When the readable views of a collection (lists, index, log, data card) are brought up to
// date while a crawl runs.
const (
	viewsEvery = time.Minute
	viewsPages = 1000
	viewsPause = 5 * time.Second // at least, unless there are viewsMany new pages
	viewsMany  = 4000
	viewsWait  = 2 * time.Second // for the servers of a cluster
	viewsShare = 20              // at most this part (1/20) of the time is spent on it
)

// A viewClock decides when the views are due.
type viewClock struct {
	every time.Duration // between two times; 0 for viewsEvery
	last  time.Time     // when they were last written, or the run began
	pages int           // fetched until then
	took  time.Duration // for writing them
}

// due reports whether the views are to be written.
func (v *viewClock) due(now time.Time, pages int) bool {
	since, fresh := now.Sub(v.last), pages-v.pages
	many := fresh >= viewsPages && since >= viewsPause || fresh >= viewsMany
	return fresh != 0 && (since >= cmp.Or(v.every, viewsEvery) || many) && since >= viewsShare*v.took
}

// growViews brings the views up to date if they are due. The loop calls it between two
// visits, when everything that is archived is also recorded: after a commit the index can't
// be ahead of the journal. In the middle of a round it could, so it waits. Views can be
// written again at any time, so an error does not end the crawl; the end of the run reports it.
func (c *Crawler) growViews(now time.Time) {
	pages := c.Collection.Crawl.Books().Fetched
	if !c.views.due(now, pages) || c.Collection.Crawl.MidRound() {
		return
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(c.giveUp, viewsWait)
	defer cancel()
	if c.commitWithin(ctx) == nil {
		_ = c.Collection.Summarise()
	}
	c.views.last, c.views.pages, c.views.took = now, pages, time.Since(began)
}
