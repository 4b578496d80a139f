package experiment

import (
	"runtime"
	"syscall"
	"time"
)

// workClock returns a clock that runs while this goroutine's thread is at work, so that
// what else the machine does counts little. The caller ends its use with unlock.
func workClock() (clock func() time.Duration, unlock func()) {
	runtime.LockOSThread()
	const thread = 1 // RUSAGE_THREAD
	return func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(thread, &u); err != nil {
			return 0
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}, runtime.UnlockOSThread
}
