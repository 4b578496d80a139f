package experiment

import (
	"runtime"
	"syscall"
	"time"
)

// processUse returns the processor time that this process has used, and the most
// memory that it has held, in bytes.
func processUse() (cpu time.Duration, memory int64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), u.Maxrss << 10
}

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
