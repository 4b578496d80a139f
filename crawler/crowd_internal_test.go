package crawler

import (
	"slices"
	"testing"
	"time"
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
	r.limit, r.most = 52<<20, 64
	if r.begin(64, time.Now()); r.calls != 3 {
		t.Errorf("with little memory a run begins with %d visits, want 3", r.calls)
	}
	r.limit = 2 << 30
	if r.begin(64, time.Now()); r.calls != 0 {
		t.Errorf("with much memory a run begins with a bound of %d visits, want none", r.calls)
	}
	if want := []int{0, 0, 2, 1, 1, 2, 3, 4, 0, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("%v concurrent visits, want %v", got, want)
	}
}

// What the inputs of strategies take neither grows nor is there twice when all is decided again, so only the rest counts.
func TestInputsAreNoData(t *testing.T) {
	const mb = 1 << 20
	used := uint64(30 * mb)
	r := &rationer{limit: 46 * mb, used: func() uint64 { return used }, share: 1}
	for range memorySpan {
		r.measure()
	}
	if r.share != 0 {
		t.Errorf("share %.2f of the links while 30 of 46 MB are data, want 0", r.share)
	}
	r.noteFixed(7 * mb)
	used = 31 * mb
	for range memorySpan {
		r.measure()
	}
	if r.fixed != 23*mb || r.share != 1 {
		t.Errorf("%d bytes of inputs and share %.2f of the links, want 23 MB and all", r.fixed, r.share)
	}
	used = 300 * mb
	if r.noteFixed(0); r.part(used) < scarceEnd {
		t.Errorf("inputs of 300 MB leave room in 46 MB: %.2f is in use", r.part(used))
	}
}
