package collection

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// A user who may only read a collection, such as that of a monitor, sees that a crawl runs in it.
func TestHolderForOtherUsers(t *testing.T) {
	dir := t.TempDir()
	f, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Chmod(filepath.Join(dir, lockName), 0o444); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // for whom no file is forbidden
		if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o755)); err != nil {
			t.Fatal(err)
		}
		runtime.LockOSThread() // the identity is that of a thread
		defer runtime.UnlockOSThread()
		syscall.Setfsuid(65534)
		defer syscall.Setfsuid(0)
	}
	if f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0); err == nil {
		f.Close()
		t.Fatal("the lock file can be written to")
	}
	if pid, _ := Running(dir); pid != os.Getpid() {
		t.Errorf("process %d works on it, want %d", pid, os.Getpid())
	}
	if _, _, err := holderNow(dir); err == nil || !strings.Contains(err.Error(), "names process") { // of this process itself
		t.Errorf("%v, want that it is held", err)
	}
}
