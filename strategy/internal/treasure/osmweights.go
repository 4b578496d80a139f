package treasure

import (
	"math"

	"dowse"
)

// fitted returns weights of the four parts under which similarity predicts best how near
// two nodes are by level: least squares over all pairs of nodes that share a word and are
// on different pages, with weights that are not negative and add up to 1. The value to
// predict is 1 for equal levels and falls linearly to 0 at the depth of the graph. Seyfi
// and Patel 2015 propose such weights as future work. The cost is the number of pairs that
// share a word, once per crawl.
func (o *osm) fitted(depth int) [osmParts]float64 {
	var e normal
	sims := make([][osmParts]float64, len(o.nodes))
	var met []int32
	for i := range o.nodes {
		a := &o.nodes[i]
		o.turn(&dowse.Document{})
		o.each(&a.LinkText, func(part int, m match) {
			if int(m.node) <= i || o.nodes[m.node].URL == a.URL {
				return
			}
			if sims[m.node] == [osmParts]float64{} {
				met = append(met, m.node)
			}
			sims[m.node][part] = m.sim
		})
		for _, n := range met {
			apart := math.Abs(float64(a.Level - o.nodes[n].Level))
			e.observe(sims[n], 1-apart/float64(max(depth, 1)))
			sims[n] = [osmParts]float64{}
		}
		met = met[:0]
	}
	return e.simplex()
}

// normal holds the normal equations of a least-squares problem: sums over all observations,
// so that memory does not depend on their number.
type normal struct {
	gram  [osmParts][osmParts]float64
	right [osmParts]float64
	seen  bool
}

// observe adds one pair: its four similarities and the value to predict.
func (e *normal) observe(x [osmParts]float64, y float64) {
	e.seen = true
	for i := range x {
		for j := range x {
			e.gram[i][j] += float64(x[i] * x[j])
		}
		e.right[i] += float64(x[i] * y)
	}
}

// simplex returns the weights of the least squared error among those that are not negative
// and add up to 1; equal weights if there were no pairs. The optimum has some set of
// weights above zero, and within that set it solves linear equations. There are 15 such
// sets, so that all are tried.
func (e *normal) simplex() (best [osmParts]float64) {
	for i := range best {
		best[i] = 1.0 / osmParts
	}
	if !e.seen {
		return best
	}
	least := e.loss(best)
	for set := uint(1); set < 1<<osmParts; set++ {
		if w, ok := e.within(set); ok {
			if l := e.loss(w); l < least-1e-12 {
				best, least = w, l
			}
		}
	}
	return best
}

// loss returns the squared error without the constant term, which no weight changes.
func (e *normal) loss(w [osmParts]float64) (sum float64) {
	for i := range w {
		for j := range w {
			sum += w[i] * e.gram[i][j] * w[j]
		}
		sum -= 2 * w[i] * e.right[i]
	}
	return sum
}

// within solves the problem with the weights outside a set fixed at zero, by its Lagrange
// equations. It reports false if the solution is not unique, or has a negative weight.
func (e *normal) within(set uint) (w [osmParts]float64, ok bool) {
	var parts []int
	for i := range osmParts {
		if set>>i&1 == 1 {
			parts = append(parts, i)
		}
	}
	n := len(parts)
	a := make([][]float64, n+1)
	for r := range a {
		a[r] = make([]float64, n+2)
		for c := range n {
			if r < n {
				a[r][c] = e.gram[parts[r]][parts[c]]
			} else {
				a[r][c] = 1
			}
		}
		if r < n {
			a[r][n], a[r][n+1] = 1, e.right[parts[r]]
		}
	}
	a[n][n+1] = 1
	x, ok := solve(a)
	if !ok {
		return w, false
	}
	for k, i := range parts {
		if x[k] < -1e-12 {
			return w, false
		}
		w[i] = max(x[k], 0)
	}
	return w, true
}

// solve solves linear equations, each a row with its right-hand side last, by Gauss-Jordan
// elimination with partial pivoting. It reports false if the solution is not unique.
func solve(a [][]float64) (x []float64, ok bool) {
	n := len(a)
	for c := range n {
		p := c
		for r := c + 1; r < n; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[p][c]) {
				p = r
			}
		}
		if math.Abs(a[p][c]) < 1e-12 {
			return nil, false
		}
		a[c], a[p] = a[p], a[c]
		for r := range n {
			if r != c {
				subtract(a[r], a[c], a[r][c]/a[c][c])
			}
		}
	}
	x = make([]float64, n)
	for i := range x {
		x[i] = a[i][n] / a[i][i]
	}
	return x, true
}

func subtract(row, other []float64, factor float64) {
	for i := range row {
		row[i] -= factor * other[i]
	}
}
