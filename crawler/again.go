package crawler

import (
	"fmt"
	"slices"

	"dowse"
)

// askSeedsAgain lets a crawl that has fetched nothing begin once more: with the seeds
// that it was begun with, and with those that were given now. So a first crawl without
// a network, or with a mistyped seed, is no dead end.
func (c *Crawler) askSeedsAgain(seeds []dowse.URL) {
	cr := c.Collection.Crawl
	if cr.Status().Fetched > 0 {
		return
	}
	now := c.live.Clock()
	known := cr.Books().Known > 0
	n := cr.RequeueSeeds(now, seeds)
	var fresh []dowse.URL
	for _, u := range seeds {
		if _, ok := cr.Frontier().Find(u); !ok {
			fresh = append(fresh, u)
		}
	}
	if len(fresh) > 0 {
		cr.Start(now, fresh)
	}
	if known && n+len(fresh) > 0 {
		c.Notes = append(c.Notes, "nothing was fetched so far: the seeds are asked again")
	}
	for _, u := range fresh {
		if s := string(u); known && !slices.Contains(c.Collection.Settings.Seeds, s) {
			c.Collection.Settings.Seeds = append(c.Collection.Settings.Seeds, s)
		}
	}
}

// requeue puts URLs back into the queue, as a person asked.
func (c *Crawler) requeue(list []string) error {
	for _, what := range list {
		n, err := c.Collection.Crawl.Requeue(c.live.Clock(), what)
		if err != nil {
			return fmt.Errorf("crawler: retry %w", err)
		}
		c.Notes = append(c.Notes, fmt.Sprintf("retry %s: %d URLs are asked again", what, n))
	}
	return nil
}
