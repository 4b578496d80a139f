package frontier

import (
	"math"
	"time"
)

// A moment is a wall-clock time in 8 bytes that sorts like times. If it is not
// negative, it is nanoseconds since 1970. Negative moments count nanoseconds
// from the zero time on, beginning with the lowest number, for simulations
// whose clock begins there. Times in between, and those after 2262, become the
// nearest moment that exists.
type moment int64

// never is the zero time.
const never moment = math.MinInt64

const yearSeconds = 365 * 24 * 3600

// momentOf converts a time. The monotonic clock reading is dropped.
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

// moved returns the moment d later. The zero time stays what it is.
func (m moment) moved(d time.Duration) moment {
	if m == never {
		return never
	}
	return momentOf(m.time().Add(d))
}

// Shift moves every rest by d, and the frontier's own clock with it, so that
// all hosts rest for as long as they would have. It is for a clock that was set
// back. Its cost grows with the number of hosts.
func (f *Frontier) Shift(d time.Duration) {
	for h := range uint32(f.hosts.n) {
		ho := f.hosts.at(h)
		ho.ready = ho.ready.moved(d)
	}
	for l := range uint32(f.lanes.n) {
		la := f.lanes.at(l)
		la.ready = la.ready.moved(d)
	}
	f.polite.clock, f.polite.latestReady = f.polite.clock.moved(d), f.polite.latestReady.moved(d)
}

// RestAll lets every host rest at least until the time that until returns for
// it, and every lane at least until the given time. Its cost grows with the
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
	f.refreshAll()
}

// VacateAll ends all visits in flight without a rest.
func (f *Frontier) VacateAll() {
	for h := range uint32(f.hosts.n) {
		f.hosts.at(h).busy = 0
	}
	for l := range uint32(f.lanes.n) {
		f.lanes.at(l).busy = 0
	}
	f.refreshAll()
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
