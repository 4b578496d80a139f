package crawler

import (
	"fmt"
	"math"
	"runtime/debug"

	"dowse/collection"
	"dowse/fetch"
)

const (
	// defaultMemory is the budget for pages in flight of a process without a memory
	// limit. With the garbage that is not yet collected, and all the rest, a crawl
	// then stays well below 512 MiB until it knows some hundred thousand URLs.
	defaultMemory = 96 << 20
	leastMemory   = 8 << 20
	memoryShare   = 4 // one part in 4 of the process's memory limit is for pages in flight

	// backoffPages is how many pages a crawl fetches under reduced limits after
	// a run that was killed. A killed run that fetched as many does not count,
	// and neither do those before it.
	backoffPages = 500
)

// memoryFor returns the budget for pages in flight in bytes: the configured
// one, or a part of the memory limit of this process (GOMEMLIMIT,
// debug.SetMemoryLimit), or the default. The rest of the limit is for the
// frontier, the strategy and garbage that is not yet collected.
func memoryFor(cfg Config) int64 {
	limit := debug.SetMemoryLimit(-1) // a negative limit changes nothing
	switch {
	case cfg.Memory > 0:
		return cfg.Memory
	case limit == math.MaxInt64:
		return defaultMemory
	}
	return max(limit/memoryShare, leastMemory)
}

// A killBackoff reduces the limits of a crawl after runs that were killed.
// If the reason was a lack of memory, the same again would end in the same
// way. So each kill in a row halves the connections and the memory for pages
// in flight, until backoffPages pages were fetched.
type killBackoff struct {
	// kills counts the consecutive runs that were killed before they fetched
	// many pages.
	kills  int
	budget *fetch.Budget
	// memory, in bytes, and conns are the limits without a backoff.
	memory int64
	conns  int
	// until is the number of fetched pages at which the backoff ends.
	until int
}

// backoffFor returns the backoff that the last runs in col require; one
// without kills changes nothing.
func backoffFor(col *collection.Collection, cfg Config) *killBackoff {
	kills := killsInARow(lastRuns(col))
	if cfg.Cluster != nil {
		kills = 0 // the visits are made elsewhere
	}
	c := &killBackoff{kills: kills, memory: memoryFor(cfg), conns: col.Settings.Resolved().InFlight}
	c.budget = fetch.NewBudget(c.reduced())
	return c
}

// reduced returns the memory for pages in flight, in bytes, while the
// backoff is in effect.
func (c *killBackoff) reduced() int64 { return max(c.memory>>c.kills, min(leastMemory, c.memory)) }

// killsInARow counts the runs at the end of the list that were killed. A run
// that fetched backoffPages pages is not counted and ends the count: it came
// far, so the limits that it had are no reason to reduce them. What a killed
// run fetched is known from the record of the next one, since its own has
// only the count at its beginning.
func killsInARow(list []RunRecord) (n int) {
	const most = 10
	for i := len(list) - 1; i >= 0 && n < most; i-- {
		if !list[i].Ended.IsZero() {
			break
		}
		if n++; i > 0 && list[i].Fetched-list[i-1].Fetched >= backoffPages {
			break
		}
	}
	return n
}

// apply reduces the number of visits in flight of a run that begins. The
// memory budget was made with the reduced size already.
func (c *killBackoff) apply(cr *Crawler) {
	if c.kills == 0 {
		return
	}
	c.until = cr.Status().Fetched + backoffPages
	cr.live.AtMost = c.visits()
}

// visits returns the number of concurrent visits while the backoff is in effect, 0 without one.
func (c *killBackoff) visits() int {
	if c.kills == 0 {
		return 0
	}
	return max(1, c.conns>>c.kills)
}

// liftIfDue restores the usual limits when the crawl has fetched enough
// pages. The loop calls it at every tick.
func (c *killBackoff) liftIfDue(cr *Crawler) {
	if c.kills == 0 || cr.Status().Fetched < c.until {
		return
	}
	c.kills = 0
	cr.live.AtMost = 0
	c.budget.Resize(c.memory)
}

// note returns a message about the limits and their reason, "" if there are
// none.
func (c *killBackoff) note() string {
	if c.kills == 0 {
		return ""
	}
	last := "the last run was"
	if c.kills > 1 {
		last = fmt.Sprintf("the last %d runs were", c.kills)
	}
	conns := "1 connection"
	if n := c.conns >> c.kills; n > 1 {
		conns = fmt.Sprintf("%d connections", n)
	}
	return fmt.Sprintf("%s killed, perhaps for want of memory: going on with %s and %d MiB for pages in flight until %d pages are fetched",
		last, conns, c.reduced()>>20, backoffPages)
}
