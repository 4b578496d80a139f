package measure

import (
	"math"
)

// A Curve is a measure over the course of a crawl: its value after so many pages,
// which must be at least one. It may be evaluated beyond the last page of a crawl
// that ended early.
type Curve func(pages int) float64

// undefined is the value of a measure that does not exist, such as a share of
// nothing.
var undefined = math.NaN()

// A prefix holds counts of steps that meet a condition: p[k] among the first k.
// It makes every point of a curve O(1) after one pass over the trail.
type prefix []int

// countSteps counts the steps that meet a condition; it calls holds once per
// step, in order.
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

// among returns the count among the first k steps, or among all if there are
// fewer.
func (p prefix) among(k int) int { return p[min(max(k, 0), len(p)-1)] }

// ratio returns a/b, and NaN if b is 0.
func ratio(a, b int) float64 {
	if b == 0 {
		return undefined
	}
	return float64(a) / float64(b)
}

// Conditions on steps. A target is a relevant page that was neither a seed nor a
// training page.
func relevant(s *step) bool     { return s.is(markRelevant) }
func listed(s *step) bool       { return s.is(markListed) && target(s) }
func popular(s *step) bool      { return s.is(markPopular) && target(s) }
func target(s *step) bool       { return s.is(markRelevant) && !s.is(markSeed) && !s.is(markTrained) }
func judgedOn(s *step) bool     { return s.is(markOnTopic) }
func truePositive(s *step) bool { return s.is(markOnTopic) && s.is(markRelevant) }

// harvest is the share of relevant pages among the first k. A crawl that ended
// before k pages is measured as if the rest were irrelevant, as trec_eval
// computes P_k.
func harvest(t *Trail) Curve {
	n := countSteps(t, relevant)
	return func(k int) float64 { return ratio(n.among(k), k) }
}

// harvestJudged is harvest by the verdicts of the judge instead of labels.
func harvestJudged(t *Trail) Curve {
	n := countSteps(t, judgedOn)
	return func(k int) float64 { return ratio(n.among(k), k) }
}

// windowHarvest is the harvest of the last w pages alone.
func windowHarvest(t *Trail, w int) Curve {
	n := countSteps(t, relevant)
	return func(k int) float64 { return ratio(n.among(k)-n.among(k-w), min(k, w)) }
}

// share is the number of steps that meet a condition, divided by a constant.
func share(t *Trail, of int, holds func(*step) bool) Curve {
	n := countSteps(t, holds)
	return func(k int) float64 { return ratio(n.among(k), of) }
}

// area is the mean of target recall over the first k pages, that is the area
// under its curve. A crawl that ended early keeps its last recall for the rest.
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

// PrecisionRecall returns precision, recall and their harmonic mean F from the
// numbers of true positives, false positives and false negatives. A quotient
// without a denominator is NaN.
func PrecisionRecall(right, wrong, missed int) (precision, recall, f float64) {
	precision, recall = ratio(right, right+wrong), ratio(right, right+missed)
	if right == 0 {
		return precision, recall, ratio(0, wrong+missed)
	}
	return precision, recall, 2 * precision * recall / (precision + recall)
}

// precision is the share of relevant pages among those that the judge put on
// topic.
func precision(t *Trail) Curve {
	right, all := countSteps(t, truePositive), countSteps(t, judgedOn)
	return func(k int) float64 { return ratio(right.among(k), all.among(k)) }
}

// judgeRecall is the share of the fetched relevant pages that the judge put on
// topic.
func judgeRecall(t *Trail) Curve {
	right, all := countSteps(t, truePositive), countSteps(t, relevant)
	return func(k int) float64 { return ratio(right.among(k), all.among(k)) }
}

// fMeasure is F over the whole web: relevant pages that were not fetched count as
// missed.
func fMeasure(t *Trail) Curve {
	right, all := countSteps(t, truePositive), countSteps(t, judgedOn)
	return func(k int) float64 {
		_, _, f := PrecisionRecall(right.among(k), all.among(k)-right.among(k), t.Relevant-right.among(k))
		return f
	}
}

// relevance is the mean relevance by the judge, over the last w pages, or over
// all if w is 0.
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

// runningMean returns, after each value, the mean of the last w values, or of all
// if w is 0. The sum is updated, so the cost is linear; rounding errors stay far
// below the digits that reports print.
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

// hosts is the number of different hosts with a page that meets a condition.
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

// pagesTo returns the number of pages after which target recall reaches a level;
// infinity if it never does, NaN without targets. The tolerance absorbs rounding
// of level · targets.
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
