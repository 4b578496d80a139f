package crawl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
)

// A Restorer gives a page that was decoded from the journal its text back, for
// strategies that read it. For a page whose record can't be decoded it returns [ledger.ErrTextLost]. A replay ends there; where all
// is decided again, the page is followed without its text, so that one bad record does not prevent every later model
// and every change of settings.
type Restorer func(p *dowse.Page) error

// A player drives a crawl with the entries of its journal, as live drivers do with visits. It
// brings the crawl to where it was when the last entry was made. This is the fold: the state is
// not stored, it is computed again from what happened.
//
// Entries hold what came from outside (pages, rules, times, choices that depend on timing) and
// not what follows from it. So a replay runs the same code as the live crawl: the strategy is
// called again for each page and learns again, leads are merged again, budgets are counted
// again. What a live crawl chose by the clock is forced by the entry's moves: which leads were
// taken out of the queue or put back since the entry before.
type player struct {
	c       *Crawl
	j       *Journal
	tape    *ledger.Replay
	restore Restorer
	round   []*Entry // pages of a round that is not complete yet
	again   *refold  // how all is decided again; nil if it is replayed as it was
}

// newPlayer begins to replay a journal. If it is open, URLs that come up beyond those of the
// journal are new ones. It must be stopped.
func newPlayer(c *Crawl, j *Journal, open bool, restore Restorer) *player {
	c.rec.mode = replayed{}
	urlOf := func(id frontier.ID) dowse.URL {
		if c.f.has(id) {
			return c.f.URL(id)
		}
		return ""
	}
	return &player{c: c, j: j, tape: j.Replay(c.f.Len(), open, urlOf), restore: restore}
}

// stop ends the replay: what happens to the crawl from now on is recorded.
func (p *player) stop() {
	p.tape.Close()
	p.c.rec.mode = live{}
}

// Fold replays the journal from a place on, and cuts off a torn tail. It returns
// how many entries were replayed and how many bytes were cut. Afterwards the crawl can go
// on: URLs whose visits left no entry wait again, and the next entry begins a new run. The
// limits of earlier runs hold for their entries alone; those of the config are restored.
func (c *Crawl) Fold(j *Journal, from uint64, restore Restorer) (entries int, cut uint64, err error) {
	p := newPlayer(c, j, false, restore)
	under := c.cfg.Limits
	entries, end, err := p.fold(from)
	p.stop()
	if err == nil {
		cut, err = j.CutTail(end)
		j.SetRulings(c.rulings.parts)
		c.flights.orphaned = true
		c.hosts.unsure = c.hosts.unsure || entries > 0
		c.in.requeueOrphans()
	}
	c.cfg.Limits = under
	c.rec.beginRun()
	return entries, cut, err
}

// fold replays the journal from a place on, and returns where it ends: a torn entry, or a
// torn round, is left out. The entries of a round are written in one go when it is complete, so
// only a crash in the middle of that leaves a part of them.
func (p *player) fold(from uint64) (entries int, end uint64, err error) {
	if from, entries, err = p.foldModels(from); err != nil {
		return entries, 0, err
	}
	end = from
	for e, err := range p.tape.Entries(from, &end) {
		if err := cmp.Or(err, p.entry(e)); err != nil {
			return entries, 0, fmt.Errorf("crawl: %w", err)
		}
		entries++
	}
	if err := cmp.Or(p.j.Err(), p.j.CheckTail(end)); err != nil { // if the disk failed, nothing is known of the rest
		return entries, 0, fmt.Errorf("crawl: %w", err)
	}
	if len(p.round) > 0 { // torn: it is crawled again
		end = p.round[0].Place()
		entries -= len(p.round)
	}
	return entries, end, nil
}

// entry replays an entry. An error names its place.
func (p *player) entry(e *Entry) error {
	if e == nil {
		return nil
	}
	if err := cmp.Or(p.replay(e), p.tape.Err()); err != nil {
		return fmt.Errorf("entry at %d: %w", e.Place(), err)
	}
	return nil
}

// replay replays an entry. The pages of a round are followed when all are there.
func (p *player) replay(e *Entry) error {
	if err := p.head(e); err != nil {
		return err
	}
	if e.Kind != EntryPage || !p.c.rounds.has(e.ID) {
		return p.body(e)
	}
	if p.round = append(p.round, e); len(p.round) < len(p.c.rounds.cur.list) {
		return nil
	}
	round := p.round
	p.round = nil
	slices.SortStableFunc(round, func(a, b *Entry) int { return a.At.Compare(b.At) })
	for _, e := range round {
		if err := p.body(e); err != nil {
			return err
		}
	}
	return nil
}

// head brings the queue to where it was when the entry was made: it applies the beginning of a
// run, a clock that was set back, and the moves since the entry before.
func (p *player) head(e *Entry) error {
	c := p.c
	if e.Run != nil {
		if c.cfg.Limits = e.Run.Limits; e.Run.Requeued {
			c.in.releaseAll()
		}
		if !e.Run.Began.IsZero() {
			c.hosts.restAll(e.Run.Began)
		}
	}
	if e.Kind == entryClock {
		c.turnBack(e.Back)
	}
	c.clock.latest = later(c.clock.latest, e.At)
	if err := p.moves(e); err != nil {
		return err
	}
	if e.Kind != EntryForget {
		c.stats.Elapsed = e.Elapsed
	}
	if e.Page != nil { // committed, even if the URL or the host of the entry was taken down since
		c.stats.archive(e.Page.Fetch.Archive)
	}
	return nil
}

// moves moves leads as they were moved between the entry before and this one.
func (p *player) moves(e *Entry) error {
	c := p.c
	for _, m := range e.Moves {
		id := m.ID()
		switch {
		case !c.f.has(id):
			return errors.New("a lead that nothing led to")
		case c.f.forgotten(id):
		case m.Back():
			c.rec.mode.putBack(c.f, id)
			c.rounds.back(id)
		default:
			c.rec.mode.take(c.f, id)
			c.rounds.leave(id)
		}
	}
	return nil
}

// body repeats what the entry records.
func (p *player) body(e *Entry) error {
	c := p.c
	switch e.Kind {
	case EntryStart:
		c.start(e.At, e.Seeds, e.Homes)
	case EntryPage, EntryRetry:
		return p.visit(e)
	case EntryRobots:
		p.robots(e)
	case entryRound:
		return p.takeRound(e)
	case entryIdle:
		if s, ok := c.cfg.Strategy.(dowse.Idler); ok {
			c.in.applyAll(s.Idle())
		}
	case entryBefore:
		if s, ok := c.cfg.Strategy.(dowse.BeforeRounder); ok {
			c.in.applyAll(s.BeforeRound(view{c.f}))
		}
	case entryRescore:
		return p.rate(e)
	case entryForgive:
		c.hosts.forgiveSince(e.Since)
	case EntryRequeue:
		return p.requeue(e)
	case entryCheck:
		return p.check(e)
	case entryLeft:
		return p.leave(e)
	case entryLine:
		if from := c.cfg.ThresholdFrom; from > 0 && e.Place() >= from {
			_, err := c.in.moveLine(e.Score)
			return err
		}
	case EntryModel, EntryForget, entryAgain:
		if e.IsMark() && p.again == nil {
			return errNewerModel
		}
	}
	return nil
}

// takeRound opens the round of an entry. URLs that were taken down since are left out.
func (p *player) takeRound(e *Entry) error {
	if !p.knowsAll(e.Round) {
		return errors.New("a round with a lead that nothing led to")
	}
	p.c.rounds.again = nil
	p.c.rounds.open(slices.DeleteFunc(e.Round, p.c.f.forgotten))
	return nil
}

// requeue repeats a requeue, by a person or as a second chance: the text of the entry shows
// which.
func (p *player) requeue(e *Entry) error {
	switch {
	case !p.knowsAll(e.Round):
		return errors.New("a URL that nothing led to waits again")
	case e.Text == chanceText:
		p.c.chances.give(e.Round)
	default:
		p.c.in.requeue(e.Round, strings.HasSuffix(e.Text, grantSuffix))
		p.c.chances.forget(e.Round)
	}
	return nil
}

// check repeats that a visited page is asked again. Its visit has an entry of its own.
func (p *player) check(e *Entry) error {
	switch {
	case !p.c.f.has(e.ID):
		return errors.New("a page that nothing led to is asked again")
	case !p.c.f.forgotten(e.ID):
		p.c.rec.mode.take(p.c.f, e.ID)
		p.c.f.beginCheck(e.ID, e.Since)
	}
	return nil
}

// leave repeats that links of a page were left out. They are not in the journal.
func (p *player) leave(e *Entry) error {
	switch {
	case !p.c.f.has(e.ID):
		return errors.New("a page that nothing led to has links")
	case !p.c.f.forgotten(e.ID):
		p.c.f.left.note(e.ID, e.Queue)
	}
	return nil
}

// knowsAll reports whether all numbers are those of known URLs. In a journal that this program
// wrote they are; damage that its checksums do not show must not cause a panic.
func (p *player) knowsAll(list []frontier.ID) bool {
	return !slices.ContainsFunc(list, func(id frontier.ID) bool { return !p.c.f.has(id) })
}

// rate rates a lead again.
func (p *player) rate(e *Entry) error {
	switch {
	case !p.c.f.has(e.ID):
		return errors.New("a URL that nothing led to")
	case p.c.f.forgotten(e.ID):
	case p.again != nil:
		p.again.rate(p.c.f, p.c.cfg.Strategy, e.ID)
	default:
		p.c.f.SetPriority(e.ID, e.Score, dowse.Replace)
	}
	return nil
}

// visit takes the page's lead out as Next did, and absorbs the page. A lead that was settled
// without a visit skips what concerns its host.
func (p *player) visit(e *Entry) error {
	c := p.c
	c.cfg.replays(e)
	if !c.f.has(e.ID) {
		return errors.New("a page that nothing led to")
	}
	if c.f.forgotten(e.ID) {
		p.bookGone(e)
		return nil
	}
	if e.Kind == EntryPage {
		if err := p.page(e); err != nil {
			return err
		}
	}
	c.rec.mode.take(c.f, e.ID)
	if p.again != nil {
		p.again.lead(e)
	}
	v := Visit{Lead: e.Page.Lead, Depth: e.Page.Depth, Hops: e.Page.Hops, Again: e.Page.Again}
	if e.Kind == EntryRetry {
		v.Lead = c.f.lead(e.ID)
	}
	fl := &flight{visit: v, id: e.ID, host: c.f.Host(e.ID), queue: e.Queue, regret: e.Regret, rest: e.Rested, idle: e.Idle, check: c.f.checks.isOut(e.ID), entry: e}
	if fl.idle {
		c.land(e.At, fl, e.Page)
		return nil
	}
	c.flights.pages[e.ID] = fl
	c.hosts.of(fl.host).out++
	c.f.Begin(fl.host)
	c.absorb(e.At, e.Page)
	return nil
}

// page makes the page of an entry as it came from its visit: with all links that were found,
// and with its text if the strategy or a shadow reads texts.
func (p *player) page(e *Entry) error {
	if p.again != nil {
		if err := p.again.rule(e); err != nil {
			return err
		}
		e.Page.Near = "" // it is looked for again
	}
	e.Page.Links = e.Found
	if !p.c.cfg.readsText() || p.restore == nil || e.Page.Outcome != dowse.Fetched {
		return nil
	}
	err := p.restore(e.Page)
	if p.again != nil && errors.Is(err, ledger.ErrTextLost) {
		return nil // it is decided again without its text, as after a takedown
	}
	if err != nil {
		return fmt.Errorf("the text of %s: %w", e.Page.URL, err)
	}
	return nil
}

// bookGone counts what a visit to a URL cost that was taken down since.
func (p *player) bookGone(e *Entry) {
	if !e.Idle {
		p.c.stats.visit(e.Page)
		p.c.stats.pick(e.Regret)
	}
}

// robots repeats a visit to a robots.txt.
func (p *player) robots(e *Entry) {
	c := p.c
	h, ok := c.f.HostOf(e.Host)
	if !ok || e.Host == "" {
		return
	}
	e.Page.Host = orReport(e.Page.Host)
	e.Page.Host.Robots = e.Robots
	c.flights.asking[h] = &flight{visit: Visit{Kind: VisitRobots, URL: e.Page.URL}, id: frontier.None, host: h, entry: e, slots: 1}
	c.f.Begin(h)
	c.absorb(e.At, e.Page)
}

// orReport returns a report, an empty one for nil.
func orReport(r *dowse.HostReport) *dowse.HostReport {
	if r == nil {
		return &dowse.HostReport{}
	}
	return r
}
