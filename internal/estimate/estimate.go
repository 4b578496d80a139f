// Package estimate answers how many pages on topic a crawl has yet to find.
//
// It is the removal method of capture and recapture, as it is used for fish: what was
// caught is not put back, so each catch is smaller than the one before, and how quickly
// catches fall shows how many are left. Here a visit is a cast of the net, a new page on
// topic is a fish, and the pool is the URLs that the crawl knows: those that it visited
// and those that wait. A visit finds a page on topic with odds that are those of a
// random draw from the pool, times a factor for the aim of the strategy: about 1 for a
// crawl that visits links as they come, hundreds for one that knows where to look. Pages
// differ in how easily they are found, and the easy ones are found first, so the odds
// fall quicker than the number of pages that are left: with its power [uneven].
//
// [Curve] keeps the outcomes of visits in order, in at most 32 blocks. [Curve.Left]
// weighs every number of pages that may be left, and every factor, by how well they
// explain the blocks, and returns the median and the 90 % interval of the number.
//
// Nothing here depends on what the priorities of a strategy mean, so that the estimate
// is the same for all of them. A curve costs a fixed amount of memory and constant time
// per visit; Left costs about half a millisecond, and [Curve.IsDue] spaces it out. The package is
// pure: the same visits always give the same estimate.
package estimate

import "math"

const (
	maxBlocks = 32 // of a curve; then neighbours are joined, and a block has twice as many visits

	recent  = 0.25 // visits before this share of all are left out: the crawl was still learning its way
	uneven  = 1.5  // power of the pages left in the odds of a visit; 1 if all were found equally easily
	cluster = 4    // visits that tell as much as one independent draw: pages on topic come in clusters
	flat    = 0.5  // prior of the number left: proportional to (n+1) to minus this power
	aimed   = 3    // standard deviation of the prior of the logarithm of the factor
	partial = 0.3  // is added to the pages left, so that a visit can find one beyond the number assumed

	fewVisits = 100 // an estimate needs at least this number of visits
	fewFound  = 5   // and this number of pages on topic among them
)

// A Curve is the outcomes of visits in order. The zero value is ready for use.
type Curve struct {
	Missed int   // visits before the first that was noted
	Size   int   // visits per block; 0 stands for 1
	Blocks []int // by block, the visits that found a new page on topic
	Part   int   // visits since the last full block
	Found  int   // how many of those found a new page on topic
}

// Note appends the outcome of a visit: whether it found a new page on topic.
func (c *Curve) Note(found bool) {
	c.Size = max(c.Size, 1)
	c.Part++
	if found {
		c.Found++
	}
	if c.Part < c.Size {
		return
	}
	c.Blocks = append(c.Blocks, c.Found)
	c.Part, c.Found = 0, 0
	if len(c.Blocks) < maxBlocks {
		return
	}
	for i := range maxBlocks / 2 {
		c.Blocks[i] = c.Blocks[2*i] + c.Blocks[2*i+1]
	}
	c.Blocks, c.Size = c.Blocks[:maxBlocks/2], 2*c.Size
}

// visits returns how many visits there were, those that were missed among them.
func (c *Curve) visits() int { return c.Missed + len(c.Blocks)*c.Size + c.Part }

// IsDue reports whether it is time for another estimate: at a block's end, which is
// after a thirty-second to a sixteenth of all visits. So the cost of estimates for each
// visit falls as a crawl goes on.
func (c *Curve) IsDue() bool { return c.Part == 0 && c.visits() >= fewVisits }

// IsSound reports whether visits can have made the curve: one that was read may be damaged.
func (c *Curve) IsSound() bool {
	full := c.Size >= 0 && c.Size <= 1<<40 && len(c.Blocks) < maxBlocks && c.Missed >= 0 && c.Missed <= 1<<50
	for _, on := range c.Blocks {
		full = full && on >= 0 && on <= c.Size
	}
	return full && c.Part >= 0 && c.Part <= max(0, c.Size-1) && c.Found >= 0 && c.Found <= c.Part
}

// A Left is an estimate of how many pages on topic a crawl has yet to find.
type Left struct {
	Median    float64
	Low, High float64 // of the interval that has it with a probability of 90 %
}

// A block is a number of visits in a row.
type block struct {
	visits, found float64
	later         float64 // pages on topic found from its middle on
	pool          float64 // URLs that were not visited at its middle
}

// blocks returns the later blocks of the curve, for a crawl with a number of waiting leads.
func (c *Curve) blocks(waiting int) (list []block, found int) {
	end := c.visits()
	add := func(first, n, on int) {
		mid := float64(first) + float64(n)/2
		if n > 0 && mid >= recent*float64(end) {
			list = append(list, block{visits: float64(n), found: float64(on), later: float64(found) + float64(on)/2, pool: float64(waiting+end) - mid})
		}
		found += on
	}
	add(end-c.Part, c.Part, c.Found)
	for i := len(c.Blocks) - 1; i >= 0; i-- {
		add(c.Missed+i*c.Size, c.Size, c.Blocks[i])
	}
	return list, found
}

// Left returns how many pages on topic are left for a crawl with a number of waiting leads.
// It reports false if too little was seen for an estimate.
func (c *Curve) Left(waiting int) (Left, bool) {
	blocks, found := c.blocks(waiting)
	if c.visits()-c.Missed < fewVisits || found < fewFound {
		return Left{}, false
	}
	var left []float64 // numbers that are weighed, ascending
	var weights []float64
	for n := 0.0; n <= float64(waiting); n = max(n+1, math.Floor(n*step)) {
		left = append(left, n)
		width := max(1, math.Floor(n*(step-1)))
		weights = append(weights, likelihood(blocks, n)+math.Log(width)-flat*math.Log1p(n))
	}
	normalise(weights)
	return Left{Median: quantile(left, weights, 0.5), Low: quantile(left, weights, 0.05), High: quantile(left, weights, 0.95)}, true
}

const step = 1.2 // from one number of pages left to the next that is weighed

// likelihood returns the logarithm of how likely the blocks are if a number of pages are
// left, averaged over the factor by which the strategy beats chance.
func likelihood(blocks []block, left float64) float64 {
	const least, most = -2, 9 // logarithms of the factor
	var logs [most - least + 1]float64
	for i := range logs {
		logs[i] = -square(float64(least+i)/aimed) / 2
	}
	for _, b := range blocks {
		remain := left + b.later + partial
		chance := uneven*math.Log(remain) - math.Log(max(b.pool-remain, 1))
		for i := range logs {
			odds := chance + float64(least+i) // as a logarithm
			logs[i] += (b.found*odds - b.visits*math.Log1p(math.Exp(odds))) / cluster
		}
	}
	return logSum(logs[:])
}

func square(x float64) float64 { return x * x }

// logSum returns the logarithm of the sum of numbers that are given as logarithms.
func logSum(logs []float64) float64 {
	top := logs[0]
	for _, l := range logs {
		top = max(top, l)
	}
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - top)
	}
	return top + math.Log(sum)
}

// normalise turns logarithms of weights into weights that add up to 1.
func normalise(logs []float64) {
	sum := logSum(logs)
	for i, l := range logs {
		logs[i] = math.Exp(l - sum)
	}
}

// quantile returns the first number up to which the weights add up to a share.
func quantile(numbers, weights []float64, share float64) float64 {
	sum := 0.0
	for i, w := range weights {
		if sum += w; sum >= share {
			return numbers[i]
		}
	}
	return numbers[len(numbers)-1]
}

// A Recall is how many pages on topic there are within reach of a crawl, and which share
// of them it has found. The zero value stands for no estimate.
type Recall struct {
	Found  int     `json:"found" doc:"pages on topic that were fetched"`
	Total  int     `json:"total" doc:"pages on topic within reach, those found among them"`
	Least  int     `json:"least" doc:"lower end of the 90 % interval of total"`
	Most   int     `json:"most" doc:"upper end of the 90 % interval of total"`
	Recall float64 `json:"recall" doc:"found / total"`
	Low    float64 `json:"low" doc:"lower end of the 90 % interval of recall"`
	High   float64 `json:"high" doc:"upper end of the 90 % interval of recall"`
}

// Recall returns the recall of a crawl that has found a number of pages on topic; zero if it
// found none.
func (l Left) Recall(found int) Recall {
	if found == 0 {
		return Recall{}
	}
	r := Recall{Found: found, Total: found + int(l.Median), Least: found + int(l.Low), Most: found + int(l.High)}
	share := func(of int) float64 { return float64(found) / float64(of) }
	r.Recall, r.Low, r.High = share(r.Total), share(r.Most), share(r.Least)
	return r
}

// An At is the estimate of a crawl that had fetched a number of pages.
type At struct {
	Pages int `json:"pages"`
	Recall
}
