//go:build !linux

package strategy_test

import "time"

var origin = time.Now()

// clock returns the time, for want of the processor time of this thread.
func clock() time.Duration { return time.Since(origin) }
