package frontier

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"time"

	"dowse/internal/wire"

	"github.com/zeebo/xxh3"
)

// A snapshot is, in little-endian: the mark, the version; the tables in the order
// of [Frontier.Snapshot], each with its length before it; the 64-bit XXH3 of all
// that. URLs, visits and notes are in blocks of a chunk each. Heaps and the table of fingerprints follow from it and are computed again.
const (
	snapshotMark    = "dowsefrt"
	snapshotVersion = 2
	entryBytes      = 36 // and four more of one with a visit
)

// Snapshot writes all of the frontier but the strings that Names stores, so that [Load] makes
// one from it that continues in the same way. URLs in flight and busy hosts are written as they
// are.
func (f *Frontier) Snapshot(w io.Writer) error { return f.Freeze().Write(w) }

// head returns the tables before the entries, as a snapshot has them.
func (f *Frontier) head() []byte {
	var b bytes.Buffer
	s := newWriter(&b)
	s.B = append(s.B, snapshotMark...)
	s.Uint32(snapshotVersion)
	s.Uint64(f.key)
	s.Float(f.regret)
	s.offset(f.waitingOffset)
	s.offset(f.visitedOffset)
	s.hosts(f)
	s.Flush()
	return b.Bytes()
}

// foot returns the tables after the notes, but the redirects.
func (f *Frontier) foot() []byte {
	var b bytes.Buffer
	s := newWriter(&b)
	s.interned(&f.groups.interned)
	s.dropped(f.groups.dropped)
	s.Flush()
	return b.Bytes()
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

// entry writes an entry. It must not read the position in a heap, which may change meanwhile.
func (s *snapshotWriter) entry(e *entry) {
	s.Float(e.key)
	for _, part := range e.fp {
		s.Uint32(part)
	}
	s.Uint32(uint32(e.host))
	for _, part := range e.place {
		s.Uint16(part)
	}
	s.B = append(s.B, uint8(e.state), uint8(e.band), e.depth, e.hops, e.why, uint8(e.flags))
	if e.is(hasVisit) {
		s.Uint32(e.at)
	}
}

// visit writes a visit, but its position in a heap.
func (s *snapshotWriter) visit(v *visit) {
	s.Float(v.relevance)
	s.Uint64(v.place)
	s.Bool(v.onTopic)
}

// writeNotes writes the notes in order of IDs, a chunk of URLs at a time: with each how far its
// URL is after the one before it that has a note, then the text. It returns false if the
// frontier was frozen again.
func (z *Frozen) writeNotes(s *snapshotWriter) bool {
	before := ^uint32(0)
	for p := &z.notes; p.next < p.urls; s.Spill() {
		z.mu.Lock()
		if z.over {
			z.mu.Unlock()
			return false
		}
		s.Block(func() { before = z.noteChunk(s, before) })
		z.mu.Unlock()
	}
	return true
}

// noteChunk writes the notes of the next URLs, at most a chunk of them, as they were. before is the
// last URL with a note before them; noteChunk returns the last one that it wrote.
func (z *Frozen) noteChunk(s *snapshotWriter, before uint32) uint32 {
	p, in := &z.notes, &z.f.notes
	end := min((p.next|chunkMask)+1, p.urls)
	for id := p.next; id < end; id++ {
		was, changed := p.was[id]
		v := was.v
		if !changed {
			v = in.of.at(id)
		}
		delete(p.was, id)
		if v == 0 {
			continue
		}
		s.Uint(uint64(id - before))
		before = id
		switch {
		case changed:
			s.Text(was.text)
		case v&isLong == 0:
			s.Text(in.named(v))
		default:
			s.Bytes(textIn(in.long.at(v &^ isLong)))
		}
	}
	p.next = end
	return before
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

func (s *snapshotWriter) pairs(pairs [][2]uint32) {
	s.Uint32(uint32(len(pairs)))
	for _, p := range pairs {
		s.Uint32(p[0])
		s.Uint32(p[1])
		s.Spill()
	}
}
