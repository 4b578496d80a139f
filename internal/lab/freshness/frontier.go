package freshness

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// A Frontier is what is possible by both measures at once on a web, with a number of requests, for policies that know all
// rates. No policy has the best of both (Cho and Garcia-Molina 2003), so what is possible is a curve.
//
// Its points are policies that are best for a weighted sum of the measures, from changes found alone to pages up to date alone: by the weighted
// sum of the indices, which is best when requests have been made for a long time, and by planning ahead to the last day. What is possible is
// concave: both measures are sums over pages of concave functions of how often each is
// asked, and a policy that treats a part of the pages by one point and the others by the next reaches the line between them. So points are
// joined by straight lines, and points below a line are left out.
type Frontier struct {
	Points []Point
	edge   []Result
}

// A Point is what a policy reaches that knows all rates.
type Point struct {
	// Weight is that of a page that is up to date for as long as there is one request per page, against a change that is found: 0
	// for changes found alone, infinite for pages up to date alone.
	Weight float64
	Ahead  bool // the policy knows when the measurement ends, and plans ahead
	// Share is the weighted sum as a share of a bound, which no policy that knows the rates exceeds on average. It
	// is set for policies that plan ahead.
	Share float64
	Result
}

// String returns the name of the policy.
func (p Point) String() string {
	how := "rates known, steady"
	if p.Ahead {
		how = "rates known, ahead"
	}
	switch {
	case p.Weight == 0:
		return how + ", changes found"
	case math.IsInf(p.Weight, 1):
		return how + ", up to date"
	}
	return fmt.Sprintf("%s, weight %g", how, p.Weight)
}

// The weights of the points of a frontier. Those of policies that plan ahead are fewer, since each costs a second.
var (
	steadyWeights = []float64{0, 0.1, 0.2, 0.4, 0.7, 1, 1.4, 2, 3, 4.5, 7, 10, 20, 50, math.Inf(1)}
	aheadWeights  = []float64{0, 0.5, 1, 1.5, 2, 3, 4.5, 7, 12, 30, math.Inf(1)}
)

// Frontier measures what is possible on the web.
func (w *Web) Frontier(ctx context.Context) (Frontier, error) {
	f := Frontier{}
	for _, ahead := range []bool{false, true} {
		weights := steadyWeights
		if ahead {
			weights = aheadWeights
		}
		for _, weight := range weights {
			if ctx.Err() != nil {
				return Frontier{}, ctx.Err()
			}
			f.Points = append(f.Points, w.point(weight, ahead))
		}
	}
	f.edge = edgeOf(f.Points)
	return f, nil
}

// Steady returns what is possible without planning ahead.
func (f Frontier) Steady() Frontier {
	points := slices.DeleteFunc(slices.Clone(f.Points), func(p Point) bool { return p.Ahead })
	return Frontier{points, edgeOf(points)}
}

// point measures a policy that knows all rates.
func (w *Web) point(weight float64, ahead bool) Point {
	if !ahead {
		return Point{Weight: weight, Result: w.run(w.steady(weight))}
	}
	p := planAhead(w, weight)
	r := w.run(p.policy)
	sum := p.days * (p.fresh*r.Fresh + p.found*p.perDay*r.Found)
	return Point{weight, true, sum / p.bound, r}
}

// edgeOf returns the corners of the line above all points, with more pages up to date and fewer changes found from each to the next.
func edgeOf(points []Point) (edge []Result) {
	list := make([]Result, len(points))
	for i, p := range points {
		list[i] = p.Result
	}
	slices.SortFunc(list, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.Fresh, b.Fresh), cmp.Compare(a.Found, b.Found))
	})
	for _, r := range list {
		for n := len(edge); n > 0 && (edge[n-1].Found <= r.Found || n > 1 && !turnsDown(edge[n-2], edge[n-1], r)); n-- {
			edge = edge[:n-1]
		}
		edge = append(edge, r)
	}
	return edge
}

// turnsDown reports whether b lies above the line from a to c, which are to its left and right.
func turnsDown(a, b, c Result) bool {
	return (b.Found-a.Found)*(c.Fresh-a.Fresh) > (c.Found-a.Found)*(b.Fresh-a.Fresh)
}

// FoundAt returns the changes per request that are possible while keeping a share of the pages up to date. Beyond the end of the
// frontier it is that of its end.
func (f Frontier) FoundAt(fresh float64) float64 {
	for i, b := range f.edge {
		if fresh > b.Fresh {
			continue
		}
		if i == 0 {
			return b.Found
		}
		a := f.edge[i-1]
		return a.Found + (b.Found-a.Found)*(fresh-a.Fresh)/(b.Fresh-a.Fresh)
	}
	return f.edge[len(f.edge)-1].Found
}

// FreshAt returns the share of the pages that can be kept up to date while finding that many changes per request. Beyond the
// end of the frontier it is that of its end.
func (f Frontier) FreshAt(found float64) float64 {
	for i, b := range slices.Backward(f.edge) {
		if found > b.Found {
			continue
		}
		if i == len(f.edge)-1 {
			return b.Fresh
		}
		a := f.edge[i+1]
		return a.Fresh + (b.Fresh-a.Fresh)*(found-a.Found)/(b.Found-a.Found)
	}
	return f.edge[0].Fresh
}
