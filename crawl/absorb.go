package crawl

import (
	"time"

	"dowse"
	"dowse/frontier"
	"dowse/weburl"
)

// Absorb takes in the outcome of a visit. Outcomes of visits that are not out
// (given up after their deadline, or never made) are ignored.
func (c *Crawl) Absorb(now time.Time, p *dowse.Page) {
	c.clock(now)
	if p.Host != nil && p.Host.Robots != nil && c.absorbRobots(now, p) {
		return
	}
	id, ok := c.f.Find(p.URL)
	if !ok {
		return
	}
	fl := c.flights[id]
	if fl == nil {
		return
	}
	c.land(now, fl, p)
	if p.Outcome == dowse.Temporary && c.retry(now, fl, p) {
		return
	}
	if c.round != nil && c.round.has(id) {
		c.absorbRound(now, fl, p)
		return
	}
	delete(c.flights, id)
	c.final(now, fl, p)
}

// land ends the visit for the host: it rests.
func (c *Crawl) land(now time.Time, fl *flight, p *dowse.Page) {
	p.Lead, p.Depth, p.Hops, p.Again = fl.visit.Lead, fl.visit.Depth, fl.visit.Hops, fl.visit.Again
	ready, laneReady := c.rest(now, fl.host, p)
	c.f.Release(fl.host, ready, laneReady)
	c.stats.Requests++
	c.stats.Bytes += p.Fetch.Wire
	c.stats.archive(p.Fetch.Archive)
}

// retry puts a lead whose visit failed for the moment back into the queue. It
// reports false when its tries are used up: then the failure is final.
func (c *Crawl) retry(now time.Time, fl *flight, p *dowse.Page) bool {
	c.tries[fl.id]++
	if int(c.tries[fl.id]) >= c.cfg.Tries {
		delete(c.tries, fl.id)
		p.Outcome = dowse.Failed
		return false
	}
	delete(c.flights, fl.id)
	c.f.Queue(fl.id)
	if c.round != nil {
		c.round.back(fl.id)
	}
	c.record(&Entry{Kind: EntryRetry, At: now, ID: fl.id, Page: p, Regret: fl.regret})
	return true
}

// final is the one place where a visit becomes part of the crawl: books, links,
// strategy and journal.
func (c *Crawl) final(now time.Time, fl *flight, p *dowse.Page) {
	t := c.prepareTurn(now, fl, p)
	t.leads = c.cfg.Strategy.Follow(p)
	c.finishTurn(t)
}

// A turn is a page on its way through the strategy.
type turn struct {
	now   time.Time
	fl    *flight
	p     *dowse.Page
	entry *Entry
	leads []dowse.Lead
}

// prepareTurn judges whether the page is on topic, filters its links and tells
// for each what is known of its target.
func (c *Crawl) prepareTurn(now time.Time, fl *flight, p *dowse.Page) *turn {
	delete(c.tries, fl.id)
	p.OnTopic = p.Outcome == dowse.Fetched && p.Verdict.Relevance >= c.cfg.Threshold
	e := &Entry{Kind: EntryPage, At: now, ID: fl.id, Page: p, Queue: fl.queue, Regret: fl.regret, Rested: fl.rest, Idle: fl.idle, place: fl.place}
	c.checkNear(fl.id, p)
	e.Found = p.Links
	e.Links = c.filterLinks(fl.id, p)
	return &turn{now: now, fl: fl, p: p, entry: e}
}

// finishTurn settles the page's URL, applies what the strategy said, and records
// all of it as one entry.
func (c *Crawl) finishTurn(t *turn) {
	c.count(t.fl, t.p)
	c.settle(t.fl.id, t.p)
	if t.p.Outcome == dowse.Redirected {
		t.leads = c.followRedirect(t)
	}
	for _, l := range t.leads {
		id := c.apply(l)
		t.entry.note(id, l)
	}
	c.closeDecisions(t.entry)
	place := c.record(t.entry)
	if t.p.Outcome == dowse.Fetched {
		c.f.SetVisit(t.fl.id, frontier.Visit{Relevance: t.p.Verdict.Relevance, OnTopic: t.p.OnTopic, Place: place})
	} else {
		c.f.SetVisit(t.fl.id, frontier.Visit{Place: place})
	}
	if t.p.Outcome == dowse.Listed {
		c.sitemapSeen(t.p)
	}
}

func (c *Crawl) settle(id frontier.ID, p *dowse.Page) {
	switch p.Outcome {
	case dowse.Fetched, dowse.Listed:
		c.f.Settle(id, dowse.Visited)
	case dowse.Redirected:
		c.f.Settle(id, dowse.Aliased)
	case dowse.Refused, dowse.Skipped:
		c.f.Settle(id, dowse.Excluded)
		c.f.SetReason(id, reasonCode(p.Reason))
	default:
		c.f.Settle(id, dowse.Dead)
		c.f.SetReason(id, reasonCode(p.Reason))
	}
}

// checkNear looks for an earlier page with nearly the same text. Such a page is
// kept, but its links are not followed a second time.
func (c *Crawl) checkNear(id frontier.ID, p *dowse.Page) {
	if p.Outcome != dowse.Fetched || p.Simhash == 0 || p.Again {
		return
	}
	if twin, ok := c.near.find(p.Simhash); ok && frontier.ID(twin) != id {
		p.Near = c.f.URL(frontier.ID(twin))
		return
	}
	c.near.add(p.Simhash, uint32(id))
}

// filterLinks numbers the targets of the page's links, leaves in p.Links those
// that can be queued, and returns a decision for each link as it was found.
func (c *Crawl) filterLinks(from frontier.ID, p *dowse.Page) []Decision {
	found := p.Links
	decisions := make([]Decision, len(found))
	kept := make([]dowse.Link, 0, len(found))
	place := map[frontier.ID]int{} // of a target in kept
	depth, hops := p.Depth+1, p.Hops+1
	if p.OnTopic || p.Outcome != dowse.Fetched {
		hops = 0
	}
	if p.Outcome != dowse.Fetched {
		depth, hops = p.Depth, p.Hops
	}
	for i := range found {
		l := found[i]
		id, fresh := c.f.See(l.URL, weburl.Host(l.URL))
		c.grow()
		d := &decisions[i]
		target, why := c.linkTarget(from, p, &l, id, depth, hops)
		d.ID, d.Target, d.Fresh = id, target, fresh
		if why != "" {
			d.Reason = why
			continue
		}
		if at, twice := place[target]; twice {
			kept[at].More = append(append(kept[at].More, l.Mention), l.More...)
			d.Reason = dowse.SkipDupURL
			continue
		}
		if target != id {
			l.URL = c.f.URL(target)
		}
		place[target] = len(kept)
		l.Target = c.target(target)
		kept = append(kept, l)
	}
	p.Links = kept
	return decisions
}

// linkTarget decides whether a link can be followed and to which URL it leads,
// known redirects replaced.
func (c *Crawl) linkTarget(from frontier.ID, p *dowse.Page, l *dowse.Link, id frontier.ID, depth, hops int) (frontier.ID, dowse.Reason) {
	target := id
	if t, ok := c.f.Alias(id); ok {
		target = t
	}
	if target == from {
		return target, dowse.SkipDupURL
	}
	switch c.f.State(target) {
	case dowse.Unseen:
		c.f.SetDepth(target, clamp8(depth), clamp8(hops))
		if why := c.linkRefused(p, l, target, depth, hops); why != "" {
			c.exclude(target, why)
			return target, why
		}
	case dowse.Excluded:
		if !c.reopen(p, l, target, depth, hops) {
			return target, reasonOf(c.f.Reason(target))
		}
	case dowse.Dead:
		return target, reasonOf(c.f.Reason(target))
	case dowse.Waiting, dowse.Held:
		c.shorten(target, depth, hops)
		if p.Near != "" || l.NoFollow && !c.cfg.NoFollow || p.NoFollow && !c.cfg.NoFollow {
			return target, c.linkRefused(p, l, target, depth, hops)
		}
	}
	return target, ""
}

// linkRefused tells why a link must not be followed, or "".
func (c *Crawl) linkRefused(p *dowse.Page, l *dowse.Link, id frontier.ID, depth, hops int) dowse.Reason {
	if p.Near != "" {
		return dowse.SkipDupContent
	}
	if (p.NoFollow || l.NoFollow) && !c.cfg.NoFollow && p.Outcome == dowse.Fetched {
		return dowse.SkipRobotsMeta
	}
	return c.refuses(l.URL, id, depth, hops)
}

// reopen lets a URL back in that was left out for the way it was reached, when
// it is reached in a better way.
func (c *Crawl) reopen(p *dowse.Page, l *dowse.Link, id frontier.ID, depth, hops int) bool {
	switch reasonOf(c.f.Reason(id)) {
	case dowse.SkipScopeDepth, dowse.SkipScopeTunnel, dowse.SkipRobotsMeta, dowse.SkipDupContent:
	case dowse.SkipScoreLow:
		return true
	default:
		return false
	}
	if _, visited := c.f.Visit(id); visited || c.linkRefused(p, l, id, depth, hops) != "" {
		return false
	}
	c.f.SetDepth(id, clamp8(depth), clamp8(hops))
	c.f.Settle(id, dowse.Held)
	return true
}

func (c *Crawl) shorten(id frontier.ID, depth, hops int) {
	d, h := c.f.Depth(id)
	c.f.SetDepth(id, min(d, clamp8(depth)), min(h, clamp8(hops)))
}

func clamp8(n int) uint8 { return uint8(min(max(n, 0), 255)) }

func (c *Crawl) target(id frontier.ID) dowse.Target {
	t := dowse.Target{State: c.f.State(id), Seq: uint32(id), Priority: c.f.Priority(id), Note: c.f.Note(id)}
	if t.State == dowse.Visited || t.State == dowse.Waiting {
		if v, ok := c.f.Visit(id); ok {
			t.Relevance, t.OnTopic = v.Relevance, v.OnTopic
		}
	}
	return t
}

// apply does what a lead says and returns the URL it was about.
func (c *Crawl) apply(l dowse.Lead) frontier.ID {
	switch l.Kind {
	case dowse.Raise:
		c.f.Raise(l.Priority, l.Cap, l.Visited)
		return frontier.None
	case dowse.Drop:
		for _, id := range c.f.Drop(l.Group) {
			c.f.SetReason(id, reasonCode(dowse.SkipScoreLow))
		}
		return frontier.None
	}
	id := c.see(l.URL)
	if t, ok := c.f.Alias(id); ok {
		id = t
	}
	if c.open(id, l.URL) {
		c.merge(id, l)
	}
	return id
}

// open reports whether leads for a URL still matter. A URL that no link led to is
// checked here as links are.
func (c *Crawl) open(id frontier.ID, u dowse.URL) bool {
	switch c.f.State(id) {
	case dowse.Dead, dowse.Aliased:
		return false
	case dowse.Excluded:
		return reasonOf(c.f.Reason(id)) == dowse.SkipScoreLow && !c.f.Dropped(c.f.Group(id))
	case dowse.Unseen:
		d, h := c.f.Depth(id)
		if why := c.refuses(u, id, int(d), int(h)); why != "" {
			c.exclude(id, why)
			return false
		}
	}
	return true
}

func (c *Crawl) merge(id frontier.ID, l dowse.Lead) {
	c.f.SetPriority(id, l.Priority, l.Merge)
	c.mergeBand(id, l)
	if l.Note != "" {
		c.f.SetNote(id, l.Note)
	}
	if l.Group != "" {
		c.f.SetGroup(id, l.Group)
	}
	switch state := c.f.State(id); {
	case l.Kind == dowse.Hold:
		if state == dowse.Unseen || state == dowse.Waiting {
			c.f.Settle(id, dowse.Held)
		}
	case l.Kind == dowse.Revisit && state == dowse.Visited:
		c.askAgain(id)
	case state == dowse.Unseen || state == dowse.Held || state == dowse.Excluded:
		c.queue(id)
	case state == dowse.Waiting && c.tooLow(id):
		c.exclude(id, dowse.SkipScoreLow)
	}
}

// mergeBand moves a URL to the lead's band. Where priorities take the maximum, so
// do bands: the earlier one wins.
func (c *Crawl) mergeBand(id frontier.ID, l dowse.Lead) {
	old := c.f.Band(id)
	if l.Band == old || l.Merge == dowse.Max && c.f.State(id) == dowse.Waiting && old < l.Band {
		return
	}
	c.f.SetBand(id, l.Band)
}

func (c *Crawl) queue(id frontier.ID) {
	switch {
	case c.f.Dropped(c.f.Group(id)) || c.tooLow(id):
		c.exclude(id, dowse.SkipScoreLow)
	default:
		c.f.Queue(id)
	}
}

func (c *Crawl) tooLow(id frontier.ID) bool {
	return c.cfg.HasMin && c.f.Priority(id) < c.cfg.MinScore
}

func (c *Crawl) askAgain(id frontier.ID) {
	if c.cfg.Round > 0 {
		c.again = append(c.again, id)
		return
	}
	c.f.Queue(id)
}

func (c *Crawl) exclude(id frontier.ID, why dowse.Reason) {
	c.f.Settle(id, dowse.Excluded)
	c.f.SetReason(id, reasonCode(why))
}

// settleUnvisited ends a lead that may not be visited after all, with the same
// ceremony as a visit: the strategy hears of it.
func (c *Crawl) settleUnvisited(now time.Time, id frontier.ID, outcome dowse.Outcome, why dowse.Reason, detail string) {
	depth, hops := c.f.Depth(id)
	_, again := c.f.Visit(id)
	p := &dowse.Page{
		URL: c.f.URL(id), Lead: c.lead(id), Depth: int(depth), Hops: int(hops), Again: again,
		Outcome: outcome, Reason: why, Detail: detail,
	}
	c.final(now, &flight{id: id, host: c.f.Host(id), idle: true}, p)
}

// followRedirect keeps the alias and makes sure that the target becomes a lead: as
// the strategy says, or else with all that the redirecting URL had.
func (c *Crawl) followRedirect(t *turn) []dowse.Lead {
	if len(t.entry.Found) == 0 {
		return t.leads
	}
	target := c.see(t.entry.Found[0].URL)
	if final, ok := c.f.Alias(target); ok {
		target = final
	}
	if target != t.fl.id {
		c.f.SetAlias(t.fl.id, target)
	}
	u := c.f.URL(target)
	for _, l := range t.leads {
		if l.URL == u || l.Kind == dowse.Drop {
			return t.leads
		}
	}
	if len(t.p.Links) == 0 {
		return t.leads
	}
	from := t.p.Lead
	return append(t.leads, dowse.Lead{
		URL: u, Priority: from.Priority, Merge: dowse.Max, Band: from.Band, Note: from.Note,
		Because: []dowse.Because{{What: "redirected from " + string(t.p.URL), Weight: from.Priority}},
	})
}

// closeDecisions fills in where each link's target stands now.
func (c *Crawl) closeDecisions(e *Entry) {
	for i := range e.Links {
		d := &e.Links[i]
		d.State, d.Priority = c.f.State(d.Target), c.f.Priority(d.Target)
		if d.State == dowse.Unseen { // the strategy said nothing of it
			c.f.Settle(d.Target, dowse.Held)
			d.State = dowse.Held
		}
	}
}
