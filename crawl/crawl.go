package crawl

import (
	"cmp"
	"errors"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
	"dowse/internal/refresh"
	"dowse/internal/repeats"
	"dowse/weburl"
)

// Config is what a crawl is made of. Only Strategy is required.
type Config struct {
	Strategy  dowse.Strategy
	Threshold float64 // relevance from which a page is on topic, before any change by Set; 0.5

	// ThresholdFrom is the place in the journal from which on changes by Set count. All was decided
	// again since earlier ones. 0 means that none counts.
	ThresholdFrom uint64
	Limits        Limits
	Scope         Scope
	Polite        Politeness
	Traps         Traps

	Round     int           // leads per round, as in the papers; 0 streams
	Lease     time.Duration // time after which a visit without outcome is given up; default 5 min
	Tries     int           // visits to a URL with temporary failures; default 3, at most 15
	Robots    bool          // ask each host's robots.txt before its first page
	Sitemaps  bool          // read the sitemaps that robots.txt names, and the feeds of pages
	NoFollow  bool          // follow links marked nofollow all the same
	FilesLast bool          // visit URLs named like files that are no pages (.pdf, .jpg) after all others
	Explore   float64       // share of the picks that are made by chance among the leads that wait; 0
	Key       uint64        // of the fingerprints, random for each collection

	Refresh refresh.Plan // which visited pages are asked again; the zero value asks for none

	Shadows []Shadow // strategies that follow the crawl without steering it; at most maxShadows

	// Renew returns strategies like Strategy and Shadows that have learnt nothing: with
	// them all that was decided can be decided again, see [Crawl.Rerank]. Nil where that
	// is not wanted.
	Renew func() (dowse.Strategy, []Shadow, error)

	// OnEntry, if set, is called for every entry as it is made, also while the journal is
	// folded. It must not keep or change the entry.
	OnEntry func(e *Entry)

	// Via returns the link by which a URL was first seen, for judges that ask how a page
	// was found. It is called as a visit is made, by the caller of Next. Nil is not asked.
	Via func(id frontier.ID) *dowse.Via

	// LinksIn has the crawl count how many of the pages that it fetched link to each URL it
	// knows, for judges that ask: see [dowse.Page].
	LinksIn bool

	// Templates has the crawl learn which blocks of text the pages of a host repeat, and give
	// what it knows to each visit. What it has learnt is part of its state either way.
	Templates bool

	// Ration is called with the number of links of every page that comes while the crawl runs. It returns nil while there is
	// memory for all links, and otherwise which links to unknown URLs are remembered, by how
	// promising they are, from 0 to 1. Those that are not are counted, and their pages marked, see [Crawl.Requeue].
	Ration func(links int) (admits func(promise float64) bool)

	// Late excludes URLs and hosts by its Exclude and Block when they are about to be visited, and
	// not when links to them are found. So it can change while the crawl runs without deciding
	// again what was decided: see [Crawl.Set].
	Late Scope

	Log Log // where entries and the strings of URLs go; nil keeps strings in memory only

	// NotesMemory is how many bytes of the notes of strategies are kept in memory, if Log is a
	// journal that can be written; others are in a file next to it. Default 64 MB.
	NotesMemory int64
}

// A Log stores the entries of a crawl and the strings of its URLs. Names that are
// added belong to the next entry that is recorded: both are committed together, so a
// torn tail never separates a URL from its entry.
type Log interface {
	frontier.Names
	// Record keeps an entry and returns its place.
	Record(e *Entry) (place uint64)
	// RobotsAt returns the robots.txt of the entry at a place, parsed.
	RobotsAt(place uint64) *dowse.Robots
}

// A VisitKind is the purpose of a visit.
type VisitKind uint8

// The kinds of visits.
const (
	VisitPage    VisitKind = iota
	VisitRobots            // a host's robots.txt, before its first page
	VisitSitemap           // a list of URLs: a sitemap or a feed
)

// A Visit is work for a driver: fetch URL, and pass the outcome to Absorb before the
// deadline.
type Visit struct {
	Kind     VisitKind
	URL      dowse.URL
	Lead     dowse.Lead
	Depth    int
	Hops     int
	Again    bool
	Deadline time.Time
	Patience time.Duration  // for the first byte of an answer; 0 means as long as the visitor waits anyway
	Part     int64          // what to do with a page that breaks off, see partOf
	Via      *dowse.Via     // see Config.Via
	LinksIn  *int           // see Config.LinksIn
	Template *repeats.Known // see Config.Templates
	Check    bool           // the page was visited, and is asked again to see whether it has changed
	Whole    bool           // of a check: the links are wanted, also if the page has not changed
	Prior    *dowse.Page    // of a check: the page as it was last fetched, without its text; nil if that can't be read
}

// Page returns a page for the visit, for the driver to fill in.
func (v Visit) Page() *dowse.Page {
	return &dowse.Page{URL: v.URL, Lead: v.Lead, Depth: v.Depth, Hops: v.Hops, Again: v.Again, Via: v.Via, LinksIn: v.LinksIn}
}

// Crawl is the state of a crawl. Its methods must not be called concurrently.
//
// It decides little itself: the picker chooses leads, the intake decides which URLs
// are queued, hosts knows which hosts rest. Crawl leads a visit through them, from
// Next to Absorb, and the recorder keeps what happened.
type Crawl struct {
	cfg     *Config
	f       *urls
	rec     *recorder
	flights *flights
	hosts   *hosts
	rounds  *rounds
	in      *intake
	picker  *picker
	chances *chances
	stats   *stats
	shadows shadows
	clock   clock
	rulings rulings
	stopped dowse.StopReason
	ended   func(*dowse.Page) // is called for every page that came to its end; may be nil
}

// New returns a new crawl without seeds. To continue an existing one, call Fold or
// load a snapshot.
func New(cfg Config) (*Crawl, error) {
	c, err := prepare(cfg)
	if err != nil {
		return nil, err
	}
	c.f.Frontier = frontier.New(c.cfg.frontier())
	for _, s := range c.shadows {
		s.begin(frontier.New(s.cfg.frontier()))
	}
	return c, nil
}

// withDefaults returns the config with defaults in place of zero fields.
func (cfg Config) withDefaults() (*Config, error) {
	if cfg.Strategy == nil {
		return nil, errors.New("crawl: no strategy")
	}
	if cfg.Threshold == 0 {
		cfg.Threshold = 0.5
	}
	if cfg.Lease == 0 {
		cfg.Lease = 5 * time.Minute
	}
	if cfg.Tries == 0 {
		cfg.Tries = 3
	}
	cfg.Tries = min(cfg.Tries, maxTries)
	if cfg.Log == nil {
		cfg.Log = ledger.NewMemory()
	}
	if cfg.Round == 0 {
		cfg.Round = dowse.TraitsOf(cfg.Strategy).Round
	}
	cfg.Polite = politeness(cfg.Polite)
	return &cfg, nil
}

// frontier returns the configuration of the crawl's frontier.
func (cfg *Config) frontier() frontier.Config {
	traits := dowse.TraitsOf(cfg.Strategy)
	f := frontier.Config{
		Order:       traits.Order,
		Names:       cfg.Log,
		Key:         cfg.Key,
		Revisits:    traits.Revisits,
		HostConns:   cfg.Polite.Conns,
		NotesMemory: cfg.NotesMemory,
	}
	if j, ok := cfg.Log.(*Journal); ok && !j.IsReadOnly() {
		f.Scratch = j.Scratch
	}
	return f
}

// follow calls the strategy. Changes that the strategy makes to the page are
// discarded: it must not alter the outcome of a visit or the judge's verdict.
func (cfg *Config) follow(p *dowse.Page) []dowse.Lead {
	came := *p
	leads := cfg.Strategy.Follow(p)
	*p = came
	return leads
}

// prepare creates the parts of a crawl, without a frontier.
func prepare(given Config) (*Crawl, error) {
	cfg, err := given.withDefaults()
	if err != nil {
		return nil, err
	}
	c := &Crawl{cfg: cfg, f: newURLs(nil, cfg.Key), flights: newFlights(), rounds: &rounds{}, stats: &stats{line: &line{cfg.Threshold}}}
	c.rec = newRecorder(cfg, c.f, c.stats)
	c.hosts = newHosts(cfg, c.f, c.flights)
	c.in = newIntake(cfg, c.f, c.hosts, c.rec, c.rounds)
	c.picker = &picker{cfg: cfg, f: c.f, in: c.in, hosts: c.hosts, flights: c.flights, rounds: c.rounds, stats: c.stats, rec: c.rec}
	c.picker.again.plan = cfg.Refresh
	c.chances = newChances(c.in)
	if c.shadows, err = newShadows(cfg, c.f); err != nil {
		return nil, err
	}
	for _, s := range c.shadows {
		s.stats.line = c.stats.line
	}
	return c, nil
}

// Strategy returns the strategy of the crawl with its learnt state.
func (c *Crawl) Strategy() dowse.Strategy { return c.cfg.Strategy }

// Start queues the seeds as the strategy ranks them. It may be called again with
// further seeds; visited ones are skipped.
func (c *Crawl) Start(now time.Time, seeds []dowse.URL) {
	c.in.requeueOrphans()
	c.tick(now)
	c.start(now, seeds, nil)
}

// start is Start with the home pages of seeds that were taken down.
func (c *Crawl) start(now time.Time, seeds, homes []dowse.URL) {
	c.in.gate.Learn(seeds)
	c.in.gate.Learn(homes)
	fresh := c.in.seeds(seeds)
	c.in.applyAll(c.in.seedLeads(fresh))
	c.shadows.start(now, fresh)
	c.rec.record(&Entry{Kind: EntryStart, At: now, Seeds: seeds, Homes: homes})
}

// Next returns the next visit to make at now. Without one, when is the time at which
// there may be one; a zero time means not before the next Absorb, or never, see
// Stopped. A driver may call it as often as it likes: calls without a visit change
// nothing that a replay would miss.
//
// The order of its checks matters. Visits past their deadline end first, since they may
// free a host or reach a limit. Limits come before hosts, so that a crawl that is
// complete does not wait for one. An outage of the network comes before the pick: while
// it lasts a visit would only count against a host that is not to blame.
func (c *Crawl) Next(now time.Time) (v Visit, when time.Time, ok bool) {
	c.in.requeueOrphans()
	c.tick(now)
	for fl := c.flights.expired(now); fl != nil; fl = c.flights.expired(now) {
		c.Absorb(now, fl.lost())
	}
	if c.hosts.net.beginRun(now) && c.hosts.anyFailed() {
		c.forgive(now, time.Time{})
	}
	if stopAtLimit(c, now) {
		return Visit{}, time.Time{}, false
	}
	if c.picker.isFull(now) {
		return Visit{}, c.picker.roomAt(now), false
	}
	if c.hosts.isHopeless(now, c.rounds.hasTurns()) {
		return Visit{}, c.end(now, dowse.StopStarved), false
	}
	if at := c.flights.slot; at.After(now) {
		return Visit{}, at, false
	}
	if at, wait := c.hosts.awaitNetwork(now); wait {
		if at.IsZero() {
			c.Stop(dowse.StopNetwork)
			c.endRound(now)
		}
		return Visit{}, at, false
	}
	for _, x := range c.picker.sweep(sweepSlice) {
		c.land(now, &flight{id: x.id, host: x.host, idle: true}, x.page)
	}
	if v, when, ok = c.pick(now); ok {
		c.hosts.net.probed(now)
		c.flights.takeSlot(now, c.cfg.Polite.MaxRate)
		return v, time.Time{}, true
	}
	return Visit{}, c.waitOrStop(now, when), false
}

// stopAtLimit stops the crawl if it has reached a limit, and reports whether it has stopped.
func stopAtLimit(c *Crawl, now time.Time) bool {
	if c.Stop(cmp.Or(c.picker.reached(now), costLimit(c.cfg.Strategy, &c.cfg.Limits.Dry))); c.stopped == "" {
		return false
	}
	c.endRound(now)
	return true
}

// stopIfDone stops the crawl if nothing is left to visit. It is for a driver that can't make any visit at the
// moment: Next would begin one if there were any.
func stopIfDone(c *Crawl, now time.Time) {
	c.in.requeueOrphans()
	for range maxIdle {
		c.picker.beforeRound(now)
		if c.flights.out() > 0 || c.f.Count(dowse.Waiting) > 0 || c.rounds.isOpen() || len(c.rounds.again) > 0 || c.picker.isDue(now) {
			return
		}
		if !c.picker.idle(now) {
			break
		}
	}
	c.end(now, dowse.StopExhausted)
}

// maxIdle is how often in a row a strategy may return leads that cannot be queued,
// before it is considered to have none.
const maxIdle = 100

// pick returns a visit. If nothing waits, is in flight or belongs to a round, the
// strategy is asked for more leads.
func (c *Crawl) pick(now time.Time) (v Visit, when time.Time, ok bool) {
	for range maxIdle {
		v, when, ok = c.choose(now)
		if ok || !when.IsZero() || c.flights.out() > 0 || c.f.Count(dowse.Waiting) > 0 || c.rounds.isOpen() {
			return v, when, ok
		}
		if !c.picker.idle(now) {
			break
		}
	}
	return v, when, ok
}

// choose begins the visit to the lead that the picker chooses. Leads that end without
// a visit are settled on the way. If many of them do in a row, as when a host turns out to be a farm or the scope was narrowed, choose
// returns after some, so that the driver can commit them and do other things between two calls: a page stays in memory
// until its commit.
func (c *Crawl) choose(now time.Time) (Visit, time.Time, bool) {
	c.f.last = &namedURL{}
	defer func() { c.f.last = nil }()
	k := c.picker.begin(now)
	for left := 0; left < sweepMost; {
		x, when, ok := k.next()
		switch {
		case !ok:
			return Visit{}, when, false
		case x.closes:
			c.endRound(now)
		case x.page != nil:
			left++
			c.land(now, &flight{id: x.id, host: x.host, idle: true, check: c.f.checks.isOut(x.id)}, x.page)
		case x.robots:
			return c.hosts.beginRobots(weburl.Robots(c.f.URL(x.id)), x.host, now), time.Time{}, true
		default:
			return c.beginVisit(x.id, x.host, now, x.regret), time.Time{}, true
		}
	}
	return Visit{}, now.Add(time.Millisecond), false
}

// beginVisit returns the visit for a lead that was taken out of the frontier.
func (c *Crawl) beginVisit(id frontier.ID, h frontier.HostID, now time.Time, regret float64) Visit {
	depth, hops := c.f.Depth(id)
	_, again := c.f.visited(id)
	v := Visit{
		URL: c.f.URL(id), Lead: c.f.lead(id), Depth: int(depth), Hops: int(hops), Again: again,
		Deadline: now.Add(c.cfg.Lease), Patience: c.hosts.patience(h, now), Part: c.hosts.partOf(id, h),
	}
	if c.cfg.LinksIn {
		v.LinksIn = c.f.linksIn(id)
	}
	if c.cfg.Templates {
		v.Template = c.f.repeats.Known(uint32(h))
	}
	if c.in.sitemaps[id] {
		v.Kind = VisitSitemap
	} else if c.cfg.Via != nil {
		v.Via = c.cfg.Via(id)
	}
	if v.Check = c.f.checks.isOut(id); v.Check {
		v.Prior, v.Whole = c.picker.lastVersion(id), c.f.left.asked[id]
	}
	c.in.changes++
	c.hosts.beginVisit(&flight{visit: v, id: id, host: h, began: now, queue: c.f.Count(dowse.Waiting), regret: regret, check: v.Check}, now)
	return v
}

// waitOrStop returns when to call Next again, or ends the crawl if there is nothing to
// wait for. when is the time at which the next visit could begin.
func (c *Crawl) waitOrStop(now, when time.Time) time.Time {
	switch {
	case when.IsZero() && c.flights.out() == 0:
		return c.end(now, dowse.StopExhausted)
	case !c.hosts.net.isDown() && c.hosts.starved(now, when, c.rounds.hasTurns()):
		return c.end(now, dowse.StopStarved)
	case c.flights.out() > 0:
		return earlier(when, c.flights.nextDeadline())
	}
	return when
}

// end ends the crawl, unless some URLs get a second chance first or may be visited after all;
// then it returns when to call Next again. Visits that hosts may still answer are waited for before, without
// beginning further ones: their pages may hold new leads.
func (c *Crawl) end(now time.Time, why dowse.StopReason) time.Time {
	if c.hosts.awaitsAnswer() {
		return c.flights.nextDeadline()
	}
	list, at, ok := c.chances.due(now)
	if len(list) > 0 {
		c.chances.give(list)
		c.rec.record(&Entry{Kind: EntryRequeue, At: now, Text: chanceText, Round: list})
	}
	if !ok && why == dowse.StopExhausted && c.in.searchesReopened() && c.requeue(now, reopenedText, c.in.isReopened) > 0 {
		return now
	}
	if !ok {
		c.Stop(why)
		c.endRound(now)
	}
	return at
}

// earlier returns the earlier of two times; the zero time is none and never the earlier.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Stopped returns why the crawl has ended, or "" while it continues. Visits in flight
// may still be absorbed afterwards.
func (c *Crawl) Stopped() dowse.StopReason { return c.stopped }

// Stop ends the crawl from outside: Next returns no further visit. The first reason
// counts; a crawl that has stopped keeps it until Resume.
func (c *Crawl) Stop(why dowse.StopReason) {
	if c.stopped == "" {
		c.stopped = why
	}
}

// Resume continues a stopped crawl under new limits. Hosts that failed are visited
// again immediately.
func (c *Crawl) Resume(l Limits) {
	c.stopped = ""
	c.cfg.Limits = l
	c.rec.beginRun()
	c.clock.last = time.Time{}
	c.picker.wait = wait{}
	c.picker.again.made, c.picker.again.others = 0, 0
	c.in.reopened = 0
	c.hosts.net.resume()
}

// forgive clears the failures of hosts since a time, and records that in the journal.
func (c *Crawl) forgive(now, since time.Time) {
	c.hosts.forgiveSince(since)
	c.rec.record(&Entry{Kind: entryForgive, At: now, Since: since})
}
