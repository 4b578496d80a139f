package crawl

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// What Requeue knows beside reasons and hosts.
const (
	RequeueFailed    = "failed"    // every URL that failed
	RequeueUnreached = "unreached" // what waits for hosts that do not answer
)

// Requeue lets URLs wait again that failed or were left out: those that failed
// (RequeueFailed), those that failed or were left out for a reason, or those of a host
// that failed. The hosts that they are on are asked as if they had never failed, and
// robots.txt that could not be read is asked for again. It returns how many URLs there
// are; for RequeueUnreached, how many waited. What was taken down stays so. The error is
// ErrRequeue if what is none of these.
func (c *Crawl) Requeue(now time.Time, what string) (int, error) {
	if what == RequeueUnreached {
		n := 0
		if u := c.Unreached(); u != nil {
			n = u.URLs
		}
		c.Wake(now)
		return n, nil
	}
	host, isHost := c.f.HostOf(what)
	if what != RequeueFailed && !isHost && reasonCode(dowse.Reason(what)) == 0 {
		return 0, fmt.Errorf("%q: %w", what, ErrRequeue)
	}
	n := c.requeue(now, what, func(id frontier.ID) bool {
		dead := c.f.State(id) == dowse.Dead
		switch {
		case what == RequeueFailed:
			return dead
		case isHost && c.f.Host(id) == host:
			return dead
		}
		return reasonOf(c.f.Reason(id)) == dowse.Reason(what)
	})
	return n, nil
}

// ErrRequeue is returned for what is neither a host of the crawl, a reason, nor one of
// the words that Requeue knows.
var ErrRequeue = errors.New("no such host or reason")

// RequeueSeeds lets seeds wait again that failed or were left out. It is for a crawl
// that has fetched nothing: the seeds are all there is.
func (c *Crawl) RequeueSeeds(now time.Time, seeds []dowse.URL) int {
	is := map[frontier.ID]bool{}
	for _, u := range seeds {
		if id, ok := c.f.Find(u); ok {
			is[id] = true
		}
	}
	return c.requeue(now, "seeds", func(id frontier.ID) bool { return is[id] })
}

func (c *Crawl) requeue(now time.Time, what string, wanted func(frontier.ID) bool) int {
	c.ground()
	c.clock(now)
	var list []frontier.ID
	for id := range frontier.ID(c.f.Len()) {
		if c.mayRequeue(id) && wanted(id) {
			list = append(list, id)
		}
	}
	if len(list) == 0 {
		return 0
	}
	c.requeueAll(list)
	c.forgetChances(list)
	c.record(&Entry{Kind: EntryRequeue, At: now, Text: what, Round: list})
	return len(list)
}

func (c *Crawl) mayRequeue(id frontier.ID) bool {
	state := c.f.State(id)
	return (state == dowse.Dead || state == dowse.Excluded) && !c.forgotten(id)
}

func (c *Crawl) requeueAll(list []frontier.ID) {
	hosts := map[frontier.HostID]bool{}
	for _, id := range list {
		if !c.mayRequeue(id) {
			continue
		}
		if v, ok := c.f.Visit(id); ok && v.Relevance == 0 { // it was never fetched
			c.reborn[id] = true
		}
		c.forgetTries(id)
		c.f.SetReason(id, 0)
		c.queueAgain(id)
		hosts[c.f.Host(id)] = true
	}
	ids := make([]frontier.HostID, 0, len(hosts))
	for id := range hosts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		h := c.hosts.of(id)
		if h.mute != 0 {
			h.robots, h.robotsPlace, h.robotsUntil, h.mute = nil, 0, time.Time{}, 0
		}
		c.forgiveHost(id)
	}
	c.asked = false
}

func (c *Crawl) replayRequeue(e *Entry) error {
	for _, id := range e.Round {
		if !c.known(id) {
			return errors.New("a URL that nothing led to waits again")
		}
	}
	if e.Text == chanceText {
		c.giveChance(e.Round)
		return nil
	}
	c.requeueAll(e.Round)
	c.forgetChances(e.Round)
	return nil
}

// visited returns what is known of the visit to a URL; false if it was never visited,
// or waits again after a visit that failed.
func (c *Crawl) visited(id frontier.ID) (frontier.Visit, bool) {
	if c.reborn[id] {
		return frontier.Visit{}, false
	}
	return c.f.Visit(id)
}
