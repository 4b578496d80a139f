package collection

import (
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks a byte far behind the end, so that the file can still be read.
func tryLock(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
}
