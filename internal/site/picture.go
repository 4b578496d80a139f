package site

import (
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"dowse/internal/plain"
)

// maxPicture bounds the sites of a picture; of more, the most important are
// shown.
const maxPicture = 1000

// The colours of a picture. Sites on topic differ in lightness too, not in hue
// alone.
const (
	inkColour        = "#22303a"
	faintColour      = "#6b7780"
	edgeColour       = "#9aa6ad"
	ringColour       = "#2a7f74"
	relevantColour   = "#2f9a8c"
	irrelevantColour = "#d5d9dc"
	noneColour       = "#ffffff"
)

// A canvas is a picture that is being drawn.
type canvas struct {
	*lines
	width, height float64 // of the drawing, without its margins
	at            []point
	radius        []float64
	taken         []box // areas of labels and nodes
}

// A box is an area of the picture that labels must not cover.
type box struct{ x0, y0, x1, y1 float64 }

// meets reports whether two boxes overlap.
func (b box) meets(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 }

const (
	margin   = 60
	header   = 58
	footer   = 46
	fontSize = 12
	letter   = 0.56 // mean width of a letter, of the font's size
)

// SVG draws the graph: one circle per site, its area growing with the pages
// that were read; lines between sites, those between sites on topic in colour.
// Labels are omitted where they would cover something. The same graph gives the
// same bytes.
func (g *Graph) SVG(w io.Writer, title string) error {
	known := len(g.Nodes)
	if known > maxPicture {
		g = g.Reduced(maxPicture)
	}
	side := min(max(420+22*math.Sqrt(float64(len(g.Nodes)))*1.6, 640), 1500)
	c := &canvas{lines: &lines{w: w}, width: side * 1.35, height: side}
	c.at = g.layout(c.width, c.height)
	for i := range g.Nodes {
		c.radius = append(c.radius, radiusOf(&g.Nodes[i]))
	}
	full, tall := c.width+2*margin, c.height+header+footer+margin
	c.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="Helvetica,Arial,sans-serif" font-size="%d">`, full, tall, full, tall, fontSize)
	c.add(`<title>%s</title><rect width="100%%" height="100%%" fill="#ffffff"/>`, escaped(title))
	c.add(`<text x="%d" y="28" font-size="18" font-weight="bold" fill="%s">%s</text>`, margin, inkColour, escaped(title))
	c.add(`<text x="%d" y="47" fill="%s">%s</text>`, margin, faintColour, escaped(g.caption(known)))
	c.add(`<g transform="translate(%d,%d)">`, margin, header+margin/3)
	c.edges(g)
	c.nodes(g)
	c.labels(g)
	c.add(`</g>`)
	c.legend(tall - 18)
	c.add(`</svg>`)
	return c.err
}

// radiusOf returns the radius of a circle whose area grows with the pages that
// were read, within bounds.
func radiusOf(s *Site) float64 { return min(3.2+1.5*math.Sqrt(float64(s.Pages)), 13) }

// caption counts what is shown. Start sites are counted by themselves, as everywhere: they were
// given, and not found.
func (g *Graph) caption(known int) string {
	on, read, start := 0, 0, 0
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch {
		case n.Start:
			start++
		case n.Verdict == Relevant:
			on++
			read++
		case n.Verdict == Irrelevant:
			read++
		}
	}
	text := fmt.Sprintf("%d sites: %d judged, %d of them on topic, and %d start sites; %d links between sites", len(g.Nodes), read, on, start, len(g.Edges))
	if known > len(g.Nodes) {
		text += fmt.Sprintf(" (of %d sites that are known)", known)
	}
	return text
}

// edges draws the lines, those between sites on topic last, so that they are on
// top. The more lines there are, the fainter they are.
func (c *canvas) edges(g *Graph) {
	thin := min(1, 60/math.Sqrt(float64(len(g.Edges)+1))/4)
	for _, ring := range []bool{false, true} {
		colour, width, dim := edgeColour, 0.7, 0.18+0.25*thin
		if ring {
			colour, width, dim = ringColour, 1.1, 0.3+0.3*thin
		}
		c.add(`<g stroke="%s" stroke-width="%.1f" stroke-opacity="%.2f" fill="none">`, colour, width, dim)
		for _, e := range g.Edges {
			if on := g.Nodes[e.From].Verdict == Relevant && g.Nodes[e.To].Verdict == Relevant; on == ring {
				a, b := c.at[e.From], c.at[e.To]
				c.add(`<path d="M%.1f %.1fL%.1f %.1f"/>`, a.x, a.y, b.x, b.y)
			}
		}
		c.add(`</g>`)
	}
}

// nodes draws the circles, those on topic last, and records their areas.
func (c *canvas) nodes(g *Graph) {
	order := g.byImportance()
	slices.Reverse(order)
	for _, i := range order {
		s, p, r := &g.Nodes[i], c.at[i], c.radius[i]
		c.taken = append(c.taken, box{p.x - r, p.y - r, p.x + r, p.y + r})
		c.add(`<circle cx="%.1f" cy="%.1f" r="%.1f" %s><title>%s</title></circle>`, p.x, p.y, r, paint(s), escaped(s.line()))
	}
}

// paint returns the SVG attributes of a site's circle.
func paint(s *Site) string {
	switch {
	case s.Start:
		return fmt.Sprintf(`fill="%s" stroke="%s" stroke-width="2.5"`, relevantColour, inkColour)
	case s.Verdict == Relevant:
		return fmt.Sprintf(`fill="%s" stroke="#ffffff" stroke-width="0.8"`, relevantColour)
	case s.Verdict == Irrelevant || s.Verdict == Reading:
		return fmt.Sprintf(`fill="%s" stroke="%s" stroke-width="0.6"`, irrelevantColour, faintColour)
	case s.Verdict == None:
		return fmt.Sprintf(`fill="%s" stroke="%s" stroke-width="0.8" stroke-dasharray="2 1.5"`, noneColour, faintColour)
	}
	return fmt.Sprintf(`fill="%s" stroke="%s" stroke-width="0.5"`, noneColour, edgeColour)
}

// line describes a site in one line.
func (s *Site) line() string {
	switch s.Verdict {
	case Waiting:
		return fmt.Sprintf("%s: not read, rank %.3f", s.Name, s.Rank)
	case None:
		return fmt.Sprintf("%s: %s", s.Name, s.Stop.Means())
	}
	return fmt.Sprintf("%s: %s, confidence %.3f, %d pages", s.Name, s.Verdict, s.Confidence, s.Pages)
}

// byImportance returns the nodes, the most important first.
func (g *Graph) byImportance() []int {
	order := make([]int, len(g.Nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return importance(&g.Nodes[a]) - importance(&g.Nodes[b]) })
	return order
}

// labels names sites, the most important first, where there is room; a name
// that would cover something is omitted. The full name is in the tooltip of the
// circle.
func (c *canvas) labels(g *Graph) {
	c.add(`<g fill="%s" paint-order="stroke" stroke="#ffffff" stroke-width="2.5" stroke-linejoin="round">`, inkColour)
	for _, i := range g.byImportance() {
		name := plain.Fit(g.Nodes[i].Name, maxLabel)
		size := float64(fontSize)
		if importance(&g.Nodes[i]) > 1 {
			size -= 2.5
		}
		c.label(i, name, size)
	}
	c.add(`</g>`)
}

const maxLabel = 32

// label places one name at the first of eight positions around its circle that
// is free.
func (c *canvas) label(i int, name string, size float64) {
	wide := float64(utf8.RuneCountInString(name)) * size * letter
	p, r := c.at[i], c.radius[i]+3
	for _, at := range []struct {
		x, y   float64 // left end of the baseline
		anchor string
	}{
		{p.x + r, p.y + size*0.35, "start"}, {p.x - r - wide, p.y + size*0.35, "end"},
		{p.x - wide/2, p.y - r, "middle"}, {p.x - wide/2, p.y + r + size*0.8, "middle"},
		{p.x + r*0.7, p.y - r*0.7, "start"}, {p.x + r*0.7, p.y + r*0.7 + size*0.7, "start"},
		{p.x - r*0.7 - wide, p.y - r*0.7, "end"}, {p.x - r*0.7 - wide, p.y + r*0.7 + size*0.7, "end"},
	} {
		room := box{at.x - 1, at.y - size*0.85, at.x + wide + 1, at.y + size*0.3}
		if room.x0 < -margin+4 || room.x1 > c.width+margin-4 || room.y0 < -margin/3 || slices.ContainsFunc(c.taken, room.meets) {
			continue
		}
		c.taken = append(c.taken, room)
		x := map[string]float64{"start": at.x, "end": at.x + wide, "middle": p.x}[at.anchor]
		c.add(`<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%.1f">%s</text>`, x, at.y, at.anchor, size, escaped(name))
		return
	}
}

// legend explains the circles.
func (c *canvas) legend(y float64) {
	x := float64(margin)
	for _, l := range []struct {
		site Site
		text string
	}{
		{Site{Start: true, Verdict: Relevant}, "start site"}, {Site{Verdict: Relevant}, "on topic"}, {Site{Verdict: Irrelevant}, "not on topic"},
		{Site{Verdict: None}, "no site: moved, parked, dead"}, {Site{Verdict: Waiting}, "not read"},
	} {
		c.add(`<circle cx="%.1f" cy="%.1f" r="6" %s/>`, x+6, y-4, paint(&l.site))
		c.add(`<text x="%.1f" y="%.1f" fill="%s">%s</text>`, x+18, y, faintColour, escaped(l.text))
		x += 18 + float64(len(l.text))*fontSize*letter + 26
	}
	c.add(`<text x="%.1f" y="%.1f" fill="%s">larger: more pages read</text>`, x, y, faintColour)
}
