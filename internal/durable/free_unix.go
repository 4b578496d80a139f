//go:build unix

package durable

import "golang.org/x/sys/unix"

// Free returns how many bytes a user may still write to the file system of a directory, and
// how many it has in all.
func Free(dir string) (free, size int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, err
	}
	block := int64(st.Bsize)
	return int64(st.Bavail) * block, int64(st.Blocks) * block, nil
}
