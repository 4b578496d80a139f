//go:build !linux

package experiment

import "time"

// processUse returns 0 for processor time and memory, which means that they are
// unknown.
func processUse() (cpu time.Duration, memory int64) { return 0, 0 }

// workClock returns the wall clock: processor time per thread is not available on
// every system.
func workClock() (clock func() time.Duration, unlock func()) {
	begun := time.Now()
	return func() time.Duration { return time.Since(begun) }, func() {}
}
