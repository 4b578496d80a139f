//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipesAreNotWaitedFor would hang if a pipe were opened.
func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "f"), 0o644); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	for way, err := range everyWay(In(dir), "f") {
		if !errors.Is(err, ErrNotPlain) && !(way == "Create" && errors.Is(err, fs.ErrExist)) {
			t.Errorf("%s: got %v, want ErrNotPlain", way, err)
		}
	}
	check(t, In(dir).WriteFile("f", []byte("x")))
}
