package measure

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
)

// Tests says how strategies are compared. The zero value is what suits many
// strategies and some tens of topics: Wilcoxon with Benjamini and Hochberg's
// correction (Otero et al. 2025).
type Tests struct {
	Over   string  // what a pair is: topics (the mean of their seed sets), or runs, a pair to each topic and seed set; topics
	Test   string  // wilcoxon (two-tailed) or t (one-tailed, as in the papers); wilcoxon
	Adjust string  // bh, holm or none; bh
	Alpha  float64 // 0.05
	Rounds int     // of the bootstrap; 2,000
	Seed   uint64
}

// Names of tests, as tests: in an experiment and stats.csv have them.
const (
	WilcoxonTest = "wilcoxon"
	StudentTest  = "t"
)

// OrDefault fills in what is not given, and refuses what there is not.
func (s Tests) OrDefault() (Tests, error) {
	s.Over, s.Test, s.Adjust = cmp.Or(s.Over, "topics"), cmp.Or(s.Test, WilcoxonTest), cmp.Or(s.Adjust, "bh")
	s.Alpha, s.Rounds = cmp.Or(s.Alpha, 0.05), cmp.Or(s.Rounds, 2000)
	switch {
	case s.Over != "topics" && s.Over != "runs":
		return s, fmt.Errorf("measure: tests: paired over %q; want topics or runs", s.Over)
	case s.Test != WilcoxonTest && s.Test != StudentTest:
		return s, fmt.Errorf("measure: tests: there is no test %q; want wilcoxon or t", s.Test)
	case s.Adjust != "bh" && s.Adjust != "holm" && s.Adjust != "none":
		return s, fmt.Errorf("measure: tests: there is no adjustment %q; want bh, holm or none", s.Adjust)
	case !(s.Alpha > 0 && s.Alpha < 1):
		return s, fmt.Errorf("measure: tests: alpha is %g; want a number between 0 and 1", s.Alpha)
	case s.Rounds < 1 || s.Rounds > 1_000_000:
		return s, fmt.Errorf("measure: tests: %d rounds of the bootstrap; want 1 to 1000000", s.Rounds)
	}
	return s, nil
}

// A Comparison is what a measure says of two strategies on the same topics.
type Comparison struct {
	Measure      Measure
	A, B         string
	N            int     // pairs
	MeanA, MeanB float64 // the measure's centres over the pairs
	Diff         float64 // centre of a−b
	Lo, Hi       float64 // its 95 % bootstrap interval
	Test         string
	P, PAdj      float64 // not numbers under MinPairs
	Effect       float64 // rank-biserial correlation for wilcoxon, Cohen's d_z for t
	Above, Below int     // pairs in which a is above b, and below
}

// Better reports whether a is significantly better than b. The direction is that of
// what was tested: with ranks, a mean may point the other way.
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

// values returns a strategy's figures, one to a pair's place.
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

// pairs returns the figures of two strategies where both have one.
func pairs(a, b []float64) (x, y []float64) {
	for i := range a {
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	return x, y
}

// Compare compares all strategies but the oracle by one measure. With Wilcoxon's test
// there is one comparison to a pair of them, in the order of Rivals; with the one-tailed t
// there are two, one for each direction. The p-values of one measure are adjusted together.
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

func (s Tests) compare(m Measure, nameA, nameB string, a, b []float64) Comparison {
	a, b = pairs(a, b)
	d := differences(a, b)
	c := Comparison{Measure: m, A: nameA, B: nameB, N: len(a), MeanA: m.Centre(a), MeanB: m.Centre(b), Diff: m.Centre(d), Test: s.Test}
	c.Lo, c.Hi = s.bootstrap(m, nameA, nameB).Interval(d)
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

// bootstrap draws other samples for other pairs, and always the same for one.
func (s Tests) bootstrap(m Measure, names ...string) Bootstrap {
	h := fnv.New64a()
	for _, n := range append(names, m.String()) {
		h.Write([]byte(n))
		h.Write([]byte{0})
	}
	return Bootstrap{Rounds: s.Rounds, Of: m.Centre, Seed: s.Seed ^ h.Sum64()}
}

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

// Describe says in a few words what the tests are, for captions.
func (s Tests) Describe() string {
	test := "paired Wilcoxon"
	if s.Test == StudentTest {
		test = "one-tailed paired t-test"
	}
	adjust := map[string]string{"none": "not adjusted", "holm": "Holm"}[s.Adjust]
	return fmt.Sprintf("%s, %s p<%g", test, cmp.Or(adjust, "BH"), cmp.Or(s.Alpha, 0.05))
}
