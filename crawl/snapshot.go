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
	"dowse/internal/frontier"
	"dowse/internal/ledger"
	"dowse/internal/wire"
)

type reader = wire.Reader[[]byte]

// Snapshot writes the state of the crawl, to be taken up by Restore with the
// journal from offset end on. It must not be called in the middle of a round.
func (c *Crawl) Snapshot(out io.Writer, end uint64) error {
	if c.rounds.isOpen() {
		return errors.New("crawl: snapshot: a round is under way")
	}
	learnt, err := c.cfg.saveStrategy()
	if err != nil {
		return err
	}
	w := ledger.NewPart()
	w.Uint64(end)
	c.writeState(w)
	w.Bytes(learnt)
	w.Uint(uint64(len(c.shadows)))
	c.rulings.write(w)
	c.f.inlinks.write(w, c.cfg.LinksIn)
	writeCounts(w, c.chances.used)
	if err := ledger.Seal(out, w); err != nil {
		return fmt.Errorf("crawl: snapshot: %w", err)
	}
	if err := c.f.Snapshot(out); err != nil {
		return err
	}
	for _, s := range c.shadows {
		if err := s.snapshot(out, end); err != nil {
			return err
		}
	}
	return nil
}

// rulings are the later verdicts on visited pages that hold.
type rulings struct {
	model string   // the newest one that gave any; "" for none
	parts []uint64 // places of the entries that hold them
}

func (x *rulings) write(w *wire.Writer) {
	w.Text(x.model)
	w.Uint(uint64(len(x.parts)))
	for _, p := range x.parts {
		w.Uint(p)
	}
}

// read reads what write wrote; snapshots of crawls without labels may have none.
func (x *rulings) read(r *reader) {
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

// Restore takes up a crawl from a snapshot. It returns the offset from which the
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
	lessons := [][]byte{learnt}
	for _, s := range c.shadows {
		if learnt, err = s.restore(in); err != nil {
			return nil, 0, err
		}
		lessons = append(lessons, learnt)
	}
	if err := c.cfg.teach(lessons); err != nil {
		return nil, 0, err
	}
	c.f.countGone()
	c.flights.orphaned, c.clock.unsure = true, true
	return c, from, nil
}

// teach lets the strategies of the crawl and of its shadows load what they have learnt.
// It comes last: where the rest of a snapshot can't be read the journal is folded from
// its beginning, by strategies that must know nothing yet.
func (cfg *Config) teach(lessons [][]byte) error {
	pupils := []dowse.Strategy{cfg.Strategy}
	for _, s := range cfg.Shadows {
		pupils = append(pupils, s.Strategy)
	}
	for i, p := range pupils {
		s, ok := p.(dowse.Saver)
		if !ok || len(lessons[i]) == 0 {
			continue
		}
		if err := s.Load(lessons[i]); err != nil {
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
	c.readState(r)
	learnt = slices.Clone(r.Raw())
	shadows := 0
	if len(r.Rest) > 0 {
		shadows = int(r.Uint())
	}
	c.rulings.read(r)
	var counts inlinks
	counted := counts.read(r)
	if c.cfg.LinksIn {
		c.f.inlinks = counts
	}
	if len(r.Rest) > 0 { // snapshots of earlier versions have none
		readCounts(r, c.chances.used)
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
	if err := c.check(); err != nil {
		return 0, nil, fmt.Errorf("crawl: snapshot: %w", err)
	}
	c.hosts.each(func(id frontier.HostID, h *host) { c.f.SetLate(id, h.isLate()) })
	return from, learnt, nil
}

// check checks that what the snapshot holds is about hosts and URLs that its frontier has,
// and that it is the state of a crawl.
func (c *Crawl) check() error {
	if c.hosts.len() != c.f.Hosts() {
		return fmt.Errorf("%w: %d hosts of %d", wire.ErrDamaged, c.hosts.len(), c.f.Hosts())
	}
	n := frontier.ID(c.f.Len())
	known := func(id frontier.ID) bool { return id < n }
	ok := len(c.f.inlinks) <= int(n) && all(maps.Keys(c.hosts.tries.failed), known) && all(maps.Keys(c.chances.used), known) &&
		all(maps.Keys(c.in.sitemaps), known) && all(maps.Keys(c.f.reborn), known) && all(slices.Values(c.rounds.again), known)
	if !ok || !c.in.gate.Fits(n, frontier.HostID(c.hosts.len())) {
		return fmt.Errorf("%w: a URL that is not there", wire.ErrDamaged)
	}
	if last := c.f.LastReady(); last.After(c.clock.latest.Add(maxPark)) {
		return fmt.Errorf("%w: a host rests until %v", errImpossible, last)
	}
	if err := c.stats.sane(c.f.Len()); err != nil {
		return err
	}
	return c.hosts.sane(c.clock.latest, c.f.Len())
}

func all[T any](items iter.Seq[T], holds func(T) bool) bool {
	for x := range items {
		if !holds(x) {
			return false
		}
	}
	return true
}

// writeState writes what is known beside the frontier. readState reads it.
func (c *Crawl) writeState(w *wire.Writer) {
	c.hosts.write(w)
	writeCounts(w, c.hosts.tries.failed)
	writeIDs(w, slices.Sorted(maps.Keys(c.in.sitemaps)))
	c.in.gate.Write(w)
	writeIDs(w, c.rounds.again)
	c.in.gate.WriteHomes(w)
	c.stats.write(w)
	w.Time(c.clock.latest)
	c.hosts.net.write(w)
	writeIDs(w, slices.Sorted(maps.Keys(c.f.reborn)))
}

func (c *Crawl) readState(r *reader) {
	c.hosts.read(r)
	readCounts(r, c.hosts.tries.failed)
	readSet(r, c.in.sitemaps)
	c.in.gate.Read(r)
	for range r.Items(1) {
		c.rounds.again = append(c.rounds.again, frontier.ID(r.Uint()))
	}
	c.in.gate.ReadHomes(r)
	c.stats.read(r)
	c.clock.latest = r.Time()
	c.hosts.net.read(r)
	readSet(r, c.f.reborn)
}

func writeIDs(w *wire.Writer, list []frontier.ID) {
	w.Uint(uint64(len(list)))
	for _, id := range list {
		w.Uint(uint64(id))
	}
}

func readSet(r *reader, set map[frontier.ID]bool) {
	for range r.Items(1) {
		set[frontier.ID(r.Uint())] = true
	}
}

func writeCounts(w *wire.Writer, counts map[frontier.ID]uint8) {
	w.Uint(uint64(len(counts)))
	for _, id := range slices.Sorted(maps.Keys(counts)) {
		w.Uint(uint64(id))
		w.Byte(counts[id])
	}
}

func readCounts(r *reader, counts map[frontier.ID]uint8) {
	for range r.Items(2) {
		id := frontier.ID(r.Uint())
		counts[id] = r.Byte()
	}
}

const hostSize = 23 // bytes, at least

func (b *hosts) write(w *wire.Writer) {
	w.Uint(uint64(b.len()))
	for id := range frontier.HostID(b.len()) {
		h := b.at(id)
		h.write(w)
	}
}

func (b *hosts) read(r *reader) {
	b.grow(r.Count(hostSize))
	for id := range frontier.HostID(b.len()) {
		var h host
		if h.read(r); h != (host{}) {
			*b.of(id) = h
		}
		b.meet(id)
	}
}

func (h *host) write(w *wire.Writer) {
	w.Uint(h.robotsPlace)
	w.Time(h.robotsUntil)
	w.Time(h.last)
	for _, v := range []uint64{
		uint64(h.backOffs), uint64(h.downs), uint64(h.maps), uint64(h.fetched), uint64(h.onTopic),
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

func (h *host) read(r *reader) {
	h.robotsPlace = r.Uint()
	h.robotsUntil = r.Time()
	h.last = r.Time()
	h.backOffs, h.downs, h.maps = uint16(r.Uint()), uint16(r.Uint()), uint16(r.Uint())
	h.fetched, h.onTopic, h.requests = uint32(r.Uint()), uint32(r.Uint()), uint32(r.Uint())
	h.failed, h.recent = uint32(r.Uint()), uint32(r.Uint())
	h.bytes, h.maxDelay = int64(r.Uint()), time.Duration(r.Uint())
	h.asked, h.mute, h.silent = uint8(r.Uint()), uint8(r.Uint()), uint8(r.Uint())
	h.locals, h.why = uint8(r.Uint()), uint8(r.Uint())
	h.doubted = uint32(r.Uint())
	h.answered, h.shared = r.Bool(), r.Bool()
	h.troubled, h.promise = r.Int(), r.Int()
}

func (n *network) write(w *wire.Writer) {
	w.Time(n.answered)
	w.Uint(uint64(n.failing))
	w.Time(n.first)
	w.Time(n.since)
	w.Text(n.why)
}

func (n *network) read(r *reader) {
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
	w.Uint(uint64(s.at))
	w.Uint(uint64(len(s.recent)))
	for _, on := range s.recent {
		w.Bool(on)
	}
}

func (s *stats) read(r *reader) {
	s.Fetched, s.OnTopic = int(r.Uint()), int(r.Uint())
	s.Bytes, s.Requests, s.Picks = int64(r.Uint()), int(r.Uint()), int(r.Uint())
	s.Regret, s.Elapsed, s.Dropped = r.Float(), time.Duration(r.Uint()), int(r.Uint())
	s.archived = dowse.Place{File: r.Text(), Offset: r.Int(), Length: r.Int()}
	s.at = int(r.Uint())
	for range r.Items(1) {
		s.recent = append(s.recent, r.Bool())
	}
	if s.at >= max(1, len(s.recent)) {
		r.Fail()
	}
}
