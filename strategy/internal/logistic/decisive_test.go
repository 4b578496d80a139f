package logistic

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDecisiveWords compares the strongest words that are found one by one with those of a stable sort, among words of which
// many are equally strong.
func TestDecisiveWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for n := range 40 {
		var room [decisiveWords]decisiveWord
		var all []decisiveWord
		list := room[:0]
		for c := range n {
			w := decisiveWord{place: c % placeCount, code: uint16(c), weight: float64(rng.IntN(9)-4) / 8}
			all = append(all, w)
			list = w.among(list)
		}
		slices.SortStableFunc(all, func(a, b decisiveWord) int { return cmp.Compare(math.Abs(b.weight), math.Abs(a.weight)) })
		if want := all[:min(n, decisiveWords)]; !slices.Equal(list, want) {
			t.Fatalf("of %d words: %v, want %v", n, list, want)
		}
	}
}
