package operations

import (
	"context"
	"math"
	"time"
)

// thresholdSteps is how many thresholds are counted between 0 and 1.
const thresholdSteps = 100

// Thresholds counts how many pages would be on topic if the threshold were another one.
type Thresholds struct {
	Threshold float64 `json:"threshold" doc:"the present threshold"`
	OnTopic   int     `json:"on_topic" doc:"pages on topic now"`
	Pages     int     `json:"pages" doc:"pages that were judged"`
	// Counts has an entry per hundredth from 0 to 1.
	Counts []int     `json:"counts" doc:"pages whose relevance is at least 0, 0.01, 0.02, … 1"`
	Seen   time.Time `json:"seen" doc:"the moment that this shows"`
}

// At returns how many pages would be on topic at a threshold, which is rounded to a hundredth.
func (t *Thresholds) At(x float64) int {
	return t.Counts[max(0, min(thresholdSteps, int(math.Round(x*thresholdSteps))))]
}

// Thresholds counts the pages that would be on topic at each threshold, by the present model. A change of the
// threshold changes the crawl from then on, too: these are counts of what was fetched.
func (o *Operations) Thresholds(ctx context.Context, id string) (*Thresholds, error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	var t *Thresholds
	err = s.use(ctx, func(v *openView) error {
		t = &Thresholds{Threshold: v.col.Threshold(), Pages: len(v.pages.ids), Counts: atLeast(v.pages.relevance), Seen: v.at.UTC()}
		if t.Pages > 0 {
			t.OnTopic = int(v.pages.on[t.Pages-1])
		}
		return nil
	})
	return t, err
}

// atLeast counts the values that are at least 0, 0.01, 0.02 and so on.
func atLeast(list []float64) []int {
	counts := make([]int, thresholdSteps+1)
	for _, x := range list {
		i := max(0, min(thresholdSteps, int(x*thresholdSteps)))
		// A product may be rounded over a step, or not quite reach one.
		for i < thresholdSteps && x >= float64(i+1)/thresholdSteps {
			i++
		}
		for i > 0 && x < float64(i)/thresholdSteps {
			i--
		}
		counts[i]++
	}
	for i := thresholdSteps - 1; i >= 0; i-- {
		counts[i] += counts[i+1]
	}
	return counts
}
