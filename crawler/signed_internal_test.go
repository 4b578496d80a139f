package crawler

import (
	"fmt"
	"math"
	"testing"
)

// TestSigned compares weights in records of metadata with the verb of package fmt that says what they look like.
func TestSigned(t *testing.T) {
	for _, x := range []float64{0, math.Copysign(0, -1), 1.5, -2.00004, 0.00005, -0.00004, 1e9, math.Inf(1), math.Inf(-1), math.NaN()} {
		if got, want := signed(x), fmt.Sprintf("%+.4f", x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}
