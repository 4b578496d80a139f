package judge

import (
	"math"

	"dowse/internal/text"
)

const kmeansRounds = 50

// kmeans divides points of unit length into at most k clusters by the cosine, and
// returns their centres and in which cluster each point is. It starts from the first
// point and then the farthest from those chosen, so that it needs no chance.
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

type means struct {
	points  []text.Vector
	centres [][]float64
	norms   []float64
	in      []int
}

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

// farthest returns the first of the largest.
func farthest(distances []float64) int {
	best := 0
	for i, d := range distances {
		if d > distances[best] {
			best = i
		}
	}
	return best
}

// put moves a centre to a point.
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

// distance is 1 - cosine, from 0 to 1; 1 where there is no angle.
func distance(dot, a, b float64) float64 {
	if a == 0 || b == 0 {
		return 1
	}
	return min(max(1-dot/(a*b), 0), 1)
}

// assign puts each point into the cluster of the nearest centre and reports whether
// any moved.
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

// move puts each centre into the middle of its cluster. An empty cluster begins
// anew at the point that is farthest from its centre.
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

func (m *means) stray() int {
	distances := make([]float64, len(m.points))
	for i := range m.points {
		distances[i] = m.distance(i, m.in[i])
	}
	return farthest(distances)
}
