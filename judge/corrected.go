package judge

import (
	"slices"

	"dowse/internal/text"
)

// How labels correct a judge. The values were chosen on the tuning topics of Wikispeedia;
// docs/labels.md has the figures.
const (
	labelTrust = 4    // weight of one label against the judge that it corrects
	labelShift = 0.05 // how freely labels move all pages together, against 1 for a page like the labelled one
	labelFolds = 10   // parts of the labels that are left out in turn
)

// Corrected returns a copy of the judge that labels have corrected. It is logistic
// regression with the judge as its prior: the log-odds of a page are those of the judge
// plus a linear term, which is fitted to the labels, regularised towards 0, and 0 without
// labels. So a label changes its own page most, others by as much as they have in common
// with it, and pages that are like no labelled one hardly at all.
//
// The regression is conditional on the page. Therefore it does not matter how the pages
// to label were chosen: that half of the pages that the judge was unsure about are on
// topic does not imply anything about the share of all pages, and nothing is concluded from it. The
// base rate remains that of the judge.
//
// rest[i] are the log-odds that other evidence adds to those of this judge for label i. A
// judge that was trained on nothing knows no terms; then labels and others, pages of the
// same kind without a label, show how rare terms are. Besides the judge, Corrected returns the log-odds of each labelled page, rest included,
// by a judge that was corrected without that label: with ten labels or fewer each is left
// out by itself, otherwise a tenth of them at a time.
func (j *Online) Corrected(labels []Example, rest []float64, others []Example) (fixed *Online, unseen []float64) {
	s := j.made.features().sample(labels)
	fixed = j.copy()
	if fixed.state.docs == [2]int{} {
		fixed.know(s)
		fixed.know(j.made.features().sample(others))
	}
	x := make([]text.Vector, len(labels))
	for i, b := range s.bags {
		x[i] = fixed.space.count(b)
	}
	at := make([]float64, len(labels))
	for i := range x {
		fixed.state.weigh(x[i])
		at[i] = fixed.state.logOdds(x[i]) + rest[i]
	}
	unseen = leaveOut(x, at, s.wanted, fixed.made.Slots)
	fixed.state.apply(fitCorrection(x, at, s.wanted, fixed.made.Slots))
	return fixed, unseen
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

// add returns the log-odds that the correction adds to a page.
func (c correction) add(x text.Vector) float64 { return x.DotDense(c.weights) + c.bias }

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

// leaveOut returns the log-odds of each label by a correction that was not fitted to it.
func leaveOut(x []text.Vector, at []float64, wanted []bool, slots int) []float64 {
	k := max(min(labelFolds, len(x)), 1)
	return outOfFold(folds(wanted, k), k, func(from []int) func(int) float64 {
		c := fitCorrection(pick(x, from), pick(at, from), pick(wanted, from), slots)
		return func(i int) float64 { return at[i] + c.add(x[i]) }
	})
}

// Limits of the fit: passes over the labels, and halvings of an interval.
const (
	correctionRounds = 50
	bisections       = 40
)

// fitCorrection minimises
//
//	labelTrust · Σ log-loss(label, at + w·x + b) + |w|²/2 + b²/(2·labelShift)
//
// by dual coordinate ascent: each label has one multiplier between 0 and labelTrust, which
// is computed exactly while the others are fixed, in passes over all labels (Yu, Huang and
// Lin 2011). Pages are vectors of length 1, so the result does not depend on their length.
func fitCorrection(x []text.Vector, at []float64, wanted []bool, slots int) correction {
	c := correction{weights: make([]float64, slots)}
	y, multipliers := signs(wanted), make([]float64, len(x))
	for range correctionRounds {
		for i, v := range x {
			q := v.Dot(v) + labelShift
			margin := float64(y[i]*(at[i]+c.add(v))) - float64(multipliers[i]*q)
			next := multiplier(margin, q)
			step := float64((next - multipliers[i]) * y[i])
			multipliers[i] = next
			for _, e := range v {
				c.weights[e.Term] += float64(step * e.Weight)
			}
			c.bias += float64(step * labelShift)
		}
	}
	return c
}

// multiplier solves a = labelTrust·sigmoid(-(margin + q·a)) by halving an interval. The
// left side rises with a and the right side falls, so there is one solution.
func multiplier(margin, q float64) float64 {
	low, high := 0.0, float64(labelTrust)
	for range bisections {
		a := (low + high) / 2
		if a < labelTrust*sigmoid(-(margin+float64(q*a))) {
			low = a
		} else {
			high = a
		}
	}
	return (low + high) / 2
}
