//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// cannotSync reports whether an error means that a file system can't sync
// folders.
func cannotSync(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}

// hardLinks returns how many names a file has.
func hardLinks(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(st.Nlink)
}

// IsOwn reports whether the user of this process owns a file.
func IsOwn(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
