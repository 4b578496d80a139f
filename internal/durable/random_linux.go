//go:build amd64 || arm64

package durable

import (
	"os"
	"syscall"
)

const (
	readAtRandom = 1 // POSIX_FADV_RANDOM
	willNeed     = 3 // POSIX_FADV_WILLNEED
)

// atRandom asks the system to read no more of a file than it has to, because the file is read at random places.
func atRandom(f *os.File) {
	_, _, _ = syscall.Syscall6(syscall.SYS_FADVISE64, f.Fd(), 0, 0, readAtRandom, 0, 0)
}

// ahead asks the system to begin to read a part of a file.
func ahead(f *os.File, at, n int64) {
	_, _, _ = syscall.Syscall6(syscall.SYS_FADVISE64, f.Fd(), uintptr(at), uintptr(n), willNeed, 0, 0)
}
