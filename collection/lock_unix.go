//go:build unix

package collection

import (
	"syscall"

	"dowse/internal/durable"
)

// tryLock takes the exclusive lock of a file, or fails immediately.
func tryLock(f *durable.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// tryShared fails if any process holds the exclusive lock. Several processes
// may call it concurrently without blocking each other.
func tryShared(f *durable.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
}
