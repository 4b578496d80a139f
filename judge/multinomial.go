package judge

import (
	"fmt"
	"math"

	"dowse/text"
)

// A multinomialTrainer trains multinomial naive Bayes for pages, by the formula of
// [MultinomialBags]. Naive Bayes treats every word as independent evidence, so its
// log-odds grow with the length of a page and are far too certain for long ones. Here
// only the direction of the vector of damped counts is used, not its length, and
// 5-fold cross-validation turns the sum into a probability.
type multinomialTrainer struct {
	Features      // Terms: default all terms of the examples
	Folds    int  // folds of the cross-validation; default 5
	Literal  bool // the plain formula: undamped counts, no calibration
}

// Train returns the judge. Its reasons add up on the scale of log-odds.
func (t multinomialTrainer) Train(examples []Example) (Model, error) {
	if err := t.trainable(examples); err != nil {
		return nil, fmt.Errorf("judge: multinomial: %w", err)
	}
	f := t.Features
	if f.Terms == 0 {
		f.Terms = -1
	}
	f.Raw, f.Damp = t.Literal, !t.Literal
	s := f.sample(examples)
	in := newSpace(f, s.vocabulary(s.all()), false)
	return linearJudge{newTrained("multinomial", in, t.train(s, in))}, nil
}

func (t multinomialTrainer) train(s *sample, in *space) *linear {
	counts := make([]text.Vector, len(s.bags))
	for i, b := range s.bags {
		counts[i] = in.count(b)
	}
	m := ratios(counts, s.wanted, in.size)
	if t.Literal {
		return m
	}
	k := t.Folds
	if k == 0 {
		k = 5
	}
	x := s.vectors(in)
	f := outOfFold(folds(s.wanted, k), k, func(from []int) func(int) float64 {
		m := ratios(pick(counts, from), pick(s.wanted, from), in.size)
		return func(i int) float64 { return x[i].DotDense(m.Weights) }
	})
	h := hyperplane{w: m.Weights}
	return h.calibrated(t.calibration(f, s.wanted))
}

// ratios returns ln θ(t|on) - ln θ(t|off) for every term t, where θ(t|c) = (1 + count
// of t in c) / (terms + all counts of c), and the log-odds of the classes as bias.
func ratios(counts []text.Vector, wanted []bool, size int) *linear {
	sums := [2][]float64{make([]float64, size), make([]float64, size)}
	var tokens, bags [2]float64
	for i, v := range counts {
		c := side(wanted[i])
		bags[c]++
		for _, e := range v {
			sums[c][e.Term] += e.Weight
			tokens[c] += e.Weight
		}
	}
	m := &linear{Weights: make([]float64, size), Bias: math.Log(bags[1]) - math.Log(bags[0])}
	shift := math.Log(tokens[0]+float64(size)) - math.Log(tokens[1]+float64(size))
	for t := range m.Weights {
		m.Weights[t] = math.Log1p(sums[1][t]) - math.Log1p(sums[0][t]) + shift
	}
	return m
}
