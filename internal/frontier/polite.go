package frontier

import (
	"strings"
	"time"

	"dowse"
)

// polite schedules the hosts that have leads.
//
// A host takes part while it has a waiting lead and a free connection. Until
// its time has come it is resting. Then it is rested, by itself or, if it
// shares a lane, within the lane. A lane takes part like a host: while no visit
// is in it and a host in it is rested. So every change concerns one host and
// its lane, and the best of the rested is always on top of the heap.
//
// A host or lane moves between the heaps like this:
//
//	no lead, or no free connection   noHeap
//	ready lies in the future         restingHeap, by time
//	ready has come                   restedHeap, by best lead
//	the same, and in a lane          laneHeap, in the heap of the lane
//	the same, and late               lateHeap, by best lead
//
// refresh computes the heap from scratch and moveTo moves the host or lane, so
// that no caller needs to know where it was.
type polite struct {
	all         []hostOrLane // heap of the hosts with leads, by best lead
	rested      []hostOrLane // heap of those that may be visited now, by best lead
	late        []hostOrLane // the same for those that are late, see SetLate
	lateHosts   int          // number of late hosts in all
	resting     []hostOrLane // heap of those that may not, by time
	clock       moment       // the time of the last call of Next
	latestReady moment       // the latest ready time of what is rested, to notice that time ran backwards
}

// A hostOrLane is the number of a host or, with the top bit set, the index of
// a lane. Both are scheduled in the same way, by the same heaps.
type hostOrLane uint32

const laneBit = hostOrLane(1 << 31)

// A heapKind names the heap that a host or lane is in.
type heapKind uint8

const (
	noHeap heapKind = iota
	restingHeap
	restedHeap
	laneHeap // rested, in the heap of its lane
	lateHeap // rested, in the heap of the late
)

// Next takes the best lead among the hosts that are rested at now and have a
// free connection: by band ascending, by priority descending, first seen first.
// The lead is then Flying, and its host is busy until Release. If there is
// none, when is the time at which there may be one; the zero time means not
// before Release, Queue or Settle is called.
func (f *Frontier) Next(now time.Time) (id ID, when time.Time, ok bool) {
	f.setClock(momentOf(now))
	return f.takeBest(f.polite.rested)
}

// takeBest takes the best lead of a heap of rested hosts and lanes.
func (f *Frontier) takeBest(rested []hostOrLane) (id ID, when time.Time, ok bool) {
	if len(rested) == 0 {
		return None, f.wake(), false
	}
	id = f.best(rested[0])
	f.regret = f.regretOf(id)
	e := f.entry(id)
	f.occupy(f.host(e.host))
	f.move(id, e, dowse.Flying) // it was its host's best, so the host is refreshed
	return id, time.Time{}, true
}

// LastRegret returns the cost of politeness: how much higher the best waiting
// priority of all hosts, busy and resting ones too, was than that of the lead
// which Next took last. It is 0 if these are in different bands, or if leads
// are not ordered by priority.
func (f *Frontier) LastRegret() float64 { return f.regret }

func (f *Frontier) regretOf(taken ID) float64 {
	best := f.best(f.polite.all[0])
	high, low := f.Priority(best), f.Priority(taken)
	if f.Band(best) != f.Band(taken) || high <= low || f.order != dowse.ByPriority {
		return 0
	}
	return high - low
}

// Rested reports whether a lead of the host could be visited at now: it is
// rested, has a free connection, and so does its lane.
func (f *Frontier) Rested(h HostID, now time.Time) bool {
	ho := f.host(h)
	if ho.busy >= f.conns || ho.ready > momentOf(now) {
		return false
	}
	if ho.lane == 0 {
		return true
	}
	l := f.lane(ho.lane)
	return l.busy == 0 && l.ready <= momentOf(now)
}

// SetHostConns changes the number of concurrent visits per host. Hosts that have more visits in flight
// finish them. Its cost grows with the number of hosts.
func (f *Frontier) SetHostConns(n int) {
	f.conns = uint32(max(1, n))
	for h := range HostID(f.hosts.n) {
		if f.host(h).busy > 0 {
			f.refresh(h)
		}
	}
}

// wake returns when the first resting host or lane will be rested, the zero
// time if there is none.
func (f *Frontier) wake() time.Time {
	if len(f.polite.resting) == 0 {
		return time.Time{}
	}
	return f.readyOf(f.polite.resting[0]).time()
}

// Begin records that a visit to the host begins which did not come from Next.
func (f *Frontier) Begin(h HostID) {
	f.occupy(f.host(h))
	f.refresh(h)
}

// occupy counts a visit to a host and its lane.
func (f *Frontier) occupy(ho *host) {
	ho.busy++
	if ho.lane != 0 {
		f.lane(ho.lane).busy++
	}
}

// vacate uncounts a visit. A host without visits stays as it is, so that
// Release may be called once too often.
func (f *Frontier) vacate(ho *host) {
	if ho.busy == 0 {
		return
	}
	ho.busy--
	if ho.lane != 0 {
		f.lane(ho.lane).busy--
	}
}

// Release records that a visit to the host has ended. The host may be visited
// again at ready, and any host of its lane at laneReady, or later if an earlier
// call asked for that.
func (f *Frontier) Release(h HostID, ready, laneReady time.Time) {
	ho := f.host(h)
	ho.ready = max(ho.ready, momentOf(ready))
	f.vacate(ho)
	if ho.lane != 0 {
		l := f.lane(ho.lane)
		l.ready = max(l.ready, momentOf(laneReady))
	}
	f.refresh(h)
}

// Rest lets the host rest at least until the given time.
func (f *Frontier) Rest(h HostID, until time.Time) {
	ho := f.host(h)
	ho.ready = max(ho.ready, momentOf(until))
	f.refresh(h)
}

// Wake shortens the host's rest: it may be visited at the given time if it had
// to rest for longer.
func (f *Frontier) Wake(h HostID, at time.Time) {
	ho := f.host(h)
	if m := momentOf(at); m < ho.ready {
		ho.ready = m
		f.refresh(h)
	}
}

// Lane puts a host into a lane, usually named by its public address: at most
// one visit at a time to all hosts of a lane, and the rest after a visit holds
// for all of them. "" removes the host from its lane.
func (f *Frontier) Lane(h HostID, name string) {
	ho := f.host(h)
	to := f.seeLane(name)
	if ho.lane == to {
		return
	}
	f.moveTo(hostOrLane(h), noHeap)
	if from := ho.lane; from != 0 {
		f.lane(from).busy -= ho.busy
		f.refreshLane(from)
	}
	ho.lane = to
	if to != 0 {
		f.lane(to).busy += ho.busy
	}
	f.refresh(h)
}

// seeLane returns 1 + the index of a lane, which is created if needed; 0 for
// "".
func (f *Frontier) seeLane(name string) uint32 {
	if name == "" {
		return 0
	}
	if l, ok := f.laneIDs[name]; ok {
		return l
	}
	l := f.lanes.add()
	l.name = strings.Clone(name)
	l.at, l.ready = nowhere, never
	f.laneIDs[l.name] = uint32(f.lanes.n)
	return uint32(f.lanes.n)
}

// setClock moves hosts and lanes whose rest has ended by now to the rested. If time ran
// backwards, those that were rested rest again.
func (f *Frontier) setClock(now moment) {
	p := &f.polite
	p.clock = now
	for len(p.resting) > 0 && f.readyOf(p.resting[0]) <= now {
		f.refreshEither(p.resting[0])
	}
	if now < p.latestReady {
		f.refreshAll()
		p.latestReady = now
	}
}

// refreshEither is refresh for a host, refreshLane for a lane.
func (f *Frontier) refreshEither(x hostOrLane) {
	if x&laneBit != 0 {
		f.refreshLane(uint32(x&^laneBit) + 1)
		return
	}
	f.refresh(HostID(x))
}

// refreshAll moves every host and lane to the heap it belongs in, for changes
// that concern all of them. Hosts come first, since the heap of a lane consists
// of its hosts.
func (f *Frontier) refreshAll() {
	for h := range HostID(f.hosts.n) {
		f.refresh(h)
	}
	for l := range uint32(f.lanes.n) {
		f.refreshLane(l + 1)
	}
}

// refresh moves a host to the heap it belongs in, after its best lead, its
// visits, its rest or the clock have changed, and does the same for its lane.
func (f *Frontier) refresh(h HostID) {
	ho := f.host(h)
	o, all := byBestLead{f}, &f.polite.all
	switch {
	case len(ho.leads) > 0 && ho.inAll == nowhere:
		push(o, all, hostOrLane(h))
		f.polite.lateHosts += int(bit(ho.late))
	case len(ho.leads) > 0:
		fix(o, *all, int(ho.inAll))
	case ho.inAll != nowhere:
		remove(o, all, int(ho.inAll))
		ho.inAll = nowhere
		f.polite.lateHosts -= int(bit(ho.late))
	}
	f.moveTo(hostOrLane(h), f.heapFor(ho))
	if ho.lane != 0 {
		f.refreshLane(ho.lane)
	}
}

// heapFor returns the heap that a host belongs in by its present state.
func (f *Frontier) heapFor(ho *host) heapKind {
	switch {
	case len(ho.leads) == 0 || ho.busy >= f.conns:
		return noHeap
	case ho.ready > f.polite.clock:
		return restingHeap
	case ho.lane != 0:
		return laneHeap
	case ho.late:
		return lateHeap
	}
	return restedHeap
}

// refreshLane moves a lane to the heap it belongs in.
func (f *Frontier) refreshLane(i uint32) {
	l := f.lane(i)
	s := restedHeap
	switch {
	case len(l.rested) == 0 || l.busy > 0:
		s = noHeap
	case l.ready > f.polite.clock:
		s = restingHeap
	case f.hosts.at(uint32(l.rested[0])).late:
		s = lateHeap
	}
	f.moveTo(hostOrLane(i-1)|laneBit, s)
}

// moveTo moves a host or lane to a heap, or to its place in it if it is there
// already.
func (f *Frontier) moveTo(x hostOrLane, to heapKind) {
	s, at := f.heapPlace(x)
	from := *s
	switch {
	case from == to && from == noHeap:
		return
	case from == to:
		fix(byHeap{f, to}, *f.heapOf(x, to), int(*at))
	default:
		f.removeFrom(x, from, int(*at))
		*s, *at = to, nowhere
		if to == noHeap {
			return
		}
		push(byHeap{f, to}, f.heapOf(x, to), x)
	}
	if to != restingHeap {
		f.polite.latestReady = max(f.polite.latestReady, f.readyOf(x))
	}
}

func (f *Frontier) removeFrom(x hostOrLane, from heapKind, at int) {
	if from != noHeap {
		remove(byHeap{f, from}, f.heapOf(x, from), at)
	}
}

// heapOf returns the heap of a kind; that of laneHeap depends on the host.
func (f *Frontier) heapOf(x hostOrLane, s heapKind) *[]hostOrLane {
	switch s {
	case restingHeap:
		return &f.polite.resting
	case laneHeap:
		return &f.lane(f.host(HostID(x)).lane).rested
	case lateHeap:
		return &f.polite.late
	}
	return &f.polite.rested
}

// heapPlace returns pointers to the fields of a host or lane that hold its
// heap and its position there.
func (f *Frontier) heapPlace(x hostOrLane) (s *heapKind, at *uint32) {
	if x&laneBit != 0 {
		l := f.lanes.at(uint32(x &^ laneBit))
		return &l.heap, &l.at
	}
	ho := f.hosts.at(uint32(x))
	return &ho.heap, &ho.at
}

// readyOf returns when a host or lane may be visited again.
func (f *Frontier) readyOf(x hostOrLane) moment {
	if x&laneBit != 0 {
		return f.lanes.at(uint32(x &^ laneBit)).ready
	}
	return f.hosts.at(uint32(x)).ready
}

// best returns the best lead of a host or lane that has one.
func (f *Frontier) best(x hostOrLane) ID {
	if x&laneBit != 0 {
		x = f.lanes.at(uint32(x &^ laneBit)).rested[0]
	}
	return ID(f.hosts.at(uint32(x)).best)
}

// byHeap orders the hosts and lanes of a heap: the resting by time, the rested
// by their best lead. In a lane, hosts that are late come after the others.
type byHeap struct {
	f    *Frontier
	kind heapKind
}

func (o byHeap) before(a, b hostOrLane) bool {
	if o.kind == restingHeap {
		return o.f.readyOf(a) < o.f.readyOf(b)
	}
	if o.kind == laneHeap {
		if x, y := o.f.hosts.at(uint32(a)).late, o.f.hosts.at(uint32(b)).late; x != y {
			return y
		}
	}
	return byBestLead{o.f}.before(a, b)
}

func (o byHeap) moved(x hostOrLane, at int) {
	_, place := o.f.heapPlace(x)
	*place = uint32(at)
}

// byBestLead orders hosts and lanes by their best lead.
type byBestLead struct{ f *Frontier }

func (o byBestLead) before(a, b hostOrLane) bool {
	return byLead(o).before(uint32(o.f.best(a)), uint32(o.f.best(b)))
}

func (o byBestLead) moved(x hostOrLane, at int) { o.f.hosts.at(uint32(x)).inAll = uint32(at) }

// rebuild restores the heaps of a state after the priorities of all its URLs
// have changed.
func (f *Frontier) rebuild(s dowse.State) {
	if s == dowse.Visited {
		heapify(byVisited{f}, f.visited)
		return
	}
	parallel(f.counts[dowse.Waiting], func(part, parts uint32) { // a host's heap concerns its URLs alone
		for h := part; h < uint32(f.hosts.n); h += parts {
			heapify(byLead{f}, f.hosts.at(h).leads)
		}
	})
	heapify(byBestLead{f}, f.polite.all)
	for l := range uint32(f.lanes.n) {
		heapify(byHeap{f, laneHeap}, f.lanes.at(l).rested)
	}
	heapify(byHeap{f, restedHeap}, f.polite.rested)
	heapify(byHeap{f, lateHeap}, f.polite.late)
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
