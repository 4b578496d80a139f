//go:build !unix

package hostile_test

import (
	"testing"
	"time"
)

// cpuTime stands for the CPU time by the time that has passed.
func cpuTime(*testing.T) time.Duration { return time.Since(started) }

var started = time.Now()
