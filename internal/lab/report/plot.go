package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dowse/internal/lab/measure"
)

// A Plot is a picture of curves over the pages fetched. Each curve has its name
// at its end; colour, dashes and shape distinguish it. The zero value of every
// field is usable. The picture is SVG, written as text: a curve is one path, so
// that a plot of ten curves is some tens of kilobytes.
type Plot struct {
	Title string
	// Names of the axes; default "pages fetched" and "harvest rate".
	X, Y string
	// Value at the upper edge, above which curves are cut off; default the
	// highest value.
	Top           float64
	Width, Height int // in pixels; default 800 × 460
	// First value of a logarithmic horizontal axis; 0 for a linear one from 0.
	LogFrom float64
	// Of the last value after a curve's name; default measure.Figure.
	Format func(float64) string
	Lines  []Line

	// Names are below the plot area, one per line, because there is no room to
	// the right.
	below bool
}

// A Line is one curve.
type Line struct {
	Name   string
	Points []Point
	Bound  bool // the oracle's curve, the upper bound
	Style  int  // colour, dashes and shape; if it is 0 for all lines, styles follow their order
	Thin   bool // one of many: without band, shape and name
	Bare   bool // without a band
}

// A Point of a curve, with the limits of the band around it. A point whose Y is
// NaN is not drawn.
type Point struct{ X, Y, Lo, Hi float64 }

// Mean returns the mean of repeated curves, as far as the shortest reaches. The
// band is one standard error to both sides.
func Mean(name string, runs [][]float64) Line {
	line := Line{Name: name}
	if len(runs) == 0 {
		return line
	}
	n := len(runs[0])
	for _, r := range runs {
		n = min(n, len(r))
	}
	at := make([]float64, len(runs))
	for i := range n {
		for k, r := range runs {
			at[k] = r[i]
		}
		mean, se := measure.MeanSE(at)
		line.Points = append(line.Points, Point{float64(i + 1), mean, mean - se, mean + se})
	}
	return line
}

// Limits of a plot.
const (
	maxPoints = 400 // points that are drawn per curve
	nameGap   = 16  // pixels between the names of curves
	longName  = 30  // characters of a name
)

// SVG returns the plot as a file of its own. The same plot gives the same bytes.
func (p Plot) SVG() []byte {
	var b strings.Builder
	w, h := p.size()
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="system-ui,sans-serif" font-size="13">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, "<style>%s</style>\n", sheet("svg"))
	fmt.Fprintf(&b, `<rect class="back" width="%d" height="%d"/>`+"\n", w, h)
	fmt.Fprintf(&b, `<text class="title" x="16" y="26">%s</text>`+"\n", escape(p.Title, 120))
	p.draw(&b, 40)
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// perRow is how many plots of a sheet are next to each other. More could not be
// read where a page shrinks the sheet to its width.
const perRow = 2

// Sheet returns plots as one SVG file, two in a row, each with its own title.
// They keep their sizes.
func Sheet(title string, plots ...Plot) []byte {
	const head = 44
	var b strings.Builder
	width, height := 0, head
	for row := range slices.Chunk(plots, perRow) {
		w, h := rowSize(row)
		width, height = max(width, w), height+h
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="system-ui,sans-serif" font-size="13">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<style>%s</style>\n", sheet("svg"))
	fmt.Fprintf(&b, `<rect class="back" width="%d" height="%d"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text class="title" x="16" y="28">%s</text>`+"\n", escape(title, 160))
	y := head
	for row := range slices.Chunk(plots, perRow) {
		x := 0
		for _, p := range row {
			w, h := p.size()
			fmt.Fprintf(&b, `<svg x="%d" y="%d" width="%d" height="%d" viewBox="0 0 %d %d">`+"\n", x, y, w, h, w, h)
			fmt.Fprintf(&b, `<text class="what" x="58" y="20" font-weight="600">%s</text>`+"\n", escape(p.Title, 120))
			p.draw(&b, 36)
			b.WriteString("</svg>\n")
			x += w
		}
		_, h := rowSize(row)
		y += h
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// rowSize returns the size of plots next to each other.
func rowSize(row []Plot) (width, height int) {
	for _, p := range row {
		w, h := p.size()
		width, height = width+w, max(height, h)
	}
	return width, height
}

// inline returns the plot for a page that has the style sheet and shows the title
// itself.
func (p Plot) inline() string {
	var b strings.Builder
	w, h := p.size()
	openSVG(&b, w, h, p.Title)
	p.draw(&b, 10)
	b.WriteString("</svg>")
	return b.String()
}

// openSVG begins a drawing in a page. Its title is the label for screen readers.
func openSVG(b *strings.Builder, w, h int, title string) {
	most := w
	if w == narrow {
		most = narrowMost
	}
	fmt.Fprintf(b, `<svg viewBox="0 0 %d %d" style="max-width:%dpx;min-width:%dpx" role="img" aria-label="%s" font-size="13">`+"\n", w, h, most, w*7/10, escape(title, 200))
}

// size returns the width and height in pixels, with defaults.
func (p Plot) size() (w, h int) { return cmp.Or(p.Width, 800), cmp.Or(p.Height, 460) }

// draw draws axes, curves and names; top is the space above the plot area, in
// pixels.
func (p Plot) draw(b *strings.Builder, top float64) {
	lines := p.styled()
	f := p.frame(lines, top)
	p.axes(b, f)
	b.WriteString(f.inside())
	drawLines(b, f, lines)
	b.WriteString("</svg>\n")
	p.names(b, f, lines)
}

// styled returns the lines with styles: the given ones, or by order if all are
// 0. The oracle always has the style of a bound.
func (p Plot) styled() []Line {
	chosen := false
	for _, l := range p.Lines {
		chosen = chosen || l.Style != 0
	}
	lines := make([]Line, len(p.Lines))
	next := 0
	for i, l := range p.Lines {
		switch {
		case l.Bound:
			l.Style = boundStyle
		case !chosen:
			l.Style = next
			next++
		}
		lines[i] = l
	}
	return lines
}

// frame computes the plot area: the room that names need at the right or below,
// and the range of values, rounded up to a tick. Names take at most 42 per cent
// of the width.
func (p Plot) frame(lines []Line, top float64) frame {
	w, h := p.size()
	f := frame{left: 58, top: top, bottom: float64(h) - 46, minX: p.LogFrom, maxX: max(1, 2*p.LogFrom), maxY: p.Top, logX: p.LogFrom > 0}
	if p.below {
		f.bottom -= 12
	}
	margin, highest := 24.0, 0.0
	for _, l := range lines {
		switch named := len(l.Points) > 0 && !l.Thin; {
		case named && p.below:
			f.bottom -= nameGap + 2
		case named:
			margin = max(margin, 34+textWidth(p.label(l)))
		}
		for _, pt := range l.Points {
			f.maxX = max(f.maxX, pt.X)
			highest = max(highest, finite(pt.Y), finite(pt.Hi))
		}
	}
	if f.maxY == 0 {
		step := niceStep(cmp.Or(highest, 1) / 5)
		f.maxY = step * math.Ceil(cmp.Or(highest, 1)/step-1e-9)
	}
	f.right = float64(w) - min(margin, float64(w)*0.42)
	return f
}

// finite returns 0 for values that can't be drawn.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// label returns the text at the end of a curve: its name and its last value.
func (p Plot) label(l Line) string {
	format := p.Format
	if format == nil {
		format = measure.Figure
	}
	return clean(l.Name, longName) + " " + format(l.Points[len(l.Points)-1].Y)
}

// axes draws grid lines, ticks and the names of the axes. The number of ticks
// depends on the room for their labels.
func (p Plot) axes(b *strings.Builder, f frame) {
	across := ticks(f.minY, f.maxY, 5)
	for _, v := range across {
		y := f.y(v)
		fmt.Fprintf(b, `<path class="grid" d="M%.1f %.1fH%.1f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text>`+"\n",
			f.left, y, f.right, f.left-8, y+4.5, tick(v, niceStep((f.maxY-f.minY)/5)))
	}
	n := max(3, min(8, int((f.right-f.left)/60)))
	for _, v := range f.pageTicks(n) {
		x := f.x(v)
		fmt.Fprintf(b, `<path class="axis" d="M%.1f %.1fv4"/><text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n",
			x, f.bottom, x, f.bottom+18, tick(v, niceStep((f.maxX-f.minX)/float64(n))))
	}
	fmt.Fprintf(b, `<path class="axis" d="M%.1f %.1fH%.1f"/>`+"\n", f.left, f.bottom, f.right)
	y := cmp.Or(p.Y, "harvest rate")
	if p.below && textWidth(y) > f.bottom-f.top { // the heading names it too
		y = ""
	}
	axisNames(b, f, cmp.Or(p.X, "pages fetched"), y)
}

// axisNames writes the names of the axes, the vertical one rotated.
func axisNames(b *strings.Builder, f frame, x, y string) {
	fmt.Fprintf(b, `<text class="what" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n", (f.left+f.right)/2, f.bottom+38, escape(x, 60))
	fmt.Fprintf(b, `<text class="what" transform="translate(15 %.1f) rotate(-90)" text-anchor="middle">%s</text>`+"\n", (f.top+f.bottom)/2, escape(y, 60))
}

// drawLines draws bands below thin lines below the other lines, of which the
// first, the best, is on top.
func drawLines(b *strings.Builder, f frame, lines []Line) {
	for _, l := range lines {
		if area := l.band(f); area != "" {
			fmt.Fprintf(b, `<path class="band %s" d="%s"/>`+"\n", class(l.Style), area)
		}
	}
	for _, l := range lines {
		if l.Thin {
			fmt.Fprintf(b, `<path class="thin %s" d="%s"><title>%s</title></path>`+"\n", class(l.Style), l.path(f), escape(l.Name, 80))
		}
	}
	for _, l := range slices.Backward(lines) {
		if !l.Thin {
			l.draw(b, f)
		}
	}
}

// draw draws the line with five shapes on it. Shapes are shifted by style, so
// that those of close curves do not coincide.
func (l Line) draw(b *strings.Builder, f frame) {
	fmt.Fprintf(b, `<path class="line %s" stroke-dasharray="%s" d="%s"/>`+"\n", class(l.Style), dash(l.Style), l.path(f))
	if l.Style < 0 {
		return
	}
	for k := 1; k <= 5; k++ {
		i := (len(l.Points)-1)*k/6 + l.Style*len(l.Points)/90
		if i < len(l.Points) && !math.IsNaN(l.Points[i].Y) {
			fmt.Fprintln(b, shape(l.Style, f.x(l.Points[i].X), f.y(l.Points[i].Y)))
		}
	}
}

// drawn returns the points that are drawn: at most about maxPoints, always
// including the last, whose value is written next to it.
func (l Line) drawn() (points []Point) {
	step := max(1, (len(l.Points)+maxPoints-1)/maxPoints)
	for i, p := range l.Points {
		if (i%step == 0 || i == len(l.Points)-1) && !math.IsNaN(p.Y) {
			points = append(points, p)
		}
	}
	return points
}

// path returns the curve as an SVG path; one decimal of a pixel is enough and
// keeps files small.
func (l Line) path(f frame) string {
	var b strings.Builder
	for i, p := range l.drawn() {
		fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(i, 1)], f.x(p.X), f.y(p.Y))
	}
	return b.String()
}

// band returns the outline of the band, along its upper edge and back along its
// lower one; "" if the line has none or its width is 0.
func (l Line) band(f frame) string {
	if l.Thin || l.Bare {
		return ""
	}
	points := l.drawn()
	var b strings.Builder
	wide := false
	for i, p := range points {
		fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(i, 1)], f.x(p.X), f.y(p.Hi))
		wide = wide || p.Hi > p.Lo
	}
	for i := len(points) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "L%.1f %.1f", f.x(points[i].X), f.y(points[i].Lo))
	}
	if !wide {
		return ""
	}
	return b.String() + "Z"
}

// names writes each curve's name at its end, moved apart where names would
// overlap, and connected to the curve. Names at the curves spare the reader a
// legend.
func (p Plot) names(b *strings.Builder, f frame, lines []Line) {
	var named []Line
	var ends []float64
	for _, l := range lines {
		if len(l.Points) > 0 && !l.Thin {
			named = append(named, l)
			ends = append(ends, f.y(min(finite(l.Points[len(l.Points)-1].Y), f.maxY)))
		}
	}
	if p.below {
		p.list(b, f, named)
		return
	}
	gap := min(nameGap, (f.bottom-f.top+20)/float64(max(1, len(named))))
	for i, y := range spread(ends, gap, f.top, f.bottom) {
		l := named[i]
		x := f.x(l.Points[len(l.Points)-1].X)
		fmt.Fprintf(b, `<path class="tie %s" d="M%.1f %.1fL%.1f %.1f"/>`, class(l.Style), x+1, ends[i], f.right+13, y)
		b.WriteString(shape(l.Style, f.right+18, y))
		fmt.Fprintf(b, `<text class="name %s" x="%.1f" y="%.1f">%s</text>`+"\n", class(l.Style), f.right+26, y+4.5, escape(p.label(l), longName+12))
	}
}

// list writes the names below the plot area, each after a sample of its line.
func (p Plot) list(b *strings.Builder, f frame, named []Line) {
	for i, l := range named {
		y := f.bottom + 58 + float64(i)*(nameGap+2)
		fmt.Fprintf(b, `<path class="line %s" stroke-dasharray="%s" d="M%.1f %.1fh36"/>`, class(l.Style), dash(l.Style), f.left, y)
		b.WriteString(shape(l.Style, f.left+18, y))
		fmt.Fprintf(b, `<text class="name %s" x="%.1f" y="%.1f">%s</text>`+"\n", class(l.Style), f.left+44, y+4.5, escape(p.label(l), longName+12))
	}
}

// narrowed returns the plot for narrow screens, with the height that the names
// below need.
func (p Plot) narrowed() Plot {
	p.Width, p.Height, p.below = narrow, narrowHeight, true
	for _, l := range p.Lines {
		if len(l.Points) > 0 && !l.Thin {
			p.Height += nameGap + 2
		}
	}
	return p
}
