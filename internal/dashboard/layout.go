package dashboard

import (
	"fmt"
	"html/template"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
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
	spread(nodes)
	fit(nodes, width, height)
	separate(nodes, width, height)
}

// spread gives the middle more room: forces put hosts that link to each other close together, and a few
// that hardly link far outside.
func spread(nodes []drawnNode) {
	var cx, cy float64
	for _, n := range nodes {
		cx, cy = cx+n.x/float64(len(nodes)), cy+n.y/float64(len(nodes))
	}
	for i := range nodes {
		x, y := nodes[i].x-cx, nodes[i].y-cy
		if d := math.Hypot(x, y); d > 0 {
			f := math.Pow(d, 0.7) / d
			nodes[i].x, nodes[i].y = x*f, y*f
		}
	}
}

// separate moves nodes whose dots or names overlap apart, in the units of the drawing. It moves them up
// and down rather than sideways, since names are wide.
func separate(nodes []drawnNode, width, height float64) {
	const tries, gap = 120, 3.0
	// The box of a node reaches to the end of its name, so its middle is right of the dot.
	type extent struct{ w, h, shift float64 }
	boxes := make([]extent, len(nodes))
	for i, n := range nodes {
		r := n.radius()
		boxes[i] = extent{r, r, 0}
		if i < named {
			name := (4 + nameWidth(n.Name)) / 2
			boxes[i] = extent{r + name, math.Max(r, 8), name}
		}
	}
	for range tries {
		moved := false
		for i := range nodes {
			for j := i + 1; j < len(nodes); j++ {
				a, b := boxes[i], boxes[j]
				y := nodes[j].y - nodes[i].y
				dy := a.h + b.h + gap - math.Abs(y)
				if dy <= 0 {
					continue
				}
				x := nodes[j].x + b.shift - nodes[i].x - a.shift
				dx := a.w + b.w + gap - math.Abs(x)
				if dx <= 0 {
					continue
				}
				moved = true
				if dy <= dx {
					step := math.Copysign(dy/2, y)
					nodes[i].y, nodes[j].y = nodes[i].y-step, nodes[j].y+step
				} else {
					step := math.Copysign(dx/2, x)
					nodes[i].x, nodes[j].x = nodes[i].x-step, nodes[j].x+step
				}
			}
		}
		for i := range nodes {
			r := nodes[i].radius() + 2
			nodes[i].x = math.Max(r, math.Min(width-r, nodes[i].x))
			nodes[i].y = math.Max(r, math.Min(height-r, nodes[i].y))
		}
		if !moved {
			return
		}
	}
}

// radius returns the radius of the dot of a node.
func (n drawnNode) radius() float64 { return 4 + 15*math.Sqrt(n.Size) }

// nameWidth returns about how wide a name is drawn; fonts differ, so it is a little more than most need.
func nameWidth(s string) float64 { return 6.3 * float64(utf8.RuneCountInString(s)) }

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

// named is how many nodes of a graph may have their name next to them; the others show it under the pointer.
const named = 40

// A nameBox is a part of a drawing that is taken.
type nameBox struct{ x1, y1, x2, y2 float64 }

func (b nameBox) meets(o nameBox) bool {
	return b.x1 < o.x2 && o.x1 < b.x2 && b.y1 < o.y2 && o.y1 < b.y2
}

// A placedName is where the name of a node is written, relative to the node.
type placedName struct {
	x, y   float64
	anchor string // of the SVG text
	shown  bool   // false where no place is free: it is shown under the pointer
}

// placeNames finds a free place for each name, the first nodes first: right, left, below or above the dot.
func placeNames(nodes []drawnNode, width, height float64) []placedName {
	var taken []nameBox
	for _, n := range nodes {
		r := n.radius()
		taken = append(taken, nameBox{n.x - r, n.y - r, n.x + r, n.y + r})
	}
	places := make([]placedName, len(nodes))
	for i, n := range nodes {
		r, w := n.radius(), nameWidth(n.Name)
		tries := []placedName{{r + 4, 4, "start", true}, {-r - 4, 4, "end", true}, {0, r + 12, "middle", true}, {0, -r - 4, "middle", true}}
		places[i] = tries[0]
		places[i].shown = false
		if n.x+r+4+w > width { // a name under the pointer must be readable, too
			places[i] = tries[1]
			places[i].shown = false
		}
		if i >= named {
			continue
		}
		for _, p := range tries {
			at := n.x + p.x - map[string]float64{"start": 0, "middle": w / 2, "end": w}[p.anchor]
			b := nameBox{at, n.y + p.y - 10, at + w, n.y + p.y + 3}
			if b.x1 < 0 || b.x2 > width || b.y1 < 0 || b.y2 > height || slices.ContainsFunc(taken, func(o nameBox) bool { return b.meets(o) && o != taken[i] }) {
				continue
			}
			taken, places[i] = append(taken, b), p
			break
		}
	}
	return places
}

// graphSVG draws a graph whose nodes have places.
func graphSVG(title string, nodes []drawnNode, edges []drawnEdge, width, height int) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="graph" viewBox="0 0 %d %d" role="group" aria-label="%s">`, width, height, esc(title))
	for _, e := range edges {
		a, c := nodes[e.A], nodes[e.B]
		fmt.Fprintf(&b, `<line class="edge" data-a="%d" data-b="%d" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke-width="%.2f"/>`, e.A, e.B, a.x, a.y, c.x, c.y, 0.6+3.4*e.Width)
	}
	for i, p := range placeNames(nodes, float64(width), float64(height)) {
		n, class := nodes[i], ""
		if !p.shown {
			class = ` class="late"`
		}
		fmt.Fprintf(&b, `<g class="node %s" data-id="%d" transform="translate(%.1f %.1f)"><a href="%s" aria-label="%s"><title>%s</title>%s<text%s x="%.1f" y="%.1f" text-anchor="%s">%s</text></a></g>`,
			esc(n.Class), i, n.x, n.y, esc(n.Href), esc(n.spoken()), esc(n.Title), n.dot(), class, p.x, p.y, p.anchor, esc(n.Name))
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) //nolint:gosec // every text in it is escaped above
}

// spoken returns the name of a node for people who can't see it. It has the name that is written, also where that is cut off, so
// that a person who speaks to the browser can name what is on the screen.
func (n drawnNode) spoken() string {
	if strings.Contains(n.Title, n.Name) {
		return n.Title
	}
	return n.Name + " " + n.Title
}

// dot draws a node in the shape of its class, those of verdicts, so that no one has to distinguish the colours.
func (n drawnNode) dot() string {
	r := n.radius()
	switch n.Class {
	case "off": // a triangle and a diamond of the area of the circle
		return fmt.Sprintf(`<path class="dot" d="M0 %.1fL%.1f %.1fH%.1fZ"/>`, -1.5*r, 1.3*r, 0.8*r, -1.3*r)
	case "mid":
		return fmt.Sprintf(`<path class="dot" d="M0 %.1fL%.1f 0L0 %.1fL%.1f 0Z"/>`, -1.25*r, 1.25*r, 1.25*r, -1.25*r)
	}
	return fmt.Sprintf(`<circle class="dot" r="%.1f"/>`, r)
}
