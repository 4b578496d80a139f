package measure

import (
	"slices"

	"dowse/internal/estimate"
)

// estimateKinds are the measures of what a crawl takes to be found and left, against what
// is true: the pages within reach that its judge takes to be on topic, or those that are by
// their labels.
func estimateKinds() []Kind {
	return []Kind{
		{Name: "estimate_recall", Title: "recall, as the crawl estimates it", Unit: "share", of: plain(estimated(func(e *estimate.At, _ int) float64 { return e.Recall.Recall }, nothing)),
			Doc: "share of the pages on topic that the crawl takes to be found, by its own estimate"},
		{Name: "estimate_total", Title: "estimate of the pages on topic, by their number", Unit: "ratio", of: plain(estimated(ratioOfTotal, judgedTotal)),
			Doc: "pages on topic that the crawl takes to be there, by those within reach that the judge takes to be on topic"},
		{Name: "estimate_width", Title: "width of the estimate's interval", Unit: "ratio", Lower: true, of: plain(estimated(widthOfInterval, judgedTotal)),
			Doc: "width of the estimate's 90 % interval, by the pages within reach that the judge takes to be on topic"},
		{Name: "estimate_covers", Title: "the estimate's interval has the truth", Unit: "share", of: plain(estimated(covers, judgedTotal)),
			Doc: "crawls whose 90 % interval has the number of pages within reach that the judge takes to be on topic"},
		{Name: "estimate_covers_labels", Title: "the estimate's interval has the number of labels", Unit: "share", of: plain(estimated(covers, labelledTotal)),
			Doc: "crawls whose 90 % interval has the number of pages of the topic within reach, by their labels"},
	}
}

// IsEstimate reports whether a measure compares an estimate with what the judge makes of
// the whole web, so that every page of it must be judged.
func (m Measure) IsEstimate() bool {
	return slices.ContainsFunc(estimateKinds(), func(k Kind) bool { return k.Name == m.kind })
}

func nothing(*Trail) int { return 1 }

func judgedTotal(t *Trail) int { return t.OnTopic }

// labelledTotal counts the relevant seeds, which are no targets.
func labelledTotal(t *Trail) int {
	seeds := countSteps(t, func(s *step) bool { return s.is(markRelevant) && s.is(markSeed) })
	return t.Reachable + seeds.among(t.Steps.Len())
}

// estimated returns the curve of a figure of the latest estimate and of what is true.
func estimated(figure func(e *estimate.At, truth int) float64, truth func(*Trail) int) func(*Trail) Curve {
	return func(t *Trail) Curve {
		n := truth(t)
		return func(k int) float64 {
			i, exact := slices.BinarySearchFunc(t.Estimates, k, func(e estimate.At, k int) int { return e.Pages - k })
			for exact && i+1 < len(t.Estimates) && t.Estimates[i+1].Pages == k {
				i++
			}
			if !exact {
				i--
			}
			if i < 0 || n == 0 {
				return undefined
			}
			return figure(&t.Estimates[i], n)
		}
	}
}

func ratioOfTotal(e *estimate.At, truth int) float64 { return ratio(e.Total, truth) }

func widthOfInterval(e *estimate.At, truth int) float64 { return ratio(e.Most-e.Least, truth) }

func covers(e *estimate.At, truth int) float64 {
	if truth >= e.Least && truth <= e.Most {
		return 1
	}
	return 0
}
