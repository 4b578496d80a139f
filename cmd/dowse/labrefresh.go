package main

import (
	"errors"
	"fmt"
	"math"

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
	JSON   bool      `help:"Print JSON, one line per policy."`
}

func (labRefreshCmd) Help() string {
	return `Examples:
  dowse lab refresh --first-seed 2001      the table of docs/refresh.md
  dowse lab refresh --seeds 2 --per-day 0.1

Pages on topic of the demo web are asked again in virtual time, by the planner of
dowse crawl --refresh auto and --refresh changes, and by others: at random
(uniform), in turn (round robin), with known rates of change, and with known rates and one measure as the
only aim. Figures are means over webs, with their standard deviation.`
}

// A freshnessRow is the result of a policy at a number of requests.
type freshnessRow struct {
	PerDay    float64 `json:"per_day"`
	Policy    string  `json:"policy"`
	Fresh     float64 `json:"fresh"`
	FreshDev  float64 `json:"fresh_deviation"`
	Found     float64 `json:"found"`
	FoundDev  float64 `json:"found_deviation"`
	fresh     []float64
	found     []float64
	freshBest float64
	foundBest float64
}

// Run measures every policy on every web and prints a table in Markdown.
func (c *labRefreshCmd) Run(w *world) error {
	if c.Seeds < 1 || c.Seeds > 1000 || c.Days < 1 || c.Days > 3650 || c.Pages < 1000 || c.Pages > 100_000 || len(c.PerDay) == 0 {
		return usage("lab refresh: want 1 to 1000 seeds, 1 to 3650 days and 1000 to 100000 pages")
	}
	if !c.JSON {
		fmt.Fprintf(w.out, "| requests per page and day | policy | up to date | of the best | changes per request | of the best |\n|---|---|---|---|---|---|\n")
	}
	for _, per := range c.PerDay {
		if !(per > 0 && per <= 100) {
			return usage("--per-day %v: want a number above 0, at most 100", per)
		}
		rows, err := c.measure(w, per)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if c.JSON {
				if err := jsonLine(w.out, r); err != nil {
					return err
				}
				continue
			}
			fmt.Fprintf(w.out, "| %g | %s | %.3f ± %.3f | %.2f | %.3f ± %.3f | %.2f |\n", per, r.Policy, r.Fresh, r.FreshDev, r.Fresh/r.freshBest, r.Found, r.FoundDev, r.Found/r.foundBest)
		}
	}
	return nil
}

// measure runs all policies at a number of requests.
func (c *labRefreshCmd) measure(w *world, per float64) ([]freshnessRow, error) {
	var rows []freshnessRow
	freshBest, foundBest := 0.0, 0.0
	for _, name := range freshness.Policies() {
		r := freshnessRow{PerDay: per, Policy: name}
		for seed := range uint64(c.Seeds) {
			if w.ctx.Err() != nil {
				return nil, &exitError{exitInterrupted, errors.New("interrupted")}
			}
			x, err := freshness.Run(freshness.Setup{Seed: c.First + seed, Pages: c.Pages, Days: c.Days, PerDay: per}, name)
			if err != nil {
				return nil, err
			}
			r.fresh, r.found = append(r.fresh, x.Fresh), append(r.found, x.Found)
		}
		r.Fresh, r.FreshDev = meanAndDeviation(r.fresh)
		r.Found, r.FoundDev = meanAndDeviation(r.found)
		freshBest, foundBest = max(freshBest, r.Fresh), max(foundBest, r.Found)
		rows = append(rows, r)
	}
	for i := range rows {
		rows[i].freshBest, rows[i].foundBest = freshBest, foundBest
	}
	return rows, nil
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
