//go:build unix

package durable

import "syscall"

// TryLock takes the exclusive lock of a file, or fails immediately. The
// operating system releases the lock when the file is closed, or when the
// process ends, however it ends.
func (f *File) TryLock() error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// TryShared fails if any process holds the exclusive lock. Several processes
// may hold the shared lock concurrently; while one does, TryLock fails.
func (f *File) TryShared() error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
}
