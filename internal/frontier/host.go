package frontier

import (
	"slices"
	"strings"
	"time"
)

// HostID numbers hosts, the units of politeness, in the order in which they
// were first seen, from 0.
type HostID uint32

// A host is one unit of politeness, with the heap of its waiting leads. While
// it has any it is in the heap of all hosts, and in the heap that its field
// heap names.
type host struct {
	leads []uint32
	name  uint64 // its place in byName
	ready moment // when it may be visited again
	lane  uint32 // 1 + index; 0 for none
	busy  uint32 // visits in flight
	inAll uint32 // position in polite.all
	at    uint32 // position in that heap
	best  uint32 // leads[0], if there is one: reading it there takes the processor as long as all of this
	heap  heapKind
	late  bool // see SetLate
}

// A lane is shared by hosts on one address. Those that are rested are in its
// heap, and the lane itself is in one of the heaps of polite, where it
// represents the best of them.
type lane struct {
	rested []hostOrLane
	name   string
	ready  moment
	busy   uint32
	at     uint32
	heap   heapKind
}

func (f *Frontier) host(h HostID) *host { return f.hosts.at(uint32(h)) }
func (f *Frontier) lane(l uint32) *lane { return f.lanes.at(l - 1) }

// Hosts returns the number of known hosts. Their numbers are 0 to Hosts()-1.
func (f *Frontier) Hosts() int { return f.hosts.n }

// HostName returns the name of the host as See got it.
func (f *Frontier) HostName(h HostID) string { return f.byName.text(f.host(h).name) }

// HostOf returns the ID of a host; ok is false if it is unknown.
func (f *Frontier) HostOf(name string) (HostID, bool) {
	return f.byName.find(&f.hosts, name)
}

// Ready returns when the host may be visited again, regardless of its lane; the
// zero time for a host that was never visited.
func (f *Frontier) Ready(h HostID) time.Time { return f.host(h).ready.time() }

// Busy returns the number of visits to the host that are in flight.
func (f *Frontier) Busy(h HostID) int { return int(f.host(h).busy) }

// BestOn returns the best waiting lead of the host; ok is false if none waits.
func (f *Frontier) BestOn(h HostID) (ID, bool) {
	if leads := f.host(h).leads; len(leads) > 0 {
		return ID(leads[0]), true
	}
	return None, false
}

// BestOnIf returns the best lead that waits for the host and for which keep
// returns true. It looks at the best leads only, up to the given number of
// them, so that its cost does not grow with the number that waits.
func (f *Frontier) BestOnIf(h HostID, most int, keep func(ID) bool) (ID, bool) {
	t := ranking{f: f, within: true}
	t.lead(h, 0, 0)
	for ; most > 0 && len(t.open) > 0; most-- {
		if id := t.next(); keep(id) {
			return id, true
		}
	}
	return None, false
}

// WaitingOn returns how many leads of the host wait.
func (f *Frontier) WaitingOn(h HostID) int { return len(f.host(h).leads) }

// HostRanks returns the place of each host in the order of their names.
func (f *Frontier) HostRanks() []uint32 {
	order := make([]HostID, f.Hosts())
	for i := range order {
		order[i] = HostID(i)
	}
	slices.SortFunc(order, func(a, b HostID) int { return strings.Compare(f.HostName(a), f.HostName(b)) })
	ranks := make([]uint32, len(order))
	for i, h := range order {
		ranks[h] = uint32(i)
	}
	return ranks
}
