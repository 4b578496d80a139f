package frontier

import (
	"math"

	"dowse"
)

// A sharedOffset raises all URLs of one state together. Their entries contain
// the part of the priority to which the offset is added, so that adding to the
// offset raises all of them. The order of any two does not change by that, so
// no heap moves.
//
// With a cap, URLs that reach it stop rising: they keep their priority and rank
// above all that still rise. The URLs below the cap are in a heap of their own,
// so that those which a raise takes to the cap are found without a scan; each
// moves once.
type sharedOffset struct {
	offset float64
	cap    float64  // 0 for none
	rising []uint32 // heap of the IDs below the cap, highest first; empty without a cap
}

// offsetOf returns the offset of the URLs of a state, nil for states that are
// not raised.
func (f *Frontier) offsetOf(s dowse.State) *sharedOffset {
	switch s {
	case dowse.Waiting:
		return &f.waitingOffset
	case dowse.Visited:
		return &f.visitedOffset
	}
	return nil
}

// Priority returns the URL's priority, raises included; 0 if it never had one.
func (f *Frontier) Priority(id ID) float64 { return f.priority(f.entry(id)) }

func (f *Frontier) priority(e *entry) float64 {
	t := f.offsetOf(e.state)
	if t == nil || t.offset == 0 || e.is(capped) {
		return e.key
	}
	return e.key + t.offset
}

// Known reports whether the URL was ever given a priority.
func (f *Frontier) Known(id ID) bool { return f.entry(id).is(hasPriority) }

// SetPriority merges p with the URL's priority, whatever its state. A URL that
// waits, or was visited, moves to its new place. NaN counts as 0.
func (f *Frontier) SetPriority(id ID, p float64, m dowse.Merge) {
	e := f.edit(id)
	old := f.priority(e)
	p = m.Merged(old, e.is(hasPriority), p)
	if p != p {
		p = 0
	}
	e.set(hasPriority)
	if p == old {
		return
	}
	f.setKey(id, e, p)
	f.reorder(id, e, p > old)
}

// setKey sets the priority of a URL in its present state.
func (f *Frontier) setKey(id ID, e *entry, p float64) {
	t := f.offsetOf(e.state)
	if t == nil {
		e.key = p
		return
	}
	key := p - t.offset
	if t.cap != 0 && max(p, key+t.offset) >= t.cap {
		f.removeRising(t, id)
		e.key = p
		e.set(capped)
		return
	}
	e.key = key
	e.clear(capped)
	if t.cap != 0 {
		f.addRising(t, id)
	}
}

// detach takes a URL out of the shared offset of its state; its key is then its
// priority.
func (f *Frontier) detach(id ID, e *entry) {
	t := f.offsetOf(e.state)
	if t == nil {
		return
	}
	p := f.priority(e)
	f.removeRising(t, id)
	e.clear(capped)
	e.key = p
}

// addRising adds a URL to those that rise, or moves it there.
func (f *Frontier) addRising(t *sharedOffset, id ID) {
	if at := f.risingAt.at(uint32(id)); at != 0 {
		fix(byKey{f}, t.rising, int(at-1))
		return
	}
	push(byKey{f}, &t.rising, uint32(id))
}

// removeRising removes a URL from those that rise, if it is there.
func (f *Frontier) removeRising(t *sharedOffset, id ID) {
	if t.cap == 0 {
		return
	}
	if at := f.risingAt.at(uint32(id)); at != 0 {
		remove(byKey{f}, &t.rising, int(at-1))
		f.risingAt.set(uint32(id), 0)
	}
}

// Raise adds by to the priority of all waiting URLs, and of all visited ones if
// visited is true, up to cap unless cap is 0: a URL that reaches the cap has
// exactly the cap, equals keep the order of first sighting, and a URL above it
// stays there. The cost does not depend on the number of URLs, except of those
// that reach the cap. A cap other than the previous one, and a negative by with
// a cap, rebuild all queues. An infinite by, or NaN, changes nothing.
func (f *Frontier) Raise(by, cap float64, visited bool) {
	if by == 0 || math.IsInf(by, 0) || by != by || cap != cap {
		return
	}
	if math.IsInf(cap, 1) {
		cap = 0
	}
	f.raise(dowse.Waiting, by, cap)
	if visited {
		f.raise(dowse.Visited, by, cap)
	}
}

// raise is Raise for one state.
func (f *Frontier) raise(s dowse.State, by, cap float64) {
	t := f.offsetOf(s)
	if t.cap != cap || by < 0 && cap != 0 || math.IsInf(t.offset+by, 0) {
		f.rebase(s, by, cap)
		return
	}
	t.offset += by
	f.capReached(t)
}

// capReached caps all URLs that reached the cap.
func (f *Frontier) capReached(t *sharedOffset) {
	for len(t.rising) > 0 {
		id := ID(t.rising[0])
		e := f.entry(id)
		if e.key+t.offset < t.cap {
			return
		}
		f.keep(id, e)
		f.removeRising(t, id)
		e.key = t.cap
		e.set(capped)
		f.reorder(id, e, true)
	}
}

// rebase raises the URLs of a state one by one and starts again with an offset
// of 0 under cap. It is the slow path of raise.
func (f *Frontier) rebase(s dowse.State, by, cap float64) {
	t := f.offsetOf(s)
	begun := sharedOffset{cap: cap, rising: t.rising[:0]}
	for id := range uint32(f.entries.n) {
		e := f.entries.at(id)
		if e.state != s {
			continue
		}
		f.keep(ID(id), e)
		e.key = raised(f.priority(e), by, cap)
		e.clear(capped)
		f.risingAt.set(id, 0)
		switch {
		case cap == 0:
		case e.key >= cap:
			e.set(capped)
		default:
			begun.rising = append(begun.rising, id)
		}
	}
	*t = begun
	heapify(byKey{f}, t.rising)
	f.rebuild(s)
}

// raised returns p raised by by, but not above cap unless p is.
func raised(p, by, cap float64) float64 {
	if cap == 0 || by < 0 {
		return p + by
	}
	return max(p, min(p+by, cap))
}

// byKey orders the rising URLs; the next to reach the cap is first.
type byKey struct{ f *Frontier }

func (o byKey) before(a, b uint32) bool {
	x, y := o.f.entries.at(a).key, o.f.entries.at(b).key
	return x > y || x == y && a < b
}

func (o byKey) moved(x uint32, at int) { o.f.risingAt.set(x, uint32(at+1)) }
