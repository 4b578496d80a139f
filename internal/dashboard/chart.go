package dashboard

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// Charts are drawn as SVG here, so that a page without JavaScript has them. They contain no colours:
// classes name the role of a line, and the style sheet has a colour per role for light, dark and print.
// charts.js adds a cursor that reads the values of the attribute data-points.

// A chartPoint is a place on a chart, in the units of its axes.
type chartPoint struct{ X, Y float64 }

// A line is one line of a chart.
type line struct {
	Name   string
	Class  string // role: a, b, c, d, or quiet
	Points []chartPoint
}

// A chartMark is a vertical line at a place of the x axis, such as the use of a new model.
type chartMark struct {
	X    float64
	Name string
}

// A chart has lines over a common x axis.
type chart struct {
	Title          string // for people who can't see it
	X, Y           string // names of the axes
	Lines          []line
	Marks          []chartMark
	Low, High      []chartPoint // a band between two lines; none if empty
	Top            float64      // upper end of the y axis; 0 chooses one
	Width, Height  int
	Percent, Whole bool // how values of y are written
}

// The room around the lines, in units of the drawing.
const (
	roomLeft, roomRight, roomTop, roomBottom = 42.0, 10.0, 13.0, 24.0
)

// Empty reports whether there is nothing to draw.
func (c chart) Empty() bool {
	for _, l := range c.Lines {
		if len(l.Points) > 0 {
			return false
		}
	}
	return true
}

// SVG draws the chart.
func (c chart) SVG() template.HTML {
	w, h := float64(c.Width), float64(c.Height)
	right, top := c.bounds()
	sx := func(x float64) float64 { return roomLeft + x/right*(w-roomLeft-roomRight) }
	sy := func(y float64) float64 { return h - roomBottom - y/top*(h-roomTop-roomBottom) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %d %d" role="img" aria-label="%s" data-points="%s" data-box="%g %g %g %g" data-top="%g" data-right="%g">`,
		c.Width, c.Height, esc(c.Title), esc(c.data()), roomLeft, roomTop, w-roomRight, h-roomBottom, top, right)
	for _, y := range ticks(top, 4) {
		fmt.Fprintf(&b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%[3]f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text>`,
			roomLeft, w-roomRight, sy(y), roomLeft-6, sy(y)+3.5, c.value(y))
	}
	across := 6
	if c.Width < 500 {
		across = 3
	}
	if c.X == "pages" && right < float64(across) { // there is no half of a page
		across = max(int(right), 1)
	}
	for i, x := range ticks(right, across) {
		anchor := "middle"
		if i == 0 {
			anchor = "start"
		}
		if sx(x) > w-30 {
			anchor = "end"
		}
		fmt.Fprintf(&b, `<text class="tick" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, sx(x), h-roomBottom+15, anchor, short(x))
	}
	fmt.Fprintf(&b, `<line class="axis" x1="%.1f" x2="%.1f" y1="%.1f" y2="%[3]f"/>`, roomLeft, w-roomRight, h-roomBottom)
	if len(c.Low) > 0 && len(c.Low) == len(c.High) {
		b.WriteString(`<path class="band" d="` + pathOf(c.High, sx, sy, "M"))
		for i := len(c.Low) - 1; i >= 0; i-- {
			fmt.Fprintf(&b, "L%.1f %.1f", sx(c.Low[i].X), sy(c.Low[i].Y))
		}
		b.WriteString(`Z"/>`)
	}
	for i, m := range c.Marks {
		name := m.Name
		if i+1 < len(c.Marks) && sx(c.Marks[i+1].X)-sx(m.X) < 36 {
			name = "" // the next one would be written over it
		}
		fmt.Fprintf(&b, `<g class="mark"><title>%s</title><line x1="%.1f" x2="%[2]f" y1="%.1f" y2="%.1f"/><text x="%.1f" y="%.1f" text-anchor="middle">%s</text></g>`,
			esc(m.Name), sx(m.X), roomTop, h-roomBottom, sx(m.X), roomTop-3, esc(name))
	}
	for _, l := range c.Lines {
		switch len(l.Points) {
		case 0:
		case 1: // a path of one point can't be seen
			fmt.Fprintf(&b, `<circle class="spot %s" cx="%.1f" cy="%.1f" r="3.5"/>`, esc(l.Class), sx(l.Points[0].X), sy(l.Points[0].Y))
		default:
			fmt.Fprintf(&b, `<path class="line %s" d="%s"/>`, esc(l.Class), pathOf(thin(l.Points, 400), sx, sy, "M"))
		}
	}
	b.WriteString(`<line class="cursor" y1="13" y2="13"/></svg>`)
	return template.HTML(b.String()) //nolint:gosec // every text in it is escaped above
}

// Narrow draws the chart for a narrow screen, where its text would be too small otherwise.
func (c chart) Narrow() template.HTML {
	c.Width, c.Height = 350, min(c.Height, 210)
	return c.SVG()
}

// bounds returns the upper ends of the axes.
func (c chart) bounds() (right, top float64) {
	top = c.Top
	for _, l := range c.Lines {
		for _, p := range l.Points {
			right = max(right, p.X)
			if c.Top == 0 {
				top = max(top, p.Y)
			}
		}
	}
	for _, p := range c.High {
		right = max(right, p.X)
	}
	if c.Top == 0 && top > 0 {
		step := nice(top * 1.05 / 4) // the axis ends at a tick
		top = math.Ceil(top*1.05/step) * step
	}
	if right <= 0 { // an axis needs some length
		right = 1
	}
	if top <= 0 {
		top = 1
	}
	return right, top
}

// value returns a value of y as the axis shows it.
func (c chart) value(y float64) string {
	switch {
	case c.Percent:
		return fmt.Sprintf("%.0f%%", 100*y)
	case c.Whole || y >= 100:
		return short(y)
	}
	return strconv.FormatFloat(math.Round(y*1000)/1000, 'f', -1, 64)
}

// data returns the lines as JSON for charts.js.
func (c chart) data() string {
	type series struct {
		Name   string       `json:"name"`
		Points [][2]float64 `json:"points"`
	}
	list := []series{}
	for _, l := range c.Lines {
		s := series{Name: l.Name, Points: [][2]float64{}}
		for _, p := range thin(l.Points, 200) {
			s.Points = append(s.Points, [2]float64{math.Round(p.X*1000) / 1000, math.Round(p.Y*10000) / 10000})
		}
		list = append(list, s)
	}
	text, err := json.Marshal(list)
	if err != nil { // a value that is not a number
		return "[]"
	}
	return string(text)
}

// Table returns the values of the chart at a few places, for "show data".
func (c chart) Table() (rows [][]string) {
	head := []string{c.X}
	for _, l := range c.Lines {
		head = append(head, l.Name)
	}
	rows = append(rows, head)
	if len(c.Lines) == 0 {
		return rows
	}
	for i, p := range thin(c.Lines[0].Points, 20) {
		row := []string{short(p.X), c.value(p.Y)}
		for _, l := range c.Lines[1:] {
			if q := thin(l.Points, 20); i < len(q) {
				row = append(row, c.value(q[i].Y))
			} else {
				row = append(row, "–")
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// thin returns at most n points of a line, the first and the last among them.
func thin(list []chartPoint, n int) []chartPoint {
	if len(list) <= n {
		return list
	}
	out := make([]chartPoint, 0, n)
	for i := range n {
		out = append(out, list[i*(len(list)-1)/(n-1)])
	}
	return out
}

// pathOf returns the path of a line.
func pathOf(list []chartPoint, sx, sy func(float64) float64, first string) string {
	var b strings.Builder
	for i, p := range list {
		if i == 0 {
			b.WriteString(first)
		} else {
			b.WriteByte('L')
		}
		fmt.Fprintf(&b, "%.1f %.1f", sx(p.X), sy(p.Y))
	}
	return b.String()
}

// ticks returns round values from 0 to an end, about n of them.
func ticks(end float64, n int) (list []float64) {
	step := nice(end / float64(n))
	for i := 0; float64(i)*step <= end*1.0001; i++ {
		list = append(list, float64(i)*step)
	}
	return list
}

// nice returns the least of 1, 2, 2.5 and 5 times a power of ten that is not smaller than x.
func nice(x float64) float64 {
	if x <= 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if m*p >= x*0.9999 {
			return m * p
		}
	}
	return 10 * p
}

// short returns a number in at most five characters: 950, 1.2k, 38k, 4.1M.
func short(x float64) string {
	trim := func(v float64, unit string) string {
		return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0") + unit
	}
	switch {
	case x >= 1e6:
		return trim(x/1e6, "M")
	case x >= 1e4:
		return trim(x/1e3, "k")
	case x == math.Trunc(x):
		return strconv.Itoa(int(x))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// A bin is one bar of a histogram.
type bin struct {
	Name  string
	Count int
	Class string
}

// bars draws a histogram for wide and for narrow screens, nothing if there is nothing to count.
func bars(title string, bins []bin, width, height int) template.HTML {
	wide := histogram(title, bins, width, height)
	if wide == "" {
		return ""
	}
	return `<div class="for-wide">` + wide + `</div><div class="for-narrow">` + histogram(title, bins, min(width, 350), height) + `</div>` + binTable(title, bins)
}

// binTable returns the counts of a histogram as a table that can be opened.
func binTable(title string, bins []bin) template.HTML {
	var b strings.Builder
	id := strings.ReplaceAll(strings.ToLower(title), " ", "-")
	fmt.Fprintf(&b, `<details id="%s"><summary>Show data</summary><div class="scroll tall" tabindex="0" role="region" aria-label="%s"><table><tr><th class="n" scope="col">from</th><th class="n" scope="col">links</th></tr>`, esc(id), esc(title))
	for _, x := range bins {
		fmt.Fprintf(&b, `<tr><td class="n">%s</td><td class="n">%s</td></tr>`, esc(x.Name), count(x.Count))
	}
	b.WriteString(`</table></div></details>`)
	return template.HTML(b.String()) //nolint:gosec // every text in it is escaped above
}

// histogram draws counts as bars from left to right, nothing if there is nothing to count.
func histogram(title string, bins []bin, width, height int) template.HTML {
	most, all := 1, 0
	for _, x := range bins {
		most = max(most, x.Count)
		all += x.Count
	}
	if all == 0 {
		return ""
	}
	w, h := float64(width), float64(height)
	bottom, step := 18.0, w/float64(max(1, len(bins)))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %d %d" role="img" aria-label="%s">`, width, height, esc(title))
	for i, x := range bins {
		tall := float64(x.Count) / float64(most) * (h - bottom - 4)
		if x.Count > 0 {
			tall = max(tall, 1.5)
		}
		fmt.Fprintf(&b, `<g><title>%s: %s</title><rect class="bar %s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="1"/></g>`,
			esc(x.Name), count(x.Count), esc(x.Class), float64(i)*step+1, h-bottom-tall, max(step-2, 1), tall)
		if most := max(width/50, 1); len(bins) <= most || i%(len(bins)/most+1) == 0 {
			fmt.Fprintf(&b, `<text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, float64(i)*step+step/2, h-5, esc(x.Name))
		}
	}
	fmt.Fprintf(&b, `<line class="axis" x1="0" x2="%d" y1="%.1f" y2="%[2]f"/></svg>`, width, h-bottom)
	return template.HTML(b.String()) //nolint:gosec // every text in it is escaped above
}

// meter draws a share from 0 to 1 as a bar.
func meter(share float64, class string) template.HTML {
	share = max(0, min(1, share))
	if math.IsNaN(share) {
		share = 0
	}
	return template.HTML(fmt.Sprintf(`<svg class="meter %s" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="back" width="100" height="8" rx="1"/><rect class="fill" width="%.1f" height="8" rx="1"/></svg>`, esc(class), 100*share)) //nolint:gosec // a number and a class
}

// A stackPart is one part of a bar of several parts.
type stackPart struct {
	Name  string
	Count int
	Class string
	Href  string
}

// stack draws parts of a whole side by side.
func stack(title string, parts []stackPart) template.HTML {
	all := 0
	for _, p := range parts {
		all += p.Count
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="stack" viewBox="0 0 1000 14" preserveAspectRatio="none" role="img" aria-label="%s">`, esc(title))
	at := 0.0
	for _, p := range parts {
		if p.Count == 0 || all == 0 {
			continue
		}
		wide := max(1.5, 1000*float64(p.Count)/float64(all))
		fmt.Fprintf(&b, `<g><title>%s: %s</title><rect class="%s" x="%.1f" width="%.1f" height="14"/></g>`, esc(p.Name), count(p.Count), esc(p.Class), at, max(wide-1, 0.8))
		at += wide
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) //nolint:gosec // every text in it is escaped above
}

// esc escapes a text for an attribute or an element.
func esc(s string) string { return template.HTMLEscapeString(s) }
