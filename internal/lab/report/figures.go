package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"dowse/internal/lab/measure"
)

// Sizes of figures, in pixels at the full width of a page.
const (
	wide, wideHeight = 1080, 470
	half, halfHeight = 530, 340
	tile, tileHeight = 256, 190

	// Narrow screens get drawings of their own: the wide ones would have to
	// shrink until their text is illegible.
	narrow, narrowHeight, narrowMost = 360, 282, 560
)

// Points per curve: of a mean over topics, and of one topic among many.
const (
	curvePoints = 120
	thinPoints  = 40
)

// firstPage is where the logarithmic axis of pages begins. Before it, curves are
// steps of single pages.
const firstPage = 10

// pageGrid returns at most n numbers of pages from page from to the budget, evenly
// spaced on a logarithmic axis, so that the first tenth of a crawl, in which
// strategies differ most, takes as much room as the rest; and where that axis
// begins. The axis is linear, and its begin 0, if the budget is small.
func (r *Report) pageGrid(n, from int) (at []int, begin float64) {
	budget := r.in.Runs.Pages()
	if budget < 5*max(from, firstPage) {
		return slices.DeleteFunc(measure.Grid(budget, n), func(k int) bool { return k < from }), 0
	}
	first := float64(max(from, firstPage))
	for i := range n {
		k := int(math.Round(first * math.Pow(float64(budget)/first, float64(i)/float64(n-1))))
		if len(at) == 0 || k > at[len(at)-1] {
			at = append(at, k)
		}
	}
	return at, first
}

// curves plots a measure against pages fetched, from page from on: one line per
// strategy, with 95 % bands over topics. All lines have the same grid of pages.
func (r *Report) curves(m measure.Measure, y string, from, w, h int) Plot {
	at, begin := r.pageGrid(curvePoints, from)
	plot := Plot{Title: y + " against pages fetched", Y: y, Width: w, Height: h, LogFrom: begin, Format: func(v float64) string { return value(m, v) }}
	for _, name := range r.strategies() {
		lines := r.in.Runs.Curves(m, name, at)
		if len(lines) > 0 {
			style := r.style(name)
			plot.Lines = append(plot.Lines, Line{Name: name, Points: r.banded(m, lines, at), Style: style, Bound: r.in.Runs.IsOracle(name),
				Thin: style == restStyle, Bare: !r.drawsBand(name)})
		}
	}
	plot.Top = plot.room()
	return plot
}

// room returns the height at which a plot is read best. If the oracle, or
// chance in the first twentieth of the axis, is at least twice as high as
// everything else, the plot is cut above the rest, since the differences
// between strategies would otherwise fill its lowest part only; 0 means no cut.
func (p Plot) room() float64 {
	all, most := 0.0, 0.0
	for _, l := range p.Lines {
		for i, pt := range l.Points {
			all = max(all, finite(pt.Y))
			if !l.Bound && i >= len(l.Points)/20 {
				most = max(most, finite(pt.Hi))
			}
		}
	}
	if most == 0 || all < 2*most {
		return 0
	}
	step := niceStep(most / 5)
	return step * math.Ceil(1.15*most/step)
}

// banded returns the mean of curves with its 95 % confidence interval over topics
// at every place. A place with too few topics for an interval has the mean alone.
func (r *Report) banded(m measure.Measure, lines [][]float64, at []int) (points []Point) {
	for i, k := range at {
		values := valuesAt(lines, i)
		p := Point{X: float64(k), Y: measure.Mean(values)}
		if p.Lo, p.Hi = m.Interval(values); !shown(p.Lo) || !shown(p.Hi) {
			p.Lo, p.Hi = p.Y, p.Y
		}
		points = append(points, p)
	}
	return points
}

// valuesAt returns the values of curves at one place, without those that are NaN.
func valuesAt(lines [][]float64, i int) (v []float64) {
	for _, l := range lines {
		if !math.IsNaN(l[i]) {
			v = append(v, l[i])
		}
	}
	return v
}

// tiles draws one small plot per strategy: a thin line per topic, and their
// mean. All have one scale, so that they can be compared: the scale is known
// only after the last of them, which is why they are drawn in a second loop.
func (r *Report) tiles(m measure.Measure, y string) (list []Figure) {
	at, begin := r.pageGrid(thinPoints, 0)
	top, topics := 0.0, r.in.Runs.Topics()
	for _, name := range r.strategies() {
		plot := Plot{Title: y + " of " + name + ", topic by topic", Y: y, Width: tile, Height: tileHeight, LogFrom: begin}
		lines := r.in.Runs.Curves(m, name, at)
		for n, l := range lines {
			thin := Line{Name: lineName(topics, n, len(lines)), Style: r.style(name), Bound: r.in.Runs.IsOracle(name), Thin: true}
			for i, k := range at {
				thin.Points = append(thin.Points, Point{X: float64(k), Y: l[i]})
				top = max(top, finite(l[i]))
			}
			plot.Lines = append(plot.Lines, thin)
		}
		list = append(list, Figure{Name: clean(name, 60), Class: class(r.style(name)), plot: plot, mean: r.plainMean(lines, at)})
	}
	for i := range list {
		list[i].plot.Top = top
		list[i].SVG = list[i].drawn()
	}
	return list
}

// lineName returns the topic of the n-th line; "" if some topics have no line,
// since then the numbers do not correspond.
func lineName(topics []string, n, lines int) string {
	if lines != len(topics) {
		return ""
	}
	return topics[n]
}

// plainMean returns the mean of curves without a band.
func (r *Report) plainMean(lines [][]float64, at []int) (points []Point) {
	for i, k := range at {
		y := measure.Mean(valuesAt(lines, i))
		points = append(points, Point{float64(k), y, y, y})
	}
	return points
}

// A barChart has one bar per topic: the difference between a strategy and the
// median of all.
type barChart struct {
	title     string
	measure   measure.Measure
	bars      []bar
	low, high float64
}

// A bar is the difference on one topic.
type bar struct {
	topic string
	diff  float64
}

// differences compares one strategy with the median of all strategies on each
// topic, as the appendices of TREC reports do: a mean hides a strategy that
// wins on most topics and fails on one. Topics without a value are left out.
func (r *Report) differences(m measure.Measure, name string) barChart {
	c := barChart{title: fmt.Sprintf("%s of %s, less the median of all strategies", m, name), measure: m}
	topics, short := r.in.Runs.Topics(), shortNames(r.in.Runs.Topics())
	values := map[string][]float64{}
	for _, n := range r.rivals {
		values[n] = r.in.Runs.ByTopic(m, n)
	}
	for i, t := range topics {
		var all []float64
		for _, n := range r.rivals {
			if v := values[n][i]; !math.IsNaN(v) {
				all = append(all, v)
			}
		}
		if d := values[name][i] - measure.Median(all); !math.IsNaN(d) && !math.IsInf(d, 0) {
			c.bars = append(c.bars, bar{short[t], d})
			c.low, c.high = min(c.low, d), max(c.high, d)
		}
	}
	slices.SortStableFunc(c.bars, func(a, b bar) int { return compareBetter(m, b.diff, a.diff) })
	return c
}

// figure draws the chart for wide and for narrow pages; it is empty if no topic
// has a figure.
func (c barChart) figure() Figure {
	if len(c.bars) == 0 {
		return Figure{}
	}
	return Figure{
		SVG:    template.HTML(c.draw(half*3/2, 19, frame{left: 230, right: half*1.5 - 60, top: 8})),
		Narrow: template.HTML(c.draw(narrow, 36, frame{left: 18, right: narrow - 44, top: 8})),
	}
}

// draw draws the bars, gap pixels from one to the next. Names are left of the
// plot area on wide pages and above their bars on narrow ones. The axis begins
// and ends at a tick, and always includes 0.
func (c barChart) draw(w int, gap float64, f frame) string {
	n := 6.0
	if w == narrow {
		n = 3
	}
	step := niceStep(max(c.high-c.low, 1e-9) / n)
	h := int(float64(len(c.bars))*gap) + 62
	f.bottom, f.maxY = float64(h)-46, 1
	f.minX, f.maxX = step*math.Floor(c.low/step+1e-9), step*max(1, math.Ceil(c.high/step-1e-9))
	if c.low < 0 { // room for the figures left of the bars
		f.minX -= step
	}
	var b strings.Builder
	openSVG(&b, w, h, c.title)
	for _, v := range ticks(f.minX, f.maxX, int(n)) {
		fmt.Fprintf(&b, `<path class="grid" d="M%.1f %.1fV%.1f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n",
			f.x(v), f.top, f.bottom, f.x(v), f.bottom+17, strings.Replace(tick(v, niceStep((f.maxX-f.minX)/n)), "-", "−", 1))
	}
	for i, bar := range c.bars {
		c.bar(&b, f, bar, f.top+float64(i)*gap, w == narrow)
	}
	fmt.Fprintf(&b, `<path class="axis" d="M%.1f %.1fV%.1f"/>`, f.x(0), f.top, f.bottom)
	fmt.Fprintf(&b, `<text class="what" x="%.1f" y="%.1f" text-anchor="middle">%s, less the median</text></svg>`, (f.left+f.right)/2, f.bottom+37, escape(c.measure.String(), 40))
	return b.String()
}

// bar draws one bar with its topic and its figure. Colour c1 marks a difference
// for the worse.
func (c barChart) bar(b *strings.Builder, f frame, bar bar, y float64, above bool) {
	name := escape(ending(bar.topic, 30), 30)
	if above {
		fmt.Fprintf(b, `<text class="what" x="%.1f" y="%.1f">%s</text>`, f.left, y+12, name)
		y += 17
	} else {
		y += 4
		fmt.Fprintf(b, `<text class="what" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, f.left-10, y+11, name)
	}
	bad := bar.diff < 0 != c.measure.Kind().Lower && bar.diff != 0
	x, zero := f.x(bar.diff), f.x(0)
	fmt.Fprintf(b, `<rect class="mark c%d" x="%.1f" y="%.1f" width="%.1f" height="13"/>`, number(bad), min(x, zero), y, max(math.Abs(x-zero), 0.5))
	anchor, at := "start", x+5
	if bar.diff < 0 {
		anchor, at = "end", x-5
	}
	fmt.Fprintf(b, `<text class="tick" font-size="12" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", at, y+10.5, anchor, change(c.measure, bar.diff))
}

// shortNames returns short names of topics for figures: the last part of a path
// such as Top/Science/Stars, with the name of the web if topics of several webs
// end alike, and the full name if that is still ambiguous. The names are
// distinct, so that a reader of a figure can find the topic.
func shortNames(topics []string) map[string]string {
	ends := map[string]int{}
	end := func(t string) string {
		return strings.ReplaceAll(t[strings.LastIndexByte(strings.TrimRight(t, "/"), '/')+1:], "_", " ")
	}
	for _, t := range topics {
		ends[end(t)]++
	}
	short, taken := map[string]string{}, map[string]bool{}
	for _, t := range topics {
		name := end(t)
		// Trails of several webs prefix a topic with the name of its web and a
		// colon.
		if web, _, several := strings.Cut(t, ": "); ends[name] > 1 && several {
			name += " (" + web + ")"
		} else if ends[name] > 1 {
			name = t
		}
		if taken[name] {
			name = t
		}
		taken[name] = true
		short[t] = name
	}
	return short
}

// A dot is a point of a scatter plot; name "" has no label.
type dot struct {
	x, y  float64
	shape int
	class string
	name  string
}

// difficulty plots, per topic, how the best and the worst strategy did against
// the share of the web that is on topic: a rare topic is a hard one. A crawl
// that draws pages at random is on the diagonal.
func (r *Report) difficulty(m measure.Measure) Figure {
	share := map[string]float64{}
	for i := range r.in.Runs.Trails {
		if t := &r.in.Runs.Trails[i]; t.Pages > 0 && t.Relevant > 0 {
			share[t.Topic] = float64(t.Relevant) / float64(t.Pages)
		}
	}
	var dots []dot
	short := shortNames(r.in.Runs.Topics())
	ends := []string{r.rivals[0]}
	if last := r.rivals[len(r.rivals)-1]; last != ends[0] {
		ends = append(ends, last)
	}
	// The dots of both strategies are drawn; only those of the best one have
	// names, since a topic has the same share in both.
	for k, name := range ends {
		for i, v := range r.in.Runs.ByTopic(m, name) {
			t := r.in.Runs.Topics()[i]
			if !math.IsNaN(v) && !math.IsInf(v, 0) && share[t] > 0 {
				d := dot{share[t], v, k, class(r.style(name)), ""}
				if name == ends[0] {
					d.name = short[t]
				}
				dots = append(dots, d)
			}
		}
	}
	if len(dots) == 0 {
		return Figure{}
	}
	return Figure{SVG: template.HTML(r.scatter(m, dots, ends, 800, 440)), Narrow: template.HTML(r.scatter(m, dots, ends, narrow, 400))}
}

// scatter draws the dots with axes, legend and the line of chance.
func (r *Report) scatter(m measure.Measure, dots []dot, ends []string, w, h int) string {
	f := dotFrame(dots, frame{left: 58, right: float64(w) - 24, top: 34, bottom: float64(h) - 46})
	if w == narrow { // the names of the two above each other
		f.top += 18
	}
	var b strings.Builder
	title := fmt.Sprintf("%s against the share of pages on topic, a point to each topic", m.Title())
	openSVG(&b, w, h, title)
	for _, v := range f.levels() {
		fmt.Fprintf(&b, `<path class="grid" d="M%.1f %.1fH%.1f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text>`+"\n",
			f.left, f.y(v), f.right, f.left-8, f.y(v)+4.5, trimmed(v))
	}
	fmt.Fprintf(&b, `<path class="axis" stroke-dasharray="2 4" d="%s"><title>by chance</title></path>`+"\n", f.chance())
	for _, v := range thinned(logTicks(f.minX, f.maxX), int((f.right-f.left)/56)) {
		fmt.Fprintf(&b, `<path class="axis" d="M%.1f %.1fv4"/><text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s %%</text>`+"\n",
			f.x(v), f.bottom, f.x(v), f.bottom+18, trimmed(100*v))
	}
	fmt.Fprintf(&b, `<path class="axis" d="M%.1f %.1fH%.1f"/>`+"\n", f.left, f.bottom, f.right)
	axisNames(&b, f, "share of the web's pages on the topic", m.Title())
	x, y := f.left+4, 18.0
	for k, name := range ends {
		fmt.Fprintf(&b, `%s<text class="name %s" x="%.1f" y="%.0f">%s</text>`+"\n", drawShape(k, class(r.style(name)), x+4, y-4.5), class(r.style(name)), x+14, y, escape(name, longName))
		if w == narrow {
			y += 18
		} else {
			x += 34 + textWidth(clean(name, longName))
		}
	}
	drawDots(&b, f, dots)
	b.WriteString("</svg>")
	return b.String()
}

// dotFrame fits a frame to dots. The horizontal axis is logarithmic, because
// shares of pages on topic span orders of magnitude; the vertical one is too if
// the values span more than a factor of 8.
func dotFrame(dots []dot, f frame) frame {
	f.minX, f.maxX, f.minY, f.logX = math.Inf(1), 0, math.Inf(1), true
	for _, d := range dots {
		f.minX, f.maxX = min(f.minX, d.x), max(f.maxX, d.x)
		f.minY, f.maxY = min(f.minY, d.y), max(f.maxY, d.y)
	}
	f.minX, f.maxX = f.minX/1.3, f.maxX*1.3
	// On a linear axis, values that differ by such a factor would all be at its
	// lower edge.
	if f.minY > 0 && f.maxY > 8*f.minY {
		f.logY, f.minY, f.maxY = true, f.minY/1.3, f.maxY*1.3
		return f
	}
	step := niceStep(max(f.maxY, 1e-9) / 5)
	f.minY, f.maxY = 0, max(step*math.Ceil(f.maxY/step-1e-9), step)
	return f
}

// levels returns the values of the horizontal grid lines.
func (f frame) levels() []float64 {
	if f.logY {
		return logTicks(f.minY, f.maxY)
	}
	return ticks(f.minY, f.maxY, 5)
}

// chance returns the path on which both values are equal: the harvest of a crawl
// that draws pages at random.
func (f frame) chance() string {
	var b strings.Builder
	lo, hi := max(f.minX, f.minY), min(f.maxX, f.maxY)
	const pieces = 30
	for i := range pieces + 1 {
		if v := lo * math.Pow(hi/lo, float64(i)/pieces); lo < hi {
			fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(i, 1)], f.x(v), f.y(v))
		}
	}
	return b.String()
}

// logTicks returns 1, 2 and 5 times powers of ten between two positive values.
func logTicks(lo, hi float64) (list []float64) {
	for e := math.Floor(math.Log10(lo)); e <= math.Log10(hi); e++ {
		for _, m := range []float64{1, 2, 5} {
			if v := m * math.Pow(10, e); v >= lo && v <= hi {
				list = append(list, v)
			}
		}
	}
	return list
}

// thinned returns at most about n of the values, evenly spaced: labels of ticks
// must not overlap on narrow pages.
func thinned(list []float64, n int) []float64 {
	every := (len(list) + n - 1) / max(n, 1)
	if every < 2 {
		return list
	}
	var some []float64
	for i := 0; i < len(list); i += every {
		some = append(some, list[i])
	}
	return some
}

// trimmed formats a value of an axis with three significant digits at most.
func trimmed(v float64) string { return fmt.Sprintf("%.3g", v) }

// drawDots draws dots, and their names where there is room next to them: right,
// left, above or below, the first of these that is free. A name without room is
// left out; the table of topics has all of them. The cost is quadratic in the
// number of topics, which are some dozens.
func drawDots(b *strings.Builder, f frame, dots []dot) {
	var full []box
	for _, d := range dots {
		x, y := f.x(d.x), f.y(d.y)
		fmt.Fprintln(b, drawShape(d.shape, d.class, x, y))
		full = append(full, box{x - 6, y - 6, x + 6, y + 6})
	}
	for _, d := range dots {
		x, y := f.x(d.x), f.y(d.y)
		name := ending(d.name, 24)
		w := 6.2 * float64(len([]rune(name)))
		// The four places for a name, in order of preference; 6.2 pixels per
		// character is an estimate for the font size of ticks.
		for _, at := range []box{
			{x + 8, y - 6, x + 8 + w, y + 6}, {x - 8 - w, y - 6, x - 8, y + 6},
			{x - w/2, y - 20, x + w/2, y - 8}, {x - w/2, y + 8, x + w/2, y + 20},
		} {
			if name == "" || !at.free(full, f) {
				continue
			}
			full = append(full, at)
			fmt.Fprintf(b, `<text class="tick" font-size="11" x="%.1f" y="%.1f">%s</text>`+"\n", at.left, at.bottom-2, escape(name, 30))
			break
		}
	}
}

// A box is an area that is covered, in pixels.
type box struct{ left, top, right, bottom float64 }

// free reports whether a box is inside the frame and overlaps no other.
func (a box) free(others []box, f frame) bool {
	if a.left < f.left || a.right > f.right || a.top < f.top || a.bottom > f.bottom {
		return false
	}
	return !slices.ContainsFunc(others, func(b box) bool {
		return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
	})
}
