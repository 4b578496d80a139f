package crawl

import (
	"cmp"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
)

// A host that fails is left alone for longer and longer, and never given up while the
// crawl runs: its URLs wait. After minutes it is asked by the hour, and after a day of
// that by the day.
const (
	doublings     = 9                // pauses that double, from backOffStart on
	hourly        = 24               // pauses of an hour after those
	parkedAfter   = 5                // failures in a row after which a host is not waited for at the end
	rotateAfter   = 2                // failures in a row after which another URL of the host is asked
	witnessAfter  = 3                // visits in a row without an answer after which a host's robots.txt is asked
	witnessBefore = 8                // failures in a row before which that is not put off for long
	maxVouches    = 4                // answers of robots.txt alone after which it no longer shows that a host answers
	stepBackAfter = 2                // failures of a URL after which all other URLs of its host come first
	maxOutcomes   = 1000             // URLs of a host that recovered, or did not, are counted up to here
	stepBackAmong = 1000             // leads of a host that are searched for one that has not stepped back
	firstPatience = 30 * time.Second // Patience at most while no host has ever answered
	lastTries     = 4                // tries of a host within Patience while no host answers
)

// pauseAfter returns how long a host is left alone after a failure, if it had failed
// failures times in a row before.
func pauseAfter(failures uint16) time.Duration {
	switch {
	case failures < doublings:
		return backOffStart << failures
	case failures < doublings+hourly:
		return time.Hour
	}
	return 24 * time.Hour
}

// noteTrouble keeps with a host since when it fails, why, and how long it asked to be
// left alone, after a visit that failed.
func (h *host) noteTrouble(now time.Time, p *dowse.Page) {
	if h.backOffs == 1 {
		h.troubled = now.UnixNano()
	}
	if h.why = ledger.ReasonCode(p.Reason); h.why == 0 {
		h.why = ledger.ReasonCode(dowse.FailHTTP)
	}
	if after := p.Host.RetryAfter; after > 0 {
		h.promise = now.Add(min(after, maxPark)).UnixNano()
	}
}

// promised returns until when a host is left alone because it asked for that, at most for
// maxPromise after its last visit; the zero time if it did not ask.
func (h host) promised() time.Time {
	at, most := unixTime(h.promise), h.last.Add(maxPromise)
	if at.Before(most) {
		return at
	}
	return most
}

// forgive no longer holds its failures against a host. It may be visited as soon
// as its delay is over, or the time that it asked for itself.
func (b *hosts) forgive(id frontier.HostID) {
	h := b.of(id)
	b.absolve(h, h.backOffs)
	h.shared = false
	h.backOffs, h.downs, h.asked, h.locals, h.why, h.doubted, h.silent, h.vouched = 0, 0, 0, 0, 0, 0, 0, 0
	b.f.SetLate(id, false)
	ready := h.promised()
	if !h.last.IsZero() {
		ready = later(ready, h.last.Add(b.delay(id, 0)))
	}
	b.f.Wake(id, ready)
}

// unixTime is the inverse of time.Time.UnixNano; 0 is the zero time.
func unixTime(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

// blame counts a failed try against a URL, if its host works otherwise, and reports
// whether that was the last one. The failures of a host that
// fails time after time are no evidence against the URL; only after it has answered for something else does the URL count as the
// cause. Where there is nothing else to ask for, robots.txt is asked (see witness);
// without robots.txt the URL is all there is.
func (b *hosts) blame(fl *flight, failures uint16) (spent bool) {
	h := b.of(fl.host)
	if failures > 0 && h.doubted != uint32(fl.id)+1 {
		b.absolve(h, failures)
	}
	h.doubted = uint32(fl.id) + 1
	alone := b.isAlone(fl.host)
	if (failures < rotateAfter && !h.shared || alone) && b.tries.count(fl.id) < maxTries {
		b.tries.failed[fl.id]++
	}
	return b.tries.count(fl.id) >= b.cfg.Tries && (failures == 0 || alone)
}

// isAlone reports whether a host has nothing else to ask for than the URL that is visited.
func (b *hosts) isAlone(id frontier.HostID) bool { return !b.cfg.Robots && b.f.WaitingOn(id) == 0 }

// anyPart, in [Visit.Part], takes a page however little of it came.
const anyPart int64 = -1

// partOf returns when a page that breaks off is taken as it is: if it breaks off after so
// many bytes, as it did at the try before, or always (anyPart), because this is the last
// try. A page is not to lose its end, and the links there, to a connection that breaks
// once. A host that breaks off everything in other places each time gets anyPart after
// about a quarter of an hour.
func (b *hosts) partOf(id frontier.ID, host frontier.HostID) int64 {
	failures := b.at(host).backOffs
	last := b.tries.count(id) >= b.cfg.Tries-1 && (failures == 0 || b.isAlone(host))
	if !b.net.isDown() && (last || failures >= doublings) {
		return anyPart
	}
	return b.tries.cut[id]
}

// absolve takes back the tries that were counted against the URL that failed last, since
// its host has failed for something else, too: it was not the URL. The host had failed
// failures times in a row, each time for that URL. Like the excuses of an outage, this has an
// end: two URLs of a host may both be to blame.
func (b *hosts) absolve(h *host, failures uint16) {
	if h.doubted == 0 || h.shared {
		return
	}
	h.shared = b.tries.takeBack(frontier.ID(h.doubted-1), uint8(min(failures, rotateAfter)))
}

// doubts reports whether a lead failed last on a host that fails, so that the crawl should
// ask the host for something else first.
func (b *hosts) doubts(id frontier.ID, h frontier.HostID) bool {
	ho := b.at(h)
	return ho.backOffs >= ho.rotateAfter() && ho.doubted == uint32(id)+1
}

// rotateAfter returns the number of failures in a row after which another URL of the host is
// asked for. As long as URLs that break recover, as on a bad line, a URL is asked for twice.
// Where they do not, asking for it again costs time and shows nothing.
func (h host) rotateAfter() uint16 {
	if h.stubborn > h.recovered {
		return 1
	}
	return rotateAfter
}

// noteOutcome counts how URLs of the host that broke go on. A URL recovers if it is answered
// after all. It is stubborn if it failed last and the host now answers for another URL, or for
// a page after its robots.txt: that shows that the host is not to blame. It must be called
// before the answer clears the doubt.
func (b *hosts) noteOutcome(fl *flight, p *dowse.Page) {
	if !isAnswered(p) {
		return
	}
	h := b.of(fl.host)
	if b.tries.broke[fl.id] > 0 {
		h.recovered = min(h.recovered+1, maxOutcomes)
		b.tries.recovered = true
	}
	if h.silent > 0 && h.doubted != 0 && h.doubted != uint32(fl.id)+1 && !h.shared || h.vouched > 0 {
		h.stubborn = min(h.stubborn+1, maxOutcomes)
	}
}

// isSuspect reports whether the other URLs of a host come before this one: it failed as often
// as URLs of the host are asked for in a row, or it failed and its host fails now. Otherwise a
// few URLs that break every connection, and rank high, would keep the crawl from all the
// others until their host is parked.
func (b *hosts) isSuspect(id frontier.ID, h frontier.HostID) bool {
	n, ho := b.tries.broke[id], b.at(h)
	return b.isPortShut(id, h) || n > 0 && (uint16(n) >= ho.rotateAfter() || ho.backOffs >= ho.rotateAfter()) || b.doubts(id, h)
}

// instead returns the lead to ask a host for in place of one that is suspect, or that may
// fail as others did: the best of the host that is not suspect, or the last of them while it
// is open whether host or URLs are to blame. It reports false if the given lead is to be
// asked for.
func (b *hosts) instead(id frontier.ID, h frontier.HostID) (other frontier.ID, ok bool) {
	switch {
	case b.wantsOther(h):
		other, ok = b.lastUnsuspected(h)
	case b.isSuspect(id, h):
		other, ok = b.f.BestOnIf(h, stepBackAmong, func(x frontier.ID) bool { return !b.isSuspect(x, h) })
	default:
		return id, false
	}
	if !ok && !b.cfg.Robots && b.doubts(id, h) { // there is no robots.txt to ask for
		other, ok = b.f.BestOn(h)
	}
	return other, ok
}

// wantsOther reports whether a host should be asked for a URL as unlike those that failed as
// possible: it used to answer, and several visits in a row had no answer; or its robots.txt
// answered since.
func (b *hosts) wantsOther(id frontier.HostID) bool {
	h := b.at(id)
	return h.vouched > 0 || h.answered && uint16(h.silent) >= h.rotateAfter()
}

// lastUnsuspected returns the lead of a host that ranks last among those that are not
// suspect. URLs that break connections often have a place in the ranking in common, since
// they have anchors or a folder in common.
func (b *hosts) lastUnsuspected(h frontier.HostID) (last frontier.ID, ok bool) {
	b.f.BestOnIf(h, stepBackAmong, func(x frontier.ID) bool {
		if !b.isSuspect(x, h) {
			last, ok = x, true
		}
		return false
	})
	return last, ok
}

// witness reports whether robots.txt is to be asked for before a lead: the host fails, and so
// did the lead, and the host has no other lead that did not; or several visits to the host
// had no answer, and its robots.txt shows whether host or URLs are to blame. A lead that
// failed twice shows nothing about a host that failed once.
func (b *hosts) witness(id frontier.ID, h frontier.HostID) bool {
	if !b.cfg.Robots || b.f.HostName(h) == "" {
		return false
	}
	ho := b.at(h)
	return ho.backOffs >= ho.rotateAfter() && b.isSuspect(id, h) || b.needsWitness(h) ||
		ho.silent > 0 && b.tries.broke[id] >= stepBackAfter
}

// needsWitness reports whether a host that used to answer has not answered several visits,
// and its robots.txt was not asked for since.
func (b *hosts) needsWitness(id frontier.HostID) bool {
	h := b.at(id)
	return b.cfg.Robots && h.silent >= witnessAfter && h.mayBeBlameless() && h.vouched < maxVouches
}

// mayBeBlameless reports whether a host that does not answer for a page has answered before,
// and its robots.txt was not asked for in vain since.
func (h host) mayBeBlameless() bool {
	return h.answered && h.silent > 0 && h.doubted != 0 && h.asked == 0
}

// noteVouch counts an answer of a host's robots.txt if its pages did not answer before.
func (h *host) noteVouch() {
	if h.silent >= witnessAfter && h.vouched < maxVouches {
		h.vouched++
	}
}

// noteAnswer notes that a page of a host had an answer, so that robots.txt has to show
// nothing any more.
func (h *host) noteAnswer(p *dowse.Page) {
	if !gotNoAnswer(p) {
		h.vouched, h.asked = 0, 0
	}
}

// starvesAfter returns how long no host may answer until the crawl ends.
func (b *hosts) starvesAfter() time.Duration {
	if b.net.answered.IsZero() {
		return min(b.cfg.Polite.Patience, firstPatience)
	}
	return b.cfg.Polite.Patience
}

// starvesAt returns when the crawl ends if no host answers until then.
func (b *hosts) starvesAt() time.Time {
	return later(b.net.answered, b.net.begun).Add(b.starvesAfter())
}

// starved reports whether all that is left waits for hosts that do not answer: none
// may be visited for long, for other reasons than politeness, or all are given up and none
// has answered for long. A round of which pages have come back, as midRound reports, is
// ended before.
func (b *hosts) starved(now, when time.Time, midRound bool) bool {
	if b.flights.out() == 0 && (when.Sub(now) > b.starvesAfter() && !b.anySpared(now) || b.isHopeless(when, midRound)) {
		return true
	}
	return now.After(b.starvesAt()) && !midRound && b.onlyGivenUp(now)
}

// isHopeless reports whether the crawl has starved although hosts may be visited: of many
// silent hosts one is always rested. It looks at all hosts, at most once a second, and only
// when none has answered for long.
func (b *hosts) isHopeless(now time.Time, midRound bool) bool {
	if !b.manyWait() || b.net.isDown() || !now.After(b.starvesAt()) || b.hopeAt.After(now) || midRound {
		return false
	}
	b.hopeAt = now.Add(time.Second)
	return b.onlyGivenUp(now)
}

// awaitsAnswer reports whether a visit is out to a host that has answered before. It may well
// answer again, so its outcome is waited for before the crawl ends. Hosts that never answered
// are not: many of them would keep the crawl from its end.
func (b *hosts) awaitsAnswer() bool {
	for _, fl := range b.flights.pages {
		if b.at(fl.host).answered {
			return true
		}
	}
	for id := range b.flights.asking {
		if b.at(id).answered {
			return true
		}
	}
	return false
}

// onlyGivenUp reports whether every host that leads wait for, or that is being visited, is
// given up.
func (b *hosts) onlyGivenUp(now time.Time) bool {
	for id := range frontier.HostID(b.len()) {
		waits := b.at(id).out > 0 || b.flights.asking[id] != nil || b.f.WaitingOn(id) > 0
		if waits && !b.isGivenUp(id, now) {
			return false
		}
	}
	return true
}

// anySpared reports whether leads wait for a host that is worth waiting for, however long it
// rests. It looks at every host.
func (b *hosts) anySpared(now time.Time) bool {
	for id := range frontier.HostID(b.len()) {
		if b.f.WaitingOn(id) > 0 && b.isSpared(id, now) {
			return true
		}
	}
	return false
}

// isSpared reports whether a host rests for no longer than politeness demands: its delay,
// from its last visit or from the beginning of the run. That is no sign that it does not
// answer, so it does not count against Patience. A host whose robots.txt is to be asked for
// next, because some of its URLs had no answer, is waited for, too. A host that asked to be
// left alone is not.
func (b *hosts) isSpared(id frontier.HostID, now time.Time) bool {
	h := b.at(id)
	if b.isGivenUp(id, now) || h.promised().After(now) {
		return false
	}
	rest := max(b.delay(id, 0), min(h.maxDelay, b.cfg.Polite.MaxDelay))
	return b.needsWitness(id) || !b.f.Ready(id).After(later(h.last, b.net.begun).Add(rest))
}

// Unreached lists what waits for hosts that do not answer.
type Unreached struct {
	Hosts int             `json:"hosts"`
	URLs  int             `json:"urls"`
	Most  []unreachedHost `json:"most"` // the hosts with the most URLs, at most maxUnreached
}

// An unreachedHost is a host that does not answer.
type unreachedHost struct {
	Host   string       `json:"host"`
	URLs   int          `json:"urls"`
	Reason dowse.Reason `json:"reason"` // of its latest failure
	Since  time.Time    `json:"since"`  // its first failure in a row
}

// maxUnreached bounds the list of hosts in [Unreached].
const maxUnreached = 20

// isUnreached reports whether a host that fails is given up at now, or rests for longer than the crawl
// waits for it.
func (b *hosts) isUnreached(id frontier.HostID, h *host, now time.Time) bool {
	rest := b.f.Ready(id).Sub(h.last)
	return h.backOffs > 0 && (b.isGivenUp(id, now) || rest > b.cfg.Polite.Patience && !b.isSpared(id, now))
}

// isParked reports whether a host asked to be left alone for longer than the crawl waits for it. That
// lasts beyond the run, while its failures are forgiven when the next one begins.
func (b *hosts) isParked(h *host, now time.Time) bool {
	return h.promised().Sub(now) > b.cfg.Polite.Patience
}

// unreached returns the hosts that are given up at now, or asked to be left alone for long,
// and for which URLs wait; nil if there are none. It looks at every host.
func (b *hosts) unreached(now time.Time) *Unreached {
	u := &Unreached{}
	b.each(func(id frontier.HostID, h *host) {
		n := b.f.WaitingOn(id)
		if n == 0 || !b.isParked(h, now) && !b.isUnreached(id, h, now) {
			return
		}
		u.Hosts++
		u.URLs += n
		why := ledger.ReasonOf(h.why)
		if h.why == 0 {
			why = dowse.FailHTTP // it asked for the rest with a status, in an earlier run
		}
		u.Most = append(u.Most, unreachedHost{b.f.HostName(id), n, why, unixTime(h.troubled)})
	})
	if u.Hosts == 0 {
		return nil
	}
	slices.SortStableFunc(u.Most, func(a, b unreachedHost) int { return cmp.Compare(b.URLs, a.URLs) })
	u.Most = slices.Clone(u.Most[:min(len(u.Most), maxUnreached)])
	return u
}
