package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"dowse/internal/lab/measure"
)

// A heat table shows a measure of every strategy on every topic, hardest topic
// last. It is what a mean hides: on which topics a strategy fails, and whether
// all of them do.
type heat struct {
	Names []heatName
	Rows  []heatRow
}

// A heatName is the head of a column.
type heatName struct{ ID, Name string }

// A heatRow is a topic.
type heatRow struct {
	Topic string
	Cells []heatCell
}

// A heatCell is one value with its shade.
type heatCell struct {
	Value string
	Tint  int  // per cent; the nearer to the best value of the table, the darker
	Best  bool // the best on its topic
}

// heat returns the figures behind the means. Topics are ordered by the median
// of their strategies, easiest first, strategies by rank.
func (r *Report) heat(m measure.Measure) (h heat) {
	topics, short := r.in.Runs.Topics(), shortNames(r.in.Runs.Topics())
	values := make([][]float64, len(topics))
	for _, name := range r.rivals {
		h.Names = append(h.Names, heatName{r.ids[name], clean(name, 40)})
		for i, v := range r.in.Runs.ByTopic(m, name) {
			values[i] = append(values[i], v)
		}
	}
	order := make([]int, len(topics))
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range topics {
		order[i] = i
		for _, v := range values[i] {
			if shown(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(-compareBetter(m, measure.Median(values[a]), measure.Median(values[b])), cmp.Compare(topics[a], topics[b]))
	})
	for _, i := range order {
		h.Rows = append(h.Rows, heatRow{clean(short[topics[i]], 40), heatCells(m, values[i], lo, hi)})
	}
	return h
}

// heatCells shades the values of one topic between lo and hi, the extremes of
// the whole table, so that a shade means the same in all rows. Values that do
// not exist have no shade.
func heatCells(m measure.Measure, values []float64, lo, hi float64) (cells []heatCell) {
	best := math.NaN()
	for _, v := range values {
		if compareBetter(m, v, best) > 0 {
			best = v
		}
	}
	for _, v := range values {
		c := heatCell{Value: brief(m, v), Best: shown(v) && v == best}
		if shown(v) && hi > lo {
			near := (v - lo) / (hi - lo)
			if m.Kind().Lower {
				near = 1 - near
			}
			c.Tint = int(math.Round(45 * near))
		}
		cells = append(cells, c)
	}
	return cells
}

// brief is value with two decimals for shares, since the table has many cells
// and its third decimal means nothing for one topic.
func brief(m measure.Measure, v float64) string {
	if m.Kind().Unit == "share" && shown(v) {
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return value(m, v)
}
