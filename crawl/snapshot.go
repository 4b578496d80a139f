package crawl

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"maps"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/wire"
)

const snapshotMagic = "dowses2\n"

// Snapshot writes the state of the crawl, to be taken up by Restore with the
// journal from offset end on. It must not be called in the middle of a round.
func (c *Crawl) Snapshot(w io.Writer, end uint64) error {
	if c.round != nil {
		return errors.New("crawl: snapshot: a round is under way")
	}
	learnt, err := c.saveStrategy()
	if err != nil {
		return err
	}
	e := &enc{Writer: wire.Writer{B: []byte(snapshotMagic)}}
	e.u64(end)
	e.core(c)
	e.bytes(learnt)
	e.u(uint64(len(c.shadows)))
	e.models(c)
	e.inlinks(c)
	e.chances(c)
	if err := e.seal(w); err != nil {
		return err
	}
	if err := c.f.Snapshot(w); err != nil {
		return err
	}
	for _, s := range c.shadows {
		if err := s.snapshot(w, end); err != nil {
			return err
		}
	}
	return nil
}

// seal writes what was encoded, with its length before and a checksum after it.
func (e *enc) seal(w io.Writer) error {
	e.Uint32(crc32.Checksum(e.B, castagnoli))
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(e.B)))
	for _, b := range [][]byte{head, e.B} {
		if _, err := w.Write(b); err != nil {
			return fmt.Errorf("crawl: snapshot: %w", err)
		}
	}
	return nil
}

// models writes which rulings stand.
func (e *enc) models(c *Crawl) {
	e.s(c.model)
	e.u(uint64(len(c.parts)))
	for _, p := range c.parts {
		e.u(p)
	}
}

// models reads them; snapshots of crawls that nobody has labelled may have none.
func (d *dec) models(c *Crawl) {
	if len(d.Rest) == 0 {
		return
	}
	c.model = d.s()
	for range d.items(1) {
		c.parts = append(c.parts, d.u())
	}
}

// MidRound reports whether a round is under way, so that no snapshot can be taken.
func (c *Crawl) MidRound() bool { return c.round != nil }

func (c *Crawl) saveStrategy() ([]byte, error) {
	s, ok := c.cfg.Strategy.(dowse.Saver)
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
func Restore(cfg Config, r io.Reader) (c *Crawl, from uint64, err error) {
	c, err = prepare(cfg)
	if err != nil {
		return nil, 0, err
	}
	r = bufio.NewReaderSize(r, 1<<16) // what follows a frontier is not read with it
	from, learnt, err := c.take(r)
	if err != nil {
		return nil, 0, err
	}
	lessons := [][]byte{learnt}
	for _, s := range c.shadows {
		if learnt, err = s.restore(r); err != nil {
			return nil, 0, err
		}
		lessons = append(lessons, learnt)
	}
	if err := c.teach(lessons); err != nil {
		return nil, 0, err
	}
	c.countGone()
	c.adrift, c.unsure = true, true
	return c, from, nil
}

// teach lets the strategies of the crawl and of its shadows load what they have learnt.
// It comes last: where the rest of a snapshot can't be read the journal is folded from
// its beginning, by strategies that must know nothing yet.
func (c *Crawl) teach(lessons [][]byte) error {
	crawls := []*Crawl{c}
	for _, s := range c.shadows {
		crawls = append(crawls, s.Crawl)
	}
	for i, x := range crawls {
		s, ok := x.cfg.Strategy.(dowse.Saver)
		if !ok || len(lessons[i]) == 0 {
			continue
		}
		if err := s.Load(lessons[i]); err != nil {
			return fmt.Errorf("crawl: load what the strategy learnt: %w", err)
		}
	}
	return nil
}

// take takes up the crawl itself, its shadows left aside, and returns what its strategy
// has learnt.
func (c *Crawl) take(r io.Reader) (from uint64, learnt []byte, err error) {
	d, err := readCore(r)
	if err != nil {
		return 0, nil, err
	}
	from = d.u64()
	d.core(c)
	learnt = d.bytes()
	shadows := 0
	if len(d.Rest) > 0 {
		shadows = int(d.u())
	}
	d.models(c)
	counted := d.inlinks(c)
	d.chances(c)
	switch {
	case d.Err != nil:
		return 0, nil, fmt.Errorf("crawl: snapshot: %w", d.Err)
	case c.cfg.LinksIn && !counted:
		return 0, nil, errNoLinksIn
	case shadows != len(c.shadows):
		return 0, nil, fmt.Errorf("crawl: snapshot: it has %d shadows, the crawl %d", shadows, len(c.shadows))
	}
	if c.f, err = frontier.Load(r, c.frontierConfig()); err != nil {
		return 0, nil, fmt.Errorf("crawl: snapshot: %w", err)
	}
	return from, learnt, c.fits()
}

// fits checks that what the snapshot says of hosts and URLs is about those that its
// frontier has.
func (c *Crawl) fits() error {
	if c.hosts.len() != c.f.Hosts() {
		return fmt.Errorf("crawl: snapshot: %w: %d hosts of %d", errShort, c.hosts.len(), c.f.Hosts())
	}
	n := frontier.ID(c.f.Len())
	known := func(id frontier.ID) bool { return id < n }
	ok := len(c.inlinks) <= int(n) && all(maps.Keys(c.tries), known) && all(maps.Keys(c.chances), known) && all(maps.Keys(c.sitemaps), known) && all(maps.Keys(c.chains), known) && all(maps.Keys(c.reborn), known) &&
		all(slices.Values(c.again), known)
	ok = ok && c.near.fits(n, frontier.HostID(c.hosts.len()))
	if !ok {
		return fmt.Errorf("crawl: snapshot: %w: a URL that is not there", errShort)
	}
	if err := c.sane(); err != nil {
		return fmt.Errorf("crawl: snapshot: %w", err)
	}
	c.hosts.each(func(id frontier.HostID, h *host) { c.f.SetLate(id, h.isLate()) })
	return nil
}

func all[T any](items iter.Seq[T], holds func(T) bool) bool {
	for x := range items {
		if !holds(x) {
			return false
		}
	}
	return true
}

func readCore(r io.Reader) (*dec, error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, fmt.Errorf("crawl: snapshot: %w", err)
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n < uint64(len(snapshotMagic))+4 || n > 1<<40 {
		return nil, fmt.Errorf("crawl: snapshot: %w", errShort)
	}
	var buf bytes.Buffer
	if m, err := io.CopyN(&buf, r, int64(n)); err != nil || uint64(m) != n {
		return nil, fmt.Errorf("crawl: snapshot: %w", errShort)
	}
	b := buf.Bytes()
	sum := binary.LittleEndian.Uint32(b[n-4:])
	if string(b[:len(snapshotMagic)]) != snapshotMagic {
		return nil, fmt.Errorf("crawl: snapshot: %w", ErrVersion)
	}
	if crc32.Checksum(b[:n-4], castagnoli) != sum {
		return nil, fmt.Errorf("crawl: snapshot: checksum does not match")
	}
	return newDec(b[len(snapshotMagic) : n-4]), nil
}

func (e *enc) core(c *Crawl) {
	e.u(uint64(c.hosts.len()))
	for id := range frontier.HostID(c.hosts.len()) {
		h := c.hosts.at(id)
		e.host(&h)
	}
	e.u(uint64(len(c.tries)))
	for _, id := range slices.Sorted(maps.Keys(c.tries)) {
		e.u(uint64(id))
		e.byte(c.tries[id])
	}
	e.u(uint64(len(c.sitemaps)))
	for _, id := range slices.Sorted(maps.Keys(c.sitemaps)) {
		e.u(uint64(id))
	}
	e.u(uint64(len(c.chains)))
	for _, id := range slices.Sorted(maps.Keys(c.chains)) {
		e.u(uint64(id))
		e.byte(c.chains[id])
	}
	e.u(uint64(len(c.traps)))
	for _, k := range slices.Sorted(maps.Keys(c.traps)) {
		s := c.traps[k]
		e.u64(k)
		e.u(uint64(s.visited))
		e.u(uint64(s.novel))
		e.u(uint64(s.onTopic))
		e.u(uint64(s.sets))
	}
	e.u(uint64(len(c.farms)))
	for _, k := range slices.Sorted(maps.Keys(c.farms)) {
		e.u64(k)
		e.u(uint64(c.farms[k].visited))
		e.u(uint64(c.farms[k].strays))
	}
	e.u(uint64(len(c.domains)))
	for _, k := range slices.Sorted(maps.Keys(c.domains)) {
		d := c.domains[k]
		e.u64(k)
		for _, v := range []uint32{d.hosts, d.granted, d.novel, d.onTopic, d.farm.visited, d.farm.strays} {
			e.u(uint64(v))
		}
	}
	e.near(&c.near)
	e.u(uint64(len(c.again)))
	for _, id := range c.again {
		e.u(uint64(id))
	}
	homes := slices.Sorted(maps.Keys(c.cfg.Scope.homes))
	e.u(uint64(len(homes)))
	for _, h := range homes {
		e.s(h)
	}
	e.stats(&c.stats)
	e.t(c.latest)
	e.network(&c.net)
	e.u(uint64(len(c.reborn)))
	for _, id := range slices.Sorted(maps.Keys(c.reborn)) {
		e.u(uint64(id))
	}
}

func (d *dec) core(c *Crawl) {
	c.hosts.grow(d.count(hostSize))
	for id := range frontier.HostID(c.hosts.len()) {
		var h host
		if d.host(&h); h != (host{}) {
			*c.hosts.of(id) = h
		}
		c.hosts.meet(id)
	}
	for range d.items(2) {
		id := frontier.ID(d.u())
		c.tries[id] = d.byte()
	}
	for range d.items(1) {
		c.sitemaps[frontier.ID(d.u())] = true
	}
	for range d.items(2) {
		id := frontier.ID(d.u())
		c.chains[id] = d.byte()
	}
	for range d.items(shapeSize) {
		k := d.u64()
		c.traps[k] = &shape{visited: uint32(d.u()), novel: uint32(d.u()), onTopic: uint32(d.u()), sets: uint32(d.u())}
	}
	for range d.items(farmSize) {
		k := d.u64()
		f := &farm{visited: uint32(d.u()), strays: uint32(d.u())}
		if c.farms[k] = f; f.isFarm(c.cfg.Traps) {
			c.farmed++
		}
	}
	for range d.items(domainSize) {
		k := d.u64()
		x := domain{hosts: uint32(d.u()), granted: uint32(d.u()), novel: uint32(d.u()), onTopic: uint32(d.u())}
		x.farm = farm{visited: uint32(d.u()), strays: uint32(d.u())}
		c.domains[k] = x
		c.hostFarms += count(x.farm.isFarm(c.cfg.Traps))
	}
	d.near(&c.near)
	for range d.items(1) {
		c.again = append(c.again, frontier.ID(d.u()))
	}
	c.cfg.Scope.homes = map[string]bool{}
	for range d.items(1) {
		c.cfg.Scope.homes[d.s()] = true
	}
	d.stats(&c.stats)
	c.latest = d.t()
	d.network(&c.net)
	for range d.items(1) {
		c.reborn[frontier.ID(d.u())] = true
	}
}

// The fewest bytes that an item of a list takes.
const (
	hostSize  = 23
	shapeSize = 12
	farmSize  = 10

	domainSize = 14
)

func (e *enc) host(h *host) {
	e.u(h.robotsPlace)
	e.t(h.robotsUntil)
	e.t(h.last)
	for _, v := range []uint64{
		uint64(h.backOffs), uint64(h.downs), uint64(h.maps), uint64(h.fetched), uint64(h.onTopic),
		uint64(h.requests), uint64(h.failed), uint64(h.recent), uint64(h.bytes), uint64(h.maxDelay),
		uint64(h.asked), uint64(h.mute), uint64(h.silent), uint64(h.locals), uint64(h.why), uint64(h.doubted),
	} {
		e.u(v)
	}
	e.bool(h.answered)
	e.bool(h.shared)
	e.i(h.troubled)
	e.i(h.promise)
}

func (d *dec) host(h *host) {
	h.robotsPlace = d.u()
	h.robotsUntil = d.t()
	h.last = d.t()
	h.backOffs, h.downs, h.maps = uint16(d.u()), uint16(d.u()), uint16(d.u())
	h.fetched, h.onTopic, h.requests = uint32(d.u()), uint32(d.u()), uint32(d.u())
	h.failed, h.recent = uint32(d.u()), uint32(d.u())
	h.bytes, h.maxDelay = int64(d.u()), time.Duration(d.u())
	h.asked, h.mute, h.silent, h.locals, h.why = uint8(d.u()), uint8(d.u()), uint8(d.u()), uint8(d.u()), uint8(d.u())
	h.doubted = uint32(d.u())
	h.answered, h.shared = d.bool(), d.bool()
	h.troubled, h.promise = d.i(), d.i()
}

func (e *enc) network(n *network) {
	e.t(n.answered)
	e.u(uint64(n.failing))
	e.t(n.first)
	e.t(n.since)
	e.s(n.why)
}

func (d *dec) network(n *network) {
	n.answered, n.failing = d.t(), uint32(d.u())
	n.first, n.since, n.why = d.t(), d.t(), d.s()
}

func (e *enc) stats(s *stats) {
	e.u(uint64(s.Fetched))
	e.u(uint64(s.OnTopic))
	e.u(uint64(s.Bytes))
	e.u(uint64(s.Requests))
	e.u(uint64(s.Picks))
	e.f(s.Regret)
	e.u(uint64(s.Elapsed))
	e.u(uint64(s.Dropped))
	e.s(s.archived.File)
	e.i(s.archived.Offset)
	e.i(s.archived.Length)
	e.u(uint64(s.at))
	e.u(uint64(len(s.recent)))
	for _, on := range s.recent {
		e.bool(on)
	}
}

func (d *dec) stats(s *stats) {
	s.Fetched, s.OnTopic = int(d.u()), int(d.u())
	s.Bytes, s.Requests, s.Picks = int64(d.u()), int(d.u()), int(d.u())
	s.Regret, s.Elapsed, s.Dropped = d.f(), time.Duration(d.u()), int(d.u())
	s.archived = dowse.Place{File: d.s(), Offset: d.i(), Length: d.i()}
	s.at = int(d.u())
	for range d.items(1) {
		s.recent = append(s.recent, d.bool())
	}
	if s.at >= max(1, len(s.recent)) {
		d.fail()
	}
}
