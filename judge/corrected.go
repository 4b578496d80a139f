package judge

import (
	"slices"

	"dowse/internal/text"
)

// How labels correct a judge. The values were chosen on the tuning topics of Wikispeedia;
// docs/labels.md has the figures.
const (
	labelTrust = 4   // weight of one label against the judge that it corrects
	labelShift = 0.2 // how freely labels move all pages together, against 1 for a page like the labelled one
	labelNoise = 0.1 // share of the labels that are expected to be wrong
	labelFolds = 10  // parts of the labels that are left out in turn
)

// A Trial compares judges on labelled pages, by log-odds, one number per label in each list.
// None of them comes from a judge that has seen the label.
type Trial struct {
	Before []float64 // by the judge that is corrected
	Unseen []float64 // by a judge that was corrected without the label
}

// Corrected returns a copy of the judge that labels have corrected. It is logistic
// regression with the judge as its prior: the log-odds of a page are those of the judge
// plus a linear term, which is fitted to the labels, regularised towards 0, and 0 without
// labels. So a label changes its own page most, others by as much as they have in common
// with it, and pages that are like no labelled one hardly at all. The mean of others, pages
// seen without a label, is subtracted from each page: what all pages have in common
// distinguishes none, and is not moved by labels. A tenth of the labels is expected to be wrong,
// so that one that contradicts all else counts for little.
//
// The regression is conditional on the page. Therefore it does not matter how the pages
// to label were chosen: that half of the pages that the judge was unsure about are on
// topic does not imply anything about the share of all pages, and nothing is concluded from it. The
// base rate remains that of the judge.
//
// rest[i] are the log-odds that other evidence adds to those of this judge for label i. A
// judge that was trained on nothing knows no terms; then labels and others show how rare
// terms are. Of the trial, with ten labels or fewer each is left out by itself, otherwise a
// tenth of them at a time.
func (j *Online) Corrected(labels []Example, rest []float64, others []Example) (*Online, Trial) {
	s, seen := j.made.features().sample(labels), j.made.features().sample(others)
	fixed := j.copy()
	if fixed.state.docs == [2]int{} {
		fixed.know(s)
		fixed.know(seen)
	}
	x := fixed.vectors(s)
	at := make([]float64, len(labels))
	for i := range x {
		at[i] = fixed.state.logOdds(x[i]) + rest[i]
	}
	fit := newCorrecting(x, at, s.wanted, meanOf(fixed.vectors(seen), fixed.made.Slots))
	trial := Trial{Before: at, Unseen: fit.leaveOut()}
	fixed.state.apply(fit.correction(fit.all()))
	return fixed, trial
}

// vectors returns the weighted vectors of pages.
func (j *Online) vectors(s *sample) []text.Vector {
	x := make([]text.Vector, len(s.bags))
	for i, b := range s.bags {
		x[i] = j.space.vector(b)
	}
	return x
}

// meanOf returns the mean of vectors, by slot; 0 if there are none.
func meanOf(x []text.Vector, slots int) []float64 {
	mean := make([]float64, slots)
	for _, v := range x {
		for _, e := range v {
			mean[e.Term] += e.Weight / float64(len(x))
		}
	}
	return mean
}

// know counts the terms of pages, without learning anything else from them.
func (j *Online) know(s *sample) {
	for i, b := range s.bags {
		j.nameAll(b.terms)
		j.state.see(j.space.count(b), s.wanted[i])
	}
	j.state.reckon()
}

// copy returns a judge with the same state that shares nothing with this one.
func (j *Online) copy() *Online {
	j.mu.RLock()
	defer j.mu.RUnlock()
	c := &Online{made: j.made, state: newRegression(j.made.Slots)}
	c.state.set(j.state)
	c.trained = &trained{
		kind: onlineKind, threshold: j.threshold, core: c.state, names: slices.Clone(j.names),
		space: newHashedSpace(j.made.features(), j.made.Slots, c.state.weigh),
	}
	return c
}

// A correction is what is added to the log-odds of a page x: weights·x + bias.
type correction struct {
	weights []float64 // by slot
	bias    float64
}

// apply makes a correction part of the judge. A judge whose calibration made all pages
// equal has a slope of 0 and is given a slope of 1 without its weights: they distinguished pages
// on topic from others no better than chance.
func (s *regression) apply(c correction) {
	if s.slope <= 0 {
		clear(s.weights)
		s.slope = 1
	}
	for slot, w := range c.weights {
		if w != 0 {
			s.weights[slot] += w / s.slope
		}
	}
	s.shift += c.bias
}

// correcting fits corrections to labels, or to some of them.
type correcting struct {
	x      []text.Vector
	at     []float64 // log-odds by the judge
	wanted []bool
	mean   []float64 // of pages without a label, by slot
	means  []float64 // x·mean, by label
	square float64   // mean·mean
}

func newCorrecting(x []text.Vector, at []float64, wanted []bool, mean []float64) *correcting {
	f := &correcting{x: x, at: at, wanted: wanted, mean: mean, means: make([]float64, len(x))}
	for _, m := range mean {
		f.square += float64(m * m)
	}
	for i := range x {
		f.means[i] = x[i].DotDense(mean)
	}
	return f
}

// all returns the numbers of all labels.
func (f *correcting) all() []int {
	list := make([]int, len(f.x))
	for i := range list {
		list[i] = i
	}
	return list
}

// leaveOut returns the log-odds of each label by a correction that was not fitted to it.
func (f *correcting) leaveOut() []float64 {
	k := max(min(labelFolds, len(f.x)), 1)
	return outOfFold(folds(f.wanted, k), k, func(from []int) func(int) float64 {
		c := f.correction(from)
		return func(i int) float64 { return f.at[i] + f.x[i].DotDense(c.weights) + c.bias }
	})
}

// Limits of the fit: passes over the labels, and halvings of an interval.
const (
	correctionRounds = 50
	bisections       = 40
)

// correction minimises over the labels numbered in of
//
//	labelTrust · Σ loss(label, at + w·(x - mean) + b) + |w|²/2 + b²/(2·labelShift)
//
// where loss is the log-loss of a label that is wrong with probability labelNoise, by
// coordinate descent: w is a sum of the pages less their mean, each with a multiplier between 0 and
// labelTrust, which is computed while the others are fixed, in passes over all labels (Yu,
// Huang and Lin 2011). Pages are vectors of length 1, so the result does not depend on their
// length. The mean has many terms, so what it adds is computed from products with it.
func (f *correcting) correction(of []int) correction {
	sum := make([]float64, len(f.mean)) // Σ multiplier·y·x
	y, multipliers := signs(f.wanted), make([]float64, len(f.x))
	var total, along, bias float64 // Σ multiplier·y, sum·mean, b
	for range correctionRounds {
		for _, i := range of {
			v := f.x[i]
			q := v.Dot(v) - 2*f.means[i] + f.square + labelShift
			moved := v.DotDense(sum) - float64(total*f.means[i]) - along + float64(total*f.square) + bias
			margin := float64(y[i]*(f.at[i]+moved)) - float64(multipliers[i]*q)
			next := multiplier(margin, q)
			step := float64((next - multipliers[i]) * y[i])
			multipliers[i] = next
			for _, e := range v {
				sum[e.Term] += float64(step * e.Weight)
			}
			total += step
			along += float64(step * f.means[i])
			bias += float64(step * labelShift)
		}
	}
	for slot, m := range f.mean {
		sum[slot] -= float64(total * m)
	}
	return correction{weights: sum, bias: bias - along + float64(total*f.square)}
}

// multiplier solves a = labelTrust·pull(margin + q·a) by halving an interval at whose ends the
// difference of the sides has different signs.
func multiplier(margin, q float64) float64 {
	low, high := 0.0, float64(labelTrust)
	for range bisections {
		a := (low + high) / 2
		if a < labelTrust*pull(margin+float64(q*a)) {
			low = a
		} else {
			high = a
		}
	}
	return (low + high) / 2
}

// pull returns how strongly a label with log-odds z, positive if they agree with it, moves
// them: the slope of its loss. It is largest near even odds, and small where the label is
// probably wrong.
func pull(z float64) float64 {
	p := sigmoid(z)
	return (1 - 2*labelNoise) * p * (1 - p) / (float64((1-2*labelNoise)*p) + labelNoise)
}
