//go:build unix

package main

import (
	"os"
	"syscall"
)

// inode returns the number of a file in its file system, 0 if it can't be told.
func inode(path string) uint64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}
