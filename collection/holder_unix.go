//go:build unix

package collection

import (
	"os"
	"syscall"
)

// hardLinks returns how many names a file has.
func hardLinks(st os.FileInfo) uint64 {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return uint64(sys.Nlink)
	}
	return 1
}
