package crawler

import (
	"fmt"
	"slices"

	"dowse"
	"dowse/internal/plain"
)

// addSeeds adds the seeds that are given at a resume to those that the
// collection keeps. Kept seeds that are not in the frontier are queued
// again, since a crash may have come before the first commit. A seed that
// was taken down is not added. Notes report what was added. New seeds are
// committed to the journal here, and to the settings when the caller saves
// these.
func (c *Crawler) addSeeds(kept, given []dowse.URL) error {
	c.requeueSeeds(slices.Concat(kept, given))
	cr := c.Collection.Crawl
	var fresh []dowse.URL
	for _, u := range kept { // a crash may have come before they were queued
		if _, ok := cr.Frontier().Find(u); !ok {
			fresh = append(fresh, u)
		}
	}
	var added []dowse.URL
	known := 0
	for _, u := range given {
		switch {
		case cr.Reason(u) == dowse.SkipForgotten:
			c.Notes = append(c.Notes, fmt.Sprintf("the seed %s was taken down and is not added", u))
		case !slices.Contains(kept, u) && c.startable(u):
			added = append(added, u)
		default:
			known++
		}
	}
	fresh = append(fresh, added...)
	if len(added) > 0 {
		c.Notes = append(c.Notes, "added "+plain.Some(len(added), "seed"))
	}
	if known > 0 {
		c.Notes = append(c.Notes, plain.Some(known, "seed")+" not added: known already")
	}
	if len(fresh) == 0 {
		return nil
	}
	cr.Start(c.live.Clock(), fresh)
	for _, u := range added {
		c.Collection.Settings.Seeds = append(c.Collection.Settings.Seeds, string(u))
		if why := cr.Reason(u); why != "" {
			c.Notes = append(c.Notes, fmt.Sprintf("the seed %s is left out: %s", u, why))
		}
	}
	return c.commit()
}

// startable reports whether a URL can become a seed: the crawl does not know
// it, or it was held or excluded for a reason that need not apply to a seed.
func (c *Crawler) startable(u dowse.URL) bool {
	f := c.Collection.Crawl.Frontier()
	id, ok := f.Find(u)
	if !ok {
		return true
	}
	state := f.State(id)
	return state == dowse.Held || state == dowse.Excluded
}

// requeueSeeds queues all seeds again if the crawl has fetched nothing so
// far. So a first run without a network does not leave a crawl that can't
// continue.
func (c *Crawler) requeueSeeds(seeds []dowse.URL) {
	cr := c.Collection.Crawl
	if cr.Status().Fetched > 0 {
		return
	}
	if n := cr.RequeueSeeds(c.live.Clock(), seeds); n > 0 {
		c.Notes = append(c.Notes, "nothing was fetched so far: the seeds are asked again")
	}
}

// requeue queues URLs again that failed or were skipped, as Config.Retry
// demands.
func (c *Crawler) requeue(list []string) error {
	for _, what := range list {
		n, err := c.Collection.Crawl.Requeue(c.live.Clock(), what)
		if err != nil {
			return fmt.Errorf("crawler: retry %w", err)
		}
		c.Notes = append(c.Notes, fmt.Sprintf("retry %s: %s to ask again", what, plain.Some(n, "URL")))
	}
	return nil
}
