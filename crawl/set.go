package crawl

import (
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// Set changes settings of a crawl that goes on, and records the change under a text that
// names it. Of the config it uses Limits, Polite, Late and Threshold; 0 leaves the threshold as it is. It returns how many
// visited pages have changed sides under another threshold, which applies to them and to all that follows; a crawl that is
// loaded later needs the threshold from before the first change, and where the journal ended then (see Config). The limits are part of the entry, so a replay has them from there on; politeness only
// decides when a host is asked, and by how many visits concurrently; visits in flight are finished.
//
// What Late leaves out from now on is not visited any more. Waiting URLs that it leaves out are
// taken out of the queue during the next calls of Next, each with an entry of its own. URLs that it
// left out before, and does not any more, wait again. With whole, all of the queue is looked at before Set
// returns, for a crawl that does not run.
//
// It must be called by the goroutine that owns the crawl, between two visits.
func (c *Crawl) Set(now time.Time, x Config, whole bool, text string) (sides int, err error) {
	c.in.requeueOrphans()
	c.tick(now)
	if x.Limits != c.cfg.Limits {
		c.cfg.Limits = x.Limits
		c.rec.beginRun()
	}
	c.cfg.Polite = politeness(x.Polite)
	c.hosts.setConns(c.cfg.Polite.Conns)
	if sides, err = c.in.setThreshold(now, x.Threshold); err != nil {
		return sides, err
	}
	c.in.requeue(nil, false)
	c.rec.record(&Entry{Kind: EntryRequeue, At: now, Text: text})
	changed, freed := c.in.gate.SetLate(x.Late)
	if !changed {
		return sides, nil
	}
	c.cfg.Late, c.picker.swept = x.Late, 0
	if freed != nil {
		c.requeue(now, text, func(id frontier.ID) bool { return c.in.isFreed(id, freed) })
	}
	for whole && c.in.gate.HasLate() && c.picker.swept < c.f.Len() && !c.rounds.isOpen() {
		for _, y := range c.picker.sweep(sweepSlice) {
			c.land(now, &flight{id: y.id, host: y.host, idle: true}, y.page)
		}
	}
	return sides, nil
}

// mayFetch reports whether no late part of the scope excludes a URL.
func (in *intake) mayFetch(u dowse.URL) bool { return in.gate.Late(u) == "" }

// isFreed reports whether a URL was left out by the scope and may be queued now: freed reports whether
// what left it out does so no longer.
func (in *intake) isFreed(id frontier.ID, freed func(dowse.URL) bool) bool {
	switch in.f.reason(id) {
	case dowse.SkipScopeExclude, dowse.SkipScopeHost, dowse.SkipHostBlocked:
	default:
		return false
	}
	u := in.f.URL(id)
	depth, hops := in.f.Depth(id)
	return freed(u) && in.refuses(u, id, int(depth), int(hops)) == ""
}
