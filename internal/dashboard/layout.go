package dashboard

import (
	"fmt"
	"html/template"
	"math"
	"math/rand/v2"
	"strings"
)

// A drawnNode is a dot of a drawn graph.
type drawnNode struct {
	Name  string
	Title string
	Href  string
	Size  float64 // 0 to 1
	Class string  // on, mid or off
	x, y  float64
}

// A drawnEdge joins two nodes, by their places in the list.
type drawnEdge struct {
	A, B  int
	Width float64 // 0 to 1
}

// rounds is how often the forces are applied. The cost is rounds × nodes².
const rounds = 220

// layout places nodes by forces: all push each other away, edges pull, and everything is drawn to the
// middle. The same graph is always placed the same way.
func layout(nodes []drawnNode, edges []drawnEdge, width, height float64) {
	rng := rand.New(rand.NewPCG(7, uint64(len(nodes))))
	for i := range nodes {
		// A spiral keeps the first nodes, which matter most, in the middle.
		r, a := math.Sqrt(float64(i)+0.5), 2.399963*float64(i)
		nodes[i].x, nodes[i].y = r*math.Cos(a)+0.01*rng.Float64(), r*math.Sin(a)+0.01*rng.Float64()
	}
	degree := make([]float64, len(nodes))
	for _, e := range edges {
		degree[e.A]++
		degree[e.B]++
	}
	dx, dy := make([]float64, len(nodes)), make([]float64, len(nodes))
	for round := range rounds {
		cool := 0.9 * (1 - float64(round)/rounds)
		push(nodes, dx, dy)
		for _, e := range edges {
			a, b := &nodes[e.A], &nodes[e.B]
			x, y := b.x-a.x, b.y-a.y
			d := math.Hypot(x, y) + 1e-9
			f := 0.12 * (0.3 + e.Width) * d / math.Sqrt(math.Max(degree[e.A], degree[e.B])) // many edges must not pull everything into one place
			dx[e.A], dy[e.A] = dx[e.A]+f*x/d, dy[e.A]+f*y/d
			dx[e.B], dy[e.B] = dx[e.B]-f*x/d, dy[e.B]-f*y/d
		}
		for i := range nodes {
			dx[i] -= 0.02 * nodes[i].x
			dy[i] -= 0.02 * nodes[i].y
			d := math.Hypot(dx[i], dy[i]) + 1e-9
			step := math.Min(d, cool)
			nodes[i].x += dx[i] / d * step
			nodes[i].y += dy[i] / d * step
		}
	}
	fit(nodes, width, height)
}

// push sets the forces by which nodes keep apart.
func push(nodes []drawnNode, dx, dy []float64) {
	clear(dx)
	clear(dy)
	for i := range nodes {
		for j := i + 1; j < len(nodes); j++ {
			x, y := nodes[i].x-nodes[j].x, nodes[i].y-nodes[j].y
			d := x*x + y*y + 0.01
			if d > 100 {
				continue
			}
			dx[i], dy[i] = dx[i]+x/d, dy[i]+y/d
			dx[j], dy[j] = dx[j]-x/d, dy[j]-y/d
		}
	}
}

// fit scales the places so that they fill the drawing.
func fit(nodes []drawnNode, width, height float64) {
	const room = 46
	loX, hiX, loY, hiY := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, n := range nodes {
		loX, hiX, loY, hiY = math.Min(loX, n.x), math.Max(hiX, n.x), math.Min(loY, n.y), math.Max(hiY, n.y)
	}
	for i := range nodes {
		nodes[i].x = room + (nodes[i].x-loX)/math.Max(hiX-loX, 1e-9)*(width-2*room)
		nodes[i].y = room + (nodes[i].y-loY)/math.Max(hiY-loY, 1e-9)*(height-2*room)
	}
	if len(nodes) == 1 {
		nodes[0].x, nodes[0].y = width/2, height/2
	}
}

// named is how many nodes of a graph have their name next to them; the others show it under the pointer.
const named = 40

// graphSVG draws a graph whose nodes have places.
func graphSVG(title string, nodes []drawnNode, edges []drawnEdge, width, height int) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="graph" viewBox="0 0 %d %d" role="group" aria-label="%s">`, width, height, esc(title))
	for _, e := range edges {
		a, c := nodes[e.A], nodes[e.B]
		fmt.Fprintf(&b, `<line class="edge" data-a="%d" data-b="%d" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke-width="%.2f"/>`, e.A, e.B, a.x, a.y, c.x, c.y, 0.6+3.4*e.Width)
	}
	for i, n := range nodes {
		r := 4 + 15*math.Sqrt(n.Size)
		fmt.Fprintf(&b, `<g class="node %s" data-id="%d" transform="translate(%.1f %.1f)"><a href="%s" aria-label="%s"><title>%[6]s</title><circle r="%.1f"/>`, esc(n.Class), i, n.x, n.y, esc(n.Href), esc(n.Title), r)
		if i < named {
			at, anchor := r+4, "start"
			if n.x > 0.85*float64(width) {
				at, anchor = -r-4, "end"
			}
			fmt.Fprintf(&b, `<text x="%.1f" y="4" text-anchor="%s">%s</text>`, at, anchor, esc(n.Name))
		}
		b.WriteString(`</a></g>`)
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) //nolint:gosec // every text in it is escaped above
}
