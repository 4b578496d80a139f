package crawl

import (
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/settings"
	"dowse/weburl"
)

// Politeness says how hosts are spared, see [settings.Politeness]. Zero fields mean the
// defaults, but for Hold: a crawl never waits unless its config asks for it.
type Politeness = settings.Politeness

// None stands for a delay of zero, where the zero value means the default.
const None = settings.None

// politeness returns what a config gives with the defaults in place of what it leaves out.
func politeness(p Politeness) Politeness {
	out := p.Resolved()
	out.Hold, out.Conns = max(p.Hold, 0), max(out.Conns, 1)
	return out
}

const (
	backOffStart = 2 * time.Second // after the first failure without Retry-After; grows, see pauseAfter
	maxPark      = 10 * 365 * 24 * time.Hour
	slowFactor   = 2              // a host rests at least so many times as long as it took to answer
	downAfter    = 5              // failed connections in a row until a host counts as down
	robotsLife   = 24 * time.Hour // RFC 9309 2.4
	maxSitemaps  = 100            // to a host
	sitemapBand  = 127            // sitemaps come after everything that links led to
	holdFor      = 3              // delays that a better lead is waited for at most, see Politeness.Hold
	holdAmong    = 8              // of the best leads that are looked at
)

// A host is what the crawl knows of one host.
type host struct {
	robots      *dowse.Robots // nil if not read, or not read since the crawl was opened
	robotsPlace uint64        // the journal's entry for it, plus 1; 0 for none
	robotsUntil time.Time
	last        time.Time // end of the last visit
	backOffs    uint16    // in a row
	downs       uint16    // in a row
	maps        uint16    // sitemaps taken from it
	silent      uint8     // visits in a row without an answer, see hear
	asked       uint8     // for robots.txt in a row, without an answer
	mute        uint8     // code of the reason why nothing on it can be asked, robots.txt included; 0 for none
	out         uint32    // visits to its pages
	landed      uint32    // pages that came back and are not counted yet
	held        uint32    // connections kept free until a visit comes back
	answered    bool      // it has answered at least once
	locals      uint8     // visits in a row that this machine could not make
	why         uint8     // code of the reason of the latest failure in a row
	doubted     uint32    // the URL that failed last, plus 1; 0 for none
	shared      bool      // more than one URL failed since it answered last
	troubled    int64     // when it began to fail, in Unix nanoseconds; counts if backOffs > 0
	promise     int64     // until when it asked to be left alone, in Unix nanoseconds; 0 for never
	fetched     uint32
	onTopic     uint32
	requests    uint32
	failed      uint32
	recent      uint32 // the last 20 pages, newest lowest, 1 for on topic
	bytes       int64
	maxDelay    time.Duration
}

// rest returns until when the host, and the address that it has, are left alone, from what
// the visit reported. The time that the crawl waited in vain for a host that never answered
// says nothing about how slow the host is.
func (c *Crawl) rest(now time.Time, id frontier.HostID, p *dowse.Page) (ready, lane time.Time) {
	h := c.hosts.of(id)
	h.last = now
	h.requests++
	c.hear(id, p)
	took := p.Fetch.Took
	if !h.answered && unheard(p) {
		took = 0
	}
	delay := c.delay(id, took)
	h.maxDelay = max(h.maxDelay, delay)
	rest := max(delay, c.backOff(h, p))
	if h.backOffs > 0 && p.Host != nil {
		h.noteTrouble(now, p)
	}
	if a := p.Fetch.Address; a.IsValid() && isPublic(a) {
		c.f.Lane(id, a.String())
	}
	return now.Add(rest), now.Add(delay)
}

// delay is the pause that a host gets in good times: the configured one, its
// Crawl-delay, or twice as long as it needed to answer, whichever is longest.
func (c *Crawl) delay(id frontier.HostID, took time.Duration) time.Duration {
	d := c.cfg.Polite.Delay
	if c.cfg.Polite.Delay > 0 {
		d = max(d, min(slowFactor*took, c.cfg.Polite.MaxDelay))
	}
	if r := c.rules(id); r != nil {
		d = max(d, min(r.Delay, c.cfg.Polite.MaxDelay))
	}
	return d
}

// backOff returns how long a host in trouble is left alone. Retry-After is a
// promise; without it the pause doubles each time.
func (c *Crawl) backOff(h *host, p *dowse.Page) time.Duration {
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
	case c.inOutage():
		pause = min(pause, probeMax) // it may not be the host's fault
	case h.answered && h.backOffs > 0 && !c.net.answered.After(unixTime(h.troubled)):
		// No host has answered since this one began to fail, and the crawl will soon end
		// for that: it is asked a few more times before.
		pause = min(pause, max(c.cfg.Polite.Patience/lastTries, backOffStart))
	}
	if !h.answered && h.silent >= givenUpAfter && c.isCrowded() {
		pause = max(pause, c.cfg.Polite.Patience, c.sweep()) // others that never answered come first
	}
	h.backOffs = min(h.backOffs+1, doublings+hourly)
	if r.RetryAfter > 0 {
		pause = min(r.RetryAfter, maxPark)
	}
	return pause
}

// rested is how long the host had rested when a visit to it began.
func (c *Crawl) rested(id frontier.HostID, now time.Time) time.Duration {
	if last := c.hosts.at(id).last; !last.IsZero() {
		return now.Sub(last)
	}
	return 0
}

// holds reports whether to wait for a better lead than id, and until when; the zero
// time means until a visit comes back.
func (c *Crawl) holds(id frontier.ID, now time.Time) (until time.Time, ok bool) {
	if c.cfg.Polite.Hold <= 0 || c.f.LastRegret() <= 0 || c.f.Late(c.f.Host(id)) {
		return time.Time{}, false
	}
	band, least := c.f.Band(id), c.f.Priority(id)
	patience := now.Add(holdFor * c.cfg.Polite.Delay)
	for _, best := range c.f.Leaders(holdAmong) {
		p := c.f.Priority(best)
		if c.f.Band(best) != band || p <= 0 || least >= p*(1-c.cfg.Polite.Hold) {
			return time.Time{}, false
		}
		h := c.f.Host(best)
		if c.f.Late(h) {
			continue // it would be waited for in vain
		}
		switch ready := c.f.Ready(h); {
		case c.f.Busy(h) > 0:
			return time.Time{}, true
		case ready.After(now) && !ready.After(patience):
			return ready, true
		}
	}
	return time.Time{}, false
}

// takeSlot reserves the next moment at which a visit may begin under MaxRate.
func (c *Crawl) takeSlot(now time.Time) {
	if r := c.cfg.Polite.MaxRate; r > 0 {
		c.stats.slot = now.Add(time.Duration(float64(time.Second) / r))
	}
}

// wantsRobots reports whether a host's robots.txt must be read first.
func (c *Crawl) wantsRobots(id frontier.HostID, now time.Time) bool {
	if !c.cfg.Robots || c.f.HostName(id) == "" {
		return false
	}
	h := c.hosts.at(id)
	return h.robots == nil && h.robotsPlace == 0 || now.After(h.robotsUntil)
}

// askRobots makes the visit to a host's robots.txt. It has the host to itself:
// nothing else may be visited before the rules are known.
func (c *Crawl) askRobots(id frontier.ID, h frontier.HostID, now time.Time) Visit {
	v := Visit{Kind: VisitRobots, URL: weburl.Robots(c.f.URL(id)), Deadline: now.Add(c.cfg.Lease), Patience: c.patience(h, now)}
	fl := &flight{visit: v, id: frontier.None, host: h, began: now}
	for range c.cfg.Polite.Conns - 1 {
		c.f.Begin(h)
	}
	c.occupied(fl)
	c.asking[h] = fl
	c.leases = append(c.leases, lease{v.Deadline, fl})
	return v
}

// absorbRobots takes in what came of a visit to robots.txt, if one is out for the
// page's URL.
func (c *Crawl) absorbRobots(now time.Time, p *dowse.Page) {
	h, ok := c.f.HostOf(weburl.Host(p.URL))
	fl := c.asking[h]
	if !ok || fl == nil || fl.visit.URL != p.URL {
		return
	}
	delete(c.asking, h)
	c.vacated(fl)
	defer c.noteNetwork(now, fl, p)
	r := &dowse.Robots{At: now}
	if p.Host != nil && p.Host.Robots != nil {
		r = p.Host.Robots
	}
	if unanswered(r) && outOfReach(r, p) == "" {
		p.Host = orReport(p.Host)
		p.Host.BackOff = true
	}
	var known bool
	var ready, lane time.Time
	if isLocal(p) {
		ready = c.localRest(now, h)
	} else {
		if unanswered(r) {
			c.absolve(c.hosts.of(h), c.hosts.at(h).backOffs)
		}
		known = c.learnRobots(now, h, r, p)
		ready, lane = c.rest(now, h, p)
		if c.hosts.at(h).mute != 0 {
			ready = lane // nothing will be asked of it: its URLs need not wait
		}
	}
	for range c.cfg.Polite.Conns {
		c.f.Release(h, ready, lane)
	}
	c.stats.Requests++
	c.stats.Bytes += p.Fetch.Wire
	c.stats.archive(p.Fetch.Archive)
	if c.cfg.Sitemaps {
		c.queueSitemaps(h, r.Sitemaps)
	}
	place := c.record(&Entry{Kind: EntryRobots, At: now, Host: c.f.HostName(h), Robots: r, Page: p, place: fl.place})
	if known {
		c.hosts.of(h).robotsPlace = place + 1
	}
}

// learnRobots keeps a host's rules and reports whether they are to be kept. A host
// that gives no answer is asked again, after the pause that trouble gets, unless it
// may not be asked at all; then the old rules hold on, or what its silence means
// (RFC 9309 2.3.1.4, 2.4).
func (c *Crawl) learnRobots(now time.Time, id frontier.HostID, r *dowse.Robots, p *dowse.Page) bool {
	h := c.hosts.of(id)
	mute := outOfReach(r, p)
	if unanswered(r) {
		h.asked = min(h.asked+1, 254)
		if mute == "" && c.rules(id) == nil {
			return false // nothing is known: its URLs wait until it answers
		}
		if int(h.asked) < c.cfg.Tries && mute != dowse.SkipPrivateIP {
			return false
		}
	}
	h.asked = 0
	h.robotsUntil = now.Add(robotsLife)
	if unanswered(r) && c.rules(id) != nil {
		return false
	}
	kept := *r
	kept.Body = nil // the journal has it; there may be 2 MiB of it for each host
	h.robots, h.mute = &kept, reasonCode(mute)
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

// unanswered reports whether a host did not tell its rules, for now.
func unanswered(r *dowse.Robots) bool {
	return r.Status == 0 || r.Status == 429 || r.Status >= 500
}

// rules returns what a host's robots.txt said, nil if it was not read.
func (c *Crawl) rules(id frontier.HostID) *dowse.Robots {
	h := c.hosts.list[id]
	if h == nil {
		return nil
	}
	if h.robots == nil && h.robotsPlace > 0 {
		if h.robots = c.cfg.Log.RobotsAt(h.robotsPlace - 1); h.robots == nil {
			h.robotsPlace = 0 // it can't be read any more: ask again
		}
	}
	return h.robots
}

// allows reports whether a host's robots.txt lets us fetch a URL, as far as it was
// read, and the rule that decided.
func (c *Crawl) allows(id frontier.HostID, u dowse.URL) (ok bool, rule string) {
	r := c.rules(id)
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

// barred tells why robots.txt, or not being able to ask for it, keeps a URL from
// being visited, or "".
func (c *Crawl) barred(id frontier.HostID, u dowse.URL) (dowse.Outcome, dowse.Reason, string) {
	ok, rule := c.allows(id, u)
	if ok {
		return dowse.Fetched, "", ""
	}
	switch why := reasonOf(c.hosts.at(id).mute); why {
	case "":
		return dowse.Refused, dowse.SkipRobotsTxt, rule
	case dowse.SkipPrivateIP:
		return dowse.Skipped, why, "the host's robots.txt could not be asked for either"
	default:
		return dowse.Failed, why, "the host's robots.txt could not be read"
	}
}

// queueSitemaps lets the sitemaps of a host wait.
func (c *Crawl) queueSitemaps(h frontier.HostID, maps []dowse.URL) {
	for _, u := range maps {
		if c.hosts.at(h).maps >= maxSitemaps {
			return
		}
		if c.queueSitemap(u) {
			c.hosts.of(h).maps++
		}
	}
}

// queueSitemap lets a sitemap wait, behind every lead of the strategy. It
// reports false for one that is known as such, or that may not be visited.
func (c *Crawl) queueSitemap(u dowse.URL) bool {
	if c.overBudget(u) {
		return false
	}
	id := c.see(u)
	state := c.f.State(id)
	if state != dowse.Unseen && state != dowse.Held && state != dowse.Waiting || c.sitemaps[id] {
		return false
	}
	if why := c.refuses(u, id, 0, 0); why != "" {
		if state == dowse.Unseen {
			c.exclude(id, why)
		}
		return false
	}
	c.sitemaps[id] = true
	c.f.SetBand(id, sitemapBand)
	c.f.SetPriority(id, 0, dowse.Max)
	c.queueAgain(id)
	return true
}

// sitemapsRead counts the sitemaps among the URLs that were visited.
func (c *Crawl) sitemapsRead() (n int) {
	for id := range c.sitemaps {
		if c.f.State(id) == dowse.Visited {
			n++
		}
	}
	return n
}

// sitemapSeen queues the further sitemaps that an index lists.
func (c *Crawl) sitemapSeen(p *dowse.Page) {
	if h, ok := c.f.HostOf(weburl.Host(p.URL)); ok {
		c.queueSitemaps(h, p.Maps)
	}
}
