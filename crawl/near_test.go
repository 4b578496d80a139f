package crawl

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestNear compares the index with looking at every hash.
func TestNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	n := newNearIndex()
	var all []uint64
	found := 0
	for i := range 3000 {
		h := rng.Uint64()
		if len(all) > 0 && i%3 == 0 { // near an earlier one, or just not
			h = all[rng.IntN(len(all))]
			for range rng.IntN(6) {
				h ^= 1 << rng.IntN(64)
			}
		}
		best, want := nearDistance+1, 0
		for k, x := range all {
			if d := bits.OnesCount64(x ^ h); d < best {
				best, want = d, k
			}
		}
		page, ok := n.find(h)
		if ok != (best <= nearDistance) || ok && page != uint32(want) {
			t.Fatalf("hash %d: found %d %v, want %d at distance %d", i, page, ok, want, best)
		}
		if ok {
			found++
		}
		all = append(all, h)
		n.add(h, uint32(i))
	}
	if found < 300 {
		t.Errorf("only %d were found: the test tests nothing", found)
	}
}
