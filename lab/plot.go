package lab

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// A Plot is a picture of curves: pages fetched against a share between 0 and 1.
type Plot struct {
	Title string
	X, Y  string // names of the axes; "pages fetched" and "harvest rate"
	Lines []Line
}

// A Line is one curve.
type Line struct {
	Name   string
	Points []Point
}

// A Point of a curve, with the half width of the band around it.
type Point struct{ X, Y, Err float64 }

// Mean averages curves of the same thing, one to a repetition, as far as the
// shortest goes. The band is one standard error.
func Mean(name string, runs [][]float64) Line {
	line := Line{Name: name}
	if len(runs) == 0 {
		return line
	}
	n := len(runs[0])
	for _, r := range runs {
		n = min(n, len(r))
	}
	k := float64(len(runs))
	for i := range n {
		sum, squares := 0.0, 0.0
		for _, r := range runs {
			sum += r[i]
		}
		mean := sum / k
		for _, r := range runs {
			squares += (r[i] - mean) * (r[i] - mean)
		}
		p := Point{X: float64(i + 1), Y: mean}
		if k > 1 {
			p.Err = math.Sqrt(squares / (k - 1) / k)
		}
		line.Points = append(line.Points, p)
	}
	return line
}

const (
	plotWidth, plotHeight = 800, 460
	plotLeft, plotRight   = 56, 190
	plotTop, plotBottom   = 44, 48
	maxPoints             = 400 // drawn of a curve
)

// Colours that can be told apart, also by most colour-blind people (Okabe and Ito);
// when they are used up, dashes.
var (
	plotColours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}
	plotDashes  = []string{"", "7 3", "2 3", "9 3 2 3"}
)

func colour(i int) string { return plotColours[i%len(plotColours)] }
func dashes(i int) string { return plotDashes[i/len(plotColours)%len(plotDashes)] }

// SVG draws the plot. The same plot gives the same bytes.
func (p Plot) SVG() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="13">`+"\n", plotWidth, plotHeight, plotWidth, plotHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<text x="%d" y="24" font-size="15" font-weight="bold">%s</text>`+"\n", plotLeft, html.EscapeString(p.Title))
	right := p.reach()
	p.axes(&b, right)
	for i, l := range p.Lines {
		fmt.Fprintf(&b, `<path d="%s" fill="%s" fill-opacity="0.15"/>`+"\n", band(l.Points, right), colour(i))
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>`+"\n",
			path(l.Points, right), colour(i), dashes(i))
	}
	p.names(&b, right)
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func (p Plot) reach() float64 {
	right := 1.0
	for _, l := range p.Lines {
		for _, pt := range l.Points {
			right = max(right, pt.X)
		}
	}
	return right
}

func place(pt Point, right float64) (x, y float64) {
	x = plotLeft + pt.X/right*(plotWidth-plotLeft-plotRight)
	y = plotTop + (1-min(max(pt.Y, 0), 1))*(plotHeight-plotTop-plotBottom)
	return x, y
}

func path(points []Point, right float64) string {
	var b strings.Builder
	step := max(1, len(points)/maxPoints)
	for i := 0; i < len(points); i += step {
		x, y := place(points[i], right)
		fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(i, 1)], x, y)
	}
	return b.String()
}

// band outlines the area around a curve.
func band(points []Point, right float64) string {
	var up, down []Point
	step := max(1, len(points)/maxPoints)
	for i := 0; i < len(points); i += step {
		p := points[i]
		up = append(up, Point{X: p.X, Y: p.Y + p.Err})
		down = append(down, Point{X: p.X, Y: p.Y - p.Err})
	}
	slices.Reverse(down)
	return path(append(up, down...), right)
}

func (p Plot) axes(b *strings.Builder, right float64) {
	for i := range 6 {
		v := float64(i) / 5
		_, y := place(Point{Y: v}, right)
		fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="#dddddd"/><text x="%d" y="%.1f" text-anchor="end" fill="#444444">%.1f</text>`+"\n", plotLeft, y, plotWidth-plotRight, plotLeft-8, y+4, v)
	}
	step := niceStep(right / 5)
	for v := 0.0; v <= right+1e-9; v += step {
		x, y := place(Point{X: v}, right)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="#444444">%.0f</text>`+"\n", x, y+18, v)
	}
	_, y := place(Point{}, right)
	fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="middle">%s</text>`+"\n", (plotLeft+plotWidth-plotRight)/2, y+38, html.EscapeString(cmp.Or(p.X, "pages fetched")))
	fmt.Fprintf(b, `<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", plotHeight/2, html.EscapeString(cmp.Or(p.Y, "harvest rate")))
}

// niceStep rounds up to 1, 2 or 5 times a power of ten.
func niceStep(x float64) float64 {
	e := math.Pow(10, math.Floor(math.Log10(max(x, 1))))
	for _, m := range []float64{1, 2, 5} {
		if m*e >= x {
			return m * e
		}
	}
	return 10 * e
}

// names writes each curve's name beside its end, moved apart where they collide.
func (p Plot) names(b *strings.Builder, right float64) {
	type label struct {
		line int
		y    float64
	}
	var labels []label
	for i, l := range p.Lines {
		if len(l.Points) > 0 {
			_, y := place(l.Points[len(l.Points)-1], right)
			labels = append(labels, label{i, y})
		}
	}
	slices.SortStableFunc(labels, func(a, b label) int { return cmp.Compare(a.y, b.y) })
	for i := 1; i < len(labels); i++ {
		labels[i].y = max(labels[i].y, labels[i-1].y+16)
	}
	for i := len(labels) - 1; i >= 0; i-- { // and back up from the bottom edge
		limit := float64(plotHeight - plotBottom)
		if i < len(labels)-1 {
			limit = labels[i+1].y - 16
		}
		labels[i].y = min(labels[i].y, limit)
	}
	for _, l := range labels {
		line := p.Lines[l.line]
		last := line.Points[len(line.Points)-1]
		fmt.Fprintf(b, `<text x="%d" y="%.1f" fill="%s">%s %.2f</text>`+"\n", plotWidth-plotRight+8, l.y+4,
			colour(l.line), html.EscapeString(line.Name), last.Y)
	}
}
