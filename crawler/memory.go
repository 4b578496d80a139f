package crawler

import (
	"cmp"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	"dowse"
	"dowse/internal/garbage"
)

// How the memory of a process (settings.Machine) is divided. The Go runtime keeps to what is left after
// the program itself and a reserve for what the runtime does not count. Of that, the data that a
// crawl keeps may take a little less than half, because while all is decided again, for a new
// model or another scope, there are two of them. The rest is for garbage until then: the process
// uses nine tenths of its memory long before its data do, so its size does not show how
// scarce memory is. What survived the last garbage collection does.
const (
	memoryMargin = 10       // one part in 10 of the memory is a reserve
	scarceFrom   = 0.38     // of what the runtime has: from here on links are left out
	scarceFull   = 0.47     // from here on all links to unknown URLs are
	scarceVisits = 0.6      // from here on fewer pages are visited concurrently, since what is made of them takes it
	firstVisit   = 16 << 20 // bytes per concurrent visit with which a crawl begins; what its visits really take is not known yet
	scarceEnd    = 0.9      // from here on the crawl ends, since its pages alone take more than there is

	filesEvery = 10 * time.Second // between two times that mapped files, the program among them, are removed from memory
	littleRoom = 512 << 20        // with less than this, they are with each measurement: the search index maps files while it is made

	fewLinks  = 1000     // links that are always remembered while fewer wait: without any, a crawl would end
	fewPart   = 64 << 10 // or one per so many bytes of what the runtime has, if that is fewer
	fewShare  = 0.05     // of the links of a page that are among them
	leastKind = 187e6    // bytes that the runtime must have for a taxonomy of WordNet, which takes 22 MB: that of --memory 250MB

	linkSize = 256 // bytes of data per link that is remembered: entry, note, place in the queue, journal until it is committed

	grownShare = 8 // one part in 8 of what the runtime has is for the texts that a judge grows from

	notesShare = 16       // one part in 16 of what the runtime has is for the notes of strategies
	mostNotes  = 64 << 20 // and no more than this; the others are in a file

	memoryFirst = 3  // measurements before any counts
	memorySpan  = 10 // measurements, five seconds, of which the lowest counts: what is soon free again is no reason
)

// A rationer decides which links to unknown URLs a crawl remembers while memory is scarce. The loop uses
// it.
type rationer struct {
	limit int64         // of the runtime, in bytes; 0 for none
	fixed int64         // bytes of it that the inputs of strategies take, which neither grow nor are there twice
	used  func() uint64 // bytes of data in memory
	waits func() int    // links that wait; nil for no lower bound of what is remembered
	last  []float64     // measurements, the oldest first
	share float64       // of the links to unknown URLs that are remembered; 1 while there is room
	room  int           // links that may still be remembered before the next measurement
	most  int           // concurrent visits while there is room
	calls int           // concurrent visits at the moment; 0 while there is room
	swept time.Time     // when mapped files were last removed from memory
	seen  [ranks]float64
	sum   float64 // of seen
}

const (
	ranks  = 100    // classes of promise that are distinguished
	recent = 50_000 // links that count; older ones weigh half or less
)

// newRationer returns the rationer for a limit of the process, 0 for none. A limit that the runtime keeps to
// already holds as well.
func newRationer(memory int64) *rationer {
	r := &rationer{used: liveData, share: 1}
	if set := debug.SetMemoryLimit(-1); set < math.MaxInt64 { // by GOMEMLIMIT, or for a control group
		r.limit = set
	}
	if memory > 0 {
		r.limit = min(runtimeLimit(memory), cmp.Or(r.limit, math.MaxInt64))
	}
	return r
}

// runtimeLimit returns how much of the memory of a process the Go runtime may use.
func runtimeLimit(memory int64) int64 { return memory - memory/memoryMargin - garbage.ProgramSize }

// apply makes the Go runtime keep to the limit. A lower limit that holds already stays.
func (r *rationer) apply() {
	if r.limit > 0 && r.limit < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(r.limit)
	}
}

// notes returns how many bytes of the notes of strategies are kept in memory, 0 for the default of
// the crawl.
func (r *rationer) notes() int64 {
	if r.limit <= 0 {
		return 0
	}
	return min(r.limit/notesShare, mostNotes)
}

// liveData returns how many bytes of memory are in use by data that survived the last garbage
// collection, by stacks and by the runtime itself.
func liveData() uint64 {
	list := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}, {Name: "/memory/classes/metadata/mspan/inuse:bytes"},
		{Name: "/memory/classes/metadata/mcache/inuse:bytes"}, {Name: "/memory/classes/metadata/other:bytes"}, {Name: "/memory/classes/other:bytes"},
	}
	metrics.Read(list)
	sum := uint64(0)
	for _, s := range list {
		if s.Value.Kind() == metrics.KindUint64 {
			sum += s.Value.Uint64()
		}
	}
	return sum
}

// measure looks at the memory, and returns how full it is: from 0 to 1, or more. Memory counts as empty for
// the first second. From then on a share of the links can be left out; but memory is full enough to end
// the crawl only by all measurements.
func (r *rationer) measure() float64 {
	if r.limit == 0 {
		return 0
	}
	used := r.used()
	r.count(used)
	part := r.part(used)
	r.crowd(part)
	r.last = append(r.last, part)
	if r.last = r.last[max(0, len(r.last)-memorySpan):]; len(r.last) < memoryFirst {
		return 0
	}
	full := slices.Min(r.last)
	r.share = min(max((scarceFull-full)/(scarceFull-scarceFrom), 0), 1)
	if r.spare() > 0 {
		r.share = max(r.share, fewShare)
	}
	if len(r.last) < memorySpan {
		return 0
	}
	return full
}

// begin prepares for a run with a number of concurrent visits. Garbage of the preparations would count as data
// until it is first collected. With little memory the run begins with few visits, and crowd adds to them: many large pages
// would fill it before the first measurement.
func (r *rationer) begin(visits int, now time.Time) {
	if r.limit > 0 {
		r.most, r.calls = visits, 0
		if few := int(r.limit / firstVisit); few < visits {
			r.calls = max(1, few)
		}
		runtime.GC()
		r.count(r.used())
		r.sweep(now)
	}
}

// sweep removes mapped files that are not in use from memory, such as most of the program, every few seconds, and where
// there is little memory as often as it is called. The first time is too early for much of what only the first visits need.
func (r *rationer) sweep(now time.Time) {
	if r.limit > 0 && (r.limit < littleRoom || now.Sub(r.swept) >= filesEvery) {
		r.swept = now
		garbage.DropFiles()
	}
}

// crowd adapts the number of concurrent visits to a measurement. Each holds a page and what was made of it until it
// is committed: of pages with thousands of links that is more than all data of a small crawl. As in the control
// of congestion on networks, the number is halved when memory is short, and grows by one when it is not.
func (r *rationer) crowd(full float64) {
	switch {
	case full >= scarceVisits:
		r.calls = max(1, cmp.Or(r.calls, r.most)/2)
	case r.calls > 0:
		if r.calls++; r.calls >= r.most {
			r.calls = 0
		}
	}
}

// noteFixed notes what the inputs of strategies take, by the memory in use before and after they were read. A limit that
// they alone fill leaves one byte, so that the crawl ends.
func (r *rationer) noteFixed(before uint64) {
	if r.limit > 0 {
		r.fixed = min(max(int64(collected(r.used)-before), 0), r.limit-1)
	}
}

// collected returns what is in use after garbage was collected.
func collected(used func() uint64) uint64 {
	runtime.GC()
	return used()
}

// part returns which part of the memory for data is in use.
func (r *rationer) part(used uint64) float64 {
	return max(0, float64(int64(used)-r.fixed)) / float64(r.limit-r.fixed)
}

// count computes how many links fit into the memory that is left, so that a quick machine, or pages
// with thousands of links, do not fill it between two measurements.
func (r *rationer) count(used uint64) {
	left := scarceFull*float64(r.limit-r.fixed) - float64(int64(used)-r.fixed)
	r.room = max(int(max(left, 0)/linkSize), r.spare())
}

// spare returns how many links are remembered however full the memory is: as many as are missing from a short queue. A
// crawl whose queue is empty would end as if the web had no more.
func (r *rationer) spare() int {
	if r.waits == nil {
		return 0
	}
	return max(0, min(fewLinks, int(r.limit/fewPart))-r.waits())
}

// admits returns which links of a page with a number of links are remembered, nil for all. It is the Ration of
// the crawl. All links of a page count as new while there is room for them, because that costs nothing to
// find out.
func (r *rationer) admits(links int) func(promise float64) bool {
	if r.limit == 0 {
		return nil
	}
	if r.share >= 1 && links <= r.room {
		r.room -= links
		return nil
	}
	return r.admit
}

// admit reports whether a link is remembered: if there is room, and it is among the most promising share of
// the links that were met while memory was scarce. Links of equal promise are treated alike while there is
// room.
func (r *rationer) admit(promise float64) bool {
	rank := int(min(max(promise, 0), 1) * (ranks - 1))
	r.seen[rank]++
	if r.sum++; r.sum >= 2*recent {
		for i := range r.seen {
			r.seen[i] /= 2
		}
		r.sum /= 2
	}
	better := 0.0
	for _, n := range r.seen[rank+1:] {
		better += n
	}
	if r.room == 0 || better >= r.share*r.sum {
		return false
	}
	r.room--
	return true
}

// grownText returns how many bytes of the text of each page a judge may grow from that grows from a number
// of pages. The places of the words take about twice the memory of a text.
func grownText(pages int) int {
	share := debug.SetMemoryLimit(-1) / grownShare
	return int(min(maxGrown, share/int64(3*max(pages, 1))))
}

// watchMemory measures the memory, adjusts the garbage collection to it, and ends the crawl if not even its pages fit. A training holds memory that
// is free afterwards, however long it takes, so it is no reason to end.
func (c *Crawler) watchMemory() {
	c.garbage.Pace()
	c.ration.sweep(c.live.Clock())
	if c.ration.measure() >= scarceEnd && c.labels.work == nil {
		c.Collection.Crawl.Stop(dowse.StopMemory)
	}
	c.boundVisits()
}

// boundVisits limits the concurrent visits to what memory allows, and to fewer after a run that was killed. The
// coordinator of a cluster makes none itself.
func (c *Crawler) boundVisits() {
	if c.remote == nil {
		c.live.AtMost = c.ration.calls
		if n := c.backoff.visits(); n > 0 {
			c.live.AtMost = min(n, cmp.Or(c.ration.calls, n))
		}
	}
}
