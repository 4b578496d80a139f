package text

import (
	"math/rand/v2"
	"testing"
)

func TestTallyCountsAsSixtyFourCountersWould(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{0, 1, 2, 3, 8, 31, 64, 1000, 1001} {
		var votes tally
		var counts [64]int
		var group [8]uint64
		for i := range n {
			v := rng.Uint64()
			if group[i%8] = v; i%8 == 7 || i == n-1 {
				votes.add(&group)
				group = [8]uint64{}
			}
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
		if got := votes.majority(uint64(n / 2)); got != want {
			t.Errorf("%d values: %x, want %x", n, got, want)
		}
	}
}
