package crawl

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// A Change tells what new rulings changed.
type Change struct {
	Verdicts int `json:"verdicts_changed"` // visited pages that changed sides
	Links    int `json:"links_reranked"`   // waiting URLs with another priority, or that wait now, or no longer do
}

// errNewerModel is returned by a fold that began behind a snapshot and met rulings on
// what was visited before it.
var errNewerModel = errors.New("a newer model ruled on what was visited")

// Model returns the name of the newest model that ruled on visited pages, "" if none
// did.
func (c *Crawl) Model() string { return c.model }

// Rerank puts rulings in the place of the verdicts on visited pages and decides
// again all that was decided, as if they had been given from the beginning: the
// journal is folded once more with a strategy that has learnt nothing. What was
// visited, and when, stays as it is; books, hosts, budgets and the rank of every
// waiting URL follow. Visits that are out stay out.
//
// It must be called by whoever owns the crawl, not in the middle of a round, and
// takes as long as folding the journal does. On an error nothing has changed.
// restore is as for Fold.
func (c *Crawl) Rerank(now time.Time, model string, rulings []Ruling, restore Restorer) (Change, error) {
	return c.RerankUnder(now, c.terms(), model, rulings, restore)
}

// Terms are the parts of a [Config] that can change when a crawl is resumed, because all
// that was decided can be decided again under other ones.
type Terms struct {
	Threshold float64
	Scope     Scope
	LinksIn   bool
	Renew     func() (dowse.Strategy, []Shadow, error)
}

func (c *Crawl) terms() Terms {
	return Terms{c.cfg.Threshold, c.cfg.Scope, c.cfg.LinksIn, c.cfg.Renew}
}

// RerankUnder is [Crawl.Rerank] under other terms. The journal does not keep the terms: from
// now on it must be folded with a Config that has these.
func (c *Crawl) RerankUnder(now time.Time, terms Terms, model string, rulings []Ruling, restore Restorer) (Change, error) {
	j, ok := c.cfg.Log.(*Journal)
	if !ok || terms.Renew == nil || c.round != nil {
		return Change{}, errors.New("crawl: rerank: needs a journal, a way to renew the strategy, and no round under way")
	}
	c.ground()
	c.clock(now)
	parts := c.recordParts(now, model, rulings)
	twin, err := c.decideAgain(j, terms, append(c.parts[:len(c.parts):len(c.parts)], parts...), restore)
	if err != nil {
		return Change{}, fmt.Errorf("crawl: rerank: %w", err)
	}
	change := c.compare(twin)
	c.become(twin)
	c.model = model
	c.record(&Entry{Kind: EntryModel, At: now, Model: model, Parts: len(parts)})
	j.bench.set(c.parts)
	return change, nil
}

// recordParts writes the rulings down. They count only with the entry that closes
// them.
func (c *Crawl) recordParts(now time.Time, model string, rulings []Ruling) (places []uint64) {
	slices.SortFunc(rulings, func(a, b Ruling) int { return cmp.Compare(a.Place, b.Place) })
	for len(places) == 0 || len(rulings) > 0 {
		n := min(len(rulings), rulingsPerEntry)
		places = append(places, c.record(&Entry{Kind: EntryModel, At: now, Model: model, Rulings: rulings[:n]}))
		rulings = rulings[n:]
	}
	return places
}

// decideAgain folds the journal, up to its end, into a crawl under terms that knows the
// rulings.
func (c *Crawl) decideAgain(j *Journal, terms Terms, parts []uint64, restore Restorer) (*Crawl, error) {
	cfg := c.cfg
	cfg.Threshold, cfg.Scope, cfg.LinksIn, cfg.Renew = terms.Threshold, terms.Scope, terms.LinksIn, terms.Renew
	cfg.Scope.homes = nil
	if cfg.Polite.Delay == 0 { // there is none; as given, 0 would mean the default
		cfg.Polite.Delay = None
	}
	var err error
	if cfg.Strategy, cfg.Shadows, err = cfg.Renew(); err != nil {
		return nil, err
	}
	twin, err := New(cfg)
	if err != nil {
		return nil, err
	}
	names := &replayNames{open: true}
	j.replaying = names
	defer func() { j.replaying = nil }()
	m, err := j.marks(j.End())
	if err != nil {
		return nil, err
	}
	m.parts = parts
	if _, err := twin.foldUnder(j, names, j.End(), m, restore); err != nil {
		j.dropNames()
		return nil, err
	}
	return twin, nil
}

// FoldTo folds what the journal has before a place into a new crawl: it is then as it
// was when the entry at the place came to be. The crawl is to look at, not to go on.
func (c *Crawl) FoldTo(j *Journal, place uint64, restore Restorer) error {
	m, err := j.marks(place)
	if err != nil {
		return err
	}
	until := uint64(0)
	if m.last != nil {
		until = m.last.next()
	}
	if m.later { // what stands before the place is known only without what was taken down
		until = place
	}
	names := &replayNames{open: m.open || m.later}
	j.replaying = names
	defer func() { j.replaying = nil }()
	var end uint64
	if until > 0 {
		if _, err := c.foldUnder(j, names, until, m, restore); err != nil {
			return err
		}
		c.refold, end = nil, until
	}
	var round []*Entry
	for r := range j.records(end, &end) {
		if r.place >= place {
			break
		}
		if err := cmp.Or(names.take(r), c.replayRecord(j, r, names, &round, restore)); err != nil {
			return fmt.Errorf("crawl: entry at %d: %w", r.place, err)
		}
	}
	return j.Err()
}

// foldModels folds the journal up to the last entry that closed rulings, under all of
// them, and returns where the fold is to go on.
func (c *Crawl) foldModels(j *Journal, names *replayNames, from uint64, restore Restorer) (next uint64, entries int, err error) {
	if from > 0 {
		return from, 0, nil
	}
	m, err := j.marks(j.End())
	if err != nil || m.last == nil {
		return 0, 0, err
	}
	names.open = m.open
	if entries, err = c.foldUnder(j, names, m.last.next(), m, restore); err != nil {
		return 0, entries, err
	}
	c.refold, names.open = nil, false
	if m.model != nil {
		err = c.modelAt(j, m.model)
	}
	if m.open && err == nil {
		next, err = c.closeGone(j, m)
		return next, entries, err
	}
	return m.last.next(), entries, err
}

// modelAt takes note of the model whose rulings an entry closed.
func (c *Crawl) modelAt(j *Journal, r *record) error {
	e, err := readEntry(r.payload[r.body:], noURL, j.parse)
	if err == nil {
		c.model = e.Model
	}
	return err
}

// foldUnder folds the journal up to a place, under rulings. First all URLs are given
// their numbers: a strategy may bring up in another order, or for the first time,
// what no link led to.
func (c *Crawl) foldUnder(j *Journal, names *replayNames, until uint64, m marks, restore Restorer) (entries int, err error) {
	c.refold = &refold{j: j, aloft: map[frontier.ID]*aloft{}}
	c.refold.bench.set(m.parts)
	c.parts = m.parts
	if err := c.number(j, names, until, m.gone); err != nil {
		return 0, err
	}
	var end uint64
	var round []*Entry
	for r := range j.records(0, &end) {
		if err := c.replayRecord(j, r, names, &round, restore); err != nil {
			return entries, fmt.Errorf("crawl: entry at %d: %w", r.place, err)
		}
		entries++
		if end >= until {
			break
		}
	}
	if len(round) > 0 && !m.later {
		return entries, errors.New("crawl: rulings in the middle of a round")
	}
	c.holdUnseen()
	return entries, j.Err()
}

// holdUnseen keeps the books of URLs that nothing leads to any more.
func (c *Crawl) holdUnseen() {
	for id := frontier.ID(0); int(id) < c.f.Len() && c.f.Count(dowse.Unseen) > 0; id++ {
		if c.f.State(id) == dowse.Unseen {
			c.f.Settle(id, dowse.Held)
		}
	}
}

// number gives all URLs that came up before a place their numbers. Those that the
// closing entry of the rulings brought up are left: it was the fold that did.
func (c *Crawl) number(j *Journal, names *replayNames, until uint64, gone map[frontier.ID]*Entry) error {
	var end uint64
	for r := range j.records(0, &end) {
		closing := end >= until && !names.open
		if err := names.take(r); err != nil {
			return fmt.Errorf("crawl: entry at %d: %w", r.place, err)
		}
		for !closing && len(names.queue) > 0 {
			u := names.queue[0].url
			fresh := false
			if e := gone[frontier.ID(c.f.Len())]; e != nil {
				fresh = c.seeGone(e, u)
			} else {
				_, fresh = c.f.See(u, weburl.Host(u))
			}
			if !fresh {
				return fmt.Errorf("crawl: entry at %d: a URL that came up before", r.place)
			}
		}
		if end >= until {
			break
		}
	}
	c.grow()
	c.refold.sighted = make([]bool, c.f.Len())
	return cmp.Or(names.err, j.Err())
}

// RuledAfter reports whether rulings were closed at a place or after it: a snapshot
// taken there knows nothing of them.
func (j *Journal) RuledAfter(place uint64) bool {
	for at := range j.modelRecords(place) {
		if r, err := j.recordAt(at); err != nil {
			return false // torn
		} else if e, err := readEntry(r.payload[r.body:], noURL, nil); err == nil && e.marks() {
			return true
		}
	}
	return false
}

// modelRecords yields the places of the entries of models and takedowns. It reads no more of the
// others than is needed to pass over them.
func (j *Journal) modelRecords(from uint64) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		var head [recordHeader]byte
		var kind [1]byte
		for place := from; place < j.End(); {
			b, err := j.readFull(place, head[:])
			if err != nil {
				return
			}
			size, body := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[8:])
			if size > maxRecord || body >= size {
				return
			}
			if k, err := j.readFull(place+recordHeader+uint64(body), kind[:]); err != nil {
				return
			} else if isMark(EntryKind(k[0]&^beginsRun)) && !yield(place) {
				return
			}
			place += recordHeader + uint64(size)
		}
	}
}

// A refold decides again what was decided, under rulings: visits are forced by the
// journal, what follows from them is not.
type refold struct {
	j       *Journal
	bench   bench
	aloft   map[frontier.ID]*aloft
	sighted []bool // by number
}

// aloft is a URL that the journal says was taken.
type aloft struct {
	lead        dowse.Lead // as it would have been taken now
	depth, hops int
	was         dowse.State // where it was taken from
	why         uint8
}

// sight reports whether a URL is seen for the first time.
func (r *refold) sight(id frontier.ID) bool {
	if int(id) >= len(r.sighted) {
		r.sighted = append(r.sighted, make([]bool, int(id)+1-len(r.sighted))...)
	}
	fresh := !r.sighted[id]
	r.sighted[id] = true
	return fresh
}

// rule puts the ruling on a visit, if there is one, in the place of its verdict.
func (r *refold) rule(e *Entry) error {
	if r == nil {
		return nil
	}
	x, err := r.bench.ruling(r.j, e.place)
	if x != nil {
		x.Rule(e.Page, e.Found)
	}
	return err
}

// lead gives an entry's page the lead that it would have been taken with.
func (r *refold) lead(e *Entry, p *dowse.Page) {
	if r == nil || r.aloft[e.ID] == nil {
		return
	}
	a := r.aloft[e.ID]
	if p.Lead = a.lead; a.was != dowse.Unseen { // else nothing led to it: it was as far away as its visit says
		p.Depth, p.Hops = a.depth, a.hops
	}
	if e.Kind == EntryPage { // it does not go back
		delete(r.aloft, e.ID)
	}
}

// takeUp takes a URL out of where it stands, for a visit.
func (c *Crawl) takeUp(id frontier.ID) {
	if c.f.State(id) == dowse.Flying {
		return
	}
	if c.refold != nil {
		depth, hops := c.f.Depth(id)
		c.refold.aloft[id] = &aloft{c.lead(id), int(depth), int(hops), c.f.State(id), c.f.Reason(id)}
	}
	c.f.Take(id)
}

// putDown lets a URL that was taken wait again. One that would not have waited goes
// back to where it was.
func (c *Crawl) putDown(id frontier.ID) {
	if c.refold == nil {
		c.f.Queue(id)
		return
	}
	a := c.refold.aloft[id]
	delete(c.refold.aloft, id)
	switch {
	case a == nil || a.was == dowse.Waiting:
		c.queueAgain(id)
	case a.was == dowse.Unseen || a.was == dowse.Held:
		c.f.Settle(id, dowse.Held)
	default:
		c.f.Settle(id, a.was)
		c.f.SetReason(id, a.why)
	}
}

// rateAgain rates a lead as it came to the top, under the rulings.
func (c *Crawl) rateAgain(id frontier.ID) {
	r, ok := c.cfg.Strategy.(dowse.Rescorer)
	if !ok {
		return
	}
	c.f.SetPriority(id, r.Rescore(c.lead(id)), dowse.Replace)
	if a := c.refold.aloft[id]; a != nil {
		a.lead.Priority = c.f.Priority(id)
	}
}

// compare counts what differs between the crawl and one that was decided again.
func (c *Crawl) compare(twin *Crawl) (d Change) {
	for id := range frontier.ID(c.f.Len()) {
		a, visited := c.f.Visit(id)
		if b, ok := twin.f.Visit(id); visited && ok && a.OnTopic != b.OnTopic {
			d.Verdicts++
		}
		was, is := c.f.State(id) == dowse.Waiting, twin.f.State(id) == dowse.Waiting
		if was != is || is && (c.f.Priority(id) != twin.f.Priority(id) || c.f.Band(id) != twin.f.Band(id)) {
			d.Links++
		}
	}
	return d
}

// become lets the crawl go on as its twin, with the visits that are out.
func (c *Crawl) become(twin *Crawl) {
	for id, fl := range c.flights {
		if a := twin.refold.aloft[id]; a != nil {
			fl.visit.Lead, fl.visit.Depth, fl.visit.Hops = a.lead, a.depth, a.hops
		}
		twin.hosts.of(fl.host).out++
		twin.f.Begin(fl.host)
	}
	for h := range c.asking {
		twin.f.Begin(h)
	}
	c.hosts.each(func(id frontier.HostID, h *host) {
		if h.held > 0 {
			twin.hosts.of(id).held = h.held
		}
		for range h.held {
			twin.f.Begin(id)
		}
	})
	twin.flights, twin.asking, twin.leases = c.flights, c.asking, c.leases
	twin.stats.slot, twin.stats.Elapsed, twin.lastNow = c.stats.slot, c.stats.Elapsed, c.lastNow
	twin.latest, twin.unsure, twin.began = c.latest, c.unsure, c.began
	twin.lateOut, twin.strangersOut = c.lateOut, c.strangersOut
	twin.net = c.net
	twin.stopped, twin.running, twin.asked, twin.ended = c.stopped, c.running, c.asked, c.ended
	twin.cfg.Limits, twin.refold, twin.moves = c.cfg.Limits, nil, c.moves[:0]
	*c = *twin
	for _, s := range c.shadows {
		s.names.crawl = c
	}
}
