package crawl

import (
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// hosts keeps what a crawl knows of its hosts, by number: until when each rests, its
// robots.txt, its failures, and whether this machine's network works at all. Every
// visit begins and ends here, which is what guarantees politeness: no other part can
// let a host be asked.
//
// A host that was never visited takes 8 bytes and one bit: most hosts that links name
// are never visited, and a server can invent names without end.
type hosts struct {
	cfg     *Config
	f       *urls
	flights *flights
	most    int // concurrent visits that the driver makes at most at present; 0 if only the config limits them

	list  []*host  // nil for a host that was never visited
	met   []uint64 // a bit for each: see meet
	tries tries
	net   network

	unsure bool      // hosts may have been visited without an entry, see Crawl.restarted
	quiet  float64   // share of hosts that did not answer their first visit, of the latest ones
	hopeAt time.Time // when to look again whether any host may still answer, see isHopeless
}

// newHosts returns the hosts of a new crawl, which knows none.
func newHosts(cfg *Config, f *urls, fl *flights) *hosts {
	return &hosts{cfg: cfg, f: f, flights: fl, tries: newTries()}
}

// A host is what the crawl knows of one host.
//
// A host rests after every visit (see rest), for longer when it fails (see backOff), and
// is parked when it fails time after time: its URLs wait, and it is asked by the hour and
// by the day (see pauseAfter). Whether the host or one of its URLs is to blame for a
// failure is worked out from doubted, shared, vouched, recovered and stubborn, see
// hosts.blame and hosts.witness.
type host struct {
	robots      *dowse.Robots // nil if not read, or not read since the crawl was opened
	robotsPlace uint64        // the journal's entry for it, plus 1; 0 for none
	robotsUntil time.Time
	last        time.Time // end of the last visit
	backOffs    uint16    // in a row
	downs       uint16    // in a row
	maps        uint8     // sitemaps queued from it
	feeds       uint8     // feeds queued that are on it
	silent      uint8     // visits in a row without an answer, see noteSilence
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
	vouched     uint8     // answers of robots.txt since a page answered last, see witness; not kept in snapshots
	recovered   uint16    // URLs that broke and were answered later, see noteOutcome; not kept in snapshots
	stubborn    uint16    // URLs that broke while the host answered for others; not kept in snapshots
	ports       ports     // which of http and https answer; not kept in snapshots
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

// conns returns how many visits can be made concurrently.
func (b *hosts) conns() int {
	if b.most > 0 {
		return min(b.most, b.cfg.Polite.InFlight)
	}
	return b.cfg.Polite.InFlight
}

// grow makes room for n hosts.
func (b *hosts) grow(n int) {
	for len(b.list) < n {
		b.list = append(b.list, nil)
	}
	for len(b.met)*64 < n {
		b.met = append(b.met, 0)
	}
}

// len returns the number of known hosts, visited or not.
func (b *hosts) len() int { return len(b.list) }

// at returns what is known of a host, for reading; a host that was never visited is
// the zero value.
func (b *hosts) at(id frontier.HostID) host {
	if h := b.list[id]; h != nil {
		return *h
	}
	return host{}
}

// of returns what is known of a host, for changing. It allocates the record if there
// is none.
func (b *hosts) of(id frontier.HostID) *host {
	if b.list[id] == nil {
		b.list[id] = &host{}
	}
	return b.list[id]
}

// each calls show for every host with a record, in the order of their numbers.
func (b *hosts) each(show func(id frontier.HostID, h *host)) {
	for id, h := range b.list {
		if h != nil {
			show(frontier.HostID(id), h)
		}
	}
}

// meet marks a host and reports whether it was not marked before, so that each host counts
// once against the budget of its owner.
func (b *hosts) meet(id frontier.HostID) bool {
	word, bit := &b.met[id/64], uint64(1)<<(id%64)
	fresh := *word&bit == 0
	*word |= bit
	return fresh
}

// pages returns how many pages a host has delivered, including those not yet counted
// in its record.
func (b *hosts) pages(id frontier.HostID) int {
	h := b.list[id]
	if h == nil {
		return 0
	}
	return int(h.fetched + h.landed)
}

// isPromised reports whether a lead must wait until a visit to its host comes back: the visits
// that are out may give all the pages that the host may, or the host fails, or the lead failed
// before. A host that fails is asked by one visit at a time, whatever the number of
// connections: several that fail together would lengthen its rest as if it had failed in each
// of several tries. For the same reason a lead that is suspect has the host to itself: what
// comes of it is to show whether the lead is to blame.
func (b *hosts) isPromised(id frontier.ID, h frontier.HostID) bool {
	n := b.cfg.Limits.PerHost
	switch {
	case b.at(h).out == 0:
		return false
	case b.at(h).backOffs >= b.at(h).rotateAfter(), b.isSuspect(id, h):
		return true
	case n <= 0:
		return false
	}
	_, again := b.f.visited(id)
	pages := b.pages(h)
	return !again && pages < n && pages+int(b.at(h).out) >= n
}

// beginVisit records that a visit begins, and fills in what is known of its host.
func (b *hosts) beginVisit(fl *flight, now time.Time) {
	fl.rest = b.rested(fl.host, now)
	b.of(fl.host).out++
	b.occupy(fl)
	b.flights.addPage(fl)
}

// beginRobots returns the visit to a robots.txt. It has the host to itself: no page
// may be visited before the rules are known.
func (b *hosts) beginRobots(u dowse.URL, id frontier.HostID, now time.Time) Visit {
	v := Visit{Kind: VisitRobots, URL: u, Deadline: now.Add(b.cfg.Lease), Patience: b.patience(id, now)}
	fl := &flight{visit: v, id: frontier.None, host: id, began: now, slots: b.cfg.Polite.Conns}
	for range fl.slots - 1 {
		b.f.Begin(id)
	}
	b.occupy(fl)
	b.flights.addRobots(fl)
	return v
}

// occupy records in the flight what kind of host it goes to, so that vacate counts the
// same kind.
func (b *hosts) occupy(fl *flight) {
	fl.late, fl.stranger = b.f.Late(fl.host), b.at(fl.host).isStranger()
}

// endVisit ends a visit and lets its host rest.
func (b *hosts) endVisit(now time.Time, fl *flight, p *dowse.Page) {
	b.flights.vacate(fl)
	b.noteOutcome(fl, p)
	ready, lane := b.rest(now, fl, p)
	b.f.Release(fl.host, ready, lane)
	h := b.of(fl.host)
	h.out--
	h.noteAnswer(p)
	if countsAsPage(p) {
		h.landed++
	}
	b.releaseHeld(fl.host, ready, lane)
}

// cancelVisit ends a visit that this machine could not make. The host is left alone
// for a moment, so that the next probe of the network goes to another one. Nothing is
// counted against host or URL.
func (b *hosts) cancelVisit(now time.Time, fl *flight, p *dowse.Page) {
	b.flights.vacate(fl)
	b.of(fl.host).out--
	ready := b.localRest(now, fl.host, p)
	b.f.Release(fl.host, ready, time.Time{})
	b.releaseHeld(fl.host, ready, time.Time{})
}

// endRobots ends a visit to a robots.txt, stores the rules, and reports whether they
// should be recorded in the journal.
func (b *hosts) endRobots(now time.Time, fl *flight, r *dowse.Robots, p *dowse.Page) (known bool) {
	id := fl.host
	if unanswered(r) && outOfReach(r, p) == "" {
		p.Host = orReport(p.Host)
		p.Host.BackOff = true
	}
	var ready, lane time.Time
	if isLocal(p) {
		ready = b.localRest(now, id, p)
	} else {
		if unanswered(r) {
			b.absolve(b.of(id), b.at(id).backOffs)
		} else {
			b.of(id).noteVouch()
		}
		known = b.learnRobots(now, id, r, p)
		ready, lane = b.rest(now, fl, p)
		if b.at(id).mute != 0 {
			ready = lane // nothing will be asked of it: its URLs need not wait
		}
	}
	for range fl.slots {
		b.f.Release(id, ready, lane)
	}
	return known
}

// setConns applies another number of concurrent visits per host. A host whose robots.txt is being
// fetched stays occupied: no page may be visited before the rules are known.
func (b *hosts) setConns(n int) {
	for h, fl := range b.flights.asking {
		for ; fl.slots < n; fl.slots++ {
			b.f.Begin(h)
		}
	}
	b.f.SetHostConns(n)
}

// hold keeps one connection to a host free until one of its visits ends: its leads would
// otherwise be taken and put back at every call of Next.
func (b *hosts) hold(id frontier.HostID) { b.of(id).held++ }

// releaseHeld releases the connections to a host that were kept free until a visit
// ended.
func (b *hosts) releaseHeld(id frontier.HostID, ready, lane time.Time) {
	for h := b.of(id); h.held > 0; h.held-- {
		b.f.Release(id, ready, lane)
	}
}

// vacateAll ends all visits in flight, which belong to an earlier run.
func (b *hosts) vacateAll() {
	b.f.VacateAll()
	b.each(func(_ frontier.HostID, h *host) { h.held = 0 })
}

// abandon gives up all visits in flight: their leads wait again when the crawl
// resumes. Whether a request reached its host is unknown, so hosts are unsure from now
// on, and the next run lets all of them rest first.
func (b *hosts) abandon() {
	for _, fl := range b.flights.pages {
		b.of(fl.host).out--
	}
	b.unsure = b.flights.abandon() || b.unsure
}

// count adds a finished page to its host's record. In a round a page comes back some time
// before it is finished; meanwhile it counts as landed, so that the limit per host holds.
func (b *hosts) count(id frontier.HostID, p *dowse.Page) {
	h := b.of(id)
	switch {
	case countsAsPage(p):
		h.landed--
		h.fetched++
		h.recent <<= 1
		if p.OnTopic {
			h.onTopic++
			h.recent |= 1
		}
		h.bytes += p.Fetch.Bytes
	case p.Outcome == dowse.Failed:
		h.failed++
	}
}

// uncountFailed takes a URL that waits again out of the failed ones of its host.
func (b *hosts) uncountFailed(id frontier.HostID) {
	if h := b.of(id); h.failed > 0 {
		h.failed--
	}
}

// askAnew clears everything held against a host, and has its robots.txt read again if
// that could not be read. It is for URLs that a person requeues, and for second chances.
func (b *hosts) askAnew(id frontier.HostID) {
	h := b.of(id)
	if h.mute != 0 {
		h.robots, h.robotsPlace, h.robotsUntil, h.mute = nil, 0, time.Time{}, 0
	}
	b.forgive(id)
}

// restAll makes every host rest its delay from now on.
func (b *hosts) restAll(now time.Time) {
	p := &b.cfg.Polite
	b.f.RestAll(func(h frontier.HostID) time.Time {
		return now.Add(max(p.Delay, min(b.at(h).maxDelay, p.MaxDelay)))
	}, now.Add(p.Delay))
	// A host that failed is woken by its last visit when a run forgives it, see forgive.
	b.each(func(_ frontier.HostID, h *host) {
		if h.backOffs > 0 || h.locals > 0 {
			h.last = later(h.last, now)
		}
	})
}

// turnBack moves all stored times by as much as the clock was set back.
func (b *hosts) turnBack(by time.Duration) {
	b.f.Shift(-by)
	b.each(func(_ frontier.HostID, h *host) {
		h.last, h.robotsUntil = earlierBy(h.last, by), earlierBy(h.robotsUntil, by)
		h.troubled, h.promise = nanosBefore(h.troubled, by), nanosBefore(h.promise, by)
	})
	b.net.turnBack(by)
	b.hopeAt = earlierBy(b.hopeAt, by)
}

// takeOver transfers the visits in flight to these hosts, which were rebuilt from the
// journal, see player.replace. The journal has no entry of a visit that has not ended, so
// the connections that these visits occupy are counted here.
func (b *hosts) takeOver(old *hosts) {
	for _, fl := range b.flights.pages {
		b.of(fl.host).out++
		b.f.Begin(fl.host)
	}
	for h, fl := range b.flights.asking {
		for range fl.slots {
			b.f.Begin(h)
		}
	}
	old.each(func(id frontier.HostID, h *host) {
		if h.held > 0 {
			b.of(id).held = h.held
		}
		for range h.held {
			b.f.Begin(id)
		}
	})
	b.net, b.unsure = old.net, old.unsure
}
