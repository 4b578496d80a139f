package crawl

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// A host that fails is left alone for longer and longer, and never given up while the
// crawl runs: its URLs wait. After minutes it is asked by the hour, and after a day of
// that by the day.
const (
	doublings     = 9                // pauses that double, from backOffStart on
	hourly        = 24               // pauses of an hour after those
	parkedAfter   = 5                // failures in a row after which a host is not waited for at the end
	rotateAfter   = 2                // failures in a row after which another URL of the host is asked
	stepBackAfter = 2                // failures of a URL after which all other URLs of its host come first
	stepBackAmong = 1000             // leads of a host that are searched for one that has not stepped back
	firstPatience = 30 * time.Second // Patience at most while no host has ever answered
	lastTries     = 4                // tries of a host within Patience while no host answers
)

// pauseAfter returns how long a host is left alone that has failed so many times in a
// row before.
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
	if h.why = reasonCode(p.Reason); h.why == 0 {
		h.why = reasonCode(dowse.FailHTTP)
	}
	if after := p.Host.RetryAfter; after > 0 {
		h.promise = now.Add(min(after, maxPark)).UnixNano()
	}
}

// forgiveHost no longer holds its failures against a host. It may be visited as soon
// as its delay is over, or the time that it asked for itself.
func (c *Crawl) forgiveHost(id frontier.HostID) {
	h := c.hosts.of(id)
	c.absolve(h, h.backOffs)
	h.shared = false
	h.backOffs, h.downs, h.asked, h.locals, h.why, h.doubted, h.silent = 0, 0, 0, 0, 0, 0, 0
	c.f.SetLate(id, false)
	ready := unixTime(h.promise)
	if !h.last.IsZero() {
		ready = later(ready, h.last.Add(c.delay(id, 0)))
	}
	c.f.Wake(id, ready)
}

// unixTime is the inverse of time.Time.UnixNano; 0 is the zero time.
func unixTime(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

// Wake lets every host that failed in an earlier run be asked again now.
func (c *Crawl) Wake(now time.Time) {
	failed := c.inOutage()
	c.hosts.each(func(_ frontier.HostID, h *host) { failed = failed || h.backOffs > 0 || h.locals > 0 })
	if !failed {
		return
	}
	c.ground()
	c.clock(now)
	c.forgiveSince(time.Time{})
	c.record(&Entry{Kind: EntryForgive, At: now})
}

// blame counts a failed try against a URL, if its host works otherwise, and reports
// whether that was the last one. A host that fails time after time says nothing about
// the URL; only after it has answered for something else does the URL count as the
// cause. Where there is nothing else to ask for, robots.txt is asked (see witness);
// without robots.txt the URL is all there is.
func (c *Crawl) blame(fl *flight, failures uint16) (spent bool) {
	h := c.hosts.of(fl.host)
	if failures > 0 && h.doubted != uint32(fl.id)+1 {
		c.absolve(h, failures)
	}
	h.doubted = uint32(fl.id) + 1
	alone := c.isAlone(fl.host)
	if (failures < rotateAfter && !h.shared || alone) && c.triesOf(fl.id) < maxTries {
		c.tries[fl.id]++
	}
	return c.triesOf(fl.id) >= c.cfg.Tries && (failures == 0 || alone)
}

// isAlone reports whether a host has nothing else to ask for than the URL that is visited.
func (c *Crawl) isAlone(id frontier.HostID) bool { return !c.cfg.Robots && c.f.WaitingOn(id) == 0 }

// Crawl.tries holds two numbers for a URL. The low four bits count failed tries. The high
// four bits count how often those were taken back because they happened in an outage. That
// has an end, too: a few URLs that break the connection on several hosts look like an outage
// each time that they are tried.
const (
	maxTries   = 15
	excuse     = maxTries + 1 // one of the high bits' units
	maxExcuses = 8
)

func (c *Crawl) triesOf(id frontier.ID) int { return int(c.tries[id] & maxTries) }

// forgetTries makes a URL count as one that never failed.
func (c *Crawl) forgetTries(id frontier.ID) {
	delete(c.tries, id)
	delete(c.cut, id)
	delete(c.broke, id)
}

// forgiveTries takes back the failed tries of all URLs on hosts that began to fail at a
// time or later, even if those hosts have answered since. The zero time means a new run, in
// which the excuses begin anew, too.
func (c *Crawl) forgiveTries(since time.Time) {
	if since.IsZero() {
		clear(c.tries)
		clear(c.broke)
		return
	}
	before := func(id frontier.ID) bool {
		return unixTime(c.hosts.at(c.f.Host(id)).troubled).Before(since)
	}
	for id, n := range c.tries {
		if !before(id) && n/excuse < maxExcuses {
			c.tries[id] = (n/excuse + 1) * excuse
		}
	}
	maps.DeleteFunc(c.broke, func(id frontier.ID, _ uint8) bool { return !before(id) })
}

// AnyPart, in [Visit.Part], takes a page however little of it came.
const AnyPart int64 = -1

// partOf returns when a page that breaks off is taken as it is: if it breaks off after so
// many bytes, as it did at the try before, or always (AnyPart), because this is the last
// try. A page is not to lose its end, and the links there, to a connection that breaks
// once. A host that breaks off everything in other places each time gets AnyPart after
// about a quarter of an hour.
func (c *Crawl) partOf(id frontier.ID, host frontier.HostID) int64 {
	failures := c.hosts.at(host).backOffs
	last := c.triesOf(id) >= c.cfg.Tries-1 && (failures == 0 || c.isAlone(host))
	if !c.inOutage() && (last || failures >= doublings) {
		return AnyPart
	}
	return c.cut[id]
}

// noteCut remembers where a page broke off that waits again.
func (c *Crawl) noteCut(id frontier.ID, p *dowse.Page) {
	delete(c.cut, id)
	if brokeOff(p) && p.Fetch.Bytes > 0 {
		c.cut[id] = p.Fetch.Bytes
	}
}

// absolve takes back the tries that were counted against the URL that failed last, since
// its host has failed for something else, too: it was not the URL. The host had failed
// so many times in a row, each time for that URL. Like the excuses of an outage that has an
// end: two URLs of a host may both be to blame.
func (c *Crawl) absolve(h *host, failures uint16) {
	if h.doubted == 0 || h.shared {
		return
	}
	id := frontier.ID(h.doubted - 1)
	n := c.tries[id]
	if n/excuse >= maxExcuses {
		return
	}
	h.shared = true
	if n > 0 {
		c.tries[id] = n + excuse - min(n&maxTries, uint8(min(failures, rotateAfter)))
	}
}

// doubts reports whether a lead failed last on a host that fails, so that the crawl should
// ask the host for something else first.
func (c *Crawl) doubts(id frontier.ID, h frontier.HostID) bool {
	ho := c.hosts.at(h)
	return ho.backOffs >= rotateAfter && ho.doubted == uint32(id)+1
}

// noteBreak counts a failed visit to a URL that waits again. Unlike a try, it counts
// whichever of URL and host is to blame. It orders the leads of a host and decides nothing
// else, so neither journal nor snapshots keep it.
func (c *Crawl) noteBreak(id frontier.ID) {
	if c.broke[id] < stepBackAfter {
		c.broke[id]++
	}
}

// isSuspect reports whether the other URLs of a host come before this one: it failed twice,
// or it failed and its host fails now. Otherwise a few URLs that break every connection, and
// rank high, would keep the crawl from all the others until their host is parked.
func (c *Crawl) isSuspect(id frontier.ID, h frontier.HostID) bool {
	n := c.broke[id]
	return n >= stepBackAfter || n > 0 && c.hosts.at(h).backOffs >= rotateAfter || c.doubts(id, h)
}

// instead returns the lead to ask for in place of one that Next gave: the best of the host
// that is not suspect, if the given one is.
func (c *Crawl) instead(id frontier.ID, h frontier.HostID) frontier.ID {
	if !c.isSuspect(id, h) {
		return id
	}
	other, ok := c.f.BestOnIf(h, stepBackAmong, func(x frontier.ID) bool { return !c.isSuspect(x, h) })
	if !ok && !c.cfg.Robots && c.doubts(id, h) { // there is no robots.txt to ask for
		other, ok = c.f.BestOn(h)
	}
	if !ok {
		return id
	}
	c.f.Queue(id)
	c.moved(id, returned)
	c.f.Take(other)
	c.moved(other, taken)
	return other
}

// witness reports whether robots.txt is to be asked for before a lead, because the host
// fails, and so did the lead, and the host has no other lead that did not.
func (c *Crawl) witness(id frontier.ID, h frontier.HostID) bool {
	failing := c.hosts.at(h).backOffs >= rotateAfter
	return failing && c.cfg.Robots && c.f.HostName(h) != "" && c.isSuspect(id, h)
}

// starvesAfter returns how long no host may answer until the crawl ends.
func (c *Crawl) starvesAfter() time.Duration {
	if c.net.answered.IsZero() {
		return min(c.cfg.Polite.Patience, firstPatience)
	}
	return c.cfg.Polite.Patience
}

// starvesAt returns when the crawl ends if no host answers until then.
func (c *Crawl) starvesAt() time.Time {
	return later(c.net.answered, c.net.begun).Add(c.starvesAfter())
}

// starved reports whether all that is left waits for hosts that do not answer: none
// may be visited for long, or all are given up and none has answered for long. A round of
// which pages have come back is ended before.
func (c *Crawl) starved(now, when time.Time) bool {
	if c.out() == 0 && (when.Sub(now) > c.starvesAfter() || c.isHopeless(when)) {
		return true
	}
	return now.After(c.starvesAt()) && !c.round.hasTurns() && c.onlyGivenUp(now)
}

// isHopeless reports whether the crawl has starved although hosts may be visited: of more
// silent hosts than connections one is always rested. It looks at all hosts, at most once a
// second, and only when none has answered for long.
func (c *Crawl) isHopeless(now time.Time) bool {
	if !c.isCrowded() || c.inOutage() || !now.After(c.starvesAt()) || c.hopeAt.After(now) || c.round.hasTurns() {
		return false
	}
	c.hopeAt = now.Add(time.Second)
	return c.onlyGivenUp(now)
}

// onlyGivenUp reports whether every host that leads wait for, or that is being visited, is
// given up.
func (c *Crawl) onlyGivenUp(now time.Time) bool {
	for id := range frontier.HostID(c.hosts.len()) {
		waits := c.hosts.at(id).out > 0 || c.asking[id] != nil || c.f.WaitingOn(id) > 0
		if waits && !c.isGivenUp(id, now) {
			return false
		}
	}
	return true
}

// Unreached lists what waits for hosts that do not answer.
type Unreached struct {
	Hosts int             `json:"hosts"`
	URLs  int             `json:"urls"`
	Most  []UnreachedHost `json:"most"` // the hosts with the most URLs, at most MaxUnreached
}

// An UnreachedHost is a host that does not answer.
type UnreachedHost struct {
	Host   string       `json:"host"`
	URLs   int          `json:"urls"`
	Reason dowse.Reason `json:"reason"` // of its latest failure
	Since  time.Time    `json:"since"`  // its first failure in a row
}

// MaxUnreached bounds the list of hosts in [Unreached].
const MaxUnreached = 20

// Unreached returns the hosts that are given up, or asked to be left alone for long, and for which URLs wait; nil if there are none. It looks at every host.
func (c *Crawl) Unreached() *Unreached {
	u := &Unreached{}
	c.hosts.each(func(id frontier.HostID, h *host) {
		n := c.f.WaitingOn(id)
		rest := c.f.Ready(id).Sub(h.last)
		if n == 0 || h.backOffs == 0 || !c.isGivenUp(id, c.latest) && rest <= c.cfg.Polite.Patience {
			return
		}
		u.Hosts++
		u.URLs += n
		u.Most = append(u.Most, UnreachedHost{c.f.HostName(id), n, reasonOf(h.why), unixTime(h.troubled)})
	})
	if u.Hosts == 0 {
		return nil
	}
	slices.SortStableFunc(u.Most, func(a, b UnreachedHost) int { return cmp.Compare(b.URLs, a.URLs) })
	u.Most = slices.Clone(u.Most[:min(len(u.Most), MaxUnreached)])
	return u
}
