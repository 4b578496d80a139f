package crawl

import (
	"math"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// Absorb takes in the outcome of a visit. Outcomes of visits that are not out
// (given up after their deadline, or never made) are ignored.
func (c *Crawl) Absorb(now time.Time, p *dowse.Page) {
	c.clock(now)
	id, ok := c.f.Find(p.URL)
	fl := c.flights[id]
	if fl == nil || !ok || p.Host != nil && p.Host.Robots != nil {
		c.absorbRobots(now, p)
		return
	}
	c.doubtName(fl.host, p)
	if isLocal(p) {
		c.returnUntouched(now, fl, p)
	} else {
		c.absorbPage(now, fl, p)
	}
	c.noteNetwork(now, fl, p)
}

func (c *Crawl) absorbPage(now time.Time, fl *flight, p *dowse.Page) {
	failures := c.hosts.at(fl.host).backOffs
	c.land(now, fl, p)
	if p.Outcome == dowse.Temporary && c.retry(now, fl, p, failures) {
		return
	}
	if c.round != nil && c.round.has(fl.id) {
		c.absorbRound(now, fl, p)
		return
	}
	delete(c.flights, fl.id)
	c.final(now, fl, p)
}

// land ends the visit for the host: it rests.
func (c *Crawl) land(now time.Time, fl *flight, p *dowse.Page) {
	c.vacated(fl)
	p.Lead, p.Depth, p.Hops, p.Again = fl.visit.Lead, fl.visit.Depth, fl.visit.Hops, fl.visit.Again
	ready, laneReady := c.rest(now, fl.host, p)
	c.f.Release(fl.host, ready, laneReady)
	c.stats.Requests++
	c.stats.Bytes += p.Fetch.Wire
	c.stats.archive(p.Fetch.Archive)
	c.stats.pick(fl.regret)
	h := c.hosts.of(fl.host)
	h.out--
	if countsAsPage(p) {
		h.landed++
	}
	c.releaseHeld(fl.host, ready, laneReady)
}

// releaseHeld lets go of the connections to a host that were kept free until a visit
// came back.
func (c *Crawl) releaseHeld(id frontier.HostID, ready, lane time.Time) {
	for h := c.hosts.of(id); h.held > 0; h.held-- {
		c.f.Release(id, ready, lane)
	}
}

// retry puts a lead whose visit failed for the moment back into the queue. It
// reports false when the URL itself is to blame and its tries are used up, or its
// group was dropped meanwhile: then the failure is final. The host had failed so many
// times in a row before.
func (c *Crawl) retry(now time.Time, fl *flight, p *dowse.Page, failures uint16) bool {
	spent := c.blame(fl, failures) && !c.replay
	if spent || c.f.Dropped(c.f.Group(fl.id)) {
		c.forgetTries(fl.id)
		p.Outcome = dowse.Failed
		return false
	}
	delete(c.flights, fl.id)
	c.putDown(fl.id)
	c.noteCut(fl.id, p)
	c.noteBreak(fl.id)
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
	c.shadowed(t)
	t.leads = c.follow(p)
	c.finishTurn(t)
}

// follow asks the strategy. What it writes into the page is not kept: whether a visit
// failed, and what the judge said, is not for it to say.
func (c *Crawl) follow(p *dowse.Page) []dowse.Lead {
	came := *p
	leads := c.cfg.Strategy.Follow(p)
	*p = came
	return leads
}

// A turn is a page on its way through the strategy.
type turn struct {
	now   time.Time
	fl    *flight
	p     *dowse.Page
	entry *Entry
	leads []dowse.Lead

	met []frontier.HostID // hosts that the page's links brought up

	listed bool // a sitemap's: the strategy did not ask for it
}

// prepareTurn judges whether the page is on topic, filters its links and tells
// for each what is known of its target.
func (c *Crawl) prepareTurn(now time.Time, fl *flight, p *dowse.Page) *turn {
	c.forgetTries(fl.id)
	p.OnTopic = p.Outcome == dowse.Fetched && p.Verdict.Relevance >= c.cfg.Threshold
	e := &Entry{Kind: EntryPage, At: now, ID: fl.id, Page: p, Queue: fl.queue, Regret: fl.regret, Rested: fl.rest, Idle: fl.idle, place: fl.place}
	p.Links = c.withoutGone(p.Links)
	c.endRedirects(fl.id, p)
	e.Dropped = fl.drop + c.thin(p)
	c.stats.Dropped += e.Dropped
	c.checkNear(fl, p)
	e.Found = p.Links
	c.met = c.met[:0]
	e.Links = c.filterLinks(fl.id, p)
	return &turn{now: now, fl: fl, p: p, entry: e, listed: c.sitemaps[fl.id], met: slices.Clone(c.met)}
}

// finishTurn settles the page's URL, applies what the strategy said, and records
// all of it as one entry.
func (c *Crawl) finishTurn(t *turn) {
	c.asked = false
	c.count(t.fl, t.p)
	c.settle(t.fl.id, t.p)
	c.noteUnlucky(t.fl.id, t.p)
	target := frontier.None
	if t.p.Outcome == dowse.Redirected {
		target = c.followRedirect(t)
	}
	for i := range t.leads {
		lower(t.p, &t.leads[i])
		c.applyIn(t.entry, &t.leads[i])
	}
	c.tellRefused(t.leads)
	c.passOn(t)
	c.countLinks(t)
	c.keepAlias(t.fl.id, target)
	if t.p.Outcome == dowse.Listed {
		c.sitemapSeen(t.p)
	}
	c.closeDecisions(t.entry)
	c.survey(t)
	c.keepVisit(t.fl.id, t.p, c.record(t.entry))
	if c.ended != nil && !c.replay && !t.isRecalled() {
		c.ended(t.p)
	}
}

// settle puts the page's URL where it belongs. A page that could not be had again
// remains the visited page that it was, unless it is gone.
func (c *Crawl) settle(id frontier.ID, p *dowse.Page) {
	c.f.SetReason(id, reasonCode(p.Reason))
	switch p.Outcome {
	case dowse.Fetched, dowse.Listed:
		c.f.Settle(id, dowse.Visited)
	case dowse.Redirected:
		c.f.Settle(id, dowse.Aliased)
	case dowse.Refused, dowse.Skipped:
		if p.Again {
			c.f.Settle(id, dowse.Visited)
			return
		}
		c.f.Settle(id, dowse.Excluded)
	default:
		c.f.Settle(id, dowse.Dead)
	}
}

func (c *Crawl) keepVisit(id frontier.ID, p *dowse.Page, place uint64) {
	delete(c.reborn, id)
	switch {
	case p.Outcome == dowse.Fetched:
		c.f.SetVisit(id, frontier.Visit{Relevance: p.Verdict.Relevance, OnTopic: p.OnTopic, Place: place})
	case !p.Again:
		c.f.SetVisit(id, frontier.Visit{Place: place})
	}
}

// checkNear looks for an earlier page with nearly the same text. What a page declares
// as its canonical form is no evidence: many sites declare their homepage on every page.
func (c *Crawl) checkNear(fl *flight, p *dowse.Page) {
	if p.Outcome != dowse.Fetched || p.Again || p.Sketch.IsZero() {
		return
	}
	twin, found, own := c.near.see(fl.id, fl.host, &p.Sketch)
	if fl.own = own; found {
		p.Near = c.f.URL(twin)
	}
}

// lower halves the priority of a lead that a near-duplicate page gave. Its links are
// followed all the same: those that its twin has wait already, at the priority that
// the twin gave them, and the others stand nowhere else. A page that a person gave as a
// seed ranks its links as any page does, and so do strategies that add up shares, from
// which nothing may get lost.
func lower(p *dowse.Page, l *dowse.Lead) {
	if p.Near == "" || p.Depth == 0 || l.Kind != dowse.Queue || l.Merge == dowse.Add {
		return
	}
	less := math.Abs(l.Priority) / 2
	l.Priority -= less
	l.Because = append(slices.Clip(l.Because), dowse.Because{What: "on a near-duplicate page", Weight: -less})
}

// reopen lets a URL back in that was left out for the way it was reached, when
// it is reached in a better way.
func (c *Crawl) reopen(p *dowse.Page, l *dowse.Link, id frontier.ID, depth, hops int) bool {
	switch reasonOf(c.f.Reason(id)) {
	case dowse.SkipScopeDepth, dowse.SkipScopeTunnel, dowse.SkipRobotsMeta,
		dowse.SkipBudgetHost, dowse.SkipTrapPattern:
	default:
		return false
	}
	if _, visited := c.visited(id); visited || c.linkRefused(p, l, id, depth, hops) != "" {
		return false
	}
	c.f.SetDepth(id, clamp8(depth), clamp8(hops))
	c.readmit(id)
	return true
}

// readmit takes back that a URL was left out.
func (c *Crawl) readmit(id frontier.ID) {
	if c.f.State(id) == dowse.Excluded {
		c.f.Settle(id, dowse.Held)
	}
	c.f.SetReason(id, 0)
}

func (c *Crawl) shorten(id frontier.ID, depth, hops int) {
	d, h := c.f.Depth(id)
	c.f.SetDepth(id, min(d, clamp8(depth)), min(h, clamp8(hops)))
}

func clamp8(n int) uint8 { return uint8(min(max(n, 0), 255)) }

// target tells what is known of a link's target. A page that is to be visited
// again, or is being so, is a visited one all the same.
func (c *Crawl) target(id frontier.ID) dowse.Target {
	t := dowse.Target{State: c.f.State(id), Seq: uint32(id), Priority: c.f.Priority(id), Note: c.f.Note(id)}
	if t.State == dowse.Visited || t.State == dowse.Waiting || t.State == dowse.Flying {
		if v, ok := c.visited(id); ok {
			t.State, t.Relevance, t.OnTopic = dowse.Visited, v.Relevance, v.OnTopic
		}
	}
	return t
}

func (c *Crawl) applyAll(leads []dowse.Lead) {
	for i := range leads {
		c.apply(&leads[i])
	}
	c.tellRefused(leads)
	c.asked = false
}

// tellRefused tells a strategy that listens which of its leads do not wait, and does
// what it says to that.
func (c *Crawl) tellRefused(leads []dowse.Lead) {
	s, ok := c.cfg.Strategy.(dowse.Refusable)
	for ok && len(leads) > 0 {
		var more []dowse.Lead
		for i := range leads {
			if why, refused := c.refused(&leads[i]); refused {
				more = append(more, s.Refused(leads[i], why)...)
			}
		}
		for i := range more {
			c.apply(&more[i])
		}
		leads = more
	}
}

// refused reports whether a lead was to be queued and is not, and why.
func (c *Crawl) refused(l *dowse.Lead) (dowse.Reason, bool) {
	if l.Kind != dowse.Queue {
		return "", false
	}
	id := c.see(l.URL)
	if t, ok := c.f.Alias(id); ok {
		id = t
	}
	switch c.f.State(id) {
	case dowse.Waiting, dowse.Flying:
		return "", false
	case dowse.Visited, dowse.Aliased:
		return dowse.SkipDupURL, true
	}
	return reasonOf(c.f.Reason(id)), true
}

// apply does what a lead says and returns the URL it was about.
func (c *Crawl) apply(l *dowse.Lead) frontier.ID {
	switch l.Kind {
	case dowse.Raise:
		c.f.Raise(l.Priority, l.Cap, l.Visited)
		return frontier.None
	case dowse.Drop:
		c.drop(l)
		return frontier.None
	}
	id := c.see(l.URL)
	if t, ok := c.f.Alias(id); ok {
		id = t
	}
	c.admit(id, l, c.open(id, l.URL))
	return id
}

// applyIn is apply for a lead that the entry's page gave. A lead to one of the page's
// links, as most are, needs no second look: the link was numbered and checked.
func (c *Crawl) applyIn(e *Entry, l *dowse.Lead) {
	at, ok := e.linkTo(l.URL)
	if !ok {
		e.note(c.apply(l), l)
		return
	}
	id := e.Links[at].Target
	if t, redirects := c.f.Alias(id); redirects {
		id = t
	}
	c.admit(id, l, c.f.State(id) == dowse.Unseen || c.open(id, l.URL))
	e.noteAt(at, l)
}

func (c *Crawl) drop(l *dowse.Lead) {
	group := l.Group
	if group == "" && l.URL != "" {
		group = weburl.Host(l.URL)
		if id, ok := c.f.Find(l.URL); ok {
			group = c.f.Group(id)
		}
	}
	for _, id := range c.f.Drop(group) {
		c.takeOut(id, dowse.Excluded)
		c.f.SetReason(id, reasonCode(dowse.SkipSiteDone))
	}
}

// takeOut takes a URL out of the queue. One that waited for another visit is a
// visited one again.
func (c *Crawl) takeOut(id frontier.ID, s dowse.State) {
	if _, again := c.visited(id); again {
		s = dowse.Visited
	}
	c.f.Settle(id, s)
}

// open reports whether leads for a URL still matter. A URL that no link led to is
// checked here as links are.
func (c *Crawl) open(id frontier.ID, u dowse.URL) bool {
	switch c.f.State(id) {
	case dowse.Excluded:
		return false
	case dowse.Unseen:
		d, h := c.f.Depth(id)
		if why := c.refuses(u, id, int(d), int(h)); why != "" {
			c.exclude(id, why)
			return false
		}
	}
	return true
}

// admit merges a lead. Of a lead to a URL that was left out, what it adds is booked all
// the same: a strategy that spends must not do so twice.
func (c *Crawl) admit(id frontier.ID, l *dowse.Lead, open bool) {
	switch {
	case open:
		c.merge(id, l)
	case l.Merge == dowse.Add:
		c.f.SetPriority(id, l.Priority, dowse.Add)
	}
}

func (c *Crawl) merge(id frontier.ID, l *dowse.Lead) {
	c.rank(id, l)
	if l.Note != "" {
		c.f.SetNote(id, l.Note)
	}
	if l.Group != "" {
		c.f.SetGroup(id, l.Group)
	}
	switch state := c.f.State(id); {
	case l.Kind == dowse.Hold:
		if state == dowse.Unseen || state == dowse.Waiting {
			c.takeOut(id, dowse.Held)
		}
	case l.Kind == dowse.Revisit && state == dowse.Visited:
		c.askAgain(id)
	case state == dowse.Unseen || state == dowse.Held || state == dowse.Excluded:
		c.queue(id)
	}
}

// rank merges priority and band. The maximum of two is the one in the earlier band:
// a priority says nothing against an earlier band.
func (c *Crawl) rank(id frontier.ID, l *dowse.Lead) {
	merge := l.Merge
	if state := c.f.State(id); merge == dowse.Max && c.f.Known(id) && (state == dowse.Waiting || state == dowse.Held) {
		switch old := c.f.Band(id); {
		case old < l.Band:
			return
		case l.Band < old:
			merge = dowse.Replace
		}
	}
	c.f.SetPriority(id, l.Priority, merge)
	c.f.SetBand(id, l.Band)
}

func (c *Crawl) queue(id frontier.ID) {
	c.f.SetReason(id, 0)
	c.queueAgain(id)
}

// queueAgain lets a URL wait, unless its group was dropped.
func (c *Crawl) queueAgain(id frontier.ID) {
	if c.f.Dropped(c.f.Group(id)) {
		c.takeOut(id, dowse.Excluded)
		c.f.SetReason(id, reasonCode(dowse.SkipSiteDone))
		return
	}
	c.f.Queue(id)
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
	c.final(now, &flight{id: id, host: c.f.Host(id), idle: true}, c.unvisited(id, outcome, why, detail))
}

// unvisited is the page of a lead that was not visited.
func (c *Crawl) unvisited(id frontier.ID, outcome dowse.Outcome, why dowse.Reason, detail string) *dowse.Page {
	depth, hops := c.f.Depth(id)
	_, again := c.visited(id)
	return &dowse.Page{
		URL: c.f.URL(id), Lead: c.lead(id), Depth: int(depth), Hops: int(hops), Again: again,
		Outcome: outcome, Reason: why, Detail: detail,
	}
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
