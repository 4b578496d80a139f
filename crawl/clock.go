package crawl

import (
	"time"

	"dowse/internal/frontier"
)

// The crawl reads no clock, but the clock that its driver reads may be wrong: set back by
// an hour, or years ahead when the crawl was begun. Time must not run backwards for it:
// a host that rests until a time that has not come again would rest for years. So when
// the driver's time lies before what the crawl has seen, every appointment of the crawl
// is moved back with it, and an entry records by how much.

// backLash is how far time may seem to run backwards without the clock having been set
// back: the times of two events that were read by different goroutines.
const backLash = time.Second

// clock takes note of the time, for the time limit: only time in which the crawl
// was at work counts, not the gap between two runs. A replay knows it from the
// entries.
func (c *Crawl) clock(now time.Time) {
	if c.replay {
		return
	}
	now = now.Round(0) // by the wall clock alone: times of entries have no monotonic reading
	if back := c.latest.Sub(now); back > backLash {
		c.turnBack(back)
		c.record(&Entry{Kind: EntryClock, At: now, Back: back})
	}
	if d := now.Sub(c.lastNow); !c.lastNow.IsZero() && d > 0 && !c.inOutage() {
		c.stats.Elapsed += d
	}
	c.lastNow = later(c.lastNow, now)
	c.latest = later(c.latest, now)
}

// turnBack moves all appointments of the crawl by as much as its clock was set back.
func (c *Crawl) turnBack(by time.Duration) {
	c.f.Shift(-by)
	c.latest = c.latest.Add(-by)
	c.hosts.each(func(_ frontier.HostID, h *host) {
		h.last, h.robotsUntil = earlierBy(h.last, by), earlierBy(h.robotsUntil, by)
		h.troubled, h.promise = nanosBefore(h.troubled, by), nanosBefore(h.promise, by)
	})
	c.net.turnBack(by)
	for i := range c.leases {
		c.leases[i].deadline = c.leases[i].deadline.Add(-by)
	}
	for _, fl := range c.flights {
		fl.began = fl.began.Add(-by)
	}
	if c.round != nil {
		for _, l := range c.round.turns {
			if l != nil {
				l.now = l.now.Add(-by)
			}
		}
	}
	c.stats.slot = earlierBy(c.stats.slot, by)
	c.lastNow = earlierBy(c.lastNow, by)
	c.chanceAt = earlierBy(c.chanceAt, by)
	c.hopeAt = earlierBy(c.hopeAt, by)
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
	if !c.unsure {
		return
	}
	c.ground()
	c.clock(now)
	c.unsure, c.began, c.running = false, now.Round(0), false
	c.restAll(c.began)
}

func (c *Crawl) restAll(now time.Time) {
	p := &c.cfg.Polite
	c.f.RestAll(func(h frontier.HostID) time.Time {
		return now.Add(max(p.Delay, min(c.hosts.at(h).maxDelay, p.MaxDelay)))
	}, now.Add(p.Delay))
}
