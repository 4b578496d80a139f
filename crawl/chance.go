package crawl

import (
	"maps"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// A URL whose connections break, or that gets no answer in time, is settled as failed after
// its tries if its host answers for other URLs. On a bad line that is bad luck for some of
// them. So before the crawl ends, when nothing else is left to visit, such URLs wait again
// for one more visit, five times at most, with growing rests between. Nothing of this costs
// anything before the end. Each time is an entry of the journal (EntryRequeue with
// chanceText), so a replay repeats it exactly.
const (
	maxChances  = 5               // for one URL; at three resets in ten all of 3 + 5 visits fail for one URL in 15,000
	chanceRest  = 2 * time.Second // before the first chance; four times as long before each further one
	chancePart  = 8               // a rest is at most one part in so many of Patience
	chanceMost  = 16              // failed URLs of a host, or
	chanceShare = 4               // one in so many of its pages: with more, the host breaks connections on purpose
)

// chanceText marks the entry of the journal.
const chanceText = "second chance"

// secondChance lets URLs that failed by their connection wait again, as the crawl has
// nothing else to visit. It returns when to ask again; false if no URL has a chance left.
func (c *Crawl) secondChance(now time.Time) (when time.Time, ok bool) {
	if c.chanceAt.After(now) {
		return c.chanceAt, true
	}
	list, used := c.unlucky()
	if len(list) == 0 || c.round != nil || c.out() > 0 {
		return time.Time{}, false
	}
	if c.chanceAt.IsZero() {
		c.chanceAt = now.Add(min(chanceRest<<(2*used), c.cfg.Polite.Patience/chancePart))
		return c.chanceAt, true
	}
	c.chanceAt = time.Time{}
	c.giveChance(list)
	c.record(&Entry{Kind: EntryRequeue, At: now, Text: chanceText, Round: list})
	return now, true
}

// noteUnlucky keeps which URLs failed by their connection in the end.
func (c *Crawl) noteUnlucky(id frontier.ID, p *dowse.Page) {
	trouble := p.Reason == dowse.FailConnect || p.Reason == dowse.FailTimeout
	if p.Outcome == dowse.Failed && trouble && p.Host != nil && p.Host.BackOff {
		c.chances[id] += 0 // it is there from now on
		return
	}
	delete(c.chances, id)
}

// unlucky returns the URLs that failed by their connection, on hosts that answer, and that
// have a chance left; and how many chances the most unlucky of them has used.
func (c *Crawl) unlucky() (list []frontier.ID, used uint8) {
	failed := map[frontier.HostID]uint32{}
	for id := range c.chances {
		failed[c.f.Host(id)]++
	}
	for _, id := range slices.Sorted(maps.Keys(c.chances)) {
		h := c.f.Host(id)
		if c.chances[id] < maxChances && c.mayRequeue(id) && failed[h] <= c.maxUnlucky(h) {
			list = append(list, id)
			used = max(used, c.chances[id])
		}
	}
	return list, used
}

// maxUnlucky returns how many URLs of a host may get a chance: none if it does not answer.
func (c *Crawl) maxUnlucky(id frontier.HostID) uint32 {
	h := c.hosts.at(id)
	if !h.answered || h.mute != 0 || h.backOffs >= parkedAfter {
		return 0
	}
	return max(chanceMost, h.fetched/chanceShare)
}

// giveChance lets URLs wait for one more visit each.
func (c *Crawl) giveChance(list []frontier.ID) {
	list = slices.DeleteFunc(slices.Clone(list), func(id frontier.ID) bool { return !c.mayRequeue(id) })
	c.requeueAll(list)
	for _, id := range list {
		c.chances[id]++
		c.tries[id] = uint8(c.cfg.Tries - 1)
		if h := c.hosts.of(c.f.Host(id)); h.failed > 0 {
			h.failed-- // it is not settled after all
		}
	}
}

// forgetChances makes URLs that a person puts back count as ones that never had a chance.
func (c *Crawl) forgetChances(list []frontier.ID) {
	for _, id := range list {
		delete(c.chances, id)
	}
}

// chances writes how many chances URLs have had.
func (e *enc) chances(c *Crawl) {
	e.u(uint64(len(c.chances)))
	for _, id := range slices.Sorted(maps.Keys(c.chances)) {
		e.u(uint64(id))
		e.byte(c.chances[id])
	}
}

// chances reads them; snapshots of earlier versions have none.
func (d *dec) chances(c *Crawl) {
	if len(d.Rest) == 0 {
		return
	}
	for range d.items(2) {
		id := frontier.ID(d.u())
		c.chances[id] = d.byte()
	}
}
