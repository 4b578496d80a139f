package durable

import "golang.org/x/sys/windows"

// TryLock takes the exclusive lock of a file, or fails immediately. It locks a
// byte far behind the end of the file, so that other processes can still read
// it.
func (f *File) TryLock() error {
	at := &windows.Overlapped{OffsetHigh: 1}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
}

// TryShared fails if any process holds the exclusive lock. Several processes
// may hold the shared lock concurrently; while one does, TryLock fails.
func (f *File) TryShared() error {
	at := &windows.Overlapped{OffsetHigh: 1}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
}
