package crawl

import (
	"strings"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
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
	answered time.Time    // the last time that a host answered
	failing  uint32       // hosts that used to answer and began to fail since then
	first    time.Time    // when the first of them failed
	since    time.Time    // when the outage began; zero if there is none
	why      string       // the cause of the outage, in words
	cause    dowse.Reason // the reason of the visit that showed it; "" if none did in this run

	// What follows is not kept in the journal: a new run begins without it.

	fresh     bool          // the crawl was resumed, and Next not called since
	next      time.Time     // when the network is tried again
	wait      time.Duration // between the next two tries
	begun     time.Time     // of the run: the first call of Next
	anyAnswer bool          // a host has answered in this run
	last      string        // the latest failure in words
	room      int           // concurrent visits that this machine can make; 0 if nothing limits them
	credit    int           // answers since room was changed
}

// When an outage begins, and how often the network is tried during one.
const (
	outageHosts = 3               // hosts that must fail together to be an outage
	outageAfter = 5 * time.Second // and for at least this long
	probeFirst  = time.Second     // from the beginning of an outage to the first try; doubles
	probeMax    = time.Minute     // and ends here
	probeSoon   = 8 * time.Second // or here, while no host has answered in this run
	roomAnswers = 16              // answers after which one more concurrent visit is allowed, see restrict
)

// isLocal reports whether a visit failed because of this machine.
func isLocal(p *dowse.Page) bool { return p.Host != nil && p.Host.Local }

// unbegun is the detail of a visit that was not begun. The journal has it, and not the reason.
const unbegun = "the visit was not begun"

// setUnbegun makes p the page of a visit that was not begun.
func setUnbegun(p *dowse.Page) {
	p.Outcome, p.Reason, p.Detail = dowse.Temporary, dowse.FailTimeout, unbegun
	p.Host = &dowse.HostReport{Local: true}
}

// isUnbegun reports whether a visit was not begun.
func isUnbegun(p *dowse.Page) bool { return isLocal(p) && p.Detail == unbegun }

// setCutOff makes p the page of a visit that was cut off.
func setCutOff(p *dowse.Page) {
	*p = dowse.Page{
		URL: p.URL, Lead: p.Lead, Depth: p.Depth, Hops: p.Hops, Again: p.Again, Fetch: dowse.Fetch{At: p.Fetch.At},
		Outcome: dowse.Temporary, Reason: dowse.FailTimeout, Detail: ledger.CutOff, Host: &dowse.HostReport{Local: true},
	}
}

// isCutOff reports whether a visit was cut off.
func isCutOff(p *dowse.Page) bool { return isLocal(p) && p.Detail == ledger.CutOff }

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
	case isPortFailure(p):
		return false
	}
	return p.Outcome != dowse.Temporary
}

// doubtName makes a host that has answered before, and for which the name server now
// reports that there is no such name, count as one that is down. Some name servers give this answer
// when they have no network themselves.
func (b *hosts) doubtName(id frontier.HostID, p *dowse.Page) {
	if p.Outcome == dowse.Failed && p.Reason == dowse.FailDNS && b.at(id).answered {
		p.Outcome, p.Host = dowse.Temporary, orReport(p.Host)
		p.Host.BackOff = true
	}
}

// brokeOff reports whether the connection broke in the middle of the answer.
func brokeOff(p *dowse.Page) bool {
	return p.Fetch.Status > 0 && (p.Reason == dowse.FailConnect || p.Reason == dowse.FailTimeout)
}

// localRest returns until when a host is left alone after this machine failed. The host
// may have been asked already: this machine can fail in the middle of the answer. A visit that
// was not begun leaves it rested, and after one that was cut off it rests as after any other.
func (b *hosts) localRest(now time.Time, id frontier.HostID, p *dowse.Page) time.Time {
	if isUnbegun(p) {
		return now
	}
	h := b.of(id)
	h.last = now
	if isCutOff(p) {
		return now.Add(b.delay(id, 0))
	}
	pause := max(min(backOffStart<<min(h.locals, 10), probeMax), b.delay(id, 0))
	h.locals = min(h.locals+1, 10)
	return now.Add(pause)
}

// noteNetwork learns from a visit that came back whether the network works. over reports
// whether the visit shows the end of an outage, since when it lasted.
func (b *hosts) noteNetwork(now time.Time, fl *flight, p *dowse.Page) (since time.Time, over bool) {
	h, n := b.of(fl.host), &b.net
	if p.Reason != "" && p.Detail != "" {
		n.last = p.Detail
	}
	switch {
	case isAnswered(p):
		n.answered, n.failing, n.anyAnswer = now, 0, true
		h.answered = h.answered || p.Reason != dowse.FailDNS
		h.locals = 0
		n.makeRoom(b.cfg.Polite.InFlight)
		return n.since, n.isDown() && !fl.began.Before(n.since)
	case isUnbegun(p), isCutOff(p):
	case isLocal(p):
		b.restrict()
		n.beginOutage(now, now, p.Detail)
		n.cause = p.Reason
	case p.Host != nil && (p.Host.BackOff || p.Host.Down) && !fl.chance:
		n.suspect(now, h)
	}
	return time.Time{}, false
}

// suspect takes a failure of a host as evidence against this machine's network. A host
// counts once, when it begins to fail, however many of its URLs fail.
func (n *network) suspect(now time.Time, h *host) {
	if h.answered && h.backOffs == 1 { // it has just begun to fail
		if n.failing++; n.failing == 1 {
			n.first = now
		}
	}
	if n.failing >= outageHosts && now.Sub(n.first) >= outageAfter {
		n.beginOutage(now, n.first, "no host answers any more")
	}
}

// isDown reports whether an outage lasts.
func (n *network) isDown() bool { return !n.since.IsZero() }

// beginOutage begins an outage that is dated back to since, unless one lasts. The first
// probe follows soon, since most outages are short.
func (n *network) beginOutage(now, since time.Time, why string) {
	if n.isDown() {
		return
	}
	n.since, n.why, n.cause = since, why, ""
	n.wait = probeFirst
	n.next = now.Add(n.wait)
}

// forgiveSince ends an outage, if there is one, and no longer holds the failures of hosts
// that began to fail at a time or later against them and their URLs. The zero time means
// that a new run begins.
func (b *hosts) forgiveSince(since time.Time) {
	b.net.since, b.net.why, b.net.failing = time.Time{}, "", 0
	if since.IsZero() {
		b.tries.forgiveAll()
	} else {
		b.tries.forgive(func(id frontier.ID) bool {
			return !unixTime(b.at(b.f.Host(id)).troubled).Before(since)
		})
	}
	b.each(func(id frontier.HostID, h *host) {
		if h.backOffs > 0 && !unixTime(h.troubled).Before(since) || h.backOffs == 0 && h.locals > 0 {
			b.forgive(id)
		}
		h.locals = 0
	})
}

// anyFailed reports whether the network, any host or a URL that waits has failed.
func (b *hosts) anyFailed() bool {
	failed := b.net.isDown() || len(b.tries.failed)+len(b.tries.broke) > 0
	b.each(func(_ frontier.HostID, h *host) { failed = failed || h.backOffs > 0 || h.locals > 0 })
	return failed
}

// beginRun notes that a run has begun at now, if that is not known. It reports whether the
// crawl was resumed, so that what failed in an earlier run is to be asked again.
func (n *network) beginRun(now time.Time) (resumed bool) {
	if n.begun.IsZero() {
		n.begun = now
	}
	resumed, n.fresh = n.fresh, false
	return resumed
}

// awaitNetwork reports whether no visit may begin at now because of an outage, and when to
// ask again. The zero time means that the outage has lasted too long.
func (b *hosts) awaitNetwork(now time.Time) (when time.Time, wait bool) {
	n := &b.net
	switch {
	case !n.isDown():
		return time.Time{}, false
	case b.flights.out() == 0 && now.Sub(later(n.since, n.begun)) > b.outagePatience():
		return time.Time{}, true
	case n.next.After(now):
		return n.next, true
	}
	return time.Time{}, false
}

// probed notes that a visit begins. In an outage it is the only one for a while.
func (n *network) probed(now time.Time) {
	if !n.isDown() {
		return
	}
	longest := probeMax
	if !n.anyAnswer {
		longest = probeSoon
	}
	n.wait = min(max(n.wait, probeFirst)*2, longest)
	n.next = now.Add(n.wait)
}

// outage returns the outage that lasts, nil for none.
func (n *network) outage() *Outage {
	if !n.isDown() {
		return nil
	}
	names := n.cause == dowse.FailDNS || strings.HasPrefix(n.why, noNames)
	return &Outage{Since: n.since, Next: n.next, Why: n.why, Names: names && !strings.Contains(n.why, noRoute)}
}

// outagePatience returns how long the crawl waits for the network. If no host has answered
// in this run, a person is waiting to learn why.
func (b *hosts) outagePatience() time.Duration {
	if !b.net.anyAnswer {
		return b.starvesAfter()
	}
	return b.cfg.Polite.Outage
}

// restrict allows for fewer concurrent visits after this machine failed: it may have too few
// files, ports or memory for them. Answers allow for more again, one by one.
func (b *hosts) restrict() {
	n := &b.net
	n.room, n.credit = max(1, min(b.room(), b.flights.out())/2), 0
}

// makeRoom counts an answer: after some of them one more visit may be made concurrently, up
// to most.
func (n *network) makeRoom(most int) {
	if n.room == 0 {
		return
	}
	if n.credit++; n.credit < roomAnswers {
		return
	}
	n.credit = 0
	if n.room++; n.room >= most {
		n.room = 0
	}
}

// room returns how many visits may be made concurrently.
func (b *hosts) room() int {
	if r := b.net.room; r > 0 {
		return min(r, b.cfg.Polite.InFlight)
	}
	return b.cfg.Polite.InFlight
}

// turnBack moves all times by as much as the clock was set back.
func (n *network) turnBack(by time.Duration) {
	for _, t := range []*time.Time{&n.answered, &n.first, &n.since, &n.next, &n.begun} {
		*t = earlierBy(*t, by)
	}
}

// resume forgets what concerns the run before.
func (n *network) resume() {
	n.fresh, n.begun, n.anyAnswer, n.last, n.room = true, time.Time{}, false, "", 0
}

// noNames begins the detail of a visit for which no name server answered. The journal has it, and not the reason.
const noNames = "the name server does not answer"

// noRoute is in the detail of a visit for which the name server could not even be asked, because this machine
// has no network.
const noRoute = "network is unreachable"

// An Outage is a time in which this machine has no network, or no name server.
type Outage struct {
	Since time.Time `json:"since"`
	Next  time.Time `json:"next,omitzero"` // when the network is tried again
	Why   string    `json:"why,omitempty"`
	Names bool      `json:"names,omitempty"` // only the name server does not answer
}
