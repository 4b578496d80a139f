package interest

import "hash/maphash"

// An index finds the places of records by a name, such as a URL or a term. It holds a few
// bits of hash and the place of each, nothing else: the name is the record's, which its
// owner compares. So it takes some 10 to 20 bytes for a record, and one look at memory to
// find it or to see that it is not there; a map takes twice as much, and several. It
// grows part by part, so that no page has to wait for all of it.
type index struct {
	seed  maphash.Seed // a secret one: pages can't make names that collide
	parts []indexPart
}

type indexPart struct {
	slots []indexSlot // a power of two, at most three quarters of them taken
	taken int
}

// An indexSlot has the place of a record and one, 0 for none.
type indexSlot struct{ tag, at uint32 }

const (
	partBits  = 8
	leastPart = 8 // slots
)

func newIndex() index {
	return index{seed: maphash.MakeSeed(), parts: make([]indexPart, 1<<partBits)}
}

func (x *index) hash(name string) uint64 { return maphash.String(x.seed, name) }

// part returns the part of a hash; the other bits tell where in it to begin.
func (x *index) part(h uint64) *indexPart { return &x.parts[h>>(64-partBits)] }

func (p *indexPart) begin(tag uint32) uint32 { return tag & uint32(len(p.slots)-1) }

func (p *indexPart) next(i uint32) uint32 { return (i + 1) & uint32(len(p.slots)-1) }

// find returns the place of the record with a hash that is the one.
func (x *index) find(h uint64, is func(place uint32) bool) (place uint32, ok bool) {
	p := x.part(h)
	if p.taken == 0 {
		return 0, false
	}
	for i := p.begin(uint32(h)); p.slots[i].at != 0; i = p.next(i) {
		if s := p.slots[i]; s.tag == uint32(h) && is(s.at-1) {
			return s.at - 1, true
		}
	}
	return 0, false
}

// guess returns the place that find would look at first, noPlace for none.
func (x *index) guess(h uint64) uint32 {
	p := x.part(h)
	if p.taken == 0 {
		return noPlace
	}
	for i := p.begin(uint32(h)); p.slots[i].at != 0; i = p.next(i) {
		if s := p.slots[i]; s.tag == uint32(h) {
			return s.at - 1
		}
	}
	return noPlace
}

// add takes in a record that is not there.
func (x *index) add(h uint64, place uint32) {
	p := x.part(h)
	if 4*(p.taken+1) > 3*len(p.slots) {
		p.grow()
	}
	p.put(indexSlot{uint32(h), place + 1})
	p.taken++
}

func (p *indexPart) grow() {
	old := p.slots
	p.slots = make([]indexSlot, max(leastPart, 2*len(old)))
	for _, s := range old {
		if s.at != 0 {
			p.put(s)
		}
	}
}

func (p *indexPart) put(s indexSlot) {
	i := p.begin(s.tag)
	for p.slots[i].at != 0 {
		i = p.next(i)
	}
	p.slots[i] = s
}

// remove takes out a record that is there. Those after it move up as far as they may, so
// that no search ends before them.
func (x *index) remove(h uint64, place uint32) {
	p := x.part(h)
	hole := p.begin(uint32(h))
	for p.slots[hole].at != place+1 {
		hole = p.next(hole)
	}
	for i := p.next(hole); p.slots[i].at != 0; i = p.next(i) {
		if mask := uint32(len(p.slots) - 1); (i-p.begin(p.slots[i].tag))&mask >= (i-hole)&mask {
			p.slots[hole] = p.slots[i]
			hole = i
		}
	}
	p.slots[hole] = indexSlot{}
	p.taken--
}

// touch has the slots of hashes brought near, see lead.TouchNotes.
//
//go:noinline
func (x *index) touch(hashes []uint64) (sum uint32) {
	for _, h := range hashes {
		if p := x.part(h); p.taken > 0 {
			sum += p.slots[p.begin(uint32(h))].tag
		}
	}
	return sum
}
