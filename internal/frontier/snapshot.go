package frontier

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/zeebo/xxh3"
)

// A snapshot is, in little-endian: the mark, the version; the tables in the order
// of [Frontier.Snapshot], each with its length before it; the 64-bit XXH3 of all
// that. Heaps and the table of fingerprints follow from it and are made anew.
const (
	snapshotMark    = "dowsefrt"
	snapshotVersion = 1
	entryBytes      = 46
)

// Snapshot writes down all of the frontier but the strings that Names keeps, so
// that [Load] makes one from it that goes on alike. URLs in flight and busy hosts
// are written as they are.
func (f *Frontier) Snapshot(w io.Writer) error {
	s := &writer{w: w, hash: xxh3.New()}
	s.bytes([]byte(snapshotMark))
	s.u32(snapshotVersion)
	s.u64(f.key)
	s.f64(f.regret)
	s.tide(f.queue)
	s.tide(f.shelf)
	s.hosts(f)
	s.entries(f)
	s.visits(f)
	s.interned(&f.notes)
	s.interned(&f.groups.interned)
	s.dropped(f.groups.dropped)
	s.aliases(f.aliases)
	s.sum()
	if s.err != nil {
		return fmt.Errorf("frontier: snapshot: %w", s.err)
	}
	return nil
}

// A writer gathers bytes into large writes and sums them. It keeps the first
// error and writes nothing after it.
type writer struct {
	w    io.Writer
	hash *xxh3.Hasher
	buf  []byte
	err  error
}

const writerBytes = 256 << 10

func (s *writer) u8(v uint8)    { s.buf = append(s.buf, v) }
func (s *writer) u32(v uint32)  { s.buf = binary.LittleEndian.AppendUint32(s.buf, v) }
func (s *writer) u64(v uint64)  { s.buf = binary.LittleEndian.AppendUint64(s.buf, v) }
func (s *writer) f64(v float64) { s.u64(math.Float64bits(v)) }

func (s *writer) bytes(b []byte) {
	s.buf = append(s.buf, b...)
	s.spill()
}

func (s *writer) text(t string) {
	s.u32(uint32(len(t)))
	s.buf = append(s.buf, t...)
	s.spill()
}

func (s *writer) time(t time.Time) {
	s.u64(uint64(t.Unix()))
	s.u32(uint32(t.Nanosecond()))
}

// spill writes the buffer once it is large.
func (s *writer) spill() {
	if len(s.buf) >= writerBytes {
		s.flush()
	}
}

func (s *writer) flush() {
	s.hash.Write(s.buf)
	if s.err == nil {
		_, s.err = s.w.Write(s.buf)
	}
	s.buf = s.buf[:0]
}

func (s *writer) sum() {
	s.flush()
	s.u64(s.hash.Sum64())
	s.flush()
}

func (s *writer) tide(t tide) {
	s.f64(t.offset)
	s.f64(t.cap)
}

func (s *writer) hosts(f *Frontier) {
	s.u32(uint32(f.lanes.n))
	for i := range uint32(f.lanes.n) {
		l := f.lanes.at(i)
		s.time(l.ready.time())
		s.text(l.name)
	}
	s.u32(uint32(f.hosts.n))
	for i := range uint32(f.hosts.n) {
		h := f.hosts.at(i)
		s.time(h.ready.time())
		s.u32(h.lane)
		s.u32(h.busy)
		s.text(f.byName.text(h.name))
	}
}

func (s *writer) entries(f *Frontier) {
	s.u32(uint32(f.entries.n))
	for i := range uint32(f.entries.n) {
		s.entry(f.entries.at(i))
		s.spill()
	}
}

func (s *writer) entry(e *entry) {
	visit := uint32(nowhere)
	if e.is(hasVisit) {
		visit = e.at
	}
	s.u64(e.fp.Hi)
	s.u64(e.fp.Lo)
	s.f64(e.key)
	s.u64(e.place)
	s.u32(uint32(e.host))
	s.u32(visit)
	s.buf = append(s.buf, uint8(e.state), uint8(e.band), e.depth, e.hops, e.why, uint8(e.flags))
}

func (s *writer) visits(f *Frontier) {
	s.u32(uint32(f.visits.n))
	for i := range uint32(f.visits.n) {
		v := f.visits.at(i)
		s.f64(v.relevance)
		s.u64(v.place)
		s.u8(bit(v.onTopic))
		s.spill()
	}
}

// interned writes the texts in the order of their first users, then the users.
func (s *writer) interned(n *interned) {
	var texts []string
	var users [][2]uint32
	numbers := map[uint32]uint32{}
	n.of.each(func(id, i uint32) {
		number, ok := numbers[i]
		if !ok {
			number = uint32(len(texts))
			numbers[i] = number
			texts = append(texts, n.texts[i-1])
		}
		users = append(users, [2]uint32{id, number})
	})
	s.u32(uint32(len(texts)))
	for _, t := range texts {
		s.text(t)
	}
	s.pairs(users)
}

func (s *writer) dropped(groups map[string]bool) {
	names := slices.Sorted(maps.Keys(groups))
	s.u32(uint32(len(names)))
	for _, name := range names {
		s.text(name)
	}
}

func (s *writer) aliases(of map[ID]ID) {
	pairs := make([][2]uint32, 0, len(of))
	for _, id := range slices.Sorted(maps.Keys(of)) {
		pairs = append(pairs, [2]uint32{uint32(id), uint32(of[id])})
	}
	s.pairs(pairs)
}

func (s *writer) pairs(pairs [][2]uint32) {
	s.u32(uint32(len(pairs)))
	for _, p := range pairs {
		s.u32(p[0])
		s.u32(p[1])
		s.spill()
	}
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
