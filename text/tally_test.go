package text

import (
	"math/rand/v2"
	"testing"
)

func TestTallyCountsAsSixtyFourCountersWould(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{0, 1, 2, 3, 31, 64, 1000, 1001} {
		var votes tally
		var counts [64]int
		for range n {
			v := rng.Uint64()
			votes.add(v)
			for bit := range counts {
				counts[bit] += int(v >> bit & 1)
			}
		}
		var want uint64
		for bit, c := range counts {
			if 2*c > n {
				want |= 1 << bit
			}
		}
		if got := votes.majority(); got != want {
			t.Errorf("%d values: %x, want %x", n, got, want)
		}
	}
}
