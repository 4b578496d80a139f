package frontier

import (
	"math"
	"time"
)

// A moment is a time by the wall clock in 8 bytes, in the order of times: nanoseconds since
// 1970 if it is not negative; else, from the lowest number on, nanoseconds since the zero
// time, for drivers whose clock begins there. Times between those become the nearest that
// fits, and so do those after 2262.
type moment int64

// never is the zero time.
const never moment = math.MinInt64

const yearSeconds = 365 * 24 * 3600

func momentOf(t time.Time) moment {
	switch since := t.Unix() - (time.Time{}).Unix(); {
	case since < 0:
		return never
	case since < 290*yearSeconds:
		return never + moment(t.Round(0).Sub(time.Time{}))
	case t.Unix() < 0:
		return -1
	case t.Unix() > math.MaxInt64/int64(time.Second)-1:
		return math.MaxInt64
	}
	return moment(t.UnixNano())
}

func (m moment) time() time.Time {
	if m < 0 {
		return time.Time{}.Add(time.Duration(m - never))
	}
	return time.Unix(0, int64(m)).UTC()
}

// moved returns a moment that lies by d later; the zero time stays what it is.
func (m moment) moved(d time.Duration) moment {
	if m == never {
		return never
	}
	return momentOf(m.time().Add(d))
}

// Shift moves every rest by d, and the frontier's own clock with it: all hosts rest on
// for as long as they would have. It is for a clock that was set back. Its cost grows
// with the number of hosts.
func (f *Frontier) Shift(d time.Duration) {
	for h := range uint32(f.hosts.n) {
		ho := f.hosts.at(h)
		ho.ready = ho.ready.moved(d)
	}
	for l := range uint32(f.lanes.n) {
		la := f.lanes.at(l)
		la.ready = la.ready.moved(d)
	}
	f.polite.clock, f.polite.ripe = f.polite.clock.moved(d), f.polite.ripe.moved(d)
}

// RestAll lets every host rest until the time that until returns for it, and every lane
// until the given time, or later where they had to anyway. Its cost grows with the
// number of hosts.
func (f *Frontier) RestAll(until func(HostID) time.Time, lanes time.Time) {
	for h := range HostID(f.hosts.n) {
		ho := f.host(h)
		ho.ready = max(ho.ready, momentOf(until(h)))
	}
	for l := range uint32(f.lanes.n) {
		la := f.lanes.at(l)
		la.ready = max(la.ready, momentOf(lanes))
	}
	f.reseatAll()
}

// VacateAll ends all visits that have begun, without a rest.
func (f *Frontier) VacateAll() {
	for h := range uint32(f.hosts.n) {
		f.hosts.at(h).busy = 0
	}
	for l := range uint32(f.lanes.n) {
		f.lanes.at(l).busy = 0
	}
	f.reseatAll()
}

// LastReady returns the latest time until which a host or a lane rests.
func (f *Frontier) LastReady() time.Time {
	last := never
	for h := range uint32(f.hosts.n) {
		last = max(last, f.hosts.at(h).ready)
	}
	for l := range uint32(f.lanes.n) {
		last = max(last, f.lanes.at(l).ready)
	}
	return last.time()
}
