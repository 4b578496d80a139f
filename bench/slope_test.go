package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSlope fits lines to runs of a process that leaks 6 a hour and starts again with 100 at each
// run, with noise: within runs the leak is found, over all of them it is not.
func TestSlope(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var list []sample
	for run := range 20 {
		for i := range 30 {
			x := sample{run: run, hours: float64(run) + float64(i)/30}
			x.memory = 100 + 6*float64(i)/30 + rng.NormFloat64()
			list = append(list, x)
		}
	}
	hours, mem := func(x sample) float64 { return x.hours }, func(x sample) float64 { return x.memory }
	leak, all := slopeOf(list, hours, mem, true, rng), slopeOf(list, hours, mem, false, rng)
	if math.Abs(leak.at-6) > 0.5 || leak.low > 6 || leak.high < 6 || leak.low < 5 {
		t.Errorf("within runs %v, want about 6", leak)
	}
	if math.Abs(all.at) > 0.3 || all.low > all.at || all.high < all.at {
		t.Errorf("over all runs %v, want about 0", all)
	}
}
