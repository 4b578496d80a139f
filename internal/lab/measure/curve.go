package measure

import (
	"math"
)

// A Curve is a measure as the crawl goes on: its value after so many pages, one or
// more. It may be asked beyond the last page of a crawl that ended early.
type Curve func(pages int) float64

// undefined is the value of a measure where it has none: a share of nothing.
var undefined = math.NaN()

// prefix counts the steps for which the condition holds: among the first 0, 1, 2, …
type prefix []int

func countSteps(t *Trail, holds func(*step) bool) prefix {
	steps := t.Steps.list
	p := make(prefix, len(steps)+1)
	for i := range steps {
		p[i+1] = p[i]
		if holds(&steps[i]) {
			p[i+1]++
		}
	}
	return p
}

// among returns the count of the first k steps, or of all where there are fewer.
func (p prefix) among(k int) int { return p[min(max(k, 0), len(p)-1)] }

func ratio(a, b int) float64 {
	if b == 0 {
		return undefined
	}
	return float64(a) / float64(b)
}

func relevant(s *step) bool { return s.is(markRelevant) }
func popular(s *step) bool  { return s.is(markPopular) && !s.is(markSeed) }
func target(s *step) bool   { return s.is(markRelevant) && !s.is(markSeed) }
func unseen(s *step) bool   { return target(s) && !s.is(markTrained) }
func judgedOn(s *step) bool    { return s.is(markOnTopic) }
func truePositive(s *step) bool  { return s.is(markOnTopic) && s.is(markRelevant) }

// harvest is relevant pages by pages. A crawl that ended before k pages has found
// nothing with the rest of them: then it is P_k as trec_eval has it.
func harvest(t *Trail) Curve {
	n := countSteps(t, relevant)
	return func(k int) float64 { return ratio(n.among(k), k) }
}

// windowHarvest is the harvest of the last w pages alone.
func windowHarvest(t *Trail, w int) Curve {
	n := countSteps(t, relevant)
	return func(k int) float64 { return ratio(n.among(k)-n.among(k-w), min(k, w)) }
}

func share(t *Trail, of int, holds func(*step) bool) Curve {
	n := countSteps(t, holds)
	return func(k int) float64 { return ratio(n.among(k), of) }
}

// area is the mean of target recall over the first k pages: the area under its curve.
func area(t *Trail) Curve {
	n := countSteps(t, target)
	sums := make([]int, len(n)) // of the counts after 1, 2, … pages
	for i := 1; i < len(n); i++ {
		sums[i] = sums[i-1] + n[i]
	}
	return func(k int) float64 {
		last := len(n) - 1
		held := min(k, last)
		return ratio(sums[held]+(k-held)*n[last], k*t.Targets)
	}
}

// PrecisionRecall is how well a choice fits the truth, from the numbers of right
// choices, wrong ones and misses. What has nothing to divide by is not a number.
func PrecisionRecall(right, wrong, missed int) (precision, recall, f float64) {
	precision, recall = ratio(right, right+wrong), ratio(right, right+missed)
	if right == 0 {
		return precision, recall, ratio(0, wrong+missed)
	}
	return precision, recall, 2 * precision * recall / (precision + recall)
}

func precision(t *Trail) Curve {
	right, all := countSteps(t, truePositive), countSteps(t, judgedOn)
	return func(k int) float64 { return ratio(right.among(k), all.among(k)) }
}

func judgeRecall(t *Trail) Curve {
	right, all := countSteps(t, truePositive), countSteps(t, relevant)
	return func(k int) float64 { return ratio(right.among(k), all.among(k)) }
}

func fMeasure(t *Trail) Curve {
	right, all := countSteps(t, truePositive), countSteps(t, judgedOn)
	return func(k int) float64 {
		_, _, f := PrecisionRecall(right.among(k), all.among(k)-right.among(k), t.Relevant-right.among(k))
		return f
	}
}

// relevance is the mean of the judge's relevance, over the last w pages or, with 0,
// over all.
func relevance(t *Trail, w int) Curve {
	judged := make([]float64, t.Steps.Len())
	for i := range judged {
		judged[i] = t.Steps.list[i].judged
	}
	mean := runningMean(judged, w)
	return func(k int) float64 {
		if len(mean) == 0 {
			return undefined
		}
		return mean[min(k, len(mean))-1]
	}
}

// runningMean returns the mean of the last w values after each one, or of all of
// them if w is 0.
func runningMean(x []float64, w int) []float64 {
	mean := make([]float64, len(x))
	sum := 0.0
	for i := range x {
		sum += x[i]
		n := i + 1
		if w > 0 && n > w {
			sum -= x[i-w]
			n = w
		}
		mean[i] = sum / float64(n)
	}
	return mean
}

// hosts counts different hosts, with a page for which the condition holds.
func hosts(t *Trail, holds func(*step) bool) Curve {
	known := map[uint32]bool{}
	n := countSteps(t, func(s *step) bool {
		fresh := holds(s) && !known[s.host]
		if fresh {
			known[s.host] = true
		}
		return fresh
	})
	return func(k int) float64 { return float64(n.among(k)) }
}

// pagesTo returns the number of pages after which target recall is at least the
// share; infinity if it never was.
func pagesTo(t *Trail, recall float64) float64 {
	if t.Targets == 0 {
		return undefined
	}
	n := countSteps(t, target)
	for k := 1; k < len(n); k++ {
		if float64(n[k]) >= recall*float64(t.Targets)-1e-9 {
			return float64(k)
		}
	}
	return math.Inf(1)
}
