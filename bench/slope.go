package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// A slope is how fast a measure grows, with a 95 % interval.
type slope struct{ at, low, high float64 }

func (s slope) String() string { return fmt.Sprintf("%+.2f (%+.2f to %+.2f)", s.at, s.low, s.high) }

// slopeOf fits a line to a measure y over x by least squares. If within is set, only differences
// within runs count, so that a leak is not hidden by runs that begin with little memory.
//
// Samples of one run are alike, so the interval comes from drawing whole runs with
// replacement: one that takes samples as independent would be far too narrow.
func slopeOf(list []sample, x, y func(sample) float64, within bool, rng *rand.Rand) slope {
	var runs []moments
	for _, s := range list {
		for len(runs) <= s.run {
			runs = append(runs, moments{})
		}
		runs[s.run].add(x(s), y(s))
	}
	runs = slices.DeleteFunc(runs, func(m moments) bool { return m.n == 0 })
	drawn := make([]float64, 0, 2000)
	for range cap(drawn) {
		some := make([]moments, len(runs))
		for i := range some {
			some[i] = runs[rng.IntN(len(runs))]
		}
		drawn = append(drawn, fit(some, within))
	}
	slices.Sort(drawn)
	return slope{fit(runs, within), drawn[len(drawn)/40], drawn[len(drawn)-1-len(drawn)/40]}
}

// moments are the sums over the samples of a run that a line needs.
type moments struct{ n, x, y, xx, xy float64 }

func (m *moments) add(x, y float64) {
	m.n, m.x, m.y, m.xx, m.xy = m.n+1, m.x+x, m.y+y, m.xx+x*x, m.xy+x*y
}

// fit returns the slope of the line through the samples of runs; 0 if they have one x only.
func fit(runs []moments, within bool) float64 {
	var all moments
	var xx, xy float64 // sums of squares and products around the means
	for _, m := range runs {
		all = moments{all.n + m.n, all.x + m.x, all.y + m.y, all.xx + m.xx, all.xy + m.xy}
		xx, xy = xx+m.xx-m.x*m.x/m.n, xy+m.xy-m.x*m.y/m.n
	}
	if !within {
		xx, xy = all.xx-all.x*all.x/all.n, all.xy-all.x*all.y/all.n
	}
	if xx <= 1e-12*all.xx {
		return 0
	}
	return xy / xx
}

// median returns the median of a measure.
func median(list []sample, of func(sample) float64) float64 {
	var v []float64
	for _, s := range list {
		v = append(v, of(s))
	}
	slices.Sort(v)
	return v[len(v)/2]
}
