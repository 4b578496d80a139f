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
// for one more visit, several times, with growing rests between. Nothing of this costs
// anything before the end. Each requeue is an entry of the journal (EntryRequeue with
// chanceText), so a replay repeats it exactly.
const (
	maxChances  = 7               // for one URL; at three resets in ten all of 3 + 7 visits fail for one URL in 170,000
	fewChances  = 2               // for one URL where no URL that failed was ever answered later
	chanceKnown = 16              // pages of a host that suffice to show whether URLs that failed are answered later
	chanceRest  = 2 * time.Second // before the first chance; four times as long before each further one
	chancePart  = 8               // a rest is at most Patience divided by this
	chanceMost  = 16              // failed URLs of a host, or
	chanceShare = 4               // its pages divided by this: with more, the host breaks connections on purpose
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
// ok is false if no URL has a chance left. The first call plans a rest, which is longer
// the more chances were used: a line that was bad a moment ago is bad still.
func (c *chances) due(now time.Time) (list []frontier.ID, when time.Time, ok bool) {
	if c.at.After(now) {
		return nil, c.at, true
	}
	list, used := c.unlucky()
	if len(list) == 0 || c.in.rounds.isOpen() || c.in.hosts.awaitsAnswer() {
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
		if c.used[id] < c.each(h) && f.mayRequeue(id) && failed[h] <= c.most(h) {
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

// each returns how many chances a URL of a host gets. If failures are bad luck, other URLs
// failed as well and were answered at a later try. Where that never happened, or not on a
// host with enough pages to show it, the URL fails for a reason of its own, and one more visit
// will do.
func (c *chances) each(id frontier.HostID) uint8 {
	h := c.in.hosts.at(id)
	if h.recovered > 0 || c.in.hosts.tries.recovered && h.fetched < chanceKnown {
		return maxChances
	}
	return fewChances
}

// give requeues URLs for one more visit each. They come after all others of their hosts.
func (c *chances) give(list []frontier.ID) {
	list = slices.DeleteFunc(slices.Clone(list), func(id frontier.ID) bool { return !c.in.f.mayRequeue(id) })
	c.in.requeue(list, false)
	for _, id := range list {
		c.used[id]++
		c.in.hosts.tries.failed[id] = uint8(c.in.cfg.Tries - 1)
		c.in.hosts.tries.broke[id] = stepBackAfter
	}
}

// forget resets the chances of URLs that a person requeues.
func (c *chances) forget(list []frontier.ID) {
	for _, id := range list {
		delete(c.used, id)
	}
}
