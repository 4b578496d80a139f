package crawl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"time"

	"dowse"
	"dowse/internal/admission"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
	"dowse/internal/repeats"
	"dowse/internal/wire"
)

// A partReader reads a part of a snapshot.
type partReader = wire.Reader[[]byte]

// Snapshot returns a function that writes the state that the crawl has now. The function may
// run concurrently with the crawl and must be called once; a further call of Snapshot makes
// one of before fail. Restore continues from what it wrote, with the journal from
// offset end on. Snapshot must not be called in the middle of a round.
//
// The crawl can't continue before Snapshot returns, so what grows with the number of URLs is
// left to the function. See [frontier.Frozen].
//
// A snapshot is never the only copy of anything: whatever it holds follows from the
// journal, so a snapshot that is lost or damaged costs time and nothing else. Its layout
// is a list of parts in a fixed order. Parts that later versions added come at the end,
// where a snapshot of an earlier version simply stops.
func (c *Crawl) Snapshot(end uint64) (write func(io.Writer) error, err error) {
	if c.rounds.isOpen() {
		return nil, errors.New("crawl: snapshot: a round is under way")
	}
	learnt, err := c.cfg.saveStrategy()
	if err != nil {
		return nil, err
	}
	w := ledger.NewPart()
	w.Uint64(end)
	for _, p := range c.parts() {
		p.write(w)
	}
	w.Bytes(learnt)
	w.Uint(uint64(len(c.shadows)))
	c.rulings.write(w)
	c.f.inlinks.write(w, c.cfg.LinksIn)
	for _, m := range tail(c) {
		m.write(w)
	}
	pieces := []func(io.Writer) error{sealed(w), c.f.Freeze().Write}
	for _, s := range c.shadows {
		piece, err := s.snapshot(end)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, piece)
	}
	return inTurn(pieces), nil
}

// sealed returns a function that writes a part with its checksum.
func sealed(part *wire.Writer) func(io.Writer) error {
	return func(out io.Writer) error {
		if err := ledger.Seal(out, part); err != nil {
			return fmt.Errorf("crawl: snapshot: %w", err)
		}
		return nil
	}
}

// inTurn returns a function that writes several pieces, up to the first error.
func inTurn(pieces []func(io.Writer) error) func(io.Writer) error {
	return func(out io.Writer) error {
		for _, write := range pieces {
			if err := write(out); err != nil {
				return err
			}
		}
		return nil
	}
}

// rulings are the later verdicts on visited pages that hold.
type rulings struct {
	model string   // the newest one that gave any; "" for none
	parts []uint64 // places of the entries that hold them
}

// write appends the name of the model and the places of its entries.
func (x *rulings) write(w *wire.Writer) {
	w.Text(x.model)
	w.Uint(uint64(len(x.parts)))
	for _, p := range x.parts {
		w.Uint(p)
	}
}

// read reads what write wrote; snapshots of crawls without labels may have none.
func (x *rulings) read(r *partReader) {
	if len(r.Rest) == 0 {
		return
	}
	x.model = r.Text()
	for range r.Items(1) {
		x.parts = append(x.parts, r.Uint())
	}
}

// MidRound reports whether a round is under way, so that no snapshot can be taken.
func (c *Crawl) MidRound() bool { return c.rounds.isOpen() }

// saveStrategy returns what the strategy has learnt, nil if it does not implement Saver.
func (cfg *Config) saveStrategy() ([]byte, error) {
	s, ok := cfg.Strategy.(dowse.Saver)
	if !ok {
		return nil, nil
	}
	b, err := s.Save()
	if err != nil {
		return nil, fmt.Errorf("crawl: save what the strategy learnt: %w", err)
	}
	return b, nil
}

// Restore returns the crawl of a snapshot. It returns the offset from which the
// journal is to be folded in. Visits that were out when it was taken wait again. After
// an error strategies are as they were, unless one does not load what it saved.
func Restore(cfg Config, in io.Reader) (c *Crawl, from uint64, err error) {
	c, err = prepare(cfg)
	if err != nil {
		return nil, 0, err
	}
	in = bufio.NewReaderSize(in, 1<<16) // what follows a frontier is not read with it
	from, learnt, err := c.load(in)
	if err != nil {
		return nil, 0, err
	}
	states := [][]byte{learnt}
	for _, s := range c.shadows {
		if learnt, err = s.restore(in); err != nil {
			return nil, 0, err
		}
		states = append(states, learnt)
	}
	if err := c.cfg.loadStrategies(states); err != nil {
		return nil, 0, err
	}
	c.f.countGone()
	c.flights.orphaned, c.hosts.unsure = true, true
	return c, from, nil
}

// loadStrategies makes the strategies of the crawl and of its shadows load what they have
// learnt, in the order of states.
// It comes last: where the rest of a snapshot can't be read the journal is folded from
// its beginning, by strategies that must know nothing yet.
func (cfg *Config) loadStrategies(states [][]byte) error {
	list := []dowse.Strategy{cfg.Strategy}
	for _, s := range cfg.Shadows {
		list = append(list, s.Strategy)
	}
	for i, p := range list {
		s, ok := p.(dowse.Saver)
		if !ok || len(states[i]) == 0 {
			continue
		}
		if err := s.Load(states[i]); err != nil {
			return fmt.Errorf("crawl: load what the strategy learnt: %w", err)
		}
	}
	return nil
}

// load reads the crawl itself, its shadows left aside, and returns what its strategy
// has learnt.
func (c *Crawl) load(in io.Reader) (from uint64, learnt []byte, err error) {
	r, err := ledger.ReadPart(in)
	if err != nil {
		return 0, nil, fmt.Errorf("crawl: snapshot: %w", err)
	}
	from = r.Uint64()
	for _, p := range c.parts() {
		p.read(r)
	}
	learnt = slices.Clone(r.Raw())
	shadows := 0
	if len(r.Rest) > 0 {
		shadows = int(r.Uint())
	}
	c.rulings.read(r)
	var linksIn inlinks
	counted := linksIn.read(r)
	if c.cfg.LinksIn {
		c.f.inlinks = linksIn
	}
	for _, m := range tail(c) {
		if len(r.Rest) > 0 {
			m.read(r)
		}
	}
	switch {
	case r.Err != nil:
		return 0, nil, fmt.Errorf("crawl: snapshot: %w", r.Err)
	case c.cfg.LinksIn && !counted:
		return 0, nil, errNoLinksIn
	case shadows != len(c.shadows):
		return 0, nil, fmt.Errorf("crawl: snapshot: it has %d shadows, the crawl %d", shadows, len(c.shadows))
	}
	if c.f.Frontier, err = frontier.Load(in, c.cfg.frontier()); err != nil {
		return 0, nil, fmt.Errorf("crawl: snapshot: %w", err)
	}
	for _, p := range append(c.parts(), tail(c)...) {
		if err := p.check(frontier.ID(c.f.Len()), frontier.HostID(c.f.Hosts())); err != nil {
			return 0, nil, fmt.Errorf("crawl: snapshot: %w", err)
		}
	}
	if len(c.f.inlinks) > c.f.Len() {
		return 0, nil, fmt.Errorf("crawl: snapshot: %w", errNoURL)
	}
	if err := c.hosts.checkTimes(c.clock.latest); err != nil {
		return 0, nil, fmt.Errorf("crawl: snapshot: %w", err)
	}
	c.hosts.each(func(id frontier.HostID, h *host) { c.f.SetLate(id, h.isLate()) })
	return from, learnt, nil
}

// A part is one piece of the state that a snapshot holds besides the frontier.
type part interface {
	write(w *wire.Writer)
	read(r *partReader)
	// check returns an error if what was read refers to URLs or hosts beyond the given
	// numbers, or is nothing that a crawl can have written.
	check(urls frontier.ID, hosts frontier.HostID) error
}

// parts returns the parts of the state in the order in which a snapshot has them.
func (c *Crawl) parts() []part {
	return []part{
		c.hosts, counts(c.hosts.tries.failed), set(c.in.sitemaps), gatePart{c.in.gate}, (*list)(&c.rounds.again),
		homes{c.in.gate}, c.stats, &c.clock, &c.hosts.net, set(c.f.reborn),
	}
}

// tail returns the parts at the end of a snapshot, which those of earlier versions lack.
func tail(c *Crawl) []part {
	return []part{counts(c.chances.used), counts(c.hosts.tries.broke), &c.stats.yield, &c.f.checks, &c.f.left, repeatsPart{&c.f.repeats}, c.stats.line}
}

// errNoURL is returned for a snapshot that refers to a URL which the frontier does not have.
var errNoURL = fmt.Errorf("%w: a URL that is not there", wire.ErrDamaged)

// A gatePart is what a gate has learnt from visits, homes what it has learnt from seeds.
type (
	gatePart struct{ *admission.Gate }
	homes    struct{ *admission.Gate }
)

func (g gatePart) write(w *wire.Writer) { g.Write(w) }
func (g gatePart) read(r *partReader)   { g.Read(r) }

func (g gatePart) check(urls frontier.ID, hosts frontier.HostID) error {
	if !g.Fits(urls, hosts) {
		return errNoURL
	}
	return nil
}

// A repeatsPart is what is known of the blocks that the pages of hosts repeat.
type repeatsPart struct{ *repeats.Hosts }

func (x repeatsPart) write(w *wire.Writer) { x.Write(w) }
func (x repeatsPart) read(r *partReader)   { x.Read(r) }

func (x repeatsPart) check(_ frontier.ID, hosts frontier.HostID) error {
	if !x.Fits(uint32(hosts)) {
		return wire.ErrDamaged
	}
	return nil
}

func (h homes) write(w *wire.Writer)                     { h.WriteHomes(w) }
func (h homes) read(r *partReader)                       { h.ReadHomes(r) }
func (h homes) check(frontier.ID, frontier.HostID) error { return nil }

// A list is URLs in order.
type list []frontier.ID

func (l *list) write(w *wire.Writer) {
	w.Uint(uint64(len(*l)))
	for _, id := range *l {
		w.Uint(uint64(id))
	}
}

func (l *list) read(r *partReader) {
	for range r.Items(1) {
		*l = append(*l, frontier.ID(r.Uint()))
	}
}

func (l *list) check(urls frontier.ID, _ frontier.HostID) error {
	return checkIDs(slices.Values(*l), urls)
}

// A set is some of the URLs.
type set map[frontier.ID]bool

func (s set) write(w *wire.Writer) {
	sorted := list(slices.Sorted(maps.Keys(s)))
	sorted.write(w)
}

func (s set) read(r *partReader) {
	for range r.Items(1) {
		s[frontier.ID(r.Uint())] = true
	}
}

func (s set) check(urls frontier.ID, _ frontier.HostID) error { return checkIDs(maps.Keys(s), urls) }

// counts are small numbers of some of the URLs.
type counts map[frontier.ID]uint8

func (c counts) write(w *wire.Writer) {
	w.Uint(uint64(len(c)))
	for _, id := range slices.Sorted(maps.Keys(c)) {
		w.Uint(uint64(id))
		w.Byte(c[id])
	}
}

func (c counts) read(r *partReader) {
	for range r.Items(2) {
		id := frontier.ID(r.Uint())
		c[id] = r.Byte()
	}
}

func (c counts) check(urls frontier.ID, _ frontier.HostID) error { return checkIDs(maps.Keys(c), urls) }

// checkIDs returns an error if a number is not that of one of the first urls URLs.
func checkIDs(ids iter.Seq[frontier.ID], urls frontier.ID) error {
	for id := range ids {
		if id >= urls {
			return errNoURL
		}
	}
	return nil
}

func (c *clock) write(w *wire.Writer)                     { w.Time(c.latest) }
func (c *clock) read(r *partReader)                       { c.latest = r.Time() }
func (c *clock) check(frontier.ID, frontier.HostID) error { return nil }

// hostSize is the number of bytes that a host takes, at least.
const hostSize = 23

func (b *hosts) write(w *wire.Writer) {
	w.Uint(uint64(b.len()))
	for id := range frontier.HostID(b.len()) {
		h := b.at(id)
		h.write(w)
	}
}

// read reads the hosts. Those that were never visited are written as zeros and get no record.
// All of them were counted before, so they are marked as met.
func (b *hosts) read(r *partReader) {
	b.grow(r.Count(hostSize))
	for id := range frontier.HostID(b.len()) {
		var h host
		if h.read(r); h != (host{}) {
			*b.of(id) = h
		}
		b.meet(id)
	}
}

// write appends what lasts beyond a run. Visits in flight, and the counts that are marked in
// the type, are left out, and so are the rules themselves, which the journal has.
func (h *host) write(w *wire.Writer) {
	w.Uint(h.robotsPlace)
	w.Time(h.robotsUntil)
	w.Time(h.last)
	for _, v := range []uint64{
		uint64(h.backOffs), uint64(h.downs), uint64(h.maps) | uint64(h.feeds)<<8, uint64(h.fetched), uint64(h.onTopic),
		uint64(h.requests), uint64(h.failed), uint64(h.recent), uint64(h.bytes), uint64(h.maxDelay),
		uint64(h.asked), uint64(h.mute), uint64(h.silent), uint64(h.locals), uint64(h.why), uint64(h.doubted),
	} {
		w.Uint(v)
	}
	w.Bool(h.answered)
	w.Bool(h.shared)
	w.Int(h.troubled)
	w.Int(h.promise)
}

func (h *host) read(r *partReader) {
	h.robotsPlace = r.Uint()
	h.robotsUntil = r.Time()
	h.last = r.Time()
	h.backOffs, h.downs = uint16(r.Uint()), uint16(r.Uint())
	lists := r.Uint()
	h.maps, h.feeds = uint8(lists), uint8(lists>>8) // feeds were not counted before there were any
	h.fetched, h.onTopic, h.requests = uint32(r.Uint()), uint32(r.Uint()), uint32(r.Uint())
	h.failed, h.recent = uint32(r.Uint()), uint32(r.Uint())
	h.bytes, h.maxDelay = int64(r.Uint()), time.Duration(r.Uint())
	h.asked, h.mute, h.silent = uint8(r.Uint()), uint8(r.Uint()), uint8(r.Uint())
	h.locals, h.why = uint8(r.Uint()), uint8(r.Uint())
	h.doubted = uint32(r.Uint())
	h.answered, h.shared = r.Bool(), r.Bool()
	h.troubled, h.promise = r.Int(), r.Int()
}

func (n *network) check(frontier.ID, frontier.HostID) error { return nil }

// write appends what concerns an outage. The rest belongs to one run and begins again.
func (n *network) write(w *wire.Writer) {
	w.Time(n.answered)
	w.Uint(uint64(n.failing))
	w.Time(n.first)
	w.Time(n.since)
	w.Text(n.why)
}

func (n *network) read(r *partReader) {
	n.answered, n.failing = r.Time(), uint32(r.Uint())
	n.first, n.since, n.why = r.Time(), r.Time(), r.Text()
}

func (s *stats) write(w *wire.Writer) {
	w.Uint(uint64(s.Fetched))
	w.Uint(uint64(s.OnTopic))
	w.Uint(uint64(s.Bytes))
	w.Uint(uint64(s.Requests))
	w.Uint(uint64(s.Picks))
	w.Float(s.Regret)
	w.Uint(uint64(s.Elapsed))
	w.Uint(uint64(s.Dropped))
	w.Text(s.archived.File)
	w.Int(s.archived.Offset)
	w.Int(s.archived.Length)
	s.recent.write(w)
}

func (s *stats) read(r *partReader) {
	s.Fetched, s.OnTopic = int(r.Uint()), int(r.Uint())
	s.Bytes, s.Requests, s.Picks = int64(r.Uint()), int(r.Uint()), int(r.Uint())
	s.Regret, s.Elapsed, s.Dropped = r.Float(), time.Duration(r.Uint()), int(r.Uint())
	s.archived = dowse.Place{File: r.Text(), Offset: r.Int(), Length: r.Int()}
	s.recent.read(r)
	s.missYield()
}
