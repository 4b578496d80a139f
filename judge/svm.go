package judge

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dowse/text"
)

// An SVM trains a linear support vector machine and turns its decision values into
// probabilities by cross-validation ([platt]): the judge that steers the crawls of
// Wang et al. 2009. Linear, because pages in thousands of dimensions are nearly always
// linearly separable, and because the weights of the terms are then the reasons.
type SVM struct {
	Features
	C     float64 // cost of an error; default 1, as is usual
	Folds int     // folds of the cross-validation; default 5 (Lin, Lin and Weng 2007)
}

// Limits of the descent: the largest gradient at its end, and the number of rounds.
const (
	svmTolerance = 1e-6
	svmRounds    = 2000
)

// Train returns the judge. Its reasons add up on the scale of log-odds.
func (t SVM) Train(examples []Example) (Model, error) {
	if err := t.trainable(examples); err != nil {
		return nil, fmt.Errorf("judge: svm: %w", err)
	}
	s := t.sample(examples)
	in := s.space(s.vocabulary(s.all()))
	return linearJudge{newTrained("svm", in, t.train(s, in))}, nil
}

func (t SVM) train(s *sample, in *space) *linear {
	x := s.vectors(in)
	h := separate(x, signs(s.wanted), in.size, t.c(), svmTolerance)
	f := t.decisions(s, x, in.size)
	return h.calibrated(t.calibration(f, s.wanted))
}

func (t SVM) c() float64 {
	if t.C == 0 {
		return 1
	}
	return t.C
}

// decisions returns for every example the decision value of a machine that has not
// seen it.
func (t SVM) decisions(s *sample, x []text.Vector, size int) []float64 {
	k := t.Folds
	if k == 0 {
		k = 5
	}
	y := signs(s.wanted)
	return outOfFold(folds(s.wanted, k), k, func(from []int) func(int) float64 {
		h := separate(pick(x, from), pick(y, from), size, t.c(), svmTolerance)
		return func(i int) float64 { return h.decision(x[i]) }
	})
}

// A hyperplane is the set of x with w·x + b = 0; the decision value w·x + b is
// positive on the on-topic side.
type hyperplane struct {
	w []float64
	b float64
}

func (h *hyperplane) decision(x text.Vector) float64 { return x.DotDense(h.w) + h.b }

// calibrated returns the hyperplane with weights on the scale of log-odds.
func (h *hyperplane) calibrated(p platt) *linear {
	l := &linear{Bias: p.logOdds(h.b), Weights: make([]float64, len(h.w))}
	for i, w := range h.w {
		l.Weights[i] = -p.a * w
	}
	return l
}

// separate minimises
//
//	½|w|² + ½b² + C Σ max(0, 1 - y(w·x + b))
//
// by dual coordinate descent (Hsieh et al. 2008), until no projected gradient exceeds
// the tolerance. The bias is regularised like a weight, which makes the objective
// strictly convex: there is one optimum, and the random order of the steps does not
// change the result beyond the tolerance. Examples at a bound of their alpha are
// skipped (shrinking) until the others have converged; then all are checked once more.
func separate(x []text.Vector, y []float64, size int, c, tolerance float64) *hyperplane {
	d := &descent{x: x, y: y, c: c, alpha: make([]float64, len(x)), length: make([]float64, len(x))}
	d.w = make([]float64, size)
	for i, v := range x {
		d.length[i] = v.Dot(v) + 1
	}
	rng := rand.New(rand.NewPCG(1, 0x73766d))
	active := d.all()
	limit := math.Inf(1)
	for range svmRounds {
		rng.Shuffle(len(active), func(i, k int) { active[i], active[k] = active[k], active[i] })
		whole := len(active) == len(x)
		rest, worst := d.round(active, limit)
		switch {
		case worst >= tolerance:
			active, limit = rest, worst
		case whole:
			return &d.hyperplane
		default:
			active, limit = d.all(), math.Inf(1)
		}
	}
	return &d.hyperplane
}

// descent is a support vector machine in training. Invariants: 0 ≤ alpha[i] ≤ c, and w
// = Σ alpha·y·x.
type descent struct {
	hyperplane
	x             []text.Vector
	y             []float64
	c             float64
	alpha, length []float64 // by example: dual variable; |x|² + 1
}

func (d *descent) all() []int {
	list := make([]int, len(d.x))
	for i := range list {
		list[i] = i
	}
	return list
}

// round makes one step per active example, and returns the examples that stay active
// and the largest projected gradient. An example is dropped if its alpha is at a bound
// and its gradient pushes against that bound by more than limit. It reuses the memory
// of active.
func (d *descent) round(active []int, limit float64) (rest []int, worst float64) {
	rest = active[:0]
	for _, i := range active {
		g := float64(d.y[i]*d.decision(d.x[i])) - 1
		if d.alpha[i] <= 0 && g > limit || d.alpha[i] >= d.c && g < -limit {
			continue
		}
		rest = append(rest, i)
		projected := project(g, d.alpha[i], d.c)
		worst = max(worst, math.Abs(projected))
		if projected == 0 {
			continue
		}
		old := d.alpha[i]
		d.alpha[i] = min(max(old-g/d.length[i], 0), d.c)
		d.move(d.x[i], (d.alpha[i]-old)*d.y[i])
	}
	return rest, worst
}

// project returns the part of a gradient along which alpha may move within 0 .. c.
func project(g, alpha, c float64) float64 {
	switch {
	case alpha <= 0:
		return min(g, 0)
	case alpha >= c:
		return max(g, 0)
	}
	return g
}

// move adds by·v to the weights and by to the bias.
func (h *hyperplane) move(v text.Vector, by float64) {
	for _, e := range v {
		h.w[e.Term] += float64(by * e.Weight)
	}
	h.b += by
}
