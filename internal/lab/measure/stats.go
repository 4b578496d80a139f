package measure

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// MinPairs is the least number of pairs for which p-values are computed: with
// fewer than 5, the smallest two-tailed p of a signed-rank test is above 0.1, so
// no outcome could be significant.
const MinPairs = 5

// MeanSE returns the mean and its standard error, s/√n with the sample standard
// deviation s (n−1). A single value has the error 0.
func MeanSE(x []float64) (mean, se float64) {
	n := float64(len(x))
	mean = Mean(x)
	if len(x) < 2 {
		return mean, 0
	}
	squares := 0.0
	for _, v := range x {
		squares += float64((v - mean) * (v - mean))
	}
	return mean, math.Sqrt(squares/(n-1)) / math.Sqrt(n)
}

// Mean returns the arithmetic mean; NaN for no values.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// TInterval returns the mean of the values that are numbers, and half the width
// of its 95 % confidence interval by Student's t. The width for a single value is
// 0.
func TInterval(x []float64) (mean, half float64) {
	x = defined(x)
	mean, se := MeanSE(x)
	if len(x) < 2 {
		return mean, 0
	}
	return mean, se * tQuantile(len(x)-1)
}

// tQuantile returns the 97.5 % quantile of Student's t.
func tQuantile(df int) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(df)}.Quantile(0.975)
}

// meanInterval returns the 95 % confidence interval of the mean by Student's t, NaN
// for no values. That of a single value has the width 0, since it shows nothing of
// how values vary. Resampling would give shorter intervals: with 8 to 10 topics those of a
// percentile bootstrap cover the mean in about 90 of 100 cases, these in about 95.
func meanInterval(x []float64) (lo, hi float64) {
	mean, half := TInterval(x)
	return mean - half, mean + half
}

// medianInterval returns the interval of the median between two order statistics
// that covers it with a probability of at least 95 %, whatever the distribution is
// (the interval of the sign test). Fewer than six values have no such interval;
// then it is NaN.
func medianInterval(x []float64) (lo, hi float64) {
	x = slices.Sorted(slices.Values(defined(x)))
	n, outside, k := len(x), 0.0, 0
	ways := math.Exp2(float64(-n)) // that exactly k values are below the median
	for outside += ways; 2*outside <= 0.05; outside += ways {
		k++
		ways *= float64(n-k+1) / float64(k)
	}
	if k == 0 {
		return undefined, undefined
	}
	return x[k-1], x[n-k]
}

// Median returns the middle value, or the mean of the two in the middle; NaN for
// no values. Infinite values are allowed.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return undefined
	}
	s := slices.Sorted(slices.Values(x))
	lo, hi := s[(len(s)-1)/2], s[len(s)/2]
	if lo == hi {
		return lo
	}
	return lo/2 + hi/2
}

// differences returns a−b pair by pair. Two infinities of the same sign have the
// difference 0, not NaN: neither crawl got there.
func differences(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range a {
		if a[i] != b[i] {
			d[i] = a[i] - b[i]
		}
	}
	return d
}

// A TTest is the outcome of a paired t-test of the alternative that a is larger.
type TTest struct {
	Diff, SE, T float64 // T is NaN if all differences are the same
	DF          int
	P           float64 // one-tailed; NaN with fewer pairs than MinPairs
}

// PairedT compares two samples, pair by pair, by Student's t-test as the papers
// use it: one-tailed, with the alternative mean(a−b) > 0. If all differences are
// the same, p is 0, ½ or 1 by their sign.
func PairedT(a, b []float64) TTest {
	d := differences(a, b)
	mean, se := MeanSE(d)
	t := TTest{Diff: mean, SE: se, T: mean / se, DF: len(d) - 1}
	switch {
	case len(d) < MinPairs || math.IsInf(mean, 0) || math.IsNaN(mean):
		t.P = undefined
	case se <= 1e-14*math.Abs(mean):
		t.T, t.P = undefined, (1-sign(mean))/2
	default:
		t.P = tSurvival(t.T, t.DF)
	}
	return t
}

// tSurvival is the probability that Student's t exceeds a value.
func tSurvival(t float64, df int) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(df)}.Survival(t)
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// A RankTest is the outcome of Wilcoxon's signed-rank test.
type RankTest struct {
	N           int     // pairs that differ
	Plus, Minus float64 // rank sums of the positive and of the negative differences
	// One-tailed, with the alternative that a is larger; NaN with fewer pairs
	// than MinPairs.
	P         float64
	TwoTailed float64
	Exact     bool // computed from the exact distribution, not from the normal one
}

// exactPairs is the largest number of pairs for which the exact distribution is
// used. Its cost is O(n³), and beyond 60 the normal approximation agrees to three
// digits.
const exactPairs = 60

// Wilcoxon compares two samples by the signed ranks of the differences of their
// pairs. Pairs that do not differ are left out (Wilcoxon's own rule), and tied
// differences share their mean rank. Up to 60 pairs the distribution is exact,
// with ties; beyond, it is normal with corrections for ties and continuity.
func Wilcoxon(a, b []float64) RankTest {
	d := slices.DeleteFunc(differences(a, b), func(v float64) bool { return v == 0 })
	doubled := doubledRanks(d)
	t := RankTest{N: len(d), P: undefined, TwoTailed: undefined, Exact: len(d) <= exactPairs}
	for i, r := range doubled {
		if d[i] > 0 {
			t.Plus += float64(r) / 2
		} else {
			t.Minus += float64(r) / 2
		}
	}
	if len(a) < MinPairs {
		return t
	}
	tail := normalTail
	if t.Exact {
		tail = exactTail
	}
	t.P = tail(doubled, t.Plus)
	t.TwoTailed = min(1, 2*min(t.P, tail(doubled, t.Minus)))
	return t
}

// doubledRanks returns twice the rank of each absolute value, so that mean ranks
// of ties are whole numbers too. Values that differ by rounding only are tied.
func doubledRanks(d []float64) []int {
	order := make([]int, len(d))
	for i := range order {
		order[i] = i
	}
	size := func(i int) float64 { return math.Abs(d[order[i]]) }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(d[i]), math.Abs(d[j])) })
	ranks := make([]int, len(d))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && (size(j) == size(i) || size(j)-size(i) <= 1e-12*size(j)) {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = i + 1 + j // twice the mean of i+1 … j
		}
		i = j
	}
	return ranks
}

// exactTail is the probability that the positive ranks sum to at least plus if
// every sign is equally likely. It counts, by dynamic programming, the sign
// patterns per rank sum.
func exactTail(doubled []int, plus float64) float64 {
	total := 0
	for _, r := range doubled {
		total += r
	}
	ways := make([]float64, total+1)
	ways[0] = 1
	for _, r := range doubled {
		for s := total; s >= r; s-- {
			ways[s] += ways[s-r]
		}
	}
	above := 0.0
	for s := int(math.Round(2 * plus)); s <= total; s++ {
		above += ways[s]
	}
	return above / math.Exp2(float64(len(doubled)))
}

// normalTail is exactTail by the normal approximation: mean Σr/2, variance Σr²/4,
// which accounts for ties, and a continuity correction of ½.
func normalTail(doubled []int, plus float64) float64 {
	mean, variance := 0.0, 0.0
	for _, r := range doubled {
		rank := float64(r) / 2
		mean += rank / 2
		variance += rank * rank / 4
	}
	if variance == 0 {
		return 1
	}
	return distuv.UnitNormal.Survival((plus - mean - 0.5) / math.Sqrt(variance))
}

// BenjaminiHochberg adjusts p-values for the number of tests so that, among those
// that are at most α, the expected share of false ones is at most α (Benjamini
// and Hochberg 1995). NaN values stay and are not counted.
func BenjaminiHochberg(p []float64) []float64 {
	adjusted := slices.Clone(p)
	order := ascending(p)
	least := 1.0
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		least = min(least, p[i]*float64(len(order))/float64(k+1))
		adjusted[i] = least
	}
	return adjusted
}

// Holm adjusts p-values so that the probability of any false one among those that
// are at most α is at most α (Holm 1979). It is stricter than BenjaminiHochberg,
// and less powerful.
func Holm(p []float64) []float64 {
	adjusted := slices.Clone(p)
	order := ascending(p)
	most := 0.0
	for k, i := range order {
		most = max(most, min(1, p[i]*float64(len(order)-k)))
		adjusted[i] = most
	}
	return adjusted
}

// ascending returns the indices of the values that are numbers, smallest value
// first.
func ascending(p []float64) (order []int) {
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	return order
}

// CohenDz is the mean difference of pairs in standard deviations of the
// differences: 0 if no pair differs, infinite if all differ by the same amount.
func CohenDz(a, b []float64) float64 {
	mean, se := MeanSE(differences(a, b))
	if mean == 0 {
		return 0
	}
	return mean / (se * math.Sqrt(float64(len(a))))
}

// RankBiserial is the effect size of Wilcoxon's test, (R₊−R₋)/(R₊+R₋), from −1 to
// 1 (Kerby 2014).
func RankBiserial(a, b []float64) float64 {
	t := Wilcoxon(a, b)
	if t.N == 0 {
		return 0
	}
	return (t.Plus - t.Minus) / (t.Plus + t.Minus)
}
