package crawl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
	"dowse/weburl"
)

// A Change counts what new rulings changed.
type Change struct {
	Verdicts int `json:"verdicts_changed"` // visited pages that changed sides
	Links    int `json:"links_reranked"`   // waiting URLs with another priority, or that wait now, or no longer do
}

// errNewerModel is returned by a fold that began behind a snapshot and met rulings on
// what was visited before it.
var errNewerModel = errors.New("a newer model ruled on what was visited")

// Model returns the name of the newest model that ruled on visited pages, "" if none
// did.
func (c *Crawl) Model() string { return c.rulings.model }

// Rulings returns the places of the entries that hold the rulings on visited pages.
func (c *Crawl) Rulings() []uint64 { return c.rulings.parts }

// Rerank puts rulings in the place of the verdicts on visited pages and decides
// again all that was decided, as if they had been given from the beginning: the
// journal is folded once more with a strategy that has learnt nothing. What was
// visited, and when, stays as it is; books, hosts, budgets and the rank of every
// waiting URL follow. Visits that are out stay out.
//
// It must be called by the goroutine that owns the crawl, not in the middle of a round, and
// takes as long as folding the journal does. On an error nothing has changed.
// restore is as for Fold.
//
// With terms, all is decided again under these instead of those of the Config. The journal
// does not keep the terms: from now on it must be folded with a Config that has them.
func (c *Crawl) Rerank(now time.Time, terms *Terms, model string, rulings []Ruling, restore Restorer) (Change, error) {
	under := c.cfg.terms()
	if terms != nil {
		under = *terms
	}
	j, ok := c.cfg.Log.(*Journal)
	if !ok || under.Renew == nil || c.rounds.isOpen() {
		return Change{}, errors.New("crawl: rerank: needs a journal, a way to renew the strategy, and no round under way")
	}
	c.in.requeueOrphans()
	c.tick(now)
	parts := c.rec.rulings(now, model, rulings)
	p, err := c.cfg.under(under).decideAgain(j, append(c.rulings.parts[:len(c.rulings.parts):len(c.rulings.parts)], parts...), restore)
	if err != nil {
		return Change{}, fmt.Errorf("crawl: rerank: %w", err)
	}
	change := compare(c.f, p.c.f)
	p.replace(c)
	c.rulings.model = model
	c.rec.record(&Entry{Kind: EntryModel, At: now, Model: model, Parts: len(parts)})
	j.SetRulings(c.rulings.parts)
	if terms != nil {
		c.requeue(now, widerText, func(id frontier.ID) bool { return c.in.isFreed(id, c.in.mayFetch) })
	}
	return change, nil
}

// widerText marks the entries of URLs that wait again because a scope no longer leaves them out.
// URLs that were left out when they were picked have entries, which are repeated under any scope.
const widerText = "scope is wider"

// Terms are the parts of a [Config] that can change when a crawl is resumed or while it runs,
// because all that was decided can be decided again under other ones.
type Terms struct {
	Threshold float64
	From      uint64 // see Config.ThresholdFrom
	Scope     Scope
	Late      Scope // see Config
	LinksIn   bool
	Renew     func() (dowse.Strategy, []Shadow, error)
}

// terms returns the terms of the config as they are.
func (cfg *Config) terms() Terms {
	return Terms{cfg.Threshold, cfg.ThresholdFrom, cfg.Scope, cfg.Late, cfg.LinksIn, cfg.Renew}
}

// under returns the config with other terms.
func (cfg Config) under(t Terms) Config {
	cfg.Threshold, cfg.ThresholdFrom = t.Threshold, t.From
	cfg.Scope, cfg.Late, cfg.LinksIn, cfg.Renew = t.Scope, t.Late, t.LinksIn, t.Renew
	return cfg
}

// rulings records rulings and returns the places of their entries. They count only with the
// entry that closes them.
func (r *recorder) rulings(now time.Time, model string, rulings []Ruling) (places []uint64) {
	slices.SortFunc(rulings, func(a, b Ruling) int { return cmp.Compare(a.Place, b.Place) })
	for len(places) == 0 || len(rulings) > 0 {
		n := min(len(rulings), ledger.MaxRulings)
		places = append(places, r.record(&Entry{Kind: EntryModel, At: now, Model: model, Rulings: rulings[:n]}))
		rulings = rulings[n:]
	}
	return places
}

// decideAgain folds the journal, up to its end, into a new crawl that knows the rulings.
func (cfg Config) decideAgain(j *Journal, parts []uint64, restore Restorer) (p *player, err error) {
	if cfg.Polite.Delay == 0 { // there is none; as given, 0 would mean the default
		cfg.Polite.Delay = None
	}
	if cfg.Strategy, cfg.Shadows, err = cfg.Renew(); err != nil {
		return nil, err
	}
	twin, err := New(cfg)
	if err != nil {
		return nil, err
	}
	p = newPlayer(twin, j, true, restore)
	defer p.stop()
	m, err := j.Marks(j.End())
	if err != nil {
		return nil, err
	}
	m.Parts = parts
	if _, err := p.foldUnder(j.End(), m); err != nil {
		j.DropNames()
		return nil, err
	}
	return p, nil
}

// FoldTo folds what the journal has before a place into a new crawl: it is then as it
// was when the entry at the place came to be. The crawl is to look at, not to go on.
func (c *Crawl) FoldTo(j *Journal, place uint64, restore Restorer) error {
	m, err := j.Marks(place)
	if err != nil {
		return err
	}
	p := newPlayer(c, j, m.Open || m.Later, restore)
	defer p.stop()
	return p.foldTo(place, m)
}

// foldTo folds up to the last mark before the place under the rulings of that time, and
// replays the entries between the mark and the place as they are. If URLs were taken down
// after the place, all that comes before it is decided again without them.
func (p *player) foldTo(place uint64, m ledger.Marks) error {
	until := m.End
	if m.Later { // what is before the place is known only without what was taken down
		until = place
	}
	if until > 0 {
		if _, err := p.foldUnder(until, m); err != nil {
			return err
		}
		p.replayOn()
	}
	end := until
	for e, err := range p.tape.Entries(end, &end) {
		if e != nil && e.Place() >= place {
			break
		}
		if err := cmp.Or(err, p.entry(e)); err != nil {
			return fmt.Errorf("crawl: %w", err)
		}
	}
	return p.j.Err()
}

// replayOn lets entries from now on be replayed as they are: nothing is decided again.
func (p *player) replayOn() {
	p.again, p.round = nil, nil
	p.c.rec.mode = replayed{}
}

// foldModels folds the journal up to the last entry that closed rulings, under all of
// them, and returns where the fold is to go on.
func (p *player) foldModels(from uint64) (next uint64, entries int, err error) {
	if from > 0 {
		return from, 0, nil
	}
	m, err := p.j.Marks(p.j.End())
	if err != nil || m.End == 0 {
		return 0, 0, err
	}
	p.tape.SetOpen(m.Open)
	if entries, err = p.foldUnder(m.End, m); err != nil {
		return 0, entries, err
	}
	p.replayOn()
	p.tape.SetOpen(false)
	p.c.rulings.model = m.Model
	if m.Open {
		next, err = p.closeGone(m)
		return next, entries, err
	}
	return m.End, entries, nil
}

// closeGone records that all was decided without what was taken down, and returns
// where the journal ends. What comes after the tombstones is torn.
func (p *player) closeGone(m ledger.Marks) (end uint64, err error) {
	if err := p.j.CheckTail(m.End); err != nil {
		return 0, fmt.Errorf("crawl: %w", err)
	}
	if _, err := p.j.CutTail(m.End); err != nil || p.j.IsReadOnly() {
		return m.End, err
	}
	p.c.rec.mode = live{}
	p.c.rec.record(&Entry{Kind: entryAgain, At: m.At})
	p.c.rec.mode = replayed{}
	return p.j.End(), nil
}

// foldUnder folds the journal up to a place, under rulings. First all URLs are given
// their numbers: a strategy may bring up in another order, or for the first time,
// what no link led to.
func (p *player) foldUnder(until uint64, m ledger.Marks) (entries int, err error) {
	p.again = &refold{j: p.j, inFlight: map[frontier.ID]*forced{}}
	p.again.rulings.Set(m.Parts)
	p.c.rulings.parts = m.Parts
	if err := p.number(until, m.Gone); err != nil {
		return 0, fmt.Errorf("crawl: %w", err)
	}
	p.c.rec.mode = p.again
	for e, err := range p.tape.Again(until) {
		if err := cmp.Or(err, p.entry(e)); err != nil {
			return entries, fmt.Errorf("crawl: %w", err)
		}
		entries++
	}
	if len(p.round) > 0 && !m.Later {
		return entries, errors.New("crawl: rulings in the middle of a round")
	}
	p.c.f.holdUnseen()
	return entries, p.j.Err()
}

// number gives all URLs that came up before a place their numbers.
func (p *player) number(until uint64, gone map[frontier.ID]*Entry) error {
	f := p.c.f
	for u, err := range p.tape.Names(until) {
		if err != nil {
			return err
		}
		if e := gone[frontier.ID(f.Len())]; e != nil {
			f.seeGone(e, u)
		} else {
			f.See(u, weburl.Host(u))
		}
	}
	p.c.hosts.grow(f.Hosts())
	p.again.sighted = make([]bool, f.Len())
	return cmp.Or(p.tape.Err(), p.j.Err())
}

// A refold is the mode in which all that was decided is decided again, under rulings: visits
// are forced by the journal, what follows from them is not. So a URL may have to be taken that
// would not have waited, and one that was never seen in this order gets its number in advance.
type refold struct {
	replayed
	j        *Journal
	rulings  ledger.RulingBook
	inFlight map[frontier.ID]*forced
	sighted  []bool // by number
}

// forced is a URL that was taken according to the journal. Under the new rulings it might not
// have been; what it would have been taken with, and its state before, are kept here.
type forced struct {
	lead        dowse.Lead // as it would have been taken now
	depth, hops int
	was         dowse.State // before it was taken
	why         uint8
}

// sight reports whether a URL is seen for the first time: all have their numbers already.
func (r *refold) sight(id frontier.ID, _ bool) bool {
	if int(id) >= len(r.sighted) {
		r.sighted = append(r.sighted, make([]bool, int(id)+1-len(r.sighted))...)
	}
	fresh := !r.sighted[id]
	r.sighted[id] = true
	return fresh
}

// take takes a URL out of whatever state it is in.
func (r *refold) take(f *urls, id frontier.ID) {
	if f.State(id) == dowse.Flying {
		return
	}
	depth, hops := f.Depth(id)
	r.inFlight[id] = &forced{f.lead(id), int(depth), int(hops), f.State(id), f.Reason(id)}
	f.Take(id)
}

// putBack lets a URL that was taken wait again. One that would not have waited goes
// back to where it was.
func (r *refold) putBack(f *urls, id frontier.ID) {
	x := r.inFlight[id]
	delete(r.inFlight, id)
	switch {
	case x == nil || x.was == dowse.Waiting:
		f.queueAgain(id)
	case x.was == dowse.Unseen || x.was == dowse.Held:
		f.Settle(id, dowse.Held)
	default:
		f.Settle(id, x.was)
		f.SetReason(id, x.why)
	}
}

func (r *refold) release(f *urls, id frontier.ID) { r.putBack(f, id) }

// rule puts the ruling on a visit, if there is one, in the place of its verdict.
func (r *refold) rule(e *Entry) error {
	x, err := r.rulings.On(r.j, e.Place())
	if x != nil {
		x.Apply(e.Page, e.Found)
	}
	return err
}

// lead gives an entry's page the lead that it would have been taken with.
func (r *refold) lead(e *Entry) {
	x, p := r.inFlight[e.ID], e.Page
	if x == nil {
		return
	}
	if p.Lead = x.lead; x.was != dowse.Unseen { // else nothing led to it: it was as far away as at its visit
		p.Depth, p.Hops = x.depth, x.hops
	}
	if e.Kind == EntryPage { // it does not go back
		delete(r.inFlight, e.ID)
	}
}

// rate rates a lead as it came to the top, under the rulings.
func (r *refold) rate(f *urls, s dowse.Strategy, id frontier.ID) {
	rescorer, ok := s.(dowse.Rescorer)
	if !ok {
		return
	}
	f.SetPriority(id, rescorer.Rescore(f.lead(id)), dowse.Replace)
	if x := r.inFlight[id]; x != nil {
		x.lead.Priority = f.Priority(id)
	}
}

// compare counts the verdicts and ranks that differ between the URLs of a crawl and of one that was decided again.
func compare(old, twin *urls) (d Change) {
	for id := range frontier.ID(old.Len()) {
		a, visited := old.Visit(id)
		if b, ok := twin.Visit(id); visited && ok && a.OnTopic != b.OnTopic {
			d.Verdicts++
		}
		was, is := old.State(id) == dowse.Waiting, twin.State(id) == dowse.Waiting
		if was != is || is && (old.Priority(id) != twin.Priority(id) || old.Band(id) != twin.Band(id)) {
			d.Links++
		}
	}
	return d
}

// replace makes a crawl continue as the one that was decided again. What the journal does not
// hold is carried over: visits in flight, the connections kept free for them, the state of the
// network, the clock and the limits of this run.
func (p *player) replace(c *Crawl) {
	twin, again := p.c, p.again
	for id, fl := range c.flights.pages {
		if x := again.inFlight[id]; x != nil {
			fl.visit.Lead, fl.visit.Depth, fl.visit.Hops = x.lead, x.depth, x.hops
		}
	}
	*twin.flights = *c.flights
	twin.hosts.takeOver(c.hosts)
	twin.stats.Elapsed, twin.clock, twin.stopped, twin.ended = c.stats.Elapsed, c.clock, c.stopped, c.ended
	if c.picker.prepared == c.in.changes+1 {
		twin.picker.prepared = twin.in.changes + 1
	}
	twin.cfg.Limits = c.cfg.Limits
	twin.rec.head, twin.rec.moves = c.rec.head, c.rec.moves[:0]
	*c = *twin
}
