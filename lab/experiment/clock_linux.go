package experiment

import (
	"runtime"
	"syscall"
	"time"
)

// workClock returns a clock that advances with the processor time of this
// goroutine's thread, so that other work of the machine counts little. It binds
// the goroutine to its thread; the caller releases it with unlock.
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
