package frontier

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"dowse"
	"dowse/internal/wire"

	"github.com/zeebo/xxh3"
)

// The reasons for refusing a snapshot, in addition to a failing reader.
var (
	// ErrVersion means that another version of the format wrote it.
	ErrVersion = errors.New("not a frontier snapshot of this version")
	// ErrDamaged means that bytes of it are missing or are not those written.
	ErrDamaged = errors.New("damaged snapshot")
	// ErrKey means that it is sound, and its fingerprints were made with another
	// Config.Key.
	ErrKey = errors.New("snapshot made with another key")
)

// Load makes a frontier from a snapshot. cfg must have the Key that it was written
// with, and Names that hold its URLs; Revisits and HostConns may differ. A
// snapshot of another version, and one that is not exactly as it was written, is
// refused, without allocating much more than it is long. Load may read on past the
// end of the snapshot, unless r is a bufio.Reader of at least 64 KB.
func Load(r io.Reader, cfg Config) (*Frontier, error) {
	f := New(cfg)
	s := newReader(r)
	key := s.head(f)
	s.hosts(f)
	s.entries(f)
	s.visits(f)
	s.notes(f)
	s.interned(f, f.groups.join)
	s.dropped(f.groups.dropped)
	s.aliases(f)
	s.sum()
	if s.Err == nil && key != f.key {
		s.Fail(ErrKey)
	}
	if s.Err == nil {
		s.link(f)
	}
	if err := s.fault(); err != nil {
		return nil, fmt.Errorf("frontier: load: %w", err)
	}
	if cfg.Names == nil && f.Len() > 0 {
		return nil, errors.New("frontier: load: no Names for the snapshot's URLs")
	}
	return f, nil
}

// A snapshotReader reads the tables of a snapshot. After the first fault all that it reads is zero
// and all lengths are 0.
type snapshotReader struct {
	*wire.Input
	hash *xxh3.Hasher
}

func newReader(r io.Reader) *snapshotReader {
	hash := xxh3.New()
	return &snapshotReader{wire.NewInput(r, hash), hash}
}

func (s *snapshotReader) damaged(what string) { s.Fail(fmt.Errorf("%w: %s", ErrDamaged, what)) }

// fault returns the first fault, nil for none.
func (s *snapshotReader) fault() error {
	if s.Err == wire.ErrDamaged {
		return fmt.Errorf("%w: it ends early", ErrDamaged)
	}
	return s.Err
}

// each reads as many things as the number before them.
func (s *snapshotReader) each(read func()) {
	for n := s.Uint32(); n > 0 && s.Err == nil; n-- {
		read()
	}
}

func (s *snapshotReader) text() string { return s.Text(int(s.Uint32())) }

func (s *snapshotReader) time() time.Time {
	sec, nsec := int64(s.Uint64()), s.Uint32()
	if nsec >= 1e9 {
		s.damaged("a time that is none")
	}
	return time.Unix(sec, int64(nsec)).UTC()
}

// head reads the head and returns the key in it. The caller compares the key after the
// checksum, because a key with a flipped bit is a damaged snapshot and no other key.
func (s *snapshotReader) head(f *Frontier) (key uint64) {
	mark := string(s.Take(len(snapshotMark)))
	if version := s.Uint32(); s.Err == nil && (mark != snapshotMark || version != snapshotVersion) {
		s.Fail(ErrVersion)
	}
	key = s.Uint64()
	f.regret = s.Float()
	f.waitingOffset, f.visitedOffset = s.offset(), s.offset()
	return key
}

func (s *snapshotReader) offset() sharedOffset {
	t := sharedOffset{offset: s.Float(), cap: s.Float()}
	if finite := t.offset - t.offset + t.cap - t.cap; finite != 0 {
		s.damaged("a raise that is none")
	}
	return t
}

func (s *snapshotReader) hosts(f *Frontier) {
	s.each(func() {
		l := f.lanes.add()
		l.ready, l.name, l.at = momentOf(s.time()), s.text(), nowhere
	})
	s.each(func() {
		h := f.hosts.add()
		h.ready, h.lane, h.busy, h.name = momentOf(s.time()), s.Uint32(), s.Uint32(), f.byName.keep(s.text())
		h.inAll, h.at = nowhere, nowhere
	})
}

// blocks reads the elements of a table, as many as the number before them, from blocks of
// a chunk each.
func (s *snapshotReader) blocks(read func(b *blockReader)) {
	for n := int(s.Uint32()); n > 0 && s.Err == nil; n -= chunkSize {
		b := &blockReader{Rest: s.Block()}
		for range min(n, chunkSize) {
			if read(b); b.Err != nil {
				break
			}
		}
		if s.Err == nil && (b.Err != nil || len(b.Rest) > 0) {
			s.damaged("a block of another length")
		}
	}
}

// A blockReader reads what is in a block.
type blockReader = wire.Reader[[]byte]

func (s *snapshotReader) entries(f *Frontier) {
	s.blocks(func(r *blockReader) {
		b := r.Take(entryBytes)
		if r.Err != nil {
			return
		}
		le := binary.LittleEndian
		e := f.entries.add()
		*e = entry{
			key:   math.Float64frombits(le.Uint64(b)),
			fp:    print{le.Uint32(b[8:]), le.Uint32(b[12:]), le.Uint32(b[16:])},
			host:  HostID(le.Uint32(b[20:])),
			at:    nowhere,
			place: [3]uint16{le.Uint16(b[24:]), le.Uint16(b[26:]), le.Uint16(b[28:])},
			state: dowse.State(b[30]),
			band:  int8(b[31]),
			depth: b[32],
			hops:  b[33],
			why:   b[34],
			flags: flags(b[35]),
		}
		if e.is(hasVisit) {
			e.at = r.Uint32()
		}
	})
}

func (s *snapshotReader) visits(f *Frontier) {
	s.blocks(func(r *blockReader) {
		v := f.visits.add()
		v.relevance, v.place, v.onTopic = r.Float(), r.Uint64(), r.Bool()
		v.at = nowhere
	})
}

// notes reads what writeNotes wrote.
func (s *snapshotReader) notes(f *Frontier) {
	id := ^uint32(0)
	for from := 0; from < f.entries.n && s.Err == nil; from += chunkSize {
		r := &blockReader{Rest: s.Block()}
		for len(r.Rest) > 0 {
			after, note := r.Uint(), r.Raw()
			if r.Err != nil || after == 0 || uint64(id+1)+after > uint64(f.entries.n) || len(note) == 0 {
				s.damaged("a note of no URL")
				return
			}
			id += uint32(after)
			f.notes.of.set(id, f.notes.keep(note))
		}
	}
}

func (s *snapshotReader) interned(f *Frontier, set func(ID, string)) {
	var texts []string
	s.each(func() { texts = append(texts, s.text()) })
	s.pairs(func(id, text uint32) {
		if int(id) >= f.entries.n || int(text) >= len(texts) {
			s.damaged("a text of no URL")
			return
		}
		set(ID(id), texts[text])
	})
}

func (s *snapshotReader) dropped(groups map[string]bool) {
	s.each(func() { groups[s.text()] = true })
}

func (s *snapshotReader) aliases(f *Frontier) {
	s.pairs(func(id, target uint32) {
		if int(id) >= f.entries.n || int(target) >= f.entries.n {
			s.damaged("an alias of no URL")
			return
		}
		f.aliases[ID(id)] = ID(target)
	})
}

func (s *snapshotReader) pairs(pair func(a, b uint32)) {
	s.each(func() {
		a, b := s.Uint32(), s.Uint32()
		if s.Err == nil {
			pair(a, b)
		}
	})
}

func (s *snapshotReader) sum() {
	want := s.hash.Sum64()
	if got := s.Uint64(); s.Err == nil && got != want {
		s.damaged("its checksum differs")
	}
}
