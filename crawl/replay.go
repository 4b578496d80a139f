package crawl

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"dowse"
	"dowse/internal/frontier"
)

// replayNames hands out, in order, the places of the strings that replayed entries
// brought up, and checks that the replay brings up the same ones.
type replayNames struct {
	first frontier.ID // number of the next string
	queue []placedName
	open  bool // strings beyond those are new ones, see Rerank
	err   error
}

type placedName struct {
	place uint64
	url   dowse.URL
}

func (n *replayNames) next(u dowse.URL) uint64 {
	if n.err != nil || len(n.queue) == 0 || n.queue[0].url != u {
		if n.err == nil {
			n.err = fmt.Errorf("the journal does not fit: it knows nothing of %q here", string(u))
		}
		return 0
	}
	p := n.queue[0].place
	n.queue = n.queue[1:]
	n.first++
	return p
}

// url returns the string of a URL that waits to be brought up.
func (n *replayNames) url(id frontier.ID) (dowse.URL, bool) {
	if i := int(id) - int(n.first); i >= 0 && i < len(n.queue) {
		return n.queue[i].url, true
	}
	return "", false
}

// take reads the strings of a record.
func (n *replayNames) take(r record) error {
	for at := 0; at < r.body; {
		start := at
		_, k := binary.Uvarint(r.payload[at:r.body])
		if k <= 0 {
			return errShort
		}
		at += k
		size, k := binary.Uvarint(r.payload[at:r.body])
		if k <= 0 || size > uint64(r.body-at-k) {
			return errShort
		}
		at += k
		u := dowse.URL(r.payload[at : at+int(size)])
		n.queue = append(n.queue, placedName{r.place + recordHeader + uint64(start), u})
		at += int(size)
	}
	return nil
}

// A Restorer gives a page that was decoded from the journal its text back, for
// strategies that read it.
type Restorer func(p *dowse.Page) error

// Fold replays the journal from a place on, and cuts off a torn tail. It returns
// how many entries were replayed and how many bytes were cut.
func (c *Crawl) Fold(j *Journal, from uint64, restore Restorer) (entries int, cut uint64, err error) {
	names := &replayNames{first: frontier.ID(c.f.Len())}
	j.replaying = names
	defer func() { j.replaying = nil }()
	under := c.cfg.Limits
	defer func() { c.cfg.Limits, c.running = under, false }()
	if from, entries, err = c.foldModels(j, names, from, restore); err != nil {
		return entries, 0, err
	}
	end := from
	var round []*Entry // pages of a round of which more are to come
	for r := range j.records(from, &end) {
		err := names.take(r)
		if err == nil {
			err = c.replayRecord(j, r, names, &round, restore)
		}
		if err != nil {
			return entries, 0, fmt.Errorf("crawl: entry at %d: %w", r.place, err)
		}
		entries++
	}
	if err := j.Err(); err != nil { // the disk failed: nothing is known of the rest
		return entries, 0, fmt.Errorf("crawl: %w", err)
	}
	if at, ok := j.soundAfter(end); ok {
		return entries, 0, fmt.Errorf("crawl: %w at offset %d, and sound again from %d on", ErrDamaged, end, at)
	}
	if len(round) > 0 { // torn: it is crawled again
		end = round[0].place
		entries -= len(round)
	}
	cut, err = j.cutTail(end)
	j.bench.set(c.parts)
	c.adrift = true
	c.unsure = c.unsure || entries > 0
	c.ground()
	return entries, cut, err
}

// replayRecord reads an entry, of which the strings were taken, and does what it says.
func (c *Crawl) replayRecord(j *Journal, r record, names *replayNames, round *[]*Entry, restore Restorer) error {
	urlOf := func(id frontier.ID) dowse.URL {
		if u, ok := names.url(id); ok {
			return u
		}
		if int(id) < c.f.Len() {
			return c.f.URL(id)
		}
		return ""
	}
	e, err := readEntry(r.payload[r.body:], urlOf, j.parse)
	if err != nil {
		return err
	}
	e.place = r.place
	return cmp.Or(c.replayEntry(e, round, restore), names.err)
}

// replayEntry does what an entry says. The pages of a round are followed when all
// are there.
func (c *Crawl) replayEntry(e *Entry, round *[]*Entry, restore Restorer) error {
	c.replay = true
	defer func() { c.replay = false }()
	if err := c.replayHead(e); err != nil {
		return err
	}
	if e.Kind != EntryPage || c.round == nil || !c.round.has(e.ID) {
		return c.replayBody(e, restore)
	}
	if *round = append(*round, e); len(*round) < len(c.round.list) {
		return nil
	}
	slices.SortStableFunc(*round, func(a, b *Entry) int { return a.At.Compare(b.At) })
	for _, e := range *round {
		if err := c.replayBody(e, restore); err != nil {
			return err
		}
	}
	*round = nil
	return nil
}

// replayHead brings the queue to where it was when the entry was made.
func (c *Crawl) replayHead(e *Entry) error {
	if e.run != nil {
		if c.cfg.Limits = e.run.limits; e.run.grounded {
			c.groundFlights()
		}
		if !e.run.began.IsZero() {
			c.restAll(e.run.began)
		}
	}
	if e.Kind == EntryClock {
		c.turnBack(e.Back)
	}
	c.latest = later(c.latest, e.At)
	for _, m := range e.moves {
		id := frontier.ID(m >> 1)
		switch {
		case !c.known(id):
			return errors.New("a lead that nothing led to")
		case c.forgotten(id):
		case m&1 == returned:
			c.putDown(id)
			if c.round != nil {
				c.round.back(id)
			}
		default:
			c.takeUp(id)
			if c.round != nil {
				c.round.leave(id)
			}
		}
	}
	if e.Kind != EntryForget {
		c.stats.Elapsed = e.Elapsed
	}
	if e.Page != nil { // committed, even if the URL or the host of the entry was taken down since
		c.stats.archive(e.Page.Fetch.Archive)
	}
	return nil
}

func (c *Crawl) known(id frontier.ID) bool { return int(id) < c.f.Len() }

func (c *Crawl) replayBody(e *Entry, restore Restorer) error {
	switch e.Kind {
	case EntryStart:
		c.start(e.At, e.Seeds, e.Homes)
	case EntryPage, EntryRetry:
		return c.replayVisit(e, restore)
	case EntryRobots:
		c.replayRobots(e)
	case EntryRound:
		return c.replayRound(e)
	case EntryIdle:
		if s, ok := c.cfg.Strategy.(dowse.Idler); ok {
			c.applyAll(s.Idle())
		}
	case EntryBefore:
		if s, ok := c.cfg.Strategy.(dowse.BeforeRounder); ok {
			c.applyAll(s.BeforeRound(view{c}))
		}
	case EntryRescore:
		return c.replayRating(e)
	case EntryForgive:
		c.forgiveSince(e.Since)
	case EntryRequeue:
		return c.replayRequeue(e)
	case EntryModel, EntryForget, EntryAgain:
		if e.marks() && c.refold == nil {
			return errNewerModel
		}
	}
	return nil
}

func (c *Crawl) replayRound(e *Entry) error {
	for _, id := range e.Round {
		if !c.known(id) {
			return errors.New("a round with a lead that nothing led to")
		}
	}
	c.again = nil
	c.openRound(slices.DeleteFunc(e.Round, c.forgotten))
	return nil
}

// replayRating rates a lead again.
func (c *Crawl) replayRating(e *Entry) error {
	switch {
	case !c.known(e.ID):
		return errors.New("a URL that nothing led to")
	case c.forgotten(e.ID):
	case c.refold != nil:
		c.rateAgain(e.ID)
	default:
		c.f.SetPriority(e.ID, e.Score, dowse.Replace)
	}
	return nil
}

// replayVisit takes the page's lead out as Next did, and absorbs it.
func (c *Crawl) replayVisit(e *Entry, restore Restorer) error {
	p := e.Page
	if !c.known(e.ID) {
		return errors.New("a page that nothing led to")
	}
	if c.forgotten(e.ID) {
		c.replayGone(e)
		return nil
	}
	if e.Kind == EntryPage {
		if err := c.refold.rule(e); err != nil {
			return err
		}
		if c.refold != nil {
			p.Near = "" // it is looked for again
		}
		p.Links = e.Found
		if err := c.restoreText(p, restore); err != nil {
			return err
		}
	}
	h := c.f.Host(e.ID)
	c.takeUp(e.ID)
	c.refold.lead(e, p)
	v := Visit{Lead: p.Lead, Depth: p.Depth, Hops: p.Hops, Again: p.Again}
	if e.Kind == EntryRetry {
		v.Lead = c.lead(e.ID)
	}
	fl := &flight{visit: v, id: e.ID, host: h, queue: e.Queue, regret: e.Regret, rest: e.Rested, drop: e.Dropped, idle: e.Idle, place: e.place}
	if fl.idle {
		c.replayFinal(e, fl, p)
		return nil
	}
	c.flights[e.ID] = fl
	c.hosts.of(h).out++
	c.f.Begin(h)
	c.Absorb(e.At, p)
	return nil
}

func (c *Crawl) replayFinal(e *Entry, fl *flight, p *dowse.Page) {
	if c.round != nil && c.round.has(fl.id) {
		c.arrive(&landed{e.At, fl, p})
		return
	}
	c.final(e.At, fl, p)
}

func (c *Crawl) restoreText(p *dowse.Page, restore Restorer) error {
	if !c.readsText() || restore == nil || p.Outcome != dowse.Fetched {
		return nil
	}
	if err := restore(p); err != nil {
		return fmt.Errorf("the text of %s: %w", p.URL, err)
	}
	return nil
}

func (c *Crawl) replayRobots(e *Entry) {
	h, ok := c.f.HostOf(e.Host)
	if !ok || e.Host == "" {
		return
	}
	e.Page.Host = orReport(e.Page.Host)
	e.Page.Host.Robots = e.Robots
	c.asking[h] = &flight{visit: Visit{Kind: VisitRobots, URL: e.Page.URL}, id: frontier.None, host: h, place: e.place}
	c.f.Begin(h)
	c.Absorb(e.At, e.Page)
}

func orReport(r *dowse.HostReport) *dowse.HostReport {
	if r == nil {
		return &dowse.HostReport{}
	}
	return r
}
