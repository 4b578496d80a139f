package frontier

import (
	"math"

	"dowse"
)

// states is the number of states of a URL.
const states = int(dowse.Excluded) + 1

// nowhere is the position of what is in no heap.
const nowhere = math.MaxUint32

// An entry is what is known about one URL: 40 bytes without a pointer, so that
// the garbage collector never scans the table, even with a hundred million
// URLs.
type entry struct {
	key   float64 // the priority, or the part of it to which the offset of its state is added
	fp    print
	host  HostID
	at    uint32    // position in its heap; with hasVisit the index of the visit that has it
	place [3]uint16 // of its string, the lowest bits first, see placed
	state dowse.State
	band  int8  // lower bands are visited first
	depth uint8 // links from a seed
	hops  uint8 // off-topic pages in a row above it
	why   uint8 // the caller's code, see SetReason
	flags flags
}

// flags are properties of an entry.
type flags uint8

const (
	hasPriority flags = 1 << iota // SetPriority was called
	hasVisit                      // SetVisit was called
	capped                        // at or above the cap: further raises do not apply

	allFlags = hasPriority | hasVisit | capped
)

// mostPlace is the highest place of a string: 48 bits are enough for a journal of 256 TB.
const mostPlace = 1<<48 - 1

// placed returns the place of the URL's string, see Names.
func (e *entry) placed() uint64 {
	return uint64(e.place[0]) | uint64(e.place[1])<<16 | uint64(e.place[2])<<32
}

func (e *entry) setPlace(place uint64) {
	if place > mostPlace {
		panic("frontier: the place of a string has more than 48 bits")
	}
	e.place = [3]uint16{uint16(place), uint16(place >> 16), uint16(place >> 32)}
}

func (e *entry) is(f flags) bool { return e.flags&f != 0 }
func (e *entry) set(f flags)     { e.flags |= f }
func (e *entry) clear(f flags)   { e.flags &^= f }

func (f *Frontier) entry(id ID) *entry { return f.entries.at(uint32(id)) }

// State returns the state of the URL.
func (f *Frontier) State(id ID) dowse.State { return f.entry(id).state }

// Host returns the URL's politeness group.
func (f *Frontier) Host(id ID) HostID { return f.entry(id).host }

// Band returns the URL's band. Lower bands are visited first.
func (f *Frontier) Band(id ID) int8 { return f.entry(id).band }

// Depth returns what SetDepth stored, 0 and 0 before.
func (f *Frontier) Depth(id ID) (depth, hops uint8) {
	e := f.entry(id)
	return e.depth, e.hops
}

// SetDepth stores how many links the URL is from a seed and how many off-topic
// pages in a row are above it. The caller cuts numbers larger than 255.
func (f *Frontier) SetDepth(id ID, depth, hops uint8) {
	e := f.edit(id)
	e.depth, e.hops = depth, hops
}

// Reason returns the code that SetReason stored, 0 for none.
func (f *Frontier) Reason(id ID) uint8 { return f.entry(id).why }

// SetReason stores a small code for why the URL is in its state. Its meaning is
// the caller's.
func (f *Frontier) SetReason(id ID, code uint8) { f.edit(id).why = code }

// at returns the position of the URL in its heap.
func (f *Frontier) at(id ID) uint32 {
	e := f.entry(id)
	if e.is(hasVisit) {
		return f.visits.at(e.at).at
	}
	return e.at
}

// setAt stores the position of the URL in its heap.
func (f *Frontier) setAt(id ID, at uint32) {
	e := f.entry(id)
	if e.is(hasVisit) {
		f.visits.at(e.at).at = at
		return
	}
	e.at = at
}
