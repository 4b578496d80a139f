package report

import (
	"fmt"
	"math"
	"strings"

	"dowse/lab/measure"
)

const rankGap = 23 // from a strategy to the next

// ranking draws the answer of an experiment: the strategies, best first, each with its
// figure, the interval, how far it is behind the best, and how sure that is.
func (r *Report) ranking(m measure.Measure) string {
	names := append(append([]string{}, r.bounds...), r.rivals...)
	h := len(names)*rankGap + 74
	f := frame{left: 285, right: 800, top: 26, bottom: float64(h) - 46, maxY: 1}
	for _, name := range names {
		fig := r.table[cell{name, m}]
		f.maxX = max(f.maxX, finite(fig.centre), finite(fig.hi))
	}
	step := niceStep(max(f.maxX, 1e-9) / 6)
	f.maxX = step * math.Ceil(f.maxX/step-1e-9)
	var b strings.Builder
	openSVG(&b, wide, h, "Strategies in the order of "+m.Title())
	for _, v := range ticks(0, f.maxX, 6) {
		fmt.Fprintf(&b, `<path class="grid" d="M%.1f %.1fV%.1f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n",
			f.x(v), f.top, f.bottom, f.x(v), f.bottom+17, tick(v, step))
	}
	fmt.Fprintf(&b, `<text class="what" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n", (f.left+f.right)/2, f.bottom+37, escape(m.Title(), 90))
	for _, head := range []struct {
		x    float64
		text string
	}{{rankValue, m.String()}, {rankDiff, "less the best"}, {rankP, r.pName()}} {
		fmt.Fprintf(&b, `<text class="tick" x="%.1f" y="14" text-anchor="end">%s</text>`, head.x, escape(head.text, 22))
	}
	for i, name := range names {
		r.ranked(&b, f, m, name, f.top+rankGap*(float64(i)+0.5))
	}
	b.WriteString("</svg>")
	return b.String()
}

// Where the columns of figures end, in pixels.
const (
	rankName  = 200.0
	rankValue = 262.0
	rankDiff  = 920.0
	rankP     = 1020.0
)

// ranked draws the line of one strategy.
func (r *Report) ranked(b *strings.Builder, f frame, m measure.Measure, name string, y float64) {
	fig, style := r.table[cell{name, m}], r.style(name)
	fmt.Fprintf(b, `<text class="name %s" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, class(style), rankName, y+4.5, escape(name, longName))
	fmt.Fprintf(b, `<text class="what" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, rankValue, y+4.5, value(m, fig.centre))
	if shown(fig.lo) && shown(fig.hi) && fig.hi > fig.lo {
		fmt.Fprintf(b, `<path class="span %s" d="M%.1f %.1fH%.1f"/>`, class(style), f.x(fig.lo), y, f.x(fig.hi))
	}
	if shown(fig.centre) {
		fmt.Fprintf(b, `<circle class="mark %s" cx="%.1f" cy="%.1f" r="5"/>`, class(style), f.x(fig.centre), y)
	}
	if c, ok := r.between(m, r.rivals[0], name); ok {
		c = c.Swapped()
		fmt.Fprintf(b, `<text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text><text class="%s" x="%.1f" y="%.1f" text-anchor="end">%s</text>`,
			rankDiff, y+4.5, change(m, c.Diff), map[bool]string{true: "tick", false: "what doubt"}[c.PAdj < r.in.Tests.Alpha], rankP, y+4.5, escape(p(c.PAdj), 12))
	}
	b.WriteString("\n")
}

func shown(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
