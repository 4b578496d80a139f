package crawl

import (
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// A host that accepts connections and never answers holds each of them until a timeout. A
// thousand such hosts would hold all connections for minutes, while hosts that answer
// wait. So a host that never answered, or not lately, is late: hosts that are not late come
// first, and late ones share a part of the connections, and of the turns, so that they
// are tried again all the same. And while there are more hosts to visit than free
// connections, a host that was never heard of is waited for less long, and longer at each
// further try.
const (
	lateConns = 4 // one connection in so many, at least one, may serve late hosts while others wait
	lateAfter = 3 // visits in a row without an answer make a host late that had answered before
	lateTurns = 8 // one visit in so many goes to a late host, if there is one

	strangerConns = 8               // patience is short once one connection in so many serves strangers
	shortPatience = 3 * time.Second // for the first answer of a stranger; four times as long at each further try
)

// hear takes note of whether a visit to a host was answered, by whatever status.
func (c *Crawl) hear(id frontier.HostID, p *dowse.Page) {
	h := c.hosts.of(id)
	switch {
	case !unheard(p):
		h.silent = 0
	case h.silent < 255:
		h.silent++
	}
	c.f.SetLate(id, h.isLate())
}

// unheard reports whether a visit failed for the host's sake without an answer of any
// status.
func unheard(p *dowse.Page) bool {
	r := p.Host
	return r != nil && (r.BackOff || r.Down) && p.Fetch.Status == 0 && (r.Robots == nil || r.Robots.Status == 0)
}

// isLate reports whether a host never answered, or not lately.
func (h host) isLate() bool {
	return h.silent > 0 && (uint32(h.silent) >= h.requests || h.silent >= lateAfter)
}

// isStranger reports whether a host was never visited, or is late.
func (h host) isStranger() bool { return h.requests == 0 || h.isLate() }

// occupied counts a visit that begins, by the kind of its host.
func (c *Crawl) occupied(fl *flight) {
	fl.late, fl.stranger = c.f.Late(fl.host), c.hosts.at(fl.host).isStranger()
	c.lateOut += count(fl.late)
	c.strangersOut += count(fl.stranger)
}

// vacated counts a visit that has ended.
func (c *Crawl) vacated(fl *flight) {
	c.lateOut -= count(fl.late)
	c.strangersOut -= count(fl.stranger)
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// patience returns how long a visit to a host waits for the first answer; 0 means as long
// as the visitor does anyway.
func (c *Crawl) patience(id frontier.HostID) time.Duration {
	p, h := &c.cfg.Polite, c.hosts.at(id)
	scarce := c.f.HostsWaiting() > p.InFlight-c.out() && c.strangersOut >= p.InFlight/strangerConns
	if !scarce || !h.isStranger() || h.silent > 2 {
		return 0
	}
	return shortPatience << (2 * h.silent)
}

// lateRoom reports whether a further visit to a late host may begin: they have not used
// up their part of the connections, or no others want any.
func (c *Crawl) lateRoom(others bool) bool {
	return c.lateOut < max(1, c.cfg.Polite.InFlight/lateConns) || !others && c.out() == c.lateOut
}

// lateTurn reports whether the visit to come is one that goes to a late host first.
func (c *Crawl) lateTurn() bool {
	return (c.stats.Requests+c.out())%lateTurns == lateTurns-1 && c.lateRoom(true)
}

// nextRested takes out the best lead among the hosts that are rested.
func (c *Crawl) nextRested(now time.Time) (id frontier.ID, when time.Time, ok bool) {
	if c.lateTurn() {
		if id, when, ok = c.f.NextLate(now); ok {
			return id, when, ok
		}
	}
	id, when, ok = c.f.Next(now)
	if !ok && c.lateRoom(!c.f.OnlyLate()) {
		return c.f.NextLate(now)
	}
	return id, when, ok
}
