package judge

import "math"

// platt turns decision values f into probabilities: P = 1 / (1 + exp(a·f + b)). It is
// fitted by Newton's method with backtracking, the algorithm of Lin, Lin and Weng
// 2007, which converges where Platt's original one can fail.
type platt struct{ a, b float64 }

// logOdds returns ln(P/(1-P)) = -(a·f + b).
func (p platt) logOdds(f float64) float64 { return -(float64(p.a*f) + p.b) }

// Limits of the fit: iterations, gradient at which it ends, and the smallest step (also the ridge added to the Hessian).
const (
	plattRounds = 100
	plattGrad   = 1e-10
	plattStep   = 1e-12
)

// fitPlatt fits a and b to the decision values of examples. The values must come from
// models that did not see the example.
func fitPlatt(f []float64, wanted []bool) platt {
	targets, b := plattTargets(wanted)
	p := platt{0, b}
	loss := p.loss(f, targets)
	for range plattRounds {
		g := p.gradient(f, targets)
		if math.Abs(g.a) < plattGrad && math.Abs(g.b) < plattGrad {
			break
		}
		next, low, ok := p.search(g, loss, f, targets)
		if !ok {
			break
		}
		p, loss = next, low
	}
	return p
}

// plattTargets returns the target probabilities (n+ + 1)/(n+ + 2) and 1/(n- + 2), and
// the initial b. They are not 1 and 0, because finitely many examples do not prove
// certainty; with separable values the fit would otherwise run to infinity.
func plattTargets(wanted []bool) ([]float64, float64) {
	positive := 0.0
	for _, w := range wanted {
		if w {
			positive++
		}
	}
	negative := float64(len(wanted)) - positive
	high, low := (positive+1)/(positive+2), 1/(negative+2)
	t := make([]float64, len(wanted))
	for i, w := range wanted {
		t[i] = low
		if w {
			t[i] = high
		}
	}
	return t, math.Log((negative + 1) / (positive + 1))
}

// loss is the cross-entropy against the targets. It chooses the form whose exponent is
// not positive, so nothing overflows.
func (p platt) loss(f, targets []float64) float64 {
	sum := 0.0
	for i, t := range targets {
		z := float64(p.a*f[i]) + p.b
		if z >= 0 {
			sum += float64(t*z) + math.Log1p(math.Exp(-z))
		} else {
			sum += float64((t-1)*z) + math.Log1p(math.Exp(z))
		}
	}
	return sum
}

// A slope is the gradient at a point, and the Newton step from it.
type slope struct{ a, b, stepA, stepB float64 }

// gradient computes the gradient, the 2×2 Hessian, and the Newton step -H⁻¹g.
func (p platt) gradient(f, targets []float64) slope {
	haa, hbb, hab := plattStep, plattStep, 0.0
	var g slope
	for i, t := range targets {
		q := sigmoid(p.logOdds(f[i]))
		d := q * (1 - q)
		haa += float64(f[i] * f[i] * d)
		hbb += d
		hab += float64(f[i] * d)
		g.a += float64(f[i] * (t - q))
		g.b += t - q
	}
	det := float64(haa*hbb) - float64(hab*hab)
	g.stepA = -(float64(hbb*g.a) - float64(hab*g.b)) / det
	g.stepB = -(float64(haa*g.b) - float64(hab*g.a)) / det
	return g
}

// search halves the Newton step until the loss falls by a sufficient share of what the
// gradient predicts (Armijo's rule with 1e-4). ok is false if no step does.
func (p platt) search(g slope, loss float64, f, targets []float64) (platt, float64, bool) {
	down := float64(g.a*g.stepA) + float64(g.b*g.stepB)
	for step := 1.0; step >= plattStep; step /= 2 {
		next := platt{p.a + float64(step*g.stepA), p.b + float64(step*g.stepB)}
		if low := next.loss(f, targets); low < loss+1e-4*step*down || math.Abs(low-loss) < 1e-15 {
			return next, low, true
		}
	}
	return p, loss, false
}
