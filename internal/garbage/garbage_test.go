package garbage

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestPercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 100, 50 << 20: 100, 128 << 20: 100, 256 << 20: 50, 1280 << 20: 10, 6 << 30: 3, 100 << 30: 4} {
		if got := percentFor(live, 0); got != want {
			t.Errorf("%d MB of data: %d %%, want %d", live>>20, got, want)
		}
	}
}

// A process that may leave more garbage does so from the first data on, and with much data it is like any other.
func TestPercentAtLeast(t *testing.T) {
	for live, want := range map[uint64]int{0: 10_000, 64 << 20: 800, 512 << 20: 100, 5 << 30: 10, 100 << 30: 4} {
		if got := percentFor(live, 512<<20); got != want {
			t.Errorf("%d MB of data: %d %%, want %d", live>>20, got, want)
		}
	}
}

// TestPace fills memory and frees it again. The runtime must follow both ways, and not at all if
// the user has decided.
func TestPace(t *testing.T) {
	if old, set := os.LookupEnv("GOGC"); set {
		os.Unsetenv("GOGC")
		defer os.Setenv("GOGC", old)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(usual))
	var p Pacer
	data := make([]byte, 512<<20)
	runtime.GC()
	p.Pace()
	if got := debug.SetGCPercent(usual); got > 25 {
		t.Errorf("512 MB of data: %d %%", got)
	}
	debug.SetGCPercent(p.percent)
	runtime.KeepAlive(data)
	data = nil
	runtime.GC()
	p.Pace()
	if got := debug.SetGCPercent(usual); got != usual {
		t.Errorf("without data: %d %%", got)
	}
	t.Setenv("GOGC", "100")
	data = make([]byte, 512<<20)
	runtime.GC()
	p.Pace()
	if got := debug.SetGCPercent(usual); got != usual {
		t.Errorf("the user's choice was replaced by %d %%", got)
	}
	runtime.KeepAlive(data)
}
