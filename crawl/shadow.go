package crawl

import (
	"container/heap"
	"fmt"
	"io"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
	"dowse/internal/wire"
)

// A Shadow is a strategy that follows a crawl without steering it. It has a frontier
// of its own, sees every page that the crawl gets, and whenever the crawl has made a
// visit it picks the lead that it would have taken. How good those picks were is
// known of those that the crawl visited too, before or after.
//
// A shadow is a crawl that makes no visits, so its queue, merges, redirects and
// memory are those of any crawl. What the crawl visited stays in the shadow's queue, at
// the rank it had, until the shadow picks it: else the crawl would skim what its
// shadows want. Politeness does not concern a shadow, it does not explore, and it
// asks for no page again; it sees those that the crawl asks for again.
type Shadow struct {
	Name     string // for people
	Strategy dowse.Strategy
}

// maxShadows bounds the shadows of a crawl: each takes about as much memory and time
// as the crawl's own queue and strategy do.
const maxShadows = 8

// shadowStatus counts how the picks of a shadow turned out.
type shadowStatus struct {
	Name    string  `json:"name"`
	Picks   int     `json:"picks"`
	Known   int     `json:"known"`   // of the picks: those that the crawl visited, before or after
	Fetched int     `json:"fetched"` // of these: pages
	OnTopic int     `json:"on_topic"`
	Harvest float64 `json:"harvest"`     // on topic / fetched
	Share   float64 `json:"share_known"` // known / picks
	Dry     int     `json:"dry"`         // visits of the crawl at which it had nothing to pick
}

// shadow is a Shadow at work.
type shadow struct {
	*Crawl
	name         string
	names        *shadowNames
	beforeCalled bool // BeforeRound was called for the pick to come

	picks, known, fetched, onTopic, dry int

	seen ripe // visited by the crawl, not picked yet
}

// shadowNames are the strings of a shadow's URLs: mostly those of the crawl, by
// number, and a few that only the shadow has seen.
type shadowNames struct {
	ledger.Memory
	f   *urls // of the crawl
	own []dowse.URL
}

// Add returns the place of a URL: an even number for one that the crawl knows, an odd one for
// one of the shadow's own, which is copied, since the string may be part of a large page.
func (n *shadowNames) Add(u dowse.URL) uint64 {
	if id, ok := n.f.Find(u); ok {
		return uint64(id) << 1
	}
	n.own = append(n.own, dowse.URL([]byte(u)))
	return uint64(len(n.own)-1)<<1 | 1
}

// At returns the URL at a place, "" if there is none.
func (n *shadowNames) At(place uint64) dowse.URL {
	switch i := place >> 1; {
	case place&1 == 0 && i < uint64(n.f.Len()):
		return n.f.URL(frontier.ID(i))
	case place&1 == 1 && i < uint64(len(n.own)):
		return n.own[i]
	}
	return ""
}

// shadows are the shadows of a crawl, in the order of the config.
type shadows []*shadow

// newShadows makes the shadows of a crawl with these URLs, with no frontier yet.
func newShadows(cfg *Config, f *urls) (list shadows, err error) {
	if n := len(cfg.Shadows); n > maxShadows {
		return nil, fmt.Errorf("crawl: %d shadows; %d are the limit", n, maxShadows)
	}
	for _, s := range cfg.Shadows {
		names := &shadowNames{f: f}
		own, err := prepare(Config{
			Strategy: s.Strategy, Threshold: cfg.Threshold, Key: cfg.Key, Log: names,
			Traps: Traps{Budget: -1}, NoFollow: true,
		})
		if err != nil {
			return nil, fmt.Errorf("crawl: shadow %s: %w", s.Name, err)
		}
		list = append(list, &shadow{Crawl: own, name: s.Name, names: names})
	}
	return list, nil
}

// status returns how the picks of the shadows turned out.
func (list shadows) status() (status []shadowStatus) {
	for _, s := range list {
		status = append(status, shadowStatus{
			Name: s.name, Picks: s.picks, Known: s.known, Fetched: s.fetched, OnTopic: s.onTopic, Dry: s.dry,
			Harvest: share(s.onTopic, s.fetched), Share: share(s.known, s.picks),
		})
	}
	return status
}

// start gives the shadows the seeds of the crawl.
func (list shadows) start(now time.Time, seeds []dowse.URL) {
	for _, s := range list {
		s.Start(now, seeds)
	}
}

// turns lets all shadows have their turn.
func (list shadows) turns(turns ...*turn) {
	for _, s := range list {
		s.turns(turns)
	}
}

// share returns part / whole, 0 if there is no whole.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// turns lets the shadow pick once for each visit, then follow the pages: one, or
// those of a round, all against the state before it.
func (s *shadow) turns(list []*turn) {
	rescores := maxRescores
	if len(list) > 1 {
		s.picker.best(list[0].now, len(list)) // rates them again, as a round does
		rescores = 0
	}
	for _, t := range list {
		if !t.p.Again && !t.listed {
			s.pick(t.now, rescores)
		}
	}
	own := make([]*turn, len(list))
	for i, t := range list {
		own[i] = s.prepared(t)
		own[i].leads = s.noteLeads(s.cfg.follow(own[i].p))
	}
	for i, t := range own {
		s.finishTurn(t)
		s.beforeCalled = s.beforeCalled && list[i].fl.idle
	}
}

// pick takes the lead that the shadow would visit.
func (s *shadow) pick(now time.Time, rescores int) {
	if b, ok := s.cfg.Strategy.(dowse.BeforeRounder); ok && !s.beforeCalled {
		s.in.applyAll(s.noteLeads(b.BeforeRound(view{s.f})))
		s.beforeCalled = true
	}
	id, ok := s.best(now, rescores)
	if idler, can := s.cfg.Strategy.(dowse.Idler); !ok && can {
		s.in.applyAll(s.noteLeads(idler.Idle()))
		id, ok = s.best(now, rescores)
	}
	if !ok {
		s.dry++
		return
	}
	s.picks++
	if v, seen := s.f.Visit(id); seen {
		s.learn(s.f.State(id) == dowse.Visited, v.OnTopic)
	}
}

// learn counts how a pick turned out. A pick that the crawl has not visited is counted when
// it does; until then the shadow's harvest leaves it out.
func (s *shadow) learn(fetched, onTopic bool) {
	s.known++
	if fetched {
		s.fetched++
	}
	if fetched && onTopic {
		s.onTopic++
	}
}

// best takes out the best of what waits and of what the crawl has visited. The crawl's
// visits do not take leads away from a shadow: it picks them when their turn comes.
func (s *shadow) best(now time.Time, rescores int) (frontier.ID, bool) {
	id, ok := s.waiting(now, rescores)
	switch {
	case s.seen.Len() == 0:
		return id, ok
	case ok && s.precedes(id):
		return id, true
	case ok:
		s.f.Queue(id)
	}
	return heap.Pop(&s.seen).(rank).id, true
}

// precedes reports whether a lead comes before all that the crawl has visited.
func (s *shadow) precedes(id frontier.ID) bool {
	return s.seen.before(rank{id, s.f.Band(id), s.f.Priority(id)}, s.seen.lifted(s.seen.list[0]))
}

// waiting takes out the best lead, rated again as a crawl does.
func (s *shadow) waiting(now time.Time, rescores int) (frontier.ID, bool) {
	for ; ; rescores-- {
		id, ok := s.f.Peek()
		if !ok {
			return frontier.None, false
		}
		s.f.Take(id)
		if rescores <= 0 || !s.picker.fellBehind(now, id) {
			return id, true
		}
		s.f.Queue(id)
	}
}

// noteLeads applies to the visited URLs what leads raise for all URLs, and drops wishes to
// visit a page again, which a shadow cannot do.
func (s *shadow) noteLeads(leads []dowse.Lead) []dowse.Lead {
	for i := range leads {
		switch l := &leads[i]; l.Kind {
		case dowse.Raise:
			s.seen.raise(l.Priority, l.Cap)
		case dowse.Revisit:
			l.Kind = dowse.Hold // which changes nothing for a visited page
		}
	}
	return leads
}

// prepared makes the shadow's own turn of a page: with its lead, and with what the
// shadow knows of the links. What the crawl left out, the shadow does not see.
func (s *shadow) prepared(t *turn) *turn {
	p := *t.p
	id := s.in.see(p.URL)
	switch s.f.State(id) {
	case dowse.Flying: // picked before
		s.learn(p.Outcome == dowse.Fetched, t.p.OnTopic)
	case dowse.Waiting:
		heap.Push(&s.seen, s.seen.lowered(rank{id, s.f.Band(id), s.f.Priority(id)}))
	}
	p.Lead = s.f.lead(id)
	p.Sketch = dowse.Sketch{} // the crawl has looked for near-duplicates
	fl := &flight{id: id, host: s.f.Host(id), idle: t.fl.idle}
	if countsAsPage(&p) {
		s.hosts.of(fl.host).landed++
	}
	return s.prepareTurn(t.now, fl, &p)
}

// A rank is the place of a URL in a shadow's order.
type rank struct {
	id       frontier.ID
	band     int8
	priority float64
}

// ripe is a heap of URLs by rank. All rise together, as in a frontier. Its methods with
// capital letters are those of heap.Interface.
type ripe struct {
	list   []rank
	f      *frontier.Frontier
	order  dowse.Order
	offset float64
	cap    float64
}

func (r *ripe) Len() int           { return len(r.list) }
func (r *ripe) Swap(i, j int)      { r.list[i], r.list[j] = r.list[j], r.list[i] }
func (r *ripe) Less(i, j int) bool { return r.before(r.list[i], r.list[j]) }
func (r *ripe) Push(x any)         { r.list = append(r.list, x.(rank)) }

func (r *ripe) Pop() any {
	last := len(r.list) - 1
	x := r.list[last]
	r.list = r.list[:last]
	return x
}

// before reports whether a comes before b, as in the frontier: by band, by priority if the
// strategy orders by it, and by age.
func (r *ripe) before(a, b rank) bool {
	switch {
	case a.band != b.band:
		return a.band < b.band
	case a.priority != b.priority && r.order == dowse.ByPriority:
		return a.priority > b.priority
	}
	return r.f.Earlier(a.id, b.id)
}

func (r *ripe) raise(by, limit float64) {
	r.offset += by
	r.cap = limit
}

// lowered returns a rank as it is stored in the heap, lifted as it counts. A raise changes the
// offset alone: all ranks rise together, so their order stays.
func (r *ripe) lowered(x rank) rank {
	x.priority -= r.offset
	return x
}

func (r *ripe) lifted(x rank) rank {
	x.priority += r.offset
	if r.cap != 0 {
		x.priority = min(x.priority, r.cap)
	}
	return x
}

// readsText reports whether the strategy or a shadow reads the text of pages.
func (cfg *Config) readsText() bool {
	return dowse.TraitsOf(cfg.Strategy).ReadsText ||
		slices.ContainsFunc(cfg.Shadows, func(s Shadow) bool { return dowse.TraitsOf(s.Strategy).ReadsText })
}

// begin gives the shadow its frontier.
func (s *shadow) begin(f *frontier.Frontier) {
	s.f.Frontier = f
	s.seen.f, s.seen.order = f, s.cfg.frontier().Order
}

// snapshot returns a function that writes the shadow as it is now, after the crawl.
func (s *shadow) snapshot(end uint64) (write func(io.Writer) error, err error) {
	w := ledger.NewPart()
	w.Text(s.name)
	w.Bool(s.beforeCalled)
	for _, n := range []int{s.picks, s.known, s.fetched, s.onTopic, s.dry, len(s.names.own)} {
		w.Uint(uint64(n))
	}
	for _, u := range s.names.own {
		w.Text(string(u))
	}
	w.Float(s.seen.offset)
	w.Float(s.seen.cap)
	w.Uint(uint64(len(s.seen.list)))
	for _, x := range s.seen.list {
		w.Uint(uint64(x.id))
		w.Int(int64(x.band))
		w.Float(x.priority)
	}
	own, err := s.Snapshot(end)
	if err != nil {
		return nil, err
	}
	return inTurn([]func(io.Writer) error{sealed(w), own}), nil
}

// rankSize is the number of bytes that a rank takes in a snapshot, at least.
const rankSize = 10

// restore reads what snapshot wrote, and returns what the strategy has learnt.
func (s *shadow) restore(in io.Reader) (learnt []byte, err error) {
	r, err := ledger.ReadPart(in)
	if err != nil {
		return nil, fmt.Errorf("crawl: snapshot: %w", err)
	}
	if name := r.Text(); r.Err == nil && name != s.name {
		return nil, fmt.Errorf("crawl: snapshot: it has the shadow %q, not %q", name, s.name)
	}
	s.beforeCalled = r.Bool()
	for _, n := range []*int{&s.picks, &s.known, &s.fetched, &s.onTopic, &s.dry} {
		*n = int(r.Uint())
	}
	for range r.Items(1) {
		s.names.own = append(s.names.own, dowse.URL(r.Text()))
	}
	s.seen.offset, s.seen.cap = r.Float(), r.Float()
	for range r.Items(rankSize) {
		s.seen.list = append(s.seen.list, rank{frontier.ID(r.Uint()), int8(r.Int()), r.Float()})
	}
	if r.Err != nil {
		return nil, fmt.Errorf("crawl: snapshot: shadow %s: %w", s.name, r.Err)
	}
	if _, learnt, err = s.load(in); err != nil {
		return nil, err
	}
	s.begin(s.f.Frontier)
	return learnt, s.sound()
}

// sound checks that what was restored is about URLs that the shadow has.
func (s *shadow) sound() error {
	for _, x := range s.seen.list {
		if !s.f.has(x.id) {
			return fmt.Errorf("crawl: snapshot: shadow %s: %w: a URL that is not there", s.name, wire.ErrDamaged)
		}
	}
	return nil
}
