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

// The likelihood of a change whose time is known is that of the time since: rate·exp(-rate·time), up to a factor. Few of
// them show more than as many intervals at whose end the page had changed.
func TestDatedChanges(t *testing.T) {
	var h History
	h.NoteDated(3 * 24 * time.Hour)
	got := h.likelihood()
	for i, rate := range grid {
		j := steps / 2
		want := rate * math.Exp(-3*rate) / (grid[j] * math.Exp(-3*grid[j]))
		if ratio := got[i] / got[j]; math.Abs(ratio/want-1) > 0.01 {
			t.Errorf("rate %.4f is %.4f times as likely as %.4f, want %.4f", rate, ratio, grid[j], want)
		}
	}
	r := newRates()
	prior := r.prior(hostKind{1, Other})
	dice := rand.New(rand.NewPCG(3, 4))
	errors := func(note func(h *History, quiet, gap float64)) (sum float64) {
		for range 400 {
			var h History
			for range 4 {
				note(&h, dice.ExpFloat64()/2, 10) // two changes a day, asked every ten days
			}
			sum += math.Abs(math.Log(h.likelihood().under(prior).mean() / 2))
		}
		return sum
	}
	in := func(d float64) time.Duration { return time.Duration(d * 24 * float64(time.Hour)) }
	dated := errors(func(h *History, quiet, _ float64) { h.NoteDated(in(quiet)) })
	undated := errors(func(h *History, _, gap float64) { h.Note(in(gap), true) })
	if dated > undated/2 {
		t.Errorf("with dates the rate is wrong by %.0f in all, without by %.0f", dated, undated)
	}
}
