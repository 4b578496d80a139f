package collection

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dowse"
	"dowse/settings"
)

func TestWilson(t *testing.T) {
	for _, test := range []struct {
		on, n     int
		low, high float64
	}{
		{0, 0, 0, 1}, {0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {5, 10, 0.2366, 0.7634}, {34, 50, 0.5419, 0.7924}, {1, 1, 0.2065, 1},
	} {
		low, high := wilson(test.on, test.n)
		if math.Abs(low-test.low) > 1e-4 || math.Abs(high-test.high) > 1e-4 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", test.on, test.n, low, high, test.low, test.high)
		}
	}
}

// TestAudits draws samples of 50 from 2,000 made-up populations of all kinds, a hundred
// at a time.
func TestAudits(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	worst := 100
	for batch := range uint64(20) {
		held := 0
		for seed := range uint64(100) {
			rng := rand.New(rand.NewPCG(batch, seed))
			c := &Collection{Settings: Settings{Settings: settings.Settings{Key: rng.Uint64()}}}
			p := 0.02 + 0.96*rng.Float64()
			var list []draw
			truth := map[dowse.URL]bool{}
			on := 0
			for i := range 100 + rng.IntN(1000) {
				u := dowse.URL(fmt.Sprintf("http://site%d.test/page/%d", i%17, i))
				if truth[u] = rng.Float64() < p; truth[u] {
					on++
				}
				list = append(list, draw{at: c.Lot("audit", u), url: u})
			}
			slices.SortFunc(list, func(a, b draw) int { return cmp.Compare(a.at, b.at) })
			l := &Labels{}
			for _, d := range list[:50] {
				label := LabelOff
				if truth[d.url] {
					label = LabelOn
				}
				l.Lines = append(l.Lines, Label{URL: d.url, Label: label})
			}
			a := &Audit{}
			a.count(list, l)
			low, high := wilson(a.On, a.N)
			if share := float64(on) / float64(len(list)); a.N == 50 && low <= share && share <= high {
				held++
			}
		}
		worst = min(worst, held)
		if held < 93 {
			t.Errorf("batch %d: held in %d of 100 audits", batch, held)
		}
	}
	t.Logf("of 20 times 100 audits, the worst hundred held in %d", worst)
}
