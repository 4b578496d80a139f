package crawl

import (
	"encoding/binary"
	"fmt"

	"dowse"
	"dowse/frontier"
)

// replayNames hands out, in order, the places of the strings that replayed entries
// brought up, and checks that the replay brings up the same ones.
type replayNames struct {
	first frontier.ID // number of the next string
	queue []placedName
	err   error
}

type placedName struct {
	place uint64
	url   dowse.URL
}

func (n *replayNames) next(u dowse.URL) uint64 {
	if n.err != nil || len(n.queue) == 0 || n.queue[0].url != u {
		if n.err == nil {
			n.err = fmt.Errorf("crawl: the journal does not fit: it knows nothing of %q here", string(u))
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
	urlOf := func(id frontier.ID) dowse.URL {
		if u, ok := names.url(id); ok {
			return u
		}
		if int(id) < c.f.Len() {
			return c.f.URL(id)
		}
		return ""
	}
	end := from
	for r := range j.records(from, &end) {
		if err := names.take(r); err != nil {
			return entries, 0, fmt.Errorf("crawl: entry at %d: %w", r.place, err)
		}
		e, err := readEntry(r.payload[r.body:], urlOf, j.parse)
		if err != nil {
			return entries, 0, fmt.Errorf("crawl: entry at %d: %w", r.place, err)
		}
		e.place = r.place
		if err := c.replayEntry(e, restore); err != nil {
			return entries, 0, err
		}
		if names.err != nil {
			return entries, 0, names.err
		}
		entries++
	}
	cut, err = j.cutTail(end)
	return entries, cut, err
}

func (c *Crawl) replayEntry(e *Entry, restore Restorer) error {
	c.replay = true
	defer func() { c.replay = false }()
	switch e.Kind {
	case EntryStart:
		c.Start(e.At, e.Seeds)
	case EntryPage, EntryRetry:
		return c.replayVisit(e, restore)
	case EntryRobots:
		c.replayRobots(e)
	case EntryRound:
		c.openRound(e.Round)
	case EntryIdle:
		if s, ok := c.cfg.Strategy.(dowse.Idler); ok {
			c.replayLeads(s.Idle())
		}
	case EntryBefore:
		if s, ok := c.cfg.Strategy.(dowse.BeforeRounder); ok {
			c.replayLeads(s.BeforeRound(view{c}))
		}
	case EntryForget:
		c.forget(e.ID)
	}
	return nil
}

func (c *Crawl) replayLeads(leads []dowse.Lead) {
	for _, l := range leads {
		c.apply(l)
	}
}

// replayVisit takes the page's lead out as Next did, and absorbs it.
func (c *Crawl) replayVisit(e *Entry, restore Restorer) error {
	p := e.Page
	if int(e.ID) >= c.f.Len() {
		return fmt.Errorf("crawl: entry at %d: a page that nothing led to", e.place)
	}
	if e.Kind == EntryPage {
		p.Links = e.Found
		if err := c.restoreText(p, restore); err != nil {
			return err
		}
	}
	h := c.f.Host(e.ID)
	if c.f.State(e.ID) != dowse.Flying {
		c.f.Take(e.ID)
	}
	v := Visit{Lead: p.Lead, Depth: p.Depth, Hops: p.Hops, Again: p.Again}
	if e.Kind == EntryRetry {
		v.Lead = c.lead(e.ID)
	}
	fl := &flight{visit: v, id: e.ID, host: h, queue: e.Queue, regret: e.Regret, rest: e.Rested, idle: e.Idle, place: e.place}
	if _, ok := c.cfg.Strategy.(dowse.Rescorer); ok && e.Kind == EntryPage {
		c.f.SetPriority(e.ID, p.Lead.Priority, dowse.Replace)
	}
	if fl.idle {
		c.replayFinal(e, fl, p)
		return nil
	}
	c.flights[e.ID] = fl
	c.f.Begin(h)
	c.stats.Picks++
	c.stats.Regret += e.Regret
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
	if t, ok := c.cfg.Strategy.(dowse.TextReader); !ok || !t.ReadsText() || restore == nil || p.Outcome != dowse.Fetched {
		return nil
	}
	if err := restore(p); err != nil {
		return fmt.Errorf("crawl: the text of %s: %w", p.URL, err)
	}
	return nil
}

func (c *Crawl) replayRobots(e *Entry) {
	h, ok := c.f.HostOf(e.Host)
	if !ok {
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

// Forget takes a URL out of the crawl for good, at its owner's wish: it is not
// visited again, and an entry says so.
func (c *Crawl) Forget(e *Entry) bool {
	if int(e.ID) >= c.f.Len() {
		return false
	}
	c.forget(e.ID)
	e.Kind = EntryForget
	c.record(e)
	return true
}

func (c *Crawl) forget(id frontier.ID) {
	if v, ok := c.f.Visit(id); ok && c.f.State(id) == dowse.Visited && !c.sitemaps[id] {
		c.stats.Fetched--
		if v.OnTopic {
			c.stats.OnTopic--
		}
	}
	c.exclude(id, dowse.SkipForgotten)
	c.f.SetNote(id, "")
}
