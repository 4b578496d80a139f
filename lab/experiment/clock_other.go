//go:build !linux

package experiment

import "time"

// workClock returns the wall clock: there is no other that every system has.
func workClock() (clock func() time.Duration, unlock func()) {
	begun := time.Now()
	return func() time.Duration { return time.Since(begun) }, func() {}
}
