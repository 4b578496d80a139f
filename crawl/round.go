package crawl

import (
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// A round is a list of leads that are visited together. Every page of it is
// followed against the state as it was when the list was made, in list order
// (SPEC B.1), whatever order the visits came back in.
type round struct {
	list  []frontier.ID
	place map[frontier.ID]int
	turns []*landed // by place in the list; nil while out
	wait  []frontier.ID
	left  int // visits that have not come back
}

type landed struct {
	now time.Time
	fl  *flight
	p   *dowse.Page
}

func (r *round) has(id frontier.ID) bool { _, ok := r.place[id]; return ok }

// leave takes a member out of those that wait.
func (r *round) leave(id frontier.ID) {
	if i := slices.Index(r.wait, id); i >= 0 {
		r.wait = slices.Delete(r.wait, i, i+1)
	}
}

// ground lets all members wait that have not come back.
func (r *round) ground() {
	r.wait = r.wait[:0]
	for i, id := range r.list {
		if r.turns[i] == nil {
			r.wait = append(r.wait, id)
		}
	}
}

// back lets a member of the round be visited once more.
func (r *round) back(id frontier.ID) {
	if r.has(id) {
		r.wait = append(r.wait, id)
	}
}

// pickRound returns a visit of the current round whose host is rested, and makes a
// new round when the last one is done.
func (c *Crawl) pickRound(now time.Time) (Visit, time.Time, bool) {
	for {
		if c.round == nil && !c.newRound(now) {
			return Visit{}, time.Time{}, false
		}
		if c.roundIsGivenUp(now) {
			if c.out() > 0 {
				return Visit{}, c.nextDeadline(), false
			}
			c.endRound(now) // the next one is made of others
			continue
		}
		id, when := c.memberAt(now)
		if id == frontier.None {
			return Visit{}, when, false
		}
		h := c.f.Host(id)
		if (c.wantsRobots(h, now) || c.witness(id, h)) && !c.leadsToFarm(id) {
			c.f.Begin(h)
			return c.askRobots(id, h, now), time.Time{}, true
		}
		c.round.leave(id)
		c.f.Take(id)
		c.moved(id, taken)
		if l, ok := c.recall(now, id); ok {
			c.arrive(l)
			continue
		}
		if outcome, why, detail := c.forbids(id, h); why != "" {
			c.arrive(&landed{now, &flight{id: id, host: h, idle: true}, c.unvisited(id, outcome, why, detail)})
			continue
		}
		c.f.Begin(h)
		return c.takeOff(id, h, now, 0), time.Time{}, true
	}
}

// memberAt returns the first lead of the round that may be visited at now, one of a late
// host only if there is no other. If there is none, when tells at what time there may be
// one.
func (c *Crawl) memberAt(now time.Time) (id frontier.ID, when time.Time) {
	late, others := frontier.None, false
	for _, id := range c.round.wait {
		h := c.f.Host(id)
		others = others || !c.f.Late(h)
		switch ready := c.f.Ready(h); {
		case ready.After(now):
			when = earlier(when, ready)
		case c.f.Busy(h) >= c.cfg.Polite.Conns || c.promised(id, h):
		case !c.f.Late(h):
			return id, time.Time{}
		case late == frontier.None:
			late = id
		}
	}
	if late != frontier.None && c.lateRoom(others) {
		return late, time.Time{}
	}
	return frontier.None, when
}

// newRound takes the best leads, and the pages to be visited again.
func (c *Crawl) newRound(now time.Time) bool {
	c.beforeRound(now)
	list := append(c.strays(c.best(now, c.roundSize())), c.takeAgain()...)
	if len(list) == 0 {
		return false
	}
	c.openRound(list)
	c.record(&Entry{Kind: EntryRound, At: now, Round: list})
	return true
}

// roundSize is the number of leads that a round may have without passing a limit.
func (c *Crawl) roundSize() int {
	n, l := c.cfg.Round, &c.cfg.Limits
	if l.Pages > 0 {
		n = min(n, l.Pages-c.stats.Fetched)
	}
	if l.OnTopic > 0 {
		n = min(n, l.OnTopic-c.stats.OnTopic)
	}
	return n
}

// hasTurns reports whether pages of the round have come back.
func (r *round) hasTurns() bool { return r != nil && r.left < len(r.list) }

// roundIsGivenUp reports whether pages of the round have come back, and all others wait
// for hosts that are given up, while there are leads for other hosts.
func (c *Crawl) roundIsGivenUp(now time.Time) bool {
	r := c.round
	if !r.hasTurns() {
		return false
	}
	for _, id := range r.wait {
		if !c.isGivenUp(c.f.Host(id), now) {
			return false
		}
	}
	return len(r.wait) > 0
}

// top returns the n best leads for hosts that are not given up, or the n best of all if
// there are no others.
func (c *Crawl) top(now time.Time, n int) []frontier.ID {
	for many := n; ; many *= 2 {
		all := c.f.Top(many)
		list := slices.DeleteFunc(slices.Clone(all), func(id frontier.ID) bool { return c.isGivenUp(c.f.Host(id), now) })
		switch {
		case len(list) >= n:
			return list[:n]
		case len(all) < many && len(list) > 0:
			return list
		case len(all) < many:
			return all[:min(n, len(all))]
		}
	}
}

// best returns the n best leads, rated again as often as that brings up others.
func (c *Crawl) best(now time.Time, n int) []frontier.ID {
	for range maxRescores {
		changed := false
		for _, id := range c.top(now, n) {
			changed = c.rescore(now, id) || changed
		}
		if !changed {
			break
		}
	}
	return c.top(now, n)
}

// takeAgain returns the pages to be visited again, each once.
func (c *Crawl) takeAgain() (list []frontier.ID) {
	for _, id := range c.again {
		if c.f.State(id) == dowse.Visited && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	c.again = nil
	return list
}

// endRound follows what came back of a round when the crawl stops before all did, so
// that nothing was fetched in vain. The others wait for a round to come.
func (c *Crawl) endRound(now time.Time) {
	r := c.round
	if r == nil || c.out() > 0 {
		return
	}
	turns := slices.DeleteFunc(slices.Clone(r.turns), func(l *landed) bool { return l == nil })
	list := make([]frontier.ID, len(turns))
	for i, l := range turns {
		list[i] = l.fl.id
	}
	c.openRound(list)
	c.record(&Entry{Kind: EntryRound, At: now, Round: list})
	for _, l := range turns {
		c.arrive(l)
	}
}

func (c *Crawl) openRound(list []frontier.ID) {
	if len(list) == 0 {
		c.round = nil
		return
	}
	r := &round{list: list, place: make(map[frontier.ID]int, len(list)), turns: make([]*landed, len(list)), left: len(list)}
	for i, id := range list {
		r.place[id] = i
	}
	r.wait = append(r.wait, list...)
	c.round = r
}

// absorbRound keeps a page until the whole round is there.
func (c *Crawl) absorbRound(now time.Time, fl *flight, p *dowse.Page) {
	delete(c.flights, fl.id)
	c.arrive(&landed{now, fl, p})
}

func (c *Crawl) arrive(l *landed) {
	r := c.round
	at := r.place[l.fl.id]
	if r.turns[at] != nil {
		return
	}
	r.turns[at] = l
	if r.left--; r.left == 0 {
		c.closeRound(r)
	}
}

// closeRound follows all pages of the round, then applies all that was said.
func (c *Crawl) closeRound(r *round) {
	c.round = nil
	turns := make([]*turn, len(r.turns))
	for i, l := range r.turns {
		turns[i] = c.prepareTurn(l.now, l.fl, l.p)
		turns[i].leads = c.follow(l.p)
	}
	c.shadowed(turns...)
	for _, t := range turns {
		c.finishTurn(t)
	}
}
