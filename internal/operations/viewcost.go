package operations

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// How often a view of a growing collection is made again.
const (
	viewShare = 30                     // at most this part (1/30) of the time is spent on it
	viewLeast = 300 * time.Millisecond // between two views
	viewCheap = 150 * time.Millisecond // a view that took less is made before the answer
	viewOld   = 10 * time.Second       // for so long after another view is due, the old one still answers
)

// A cost is what a thing that is made again and again is taken to cost. It is known by the clock only, and on a busy
// machine one view can take a hundred times as long as it needs the processor: answers would then be old for half a
// minute.
type cost time.Duration

// add counts a view that took so long: for at most twice the cost of the one before, so that only views
// that stay slow make the next ones rare.
func (c *cost) add(took time.Duration) {
	if twice := 2 * time.Duration(*c); twice > 0 {
		took = min(took, twice)
	}
	*c = cost(max(took, viewLeast/viewShare)) // what takes less is made every viewLeast anyway
}

// pause returns how long a view of a growing collection is used before it is made again.
func (c cost) pause() time.Duration { return max(viewLeast, viewShare*time.Duration(c)) }

// A viewCost is what views of a collection are taken to cost. A view begins with the newest snapshot and folds what
// the journal has behind it, so the next one costs more than the last one if the journal has grown since, and
// less if there is a newer snapshot. A fast crawl that is watched is folded right after its snapshots for that reason: it
// grows by more while a view is used than views may cost.
type viewCost struct {
	last cost
	tail int64 // what the last view folded, in bytes
}

// foldByte is what it takes to fold a byte of the journal: about 100 µs for a page of 40 links, which has 4 KB.
const foldByte = 25 * time.Nanosecond

// add counts a view that took so long and folded that much of the journal. What a snapshot has saved since the view before
// is no reason to distrust a short time, and what has come to the journal none to distrust a long one.
func (c *viewCost) add(took time.Duration, tail int64) {
	c.last = c.next(tail)
	c.last.add(took)
	c.tail = tail
}

// next returns what a view is taken to cost that folds that much of the journal.
func (c *viewCost) next(tail int64) cost {
	if c.last == 0 {
		return 0 // no view was made yet
	}
	grown := time.Duration(tail-c.tail) * foldByte
	return cost(max(time.Duration(c.last)+grown, viewLeast/viewShare))
}

// pause returns how long the last view is used before one is made that folds that much of the journal.
func (c *viewCost) pause(tail int64) time.Duration { return c.next(tail).pause() }

// behind returns how many bytes the journal of a collection has behind the newest snapshot.
func behind(dir string) int64 {
	end := lastOffset(dir, "journal-*.log", "journal-%016x.log", true)
	return max(end-lastOffset(dir, "snapshot-*.snap", "snapshot-%016x.snap", false), 0)
}

// lastOffset returns the offset in the journal that the last file of a kind has in its name, and its size in addition if
// that is asked for; 0 if there is no such file.
func lastOffset(dir, pattern, format string, size bool) (at int64) {
	names, _ := filepath.Glob(filepath.Join(dir, "state", pattern)) // in the order of names, which is that of offsets
	if len(names) == 0 {
		return 0
	}
	last := names[len(names)-1]
	if _, err := fmt.Sscanf(filepath.Base(last), format, &at); err != nil {
		return 0
	}
	if info, err := os.Stat(last); err == nil && size {
		at += info.Size()
	}
	return at
}
