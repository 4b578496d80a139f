package frontier

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// errFrozenAgain is returned by Write if the frontier was frozen again before Write ended.
var errFrozenAgain = errors.New("frontier: snapshot: the frontier was frozen again meanwhile")

// A Frozen is a frontier as it was when [Frontier.Freeze] returned it. Write writes it as a
// snapshot, concurrently with any use of the frontier.
//
// Nothing large is copied. The tables of a frontier are lists of chunks that stay where they
// are, so a Frozen refers to the same chunks. Before a URL changes for the first time, the
// frontier stores here what it was (keep); Write reads that instead, and forgets it again. The
// memory that it takes grows with the number of URLs that change while Write runs, not with the
// number of URLs.
//
// The mutex makes this safe. Write holds it while it reads one chunk. The frontier holds it
// while it stores what a URL was, and does not change the URL before. So an element is either
// unchanged, or stored here, or written already, whenever Write reads. Positions in heaps, which
// change all the time, are not part of a snapshot and are not read.
type Frozen struct {
	f       *Frontier
	head    []byte      // the tables before the entries
	foot    []byte      // the tables after the notes
	aliases [][2]uint32 // in any order

	mu      sync.Mutex
	entries past[entry]
	visits  past[visit]
	notes   pastNotes
	over    bool // Write has ended, or the frontier was frozen again
}

// A past is a table as it was at one moment.
type past[T any] struct {
	list chunks[T]    // its chunks at that moment, which have changed since
	was  map[uint32]T // by index: elements as they were before they changed
	next uint32       // all before this index are written
}

func pastOf[T any](list chunks[T]) past[T] { return past[T]{list: list, was: map[uint32]T{}} }

// keep stores an element that is about to change, if it is to be written and not stored yet.
func (p *past[T]) keep(i uint32, x *T) {
	if i < p.next || int(i) >= p.list.n {
		return
	}
	if _, ok := p.was[i]; !ok {
		p.was[i] = *x
	}
}

// chunk calls write for the next elements, at most a chunk of them, as they were. It returns
// false after the last.
func (p *past[T]) chunk(write func(*T)) bool {
	end := min((p.next|chunkMask)+1, uint32(p.list.n))
	for i := p.next; i < end; i++ {
		if x, ok := p.was[i]; ok {
			write(&x)
			delete(p.was, i)
			continue
		}
		write(p.list.at(i))
	}
	p.next = end
	return int(end) < p.list.n
}

// pastNotes are the notes that were other ones, or none, at one moment.
type pastNotes struct {
	urls uint32 // how many there were
	was  map[uint32]pastNote
	next uint32 // the notes of all URLs before this one are written
}

type pastNote struct {
	v    uint32 // in the column of notes
	text string
}

// Freeze returns the frontier as it is now. Its cost grows with the number of hosts, lanes,
// redirects and groups, and not with the number of URLs. The result must be written, by
// one call of Write, since until then the frontier stores in it what changes. Freezing
// again makes a Write of before fail.
func (f *Frontier) Freeze() *Frozen {
	if old := f.frozen; old != nil {
		old.end()
	}
	z := &Frozen{f: f, entries: pastOf(f.entries), visits: pastOf(f.visits)}
	z.notes = pastNotes{urls: uint32(f.entries.n), was: map[uint32]pastNote{}}
	z.head = f.head()
	z.foot = f.foot()
	z.aliases = make([][2]uint32, 0, len(f.aliases))
	for id, target := range f.aliases {
		z.aliases = append(z.aliases, [2]uint32{uint32(id), uint32(target)})
	}
	f.frozen = z
	return z
}

// end makes the frontier store nothing more.
func (z *Frozen) end() {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.over = true
	z.entries.was, z.visits.was, z.notes.was = nil, nil, nil
}

// Write writes the snapshot. It may run concurrently with any use of the frontier.
func (z *Frozen) Write(w io.Writer) error {
	defer z.end()
	s := newWriter(w)
	s.B = append(s.B, z.head...)
	s.Uint32(uint32(z.entries.list.n))
	whole := chunksOf(z, s, &z.entries, s.entry)
	s.Uint32(uint32(z.visits.list.n))
	whole = whole && chunksOf(z, s, &z.visits, s.visit) && z.writeNotes(s)
	if !whole {
		return errFrozenAgain
	}
	s.B = append(s.B, z.foot...)
	slices.SortFunc(z.aliases, func(a, b [2]uint32) int { return cmp.Compare(a[0], b[0]) })
	s.pairs(z.aliases)
	if err := s.sum(); err != nil {
		return fmt.Errorf("frontier: snapshot: %w", err)
	}
	return nil
}

// chunksOf writes a table chunk by chunk. It returns false if the frontier was frozen again.
func chunksOf[T any](z *Frozen, s *snapshotWriter, p *past[T], write func(*T)) bool {
	for more := p.list.n > 0; more; s.Spill() {
		z.mu.Lock()
		if z.over {
			z.mu.Unlock()
			return false
		}
		s.Block(func() { more = p.chunk(write) })
		z.mu.Unlock()
	}
	return true
}

// edit returns the entry of a URL, to change what a snapshot has of it. A frozen frontier
// stores what it was.
func (f *Frontier) edit(id ID) *entry {
	e := f.entry(id)
	f.keep(id, e)
	return e
}

// keep stores what the entry of a URL was, if the frontier is frozen.
func (f *Frontier) keep(id ID, e *entry) {
	z := f.frozen
	if z == nil {
		return
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.over {
		f.frozen = nil
		return
	}
	z.entries.keep(uint32(id), e)
}

// keepVisit is keep for the i-th visit.
func (f *Frontier) keepVisit(i uint32) {
	z := f.frozen
	if z == nil {
		return
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if !z.over {
		z.visits.keep(i, f.visits.at(i))
	}
}

// lockNotes begins the exclusive use of the notes, unlockNotes ends it. While a frozen frontier
// is written, every use of notes is exclusive: also reading one may move a page.
func (f *Frontier) lockNotes() {
	if f.frozen != nil {
		f.frozen.mu.Lock()
	}
}

func (f *Frontier) unlockNotes() {
	if f.frozen != nil {
		f.frozen.mu.Unlock()
	}
}

// keepNote stores what the note of a URL was, if the frontier is frozen. The notes must be
// locked.
func (f *Frontier) keepNote(id ID) {
	z := f.frozen
	if z == nil || z.over || uint32(id) < z.notes.next || uint32(id) >= z.notes.urls {
		return
	}
	if _, ok := z.notes.was[uint32(id)]; !ok {
		v := f.notes.of.at(uint32(id))
		z.notes.was[uint32(id)] = pastNote{v, f.notes.named(v)}
	}
}
