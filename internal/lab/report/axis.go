package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A frame maps values to the pixels of a drawing's plot area. Values beyond the
// horizontal range are clamped to its edges; the plot area clips vertically, see
// inside.
type frame struct {
	left, top, right, bottom float64 // in pixels
	minX, maxX, minY, maxY   float64 // values at the edges
	logX, logY               bool
}

// x returns the pixel of a value on the horizontal axis; values beyond its ends
// are drawn at the edge. On a logarithmic axis the value must be positive.
func (f frame) x(v float64) float64 {
	lo, hi := f.minX, f.maxX
	if f.logX {
		v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
	}
	return f.left + (min(max(v, lo), hi)-lo)/(hi-lo)*(f.right-f.left)
}

// y returns the pixel of a value on the vertical axis, which points up while
// pixels count down. Values beyond its ends are outside the plot area.
func (f frame) y(v float64) float64 {
	lo, hi := f.minY, f.maxY
	if f.logY {
		v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
	}
	return f.bottom - (v-lo)/(hi-lo)*(f.bottom-f.top)
}

// niceStep rounds x up to 1, 2 or 5 times a power of ten; 1 for a step that is
// not positive.
func niceStep(x float64) float64 {
	if !(x > 0) {
		return 1
	}
	e := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*e >= x*(1-1e-9) {
			return m * e
		}
	}
	return 10 * e
}

// inside opens a nested drawing that clips to the plot area, with a margin for
// shapes. A nested svg element clips without an id, of which a page with many
// drawings would need one each.
func (f frame) inside() string {
	const around = 6 // pixels for shapes on the edge
	x, y, w, h := f.left-around, f.top-around, f.right-f.left+2*around, f.bottom-f.top+2*around
	return fmt.Sprintf(`<svg x="%.1f" y="%.1f" width="%.1f" height="%.1f" viewBox="%.1f %.1f %.1f %.1f">`+"\n", x, y, w, h, x, y, w, h)
}

// ticks returns about n round values from lo to hi. They are multiples of the
// step, computed by multiplication, so that no rounding error adds up.
func ticks(lo, hi float64, n int) (list []float64) {
	step := niceStep((hi - lo) / float64(n))
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+step*1e-9; i++ {
		list = append(list, i*step+0) // no −0
	}
	return list
}

// pageTicks returns about n round values of the horizontal axis. On a logarithmic
// one they are powers of ten with as many values between them as there is room for.
func (f frame) pageTicks(n int) []float64 {
	if !f.logX {
		return ticks(f.minX, f.maxX, n)
	}
	list := logTicks(f.minX*(1-1e-9), f.maxX*(1+1e-9))
	if len(list) <= n {
		return list
	}
	tens := slices.DeleteFunc(slices.Clone(list), func(v float64) bool { e := math.Log10(v); return math.Abs(e-math.Round(e)) > 1e-9 })
	if len(tens) >= 2 {
		return tens
	}
	return thinned(list, n)
}

// tick formats a value at an axis with as many decimals as the step needs.
func tick(v, step float64) string {
	if step >= 1 {
		return grouped(v)
	}
	digits := int(math.Ceil(-math.Log10(step) - 1e-9))
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// spread moves positions apart until neighbours are at least gap from each other,
// each as close to its wish as that allows, and all within lo and hi if there is
// room. The result is in the order of the argument. It is isotonic regression by
// pooling adjacent clusters, O(n²) at worst, for at most a few dozen labels.
func spread(want []float64, gap, lo, hi float64) []float64 {
	order := make([]int, len(want))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(want[i], want[j]) })
	groups := gather(order, want, gap, lo, hi)
	got := make([]float64, len(want))
	for _, g := range groups {
		for k, i := range g.members {
			got[i] = g.start + float64(k)*gap
		}
	}
	return got
}

// A cluster is a run of labels that touch each other; it is centred on the mean
// of their wishes.
type cluster struct {
	members []int
	sum     float64 // of the starts that the members wish for
	start   float64
}

// settle places the cluster as its members wish, within lo and hi.
func (c *cluster) settle(gap, lo, hi float64) {
	n := float64(len(c.members))
	c.start = max(lo, min(c.sum/n, hi-(n-1)*gap))
}

// gather adds labels in ascending order, merging clusters until no two overlap.
func gather(order []int, want []float64, gap, lo, hi float64) (groups []cluster) {
	for _, i := range order {
		g := cluster{members: []int{i}, sum: want[i]}
		g.settle(gap, lo, hi)
		// The new label may push against the cluster before it, which then
		// moves back and may push against the one before that.
		for len(groups) > 0 {
			prev := groups[len(groups)-1]
			if prev.start+float64(len(prev.members))*gap <= g.start {
				break
			}
			shift := float64(len(prev.members)) * gap
			g = cluster{append(slices.Clone(prev.members), g.members...), prev.sum + g.sum - shift*float64(len(g.members)), 0}
			g.settle(gap, lo, hi)
			groups = groups[:len(groups)-1]
		}
		groups = append(groups, g)
	}
	return groups
}
