package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"dowse"
	"dowse/internal/text"
)

// A kdeTrainer trains naive Bayes with kernel densities (John and Langley 1995), one of the
// three judges of Wang et al. 2009. It does what Weka's NaiveBayes does with -K:
// values are rounded to a grid, and each class has for each term a density with one
// kernel to a value. As naive Bayes is far too sure of itself, 5-fold
// cross-validation makes the result a probability.
type kdeTrainer struct {
	Features
	Literal bool // as Weka has it, without that
}

// The numbers of the densities, Weka's.
const (
	densityFloor = 1e-75
	flatGrid     = 0.01 // of a term with the same value in all examples
	narrow       = 6.0  // a kernel is at least a sixth of the grid wide
)

// Train makes the judge. Its reasons add up on the scale of log-odds: a term weighs
// what it changes by being there.
func (t kdeTrainer) Train(examples []Example) (Model, error) {
	if err := t.trainable(examples); err != nil {
		return nil, fmt.Errorf("judge: kde: %w", err)
	}
	s := t.sample(examples)
	in := s.space(s.vocabulary(s.all()))
	return kdeJudge{newTrained("kde", in, t.train(s, in))}, nil
}

func (t kdeTrainer) train(s *sample, in *space) *densities {
	x := s.vectors(in)
	d := estimate(x, s.wanted, in.size)
	if !t.Literal {
		f := outOfFold(folds(s.wanted, 5), 5, func(from []int) func(int) float64 {
			d := estimate(pick(x, from), pick(s.wanted, from), in.size)
			return func(i int) float64 { return d.logOdds(x[i]) }
		})
		p := t.calibration(f, s.wanted)
		d.Slope, d.Shift = -p.a, -p.b
	}
	d.tabulate()
	return d
}

// densities are the kernel densities of all terms in both classes. Since values and
// kernels lie on a grid, a density is a table over the grid, and only the terms of
// a page cost anything: the others are summed up beforehand.
type densities struct {
	Classes [2]int  `json:"examples"` // others, wanted
	Grids   []grid  `json:"grids"`    // by term
	Slope   float64 `json:"slope"`    // of the calibration
	Shift   float64 `json:"shift"`

	empty float64 // log-odds of a page without any term
	whole bool    // the tables are: beyond their ends nothing changes any more
}

// A grid is what is known of a term: the steps of its grid at which examples have
// values.
type grid struct {
	Step  float64    `json:"step"`
	At    [2][]point `json:"at"` // others, wanted; in order
	ratio []float64  // ln(density wanted / others), by step of the grid
}

// A point is a place on a grid and how many examples are there.
type point [2]int

// estimate makes the densities of examples. Values must not be negative.
func estimate(x []text.Vector, wanted []bool, size int) *densities {
	d := &densities{Grids: make([]grid, size), Slope: 1}
	columns := make([][]value, size)
	for i, v := range x {
		d.Classes[side(wanted[i])]++
		for _, e := range v {
			columns[e.Term] = append(columns[e.Term], value{e.Weight, side(wanted[i])})
		}
	}
	for t := range columns {
		d.Grids[t] = newGrid(columns[t], d.Classes)
	}
	d.prepare()
	return d
}

// value is a value of a term in an example of a class.
type value struct {
	x     float64
	class int
}

func side(wanted bool) int {
	if wanted {
		return 1
	}
	return 0
}

// newGrid lays a grid over the values that are not listed as zero and those that
// are: all the other examples of each class.
func newGrid(values []value, classes [2]int) grid {
	zeros := classes
	distinct := []float64{}
	for _, v := range values {
		zeros[v.class]--
		distinct = append(distinct, v.x)
	}
	if zeros[0]+zeros[1] > 0 {
		distinct = append(distinct, 0)
	}
	g := grid{Step: step(distinct)}
	var counts [2]map[int]int
	for c := range counts {
		counts[c] = map[int]int{}
		if zeros[c] > 0 {
			counts[c][0] = zeros[c]
		}
	}
	for _, v := range values {
		counts[v.class][g.place(v.x)]++
	}
	for c := range counts {
		g.At[c] = points(counts[c])
	}
	return g
}

// step returns the mean distance between neighbouring values.
func step(values []float64) float64 {
	slices.Sort(values)
	n := len(slices.Compact(slices.Clone(values)))
	if n < 2 {
		return flatGrid
	}
	return (values[len(values)-1] - values[0]) / float64(n-1)
}

// maxPlace bounds the places of a grid, whose steps can be tiny against the values.
const maxPlace = 1 << 30

func (g *grid) place(x float64) int {
	return int(min(math.RoundToEven(x/g.Step), maxPlace))
}

func points(counts map[int]int) []point {
	list := make([]point, 0, len(counts))
	for at, n := range counts {
		list = append(list, point{at, n})
	}
	slices.SortFunc(list, func(a, b point) int { return a[0] - b[0] })
	return list
}

// width returns how wide the kernels of a class are.
func (g *grid) width(class, n int) float64 {
	at := g.At[class]
	if len(at) < 2 {
		return g.Step / narrow
	}
	spread := float64(at[len(at)-1][0]-at[0][0]) * g.Step
	return max(spread/math.Sqrt(float64(n)), g.Step/narrow)
}

// kernel returns how much of a value of the class lies at a place of the grid that
// is off by so many steps, on either side. It is taken from the lower side, where
// the distribution function is near 0 and a difference of two loses nothing.
func (g *grid) kernel(class, n, off int) float64 {
	half, at, width := g.Step/2, -float64(off)*g.Step, g.width(class, n)
	return normal((at+half)/width) - normal((at-half)/width)
}

// normal is the distribution function of the standard normal distribution.
func normal(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }

// logDensity is the logarithm of the density at a place, which is never 0.
func (g *grid) logDensity(class, n, place int) float64 {
	sum := 0.0
	for _, p := range g.At[class] {
		sum += float64(p[1]) * g.kernel(class, n, max(p[0]-place, place-p[0]))
	}
	return g.floored(sum, n)
}

// floored returns the logarithm of the density that the kernels sum up to.
func (g *grid) floored(sum float64, n int) float64 {
	if n == 0 {
		return math.Log(densityFloor)
	}
	return math.Log(max(sum/(float64(n)*g.Step), densityFloor))
}

// prepare sums up what a page without any term has.
func (d *densities) prepare() {
	d.empty = math.Log(float64(d.Classes[1]+1)) - math.Log(float64(d.Classes[0]+1))
	for t := range d.Grids {
		g := &d.Grids[t]
		g.ratio = []float64{d.compare(g, 0)}
		d.empty += g.ratio[0]
	}
}

// tabulate makes the tables, each as far as the densities of the term reach, so
// that rating costs a look at a table for each term. The estimates of
// cross-validation, which rate little, do without.
func (d *densities) tabulate() {
	for t := range d.Grids {
		g := &d.Grids[t]
		g.ratio = make([]float64, max(g.reach(0, d.Classes[0]), g.reach(1, d.Classes[1])))
		for class, sign := range [2]float64{-1, 1} {
			g.addLogs(class, d.Classes[class], sign)
		}
	}
	d.whole = true
}

// addLogs adds the logarithms of the densities of a class to the table. A kernel is
// the same at all places of the grid, so it is computed once for each distance.
func (g *grid) addLogs(class, n int, sign float64) {
	var kernel []float64
	for place := range g.ratio {
		sum := 0.0
		for _, p := range g.At[class] {
			off := max(p[0]-place, place-p[0])
			for len(kernel) <= min(off, maxTable) {
				kernel = append(kernel, g.kernel(class, n, len(kernel)))
			}
			if off < len(kernel) {
				sum += float64(p[1]) * kernel[off]
			}
		}
		g.ratio[place] += sign * g.floored(sum, n)
	}
}

const (
	maxTable = 1024 // bounds the table of a term
	farOff   = 19.0 // widths from a value at which its kernel is below the floor
)

// reach returns the place from which on a class has no density.
func (g *grid) reach(class, n int) int {
	at := g.At[class]
	if len(at) == 0 {
		return 1
	}
	far := float64(at[len(at)-1][0]) + farOff*g.width(class, n)/g.Step + 2
	return int(min(far, maxTable))
}

func (d *densities) compare(g *grid, place int) float64 {
	return g.logDensity(1, d.Classes[1], place) - g.logDensity(0, d.Classes[0], place)
}

// change returns by how much a term of the given weight changes the log-odds of a
// page without it.
func (d *densities) change(e text.Entry) float64 {
	g := &d.Grids[e.Term]
	place := g.place(e.Weight)
	if d.whole {
		place = min(place, len(g.ratio)-1)
	}
	if place < len(g.ratio) {
		return g.ratio[place] - g.ratio[0]
	}
	return d.compare(g, place) - g.ratio[0]
}

func (d *densities) logOdds(v text.Vector) float64 {
	z := d.empty
	for _, e := range v {
		z += d.change(e)
	}
	return z
}

func (d *densities) calibrated(z float64) float64 { return float64(d.Slope*z) + d.Shift }

func (d *densities) rate(v text.Vector) float64 { return sigmoid(d.calibrated(d.logOdds(v))) }

func (d *densities) explain(v text.Vector, r *pageReading) (float64, string, []dowse.Because) {
	for _, e := range v {
		r.reasons.add(e.Term, d.Slope*d.change(e))
	}
	return d.rate(v), LogOdds, []dowse.Because{{What: "a page without terms", Weight: d.calibrated(d.empty)}}
}

func (d *densities) leaveOut(v text.Vector, out []float64) {
	z := d.logOdds(v)
	for i, e := range v {
		out[i] = sigmoid(d.calibrated(z - d.change(e)))
	}
}

type kdeJudge struct{ *trained }

// MarshalJSON writes down the terms and where on their grids the examples are.
func (j kdeJudge) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedKDE{save(j.space), j.core.(*densities)})
}

type savedKDE struct {
	savedSpace
	*densities
}

func loadKDE(data []byte) (Model, error) {
	saved := savedKDE{densities: &densities{}}
	s, err := saved.load(data, &saved)
	if err != nil {
		return nil, err
	}
	if err := saved.densities.check(s.size); err != nil {
		return nil, err
	}
	saved.prepare()
	saved.tabulate()
	return kdeJudge{newTrained("kde", s, saved.densities)}, nil
}

// check reports whether densities that were written down can be used.
func (d *densities) check(size int) error {
	if err := sameLength("grids", len(d.Grids), size); err != nil {
		return err
	}
	for t := range d.Grids {
		if g := &d.Grids[t]; !(g.Step > 1e-12 && g.Step < maxNumber) || !inOrder(g.At[0]) || !inOrder(g.At[1]) {
			return fmt.Errorf("the grid of term %d is none", t)
		}
	}
	if d.Classes[0] < 0 || d.Classes[1] < 0 {
		return fmt.Errorf("%d examples", min(d.Classes[0], d.Classes[1]))
	}
	return sane([]float64{d.Slope, d.Shift})
}

func inOrder(list []point) bool {
	for i, p := range list {
		if p[0] < 0 || p[0] > maxPlace || p[1] < 1 || i > 0 && list[i-1][0] >= p[0] {
			return false
		}
	}
	return true
}
