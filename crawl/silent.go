package crawl

import (
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// A host that accepts connections and never answers holds each of them until a timeout. A
// thousand such hosts would hold all connections for minutes, while hosts that answer
// wait. So a host that never answered, or not lately, is late: hosts that are not late come
// first, and late ones share a part of the connections, and of the turns, so that they
// are tried again all the same. And while there are more hosts to visit than free
// connections, the crawl waits less long for a host that never answered: for a short time at
// the first try, which becomes shorter still while hardly any new host answers; for a long
// time at the second, so that a host that is slow but answers is not lost; and at further
// tries for as long as the crawl would wait for any answer at all.
const (
	lateConns = 4 // late hosts get at most the connections divided by this, at least one, while others wait
	lateAfter = 3 // visits in a row without an answer make a host late that had answered before
	lateTurns = 8 // of this number of visits one goes to a late host, if there is one

	strangerConns = 8 // waits are short once the connections divided by this serve strangers,
	crowd         = 4 // or while more hosts wait than the connections times this

	shortWait = 3 * time.Second  // for the answer to a first visit
	leastWait = time.Second      // for the same while hardly any new host answers
	longWait  = 12 * time.Second // for the answer to a second visit, or
	waitPart  = 4                // Patience divided by this, if that is shorter

	quietOver  = 16  // first visits over which the share of silent hosts is averaged, about
	quietShare = 0.5 // of silent hosts from which first visits get less than shortWait
	allQuiet   = 0.9 // from which no late host is visited while others were never tried

	manyHosts    = 16 // waiting hosts above which a host that never answered is given up sooner:
	givenUpAfter = 2  // visits without an answer, one of them long, after which a host that never answered is not waited for at the end
)

// noteSilence counts the visits in a row to a host that had no answer of any status, and
// files the host as late or not. First visits also add to the share of silent hosts.
func (b *hosts) noteSilence(id frontier.HostID, p *dowse.Page) {
	h := b.of(id)
	switch {
	case !gotNoAnswer(p):
		h.silent = 0
	case h.silent < 255:
		h.silent++
	}
	if h.requests == 1 {
		b.quiet += (float64(h.silent) - b.quiet) / quietOver
	}
	b.f.SetLate(id, h.isLate())
}

// gotNoAnswer reports whether a visit failed because of the host, without an answer of any
// status.
func gotNoAnswer(p *dowse.Page) bool {
	r := p.Host
	return r != nil && (r.BackOff || r.Down) && p.Fetch.Status == 0 && (r.Robots == nil || r.Robots.Status == 0)
}

// isLate reports whether a host never answered, or not lately.
func (h host) isLate() bool {
	return h.silent > 0 && (uint32(h.silent) >= h.requests || h.silent >= lateAfter)
}

// isStranger reports whether a host was never visited, or is late.
func (h host) isStranger() bool { return h.requests == 0 || h.isLate() }

// count returns 1 for true and 0 for false.
func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// patience returns how long a visit to a host waits for the first answer; 0 means as long
// as the visitor does anyway.
func (b *hosts) patience(id frontier.HostID, now time.Time) time.Duration {
	n, h := b.conns(), b.at(id)
	waiting := b.f.HostsWaiting()
	scarce := waiting > crowd*n || waiting > n-b.flights.out() && b.flights.strangers >= n/strangerConns
	switch {
	case h.answered || !h.isStranger():
		return 0
	case h.silent >= givenUpAfter || h.silent > 0 && !scarce:
		return max(b.longWait(), b.starvesAt().Sub(now)) // longer would be in vain: the crawl ends
	case !scarce:
		return 0
	case h.silent > 0:
		return b.longWait()
	case b.quiet > quietShare:
		return max(leastWait, time.Duration((1-b.quiet)/(1-quietShare)*float64(shortWait)))
	}
	return shortWait
}

// longWait returns how long a host that never answered is waited for at its second visit.
// A user who sets a short Patience does not want to wait long for such hosts.
func (b *hosts) longWait() time.Duration {
	return min(longWait, max(shortWait, b.cfg.Polite.Patience/waitPart))
}

// isGivenUp reports whether a host need not be waited for at the end of a crawl. It failed
// several times in a row, and so did its robots.txt if the host had answered before; or, where
// many hosts wait, it never answered, not at a long visit either, and no host at all has
// answered for as long as the crawl waits for answers.
func (b *hosts) isGivenUp(id frontier.HostID, now time.Time) bool {
	h := b.at(id)
	if h.backOffs >= parkedAfter {
		return !b.needsWitness(id)
	}
	return !h.answered && h.silent >= givenUpAfter && b.manyWait() && now.After(b.starvesAt())
}

// sweep returns how long it takes to visit all hosts that wait if none of them answers.
func (b *hosts) sweep() time.Duration {
	return b.longWait() * time.Duration(1+b.f.HostsWaiting()/b.conns())
}

// isCrowded reports whether more hosts wait than there are connections.
func (b *hosts) isCrowded() bool { return b.f.HostsWaiting() > b.conns() }

// manyWait reports whether more hosts wait than can each be tried as often as its back-off
// would allow.
func (b *hosts) manyWait() bool { return b.f.HostsWaiting() > manyHosts }

// lateRoom reports whether a further visit to a late host may begin: they have not used
// up their part of the connections, or no others want any.
func (b *hosts) lateRoom(others bool) bool {
	return b.flights.late < max(1, b.conns()/lateConns) || !others && b.flights.out() == b.flights.late
}
