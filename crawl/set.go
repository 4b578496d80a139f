package crawl

import "time"

// Set changes the limits and the politeness of a crawl that goes on, and records the change
// under a text that names it. The limits are part of the entry, so a replay has them from there
// on; politeness only decides when a host is asked. The number of concurrent visits per host
// stays as it is until the crawl is loaded again.
//
// It must be called by the goroutine that owns the crawl, between two visits.
func (c *Crawl) Set(now time.Time, l Limits, p Politeness, text string) {
	c.in.requeueOrphans()
	c.tick(now)
	if l != c.cfg.Limits {
		c.cfg.Limits = l
		c.rec.beginRun()
	}
	conns := c.cfg.Polite.Conns
	c.cfg.Polite = politeness(p)
	c.cfg.Polite.Conns = conns
	c.in.requeue(nil, false)
	c.rec.record(&Entry{Kind: EntryRequeue, At: now, Text: text})
}
