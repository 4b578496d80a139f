package estimate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A curve forgets no visit and never has more than its blocks, however long it gets.
func TestNoteJoinsBlocks(t *testing.T) {
	var c Curve
	found := 0
	for i := range 100_000 {
		on := i%7 == 0
		if on {
			found++
		}
		c.Note(on)
		if len(c.Blocks) >= maxBlocks || !c.IsSound() {
			t.Fatalf("after %d visits: %+v", i+1, c)
		}
	}
	sum := c.Found
	for _, n := range c.Blocks {
		sum += n
	}
	if c.visits() != 100_000 || sum != found {
		t.Errorf("%d visits and %d pages found, want 100000 and %d", c.visits(), sum, found)
	}
}

// urn draws visits from a pool: pages on topic are found with a factor that differs from
// page to page, the others with 1. It returns the curve, and how many pages are left.
func urn(rng *rand.Rand, pool, on, visits int, aim float64) (c Curve, left int) {
	var easy []float64 // factors of the pages on topic that are left
	sum := 0.0
	for range on {
		x := aim * math.Exp(rng.NormFloat64())
		easy = append(easy, x)
		sum += x
	}
	others := float64(pool - on)
	for range visits {
		at := rng.Float64() * (sum + others)
		if at >= sum {
			others--
			c.Note(false)
			continue
		}
		i := 0
		for ; i < len(easy)-1 && at >= easy[i]; i++ {
			at -= easy[i]
		}
		sum -= easy[i]
		easy = append(easy[:i], easy[i+1:]...)
		c.Note(true)
	}
	return c, len(easy)
}

// The interval has the truth in at least eight of ten crawls of a made pool, for
// strategies that aim well and for one that does not.
func TestIntervalHasTheTruth(t *testing.T) {
	for _, aim := range []float64{1, 10, 100} {
		rng := rand.New(rand.NewPCG(1, uint64(aim)))
		right, all := 0, 60
		for range all {
			on := 20 + rng.IntN(200)
			visits := 150 + rng.IntN(800)
			c, left := urn(rng, 3000, on, visits, aim)
			l, ok := c.Left(3000 - visits)
			if !ok {
				all--
				continue
			}
			if !(l.Low <= l.Median && l.Median <= l.High) {
				t.Fatalf("%+v is no interval", l)
			}
			if float64(left) >= l.Low && float64(left) <= l.High {
				right++
			}
		}
		if all < 40 || float64(right) < 0.8*float64(all) {
			t.Errorf("factor %v: the interval has the truth in %d of %d", aim, right, all)
		}
	}
}

// Where there is nothing to visit, nothing is left; with little seen, nothing is said.
func TestLeftAtTheEnds(t *testing.T) {
	var c Curve
	if _, ok := c.Left(100); ok {
		t.Error("an estimate without a visit")
	}
	for i := range 200 {
		c.Note(i%40 == 0)
	}
	if l, ok := c.Left(0); !ok || l != (Left{}) {
		t.Errorf("%+v is left where nothing waits", l)
	}
	var dry Curve
	for range 200 {
		dry.Note(false)
	}
	if _, ok := dry.Left(100); ok {
		t.Error("an estimate without a page on topic")
	}
	if r := (Left{}).Recall(0); r != (Recall{}) {
		t.Errorf("recall %+v of nothing", r)
	}
	if r := (Left{Median: 10, Low: 0, High: 40}).Recall(10); r != (Recall{Found: 10, Total: 20, Least: 10, Most: 50, Recall: 0.5, Low: 0.2, High: 1}) {
		t.Errorf("recall %+v", r)
	}
}

// A damaged curve is refused.
func TestIsSound(t *testing.T) {
	for _, c := range []Curve{
		{Size: -1}, {Missed: -1}, {Size: 2, Blocks: []int{3}}, {Size: 2, Blocks: []int{-1}}, {Size: 2, Part: 2}, {Size: 4, Part: 1, Found: 2},
		{Size: 1, Blocks: make([]int, maxBlocks)},
	} {
		if c.IsSound() {
			t.Errorf("%+v counts as sound", c)
		}
	}
}

func BenchmarkLeft(b *testing.B) {
	c, _ := urn(rand.New(rand.NewPCG(1, 2)), 6000, 100, 1000, 30)
	for b.Loop() {
		c.Left(5000)
	}
}
