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
// that. Heaps and the table of fingerprints follow from it and are computed again.
const (
	snapshotMark    = "dowsefrt"
	snapshotVersion = 1
	entryBytes      = 46
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

// visit writes a visit, but its position in a heap.
func (s *snapshotWriter) visit(v *visit) {
	s.Float(v.relevance)
	s.Uint64(v.place)
	s.Bool(v.onTopic)
}

// writeNotes writes notes as interned writes texts, but equal long notes are written once for each of
// their users: to find them would take as much memory as the notes. It returns false if the
// frontier was frozen again.
func (z *Frozen) writeNotes(s *snapshotWriter) bool {
	texts, users := uint32(0), uint32(0)
	whole := z.eachNote(s, func(_ uint32, _ pastNote, number uint32, _ bool) {
		texts = max(texts, number+1)
		users++
	})
	s.Uint32(texts)
	whole = whole && z.eachNote(s, func(_ uint32, n pastNote, _ uint32, first bool) {
		if first {
			s.note(&z.f.notes, n)
		}
	})
	s.Uint32(users)
	whole = whole && z.eachNote(s, func(id uint32, _ pastNote, number uint32, _ bool) {
		s.Uint32(id)
		s.Uint32(number)
	})
	z.mu.Lock()
	defer z.mu.Unlock()
	z.notes.over, z.notes.was = true, nil
	return whole
}

// eachNote calls show for every URL that had a note, in order of IDs. Notes are numbered in the
// order of their first users; first reports whether this is one. A note that is still the same has
// no text in n. It returns false if the frontier was frozen again.
func (z *Frozen) eachNote(s *snapshotWriter, show func(id uint32, n pastNote, number uint32, first bool)) bool {
	count := uint32(0)
	numbers := map[uint32]uint32{}
	for from := 0; from < z.notes.urls; from += chunkSize {
		z.mu.Lock()
		if z.over {
			z.mu.Unlock()
			return false
		}
		z.notesFrom(uint32(from), func(id uint32, n pastNote) {
			number, again := count, false
			if n.v&isLong == 0 {
				if number, again = numbers[n.v]; !again {
					number, numbers[n.v] = count, count
				}
			}
			if !again {
				count++
			}
			show(id, n, number, !again)
		})
		z.mu.Unlock()
		s.Spill()
	}
	return true
}

// notesFrom calls show for the URLs of one chunk that had a note.
func (z *Frozen) notesFrom(from uint32, show func(id uint32, n pastNote)) {
	of := &z.f.notes.of
	if part := int(from >> chunkBits); len(z.notes.was) == 0 && (part >= len(of.parts) || of.parts[part] == nil) {
		return
	}
	for id := from; id < min(from+chunkSize, uint32(z.notes.urls)); id++ {
		n := z.notes.was[id]
		if !n.changed {
			n.v = of.at(id)
		}
		if n.v != 0 {
			show(id, n)
		}
	}
}

// note writes a note as text does, without a copy of a long one that is still the same.
func (s *snapshotWriter) note(in *notes, n pastNote) {
	switch {
	case n.changed:
		s.Uint32(uint32(len(n.text)))
		s.B = append(s.B, n.text...)
	case n.v&isLong == 0:
		text := in.named(n.v)
		s.Uint32(uint32(len(text)))
		s.B = append(s.B, text...)
	default:
		b := textIn(in.long.at(n.v &^ isLong))
		s.Uint32(uint32(len(b)))
		s.B = append(s.B, b...)
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

func (s *snapshotWriter) pairs(pairs [][2]uint32) {
	s.Uint32(uint32(len(pairs)))
	for _, p := range pairs {
		s.Uint32(p[0])
		s.Uint32(p[1])
		s.Spill()
	}
}
