package crawl

import (
	"maps"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// Second chances. A URL whose connections break, or that gets no answer in time, fails after
// its tries if its host answers for other URLs. On a bad line that is bad luck for some of
// them. So before the crawl ends, when nothing else is left to visit, such URLs wait again
// for one more visit, five times at most, with growing rests between. Nothing of this costs
// anything before the end. Each requeue is an entry of the journal (EntryRequeue with
// chanceText), so a replay repeats it exactly.
const (
	maxChances  = 5               // for one URL; at three resets in ten all of 3 + 5 visits fail for one URL in 15,000
	chanceRest  = 2 * time.Second // before the first chance; four times as long before each further one
	chancePart  = 8               // a rest is at most one part in so many of Patience
	chanceMost  = 16              // failed URLs of a host, or
	chanceShare = 4               // one in so many of its pages: with more, the host breaks connections on purpose
)

// chanceText marks the journal entries of second chances.
const chanceText = "second chance"

// chances are the additional visits that URLs get at the end of a crawl.
type chances struct {
	in   *intake
	used map[frontier.ID]uint8 // by URLs that failed by their connection
	at   time.Time             // when they are given; zero if that is not planned
}

func newChances(in *intake) *chances { return &chances{in: in, used: map[frontier.ID]uint8{}} }

// note records which URLs finally failed because of their connection.
func (c *chances) note(id frontier.ID, p *dowse.Page) {
	trouble := p.Reason == dowse.FailConnect || p.Reason == dowse.FailTimeout
	if p.Outcome == dowse.Failed && trouble && p.Host != nil && p.Host.BackOff {
		c.used[id] += 0 // it is there from now on
		return
	}
	delete(c.used, id)
}

// due returns the URLs that get a second chance at now, or the time to call it again.
// ok is false if no URL has a chance left.
func (c *chances) due(now time.Time) (list []frontier.ID, when time.Time, ok bool) {
	if c.at.After(now) {
		return nil, c.at, true
	}
	list, used := c.unlucky()
	if len(list) == 0 || c.in.rounds.isOpen() || c.in.hosts.flights.out() > 0 {
		return nil, time.Time{}, false
	}
	if c.at.IsZero() {
		c.at = now.Add(min(chanceRest<<(2*used), c.in.cfg.Polite.Patience/chancePart))
		return nil, c.at, true
	}
	c.at = time.Time{}
	return list, now, true
}

// unlucky returns the URLs that failed because of their connection, on hosts that
// answer, and that have a chance left; and the largest number of chances that one of
// them has used.
func (c *chances) unlucky() (list []frontier.ID, used uint8) {
	f := c.in.f
	failed := map[frontier.HostID]uint32{}
	for id := range c.used {
		failed[f.Host(id)]++
	}
	for _, id := range slices.Sorted(maps.Keys(c.used)) {
		h := f.Host(id)
		if c.used[id] < maxChances && f.mayRequeue(id) && failed[h] <= c.most(h) {
			list = append(list, id)
			used = max(used, c.used[id])
		}
	}
	return list, used
}

// most returns how many URLs of a host may get a chance: none if the host does not
// answer.
func (c *chances) most(id frontier.HostID) uint32 {
	h := c.in.hosts.at(id)
	if !h.answered || h.mute != 0 || h.backOffs >= parkedAfter {
		return 0
	}
	return max(chanceMost, h.fetched/chanceShare)
}

// give requeues URLs for one more visit each.
func (c *chances) give(list []frontier.ID) {
	list = slices.DeleteFunc(slices.Clone(list), func(id frontier.ID) bool { return !c.in.f.mayRequeue(id) })
	c.in.requeue(list, false)
	for _, id := range list {
		c.used[id]++
		c.in.hosts.tries.failed[id] = uint8(c.in.cfg.Tries - 1)
		if h := c.in.hosts.of(c.in.f.Host(id)); h.failed > 0 {
			h.failed-- // it is not settled after all
		}
	}
}

// forget resets the chances of URLs that a person requeues.
func (c *chances) forget(list []frontier.ID) {
	for _, id := range list {
		delete(c.used, id)
	}
}
