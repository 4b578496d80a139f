package crawl

import "time"

// Clocks that are set back. The crawl reads no clock, but its driver's clock may be set back by
// an hour, or years ahead when the crawl was begun. Time must not run backwards for it:
// a host that rests until a time that has not come again would rest for years. So when
// the driver's time is earlier than the latest that the crawl has seen, every stored time
// of the crawl is moved back with it, and an entry records by how much.

// backLash is how far times may run backwards without a clock having been set back:
// two events may have been timed by different goroutines.
const backLash = time.Second

// A clock holds the latest times that a crawl has seen, see turnBack.
type clock struct {
	latest time.Time // no event was later
	last   time.Time // of the run: time at work counts from here; zero before its first event
}

// tick records the time and adds to the working time, for the time limit: gaps between
// runs do not count. A replay takes times from the entries instead.
func (c *Crawl) tick(now time.Time) {
	now = now.Round(0) // by the wall clock alone: times of entries have no monotonic reading
	if back := c.clock.latest.Sub(now); back > backLash {
		c.turnBack(back)
		c.rec.record(&Entry{Kind: entryClock, At: now, Back: back})
	}
	if d := now.Sub(c.clock.last); !c.clock.last.IsZero() && d > 0 && !c.hosts.net.isDown() {
		c.stats.Elapsed += d
	}
	c.clock.last = later(c.clock.last, now)
	c.clock.latest = later(c.clock.latest, now)
}

// turnBack moves all stored times by as much as the clock was set back.
func (c *Crawl) turnBack(by time.Duration) {
	c.clock.latest = c.clock.latest.Add(-by)
	c.clock.last = earlierBy(c.clock.last, by)
	c.chances.at = earlierBy(c.chances.at, by)
	c.hosts.turnBack(by)
	c.flights.turnBack(by)
	c.rounds.turnBack(by)
}

// nanosBefore subtracts d from nanoseconds since 1970; 0 means no time and stays 0.
func nanosBefore(ns int64, d time.Duration) int64 {
	if ns == 0 {
		return 0
	}
	return ns - int64(d)
}

// earlierBy subtracts d from t; the zero time stays zero.
func earlierBy(t time.Time, d time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(-d)
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// restarted makes every host rest its delay from now on, if an earlier run worked on
// the crawl. Visits in flight at the end of that run left no entry, so any host may
// have been visited a moment ago. A driver that makes real visits must call it before
// the first Next.
func (c *Crawl) restarted(now time.Time) {
	if !c.hosts.unsure {
		return
	}
	c.in.requeueOrphans()
	c.tick(now)
	c.hosts.unsure = false
	began := now.Round(0)
	c.rec.beginRun().Began = began
	c.hosts.restAll(began)
}
