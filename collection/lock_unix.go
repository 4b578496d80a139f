//go:build unix

package collection

import (
	"syscall"

	"dowse/internal/durable"
)

func tryLock(f *durable.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
