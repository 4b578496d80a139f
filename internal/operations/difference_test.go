package operations

import "testing"

// The difference of two harvests has an interval, and words that fit it.
func TestHarvestDifference(t *testing.T) {
	of := func(x [2]int) *Compared {
		c := &Compared{OnTopic: x[0], Fetched: x[1]}
		c.Low, c.High = wilson(x[0], x[1])
		return c
	}
	for want, x := range map[string][2][2]int{"the first is better": {{90, 100}, {40, 100}}, "the second is better": {{4, 100}, {40, 100}}, "no clear difference": {{5, 10}, {4, 10}}} {
		if got := harvestDifference(of(x[0]), of(x[1])); got.Words() != want || got.Low >= got.Harvest || got.High <= got.Harvest {
			t.Errorf("%v: %+v", x, got)
		}
	}
	if harvestDifference(of([2]int{1, 2}), &Compared{}) != nil {
		t.Error("a collection without pages has a harvest")
	}
	if low, high := wilson(50, 100); low < 0.40 || low > 0.41 || high < 0.59 || high > 0.60 {
		t.Errorf("50 of 100: %.4f to %.4f", low, high)
	}
}
