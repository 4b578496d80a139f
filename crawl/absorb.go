package crawl

import (
	"math"
	"slices"
	"time"

	"dowse"
	"dowse/internal/admission"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// Absorb processes the outcome of a visit. It ignores outcomes of visits that are not
// in flight: those given up after their deadline, or never begun.
func (c *Crawl) Absorb(now time.Time, p *dowse.Page) {
	c.tick(now)
	c.absorb(now, p)
}

// absorb is Absorb without recording the time, which a replay takes from the entries.
// The outcome belongs to the page in flight at its URL or, if there is none or it carries
// rules, to the robots.txt visit of its host: a robots.txt can be a page, too.
func (c *Crawl) absorb(now time.Time, p *dowse.Page) {
	id, ok := c.f.Find(p.URL)
	fl := c.flights.pages[id]
	if fl == nil || !ok || p.Host != nil && p.Host.Robots != nil {
		h, known := c.f.HostOf(weburl.Host(p.URL))
		if fl = c.flights.asking[h]; !known || fl == nil || fl.visit.URL != p.URL {
			return
		}
		c.absorbRobots(now, fl, p)
	} else {
		c.hosts.doubtName(fl.host, p)
		c.hosts.doubtPort(fl, p)
		fl.chance = c.chances.used[id] > 0
		c.absorbPage(now, fl, p)
	}
	if since, over := c.hosts.noteNetwork(now, fl, p); over {
		c.forgive(now, since)
	}
}

// absorbPage processes the outcome of a visit to a page. A visit that failed because
// of this machine returns to the queue as if it had not begun: no try is counted, and
// the strategy does not see it.
func (c *Crawl) absorbPage(now time.Time, fl *flight, p *dowse.Page) {
	if p.Outcome == dowse.Listed {
		bareList(&p.Document)
	}
	if isLocal(p) {
		c.hosts.cancelVisit(now, fl, p)
		c.in.requeueVisit(now, fl, p, c.rec.mode.release)
		return
	}
	failures := c.hosts.at(fl.host).backOffs
	p.Lead, p.Depth, p.Hops, p.Again = fl.visit.Lead, fl.visit.Depth, fl.visit.Hops, fl.visit.Again
	c.hosts.endVisit(now, fl, p)
	c.stats.visit(p)
	c.stats.pick(fl.regret)
	if p.Outcome == dowse.Temporary && !fl.endsCheck(p) && c.in.retry(now, fl, p, failures) {
		return
	}
	delete(c.flights.pages, fl.id)
	c.land(now, fl, p)
}

// absorbRobots processes the outcome of a visit to robots.txt. It is recorded whatever came
// of it, since a failure lengthens the rest of the host; the host remembers the place of the
// entry if it holds rules, so that they can be read back from the journal.
func (c *Crawl) absorbRobots(now time.Time, fl *flight, p *dowse.Page) {
	h := fl.host
	c.hosts.of(h).ports.note(p)
	delete(c.flights.asking, h)
	c.flights.vacate(fl)
	r := &dowse.Robots{At: now}
	if p.Host != nil && p.Host.Robots != nil {
		r = p.Host.Robots
	}
	known := c.hosts.endRobots(now, fl, r, p)
	c.stats.visit(p)
	if c.cfg.Sitemaps {
		c.in.queueSitemaps(h, r.Sitemaps)
	}
	place := c.rec.record(fl.entryOf(&Entry{Kind: EntryRobots, At: now, Host: c.f.HostName(h), Robots: r, Page: p}))
	if known {
		c.hosts.of(h).robotsPlace = place + 1
	}
}

// land processes a lead that has come to its end, by a visit or without one. In a
// round its page is followed only when all members are there. Then all pages are
// prepared and followed before the first is finished.
//
// A page that was asked again and brings nothing new is not passed to the strategy. A version that
// is new is, as a page that it has not seen.
func (c *Crawl) land(now time.Time, fl *flight, p *dowse.Page) {
	switch {
	case fl.check && !bringsNews(p):
		c.picker.endCheck(now, fl, p)
		return
	case fl.check:
		t := c.prepareTurn(now, fl, p)
		t.leads = c.cfg.follow(asNew(p))
		c.finishTurn(t)
		return
	case !c.rounds.has(fl.id):
		t := c.prepareTurn(now, fl, p)
		c.shadows.turns(t)
		t.leads = c.cfg.follow(p)
		c.finishTurn(t)
		return
	}
	all := c.rounds.arrive(&landed{now, fl, p})
	turns := make([]*turn, len(all))
	for i, l := range all {
		turns[i] = c.prepareTurn(l.now, l.fl, l.p)
		turns[i].leads = c.cfg.follow(l.p)
	}
	c.shadows.turns(turns...)
	for _, t := range turns {
		c.finishTurn(t)
	}
}

// endRound follows the pages of an incomplete round when the crawl stops, so that none
// was fetched in vain. The other members wait for a later round. The journal gets a round
// of those that came, so that to a replay the round was complete.
func (c *Crawl) endRound(now time.Time) {
	if !c.rounds.isOpen() || c.flights.out() > 0 {
		return
	}
	turns, list := c.rounds.arrived()
	c.rounds.open(list)
	c.rec.record(&Entry{Kind: entryRound, At: now, Round: list})
	for _, l := range turns {
		c.land(l.now, l.fl, l.p)
	}
}

// A turn is one page on its way through the strategy: prepared, followed, finished. In
// a round all pages are followed before the first is finished, so that none sees the
// leads of another.
type turn struct {
	now   time.Time
	fl    *flight
	p     *dowse.Page
	entry *Entry
	leads []dowse.Lead

	f   *urls
	met []frontier.HostID // hosts that the page's links brought up

	listed bool // a sitemap's: the strategy did not ask for it
}

// prepareTurn decides whether the page is on topic, filters its links, and fills in
// what is known of each link's target.
func (c *Crawl) prepareTurn(now time.Time, fl *flight, p *dowse.Page) *turn {
	c.hosts.tries.forget(fl.id)
	p.OnTopic = p.Outcome == dowse.Fetched && p.Verdict.Relevance >= c.stats.line.threshold
	e := fl.entryOf(&Entry{Kind: EntryPage, At: now, ID: fl.id, Page: p, Queue: fl.queue, Regret: fl.regret, Rested: fl.rest, Idle: fl.idle})
	p.Links = c.f.withoutGone(p.Links)
	c.in.endRedirects(fl.id, p)
	if fl.entry != nil {
		e.Dropped = fl.entry.Dropped // they are not in the journal
	} else {
		e.Dropped = c.in.thin(p)
		c.in.ration(now, fl.id, p)
	}
	c.stats.Dropped += e.Dropped
	c.in.checkNear(fl, p)
	if p.Outcome == dowse.Listed {
		c.in.sitemaps[fl.id] = true // also if all is decided again, and nothing leads to it as a list any more
	}
	e.Found = p.Links
	c.in.met = c.in.met[:0]
	e.Links = c.in.filterLinks(fl.id, p)
	return &turn{now: now, fl: fl, p: p, entry: e, f: c.f, listed: c.in.sitemaps[fl.id], met: slices.Clone(c.in.met)}
}

// finishTurn settles the page's URL, applies the leads of the strategy, and records
// all of it as one entry.
//
// The order is part of the format: a replay runs through the same steps. The page is
// counted against its trap budget and its host before the leads are applied, so that
// they meet the budgets that this page leaves. The redirect chain is extended after
// them, so that leads for the redirecting URL itself still find it. Decisions are closed
// when no lead can change the state of a target any more, and then recorded.
func (c *Crawl) finishTurn(t *turn) {
	c.in.changes++
	if t.fl.countsForShape(t.p) {
		c.in.gate.Tally(t.p, t.fl.own, t)
	}
	c.stats.end(t.p)
	if t.fl.check {
		c.stats.recount(c.f, t.fl.id, t.p)
		c.f.endCheck(t.fl.id, t.now, t.p)
	} else if t.p.Again && !t.fl.idle {
		c.f.checks.found(t.fl.id, t.now, t.p)
	}
	c.hosts.count(t.fl.host, t.p)
	if t.p.Outcome == dowse.Fetched && !t.isRecalled() {
		c.f.repeats.Note(uint32(t.fl.host), t.p.Blocks)
	}
	c.f.settle(t.fl.id, t.p)
	c.chances.note(t.fl.id, t.p)
	target := t.redirect()
	c.in.applyLeads(t.entry, t.p, t.leads)
	c.in.reportRefused(t.leads)
	t.sendOn(c.in.gate)
	if c.cfg.LinksIn {
		c.f.countLinks(t)
	}
	c.in.endChain(t.fl.id, target)
	queueLists(c.in, t, target)
	c.stats.noteYield(t, c.f)
	c.in.closeDecisions(t.entry)
	c.in.gate.Survey(t.p, t.fl.own, t.entry.Dropped, t)
	c.f.keepVisit(t.fl.id, t.p, c.rec.record(t.entry))
	c.picker.again.ended(c.f, t.now, t.fl, t.p)
	if c.ended != nil && !t.isRecalled() {
		c.ended(t.p)
	}
}

// queueLists queues the sitemaps that a sitemap lists, and the feeds of a page. target is that of a redirect, or None.
func queueLists(in *intake, t *turn, target frontier.ID) {
	h, known := in.f.HostOf(weburl.Host(t.p.URL))
	switch {
	case !known || !in.cfg.Sitemaps && t.p.Outcome == dowse.Fetched:
	case t.p.Outcome == dowse.Listed:
		in.queueSitemaps(h, t.p.Maps)
	case t.p.Outcome == dowse.Fetched:
		in.queueFeeds(t.p)
	case target != frontier.None:
		in.moveList(t.fl.id, target, t.entry.Links[0].Fresh)
	}
}

// countsForShape reports whether a page is evidence for what URLs of its shape are
// worth. A visit without an answer is not.
func (fl *flight) countsForShape(p *dowse.Page) bool {
	switch p.Outcome {
	case dowse.Fetched:
		return !fl.check // it was counted before
	case dowse.Failed:
		return p.Fetch.Status != 0
	case dowse.Skipped:
		return !fl.idle
	}
	return false
}

// lower halves the priority of a lead from a near-duplicate page. Its links are still
// followed: those that its twin has are waiting already, with the priority that the
// twin gave, and the others are on no other page. A seed is exempt, since a person
// chose it, and so are leads that add to a priority (cash), of which nothing may get
// lost.
func lower(p *dowse.Page, l *dowse.Lead) {
	if p.Near == "" || p.Depth == 0 || l.Kind != dowse.Queue || l.Merge == dowse.Add {
		return
	}
	less := math.Abs(l.Priority) / 2
	l.Priority -= less
	l.Because = append(slices.Clip(l.Because), dowse.Because{What: "on a near-duplicate page", Weight: -less})
}

// isRecalled reports whether the page came from the journal instead of a new visit.
func (t *turn) isRecalled() bool { return t.fl.idle && t.p.Outcome == dowse.Fetched }

// Len returns the number of the page's links. Len, At, Host and NewHosts make a turn
// the [admission.Links] of its page.
func (t *turn) Len() int { return len(t.entry.Links) }

// At returns one of the page's links.
func (t *turn) At(i int) (u dowse.URL, self, fresh bool) {
	d := &t.entry.Links[i]
	return t.entry.Found[i].URL, d.ID == t.entry.ID, d.Fresh
}

// deepest is the depth from which on all depths are the same to the table of URLs.
const deepest = 255

// Across reports whether a link leads to a known page that is no nearer to the seeds.
func (t *turn) Across(i int) bool {
	d := &t.entry.Links[i]
	depth, _ := t.f.Depth(d.ID)
	return !d.Fresh && t.p.Depth < deepest && int(depth) >= t.p.Depth
}

// Host returns the host of a link.
func (t *turn) Host(i int) (name string, fresh bool) {
	h := t.f.Host(t.entry.Links[i].ID)
	return t.f.HostName(h), slices.Contains(t.met, h)
}

// NewHosts returns the hosts that were first seen on this page.
func (t *turn) NewHosts() (names []string) {
	for _, h := range t.met {
		names = append(names, t.f.HostName(h))
	}
	return names
}

// redirect ensures that the target of a redirect becomes a lead: as the strategy ranks
// it, or else with the priority and note of the redirecting URL. It returns the
// target, or None if the page is not a redirect.
func (t *turn) redirect() frontier.ID {
	if t.p.Outcome != dowse.Redirected {
		return frontier.None
	}
	target := t.entry.Links[0].Target
	if len(t.p.Links) == 0 {
		return target // it can't be queued
	}
	u, from := t.p.Links[0].URL, t.p.Lead
	if slices.ContainsFunc(t.leads, func(l dowse.Lead) bool { return l.URL == u }) {
		return target
	}
	t.leads = append(t.leads, dowse.Lead{
		URL: u, Priority: from.Priority, Merge: dowse.Max, Band: from.Band, Note: from.Note,
		Because: []dowse.Because{{What: "redirected from " + string(t.p.URL), Weight: from.Priority}},
	})
	return target
}

// sendOn counts a page that only sends people on as a redirect, for the targets that came up
// with it. Otherwise a chain of such pages could go on without end.
func (t *turn) sendOn(g *admission.Gate) {
	if len(t.entry.Links) > admission.MaxSteps {
		return
	}
	for i := range t.entry.Links {
		d := &t.entry.Links[i]
		if d.Fresh && d.Reason == "" && admission.SendsOn(t.p, &t.entry.Found[i]) {
			g.SendOn(t.fl.id, d.Target)
		}
	}
}
