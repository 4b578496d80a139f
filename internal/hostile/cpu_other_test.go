//go:build !unix

package hostile_test

import (
	"testing"
	"time"
)

// cpuTime returns the time that has passed, in place of the CPU time.
func cpuTime(*testing.T) time.Duration { return time.Since(started) }

var started = time.Now()
