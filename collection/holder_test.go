package collection

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestHolderThatEnds checks that a lock whose holder is no longer known, as in the moment
// in which a process ends, is looked at until it is free. One that stays so is an error.
func TestHolderThatEnds(t *testing.T) {
	dir := t.TempDir()
	f, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	const ended = "4194305\ncollection/v2\n" // above every process number
	if err := os.WriteFile(filepath.Join(dir, lockName), []byte(ended), 0o644); err != nil {
		t.Fatal(err)
	}
	if pid, _, err := Holder(dir); !errors.Is(err, ErrHolder) {
		t.Errorf("process %d, %v: want ErrHolder while the lock is held", pid, err)
	}
	time.AfterFunc(lockPause, func() { f.Close() })
	if pid, _, err := Holder(dir); pid != 0 || err != nil {
		t.Errorf("process %d, %v: want none when the lock is released", pid, err)
	}
}
