package crawler

import (
	"runtime"
	"time"
)

// CountCPU has the crawl measure the time of processors by a function.
func (c *Crawler) CountCPU(used func() time.Duration) {
	c.meter.cpu, c.meter.queued = used, func() time.Duration { return 0 }
}

// Processors is the number of processors that a crawl can use.
func Processors() int { return runtime.GOMAXPROCS(0) }

// CountMemory has the crawl measure its memory by a function, and with a limit for the runtime.
func (c *Crawler) CountMemory(limit int64, used func() uint64) {
	c.ration.limit, c.ration.used = limit, used
}

// Loader lets the tests load the examples of a topic without a crawl.
type Loader = loader

// ContrastSeen is contrastSeen, for the tests outside the package.
const ContrastSeen = contrastSeen

// ContrastEveryday is contrastEveryday, for the tests outside the package.
const ContrastEveryday = contrastEveryday

// ViewsEvery sets how often the views are written while a crawl runs.
func (c *Crawler) ViewsEvery(d time.Duration) { c.views.every = d }

// Raise returns by how much a model is raised that rates pages is, which were was, and a page
// about which it knows nothing unknown.
func Raise(line float64, was, is []float64, unknown float64) (by float64, err error) {
	k := keeping{line: line, pages: len(was)}
	for i := range was {
		k.rated = append(k.rated, logOdds(is[i]))
		if was[i] >= line {
			k.on = append(k.on, logOdds(is[i]))
		}
	}
	return k.check(logOdds(unknown))
}

// WatchMemory measures the memory, as the loop does twice a second.
func (c *Crawler) WatchMemory() { c.watchMemory() }

// MemorySpan is how many measurements the loop looks back on.
const MemorySpan = memorySpan

// NewSalt returns a random salt.
func NewSalt() []byte { return newSalt() }
