package interest

import "hash/maphash"

// An index finds the places of records by a name, such as a URL or a term: an
// open-addressing hash table that holds 32 bits of hash and the place of each record,
// nothing else. The name is in the record, and the owner of the records compares it. It
// takes some 10 to 20 bytes per record, and usually one access to memory to find a record
// or to see that there is none; a Go map takes twice as much, and several accesses. It
// consists of 256 parts that grow on their own, so that no single page pays for moving all
// of it.
type index struct {
	seed  maphash.Seed // a secret one: pages can't make names that collide
	parts []indexPart
}

// An indexPart is one table of the index, chosen by the upper bits of the hash.
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

// newIndex returns an empty index with a secret of its own: pages cannot construct names
// that collide.
func newIndex() index {
	return index{seed: maphash.MakeSeed(), parts: make([]indexPart, 1<<partBits)}
}

func (x *index) hash(name string) uint64 { return maphash.String(x.seed, name) }

// part returns the part for a hash; the lower bits of the hash are the place to begin in
// it.
func (x *index) part(h uint64) *indexPart { return &x.parts[h>>(64-partBits)] }

func (p *indexPart) begin(tag uint32) uint32 { return tag & uint32(len(p.slots)-1) }

func (p *indexPart) next(i uint32) uint32 { return (i + 1) & uint32(len(p.slots)-1) }

// find returns the place of the record with a hash for which is reports true. It is called
// for records with the same 32 bits of hash, seldom more than one.
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

// guess returns the first place that find would compare, noPlace if there is none. It does
// not read the record.
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

// add adds a record that is not in the index.
func (x *index) add(h uint64, place uint32) {
	p := x.part(h)
	if 4*(p.taken+1) > 3*len(p.slots) {
		p.grow()
	}
	p.put(indexSlot{uint32(h), place + 1})
	p.taken++
}

// grow doubles a part. Tags are enough to place all slots again, so that no record is read.
func (p *indexPart) grow() {
	old := p.slots
	p.slots = make([]indexSlot, max(leastPart, 2*len(old)))
	for _, s := range old {
		if s.at != 0 {
			p.put(s)
		}
	}
}

// put stores a slot at the first free place from where its search begins.
func (p *indexPart) put(s indexSlot) {
	i := p.begin(s.tag)
	for p.slots[i].at != 0 {
		i = p.next(i)
	}
	p.slots[i] = s
}

// remove removes a record that is in the index. Slots behind it move up where they may, so
// that no search ends before them and no marks for removed slots are needed.
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

// touch loads the slots of hashes into the cache, see lead.TouchNotes.
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
