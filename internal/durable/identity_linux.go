package durable

import (
	"fmt"
	"io/fs"
	"syscall"
)

// Identity returns a text that no copy of a file has: its number in the file
// system and the time at which its contents, name or rights last changed, which
// no program can set. A folder that is moved keeps the identities of its files.
func Identity(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Sprint(info.ModTime().UnixNano())
	}
	return fmt.Sprintf("%d %d.%09d", st.Ino, st.Ctim.Sec, st.Ctim.Nsec)
}
