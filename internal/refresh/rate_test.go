package refresh

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// mean returns the mean of the logarithm of the rate, as a rate.
func (b belief) mean() float64 {
	sum := 0.0
	for i, w := range b {
		sum += w * math.Log(grid[i])
	}
	return math.Exp(sum)
}

// The belief finds the rate of a Poisson process from irregular requests, without a bias that
// matters, and is the prior where there is no evidence.
func TestBelief(t *testing.T) {
	r := newRates()
	prior := r.prior(hostKind{1, Other})
	if got := (History{}).likelihood().under(prior).mean(); math.Abs(got-prior.mean()) > 1e-6 {
		t.Errorf("without evidence the rate is %v, want the prior %v", got, prior.mean())
	}
	dice := rand.New(rand.NewPCG(1, 2))
	for _, want := range []float64{0.02, 0.1, 0.5, 2} {
		sum := 0.0
		const runs = 200
		for range runs {
			var h History
			for range 60 {
				gap := 0.2 + 3*dice.Float64()
				h.Note(time.Duration(gap*24*float64(time.Hour)), dice.Float64() < -math.Expm1(-want*gap))
			}
			sum += h.likelihood().under(prior).mean()
		}
		if got := sum / runs; got < want*0.75 || got > want*1.25 {
			t.Errorf("rate %v is estimated as %v on average", want, got)
		}
	}
}

// A history without end, or with bad numbers of a damaged snapshot, leaves a belief that sums to 1.
func TestBeliefOfExtremes(t *testing.T) {
	r := newRates()
	prior := r.prior(hostKind{1, Other})
	for _, h := range []History{{Same: 1e12}, {Changed: 1 << 40, Moved: 1e-3}, {Changed: -3, Moved: -1, Same: -5}, {Changed: 1000, Moved: 1e9, Same: 1e9}} {
		sum := 0.0
		for _, w := range h.likelihood().under(prior) {
			sum += w
		}
		if !(math.Abs(sum-1) < 1e-9) {
			t.Errorf("%+v: the belief sums to %v", h, sum)
		}
	}
}
