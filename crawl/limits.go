package crawl

import (
	"dowse"
	"dowse/internal/frontier"
	"dowse/settings"
)

// Limits end a crawl, see [settings.Limits]. Zero means no limit.
type Limits = settings.Limits

// Dry ends a crawl when fewer than Harvest of the last Over pages were on topic.
type Dry = settings.Dry

// limitReached tells which limit has been reached, if any.
func (c *Crawl) limitReached() dowse.StopReason {
	l, s := &c.cfg.Limits, &c.stats
	switch {
	case l.Pages > 0 && s.Fetched >= l.Pages:
		return dowse.StopPages
	case l.OnTopic > 0 && s.OnTopic >= l.OnTopic:
		return dowse.StopOnTopic
	case l.Bytes > 0 && s.Bytes >= l.Bytes:
		return dowse.StopBytes
	case l.Time > 0 && s.Elapsed >= l.Time:
		return dowse.StopTime
	case l.Dry.Over > 0 && s.Fetched >= l.Dry.Over && s.window(l.Dry.Over) < l.Dry.Harvest:
		return dowse.StopDriedUp
	}
	return ""
}

// full reports whether no further visit may begin before one comes back: all
// connections are in use, or those that are out may yet use up a limit on pages.
func (c *Crawl) full() bool {
	if c.out() >= c.roomNow() {
		return true
	}
	l, s := &c.cfg.Limits, &c.stats
	return l.Pages > 0 && s.Fetched+len(c.flights) >= l.Pages || l.OnTopic > 0 && s.OnTopic+len(c.flights) >= l.OnTopic
}

// overHost reports whether a host has given all the pages it may.
func (c *Crawl) overHost(h frontier.HostID) bool {
	n := c.cfg.Limits.PerHost
	return n > 0 && int(c.hosts.at(h).fetched+c.hosts.at(h).landed) >= n
}

// promised reports whether a lead must wait because the visits that are out may
// give all the pages that its host may.
func (c *Crawl) promised(id frontier.ID, h frontier.HostID) bool {
	n, host := c.cfg.Limits.PerHost, c.hosts.at(h)
	_, again := c.visited(id)
	return n > 0 && !again && host.out > 0 && int(host.fetched+host.landed+host.out) >= n && !c.overHost(h)
}
