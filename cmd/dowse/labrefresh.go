package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"dowse/internal/lab/freshness"
)

// labRefreshCmd measures policies of revisits on the demo web that changes, in virtual time: how many pages
// are up to date, and how many changes a request finds.
type labRefreshCmd struct {
	Seeds  int       `default:"5" placeholder:"N" help:"Number of webs."`
	First  uint64    `name:"first-seed" default:"1" placeholder:"N" help:"Random seed of the first web; the others follow."`
	Days   int       `default:"60" placeholder:"N" help:"Days of virtual time."`
	PerDay []float64 `name:"per-day" default:"0.03,0.1,0.3" placeholder:"X,..." help:"Requests per page and day."`
	Pages  int       `default:"2400" placeholder:"N" help:"Pages of a web."`
	// Frontier prints the policies with which all others are compared by both measures.
	Frontier bool `help:"Print the policies that know all rates, too."`
	JSON     bool `help:"Print JSON, one line per policy."`
}

func (labRefreshCmd) Help() string {
	return `Examples:
  dowse lab refresh --first-seed 2001      the table of docs/refresh.md
  dowse lab refresh --seeds 2 --per-day 0.1

Pages on topic of the demo web are asked again in virtual time, by the planner of
dowse crawl --refresh auto and --refresh changes, and by others: at random
(uniform), in turn (round robin), with known rates of change, and with known rates and one measure as the
only aim (best). No policy is the best by both measures. So there are two shares: of the best policy for
the measure alone, and of the possible. That is what a policy that knows all rates reaches
while it is as good as this one by the other measure; --frontier prints
those policies. "Not below uniform" counts the webs on which a policy is as good as random
requests by both measures. Figures are means over webs, with their standard deviation.`
}

// A freshnessRow is the result of a policy at a number of requests.
type freshnessRow struct {
	PerDay   float64 `json:"per_day"`
	Policy   string  `json:"policy"`
	Fresh    float64 `json:"fresh"`
	FreshDev float64 `json:"fresh_deviation"`
	Found    float64 `json:"found"`
	FoundDev float64 `json:"found_deviation"`
	// Shares of the best policies for one measure alone.
	FreshBest float64 `json:"fresh_of_best"`
	FoundBest float64 `json:"found_of_best"`
	// Shares of what is possible by both measures, see [freshness.Frontier].
	FreshPossible    float64 `json:"fresh_of_possible"`
	FreshPossibleDev float64 `json:"fresh_of_possible_deviation"`
	FoundPossible    float64 `json:"found_of_possible"`
	FoundPossibleDev float64 `json:"found_of_possible_deviation"`
	// The same without policies that plan ahead.
	FreshSteady    float64 `json:"fresh_of_steady"`
	FreshSteadyDev float64 `json:"fresh_of_steady_deviation"`
	FoundSteady    float64 `json:"found_of_steady"`
	FoundSteadyDev float64 `json:"found_of_steady_deviation"`
	NotBelow       int     `json:"webs_not_below_uniform"` // by both measures
	Webs           int     `json:"webs"`
}

// Run measures every policy on every web and prints a table in Markdown.
func (c *labRefreshCmd) Run(w *world) error {
	if c.Seeds < 1 || c.Seeds > 1000 || c.Days < 1 || c.Days > 3650 || c.Pages < 1000 || c.Pages > 100_000 || len(c.PerDay) == 0 {
		return usage("lab refresh: got %d seeds, %d days and %d pages, want 1 to 1000 seeds, 1 to 3650 days and 1000 to 100000 pages", c.Seeds, c.Days, c.Pages)
	}
	for _, per := range c.PerDay {
		if !(per > 0 && per <= 100) {
			return usage("--per-day %v: want a number above 0, at most 100", per)
		}
	}
	if !c.JSON {
		fmt.Fprint(w.out, "| requests per page and day | policy | up to date | of the best | of the possible | changes per request | of the best | of the possible | not below uniform |\n|---|---|---|---|---|---|---|---|---|\n")
	}
	for _, per := range c.PerDay {
		webs, err := c.measure(w, per)
		if err != nil {
			return err
		}
		for _, r := range c.rows(per, webs) {
			if c.JSON {
				if err := jsonLine(w.out, r); err != nil {
					return err
				}
				continue
			}
			fmt.Fprintf(w.out, "| %g | %s | %.3f ± %.3f | %.2f | %.2f ± %.2f | %.3f ± %.3f | %.2f | %.2f ± %.2f | %d of %d |\n", per, r.Policy,
				r.Fresh, r.FreshDev, r.FreshBest, r.FreshPossible, r.FreshPossibleDev, r.Found, r.FoundDev, r.FoundBest, r.FoundPossible, r.FoundPossibleDev, r.NotBelow, r.Webs)
		}
	}
	return nil
}

// A freshnessWeb is what all policies reach on a web, and what is possible there.
type freshnessWeb struct {
	policies []freshness.Result // in the order of freshness.Policies
	frontier freshness.Frontier
	err      error
}

// measure runs all policies on all webs at a number of requests, as many webs concurrently as there are processors.
func (c *labRefreshCmd) measure(w *world, per float64) ([]freshnessWeb, error) {
	webs := make([]freshnessWeb, c.Seeds)
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i := range webs {
		group.Go(func() {
			room <- struct{}{}
			webs[i] = measureWeb(w.ctx, freshness.Setup{Seed: c.First + uint64(i), Pages: c.Pages, Days: c.Days, PerDay: per})
			<-room
		})
	}
	group.Wait()
	for _, x := range webs {
		switch {
		case w.ctx.Err() != nil:
			return nil, &exitError{exitInterrupted, errors.New("interrupted")}
		case x.err != nil:
			return nil, x.err
		}
	}
	return webs, nil
}

// measureWeb runs all policies on a web.
func measureWeb(ctx context.Context, s freshness.Setup) (x freshnessWeb) {
	web := freshness.New(s)
	for _, name := range freshness.Policies() {
		var r freshness.Result
		if x.err = ctx.Err(); x.err == nil {
			r, x.err = web.Run(name)
		}
		if x.err != nil {
			return x
		}
		x.policies = append(x.policies, r)
	}
	x.frontier, x.err = web.Frontier(ctx)
	return x
}

// rows returns the means over webs: of all policies, and with --frontier of its points.
func (c *labRefreshCmd) rows(per float64, webs []freshnessWeb) (rows []freshnessRow) {
	uniform := slices.Index(freshness.Policies(), freshness.Uniform)
	add := func(name string, of func(x *freshnessWeb) freshness.Result) {
		r := freshnessRow{PerDay: per, Policy: name, Webs: len(webs)}
		var fresh, found, freshPossible, foundPossible, freshSteady, foundSteady []float64
		for i := range webs {
			got, random := of(&webs[i]), webs[i].policies[uniform]
			fresh, found = append(fresh, got.Fresh), append(found, got.Found)
			freshPossible = append(freshPossible, got.Fresh/webs[i].frontier.FreshAt(got.Found))
			foundPossible = append(foundPossible, got.Found/webs[i].frontier.FoundAt(got.Fresh))
			steady := webs[i].frontier.Steady()
			freshSteady = append(freshSteady, got.Fresh/steady.FreshAt(got.Found))
			foundSteady = append(foundSteady, got.Found/steady.FoundAt(got.Fresh))
			if got.Fresh >= random.Fresh && got.Found >= random.Found {
				r.NotBelow++
			}
		}
		r.Fresh, r.FreshDev = meanAndDeviation(fresh)
		r.Found, r.FoundDev = meanAndDeviation(found)
		r.FreshPossible, r.FreshPossibleDev = meanAndDeviation(freshPossible)
		r.FoundPossible, r.FoundPossibleDev = meanAndDeviation(foundPossible)
		r.FreshSteady, r.FreshSteadyDev = meanAndDeviation(freshSteady)
		r.FoundSteady, r.FoundSteadyDev = meanAndDeviation(foundSteady)
		rows = append(rows, r)
	}
	for k, name := range freshness.Policies() {
		add(name, func(x *freshnessWeb) freshness.Result { return x.policies[k] })
	}
	freshBest, foundBest := 0.0, 0.0
	for _, r := range rows {
		freshBest, foundBest = max(freshBest, r.Fresh), max(foundBest, r.Found)
	}
	if c.Frontier {
		for k, p := range webs[0].frontier.Points {
			add(p.String(), func(x *freshnessWeb) freshness.Result { return x.frontier.Points[k].Result })
		}
	}
	for i := range rows {
		rows[i].FreshBest, rows[i].FoundBest = rows[i].Fresh/freshBest, rows[i].Found/foundBest
	}
	return rows
}

// meanAndDeviation returns the mean of numbers and their standard deviation; 0 for a single one.
func meanAndDeviation(list []float64) (mean, deviation float64) {
	for _, x := range list {
		mean += x / float64(len(list))
	}
	if len(list) < 2 {
		return mean, 0
	}
	for _, x := range list {
		deviation += (x - mean) * (x - mean) / float64(len(list)-1)
	}
	return mean, math.Sqrt(deviation)
}
