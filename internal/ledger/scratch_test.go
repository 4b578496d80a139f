package ledger_test

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"dowse/internal/durable"
	"dowse/internal/ledger"
)

// A scratch file gives back what was written, has no name that a kill could leave behind, and a read
// that fails is an error of the journal, while a write that fails is not.
func TestScratch(t *testing.T) {
	dir := t.TempDir()
	j, err := ledger.Open(dir, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	s, err := j.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.WriteAt([]byte("coral"), 4096); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 5)
	if _, err := s.ReadAt(b, 4096); err != nil || string(b) != "coral" {
		t.Errorf("read %q, %v", b, err)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if runtime.GOOS != "windows" && !strings.HasPrefix(f.Name(), "journal-") {
			t.Errorf("the folder has %s", f.Name())
		}
	}
	fails := durable.OpWrite
	end := durable.Inject(func(op durable.Op, path string) error {
		if op == fails && strings.Contains(path, "scratch") {
			return errors.New("the disk failed")
		}
		return nil
	})
	defer end()
	if _, err := s.WriteAt(b, 0); err == nil || j.Err() != nil {
		t.Errorf("a failed write: %v, and the journal has %v", err, j.Err())
	}
	fails = durable.OpRead
	if _, err := s.ReadAt(b, 4096); err == nil || j.Err() == nil {
		t.Errorf("a failed read: %v, and the journal has %v", err, j.Err())
	}
}
