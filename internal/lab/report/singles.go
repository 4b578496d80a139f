package report

import (
	"fmt"
	"html/template"
	"strings"

	"dowse/internal/lab/measure"
)

// singles draws one small plot per strategy: its curve and band in front of all
// others in grey. The grey curves are drawn once and referred to later, which
// keeps the page small: with 20 strategies they are 20 paths instead of 400.
func (r *Report) singles(m measure.Measure, y string) (list []Figure) {
	at, begin := r.pageGrid(thinPoints, 0)
	var lines []Line
	for _, name := range r.strategies() {
		if curves := r.in.Runs.Curves(m, name, at); len(curves) > 0 {
			lines = append(lines, Line{Name: name, Points: r.banded(m, curves, at), Style: r.style(name), Bound: r.in.Runs.IsOracle(name)})
		}
	}
	all := Plot{Lines: lines, Y: y, Width: tile, Height: tileHeight, LogFrom: begin}
	// The frame is computed without lines, which would reserve room for names,
	// and then gets the range of all of them.
	f := all.frame(nil, 8) // no room for names
	f.maxX, f.maxY = float64(max(r.in.Runs.Pages(), 1)), all.frame(lines, 8).maxY
	for i, l := range lines {
		var b strings.Builder
		openSVG(&b, tile, tileHeight, fmt.Sprintf("%s of %s against pages fetched, before those of all others", y, l.Name))
		all.axes(&b, f)
		b.WriteString(f.inside())
		b.WriteString(background(f, lines, "all-"+slug(m.String()), i == 0))
		if area := l.band(f); area != "" {
			fmt.Fprintf(&b, `<path class="band strong %s" d="%s"/>`, class(l.Style), area)
		}
		fmt.Fprintf(&b, `<path class="line %s" d="%s"/></svg></svg>`, class(l.Style), l.path(f))
		end := value(m, l.Points[len(l.Points)-1].Y)
		list = append(list, Figure{Name: clean(l.Name, 40), Class: class(l.Style), Note: end, SVG: template.HTML(b.String())})
	}
	return list
}

// background draws all lines in grey the first time, and refers to them by id
// later.
func background(f frame, lines []Line, id string, first bool) string {
	if !first {
		return fmt.Sprintf(`<use href="#%s"/>`, id)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<g id="%s">`, id)
	for _, l := range lines {
		fmt.Fprintf(&b, `<path class="thin rest" d="%s"/>`, l.path(f))
	}
	return b.String() + "</g>"
}
