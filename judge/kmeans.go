package judge

import (
	"math"

	"dowse/text"
)

// kmeansRounds limits the iterations. k-means always ends, but in the worst case late;
// a few pages that still move between clusters do not change a rating.
const kmeansRounds = 50

// kmeans divides vectors of length 1 into at most k clusters by cosine distance, and
// returns the centres and the cluster of every vector. The first centre is the first
// point, each further one the point farthest from all before it; so the result depends
// on the order of the points and on no random numbers. A round costs one product per
// point and centre.
func kmeans(points []text.Vector, k, size int) ([][]float64, []int) {
	m := newMeans(points, min(k, len(points)), size)
	for range kmeansRounds {
		if !m.assign() {
			break
		}
		m.move()
	}
	return m.centres, m.in
}

// means is the state of one clustering.
type means struct {
	points  []text.Vector
	centres [][]float64
	norms   []float64
	in      []int
}

// newMeans chooses the first centres: point 0, then repeatedly the point farthest from
// all chosen ones.
func newMeans(points []text.Vector, k, size int) *means {
	m := &means{points: points, in: make([]int, len(points))}
	nearest := make([]float64, len(points))
	for i := range points {
		m.in[i] = -1
		nearest[i] = math.Inf(1)
	}
	next := 0
	for range k {
		m.centres = append(m.centres, make([]float64, size))
		m.norms = append(m.norms, 0)
		c := len(m.centres) - 1
		m.put(c, points[next])
		for i := range points {
			nearest[i] = min(nearest[i], m.distance(i, c))
		}
		next = farthest(nearest)
	}
	return m
}

// farthest returns the index of the largest distance, the first of equal ones.
func farthest(distances []float64) int {
	best := 0
	for i, d := range distances {
		if d > distances[best] {
			best = i
		}
	}
	return best
}

// put sets a centre to a point.
func (m *means) put(c int, v text.Vector) {
	clear(m.centres[c])
	for _, e := range v {
		m.centres[c][e.Term] = e.Weight
	}
	m.norms[c] = norm(m.centres[c])
}

func norm(x []float64) float64 {
	sum := 0.0
	for _, w := range x {
		sum += float64(w * w)
	}
	return math.Sqrt(sum)
}

func (m *means) distance(i, c int) float64 {
	v := m.points[i]
	return distance(v.DotDense(m.centres[c]), v.Norm(), m.norms[c])
}

// distance is 1 - cosine, limited to 0 .. 1. It is 1 if one of the vectors has length
// 0 and there is no angle.
func distance(dot, a, b float64) float64 {
	if a == 0 || b == 0 {
		return 1
	}
	return min(max(1-dot/(a*b), 0), 1)
}

// assign puts every point into the cluster of its nearest centre, the first of equal
// ones, and reports whether any point moved.
func (m *means) assign() (moved bool) {
	for i := range m.points {
		best, least := 0, math.Inf(1)
		for c := range m.centres {
			if d := m.distance(i, c); d < least {
				best, least = c, d
			}
		}
		moved = moved || m.in[i] != best
		m.in[i] = best
	}
	return moved
}

// move sets every centre to the mean of its cluster. An empty cluster restarts at the
// point farthest from its own centre, so that k clusters remain.
func (m *means) move() {
	for c := range m.centres {
		members := 0
		sum := make([]float64, len(m.centres[c]))
		for i, v := range m.points {
			if m.in[i] != c {
				continue
			}
			members++
			for _, e := range v {
				sum[e.Term] += e.Weight
			}
		}
		if members == 0 {
			m.put(c, m.points[m.stray()])
			continue
		}
		for t := range sum {
			sum[t] /= float64(members)
		}
		m.centres[c], m.norms[c] = sum, norm(sum)
	}
}

// stray returns the point that is farthest from the centre of its cluster.
func (m *means) stray() int {
	distances := make([]float64, len(m.points))
	for i := range m.points {
		distances[i] = m.distance(i, m.in[i])
	}
	return farthest(distances)
}
