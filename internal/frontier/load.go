package frontier

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"dowse"

	"github.com/zeebo/xxh3"
)

// The ways in which a snapshot can be refused, beside a failing reader.
var (
	// ErrVersion means that another version of the format wrote it.
	ErrVersion = errors.New("not a frontier snapshot of this version")
	// ErrDamaged means that bytes of it are missing or are not those written.
	ErrDamaged = errors.New("damaged snapshot")
	// ErrKey means that its fingerprints were made with another Config.Key.
	ErrKey = errors.New("snapshot made with another key")
)

// Load makes a frontier from a snapshot. cfg must have the Key that it was written
// with, and Names that hold its URLs; Revisits and HostConns may differ. A
// snapshot of another version, and one that is not exactly as it was written, is
// refused, without allocating much more than it is long. Load may read on past the
// end of the snapshot, unless r is a bufio.Reader of at least 64 KB.
func Load(r io.Reader, cfg Config) (*Frontier, error) {
	f := New(cfg)
	s := &reader{r: bufio.NewReaderSize(r, readerBytes), hash: xxh3.New()}
	s.head(f)
	s.hosts(f)
	s.entries(f)
	s.visits(f)
	s.interned(f, f.notes.set)
	s.interned(f, f.groups.join)
	s.dropped(f.groups.dropped)
	s.aliases(f)
	s.sum()
	if s.err == nil {
		s.link(f)
	}
	if s.err != nil {
		return nil, fmt.Errorf("frontier: load: %w", s.err)
	}
	if cfg.Names == nil && f.Len() > 0 {
		return nil, errors.New("frontier: load: no Names for the snapshot's URLs")
	}
	return f, nil
}

const readerBytes = 64 << 10

// A reader keeps the first error; after it all that it reads is zero and all
// lengths are 0.
type reader struct {
	r    *bufio.Reader
	hash *xxh3.Hasher
	buf  [entryBytes]byte
	err  error
}

func (s *reader) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *reader) damaged(what string) { s.fail(fmt.Errorf("%w: %s", ErrDamaged, what)) }

// read returns the next n bytes, n at most the buffer's; they are good until the
// next read.
func (s *reader) read(n int) []byte {
	b := s.buf[:n]
	if s.err == nil {
		s.full(b)
	}
	if s.err != nil {
		clear(b)
	}
	return b
}

func (s *reader) full(b []byte) {
	_, err := io.ReadFull(s.r, b)
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		s.damaged("it ends early")
	case err != nil:
		s.fail(err)
	}
	s.hash.Write(b)
}

func (s *reader) u8() uint8    { return s.read(1)[0] }
func (s *reader) u32() uint32  { return binary.LittleEndian.Uint32(s.read(4)) }
func (s *reader) u64() uint64  { return binary.LittleEndian.Uint64(s.read(8)) }
func (s *reader) f64() float64 { return math.Float64frombits(s.u64()) }

// each reads as many things as the number before them says.
func (s *reader) each(read func()) {
	for n := s.u32(); n > 0 && s.err == nil; n-- {
		read()
	}
}

func (s *reader) text() string {
	var b strings.Builder
	for n := int(s.u32()); n > 0 && s.err == nil; {
		part := s.read(min(n, len(s.buf)))
		n -= len(part)
		b.Write(part)
	}
	return b.String()
}

func (s *reader) time() time.Time {
	sec, nsec := int64(s.u64()), s.u32()
	if nsec >= 1e9 {
		s.damaged("a time that is none")
	}
	return time.Unix(sec, int64(nsec)).UTC()
}

func (s *reader) head(f *Frontier) {
	mark := string(s.read(len(snapshotMark)))
	if version := s.u32(); s.err == nil && (mark != snapshotMark || version != snapshotVersion) {
		s.fail(ErrVersion)
	}
	if key := s.u64(); s.err == nil && key != f.key {
		s.fail(ErrKey)
	}
	f.regret = s.f64()
	f.queue, f.shelf = s.tide(), s.tide()
}

func (s *reader) tide() tide {
	t := tide{offset: s.f64(), cap: s.f64()}
	if finite := t.offset - t.offset + t.cap - t.cap; finite != 0 {
		s.damaged("a raise that is none")
	}
	return t
}

func (s *reader) hosts(f *Frontier) {
	s.each(func() {
		l := f.lanes.add()
		l.ready, l.name, l.at = momentOf(s.time()), s.text(), nowhere
	})
	s.each(func() {
		h := f.hosts.add()
		h.ready, h.lane, h.busy, h.name = momentOf(s.time()), s.u32(), s.u32(), f.byName.keep(s.text())
		h.inAll, h.at = nowhere, nowhere
	})
}

func (s *reader) entries(f *Frontier) {
	s.each(func() { s.entry(f.entries.add()) })
}

func (s *reader) entry(e *entry) {
	b := s.read(entryBytes)
	le := binary.LittleEndian
	*e = entry{
		fp:    xxh3.Uint128{Hi: le.Uint64(b), Lo: le.Uint64(b[8:])},
		key:   math.Float64frombits(le.Uint64(b[16:])),
		place: le.Uint64(b[24:]),
		host:  HostID(le.Uint32(b[32:])),
		at:    le.Uint32(b[36:]),
		state: dowse.State(b[40]),
		band:  int8(b[41]),
		depth: b[42],
		hops:  b[43],
		why:   b[44],
		flags: flags(b[45]),
	}
}

func (s *reader) visits(f *Frontier) {
	s.each(func() {
		v := f.visits.add()
		v.relevance, v.place, v.onTopic = s.f64(), s.u64(), s.u8() != 0
		v.at = nowhere
	})
}

func (s *reader) interned(f *Frontier, set func(ID, string)) {
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

func (s *reader) dropped(groups map[string]bool) {
	s.each(func() { groups[s.text()] = true })
}

func (s *reader) aliases(f *Frontier) {
	s.pairs(func(id, target uint32) {
		if int(id) >= f.entries.n || int(target) >= f.entries.n {
			s.damaged("an alias of no URL")
			return
		}
		f.aliases[ID(id)] = ID(target)
	})
}

func (s *reader) pairs(pair func(a, b uint32)) {
	s.each(func() {
		a, b := s.u32(), s.u32()
		if s.err == nil {
			pair(a, b)
		}
	})
}

func (s *reader) sum() {
	want := s.hash.Sum64()
	if got := s.u64(); s.err == nil && got != want {
		s.damaged("its checksum differs")
	}
}
