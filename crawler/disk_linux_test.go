package crawler_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// smallDisk mounts a file system with little room, and returns how to give it
// more. It returns "" where this process may not mount.
func smallDisk(t *testing.T) (dir string, room func()) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=600k"); err != nil {
		t.Logf("no small file system (%v): a limit on files instead", err)
		return "", func() {}
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir, func() {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=200m"); err != nil {
			t.Fatal(err)
		}
	}
}

// limitFiles lets every write beyond n bytes of a file fail.
func limitFiles(n uint64) {
	syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n})
}
