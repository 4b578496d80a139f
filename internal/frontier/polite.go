package frontier

import (
	"strings"
	"time"

	"dowse"
)

// polite keeps the hosts that have leads in the order of their turns.
//
// A host takes part while a lead waits for it and a connection is free. Until its
// time has come it is resting. Then it is rested, by itself or, if it shares a
// lane, within the lane, which takes part like a host: while no visit is in it and
// a host in it is rested. So whatever changes concerns one host and its lane, and
// the best of the rested is always on top.
type polite struct {
	all     []party // heap of the hosts with leads, by their best
	rested  []party // heap by best lead
	late    []party // heap by best lead of the rested that are late, see SetLate
	lates   int     // late hosts in all
	resting []party // heap by time
	clock   moment
	ripe    moment // no party in rested, and no host in a lane, was ready later
}

// A party is a host or, with the top bit set, a lane (its index).
type party uint32

const laneBit = party(1 << 31)

type seat uint8

const (
	noSeat seat = iota
	restingSeat
	restedSeat
	laneSeat // rested, within its lane
	lateSeat // rested, and late
)

// Next takes out the best lead among the hosts that are rested at now and have a
// free connection: band ascending, priority descending, first seen first. Its
// state is then Flying and its host busy until Release. If there is none, when
// tells the time at which there may be one; the zero time means not before
// Release, Queue or Settle.
func (f *Frontier) Next(now time.Time) (id ID, when time.Time, ok bool) {
	f.setClock(momentOf(now))
	return f.takeBest(f.polite.rested)
}

// takeBest takes out the best lead of a heap of rested parties.
func (f *Frontier) takeBest(rested []party) (id ID, when time.Time, ok bool) {
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

// LastRegret returns how much higher the best waiting priority of all hosts, busy
// and resting ones too, was than that of the lead which Next took last: what
// politeness cost. Priorities of different bands do not compare, nor do they where
// leads are taken in another order; it is then 0.
func (f *Frontier) LastRegret() float64 { return f.regret }

func (f *Frontier) regretOf(taken ID) float64 {
	best := f.best(f.polite.all[0])
	high, low := f.Priority(best), f.Priority(taken)
	if f.Band(best) != f.Band(taken) || high <= low || f.order != dowse.ByPriority {
		return 0
	}
	return high - low
}

// Rested tells whether a lead of the host might be visited at now: it is rested, has a
// free connection, and so does its lane.
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

func (f *Frontier) wake() time.Time {
	if len(f.polite.resting) == 0 {
		return time.Time{}
	}
	return f.readyOf(f.polite.resting[0]).time()
}

// Begin tells that a visit to the host begins which Next did not give.
func (f *Frontier) Begin(h HostID) {
	f.occupy(f.host(h))
	f.refresh(h)
}

func (f *Frontier) occupy(ho *host) {
	ho.busy++
	if ho.lane != 0 {
		f.lane(ho.lane).busy++
	}
}

func (f *Frontier) vacate(ho *host) {
	if ho.busy == 0 {
		return
	}
	ho.busy--
	if ho.lane != 0 {
		f.lane(ho.lane).busy--
	}
}

// Release tells that a visit to the host has ended. The host may be visited again
// at ready, and any host of its lane at laneReady, or later if Rest or another
// Release said so.
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

// Rest lets the host rest until the given time, or later if it had to anyway.
func (f *Frontier) Rest(h HostID, until time.Time) {
	ho := f.host(h)
	ho.ready = max(ho.ready, momentOf(until))
	f.refresh(h)
}

// Wake cuts the host's rest short: it may be visited at the given time, if it had to
// rest for longer.
func (f *Frontier) Wake(h HostID, at time.Time) {
	ho := f.host(h)
	if m := momentOf(at); m < ho.ready {
		ho.ready = m
		f.refresh(h)
	}
}

// Lane lets a host share one politeness with all other hosts of the same lane, a
// public address: at most one visit at a time to all of them, and the rest after a
// visit holds for all. "" gives the host a lane of its own, as at first.
func (f *Frontier) Lane(h HostID, name string) {
	ho := f.host(h)
	to := f.seeLane(name)
	if ho.lane == to {
		return
	}
	f.sit(party(h), noSeat)
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

// setClock makes rested what is rested at now. Time may run backwards: a party
// that was rested then rests again.
func (f *Frontier) setClock(now moment) {
	p := &f.polite
	p.clock = now
	for len(p.resting) > 0 && f.readyOf(p.resting[0]) <= now {
		f.reseat(p.resting[0])
	}
	if now < p.ripe {
		f.reseatAll()
		p.ripe = now
	}
}

func (f *Frontier) reseat(x party) {
	if x&laneBit != 0 {
		f.refreshLane(uint32(x&^laneBit) + 1)
		return
	}
	f.refresh(HostID(x))
}

func (f *Frontier) reseatAll() {
	for h := range HostID(f.hosts.n) {
		f.refresh(h)
	}
	for l := range uint32(f.lanes.n) {
		f.refreshLane(l + 1)
	}
}

// refresh puts a host where it belongs after its best lead, its visits, its rest
// or the clock have changed.
func (f *Frontier) refresh(h HostID) {
	ho := f.host(h)
	o, all := byAll{f}, &f.polite.all
	switch {
	case len(ho.leads) > 0 && ho.inAll == nowhere:
		push(o, all, party(h))
		f.polite.lates += int(bit(ho.late))
	case len(ho.leads) > 0:
		fix(o, *all, int(ho.inAll))
	case ho.inAll != nowhere:
		remove(o, all, int(ho.inAll))
		ho.inAll = nowhere
		f.polite.lates -= int(bit(ho.late))
	}
	f.sit(party(h), f.seatFor(ho))
	if ho.lane != 0 {
		f.refreshLane(ho.lane)
	}
}

func (f *Frontier) seatFor(ho *host) seat {
	switch {
	case len(ho.leads) == 0 || ho.busy >= f.conns:
		return noSeat
	case ho.ready > f.polite.clock:
		return restingSeat
	case ho.lane != 0:
		return laneSeat
	case ho.late:
		return lateSeat
	}
	return restedSeat
}

func (f *Frontier) refreshLane(i uint32) {
	l := f.lane(i)
	s := restedSeat
	switch {
	case len(l.rested) == 0 || l.busy > 0:
		s = noSeat
	case l.ready > f.polite.clock:
		s = restingSeat
	case f.hosts.at(uint32(l.rested[0])).late:
		s = lateSeat
	}
	f.sit(party(i-1)|laneBit, s)
}

// sit moves a party to a seat, or within the heap of the seat that it has.
func (f *Frontier) sit(x party, to seat) {
	s, at := f.seatOf(x)
	from := *s
	switch {
	case from == to && from == noSeat:
		return
	case from == to:
		fix(bySeat{f, to}, *f.heapOf(x, to), int(*at))
	default:
		f.unseat(x, from, int(*at))
		*s, *at = to, nowhere
		if to == noSeat {
			return
		}
		push(bySeat{f, to}, f.heapOf(x, to), x)
	}
	if to != restingSeat {
		f.polite.ripe = max(f.polite.ripe, f.readyOf(x))
	}
}

func (f *Frontier) unseat(x party, from seat, at int) {
	if from != noSeat {
		remove(bySeat{f, from}, f.heapOf(x, from), at)
	}
}

func (f *Frontier) heapOf(x party, s seat) *[]party {
	switch s {
	case restingSeat:
		return &f.polite.resting
	case laneSeat:
		return &f.lane(f.host(HostID(x)).lane).rested
	case lateSeat:
		return &f.polite.late
	}
	return &f.polite.rested
}

func (f *Frontier) seatOf(x party) (s *seat, at *uint32) {
	if x&laneBit != 0 {
		l := f.lanes.at(uint32(x &^ laneBit))
		return &l.seat, &l.at
	}
	ho := f.hosts.at(uint32(x))
	return &ho.seat, &ho.at
}

func (f *Frontier) readyOf(x party) moment {
	if x&laneBit != 0 {
		return f.lanes.at(uint32(x &^ laneBit)).ready
	}
	return f.hosts.at(uint32(x)).ready
}

// best returns the best lead of a party that has one.
func (f *Frontier) best(x party) ID {
	if x&laneBit != 0 {
		x = f.lanes.at(uint32(x &^ laneBit)).rested[0]
	}
	return ID(f.hosts.at(uint32(x)).leads[0])
}

// bySeat orders the parties of a seat: the resting by time, the rested by their
// best lead.
type bySeat struct {
	f    *Frontier
	seat seat
}

func (o bySeat) before(a, b party) bool {
	if o.seat == restingSeat {
		return o.f.readyOf(a) < o.f.readyOf(b)
	}
	if o.seat == laneSeat {
		if x, y := o.f.hosts.at(uint32(a)).late, o.f.hosts.at(uint32(b)).late; x != y {
			return y
		}
	}
	return byAll{o.f}.before(a, b)
}

func (o bySeat) moved(x party, at int) {
	_, place := o.f.seatOf(x)
	*place = uint32(at)
}

// byAll orders parties by their best lead.
type byAll struct{ f *Frontier }

func (o byAll) before(a, b party) bool {
	return byLead(o).before(uint32(o.f.best(a)), uint32(o.f.best(b)))
}

func (o byAll) moved(x party, at int) { o.f.hosts.at(uint32(x)).inAll = uint32(at) }

// rebuild makes the heaps of a state anew after the priorities of all its URLs
// have changed.
func (f *Frontier) rebuild(s dowse.State) {
	if s == dowse.Visited {
		heapify(byVisited{f}, f.visited)
		return
	}
	for h := range uint32(f.hosts.n) {
		heapify(byLead{f}, f.hosts.at(h).leads)
	}
	heapify(byAll{f}, f.polite.all)
	for l := range uint32(f.lanes.n) {
		heapify(bySeat{f, laneSeat}, f.lanes.at(l).rested)
	}
	heapify(bySeat{f, restedSeat}, f.polite.rested)
	heapify(bySeat{f, lateSeat}, f.polite.late)
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
