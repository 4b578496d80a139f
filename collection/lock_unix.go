//go:build unix

package collection

import (
	"syscall"

	"dowse/internal/durable"
)

func tryLock(f *durable.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// tryShared fails if somebody holds the lock. Several processes may ask at once.
func tryShared(f *durable.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
}
