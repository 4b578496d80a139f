package crawl

import (
	"time"

	"dowse"
	"dowse/frontier"
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

// back lets a member of the round be visited once more.
func (r *round) back(id frontier.ID) {
	if r.has(id) {
		r.wait = append(r.wait, id)
	}
}

// pickRound returns a visit of the current round whose host is rested, and makes a
// new round when the last one is done.
func (c *Crawl) pickRound(now time.Time) (Visit, time.Time, bool) {
	for c.round == nil || c.round.left == 0 {
		if !c.newRound(now) {
			return Visit{}, time.Time{}, false
		}
	}
	var when time.Time
	for i := 0; i < len(c.round.wait); i++ {
		id := c.round.wait[i]
		h := c.f.Host(id)
		if ready := c.f.Ready(h); ready.After(now) {
			when = earlier(when, ready)
			continue
		}
		if c.f.Busy(h) >= c.cfg.Polite.Conns {
			continue
		}
		if c.wantsRobots(h, now) {
			c.f.Begin(h)
			return c.askRobots(id, h, now), time.Time{}, true
		}
		c.round.wait = append(c.round.wait[:i], c.round.wait[i+1:]...)
		if outcome, why, detail := c.forbids(id, h); why != "" {
			c.landUnvisited(now, id, h, outcome, why, detail)
			return c.pickRound(now)
		}
		c.f.Take(id)
		c.f.Begin(h)
		return c.takeOff(id, h, now, 0), time.Time{}, true
	}
	return Visit{}, when, false
}

// newRound takes the best leads, and the pages to be visited again.
func (c *Crawl) newRound(now time.Time) bool {
	c.round = nil
	c.beforeRound(now)
	n := c.cfg.Round
	if l := c.cfg.Limits.Pages; l > 0 {
		n = min(n, l-c.stats.Fetched)
	}
	list := c.f.Top(n)
	if len(list) == 0 {
		return false
	}
	list = append(list, c.again...)
	c.again = nil
	c.openRound(list)
	c.record(&Entry{Kind: EntryRound, At: now, Round: list})
	return true
}

func (c *Crawl) openRound(list []frontier.ID) {
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

func (c *Crawl) landUnvisited(now time.Time, id frontier.ID, h frontier.HostID, outcome dowse.Outcome, why dowse.Reason, detail string) {
	c.f.Take(id)
	depth, hops := c.f.Depth(id)
	p := &dowse.Page{
		URL: c.f.URL(id), Lead: c.lead(id), Depth: int(depth), Hops: int(hops),
		Outcome: outcome, Reason: why, Detail: detail,
	}
	c.arrive(&landed{now, &flight{id: id, host: h, idle: true}, p})
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
		turns[i].leads = c.cfg.Strategy.Follow(l.p)
	}
	for _, t := range turns {
		c.finishTurn(t)
	}
}
