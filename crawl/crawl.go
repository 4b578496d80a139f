package crawl

import (
	"errors"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// Config holds what a crawl is made of. Only Strategy is required.
type Config struct {
	Strategy  dowse.Strategy
	Threshold float64 // relevance from which a page is on topic; 0.5
	Limits    Limits
	Scope     Scope
	Polite    Politeness
	Traps     Traps

	Round    int           // leads to a round, as the papers crawl; 0 streams
	Lease    time.Duration // after which a visit that did not come back is given up; 5 min
	Tries    int           // visits to a URL that fails for the moment; 3, at most 15
	Robots   bool          // ask each host's robots.txt before its first page
	Sitemaps bool          // read the sitemaps that robots.txt names
	NoFollow bool          // follow links marked nofollow all the same
	Explore  float64       // share of the picks that are made by chance among the leads that wait; 0
	Key      uint64        // of the fingerprints, random for each collection

	Shadows []Shadow // strategies that follow the crawl without steering it; at most MaxShadows

	// Renew returns strategies like Strategy and Shadows that have learnt nothing: with
	// them all that was decided can be decided again, see [Crawl.Rerank]. Nil where that
	// is not wanted.
	Renew func() (dowse.Strategy, []Shadow, error)

	// Heard hears of every entry as it is made, also while the journal is folded. It must
	// not keep or change it.
	Heard func(e *Entry)

	// Via returns the link by which a URL was first seen, for judges that ask how a page
	// was found. It is called as a visit is made, by the caller of Next. Nil is not asked.
	Via func(id frontier.ID) *dowse.Via

	// LinksIn has the crawl count how many of the pages that it fetched link to each URL it
	// knows, for judges that ask: see [dowse.Page].
	LinksIn bool

	Log Log // where entries and the strings of URLs go; nil keeps strings in memory only
}

// A Log keeps the entries of a crawl and the strings of its URLs. Names that are
// added belong to the next entry that is recorded.
type Log interface {
	frontier.Names
	// Record keeps an entry and returns its place.
	Record(e *Entry) (place uint64)
	// RobotsAt returns the robots.txt of the entry at a place, parsed.
	RobotsAt(place uint64) *dowse.Robots
}

// VisitKind tells what a visit is for.
type VisitKind uint8

// The kinds of visits.
const (
	VisitPage    VisitKind = iota
	VisitRobots            // a host's robots.txt, before its first page
	VisitSitemap           // a list of URLs
)

// A Visit is work for a driver: fetch URL and give the outcome to Absorb before
// the deadline.
type Visit struct {
	Kind     VisitKind
	URL      dowse.URL
	Lead     dowse.Lead
	Depth    int
	Hops     int
	Again    bool
	Deadline time.Time
	Patience time.Duration // for the first byte of an answer; 0 means as long as the visitor waits anyway
	Part     int64         // what to do with a page that breaks off, see partOf
	Via      *dowse.Via    // see Config.Via
	LinksIn  *int          // see Config.LinksIn
}

// Page returns a page for the visit, to be filled with what came of it.
func (v Visit) Page() *dowse.Page {
	return &dowse.Page{URL: v.URL, Lead: v.Lead, Depth: v.Depth, Hops: v.Hops, Again: v.Again, Via: v.Via, LinksIn: v.LinksIn}
}

// Crawl is the state of a crawl. Its methods must not be called concurrently.
type Crawl struct {
	cfg      Config
	f        *frontier.Frontier
	hosts    hostBook
	flights  map[frontier.ID]*flight
	asking   map[frontier.HostID]*flight // robots.txt under way
	leases   []lease                     // in order of their deadlines
	tries    map[frontier.ID]uint8       // see blame
	cut      map[frontier.ID]int64       // bytes of pages that broke off and wait again; not kept in snapshots
	broke    map[frontier.ID]uint8       // failed visits to URLs that wait again, see noteBreak
	chances  map[frontier.ID]uint8       // further visits that URLs were given at the end, see secondChance
	sitemaps map[frontier.ID]bool
	chains   map[frontier.ID]uint8 // redirects in a row that led to a URL, see sendsOn
	traps    trapBook
	farms    map[uint64]*farm // by land
	farmed   int              // lands that are farms
	near     nearBook
	inlinks  inlinks // empty where nobody asks
	round    *round
	again    []frontier.ID // to be visited again in the next round
	stats    stats
	net      network
	reborn   map[frontier.ID]bool // visited in vain, and waiting again: see Requeue
	shadows  []*shadow
	stopped  dowse.StopReason
	lastNow  time.Time

	replay   bool              // entries are being replayed: nothing is recorded
	running  bool              // the journal knows under which limits
	adrift   bool              // visits of an earlier run may be out
	grounded bool              // they wait again, which the journal does not know yet
	asked    bool              // BeforeRound was called, and nothing has changed since
	moves    []move            // since the last entry
	ids      []frontier.ID     // scratch of filterLinks
	ended    func(*dowse.Page) // hears of every page that came to its end

	model  string   // the newest one that ruled on visited pages; "" for none
	parts  []uint64 // places of the entries that hold rulings
	refold *refold  // what was visited is being decided again, see Rerank
	gone   int      // URLs that were taken down

	latest time.Time // no event was later, see clock
	unsure bool      // hosts may have been visited without an entry, see Restarted
	began  time.Time // all hosts rest since, which the journal does not know yet; zero if they do not

	chanceAt time.Time // when URLs that failed get a second chance; zero if that is not planned

	lateOut, strangersOut int     // visits that are out, by the kind of their host: see occupied
	quiet                 float64 // share of hosts that did not answer their first visit, of the latest ones

	hopeAt time.Time // when to look again whether any host may still answer, see isHopeless

	domains   map[uint64]domain // by owner, see domainKey
	hostFarms int               // of these: those that are farms
	met       []frontier.HostID // new hosts since the last turn began, see meet
}

// A flight is a visit that has not come back.
type flight struct {
	visit  Visit
	id     frontier.ID
	host   frontier.HostID
	began  time.Time
	queue  int     // leads that waited when it was taken
	regret float64 // by how much the best of them was better: politeness' price
	rest   time.Duration
	drop   int  // replay: links of its page that were not kept
	idle   bool // settled without a visit
	own    int  // bins of the page's sketch that are not boilerplate, see nearBook

	late, stranger bool // its host was, when it began: see occupied

	place uint64 // replay: of its entry
}

type lease struct {
	deadline time.Time
	flight   *flight
}

// New returns a crawl at its beginning.
func New(cfg Config) (*Crawl, error) {
	c, err := prepare(cfg)
	if err != nil {
		return nil, err
	}
	c.f = frontier.New(c.frontierConfig())
	for _, s := range c.shadows {
		s.light(frontier.New(s.frontierConfig()))
	}
	return c, nil
}

func prepare(cfg Config) (*Crawl, error) {
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
		cfg.Log = newMemoryLog()
	}
	if cfg.Round == 0 {
		cfg.Round = dowse.TraitsOf(cfg.Strategy).Round
	}
	cfg.Polite = politeness(cfg.Polite)
	cfg.Traps = cfg.Traps.withDefaults()
	c := &Crawl{
		cfg:      cfg,
		flights:  map[frontier.ID]*flight{},
		asking:   map[frontier.HostID]*flight{},
		tries:    map[frontier.ID]uint8{},
		cut:      map[frontier.ID]int64{},
		broke:    map[frontier.ID]uint8{},
		chances:  map[frontier.ID]uint8{},
		sitemaps: map[frontier.ID]bool{},
		chains:   map[frontier.ID]uint8{},
		traps:    trapBook{},
		farms:    map[uint64]*farm{},
		domains:  map[uint64]domain{},
		reborn:   map[frontier.ID]bool{},
		near:     newNearBook(),
	}
	return c, c.cast()
}

func (c *Crawl) frontierConfig() frontier.Config {
	traits := dowse.TraitsOf(c.cfg.Strategy)
	return frontier.Config{
		Order:     traits.Order,
		Names:     c.cfg.Log,
		Key:       c.cfg.Key,
		Revisits:  traits.Revisits,
		HostConns: c.cfg.Polite.Conns,
	}
}

// Strategy returns the strategy of the crawl, with all that it has learnt.
func (c *Crawl) Strategy() dowse.Strategy { return c.cfg.Strategy }

// Start queues the seeds, as the strategy wants them. It may be called again with
// further seeds; those that were visited already are left out.
func (c *Crawl) Start(now time.Time, seeds []dowse.URL) {
	c.ground()
	c.clock(now)
	c.start(now, seeds, nil)
}

// start is Start with the homes of seeds that were taken down.
func (c *Crawl) start(now time.Time, seeds, homes []dowse.URL) {
	c.cfg.Scope.learn(seeds)
	c.cfg.Scope.learn(homes)
	var fresh []dowse.URL
	twice := map[frontier.ID]bool{}
	for _, u := range seeds {
		met := len(c.met)
		id := c.see(u)
		if len(c.met) > met {
			c.grantHost(u)
		}
		if !twice[id] && c.seed(id, u) {
			fresh = append(fresh, u)
		}
		twice[id] = true
	}
	c.applyAll(c.seedLeads(fresh))
	for _, s := range c.shadows {
		s.start(now, fresh)
	}
	c.record(&Entry{Kind: EntryStart, At: now, Seeds: seeds, Homes: homes})
}

// seed reports whether a seed can be queued. What kept it out before may not hold
// for a seed.
func (c *Crawl) seed(id frontier.ID, u dowse.URL) bool {
	_, visited := c.visited(id)
	state := c.f.State(id)
	if visited || c.forgotten(id) || state != dowse.Unseen && state != dowse.Held && state != dowse.Excluded {
		return false
	}
	c.f.SetDepth(id, 0, 0)
	if why := c.refuses(u, id, 0, 0); why != "" {
		c.exclude(id, why)
		return false
	}
	c.readmit(id)
	return true
}

func (c *Crawl) seedLeads(seeds []dowse.URL) []dowse.Lead {
	if s, ok := c.cfg.Strategy.(dowse.Starter); ok {
		return s.Start(seeds)
	}
	leads := make([]dowse.Lead, len(seeds))
	for i, u := range seeds {
		leads[i] = dowse.Lead{URL: u, Priority: 1, Because: []dowse.Because{{What: "seed", Weight: 1}}}
	}
	return leads
}

// Next returns the next visit to make at now. If there is none, when tells at
// what time there may be one; the zero time means not before the next Absorb, or
// never: see Stopped.
func (c *Crawl) Next(now time.Time) (v Visit, when time.Time, ok bool) {
	c.ground()
	c.clock(now)
	c.expire(now)
	c.enterRun(now)
	if c.stop(c.limitReached()) {
		c.endRound(now)
		return Visit{}, time.Time{}, false
	}
	if c.full() {
		return Visit{}, c.nextDeadline(), false
	}
	if c.isHopeless(now) {
		return Visit{}, c.end(now, dowse.StopStarved), false
	}
	if at := c.stats.slot; at.After(now) {
		return Visit{}, at, false
	}
	if at, wait := c.awaitNetwork(now); wait {
		return Visit{}, at, false
	}
	if v, when, ok = c.pick(now); ok {
		c.probed(now)
		c.takeSlot(now)
		return v, time.Time{}, true
	}
	return Visit{}, c.waitOrStop(now, when), false
}

// maxIdle is how often in a row a strategy may answer with leads that can't be
// queued before it counts as having none.
const maxIdle = 100

// pick finds a visit, if need be by asking the strategy for more leads.
func (c *Crawl) pick(now time.Time) (v Visit, when time.Time, ok bool) {
	for range maxIdle {
		v, when, ok = c.pickLead(now)
		if ok || !when.IsZero() || c.out() > 0 || c.f.Count(dowse.Waiting) > 0 || c.round != nil {
			return v, when, ok
		}
		idler, can := c.cfg.Strategy.(dowse.Idler)
		if !can || !c.idle(now, idler) {
			break
		}
	}
	return v, when, ok
}

// idle asks the strategy for leads and reports whether it had any.
func (c *Crawl) idle(now time.Time, idler dowse.Idler) bool {
	leads := idler.Idle()
	c.applyAll(leads)
	c.record(&Entry{Kind: EntryIdle, At: now})
	return len(leads) > 0
}

func (c *Crawl) pickLead(now time.Time) (Visit, time.Time, bool) {
	if c.cfg.Round > 0 {
		return c.pickRound(now)
	}
	c.beforeRound(now)
	return c.pickStream(now)
}

// beforeRound lets the strategy act before a round, or before a lead is taken. It
// is asked once, however often the driver has to try until a host is rested.
func (c *Crawl) beforeRound(now time.Time) {
	b, ok := c.cfg.Strategy.(dowse.BeforeRounder)
	if !ok || c.asked {
		return
	}
	c.applyAll(b.BeforeRound(view{c}))
	c.asked = true
	c.record(&Entry{Kind: EntryBefore, At: now})
}

// pickStream takes the best lead among the hosts that are rested. Leads that may
// not be visited after all are settled on the way.
func (c *Crawl) pickStream(now time.Time) (Visit, time.Time, bool) {
	dice := c.chance()
	for rescored := 0; ; {
		id, stray, when, ok := c.nextLead(now, dice)
		if !ok {
			return Visit{}, when, false
		}
		c.moved(id, taken)
		regret := 0.0 // chance has none
		if !stray {
			regret = c.f.LastRegret()
		}
		h := c.f.Host(id)
		if !stray && rescored < maxRescores && c.fellBehind(now, id) {
			rescored++
			c.putBack(id, h, now)
			continue
		}
		if until, hold := c.holds(id, now); hold && !stray {
			c.putBack(id, h, now)
			return Visit{}, until, false
		}
		id = c.instead(id, h)
		if (c.wantsRobots(h, now) || c.witness(id, h)) && !c.leadsToFarm(id) {
			c.f.Begin(h)
			c.putBack(id, h, now)
			return c.askRobots(id, h, now), time.Time{}, true
		}
		if c.promised(id, h) {
			c.f.Begin(h)
			c.putBack(id, h, now)
			c.hosts.of(h).held++ // until one of its visits comes back
			continue
		}
		if l, ok := c.recall(now, id); ok {
			c.f.Release(h, c.f.Ready(h), time.Time{})
			c.final(now, l.fl, l.p)
			continue
		}
		if outcome, why, detail := c.forbids(id, h); why != "" {
			c.f.Release(h, c.f.Ready(h), time.Time{})
			c.settleUnvisited(now, id, outcome, why, detail)
			continue
		}
		if !stray {
			if rescored == maxRescores { // it is taken whatever comes of it
				c.rescore(now, id)
			}
			c.explain(now, id)
		}
		return c.takeOff(id, h, now, regret), time.Time{}, true
	}
}

const maxRescores = 10 // leads put back per pick, since priorities of Aggarwal drift

// fellBehind rates a lead again and reports whether another is better now.
func (c *Crawl) fellBehind(now time.Time, id frontier.ID) bool {
	if !c.rescore(now, id) {
		return false
	}
	best, ok := c.f.Peek()
	return ok && c.f.Band(best) <= c.f.Band(id) && c.f.Priority(best) > c.f.Priority(id)
}

// rescore rates a lead again and reports whether its priority has changed.
func (c *Crawl) rescore(now time.Time, id frontier.ID) bool {
	r, ok := c.cfg.Strategy.(dowse.Rescorer)
	if !ok {
		return false
	}
	old := c.f.Priority(id)
	c.f.SetPriority(id, r.Rescore(c.lead(id)), dowse.Replace)
	p := c.f.Priority(id)
	if p == old {
		return false
	}
	c.record(&Entry{Kind: EntryRescore, At: now, ID: id, Score: p})
	return true
}

// explain writes down why a lead is taken that was rated again just now.
func (c *Crawl) explain(now time.Time, id frontier.ID) {
	x, ok := c.cfg.Strategy.(dowse.Explainer)
	if !ok {
		return
	}
	if why := x.Explain(c.lead(id)); len(why) > 0 {
		c.record(&Entry{Kind: EntryReasons, At: now, ID: id, Score: c.f.Priority(id), Because: why})
	}
}

// A move is a lead that was taken out of the queue, or put back without a visit,
// between two entries: the replay must see the queue as it was.
type move uint64

const (
	taken move = iota
	returned
)

func (c *Crawl) moved(id frontier.ID, what move) {
	if !c.replay {
		c.moves = append(c.moves, move(id)<<1|what)
	}
}

// putBack returns a lead that Next gave; its host may be visited at ready.
func (c *Crawl) putBack(id frontier.ID, h frontier.HostID, ready time.Time) {
	c.f.Queue(id)
	c.moved(id, returned)
	c.f.Release(h, ready, time.Time{})
}

func (c *Crawl) lead(id frontier.ID) dowse.Lead {
	return dowse.Lead{URL: c.f.URL(id), Priority: c.f.Priority(id), Band: c.f.Band(id), Group: c.f.Group(id), Note: c.f.Note(id)}
}

// takeOff makes the visit for a lead that was taken out of the frontier.
func (c *Crawl) takeOff(id frontier.ID, h frontier.HostID, now time.Time, regret float64) Visit {
	depth, hops := c.f.Depth(id)
	_, again := c.visited(id)
	v := Visit{
		URL: c.f.URL(id), Lead: c.lead(id), Depth: int(depth), Hops: int(hops), Again: again,
		Deadline: now.Add(c.cfg.Lease), Patience: c.patience(h, now), LinksIn: c.linksIn(id),
		Part: c.partOf(id, h),
	}
	if c.sitemaps[id] {
		v.Kind = VisitSitemap
	} else if c.cfg.Via != nil && !c.replay {
		v.Via = c.cfg.Via(id)
	}
	fl := &flight{visit: v, id: id, host: h, began: now, queue: c.f.Count(dowse.Waiting), regret: regret}
	fl.rest = c.rested(h, now)
	c.asked = false
	c.hosts.of(h).out++
	c.occupied(fl)
	c.flights[id] = fl
	c.leases = append(c.leases, lease{v.Deadline, fl})
	return v
}

// out counts the visits that have not come back.
func (c *Crawl) out() int { return len(c.flights) + len(c.asking) }

// expire gives up visits whose deadline has passed, so that a lost worker does no
// harm: the URL is tried again.
func (c *Crawl) expire(now time.Time) {
	for len(c.leases) > 0 {
		l := c.leases[0]
		live := c.flights[l.flight.id] == l.flight || c.asking[l.flight.host] == l.flight
		if live && l.deadline.After(now) {
			return
		}
		c.leases = c.leases[1:]
		if live {
			c.lost(now, l.flight)
		}
	}
}

func (c *Crawl) lost(now time.Time, fl *flight) {
	p := fl.visit.Page()
	p.Outcome, p.Reason, p.Detail = dowse.Temporary, dowse.FailTimeout, "the visit did not come back"
	p.Host = &dowse.HostReport{BackOff: true}
	c.Absorb(now, p)
}

func (c *Crawl) nextDeadline() time.Time {
	if len(c.leases) == 0 {
		return time.Time{}
	}
	return c.leases[0].deadline
}

// waitOrStop returns when to ask again, or ends the crawl because there is nothing to wait
// for.
func (c *Crawl) waitOrStop(now, when time.Time) time.Time {
	if why := c.overAt(now, when); why != "" {
		return c.end(now, why)
	}
	if c.out() > 0 {
		return earlier(when, c.nextDeadline())
	}
	return when
}

// end ends the crawl, unless some URLs get a second chance first: then it returns when to
// ask again.
func (c *Crawl) end(now time.Time, why dowse.StopReason) time.Time {
	at, ok := c.secondChance(now)
	if !ok {
		c.stop(why)
		c.endRound(now)
	}
	return at
}

// overAt returns why the crawl has nothing to visit any more, "" if it has. The next visit
// could begin at when.
func (c *Crawl) overAt(now, when time.Time) dowse.StopReason {
	switch {
	case when.IsZero() && c.out() == 0:
		return dowse.StopExhausted
	case !c.inOutage() && c.starved(now, when):
		return dowse.StopStarved
	}
	return ""
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Stopped reports why the crawl is over, or "" while it goes on. Visits that are
// still out may be absorbed afterwards.
func (c *Crawl) Stopped() dowse.StopReason { return c.stopped }

// Stop ends the crawl from outside: no further visit is handed out.
func (c *Crawl) Stop(why dowse.StopReason) { c.stop(why) }

// Resume lets a stopped crawl go on, under new limits. Hosts that failed are asked
// again at once.
func (c *Crawl) Resume(l Limits) {
	c.stopped = ""
	c.cfg.Limits = l
	c.running = false
	c.lastNow = time.Time{}
	c.net.newRun()
}

func (c *Crawl) stop(why dowse.StopReason) bool {
	if c.stopped == "" {
		c.stopped = why
	}
	return c.stopped != ""
}

func (c *Crawl) see(u dowse.URL) frontier.ID {
	id, _ := c.sight(u)
	return id
}

// sight returns the number of a URL and whether this is its first sighting.
func (c *Crawl) sight(u dowse.URL) (id frontier.ID, fresh bool) {
	id, fresh = c.f.See(u, weburl.Host(u))
	c.grow()
	if c.refold != nil {
		fresh = c.refold.sight(id)
	}
	if fresh {
		c.meet(u, id)
	}
	return id, fresh
}

// grow keeps the host table as long as the frontier's.
func (c *Crawl) grow() {
	c.hosts.grow(c.f.Hosts())
}

// record keeps an entry. In a replay it is there already.
func (c *Crawl) record(e *Entry) uint64 {
	if c.cfg.Heard != nil {
		c.cfg.Heard(e)
	}
	if c.replay {
		return e.place
	}
	if !c.running {
		e.run = &run{grounded: c.grounded, limits: c.cfg.Limits, began: c.began}
		c.running, c.grounded, c.began = true, false, time.Time{}
	}
	e.Elapsed, e.moves = c.stats.Elapsed, c.moves
	place := c.cfg.Log.Record(e)
	c.moves = c.moves[:0]
	return place
}

// ground lets visits wait again that were out when an earlier run ended.
func (c *Crawl) ground() {
	if !c.adrift || c.replay {
		return
	}
	c.adrift, c.grounded, c.running = false, true, false
	c.groundFlights()
}

func (c *Crawl) groundFlights() {
	for id := frontier.ID(0); int(id) < c.f.Len() && c.f.Count(dowse.Flying) > 0; id++ {
		if c.f.State(id) != dowse.Flying {
			continue
		}
		if c.refold != nil {
			c.putDown(id)
			continue
		}
		c.queueAgain(id)
	}
	c.f.VacateAll()
	c.hosts.each(func(_ frontier.HostID, h *host) { h.held = 0 })
	if c.round != nil {
		c.round.ground()
	}
}

// abandon gives up all visits that are out: their leads wait again when the crawl
// goes on.
func (c *Crawl) abandon() {
	if c.out() == 0 {
		return
	}
	for _, fl := range c.flights {
		c.hosts.of(fl.host).out--
	}
	clear(c.flights)
	clear(c.asking)
	c.leases, c.adrift, c.unsure = nil, true, true
	c.lateOut, c.strangersOut = 0, 0
}

// view shows the strategy the ends of the queue.
type view struct{ c *Crawl }

func (v view) Best() (dowse.Lead, bool) {
	id, ok := v.c.f.Peek()
	if !ok {
		return dowse.Lead{}, false
	}
	return v.c.lead(id), true
}

func (v view) BestVisited() (dowse.Lead, bool) {
	id, ok := v.c.f.BestVisited()
	if !ok {
		return dowse.Lead{}, false
	}
	return v.c.lead(id), true
}

func (v view) Waiting() int { return v.c.f.Count(dowse.Waiting) }
func (v view) Visited() int { return v.c.f.Count(dowse.Visited) }
