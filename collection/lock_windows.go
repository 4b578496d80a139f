package collection

import (
	"golang.org/x/sys/windows"

	"dowse/internal/durable"
)

// tryLock locks a byte far behind the end of the file, so that other
// processes can still read it. It fails immediately if the lock is held.
func tryLock(f *durable.File) error {
	at := &windows.Overlapped{OffsetHigh: 1}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
}

// tryShared fails if any process holds the exclusive lock. Several processes
// may call it concurrently without blocking each other.
func tryShared(f *durable.File) error {
	at := &windows.Overlapped{OffsetHigh: 1}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
}
