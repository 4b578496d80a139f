package crawl

import (
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
	"dowse/settings"
	"dowse/weburl"
)

// Politeness sets how hosts are spared, see [settings.Politeness]. Zero fields mean the
// defaults, but for Hold: a crawl never waits unless its config asks for it.
type Politeness = settings.Politeness

// None is a delay of zero, where the zero value means the default.
const None = settings.None

// politeness returns what a config gives with the defaults in place of what it leaves out.
func politeness(p Politeness) Politeness {
	out := p.Resolved()
	out.Hold, out.Conns = max(p.Hold, 0), max(out.Conns, 1)
	return out
}

// Pauses and lifetimes.
const (
	backOffStart = 2 * time.Second           // after the first failure without Retry-After; grows, see pauseAfter
	maxPark      = 10 * 365 * 24 * time.Hour // what a host asked for is kept up to here
	maxPromise   = 24 * time.Hour            // for which a host is left alone because it asked for that, at most
	slowFactor   = 2                         // times the duration of its answer that a host rests, at least
	downAfter    = 5                         // failed connections in a row until a host counts as down
	robotsLife   = 24 * time.Hour            // RFC 9309 2.4
)

// rest returns until when the host of a visit, and the address that it has, are left alone,
// from what the visit reported. The time that the crawl waited in vain for a host that never
// answered, or for a port of it that does not answer, does not show how slow the host is. A URL that is known to break every connection
// of a host that answers others costs the host no back-off: whether the host still answers is
// asked next (see witness), and if it does not, its pauses begin then.
func (b *hosts) rest(now time.Time, fl *flight, p *dowse.Page) (ready, lane time.Time) {
	id := fl.host
	h := b.of(id)
	h.last = now
	h.requests++
	b.noteSilence(id, p)
	took := p.Fetch.Took
	if !h.answered && gotNoAnswer(p) || isPortFailure(p) {
		took = 0
	}
	delay := b.delay(id, took)
	h.maxDelay = max(h.maxDelay, delay)
	expected := h.silent == 1 && h.backOffs == 0 && b.tries.broke[fl.id] > 0 && h.stubborn > h.recovered
	rest := b.backOff(h, p)
	if expected && p.Host.RetryAfter == 0 {
		rest = 0
	}
	rest = max(rest, delay)
	if h.backOffs > 0 && p.Host != nil {
		h.noteTrouble(now, p)
	}
	if a := p.Fetch.Address; a.IsValid() && weburl.PublicAddr(a) {
		b.f.Lane(id, a.String())
	}
	return now.Add(rest), now.Add(delay)
}

// delay is the pause that a host gets in good times: the configured one, its
// Crawl-delay, or twice as long as it needed to answer, whichever is longest.
func (b *hosts) delay(id frontier.HostID, took time.Duration) time.Duration {
	d := b.cfg.Polite.Delay
	if b.cfg.Polite.Delay > 0 {
		d = max(d, min(slowFactor*took, b.cfg.Polite.MaxDelay))
	}
	if r := b.rules(id); r != nil {
		d = max(d, min(r.Delay, b.cfg.Polite.MaxDelay))
	}
	return d
}

// backOff returns how long a host in trouble is left alone. Retry-After is a
// promise, for a day: one wrong header must not take a host away for months. Without it the pause doubles each time. Four cases shorten or lengthen the pause:
// an outage, the approaching end of the crawl, a robots.txt that is to be asked for soon, and
// a crowd of other hosts that never answered.
func (b *hosts) backOff(h *host, p *dowse.Page) time.Duration {
	r := p.Host
	if r == nil || !r.BackOff && !r.Down && r.RetryAfter == 0 {
		if isAnswered(p) {
			h.backOffs, h.downs, h.doubted, h.shared = 0, 0, 0, false
		}
		return 0
	}
	if r.Down {
		h.downs++
	}
	pause := pauseAfter(h.backOffs)
	switch {
	case b.net.isDown():
		pause = min(pause, probeMax) // it may not be the host's fault
	case h.answered && h.backOffs > 0 && !b.net.answered.After(unixTime(h.troubled)):
		// No host has answered since this one began to fail, and the crawl will soon end
		// for that: it is asked a few more times before.
		pause = min(pause, max(b.cfg.Polite.Patience/lastTries, backOffStart))
	}
	if b.cfg.Robots && h.mayBeBlameless() && h.backOffs < witnessBefore {
		pause = min(pause, pauseAfter(witnessAfter)) // its robots.txt is asked next, or soon
	}
	if !h.answered && h.silent >= givenUpAfter && b.isCrowded() {
		pause = max(pause, b.cfg.Polite.Patience, b.sweep()) // others that never answered come first
	}
	h.backOffs = min(h.backOffs+1, doublings+hourly)
	if r.RetryAfter > 0 {
		pause = min(r.RetryAfter, maxPromise)
	}
	return pause
}

// rested is how long the host had rested when a visit to it began.
func (b *hosts) rested(id frontier.HostID, now time.Time) time.Duration {
	if last := b.at(id).last; !last.IsZero() {
		return now.Sub(last)
	}
	return 0
}

// wantsRobots reports whether a host's robots.txt must be read first.
func (b *hosts) wantsRobots(id frontier.HostID, now time.Time) bool {
	if !b.cfg.Robots || b.f.HostName(id) == "" {
		return false
	}
	h := b.at(id)
	return h.robots == nil && h.robotsPlace == 0 || now.After(h.robotsUntil)
}

// learnRobots keeps a host's rules and reports whether they are to be kept. A host
// that gives no answer is asked again, after the pause that trouble gets, unless it
// may not be asked at all; then the old rules hold on, or what its silence means
// (RFC 9309 2.3.1.4, 2.4).
func (b *hosts) learnRobots(now time.Time, id frontier.HostID, r *dowse.Robots, p *dowse.Page) bool {
	h := b.of(id)
	mute := outOfReach(r, p)
	if unanswered(r) {
		h.asked = min(h.asked+1, 254)
		if mute == "" && b.rules(id) == nil {
			return false // nothing is known: its URLs wait until it answers
		}
		if int(h.asked) < b.cfg.Tries && mute != dowse.SkipPrivateIP {
			return false
		}
	}
	h.asked = 0
	h.robotsUntil = now.Add(robotsLife)
	if unanswered(r) && b.rules(id) != nil {
		return false
	}
	kept := *r
	kept.Body = nil // the journal has it; there may be 2 MiB of it for each host
	h.robots, h.mute = &kept, ledger.ReasonCode(mute)
	return true
}

// outOfReach returns the reason for which no robots.txt could be read if it is not one
// of the moment: it keeps every page of the host away. For others the host is asked
// again.
func outOfReach(r *dowse.Robots, p *dowse.Page) dowse.Reason {
	if r.Status != 0 || p.Host != nil && p.Host.BackOff {
		return ""
	}
	return p.Reason
}

// unanswered reports whether a host did not send its rules, for now: no answer, an error of
// the server, or a request to slow down.
func unanswered(r *dowse.Robots) bool {
	return r.Status == 0 || r.Status == 429 || r.Status >= 500
}

// rules returns the rules of a host's robots.txt, nil if it was not read. After a restart they
// are read back from the journal when they are first needed.
func (b *hosts) rules(id frontier.HostID) *dowse.Robots {
	h := b.list[id]
	if h == nil {
		return nil
	}
	if h.robots == nil && h.robotsPlace > 0 {
		if h.robots = b.cfg.Log.RobotsAt(h.robotsPlace - 1); h.robots == nil {
			h.robotsPlace = 0 // it can't be read any more: ask again
		}
	}
	return h.robots
}

// allows reports whether a host's robots.txt lets us fetch a URL, as far as it was
// read, and the rule that decided.
func (b *hosts) allows(id frontier.HostID, u dowse.URL) (ok bool, rule string) {
	r := b.rules(id)
	switch {
	case r == nil:
		return true, ""
	case r.Rules != nil:
		return r.Rules.Allowed(u)
	case unanswered(r):
		return false, "robots.txt could not be read"
	}
	return true, ""
}

// barred returns why robots.txt, or not being able to ask for it, keeps a URL from
// being visited, with the outcome that its page gets; the reason is "" if nothing does.
func (b *hosts) barred(id frontier.HostID, u dowse.URL) (dowse.Outcome, dowse.Reason, string) {
	ok, rule := b.allows(id, u)
	if ok {
		return dowse.Fetched, "", ""
	}
	switch why := ledger.ReasonOf(b.at(id).mute); why {
	case "":
		return dowse.Refused, dowse.SkipRobotsTxt, rule
	case dowse.SkipPrivateIP:
		return dowse.Skipped, why, "the host's robots.txt could not be asked for either"
	default:
		return dowse.Failed, why, "the host's robots.txt could not be read"
	}
}
