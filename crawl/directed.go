package crawl

import (
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// This file lets a driver say which visits are made, and when: it knows of a crawl only
// what was fetched, and makes the rest again from that.

// Direct returns the visit to a URL, wherever the URL stands. One that nothing led to is
// begun with, as a seed is. The time between two such visits does not count as time at
// work.
func (c *Crawl) Direct(now time.Time, u dowse.URL) Visit {
	c.ground()
	c.lastNow = now
	c.leases = c.leases[:0] // those of visits that came back
	id, ok := c.f.Find(u)
	if !ok {
		c.Start(now, []dowse.URL{u})
		id, _ = c.f.Find(u)
	}
	h := c.f.Host(id)
	c.f.Take(id)
	c.moved(id, taken)
	c.f.Begin(h)
	return c.takeOff(id, h, now, 0)
}

// DirectRobots returns the visit to the robots.txt of a host. It reports false for a host
// that nothing led to.
func (c *Crawl) DirectRobots(now time.Time, u dowse.URL) (Visit, bool) {
	c.ground()
	c.lastNow = now
	c.leases = c.leases[:0]
	h, ok := c.f.HostOf(weburl.Host(u))
	if !ok || !c.cfg.Robots {
		return Visit{}, false
	}
	v := Visit{Kind: VisitRobots, URL: u, Deadline: now.Add(c.cfg.Lease)}
	for range c.cfg.Polite.Conns {
		c.f.Begin(h)
	}
	c.asking[h] = &flight{visit: v, id: frontier.None, host: h, began: now}
	return v, true
}
