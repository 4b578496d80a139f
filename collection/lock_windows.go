package collection

import (
	"golang.org/x/sys/windows"

	"dowse/internal/durable"
)

// tryLock locks a byte far behind the end, so that the file can still be read.
func tryLock(f *durable.File) error {
	at := &windows.Overlapped{OffsetHigh: 1}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
}

// tryShared fails if somebody holds the lock. Several processes may ask at once.
func tryShared(f *durable.File) error {
	at := &windows.Overlapped{OffsetHigh: 1}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
}
