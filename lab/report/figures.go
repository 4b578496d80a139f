package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dowse/lab/measure"
)

// Sizes of figures, in pixels of a page at its full width.
const (
	wide, wideHeight = 1080, 470
	half, halfHeight = 530, 340
	tile, tileHeight = 256, 190
)

const (
	curvePoints = 120 // of a curve that stands for all topics
	thinPoints  = 40  // of a topic's curve
)

// curves draws a measure against pages, from so many on, a line to each strategy, the
// band 95 % over topics.
func (r *Report) curves(m measure.Measure, y string, from, w, h int) Plot {
	plot := Plot{Title: y + " against pages fetched", Y: y, Width: w, Height: h, Format: func(v float64) string { return value(m, v) }}
	at := slices.DeleteFunc(measure.Grid(r.in.Runs.Pages(), curvePoints), func(k int) bool { return k < from })
	for _, name := range r.strategies() {
		lines := r.in.Runs.Curves(m, name, at)
		if len(lines) > 0 {
			style := r.style(name)
			plot.Lines = append(plot.Lines, Line{Name: name, Points: r.banded(lines, at), Style: style, Bound: r.in.Runs.Bound(name),
				Thin: style == restStyle, Bare: !r.drawsBand(name)})
		}
	}
	plot.Top = plot.room()
	return plot
}

// room is the height at which a plot is best read. Where the oracle, or what the first
// pages happened to be, are far above all the rest, they are cut off; 0 for no cut.
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

func (r *Report) banded(lines [][]float64, at []int) (points []Point) {
	lo, hi := measure.Bootstrap{Rounds: 1000, Seed: r.in.Tests.Seed}.Band(lines)
	for i, k := range at {
		points = append(points, Point{float64(k), meanAt(lines, i), lo[i], hi[i]})
	}
	return points
}

func meanAt(lines [][]float64, i int) float64 {
	var v []float64
	for _, l := range lines {
		if !math.IsNaN(l[i]) {
			v = append(v, l[i])
		}
	}
	return measure.Mean(v)
}

// tiles draws one small plot to a strategy: a thin line for each topic, and their mean.
func (r *Report) tiles(m measure.Measure, y string) (list []Figure) {
	at := measure.Grid(r.in.Runs.Pages(), thinPoints)
	top, topics := 0.0, r.in.Runs.Topics()
	for _, name := range r.strategies() {
		plot := Plot{Title: y + " of " + name + ", topic by topic", Y: y, Width: tile, Height: tileHeight}
		lines := r.in.Runs.Curves(m, name, at)
		for n, l := range lines {
			thin := Line{Name: lineName(topics, n, len(lines)), Style: r.style(name), Bound: r.in.Runs.Bound(name), Thin: true}
			for i, k := range at {
				thin.Points = append(thin.Points, Point{X: float64(k), Y: l[i]})
				top = max(top, finite(l[i]))
			}
			plot.Lines = append(plot.Lines, thin)
		}
		list = append(list, Figure{Name: clean(name, 60), Class: class(r.style(name)), plot: plot, mean: r.plainMean(lines, at)})
	}
	for i := range list { // one scale for all, so that they can be compared
		list[i].plot.Top = top
		list[i].SVG = list[i].drawn()
	}
	return list
}

// lineName is the topic of the n-th of some lines; nothing where a topic has no line.
func lineName(topics []string, n, lines int) string {
	if lines != len(topics) {
		return ""
	}
	return topics[n]
}

func (r *Report) plainMean(lines [][]float64, at []int) (points []Point) {
	for i, k := range at {
		y := meanAt(lines, i)
		points = append(points, Point{float64(k), y, y, y})
	}
	return points
}

// differences draws, for one strategy, how far it is from the median of all on each
// topic: what TREC reports end with.
func (r *Report) differences(m measure.Measure, name string) string {
	type bar struct {
		topic string
		diff  float64
	}
	topics, short := r.in.Runs.Topics(), shortNames(r.in.Runs.Topics())
	values := map[string][]float64{}
	for _, n := range r.rivals {
		values[n] = r.in.Runs.ByTopic(m, n)
	}
	var bars []bar
	for i, t := range topics {
		var all []float64
		for _, n := range r.rivals {
			if v := values[n][i]; !math.IsNaN(v) {
				all = append(all, v)
			}
		}
		if d := values[name][i] - measure.Median(all); !math.IsNaN(d) && !math.IsInf(d, 0) {
			bars = append(bars, bar{t, d})
		}
	}
	slices.SortStableFunc(bars, func(a, b bar) int { return compareBetter(m, b.diff, a.diff) })
	low, high := 0.0, 0.0
	for _, b := range bars {
		low, high = min(low, b.diff), max(high, b.diff)
	}
	return drawBars(fmt.Sprintf("%s of %s, less the median of all strategies", m, name), m, func(draw func(string, float64)) {
		for _, b := range bars {
			draw(short[b.topic], b.diff)
		}
	}, len(bars), low, high)
}

const barGap = 19 // from a bar to the next

func drawBars(title string, m measure.Measure, each func(draw func(name string, v float64)), n int, low, high float64) string {
	if n == 0 {
		return ""
	}
	step := niceStep(max(high-low, 1e-9) / 6)
	h := n*barGap + 62
	f := frame{left: 230, right: half*1.5 - 60, top: 8, bottom: float64(h) - 46, minY: 0, maxY: 1,
		minX: step * math.Floor(low/step+1e-9), maxX: step * max(1, math.Ceil(high/step-1e-9))}
	if low < 0 { // room for the figures left of the bars
		f.minX -= step
	}
	var b strings.Builder
	openSVG(&b, half*3/2, h, title)
	for _, v := range ticks(f.minX, f.maxX, 6) {
		fmt.Fprintf(&b, `<path class="grid" d="M%.1f %.1fV%.1f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n",
			f.x(v), f.top, f.bottom, f.x(v), f.bottom+17, strings.Replace(tick(v, niceStep((f.maxX-f.minX)/6)), "-", "−", 1))
	}
	y := f.top + 4
	each(func(name string, v float64) {
		bad := v < 0 != m.Kind().Lower && v != 0
		x, zero := f.x(v), f.x(0)
		fmt.Fprintf(&b, `<text class="what" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, f.left-10, y+11, escape(ending(name, 30), 30))
		fmt.Fprintf(&b, `<rect class="mark c%d" x="%.1f" y="%.1f" width="%.1f" height="13"/>`, number(bad), min(x, zero), y, max(math.Abs(x-zero), 0.5))
		anchor, at := "start", x+5
		if v < 0 {
			anchor, at = "end", x-5
		}
		fmt.Fprintf(&b, `<text class="tick" font-size="11" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", at, y+10.5, anchor, change(m, v))
		y += barGap
	})
	fmt.Fprintf(&b, `<path class="axis" d="M%.1f %.1fV%.1f"/>`, f.x(0), f.top, f.bottom)
	fmt.Fprintf(&b, `<text class="what" x="%.1f" y="%.1f" text-anchor="middle">%s, less the median</text></svg>`, (f.left+f.right)/2, f.bottom+37, escape(m.String(), 40))
	return b.String()
}

// shortNames gives topics names for figures: the end of a path, Top/Science/Stars, and
// with it what stands before a colon where topics of several webs end alike.
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

// A dot of a scatter plot.
type dot struct {
	x, y  float64
	shape int
	class string
	name  string
}

// difficulty draws how the best strategy and the worst did on each topic, against the
// share of the web that is on the topic.
func (r *Report) difficulty(m measure.Measure) string {
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
		return ""
	}
	return r.scatter(m, dots, ends)
}

func (r *Report) scatter(m measure.Measure, dots []dot, ends []string) string {
	const w, h = 800, 440
	f := dotFrame(dots, frame{left: 58, right: w - 24, top: 34, bottom: h - 46})
	var b strings.Builder
	title := fmt.Sprintf("%s against the share of pages on topic, a point to each topic", m.Title())
	openSVG(&b, w, h, title)
	for _, v := range f.levels() {
		fmt.Fprintf(&b, `<path class="grid" d="M%.1f %.1fH%.1f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text>`+"\n",
			f.left, f.y(v), f.right, f.left-8, f.y(v)+4.5, trimmed(v))
	}
	fmt.Fprintf(&b, `<path class="axis" stroke-dasharray="2 4" d="%s"><title>by chance</title></path>`+"\n", f.chance())
	for _, v := range logTicks(f.minX, f.maxX) {
		fmt.Fprintf(&b, `<path class="axis" d="M%.1f %.1fv4"/><text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s %%</text>`+"\n",
			f.x(v), f.bottom, f.x(v), f.bottom+18, trimmed(100*v))
	}
	fmt.Fprintf(&b, `<path class="axis" d="M%.1f %.1fH%.1f"/>`+"\n", f.left, f.bottom, f.right)
	axisNames(&b, f, "share of the web's pages on the topic", m.Title())
	at := f.left + 4
	for k, name := range ends {
		fmt.Fprintf(&b, `%s<text class="name %s" x="%.1f" y="18">%s</text>`+"\n", drawShape(k, class(r.style(name)), at+4, 13.5), class(r.style(name)), at+14, escape(name, longName))
		at += 34 + textWidth(clean(name, longName))
	}
	drawDots(&b, f, dots)
	b.WriteString("</svg>")
	return b.String()
}

// dotFrame fits a frame to points. The share is drawn by its logarithm, and so is what is
// compared with it where the points lie far apart.
func dotFrame(dots []dot, f frame) frame {
	f.minX, f.maxX, f.minY, f.logX = math.Inf(1), 0, math.Inf(1), true
	for _, d := range dots {
		f.minX, f.maxX = min(f.minX, d.x), max(f.maxX, d.x)
		f.minY, f.maxY = min(f.minY, d.y), max(f.maxY, d.y)
	}
	f.minX, f.maxX = f.minX/1.3, f.maxX*1.3
	if f.minY > 0 && f.maxY > 8*f.minY {
		f.logY, f.minY, f.maxY = true, f.minY/1.3, f.maxY*1.3
		return f
	}
	step := niceStep(max(f.maxY, 1e-9) / 5)
	f.minY, f.maxY = 0, max(step*math.Ceil(f.maxY/step-1e-9), step)
	return f
}

// levels are the values that a scatter plot has lines for.
func (f frame) levels() []float64 {
	if f.logY {
		return logTicks(f.minY, f.maxY)
	}
	return ticks(f.minY, f.maxY, 5)
}

// chance is the line on which both values are the same: a crawl that draws pages by lot.
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

// logTicks returns 1, 2 and 5 times powers of ten between two values.
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

func trimmed(v float64) string { return fmt.Sprintf("%.3g", v) }

// drawDots draws points, and their names where there is room beside them.
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

// A box is a field that something covers.
type box struct{ left, top, right, bottom float64 }

// free tells whether a box lies in the frame and on no other.
func (a box) free(others []box, f frame) bool {
	if a.left < f.left || a.right > f.right || a.top < f.top || a.bottom > f.bottom {
		return false
	}
	return !slices.ContainsFunc(others, func(b box) bool {
		return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
	})
}
