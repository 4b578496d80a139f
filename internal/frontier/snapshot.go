package frontier

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"dowse/internal/wire"

	"github.com/zeebo/xxh3"
)

// A snapshot is, in little-endian: the mark, the version; the tables in the order
// of [Frontier.Snapshot], each with its length before it; the 64-bit XXH3 of all
// that. Heaps and the table of fingerprints follow from it and are computed again.
const (
	snapshotMark    = "dowsefrt"
	snapshotVersion = 1
	entryBytes      = 46
)

// Snapshot writes down all of the frontier but the strings that Names keeps, so
// that [Load] makes one from it that goes on alike. URLs in flight and busy hosts
// are written as they are.
func (f *Frontier) Snapshot(w io.Writer) error {
	s := newWriter(w)
	s.B = append(s.B, snapshotMark...)
	s.Uint32(snapshotVersion)
	s.Uint64(f.key)
	s.Float(f.regret)
	s.offset(f.waitingOffset)
	s.offset(f.visitedOffset)
	s.hosts(f)
	s.entries(f)
	s.visits(f)
	s.interned(&f.notes)
	s.interned(&f.groups.interned)
	s.dropped(f.groups.dropped)
	s.aliases(f.aliases)
	if err := s.sum(); err != nil {
		return fmt.Errorf("frontier: snapshot: %w", err)
	}
	return nil
}

// A snapshotWriter writes the tables of a snapshot, with a checksum of all of them.
type snapshotWriter struct {
	*wire.Output
	hash *xxh3.Hasher
}

func newWriter(w io.Writer) *snapshotWriter {
	hash := xxh3.New()
	return &snapshotWriter{wire.NewOutput(w, hash), hash}
}

func (s *snapshotWriter) text(t string) {
	s.Uint32(uint32(len(t)))
	s.B = append(s.B, t...)
	s.Spill()
}

func (s *snapshotWriter) time(t time.Time) {
	s.Uint64(uint64(t.Unix()))
	s.Uint32(uint32(t.Nanosecond()))
}

// sum ends the snapshot with the checksum of all before it.
func (s *snapshotWriter) sum() error {
	s.Flush()
	s.Uint64(s.hash.Sum64())
	return s.Flush()
}

func (s *snapshotWriter) offset(t sharedOffset) {
	s.Float(t.offset)
	s.Float(t.cap)
}

func (s *snapshotWriter) hosts(f *Frontier) {
	s.Uint32(uint32(f.lanes.n))
	for i := range uint32(f.lanes.n) {
		l := f.lanes.at(i)
		s.time(l.ready.time())
		s.text(l.name)
	}
	s.Uint32(uint32(f.hosts.n))
	for i := range uint32(f.hosts.n) {
		h := f.hosts.at(i)
		s.time(h.ready.time())
		s.Uint32(h.lane)
		s.Uint32(h.busy)
		s.text(f.byName.text(h.name))
	}
}

func (s *snapshotWriter) entries(f *Frontier) {
	s.Uint32(uint32(f.entries.n))
	for i := range uint32(f.entries.n) {
		s.entry(f.entries.at(i))
		s.Spill()
	}
}

func (s *snapshotWriter) entry(e *entry) {
	visit := uint32(nowhere)
	if e.is(hasVisit) {
		visit = e.at
	}
	s.Uint64(e.fp.Hi)
	s.Uint64(e.fp.Lo)
	s.Float(e.key)
	s.Uint64(e.place)
	s.Uint32(uint32(e.host))
	s.Uint32(visit)
	s.B = append(s.B, uint8(e.state), uint8(e.band), e.depth, e.hops, e.why, uint8(e.flags))
}

func (s *snapshotWriter) visits(f *Frontier) {
	s.Uint32(uint32(f.visits.n))
	for i := range uint32(f.visits.n) {
		v := f.visits.at(i)
		s.Float(v.relevance)
		s.Uint64(v.place)
		s.Bool(v.onTopic)
		s.Spill()
	}
}

// interned writes the texts in the order of their first users, then the users.
func (s *snapshotWriter) interned(n *interned) {
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
	s.Uint32(uint32(len(texts)))
	for _, t := range texts {
		s.text(t)
	}
	s.pairs(users)
}

func (s *snapshotWriter) dropped(groups map[string]bool) {
	names := slices.Sorted(maps.Keys(groups))
	s.Uint32(uint32(len(names)))
	for _, name := range names {
		s.text(name)
	}
}

func (s *snapshotWriter) aliases(of map[ID]ID) {
	pairs := make([][2]uint32, 0, len(of))
	for _, id := range slices.Sorted(maps.Keys(of)) {
		pairs = append(pairs, [2]uint32{uint32(id), uint32(of[id])})
	}
	s.pairs(pairs)
}

func (s *snapshotWriter) pairs(pairs [][2]uint32) {
	s.Uint32(uint32(len(pairs)))
	for _, p := range pairs {
		s.Uint32(p[0])
		s.Uint32(p[1])
		s.Spill()
	}
}
