package lab

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/estimate"
)

// Epoch is when every simulated crawl begins, in virtual time: 2000-01-01 UTC. It
// is fixed so that recorded times are the same in every run.
var Epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// A Setup holds everything that one simulated crawl is made of. Its visits run
// concurrently in virtual time, up to Crawl.Polite.InFlight of them.
type Setup struct {
	Crawl crawl.Config // strategy, threshold, limits, politeness, as for a live crawl
	Web   Web
	Seeds []dowse.URL
	Each  func(now time.Time, p *dowse.Page) bool // if set, called for every page after it is absorbed; false ends the crawl
	Clock func() time.Duration                    // processor or wall time, for Ending.Worked; nil measures nothing

	// Revise, if set, is called after every page, and may decide again what the crawl has
	// decided, as [crawl.Crawl.Rerank] does. An error ends the crawl.
	Revise func(now time.Time, c *crawl.Crawl) error
}

// An Ending describes a simulated crawl that has ended.
type Ending struct {
	Stopped dowse.StopReason // why the crawl stopped; "" if Each or the context ended it
	Elapsed time.Duration    // virtual time from Epoch to the last arrival
	Worked  time.Duration    // time that strategy and frontier used, by Setup.Clock

	// Estimates are what the crawl took to be found and left, whenever that changed, in order.
	Estimates []estimate.At
}

// Run simulates the crawl until it stops, Each returns false, or ctx ends. If ctx
// ends, Run returns its error together with what was reached; it looks at ctx
// after every page. A crawl configuration that [crawl.New] refuses is an error
// and makes no visit.
func (s Setup) Run(ctx context.Context) (Ending, error) {
	c, err := crawl.New(s.Crawl)
	if err != nil {
		return Ending{}, fmt.Errorf("lab: %w", err)
	}
	c.Start(Epoch, s.Seeds)
	var failed error
	var estimates []estimate.At
	sim := Simulation{Crawl: c, Web: s.Web, Workers: s.Crawl.Polite.InFlight, Start: Epoch, Clock: s.Clock,
		Each: func(now time.Time, p *dowse.Page) bool {
			estimates = appendEstimate(estimates, c.Status())
			if s.Each != nil && !s.Each(now, p) || ctx.Err() != nil {
				return false
			}
			if s.Revise != nil {
				failed = s.Revise(now, c)
			}
			return failed == nil
		}}
	elapsed := sim.Run()
	return Ending{Stopped: c.Stopped(), Elapsed: elapsed, Worked: sim.Worked, Estimates: estimates}, cmp.Or(failed, ctx.Err())
}

// appendEstimate appends the estimate of a crawl, if it has another one of how much is left
// than before.
func appendEstimate(list []estimate.At, s crawl.Status) []estimate.At {
	e := s.Estimate
	if e.Found == 0 {
		return list
	}
	if n := len(list); n > 0 {
		last := list[n-1]
		if last.Total-last.Found == e.Total-e.Found && last.Most-last.Found == e.Most-e.Found && last.Least-last.Found == e.Least-e.Found {
			return list
		}
	}
	return append(list, estimate.At{Pages: s.Fetched, Recall: e})
}
