package measure

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// MinPairs is the least number of pairs that a p-value is given for: with fewer,
// no order of them would be significant.
const MinPairs = 5

// MeanSE returns the mean and its standard error, that is the standard deviation
// (n−1) by √n. A single value has no error.
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

// Mean returns the arithmetic mean; not a number for no values.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// TInterval returns the mean of the values that are numbers, and half the width of its
// 95 % interval by Student's t; of a single value the width is 0.
func TInterval(x []float64) (mean, half float64) {
	x = defined(x)
	mean, se := MeanSE(x)
	if len(x) < 2 {
		return mean, 0
	}
	return mean, se * distuv.StudentsT{Sigma: 1, Nu: float64(len(x) - 1)}.Quantile(0.975)
}

// Median returns the middle value, or the mean of the two in the middle; not a
// number for no values. It is at home with infinities.
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

// differences returns a−b pair by pair. Two infinities of one sign do not differ.
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
	Diff, SE, T float64 // T is not a number where the differences are all the same
	DF          int
	P           float64 // one-tailed; not a number under MinPairs
}

// PairedT compares two samples, pair by pair, with Student's t-test as the papers
// use it: one-tailed, the alternative is mean(a−b) > 0. Where all differences are
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

// tSurvival is the probability that Student's t is above the value.
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
	Plus, Minus float64 // sums of the ranks of the differences above and below zero
	P           float64 // one-tailed, the alternative is that a is larger; not a number under MinPairs
	TwoTailed   float64
	Exact       bool // from all signs, not from the normal distribution
}

// exactPairs is the largest number of pairs that all signs are counted for.
const exactPairs = 60

// Wilcoxon compares two samples by the signed ranks of the differences of their
// pairs. Pairs that do not differ are left out (Wilcoxon's own rule), tied
// differences share their ranks, and the distribution is exact, ties included,
// up to 60 pairs; beyond, it is the normal one with both corrections.
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

// doubledRanks returns twice the rank of each value's size, so that tied ranks are
// whole numbers too. Sizes that differ by less than rounding are tied.
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

// exactTail is the probability that the ranks above zero sum to at least plus, if
// every sign is a toss of a coin.
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

// BenjaminiHochberg adjusts p-values for having made so many tests: those at most α
// are a list of which, on average, no more than the share α is there by chance
// (Benjamini and Hochberg 1995). Values that are not numbers stay and are not counted.
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

// Holm adjusts p-values so that those at most α are, but for the chance α, all there
// for a reason (Holm 1979): more careful than BenjaminiHochberg, and less powerful.
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

// ascending returns the places of the values that are numbers, least first.
func ascending(p []float64) (order []int) {
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	return order
}

// CohenDz is the mean difference of pairs in standard deviations of the differences;
// 0 where none differs, infinite where all differ alike.
func CohenDz(a, b []float64) float64 {
	mean, se := MeanSE(differences(a, b))
	if mean == 0 {
		return 0
	}
	return mean / (se * math.Sqrt(float64(len(a))))
}

// RankBiserial is the effect size of Wilcoxon's test: the share of rank sums in
// favour of a less that in favour of b, from −1 to 1 (Kerby 2014).
func RankBiserial(a, b []float64) float64 {
	t := Wilcoxon(a, b)
	if t.N == 0 {
		return 0
	}
	return (t.Plus - t.Minus) / (t.Plus + t.Minus)
}

// A Bootstrap draws samples with replacement to tell how sure a figure is. The zero
// value gives 95 % intervals of the mean from 2,000 samples; the same values and
// Seed give the same interval.
type Bootstrap struct {
	Rounds int                     // samples; 2,000
	Level  float64                 // of the interval; 0.95
	Of     func([]float64) float64 // the figure; Mean
	Seed   uint64
}

func (b Bootstrap) orDefault() Bootstrap {
	if b.Of == nil {
		b.Of = Mean
	}
	b.Rounds, b.Level = cmp.Or(b.Rounds, 2000), cmp.Or(b.Level, 0.95)
	return b
}

// Interval returns the percentile interval of the figure over the values, which are
// one to a topic; not numbers for no values.
func (b Bootstrap) Interval(x []float64) (lo, hi float64) {
	if len(x) == 0 {
		return undefined, undefined
	}
	b = b.orDefault()
	rng := rand.New(rand.NewPCG(b.Seed, uint64(len(x))))
	sample, figures := make([]float64, len(x)), make([]float64, b.Rounds)
	for r := range figures {
		for i := range sample {
			sample[i] = x[rng.IntN(len(x))]
		}
		figures[r] = b.Of(sample)
	}
	return b.cut(figures)
}

// cut returns the figures between which the level of them lies. Samples without a
// figure, as those of topics that all lack one, are left out.
func (b Bootstrap) cut(all []float64) (lo, hi float64) {
	figures := slices.DeleteFunc(slices.Clone(all), math.IsNaN)
	if len(figures) == 0 {
		return undefined, undefined
	}
	slices.Sort(figures)
	tail := int(math.Round((1 - b.Level) / 2 * float64(len(figures)-1)))
	return figures[tail], figures[len(figures)-1-tail]
}

// Band returns the interval of the mean at every place of curves, one curve to a
// topic and all of the same length. The same topics are drawn at every place, so
// the band is as smooth as the curves.
func (b Bootstrap) Band(curves [][]float64) (lo, hi []float64) {
	if len(curves) == 0 {
		return nil, nil
	}
	b = b.orDefault()
	rng := rand.New(rand.NewPCG(b.Seed, uint64(len(curves))))
	drawn := make([][]int, b.Rounds) // how often each topic is in a sample
	for r := range drawn {
		drawn[r] = make([]int, len(curves))
		for range curves {
			drawn[r][rng.IntN(len(curves))]++
		}
	}
	figures := make([]float64, b.Rounds)
	for at := range curves[0] {
		for r, times := range drawn {
			figures[r] = weightedMean(curves, times, at)
		}
		l, h := b.cut(figures)
		lo, hi = append(lo, l), append(hi, h)
	}
	return lo, hi
}

// weightedMean leaves out what is not a number.
func weightedMean(curves [][]float64, times []int, at int) float64 {
	sum, n := 0.0, 0
	for i, k := range times {
		if v := curves[i][at]; k > 0 && !math.IsNaN(v) {
			sum += float64(float64(k) * v)
			n += k
		}
	}
	if n == 0 {
		return undefined
	}
	return sum / float64(n)
}
