package frontier

import (
	"math"

	"dowse"

	"github.com/zeebo/xxh3"
)

// states is the number of states of a URL.
const states = int(dowse.Excluded) + 1

// nowhere is the position of what stands in no heap.
const nowhere = math.MaxUint32

// An entry is what is known of one URL: 48 bytes without a pointer, so that a
// hundred million of them cost the garbage collector nothing.
type entry struct {
	fp    xxh3.Uint128
	key   float64 // the priority, or what the tide adds to
	place uint64
	host  HostID
	at    uint32 // position in its heap, or with hasVisit the visit that knows it
	state dowse.State
	band  int8
	depth uint8
	hops  uint8
	why   uint8
	flags flags
}

type flags uint8

const (
	hasPriority flags = 1 << iota
	hasVisit
	moored // at or above the tide's cap: does not rise any more

	allFlags = hasPriority | hasVisit | moored
)

func (e *entry) is(f flags) bool { return e.flags&f != 0 }
func (e *entry) set(f flags)     { e.flags |= f }
func (e *entry) clear(f flags)   { e.flags &^= f }

func (f *Frontier) entry(id ID) *entry { return f.entries.at(uint32(id)) }

// State returns where the URL stands.
func (f *Frontier) State(id ID) dowse.State { return f.entry(id).state }

// Host returns the URL's politeness group.
func (f *Frontier) Host(id ID) HostID { return f.entry(id).host }

// Band returns the URL's band. Lower bands are visited first.
func (f *Frontier) Band(id ID) int8 { return f.entry(id).band }

// Depth returns what SetDepth kept.
func (f *Frontier) Depth(id ID) (depth, hops uint8) {
	e := f.entry(id)
	return e.depth, e.hops
}

// SetDepth keeps how many links the URL is from a seed and how many off-topic
// pages in a row lie above it. Larger numbers than 255 are for the caller to cut.
func (f *Frontier) SetDepth(id ID, depth, hops uint8) {
	e := f.entry(id)
	e.depth, e.hops = depth, hops
}

// Reason returns the code that SetReason kept, 0 for none.
func (f *Frontier) Reason(id ID) uint8 { return f.entry(id).why }

// SetReason keeps a small code that says why the URL is where it is. Its meaning
// is the caller's.
func (f *Frontier) SetReason(id ID, code uint8) { f.entry(id).why = code }

// at returns where the URL stands in its heap.
func (f *Frontier) at(id ID) uint32 {
	e := f.entry(id)
	if e.is(hasVisit) {
		return f.visits.at(e.at).at
	}
	return e.at
}

func (f *Frontier) setAt(id ID, at uint32) {
	e := f.entry(id)
	if e.is(hasVisit) {
		f.visits.at(e.at).at = at
		return
	}
	e.at = at
}
