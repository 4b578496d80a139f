package crawler

import (
	"errors"
	"syscall"
)

// DiskFull reports whether an error means that there is no room to write.
func DiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
