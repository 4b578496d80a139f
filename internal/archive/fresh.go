package archive

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/durable"
)

// Fresh is what an index has to say of the records that a writer appended since
// some time. To know it from the writer saves reading the records again, which
// costs about as much as writing them did.
type Fresh struct {
	Lines []string // as [Index] has them, in the order of appending
	Since int64    // bytes of all files before them
	Size  int64    // bytes of all files with them
}

// maxFresh bounds the lines that a writer remembers, in bytes: those of some
// 100,000 records.
const maxFresh = 32 << 20

// fresh keeps account of what was appended.
type fresh struct {
	Fresh
	bytes int
	lost  bool // more was appended than is remembered
}

// Fresh returns the lines for what was appended since the writer was opened, or
// since Indexed was last called. It reports false if that is more than a writer
// remembers.
func (w *Writer) Fresh() (Fresh, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fresh.Fresh, !w.fresh.lost
}

// Indexed lets the writer forget the lines that Fresh returned.
func (w *Writer) Indexed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fresh = fresh{Fresh: Fresh{Since: w.fresh.Size, Size: w.fresh.Size}}
}

func (f *fresh) add(e *Encoded, at dowse.Place) {
	if f.lost {
		return
	}
	line := e.capture(at).String()
	f.Lines = append(f.Lines, line)
	if f.bytes += len(line); f.bytes > maxFresh {
		f.Lines, f.lost = nil, true
	}
}

// filesSize returns how long all WARC files of a folder are together.
func filesSize(dir string) (size int64, err error) {
	paths, err := Files(dir)
	for _, path := range paths {
		info, err := durable.Inner(dir).Stat(filepath.Base(path))
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	return size, err
}

// MergeIndex writes an index and the lines that are to be added to it. The index
// is sorted, the lines need not be.
func MergeIndex(w io.Writer, index string, lines []string) error {
	lines = slices.Sorted(slices.Values(lines))
	write := func(line string) (err error) {
		if _, err = io.WriteString(w, line); err == nil {
			_, err = io.WriteString(w, "\n")
		}
		return err
	}
	for old := range strings.Lines(index) {
		old = strings.TrimSuffix(old, "\n")
		for len(lines) > 0 && lines[0] < old {
			if err := write(lines[0]); err != nil {
				return fmt.Errorf("archive: write index: %w", err)
			}
			lines = lines[1:]
		}
		if err := write(old); err != nil {
			return fmt.Errorf("archive: write index: %w", err)
		}
	}
	for _, line := range lines {
		if err := write(line); err != nil {
			return fmt.Errorf("archive: write index: %w", err)
		}
	}
	return nil
}
