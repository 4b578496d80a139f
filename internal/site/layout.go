package site

import (
	"math"
	"math/rand/v2"
)

// A point is a place in the picture.
type point struct{ x, y float64 }

// The number of rounds after which a layout has settled for a thousand nodes, and
// the random seed of the first positions.
const (
	layoutRounds = 300
	layoutSeed   = 1
)

// layout places the nodes: sites that link to each other attract, all repel
// each other, and a pull to the centre keeps loose ones in the picture
// (Fruchterman and Reingold 1991). The result is the same for the same graph.
// The cost is O(rounds · nodes²).
func (g *Graph) layout(width, height float64) []point {
	n := len(g.Nodes)
	rng := rand.New(rand.NewPCG(layoutSeed, uint64(n)))
	at, move := make([]point, n), make([]point, n)
	for i := range at {
		angle, r := 2*math.Pi*rng.Float64(), math.Sqrt(rng.Float64())
		at[i] = point{width / 2 * (1 + 0.8*r*math.Cos(angle)), height / 2 * (1 + 0.8*r*math.Sin(angle))}
	}
	ideal := 0.9 * math.Sqrt(width*height/float64(max(n, 1)))
	pull := g.pulls()
	for round := range layoutRounds {
		clear(move)
		repel(at, move, ideal)
		g.attract(at, move, pull, ideal)
		heat := ideal * (1 - float64(round)/layoutRounds)
		for i := range at {
			move[i].x += (width/2 - at[i].x) * gravity * height / width
			move[i].y += (height/2 - at[i].y) * gravity * width / height
			step(&at[i], move[i], heat)
		}
	}
	spread(at, width, height)
	return at
}

const (
	gravity = 0.9 // strength of the pull to the centre
	reach   = 3.5 // range of repulsion, in ideal distances
)

// pulls returns the strength of each edge: nodes with many edges divide their
// strength among them, so that well-linked sites are not drawn into one spot.
func (g *Graph) pulls() []float64 {
	degree := make([]float64, len(g.Nodes))
	for _, e := range g.Edges {
		degree[e.From]++
		degree[e.To]++
	}
	pull := make([]float64, len(g.Edges))
	for i, e := range g.Edges {
		pull[i] = 1 / math.Sqrt(min(degree[e.From], degree[e.To]))
	}
	return pull
}

// repel pushes all pairs of nodes apart, by the square of the ideal distance over
// their own. Nodes that are far apart are skipped, which saves most of the time
// and changes little.
func repel(at, move []point, ideal float64) {
	for i := range at {
		for k := i + 1; k < len(at); k++ {
			dx, dy := at[i].x-at[k].x, at[i].y-at[k].y
			d2 := max(dx*dx+dy*dy, 0.01)
			if d2 > reach*reach*ideal*ideal {
				continue
			}
			f := ideal * ideal / d2
			move[i].x += dx * f
			move[i].y += dy * f
			move[k].x -= dx * f
			move[k].y -= dy * f
		}
	}
}

// attract moves linked nodes towards each other, by the square of their distance
// over the ideal one.
func (g *Graph) attract(at, move []point, pull []float64, ideal float64) {
	for i, e := range g.Edges {
		dx, dy := at[e.From].x-at[e.To].x, at[e.From].y-at[e.To].y
		f := 0.12 * pull[i] * math.Sqrt(dx*dx+dy*dy) / ideal
		move[e.From].x -= dx * f
		move[e.From].y -= dy * f
		move[e.To].x += dx * f
		move[e.To].y += dy * f
	}
}

// step moves a node, by heat at most. Heat falls from round to round, so that the
// layout comes to rest.
func step(p *point, by point, heat float64) {
	d := math.Sqrt(by.x*by.x + by.y*by.y)
	if d == 0 {
		return
	}
	scale := min(d, heat) / d
	p.x += by.x * scale
	p.y += by.y * scale
}

// spread scales the positions to fill the picture.
func spread(at []point, width, height float64) {
	if len(at) == 0 {
		return
	}
	low, high := at[0], at[0]
	for _, p := range at {
		low = point{min(low.x, p.x), min(low.y, p.y)}
		high = point{max(high.x, p.x), max(high.y, p.y)}
	}
	for i := range at {
		at[i].x = fitted(at[i].x, low.x, high.x, width)
		at[i].y = fitted(at[i].y, low.y, high.y, height)
	}
}

// fitted maps a value from the range low to high to the range 0 to room; a range
// without extent becomes the middle.
func fitted(v, low, high, room float64) float64 {
	if high-low < 1e-9 {
		return room / 2
	}
	return (v - low) / (high - low) * room
}
