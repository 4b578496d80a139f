package crawl

import (
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// network is what the crawl knows of this machine's own connection to the web. While
// an outage lasts no host is to blame for a failure: visits that this machine could
// not make go back to the queue untouched, and one visit at a time tries the network
// at growing intervals, until a host answers. Then the hosts that failed meanwhile are
// forgiven, and the crawl goes on.
//
// An outage begins when a visit reports that this machine failed, or when several
// hosts that used to answer fail together while no host answers at all. Hosts that
// never answered are no evidence: a crawl may well have nothing left but dead ones.
type network struct {
	answered time.Time // the last time that a host answered
	failing  uint32    // hosts that used to answer and began to fail since then
	first    time.Time // when the first of them failed
	since    time.Time // when the outage began; zero if there is none
	why      string    // the cause of the outage, in words

	// What follows is not kept in the journal: a new run begins without it.

	fresh  bool          // the crawl was resumed, and Next not called since
	next   time.Time     // when the network is tried again
	wait   time.Duration // between the next two tries
	begun  time.Time     // of the run: the first call of Next
	heard  bool          // a host has answered in this run
	last   string        // the latest failure in words
	room   int           // visits at once that this machine can make; 0 if nothing limits them
	credit int           // answers since room was changed
}

const (
	outageHosts = 3               // hosts that must fail together to be an outage
	outageAfter = 5 * time.Second // and for so long
	probeFirst  = time.Second     // from the beginning of an outage to the first try; doubles
	probeMax    = time.Minute     // and ends here
	probeSoon   = 8 * time.Second // or here, while no host has answered in this run
	roomAnswers = 16              // answers after which one more visit is made at once, see restrict
)

// isLocal reports whether a visit failed because of this machine.
func isLocal(p *dowse.Page) bool { return p.Host != nil && p.Host.Local }

// isAnswered reports whether a visit shows that the network works: some host sent
// something, or the name service knows that there is none.
func isAnswered(p *dowse.Page) bool {
	switch {
	case isLocal(p) || p.Reason == dowse.SkipPrivateIP:
		return false
	case brokeOff(p):
		return false
	case p.Fetch.Status > 0:
		return true
	case p.Host != nil && (p.Host.BackOff || p.Host.Down && p.Reason != dowse.FailDNS):
		return false
	}
	return p.Outcome != dowse.Temporary
}

// doubtName lets a host that has answered before, and of which the name server now says
// that there is no such name, count as one that is down. Some name servers give this answer
// when they have no network themselves.
func (c *Crawl) doubtName(id frontier.HostID, p *dowse.Page) {
	if p.Outcome == dowse.Failed && p.Reason == dowse.FailDNS && c.hosts.at(id).answered {
		p.Outcome, p.Host = dowse.Temporary, orReport(p.Host)
		p.Host.BackOff = true
	}
}

// brokeOff reports whether the connection broke in the middle of the answer.
func brokeOff(p *dowse.Page) bool {
	return p.Fetch.Status > 0 && (p.Reason == dowse.FailConnect || p.Reason == dowse.FailTimeout)
}

// returnUntouched puts the lead of a visit that this machine could not make back into
// the queue. No try is counted, and the strategy is not told. The host is left alone
// for a moment, so that the next try of the network asks another one.
func (c *Crawl) returnUntouched(now time.Time, fl *flight, p *dowse.Page) {
	c.vacated(fl)
	c.hosts.of(fl.host).out--
	ready := c.localRest(now, fl.host)
	c.f.Release(fl.host, ready, time.Time{})
	c.releaseHeld(fl.host, ready, time.Time{})
	delete(c.flights, fl.id)
	if c.refold != nil {
		c.putDown(fl.id)
	} else {
		c.queueAgain(fl.id)
	}
	if c.round != nil {
		c.round.back(fl.id)
	}
	c.record(&Entry{Kind: EntryRetry, At: now, ID: fl.id, Page: p, Regret: fl.regret})
}

// localRest returns until when a host is left alone after this machine failed. The host
// may have been asked already: this machine can fail in the middle of the answer.
func (c *Crawl) localRest(now time.Time, id frontier.HostID) time.Time {
	h := c.hosts.of(id)
	h.last = now
	pause := max(min(backOffStart<<min(h.locals, 10), probeMax), c.delay(id, 0))
	h.locals = min(h.locals+1, 10)
	return now.Add(pause)
}

// noteNetwork learns from a visit that came back whether the network works.
func (c *Crawl) noteNetwork(now time.Time, fl *flight, p *dowse.Page) {
	h, n := c.hosts.of(fl.host), &c.net
	if p.Reason != "" && p.Detail != "" {
		n.last = p.Detail
	}
	switch {
	case isAnswered(p):
		n.answered, n.failing, n.heard = now, 0, true
		h.answered = h.answered || p.Reason != dowse.FailDNS
		h.locals = 0
		c.makeRoom()
		if c.inOutage() && !c.replay && !fl.began.Before(n.since) {
			c.endOutage(now)
		}
		return
	case isLocal(p):
		c.restrict()
		c.beginOutage(now, now, p.Detail)
	case p.Host != nil && (p.Host.BackOff || p.Host.Down):
		c.suspect(now, h)
	}
}

// suspect takes a failure of a host as evidence against this machine's network.
func (c *Crawl) suspect(now time.Time, h *host) {
	n := &c.net
	if h.answered && h.backOffs == 1 { // it has just begun to fail
		if n.failing++; n.failing == 1 {
			n.first = now
		}
	}
	if n.failing >= outageHosts && now.Sub(n.first) >= outageAfter {
		c.beginOutage(now, n.first, "no host answers any more")
	}
}

func (c *Crawl) inOutage() bool { return !c.net.since.IsZero() }

func (c *Crawl) beginOutage(now, since time.Time, why string) {
	if c.inOutage() {
		return
	}
	n := &c.net
	n.since, n.why = since, why
	n.wait = probeFirst
	n.next = now.Add(n.wait)
}

// endOutage lets the crawl go on. The journal is told, since the hosts that failed are
// forgiven.
func (c *Crawl) endOutage(now time.Time) {
	since := c.net.since
	c.forgiveSince(since)
	c.record(&Entry{Kind: EntryForgive, At: now, Since: since})
}

// forgiveSince ends an outage, if there is one, and forgives the hosts that began to
// fail at a time or later, and their URLs. The zero time stands for a new run.
func (c *Crawl) forgiveSince(since time.Time) {
	c.net.since, c.net.why, c.net.failing = time.Time{}, "", 0
	c.forgiveTries(since)
	c.hosts.each(func(id frontier.HostID, h *host) {
		if h.backOffs > 0 && !unixTime(h.troubled).Before(since) || h.backOffs == 0 && h.locals > 0 {
			c.forgiveHost(id)
		}
		h.locals = 0
	})
}

// turnBack moves all times by as much as the clock was set back.
func (n *network) turnBack(by time.Duration) {
	for _, t := range []*time.Time{&n.answered, &n.first, &n.since, &n.next, &n.begun} {
		*t = earlierBy(*t, by)
	}
}

// newRun forgets what concerns the run before.
func (n *network) newRun() {
	n.fresh, n.begun, n.heard, n.last, n.room = true, time.Time{}, false, "", 0
}

// enterRun begins a run: what failed in an earlier one is asked again.
func (c *Crawl) enterRun(now time.Time) {
	n := &c.net
	if n.begun.IsZero() {
		n.begun = now
	}
	if n.fresh {
		n.fresh = false
		c.Wake(now)
	}
}

// awaitNetwork reports whether no visit may begin at now because of an outage, and
// when to ask again.
func (c *Crawl) awaitNetwork(now time.Time) (when time.Time, wait bool) {
	n := &c.net
	switch {
	case !c.inOutage():
		return time.Time{}, false
	case c.out() == 0 && now.Sub(later(n.since, n.begun)) > c.outagePatience():
		c.stop(dowse.StopNetwork)
		c.endRound(now)
		return time.Time{}, true
	case n.next.After(now):
		return n.next, true
	}
	return time.Time{}, false
}

// probed notes that a visit begins. In an outage it is the only one for a while.
func (c *Crawl) probed(now time.Time) {
	if !c.inOutage() {
		return
	}
	n := &c.net
	longest := probeMax
	if !n.heard {
		longest = probeSoon
	}
	n.wait = min(max(n.wait, probeFirst)*2, longest)
	n.next = now.Add(n.wait)
}

// outagePatience is how long the crawl waits for the network. If no host has answered
// in this run, a person is waiting to hear why.
func (c *Crawl) outagePatience() time.Duration {
	if !c.net.heard {
		return c.starvesAfter()
	}
	return c.cfg.Polite.Outage
}

// restrict makes fewer visits at once after this machine failed: it may have too few
// files, ports or memory for so many. Answers allow for more again, one by one.
func (c *Crawl) restrict() {
	n := &c.net
	n.room, n.credit = max(1, min(c.roomNow(), c.out())/2), 0
}

func (c *Crawl) makeRoom() {
	n := &c.net
	if n.room == 0 {
		return
	}
	if n.credit++; n.credit < roomAnswers {
		return
	}
	n.credit = 0
	if n.room++; n.room >= c.cfg.Polite.InFlight {
		n.room = 0
	}
}

// roomNow is how many visits may be made at once.
func (c *Crawl) roomNow() int {
	if r := c.net.room; r > 0 {
		return min(r, c.cfg.Polite.InFlight)
	}
	return c.cfg.Polite.InFlight
}

// An Outage is a time in which this machine has no network.
type Outage struct {
	Since time.Time `json:"since"`
	Next  time.Time `json:"next,omitzero"` // when the network is tried again
	Why   string    `json:"why,omitempty"`
}

// Outage returns the outage that lasts, nil for none.
func (c *Crawl) Outage() *Outage {
	if !c.inOutage() {
		return nil
	}
	return &Outage{Since: c.net.since, Next: c.net.next, Why: c.net.why}
}

// LastFailure returns in words why the latest visit of this run that failed did so.
func (c *Crawl) LastFailure() string { return c.net.last }
