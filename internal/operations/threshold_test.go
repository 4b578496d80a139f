package operations

import (
	"math/rand/v2"
	"testing"
	"time"

	"dowse/collection"
)

// The counts are those of a comparison with each threshold, also for values on a step, where products of
// floating-point numbers are not exact.
func TestAtLeast(t *testing.T) {
	var list []float64
	for i := range thresholdSteps + 1 {
		list = append(list, float64(i)/thresholdSteps)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		list = append(list, r.Float64())
	}
	list = append(list, -0.5, 1.5, 0)
	counts := atLeast(list)
	for i := 1; i <= thresholdSteps; i++ { // at 0 a value below it counts, too: every page has one
		n := 0
		for _, x := range list {
			if x >= float64(i)/thresholdSteps {
				n++
			}
		}
		if counts[i] != n {
			t.Errorf("at %d/%d: got %d, want %d", i, thresholdSteps, counts[i], n)
		}
	}
	if counts[0] != len(list) {
		t.Errorf("at 0: got %d, want %d", counts[0], len(list))
	}
}

// A back-off that is over is no problem, whenever the view was made.
func TestRested(t *testing.T) {
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	row := collection.HostRow{Host: "a", State: collection.HostBackingOff, Robots: "allow", Until: now.Add(time.Minute), Why: "http.status"}
	if got := hostProblems("d", []collection.HostRow{row}, now); len(got) != 1 {
		t.Errorf("a host that backs off: %d problems, want 1", len(got))
	}
	if got := hostProblems("d", []collection.HostRow{row}, now.Add(2*time.Minute)); len(got) != 0 {
		t.Errorf("a host whose back-off is over: %+v", got)
	}
	if r := rested(row, now.Add(time.Hour)); r.State != collection.HostOK || !r.Until.IsZero() {
		t.Errorf("later it is %+v", r)
	}
}
