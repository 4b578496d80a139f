package crawl

import (
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// This file is for a driver that decides itself which visits are made, and when: it knows of
// a crawl only what was fetched, and makes the rest again from that.

// Direct returns the visit to a URL, whatever state the URL has. A URL that no link
// led to is treated as a seed, and a page that was visited is asked again. The time between
// two such visits does not count as working time.
func (c *Crawl) Direct(now time.Time, u dowse.URL) Visit {
	c.in.requeueOrphans()
	c.clock.last = now
	c.flights.forgetLeases()
	id, ok := c.f.Find(u)
	if !ok {
		c.Start(now, []dowse.URL{u})
		id, _ = c.f.Find(u)
	}
	h := c.f.Host(id)
	if c.f.State(id) == dowse.Visited {
		c.picker.beginCheck(now, id, c.picker.knownSince(id), 0)
	} else {
		c.f.Take(id)
		c.rec.taken(id)
	}
	c.f.Begin(h)
	return c.beginVisit(id, h, now, 0)
}

// DirectRobots returns the visit to the robots.txt of a host. ok is false for a host
// that no link led to.
func (c *Crawl) DirectRobots(now time.Time, u dowse.URL) (Visit, bool) {
	c.in.requeueOrphans()
	c.clock.last = now
	c.flights.forgetLeases()
	h, ok := c.f.HostOf(weburl.Host(u))
	if !ok || !c.cfg.Robots {
		return Visit{}, false
	}
	v := Visit{Kind: VisitRobots, URL: u, Deadline: now.Add(c.cfg.Lease)}
	slots := c.cfg.Polite.Conns
	for range slots {
		c.f.Begin(h)
	}
	c.flights.asking[h] = &flight{visit: v, id: frontier.None, host: h, began: now, slots: slots}
	return v, true
}
