package interest_test

import (
	"testing"

	"dowse"
	"dowse/strategy"
	"dowse/strategy/input"
)

// TestRatedTogether checks that leads rated together, more than one batch of them, are
// rated as each is alone.
func TestRatedTogether(t *testing.T) {
	for _, name := range learners {
		needs := input.Inputs{}
		if name != "intelligent" {
			needs.Trace = millTrace(t, 500)
		}
		s, err := strategy.NewWith(name+":exact=true", needs)
		if err != nil {
			t.Fatal(err)
		}
		s.(dowse.Starter).Start([]dowse.URL{millURL(0)})
		var leads []dowse.Lead
		m := newMill()
		for range 60 {
			leads = s.Follow(m.page())
		}
		if len(leads) < 300 {
			t.Errorf("%s: %d leads, too few to be rated in parts", name, len(leads))
		}
		rated := map[float64]bool{}
		for _, l := range leads {
			if alone := s.(dowse.Rescorer).Rescore(l); alone != l.Priority {
				t.Fatalf("%s: %s: %v, and %v alone", name, l.URL, l.Priority, alone)
			}
			rated[l.Priority] = true
		}
		if len(rated) < 10 {
			t.Errorf("%s: all of %d leads have one of %d priorities", name, len(leads), len(rated))
		}
	}
}
