package archive

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// limitFiles lets no file of this process grow beyond n bytes, as a full disk
// does: a write takes what fits and then fails.
func limitFiles(t *testing.T, n uint64) (lift func()) {
	t.Helper()
	var old syscall.Rlimit
	check(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	limit := old
	limit.Cur = n
	check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	return func() { check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)) }
}

// TestFullDisk fills the disk within a record, makes room, and goes on.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	w, err := OpenWriter(dir, options())
	check(t, err)

	lift := limitFiles(t, 100) // not even room for the first record
	_, err = w.Append(Encode(nil, page(0, 2000)))
	lift()
	if !errors.Is(err, syscall.EFBIG) {
		t.Fatalf("error: %v", err)
	}
	if left, _ := Files(dir); len(left) != 0 {
		t.Errorf("a file was left: %q", left)
	}

	first, err := w.Append(Encode(nil, page(0, 2000)))
	check(t, err)
	size := w.size
	lift = limitFiles(t, uint64(size)+500)
	_, err = w.Append(Encode(nil, page(1, 2000)))
	lift()
	if !errors.Is(err, syscall.EFBIG) {
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
