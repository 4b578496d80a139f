package archive

import (
	"dowse/internal/durable"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// fillDisk makes every write take half of what it was given and then fail, as on a full
// disk.
func fillDisk() (room func()) {
	return durable.Inject(func(op durable.Op, _ string) error {
		if op == durable.OpWrite {
			return &durable.Short{Err: syscall.ENOSPC}
		}
		return nil
	})
}

// TestFullDisk fills the disk within a record, makes room, and goes on.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	w, err := OpenWriter(dir, options())
	check(t, err)

	room := fillDisk() // not even room for the first record
	_, err = w.Append(Encode(nil, page(0, 2000)))
	room()
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error: %v", err)
	}
	if left, _ := Files(dir); len(left) != 0 {
		t.Errorf("a file was left: %q", left)
	}

	first, err := w.Append(Encode(nil, page(0, 2000)))
	check(t, err)
	size := w.size
	room = fillDisk()
	_, err = w.Append(Encode(nil, page(1, 2000)))
	room()
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error: %v", err)
	}
	path := filepath.Join(dir, first.File)
	if info, err := os.Stat(path); err != nil || info.Size() != size {
		t.Errorf("%d bytes after the failure, want %d", info.Size(), size)
	}
	sound(t, path)

	second, err := w.Append(Encode(nil, page(1, 2000)))
	check(t, err)
	check(t, w.Close())
	if second.File != first.File || second.Offset < size {
		t.Errorf("went on at %v", second)
	}
	if r := sound(t, path); r.Records != 7 {
		t.Errorf("%d records", r.Records)
	}
}
