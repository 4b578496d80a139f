package frontier

import (
	"math"

	"dowse"
)

// A tide lifts all URLs of one state at once: their entries keep what is to be
// added to its offset. With a cap those that reached it are moored: they keep
// their priority and rank before all that still rise. The order of any two URLs
// does not depend on the offset, so raising it moves nothing; only who reaches the
// cap moves, once.
type tide struct {
	offset float64
	cap    float64  // 0: none
	rising []uint32 // heap of those below the cap, highest first; empty without a cap
}

// tideOf returns what lifts the URLs of a state, nil for nothing.
func (f *Frontier) tideOf(s dowse.State) *tide {
	switch s {
	case dowse.Waiting:
		return &f.queue
	case dowse.Visited:
		return &f.shelf
	}
	return nil
}

// Priority returns the URL's priority, raises included; 0 if it never had one.
func (f *Frontier) Priority(id ID) float64 { return f.priority(f.entry(id)) }

func (f *Frontier) priority(e *entry) float64 {
	t := f.tideOf(e.state)
	if t == nil || t.offset == 0 || e.is(moored) {
		return e.key
	}
	return e.key + t.offset
}

// Known tells whether the URL was ever given a priority.
func (f *Frontier) Known(id ID) bool { return f.entry(id).is(hasPriority) }

// SetPriority merges p with the URL's priority, whatever its state. A URL that
// waits, or was visited, moves to where it now belongs. Priorities without a place
// in an order (NaN) count as 0.
func (f *Frontier) SetPriority(id ID, p float64, m dowse.Merge) {
	e := f.entry(id)
	old := f.priority(e)
	p = m.Merged(old, e.is(hasPriority), p)
	if p != p {
		p = 0
	}
	e.set(hasPriority)
	if p == old {
		return
	}
	f.float(id, e, p)
	f.reorder(id, e, p > old)
}

// float sets the priority of a URL in the state that it has.
func (f *Frontier) float(id ID, e *entry, p float64) {
	t := f.tideOf(e.state)
	if t == nil {
		e.key = p
		return
	}
	key := p - t.offset
	if t.cap != 0 && max(p, key+t.offset) >= t.cap {
		f.sinkFrom(t, id)
		e.key = p
		e.set(moored)
		return
	}
	e.key = key
	e.clear(moored)
	if t.cap != 0 {
		f.riseIn(t, id)
	}
}

// ashore takes a URL out of its tide; its key is then its priority.
func (f *Frontier) ashore(id ID, e *entry) {
	t := f.tideOf(e.state)
	if t == nil {
		return
	}
	p := f.priority(e)
	f.sinkFrom(t, id)
	e.clear(moored)
	e.key = p
}

func (f *Frontier) riseIn(t *tide, id ID) {
	if at := f.rise.at(uint32(id)); at != 0 {
		fix(byKey{f}, t.rising, int(at-1))
		return
	}
	push(byKey{f}, &t.rising, uint32(id))
}

func (f *Frontier) sinkFrom(t *tide, id ID) {
	if t.cap == 0 {
		return
	}
	if at := f.rise.at(uint32(id)); at != 0 {
		remove(byKey{f}, &t.rising, int(at-1))
		f.rise.set(uint32(id), 0)
	}
}

// Raise adds by to the priority of all waiting URLs, and of all visited ones if
// visited is true, up to cap unless cap is 0: who reaches the cap has it exactly,
// first in, first out, and who is above it stays there. Its cost does not depend
// on their number but for those that reach the cap. A cap other than the one
// before, and a negative by with a cap, cost a rebuilding of all queues. What is
// not a finite number raises nothing.
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

func (f *Frontier) raise(s dowse.State, by, cap float64) {
	t := f.tideOf(s)
	if t.cap != cap || by < 0 && cap != 0 || math.IsInf(t.offset+by, 0) {
		f.rebase(s, by, cap)
		return
	}
	t.offset += by
	f.moor(t)
}

// moor ends the rise of all that reached the cap.
func (f *Frontier) moor(t *tide) {
	for len(t.rising) > 0 {
		id := ID(t.rising[0])
		e := f.entry(id)
		if e.key+t.offset < t.cap {
			return
		}
		f.sinkFrom(t, id)
		e.key = t.cap
		e.set(moored)
		f.reorder(id, e, true)
	}
}

// rebase raises the URLs of a state one by one and begins a tide under cap.
func (f *Frontier) rebase(s dowse.State, by, cap float64) {
	t := f.tideOf(s)
	begun := tide{cap: cap, rising: t.rising[:0]}
	for id := range uint32(f.entries.n) {
		e := f.entries.at(id)
		if e.state != s {
			continue
		}
		e.key = raised(f.priority(e), by, cap)
		e.clear(moored)
		f.rise.set(id, 0)
		switch {
		case cap == 0:
		case e.key >= cap:
			e.set(moored)
		default:
			begun.rising = append(begun.rising, id)
		}
	}
	*t = begun
	heapify(byKey{f}, t.rising)
	f.rebuild(s)
}

func raised(p, by, cap float64) float64 {
	if cap == 0 || by < 0 {
		return p + by
	}
	return max(p, min(p+by, cap))
}

// byKey orders the rising, the next to reach the cap first.
type byKey struct{ f *Frontier }

func (o byKey) before(a, b uint32) bool {
	x, y := o.f.entries.at(a).key, o.f.entries.at(b).key
	return x > y || x == y && a < b
}

func (o byKey) moved(x uint32, at int) { o.f.rise.set(x, uint32(at+1)) }
