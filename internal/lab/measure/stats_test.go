package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func close9(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || a == b || math.Abs(a-b) <= 1e-9*max(1, math.Abs(b))
}

// The depression scores of Hollander and Wolfe, the example of R's wilcox.test.
var (
	hollanderX = []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	hollanderY = []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
)

func TestWilcoxonAsInR(t *testing.T) {
	got := Wilcoxon(hollanderX, hollanderY)
	if got.Plus != 40 || !close9(got.P, 0.01953125) || !close9(got.TwoTailed, 0.0390625) || !got.Exact || got.N != 9 {
		t.Errorf("%+v, want V = 40, p = 0.01953", got)
	}
	if r := RankBiserial(hollanderX, hollanderY); !close9(r, 35.0/45) {
		t.Errorf("rank-biserial correlation %g", r)
	}
}

// TestWilcoxonByAllSigns holds the exact distribution against trying all signs, ties and
// zeros included.
func TestWilcoxonByAllSigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		n := 5 + rng.IntN(7)
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i] = float64(rng.IntN(7)) / 10 // many ties, some zeros
		}
		got, want := Wilcoxon(a, b), allSigns(a)
		if !close9(got.P, want) {
			t.Fatalf("%v: p = %g, want %g", a, got.P, want)
		}
	}
}

func allSigns(d []float64) float64 {
	d = slices.DeleteFunc(slices.Clone(d), func(v float64) bool { return v == 0 })
	ranks := make([]float64, len(d))
	plus := 0.0
	for i := range d {
		smaller, same := 0, 0
		for j := range d {
			if math.Abs(d[j]) < math.Abs(d[i]) {
				smaller++
			} else if math.Abs(d[j]) == math.Abs(d[i]) {
				same++
			}
		}
		ranks[i] = float64(smaller) + float64(same+1)/2
		if d[i] > 0 {
			plus += ranks[i]
		}
	}
	above := 0
	for signs := range 1 << len(d) {
		sum := 0.0
		for i, r := range ranks {
			if signs>>i&1 == 1 {
				sum += r
			}
		}
		if sum >= plus {
			above++
		}
	}
	return float64(above) / float64(int(1)<<len(d))
}

func TestWilcoxonApproximation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	d := make([]float64, exactPairs)
	for i := range d {
		d[i] = rng.NormFloat64() + 0.2
	}
	exact := Wilcoxon(d, make([]float64, len(d)))
	approx := normalTail(doubledRanks(d), exact.Plus)
	if math.Abs(exact.P-approx) > 0.002 {
		t.Errorf("exact %g, by the normal distribution %g", exact.P, approx)
	}
	if more := Wilcoxon(append(d, 1), make([]float64, len(d)+1)); more.Exact {
		t.Error("exact beyond its limit")
	}
}

func TestDegenerateSamples(t *testing.T) {
	same := []float64{1, 2, 3, 4, 5}
	one := []float64{0, 1, 2, 3, 4}
	few := []float64{1, 2, 3, 4}
	inf := []float64{math.Inf(1), math.Inf(1), 3, 4, 5}
	for name, c := range map[string]struct{ got, want float64 }{
		"equal samples: t":        {PairedT(same, same).P, 0.5},
		"one above: t":            {PairedT(same, one).P, 0},
		"one below: t":            {PairedT(one, same).P, 1},
		"few: t":                  {PairedT(few, []float64{0, 0, 0, 0}).P, math.NaN()},
		"few: wilcoxon":           {Wilcoxon(few, []float64{0, 0, 0, 0}).P, math.NaN()},
		"equal samples: wilcoxon": {Wilcoxon(same, same).P, 1},
		"five above: wilcoxon":    {Wilcoxon(same, one).P, 1.0 / 32},
		"infinite: t":             {PairedT(inf, one).P, math.NaN()},
		"infinite: wilcoxon":      {Wilcoxon(inf, one).P, 1.0 / 32},
		"both infinite":           {Wilcoxon(inf, inf).P, 1},
		"no difference: d_z":      {CohenDz(same, same), 0},
		"all alike: d_z":          {CohenDz(same, one), math.Inf(1)},
		"no difference: ranks":    {RankBiserial(same, same), 0},
		"median of none":          {Median(nil), math.NaN()},
		"median":                  {Median([]float64{3, 1, 2, 10}), 2.5},
		"median with infinity":    {Median([]float64{3, math.Inf(1), math.Inf(1)}), math.Inf(1)},
	} {
		if !close9(c.got, c.want) {
			t.Errorf("%s: %g, want %g", name, c.got, c.want)
		}
	}
}

func TestBenjaminiHochberg(t *testing.T) {
	got := BenjaminiHochberg([]float64{0.01, 0.04, math.NaN(), 0.03, 0.005})
	want := []float64{0.02, 0.04, math.NaN(), 0.04, 0.02}
	for i := range want {
		if !close9(got[i], want[i]) {
			t.Errorf("adjusted %v, want %v", got, want)
			break
		}
	}
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, math.NaN(), 0.03, 0.005})
	want := []float64{0.03, 0.06, math.NaN(), 0.06, 0.02}
	for i := range want {
		if !close9(got[i], want[i]) {
			t.Errorf("adjusted %v, want %v", got, want)
			break
		}
	}
}

// TestIntervalsCover draws samples of eight and ten values from distributions of known mean
// or median, and counts the intervals that hold it. Differences of two strategies over topics
// are about symmetric; shares of one strategy are skewed, for which Student's t is slightly
// too short.
func TestIntervalsCover(t *testing.T) {
	const samples = 4000
	normal := func(r *rand.Rand) float64 { return r.NormFloat64() }
	heavy := func(r *rand.Rand) float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()+0.25) }
	share := func(r *rand.Rand) float64 { v := r.Float64(); return v * v }
	for _, c := range []struct {
		name  string
		draw  func(*rand.Rand) float64
		of    func([]float64) (lo, hi float64)
		truth float64
		least float64 // share of intervals that hold the truth
	}{
		{"mean of a normal", normal, meanInterval, 0, 0.94},
		{"mean of a uniform", (*rand.Rand).Float64, meanInterval, 0.5, 0.94},
		{"mean of heavy tails", heavy, meanInterval, 0, 0.94},
		{"mean of a skewed share", share, meanInterval, 1. / 3, 0.92},
		{"median of a normal", normal, medianInterval, 0, 0.95},
		{"median of a skewed share", share, medianInterval, 0.25, 0.95},
	} {
		for _, n := range []int{8, 10} {
			rng, held := rand.New(rand.NewPCG(5, 6)), 0
			for range samples {
				x := make([]float64, n)
				for k := range x {
					x[k] = c.draw(rng)
				}
				if lo, hi := c.of(x); lo <= c.truth && c.truth <= hi {
					held++
				}
			}
			if cover := float64(held) / samples; cover < c.least || cover > 0.995 {
				t.Errorf("%s, %d values: %.3f of the intervals hold it, want at least %.2f", c.name, n, cover, c.least)
			}
		}
	}
}

// TestIntervalsOfFew: what cannot be known is not a number.
func TestIntervalsOfFew(t *testing.T) {
	recall := MustParse("recall")
	for name, c := range map[string]struct {
		m      Measure
		values []float64
		lo, hi float64
	}{
		"nothing":               {recall, nil, math.NaN(), math.NaN()},
		"one number":            {recall, []float64{0.4, math.NaN()}, 0.4, 0.4},
		"equal values":          {recall, []float64{0.4, 0.4, 0.4}, 0.4, 0.4},
		"a share is cut at 0,1": {recall, []float64{0, 1}, 0, 1},
		"five for a median":     {MustParse("pages_to_recall"), []float64{1, 2, 3, 4, 5}, math.NaN(), math.NaN()},
		"six for a median":      {MustParse("pages_to_recall"), []float64{1, 2, 3, 4, 5, math.Inf(1)}, 1, math.Inf(1)},
		"nine for a median":     {MustParse("pages_to_recall"), []float64{9, 8, 7, 6, 5, 4, 3, 2, 1}, 2, 8},
	} {
		if lo, hi := c.m.Interval(c.values); !close9(lo, c.lo) || !close9(hi, c.hi) {
			t.Errorf("%s: %g to %g, want %g to %g", name, lo, hi, c.lo, c.hi)
		}
	}
}
