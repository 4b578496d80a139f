package lab

import (
	"context"
	"fmt"
	"time"

	"dowse"
	"dowse/crawl"
)

// Epoch is when every simulated crawl begins, in virtual time.
var Epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// A Setup holds everything that one simulated crawl is made of. Its visits run
// concurrently up to Crawl.Polite.InFlight, in virtual time.
type Setup struct {
	Crawl crawl.Config // strategy, threshold, limits, politeness, as for a live crawl
	Web   Web
	Seeds []dowse.URL
	Each  func(now time.Time, p *dowse.Page) bool // called for every page as it is absorbed; false ends the crawl; nil for nobody
	Clock func() time.Duration                    // the machine's clock; nil measures no work
}

// An Ending describes a simulated crawl that has ended.
type Ending struct {
	Stopped dowse.StopReason // why; "" if Each or the context ended it
	Elapsed time.Duration    // virtual
	Worked  time.Duration    // of strategy and frontier by Setup.Clock
}

// Run simulates the crawl until it stops, Each returns false, or ctx ends; then Run
// returns the error of ctx.
func (s Setup) Run(ctx context.Context) (Ending, error) {
	c, err := crawl.New(s.Crawl)
	if err != nil {
		return Ending{}, fmt.Errorf("lab: %w", err)
	}
	c.Start(Epoch, s.Seeds)
	sim := Simulation{Crawl: c, Web: s.Web, Workers: s.Crawl.Polite.InFlight, Start: Epoch, Clock: s.Clock,
		Each: func(now time.Time, p *dowse.Page) bool {
			return (s.Each == nil || s.Each(now, p)) && ctx.Err() == nil
		}}
	elapsed := sim.Run()
	return Ending{Stopped: c.Stopped(), Elapsed: elapsed, Worked: sim.Worked}, ctx.Err()
}
