package crawler

import (
	"slices"
	"testing"
)

// When memory is short the number of concurrent visits is halved with each measurement, down to one, and it grows by
// one with each measurement after that until there is no bound.
func TestVisitsFollowMemory(t *testing.T) {
	full := 0.0
	r := &rationer{limit: 1000, used: func() uint64 { return uint64(1000 * full) }, share: 1, most: 5}
	var got []int
	for _, full = range []float64{0.5, 0.59, 0.6, 0.95, 0.7, 0.5, 0.3, 0.3, 0.3, 0.3, 0.8} {
		r.measure()
		got = append(got, r.calls)
	}
	if want := []int{0, 0, 2, 1, 1, 2, 3, 4, 0, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("%v concurrent visits, want %v", got, want)
	}
}
