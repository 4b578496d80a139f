package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"dowse"
	"dowse/text"
)

// A kdeTrainer trains naive Bayes with kernel densities (John and Langley 1995), one
// of the three judges of Wang et al. 2009. It follows Weka's NaiveBayes -K, which the
// paper used: values of a term are rounded to a grid, and the density of a term in a
// class is the mean of one Gaussian kernel per example. A vector's log-odds are
//
//	ln P(on)/P(off) + Σ over terms of ln f_on(x_t)/f_off(x_t)
//
// The sum treats terms as independent, which makes the result much too certain; 5-fold
// cross-validation turns it into a probability, see [platt].
type kdeTrainer struct {
	Features
	Literal bool // like Weka: no calibration
}

// Constants of the densities, as in Weka.
const (
	densityFloor = 1e-75
	flatGrid     = 0.01 // step for a term with the same value in all examples
	narrow       = 6.0  // a kernel is at least one sixth of a step wide
)

// Train returns the judge. Its reasons add up on the scale of log-odds; the weight of
// a term is the difference between the term being there and being absent.
func (t kdeTrainer) Train(examples []Example) (Model, error) {
	if err := t.trainable(examples); err != nil {
		return nil, fmt.Errorf("judge: kde: %w", err)
	}
	s := t.sample(examples)
	in := s.space(s.vocabulary(s.all()))
	return kdeJudge{newTrained("kde", in, t.train(s, in))}, nil
}

// train estimates the densities from all examples, and the calibration from estimates
// that leave out one fold each.
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

// densities are the kernel densities of all terms in both classes. In principle every
// term of the vocabulary contributes to the rating of every page, by being absent.
// Since values and kernels lie on a grid, the log-ratio of a term is a table over the
// grid, and the sum for absent terms is computed once (empty): a page costs one
// look-up per term that it has.
type densities struct {
	Classes [2]int  `json:"examples"` // number of examples: off topic, on topic
	Grids   []grid  `json:"grids"`    // by term
	Slope   float64 `json:"slope"`    // calibrated log-odds = Slope·z + Shift
	Shift   float64 `json:"shift"`

	empty float64 // log-odds of a page without any term
	whole bool    // tables are complete: a place beyond the end has the last value
}

// A grid holds the training values of one term, as counts at multiples of Step.
type grid struct {
	Step  float64    `json:"step"`
	At    [2][]point `json:"at"` // off topic, on topic; ascending, each place once
	ratio []float64  // ln(f_on / f_off) by place; at least place 0
}

// A point is a place on a grid, in steps from 0, and the number of examples there.
type point [2]int

// estimate makes the densities of examples, without tables. Values must not be
// negative.
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

// A value is the weight of a term in one example, with the example's class.
type value struct {
	x     float64
	class int
}

// side returns the index of a class: 0 off topic, 1 on topic. All arrays of two in
// this package are in this order.
func side(wanted bool) int {
	if wanted {
		return 1
	}
	return 0
}

// newGrid makes the grid of a term. values lists the examples that have the term; all
// other examples of each class have the value 0, which sparse vectors do not store.
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

// step returns the mean distance between neighbouring distinct values. It sorts
// values.
func step(values []float64) float64 {
	slices.Sort(values)
	n := len(slices.Compact(slices.Clone(values)))
	if n < 2 {
		return flatGrid
	}
	return (values[len(values)-1] - values[0]) / float64(n-1)
}

// maxPlace limits the places of a grid: its steps can be tiny against the values, and
// a place must fit an int on every machine.
const maxPlace = 1 << 30

// place returns the place nearest to x.
func (g *grid) place(x float64) int {
	return int(min(math.RoundToEven(x/g.Step), maxPlace))
}

// points returns the counts sorted by place.
func points(counts map[int]int) []point {
	list := make([]point, 0, len(counts))
	for at, n := range counts {
		list = append(list, point{at, n})
	}
	slices.SortFunc(list, func(a, b point) int { return a[0] - b[0] })
	return list
}

// width returns the standard deviation of the kernels of a class with n examples: the
// range of its values over √n, at least one sixth of a step.
func (g *grid) width(class, n int) float64 {
	at := g.At[class]
	if len(at) < 2 {
		return g.Step / narrow
	}
	spread := float64(at[len(at)-1][0]-at[0][0]) * g.Step
	return max(spread/math.Sqrt(float64(n)), g.Step/narrow)
}

// kernel returns the mass that a kernel puts on the place that is off steps away: the
// integral of the Gaussian over one step. It is computed in the lower tail, where the
// distribution function is near 0 and subtracting two values loses no digits.
func (g *grid) kernel(class, n, off int) float64 {
	half, at, width := g.Step/2, -float64(off)*g.Step, g.width(class, n)
	return normal((at+half)/width) - normal((at-half)/width)
}

// normal is the distribution function of the standard normal distribution.
func normal(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }

// logDensity returns the logarithm of the density at a place. It is finite, see
// floored.
func (g *grid) logDensity(class, n, place int) float64 {
	sum := 0.0
	for _, p := range g.At[class] {
		sum += float64(p[1]) * g.kernel(class, n, max(p[0]-place, place-p[0]))
	}
	return g.floored(sum, n)
}

// floored returns the logarithm of the density for a sum of kernel masses of n
// examples, at least that of densityFloor: a value that no example of a class was near
// must not decide alone.
func (g *grid) floored(sum float64, n int) float64 {
	if n == 0 {
		return math.Log(densityFloor)
	}
	return math.Log(max(sum/(float64(n)*g.Step), densityFloor))
}

// prepare computes the log-odds of a page without terms, and the first entry of every
// table. The classes get one example more each, Laplace's correction.
func (d *densities) prepare() {
	d.empty = math.Log(float64(d.Classes[1]+1)) - math.Log(float64(d.Classes[0]+1))
	for t := range d.Grids {
		g := &d.Grids[t]
		g.ratio = []float64{d.compare(g, 0)}
		d.empty += g.ratio[0]
	}
}

// tabulate fills the tables as far as the densities of each term reach, so that rating
// is one look-up per term. The estimates of cross-validation, which rate few examples,
// work without tables.
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

// addLogs adds sign times the log-density of a class to the table. A kernel depends
// only on the distance, so it is computed once per distance.
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
	maxTable = 1024 // limit of a term's table, in places
	farOff   = 19.0 // distance in widths from which a kernel is below densityFloor
)

// reach returns the place from which a class has only the floor as density, at most
// maxTable.
func (g *grid) reach(class, n int) int {
	at := g.At[class]
	if len(at) == 0 {
		return 1
	}
	far := float64(at[len(at)-1][0]) + farOff*g.width(class, n)/g.Step + 2
	return int(min(far, maxTable))
}

// compare returns ln(f_on / f_off) at a place.
func (d *densities) compare(g *grid, place int) float64 {
	return g.logDensity(1, d.Classes[1], place) - g.logDensity(0, d.Classes[0], place)
}

// change returns by how much a term with the given weight changes the log-odds of a
// page without it. Without complete tables it computes what is not in the table.
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

// MarshalJSON returns the terms and the examples' places on their grids as JSON; the
// tables are computed again by loadKDE.
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

// check reports why densities that were read from a file cannot be used.
func (d *densities) check(size int) error {
	if err := sameLength("grids", len(d.Grids), size); err != nil {
		return err
	}
	for t := range d.Grids {
		if g := &d.Grids[t]; !(g.Step > 1e-12 && g.Step < maxNumber) || !inOrder(g.At[0]) || !inOrder(g.At[1]) {
			return fmt.Errorf("term %d has an invalid grid", t)
		}
	}
	if d.Classes[0] < 0 || d.Classes[1] < 0 {
		return fmt.Errorf("negative number of examples (%d)", min(d.Classes[0], d.Classes[1]))
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
