package measure

import (
	"cmp"
	"fmt"
	"math"
)

// Tests selects how strategies are compared. The zero value suits many strategies
// and some tens of topics: Wilcoxon's test with Benjamini and Hochberg's
// correction (Otero et al. 2025).
type Tests struct {
	// Unit of a pair: topics (means over seed sets), or runs (one pair per topic
	// and seed set); default topics.
	Over string
	// Wilcoxon (two-tailed) or t (one-tailed, as in the papers); default
	// wilcoxon.
	Test   string
	Adjust string  // bh, holm or none; default bh
	Alpha  float64 // level of significance; default 0.05
}

// The names of tests in experiments and in stats.csv.
const (
	WilcoxonTest = "wilcoxon"
	StudentTest  = "t"
)

// OrDefault fills in the defaults, and returns an error for an unknown choice or
// a number that is out of range.
func (s Tests) OrDefault() (Tests, error) {
	s.Over, s.Test, s.Adjust = cmp.Or(s.Over, "topics"), cmp.Or(s.Test, WilcoxonTest), cmp.Or(s.Adjust, "bh")
	s.Alpha = cmp.Or(s.Alpha, 0.05)
	switch {
	case s.Over != "topics" && s.Over != "runs":
		return s, fmt.Errorf("measure: tests: paired over %q (want topics or runs)", s.Over)
	case s.Test != WilcoxonTest && s.Test != StudentTest:
		return s, fmt.Errorf("measure: tests: unknown test %q (want wilcoxon or t)", s.Test)
	case s.Adjust != "bh" && s.Adjust != "holm" && s.Adjust != "none":
		return s, fmt.Errorf("measure: tests: unknown adjustment %q (want bh, holm or none)", s.Adjust)
	case !(s.Alpha > 0 && s.Alpha < 1):
		return s, fmt.Errorf("measure: tests: alpha %g out of range (want above 0 and below 1)", s.Alpha)
	}
	return s, nil
}

// A Comparison is the outcome of testing two strategies by one measure on the
// same topics.
type Comparison struct {
	Measure      Measure
	A, B         string
	N            int     // pairs
	MeanA, MeanB float64 // centres (mean or median) over the pairs
	Diff         float64 // centre of a−b
	Lo, Hi       float64 // 95 % confidence interval of Diff
	Test         string
	P, PAdj      float64 // NaN with fewer pairs than MinPairs
	Effect       float64 // rank-biserial correlation for wilcoxon, Cohen's d_z for t
	Above, Below int     // pairs in which a is above b, and below
}

// Better reports whether a is significantly better than b. The direction is that
// of the effect size, which belongs to the test: with ranks, the difference of
// means may have the other sign.
func (c Comparison) Better(alpha float64) bool {
	gain := c.Effect
	if c.Measure.Kind().Lower {
		gain = -gain
	}
	return c.PAdj < alpha && gain > 0
}

// Wins returns the number of pairs in which a is better than b.
func (c Comparison) Wins() int {
	if c.Measure.Kind().Lower {
		return c.Below
	}
	return c.Above
}

// Swapped returns the same comparison seen from b. It holds for two-tailed tests.
func (c Comparison) Swapped() Comparison {
	c.A, c.B, c.MeanA, c.MeanB = c.B, c.A, c.MeanB, c.MeanA
	c.Diff, c.Lo, c.Hi, c.Effect = -c.Diff, -c.Hi, -c.Lo, -c.Effect
	c.Above, c.Below = c.Below, c.Above
	return c
}

// values returns a strategy's figures, one per topic or, over runs, one per topic
// and seed set, in the same order for every strategy. A crawl that was not made
// is NaN.
func (s Tests) values(r *Runs, m Measure, strategy string) []float64 {
	if s.Over != "runs" {
		return r.ByTopic(m, strategy)
	}
	type place struct {
		topic string
		set   int
	}
	got := map[place]float64{}
	for _, t := range r.Of(strategy) {
		got[place{t.Topic, t.SeedSet}] = m.Of(r, t)
	}
	var list []float64
	seen := map[place]bool{}
	for i := range r.Trails {
		p := place{r.Trails[i].Topic, r.Trails[i].SeedSet}
		if seen[p] {
			continue
		}
		seen[p] = true
		v, ok := got[p]
		if !ok {
			v = undefined
		}
		list = append(list, v)
	}
	return list
}

// pairs returns the figures of two strategies on the topics where both have one.
func pairs(a, b []float64) (x, y []float64) {
	for i := range a {
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	return x, y
}

// Compare compares all strategies except the oracle by one measure. With
// Wilcoxon's test there is one comparison per pair of strategies, in the order of
// Rivals; with the one-tailed t-test there are two, one per direction. The
// p-values of one measure are adjusted together, since they are one family of
// tests. The cost is O(strategies² · topics), with a factor of topics² for the
// exact distribution of Wilcoxon's test.
func Compare(r *Runs, m Measure, s Tests) ([]Comparison, error) {
	s, err := s.OrDefault()
	if err != nil {
		return nil, err
	}
	names := r.Rivals()
	values := make([][]float64, len(names))
	for i, n := range names {
		values[i] = s.values(r, m, n)
	}
	var list []Comparison
	for i := range names {
		for j := range names {
			if i < j || i != j && s.Test == StudentTest {
				list = append(list, s.compare(m, names[i], names[j], values[i], values[j]))
			}
		}
	}
	return s.adjusted(list), nil
}

// compare tests one pair. A measure of which less is better is tested in the
// other direction.
func (s Tests) compare(m Measure, nameA, nameB string, a, b []float64) Comparison {
	a, b = pairs(a, b)
	d := differences(a, b)
	c := Comparison{Measure: m, A: nameA, B: nameB, N: len(a), MeanA: m.Centre(a), MeanB: m.Centre(b), Diff: m.Centre(d), Test: s.Test}
	c.Lo, c.Hi = m.differenceInterval(d)
	c.Above, c.Below = signs(d)
	if s.Test == StudentTest {
		c.P, c.Effect = PairedT(a, b).P, CohenDz(a, b)
		if m.Kind().Lower {
			c.P = PairedT(b, a).P
		}
	} else {
		c.P, c.Effect = Wilcoxon(a, b).TwoTailed, RankBiserial(a, b)
	}
	c.PAdj = c.P
	return c
}

// signs counts the differences above zero and below.
func signs(d []float64) (above, below int) {
	for _, v := range d {
		switch {
		case v > 0:
			above++
		case v < 0:
			below++
		}
	}
	return above, below
}

// adjusted fills in the adjusted p-values.
func (s Tests) adjusted(list []Comparison) []Comparison {
	adjust := BenjaminiHochberg
	switch s.Adjust {
	case "none":
		return list
	case "holm":
		adjust = Holm
	}
	p := make([]float64, len(list))
	for i, c := range list {
		p[i] = c.P
	}
	for i, v := range adjust(p) {
		list[i].PAdj = v
	}
	return list
}

// Describe returns a short description of the tests for captions.
func (s Tests) Describe() string {
	test := "paired Wilcoxon"
	if s.Test == StudentTest {
		test = "one-tailed paired t-test"
	}
	adjust := map[string]string{"none": "not adjusted", "holm": "Holm"}[s.Adjust]
	return fmt.Sprintf("%s, %s p<%g", test, cmp.Or(adjust, "BH"), cmp.Or(s.Alpha, 0.05))
}
