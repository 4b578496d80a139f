//go:build unix

package operations_test

import (
	"syscall"
	"time"
)

// cpuTime returns how long the processors have worked for this process. On a busy machine it is a
// better measure than the time on the clock.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
