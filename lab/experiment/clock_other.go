//go:build !linux

package experiment

import "time"

// workClock returns the wall clock: processor time per thread is not available on
// every system.
func workClock() (clock func() time.Duration, unlock func()) {
	begun := time.Now()
	return func() time.Duration { return time.Since(begun) }, func() {}
}
