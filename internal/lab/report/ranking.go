package report

import (
	"fmt"
	"math"
	"strings"

	"dowse/internal/lab/measure"
)

// A rankLayout holds the positions of the columns of a ranking, in pixels. On
// narrow pages a strategy has two lines: its figures, and the bar below them.
// The two layouts are data, so that one function draws both.
type rankLayout struct {
	width, left, right float64 // width of the drawing; edges of the plot area
	gap                float64 // from a strategy to the next
	name               float64 // where names end, or begin with twoLines
	value, diff, p     float64 // where figures end
	twoLines           bool
}

// The layouts for wide and narrow pages.
var (
	rankWide   = rankLayout{width: wide, left: 285, right: 800, gap: 23, name: 200, value: 262, diff: 920, p: 1020}
	rankNarrow = rankLayout{width: narrow, left: 14, right: narrow - 14, gap: 42, name: 8, value: 226, diff: 300, p: narrow - 2, twoLines: true}
)

// ranking draws the answer of an experiment: the strategies, best first, each
// with its figure, the interval, the distance to the best, and how certain that
// is. The oracle is at the top, as the bound that no strategy can pass.
func (r *Report) ranking(m measure.Measure, at rankLayout) string {
	names := append(append([]string{}, r.bounds...), r.rivals...)
	h := len(names)*int(at.gap) + 74
	f := frame{left: at.left, right: at.right, top: 26, bottom: float64(h) - 46, maxY: 1}
	for _, name := range names {
		fig := r.table[cell{name, m}]
		f.maxX = max(f.maxX, finite(fig.centre), finite(fig.hi))
	}
	step := niceStep(max(f.maxX, 1e-9) / 6)
	f.maxX = step * math.Ceil(f.maxX/step-1e-9)
	var b strings.Builder
	openSVG(&b, int(at.width), h, "Strategies in the order of "+m.Title())
	for _, v := range ticks(0, f.maxX, 6) {
		fmt.Fprintf(&b, `<path class="grid" d="M%.1f %.1fV%.1f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n",
			f.x(v), f.top, f.bottom, f.x(v), f.bottom+17, tick(v, step))
	}
	fmt.Fprintf(&b, `<text class="what" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n", (f.left+f.right)/2, f.bottom+37, escape(m.Title(), 90))
	r.rankHeads(&b, m, at)
	for i, name := range names {
		r.ranked(&b, f, m, name, at, f.top+at.gap*(float64(i)+0.5))
	}
	b.WriteString("</svg>")
	return b.String()
}

// rankHeads writes the headings of the columns: the measure, the distance to
// the best, and what kind of p-value is shown.
func (r *Report) rankHeads(b *strings.Builder, m measure.Measure, at rankLayout) {
	less := "less the best"
	if at.twoLines {
		less = "less best"
	}
	for _, head := range []struct {
		x    float64
		text string
	}{{at.value, m.String()}, {at.diff, less}, {at.p, r.pName()}} {
		fmt.Fprintf(b, `<text class="tick" x="%.1f" y="14" text-anchor="end">%s</text>`, head.x, escape(head.text, 22))
	}
}

// ranked draws the row of one strategy. A p-value that is not significant is
// bold, because that is what a reader must not overlook.
func (r *Report) ranked(b *strings.Builder, f frame, m measure.Measure, name string, at rankLayout, y float64) {
	fig, style := r.table[cell{name, m}], r.style(name)
	line, anchor, long := y+4.5, "end", longName
	if at.twoLines {
		line, anchor, long, y = y-2, "start", 24, y+11
	}
	fmt.Fprintf(b, `<text class="name %s" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, class(style), at.name, line, anchor, escape(name, long))
	fmt.Fprintf(b, `<text class="what" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, at.value, line, value(m, fig.centre))
	if shown(fig.lo) && shown(fig.hi) && fig.hi > fig.lo {
		fmt.Fprintf(b, `<path class="span %s" d="M%.1f %.1fH%.1f"/>`, class(style), f.x(fig.lo), y, f.x(fig.hi))
	}
	if shown(fig.centre) {
		fmt.Fprintf(b, `<circle class="mark %s" cx="%.1f" cy="%.1f" r="5"/>`, class(style), f.x(fig.centre), y)
	}
	if c, ok := r.between(m, r.rivals[0], name); ok {
		c = c.Swapped()
		fmt.Fprintf(b, `<text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text><text class="%s" x="%.1f" y="%.1f" text-anchor="end">%s</text>`,
			at.diff, line, change(m, c.Diff), map[bool]string{true: "tick", false: "what doubt"}[c.PAdj < r.in.Tests.Alpha], at.p, line, escape(p(c.PAdj), 12))
	}
	b.WriteString("\n")
}

// shown reports whether a value is finite.
func shown(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
