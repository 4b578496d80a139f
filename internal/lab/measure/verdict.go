package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An Outcome is the result of checking a claim.
type Outcome string

// The outcomes. A claim is undecided if there are too few topics, if the interval
// of the difference allows both, and if a strategy was not run.
const (
	Holds     Outcome = "holds"
	HoldsNot  Outcome = "does not hold"
	Undecided Outcome = "undecided"
)

// A Verdict is an outcome with its figures.
type Verdict struct {
	Claim   string
	Outcome Outcome
	Figures []string // one per comparison in the claim; equal ones once
}

func (v Verdict) String() string {
	return fmt.Sprintf("%s: %s (%s)", v.Claim, v.Outcome, strings.Join(v.Figures, "; "))
}

// Check decides the claim by the runs. A claim of several comparisons holds if
// all of them do, and does not if one does not.
//
// The p among the figures is in the direction of the claim; a claim without a
// level of p is decided by the interval alone.
//
//	A > B          holds if the 95 % interval of the mean difference is above 0,
//	does not if it is below, and is undecided otherwise
//	A > B, p < α   holds if the one-tailed test is significant, does not if the difference is
//	not above 0, and is undecided otherwise
//	A >= B         holds if the whole interval is at or above 0, does not if all of it is below;
//	with within, the limit is not 0 but that distance below 0
//	A ~ B          holds if the two-tailed test finds no difference; with within, if the whole
//	interval is within that distance of 0, and does not if all of it is outside
//	A crosses B    holds if the mean of A is below that of B at first, and above it from some page
//	to the end; with at, if that page is in the given range
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
			if !slices.Contains(v.Figures, figures) { // a measure without values has one text for all
				v.Figures = append(v.Figures, figures)
			}
		}
	}
	if len(v.Figures) == 0 {
		v.Outcome, v.Figures = Undecided, []string{"there are no others"}
	}
	return v, nil
}

// Margins returns, per topic, by how much the first comparison of the claim is
// exceeded: the left side minus the right one, and for < and <= the reverse.
func (c *Claim) Margins(r *Runs, s Tests) []float64 {
	p := s.sides(r, c.terms[0], c.terms[1])
	if c.ops[0][0] == '<' {
		return differences(p.y, p.x)
	}
	return differences(p.x, p.y)
}

// worse combines the outcomes of two comparisons.
func worse(a, b Outcome) Outcome {
	for _, o := range []Outcome{HoldsNot, Undecided} {
		if a == o || b == o {
			return o
		}
	}
	return Holds
}

// expand returns the right sides of the i-th comparison: one, or one per strategy
// for others.
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

// compare decides one comparison.
func (c *Claim) compare(r *Runs, s Tests, a term, op string, b term) (Outcome, string) {
	switch {
	case op == "crosses":
		return c.crosses(r, a, b)
	case c.cond.throughout:
		return c.throughout(r, s, a, op, b)
	}
	return c.decide(s.sides(r, a, b), op)
}

// A pairing is two terms, evaluated on the topics where both have a value.
type pairing struct {
	a, b     term
	x, y     []float64 // values of a and b, by topic
	diff     float64   // centre of x−y
	lo, hi   float64   // its 95 % confidence interval
	greater  float64   // one-tailed p of the alternative that x is larger
	lesser   float64   // and that it is smaller
	twoSided float64
	// valueless reports that the measure has no value for either side on any topic.
	valueless bool
	// lonely reports that a single topic of several has values for both sides. It shows nothing
	// of how topics vary, so it decides nothing. A run of one topic is about that topic.
	lonely bool
}

func isValue(v float64) bool { return !math.IsNaN(v) }

// sides evaluates two terms and tests their difference.
func (s Tests) sides(r *Runs, a, b term) pairing {
	m := a.measure
	if a.strategy == "" {
		m = b.measure
	}
	n := len(s.values(r, m, cmp.Or(a.strategy, b.strategy)))
	p := pairing{a: a, b: b}
	x, y := s.side(r, a, n), s.side(r, b, n)
	p.x, p.y = pairs(x, y)
	p.valueless = !slices.ContainsFunc(x, isValue) && !slices.ContainsFunc(y, isValue)
	d := differences(p.x, p.y)
	p.diff = m.Centre(d)
	p.lo, p.hi = m.differenceInterval(d)
	p.lonely = len(d) == 1 && n > 1
	if s.Test == StudentTest {
		p.greater, p.lesser = PairedT(p.x, p.y).P, PairedT(p.y, p.x).P
		p.twoSided = min(1, 2*min(p.greater, p.lesser))
	} else {
		t := Wilcoxon(p.x, p.y)
		p.greater, p.lesser, p.twoSided = t.P, Wilcoxon(p.y, p.x).P, t.TwoTailed
	}
	return p
}

// side returns the values of a term per topic; a number is repeated n times.
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

// valued returns a name with its figure; a number needs none.
func (t term) valued(name string, v float64) string {
	if t.strategy == "" {
		return name
	}
	return name + " " + Figure(v)
}

// decide applies the rules of [Claim.Check] to one comparison; < and <= are the
// reverse of > and >=.
func (c *Claim) decide(p pairing, op string) (Outcome, string) {
	figures := p.figures(op)
	if len(p.x) == 0 || p.lonely {
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
		return pick(lo >= -c.cond.within, hi < -c.cond.within), figures
	}
	return pick(lo > 0, hi < 0 || lo == 0 && hi == 0), figures
}

// pick turns two conditions into an outcome; the first one has precedence.
func pick(holds, holdsNot bool) Outcome {
	switch {
	case holds:
		return Holds
	case holdsNot:
		return HoldsNot
	}
	return Undecided
}

// significant decides a claim with a level of p.
func significant(gain, p, alpha float64) Outcome {
	if math.IsNaN(p) {
		return Undecided
	}
	return pick(p < alpha, gain <= 0)
}

// alike decides ~: by the interval with within, otherwise by the two-tailed test.
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

// figures returns the basis of a decision in words: both figures, the difference
// with its interval, and p in the direction of the claim, one-tailed, or
// two-tailed for ~.
func (p pairing) figures(op string) string {
	switch {
	case len(p.x) == 0 && p.valueless && p.a.measure == p.b.measure:
		return fmt.Sprintf("%s has no value on any topic of this run", p.a.measure)
	case len(p.x) == 0:
		return fmt.Sprintf("%s and %s have no topic in common", p.a, p.b)
	}
	unit := measured(p.a, p.b)
	a, b := p.a.String(), p.b.String()
	if p.a.measure == p.b.measure && p.a.factor == 1 && p.b.factor == 1 { // the claim names the measure once for both
		a, b = p.a.strategy, p.b.strategy
	}
	text := fmt.Sprintf("%s, %s, difference %s", p.a.valued(a, unit.Centre(p.x)), p.b.valued(b, unit.Centre(p.y)), fine(p.diff))
	if p.lonely {
		return text + ", n=1: a single topic has values, which decides nothing"
	}
	text += fmt.Sprintf(" [%s, %s], n=%d", fine(p.lo), fine(p.hi), len(p.x))
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

// fine is Figure with enough digits to distinguish a small difference from none,
// since a claim may depend on it.
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

// measured returns the measure of the term that is not a number.
func measured(a, b term) Measure {
	if a.strategy == "" {
		return b.measure
	}
	return a.measure
}

// Figure formats a number for reports: three decimals below 100, none above, –
// for a value that does not exist.
func Figure(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case math.Abs(v) >= 100:
		return signed(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return signed(strconv.FormatFloat(v, 'f', 3, 64))
}

// signed replaces a hyphen by a minus sign, and drops it before zero.
func signed(s string) string {
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return strings.Replace(s, "-", "−", 1)
}

// checkpoints is the number of places at which a claim about whole curves is
// checked.
const checkpoints = 20

func shares() (list []float64) {
	for i := 1; i <= checkpoints; i++ {
		list = append(list, float64(i)/checkpoints)
	}
	return list
}

// throughout checks a comparison at every twentieth of the budget and returns the
// figures of the first place with the worst outcome.
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

// orAt moves a measure to a share of the budget; the empty measure of a number is
// unchanged.
func (m Measure) orAt(share float64) Measure {
	if m == (Measure{}) {
		return m
	}
	return m.AtShare(share)
}

// crosses finds the page from which the mean of a is above that of b to the end.
// It evaluates 200 places, so that noise in the first pages is not mistaken for a
// crossing.
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
	case math.IsNaN(d[len(d)-1]):
		if a.measure == b.measure && !slices.ContainsFunc(slices.Concat(r.meanCurve(a, at), r.meanCurve(b, at)), isValue) {
			return Undecided, fmt.Sprintf("%s has no value on any topic of this run", a.measure)
		}
		return Undecided, fmt.Sprintf("%s and %s have no value in common at the end", a, b)
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

// Grid returns at most n numbers of pages, evenly spaced, the last of which is
// the budget.
func Grid(budget, n int) (at []int) {
	n = min(n, budget)
	for i := 1; i <= n; i++ {
		at = append(at, i*budget/n)
	}
	return at
}

// meanCurve returns the mean of a term over topics, at the given numbers of
// pages.
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
