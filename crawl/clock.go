package crawl

import "time"

// The crawl reads no clock, but the clock that its driver reads may be wrong: set back by
// an hour, or years ahead when the crawl was begun. Time must not run backwards for it:
// a host that rests until a time that has not come again would rest for years. So when
// the driver's time lies before what the crawl has seen, every appointment of the crawl
// is moved back with it, and an entry records by how much.

// backLash is how far time may seem to run backwards without the clock having been set
// back: the times of two events that were read by different goroutines.
const backLash = time.Second

// A clock holds the times that a crawl has seen. See turnBack.
type clock struct {
	latest time.Time // no event was later
	last   time.Time // of the run: time at work counts from here; zero before its first event
}

// tick notes the time, for the time limit: only time in which the crawl was at work counts,
// not the gap between two runs. A replay knows it from the entries.
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

// turnBack moves all appointments of the crawl by as much as its clock was set back.
func (c *Crawl) turnBack(by time.Duration) {
	c.clock.latest = c.clock.latest.Add(-by)
	c.clock.last = earlierBy(c.clock.last, by)
	c.chances.at = earlierBy(c.chances.at, by)
	c.hosts.turnBack(by)
	c.flights.turnBack(by)
	c.rounds.turnBack(by)
}

// nanosBefore returns nanoseconds since 1970 that lie by d earlier; 0, which stands for
// no time, stays what it is.
func nanosBefore(ns int64, d time.Duration) int64 {
	if ns == 0 {
		return 0
	}
	return ns - int64(d)
}

// earlierBy returns a time that lies by d earlier; the zero time stays what it is.
func earlierBy(t time.Time, d time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(-d)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Restarted lets every host rest its delay, counted from now, if an earlier run or
// process was at work on the crawl. Visits that were out when that one ended left no
// entry: any host may have been asked a moment ago. A driver that makes real visits calls
// it before the first Next.
func (c *Crawl) Restarted(now time.Time) {
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
