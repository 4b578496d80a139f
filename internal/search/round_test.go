package search

import (
	"math"
	"runtime/debug"
	"testing"
)

// TestRoundSize: a round of a process with little memory reads few pages, since what is made of them
// takes many times their bytes.
func TestRoundSize(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for limit, want := range map[int64]int64{math.MaxInt64: roundBytes, 4 << 30: roundBytes, 1 << 30: 8 << 20, 64 << 20: 512 << 10} {
		debug.SetMemoryLimit(limit)
		if got := roundSize(); got != want {
			t.Errorf("with a limit of %d bytes a round reads %d, want %d", limit, got, want)
		}
	}
}
