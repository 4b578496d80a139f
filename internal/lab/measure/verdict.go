package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An Outcome is what an experiment says to a claim.
type Outcome string

// The outcomes. Undecided is said where there are too few topics, where the
// interval of the difference has room for both, and where a strategy was not run.
const (
	Holds     Outcome = "holds"
	HoldsNot  Outcome = "does not hold"
	Undecided Outcome = "undecided"
)

// A Verdict is an outcome with its figures.
type Verdict struct {
	Claim   string
	Outcome Outcome
	Figures []string // one to a comparison of which the claim consists
}

func (v Verdict) String() string {
	return fmt.Sprintf("%s: %s (%s)", v.Claim, v.Outcome, strings.Join(v.Figures, "; "))
}

// Check compares what the claim says with the runs. A claim of many parts holds if
// all do, and does not if one does not.
//
// The p that stands with the figures is of the claim's own direction; a claim that names no
// level is decided by the interval alone.
//
//	A > B          holds if the 95 % bootstrap interval of the mean difference lies above 0,
//	               does not if it lies below, and is undecided otherwise
//	A > B, p < α   holds if the one-tailed test says so, does not if the difference is not even
//	               above 0, and is undecided otherwise
//	A >= B         holds if the difference is not below 0, does not if the whole interval is
//	A ~ B          holds if the two-tailed test finds no difference; with within, if the whole
//	               interval is no further from 0, and does not if all of it is
//	A crosses B    holds if the mean of A is below that of B early on, and above it from there to the
//	               end; with at, if that begins there
func (c *Claim) Check(r *Runs, s Tests) (Verdict, error) {
	s, err := s.OrDefault()
	if err != nil {
		return Verdict{}, err
	}
	s.Test = cmp.Or(c.cond.test, s.Test)
	v := Verdict{Claim: c.text, Outcome: Holds}
	if missing := c.Unknown(r); len(missing) > 0 {
		v.Outcome = Undecided
		v.Figures = []string{"not run: " + strings.Join(missing, ", ")}
		return v, nil
	}
	for i, op := range c.ops {
		for _, right := range c.expand(r, i) {
			outcome, figures := c.compare(r, s, c.terms[i], op, right)
			v.Outcome = worse(v.Outcome, outcome)
			v.Figures = append(v.Figures, figures)
		}
	}
	if len(v.Figures) == 0 {
		v.Outcome, v.Figures = Undecided, []string{"there are no others"}
	}
	return v, nil
}

// Margins returns by how much the first comparison of the claim is exceeded on each
// topic: the left side less the right one, or for < and <= the other way round.
func (c *Claim) Margins(r *Runs, s Tests) []float64 {
	p := s.sides(r, c.terms[0], c.terms[1])
	if c.ops[0][0] == '<' {
		return differences(p.y, p.x)
	}
	return differences(p.x, p.y)
}

// worse returns the outcome of two parts together.
func worse(a, b Outcome) Outcome {
	for _, o := range []Outcome{HoldsNot, Undecided} {
		if a == o || b == o {
			return o
		}
	}
	return Holds
}

// expand returns the right side of the i-th comparison, once for each of others.
func (c *Claim) expand(r *Runs, i int) (right []term) {
	if c.terms[i+1].strategy != others {
		return []term{c.terms[i+1]}
	}
	for _, name := range r.Rivals() {
		if name != c.terms[i].strategy {
			t := c.terms[i+1]
			t.strategy = name
			right = append(right, t)
		}
	}
	return right
}

func (c *Claim) compare(r *Runs, s Tests, a term, op string, b term) (Outcome, string) {
	switch {
	case op == "crosses":
		return c.crosses(r, a, b)
	case c.cond.throughout:
		return c.throughout(r, s, a, op, b)
	}
	return c.decide(s.sides(r, a, b), op)
}

// A pairing is two terms on the topics that have both.
type pairing struct {
	a, b     term
	x, y     []float64
	diff     float64
	lo, hi   float64
	greater  float64 // p that x is larger
	lesser   float64
	twoSided float64
}

func (s Tests) sides(r *Runs, a, b term) pairing {
	m := a.measure
	if a.strategy == "" {
		m = b.measure
	}
	n := len(s.values(r, m, cmp.Or(a.strategy, b.strategy)))
	p := pairing{a: a, b: b}
	p.x, p.y = pairs(s.side(r, a, n), s.side(r, b, n))
	d := differences(p.x, p.y)
	p.diff = m.Centre(d)
	p.lo, p.hi = s.bootstrap(m, a.String(), b.String()).Interval(d)
	if s.Test == StudentTest {
		p.greater, p.lesser = PairedT(p.x, p.y).P, PairedT(p.y, p.x).P
		p.twoSided = min(1, 2*min(p.greater, p.lesser))
	} else {
		t := Wilcoxon(p.x, p.y)
		p.greater, p.lesser, p.twoSided = t.P, Wilcoxon(p.y, p.x).P, t.TwoTailed
	}
	return p
}

// side returns the figures of a term, n of them for a number.
func (s Tests) side(r *Runs, t term, n int) []float64 {
	if t.strategy == "" {
		return slices.Repeat([]float64{t.factor}, n)
	}
	values := s.values(r, t.measure, t.strategy)
	for i := range values {
		values[i] *= t.factor
	}
	return values
}

func (t term) String() string {
	number := strconv.FormatFloat(t.factor, 'g', -1, 64)
	switch {
	case t.strategy == "":
		return number
	case t.factor != 1:
		return number + " * " + t.strategy + "." + t.measure.String()
	}
	return t.strategy + "." + t.measure.String()
}

func (c *Claim) decide(p pairing, op string) (Outcome, string) {
	figures := p.figures(op)
	if len(p.x) == 0 {
		return Undecided, figures
	}
	gain, lo, hi, chance := p.diff, p.lo, p.hi, p.greater
	if op[0] == '<' {
		gain, lo, hi, chance = -p.diff, -p.hi, -p.lo, p.lesser
	}
	switch {
	case op == "~":
		return c.alike(p), figures
	case c.cond.alpha > 0:
		return significant(gain, chance, c.cond.alpha), figures
	case len(op) == 2:
		return pick(gain >= 0, hi < 0), figures
	}
	return pick(lo > 0, hi < 0 || lo == 0 && hi == 0), figures
}

// pick turns two conditions that exclude each other into an outcome.
func pick(holds, holdsNot bool) Outcome {
	switch {
	case holds:
		return Holds
	case holdsNot:
		return HoldsNot
	}
	return Undecided
}

func significant(gain, p, alpha float64) Outcome {
	if math.IsNaN(p) {
		return Undecided
	}
	return pick(p < alpha, gain <= 0)
}

func (c *Claim) alike(p pairing) Outcome {
	if m := c.cond.within; m > 0 {
		return pick(p.lo >= -m && p.hi <= m, p.lo > m || p.hi < -m)
	}
	if math.IsNaN(p.twoSided) {
		return Undecided
	}
	alpha := cmp.Or(c.cond.alpha, 0.05)
	return pick(p.twoSided >= alpha, p.twoSided < alpha)
}

// figures tells what a comparison goes by: both figures, the difference with its interval, and
// p in the direction of the claim, one-tailed; two-tailed where no difference is claimed.
func (p pairing) figures(op string) string {
	if len(p.x) == 0 {
		return fmt.Sprintf("%s and %s have no topic in common", p.a, p.b)
	}
	unit := measured(p.a, p.b)
	a, b := p.a.String(), p.b.String()
	if p.a.measure == p.b.measure && p.a.factor == 1 && p.b.factor == 1 { // it is the same for both: the claim tells it
		a, b = p.a.strategy, p.b.strategy
	}
	text := fmt.Sprintf("%s %s, %s %s, difference %s [%s, %s], n=%d", a, Figure(unit.Centre(p.x)), b, Figure(unit.Centre(p.y)),
		fine(p.diff), fine(p.lo), fine(p.hi), len(p.x))
	chance := map[byte]float64{'>': p.greater, '<': p.lesser, '~': p.twoSided}[op[0]]
	switch {
	case math.IsNaN(chance):
		return text + ", too few for a p-value"
	case chance < 0.001:
		return text + ", p<0.001"
	case chance > 0.999 && chance < 1:
		return text + ", p>0.999"
	default:
		return text + fmt.Sprintf(", p=%.3f", chance)
	}
}

// fine is Figure with as many digits as it takes to tell a small difference from none: a
// claim may rest on it.
func fine(v float64) string {
	small := math.Abs(v)
	if !(small > 0 && small < 0.0005) {
		return Figure(v)
	}
	for digits := 4; digits < 9; digits++ {
		if s := strconv.FormatFloat(v, 'f', digits, 64); strings.Trim(s, "-0.") != "" {
			return signed(s)
		}
	}
	return "0.000"
}

func measured(a, b term) Measure {
	if a.strategy == "" {
		return b.measure
	}
	return a.measure
}

// Figure writes a number as reports have it: three digits that count behind the point for
// shares, none for large numbers, – for what has no value.
func Figure(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case math.Abs(v) >= 100:
		return signed(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return signed(strconv.FormatFloat(v, 'f', 3, 64))
}

// signed writes a minus as readers expect it, and none before zero.
func signed(s string) string {
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return strings.Replace(s, "-", "−", 1)
}

// checkpoints of a claim about whole curves: every twentieth of the budget.
const checkpoints = 20

func shares() (list []float64) {
	for i := 1; i <= checkpoints; i++ {
		list = append(list, float64(i)/checkpoints)
	}
	return list
}

// throughout holds a comparison against every twentieth of the budget. It tells the
// figures of the worst.
func (c *Claim) throughout(r *Runs, s Tests, a term, op string, b term) (Outcome, string) {
	overall, worst := Holds, ""
	for _, at := range shares() {
		x, y := a, b
		x.measure, y.measure = a.measure.orAt(at), b.measure.orAt(at)
		outcome, figures := c.decide(s.sides(r, x, y), op)
		if next := worse(overall, outcome); next != overall || worst == "" {
			overall, worst = next, figures
		}
	}
	return overall, fmt.Sprintf("at %d places; %s", checkpoints, worst)
}

// orAt moves a measure to a share of the budget, the measure of a number excepted.
func (m Measure) orAt(share float64) Measure {
	if m == (Measure{}) {
		return m
	}
	return m.AtShare(share)
}

// crosses finds the page from which the mean of a is above that of b to the end. It
// looks at 200 places, so that the noise of the first pages is no crossing.
func (c *Claim) crosses(r *Runs, a, b term) (Outcome, string) {
	at := Grid(r.budget(), 200)
	d := differences(r.meanCurve(a, at), r.meanCurve(b, at))
	first := len(d) // from where on a is above
	for first > 0 && d[first-1] > 0 {
		first--
	}
	below := slices.ContainsFunc(d[:first], func(v float64) bool { return v < 0 })
	switch {
	case len(at) == 0:
		return Undecided, "no pages"
	case first == len(d):
		return HoldsNot, fmt.Sprintf("%s is not above %s at the end", a, b)
	case !below:
		return HoldsNot, fmt.Sprintf("%s is never below %s", a, b)
	}
	page := at[first]
	figures := fmt.Sprintf("%s is above %s from page %d on, %.0f %% of the budget", a, b, page, 100*float64(page)/float64(r.budget()))
	if c.cond.hi == (rankPlace{}) {
		return Holds, figures
	}
	return pick(page >= c.cond.lo.in(r.budget()) && page <= c.cond.hi.in(r.budget()), true), figures
}

// Grid returns at most n numbers of pages, evenly spread, of which the last is the
// budget.
func Grid(budget, n int) (at []int) {
	n = min(n, budget)
	for i := 1; i <= n; i++ {
		at = append(at, i*budget/n)
	}
	return at
}

func (r *Runs) meanCurve(t term, at []int) []float64 {
	curves := r.Curves(t.measure, t.strategy, at)
	mean := make([]float64, len(at))
	for i := range at {
		var v []float64
		for _, c := range curves {
			v = append(v, c[i])
		}
		mean[i] = t.factor * Mean(defined(v))
	}
	return mean
}
