package experiment_test

import (
	"context"
	"fmt"
	"os"

	"dowse"
	"dowse/internal/lab/measure"
	"dowse/lab/experiment"
	"dowse/strategy"
)

// shortest visits pages with short URLs first.
type shortest struct {
	Weight float64 `param:"weight" default:"1" help:"of a character"`
}

func (s *shortest) Follow(p *dowse.Page) (leads []dowse.Lead) {
	weight := s.Weight
	if weight == 0 {
		weight = 1
	}
	for _, l := range p.Links {
		leads = append(leads, dowse.Lead{URL: l.URL, Priority: -weight * float64(len(l.URL))})
	}
	return leads
}

// A program compares a strategy of its own with those of dowse: it describes the strategy
// to Parse, and the experiment names it like any other.
func Example() {
	mine := strategy.Describe("shortest", "ours", "short URLs first", func() dowse.Strategy { return &shortest{} })
	x, err := experiment.Parse([]byte(`
dowse: lab/v1
name: mine
web: {demo: {pages: 1000}}
topics: {from: web, limit: 2}
training: {positives: 5}
budget: {pages: 40}
strategies:
  - breadth-first
  - {name: shortest, params: {weight: [1, 2]}}
`), "mine.yaml", mine)
	if err != nil {
		fmt.Println(err)
		return
	}
	cache, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(cache)
	results, err := experiment.Run(context.Background(), x, experiment.Options{Cache: cache})
	if err != nil {
		fmt.Println(err)
		return
	}
	runs := measure.Runs{Trails: results.Trails}
	for _, name := range runs.Strategies() {
		fmt.Println(name, len(runs.ByTopic(measure.MustParse("harvest@end"), name)), "topics")
	}
	// Output:
	// breadth-first 2 topics
	// shortest:weight=1 2 topics
	// shortest:weight=2 2 topics
}
