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

// Unindexed holds the index lines of the records that a writer appended since
// some time. Taking them from the writer saves reading the records again, which
// costs about as much as writing them did. Since and Size let a caller check that
// an existing index covers exactly the bytes before.
type Unindexed struct {
	Lines []string // as [Index] writes them, in the order of appending
	Since int64    // bytes of all files before them
	Size  int64    // bytes of all files with them
}

// maxUnindexed bounds the lines that a writer keeps, in bytes: those of about
// 100,000 records. A crawl that appends more without indexing pays for reading
// its records again.
const maxUnindexed = 32 << 20

// unindexed collects the lines of appended records. It is guarded by Writer.mu.
type unindexed struct {
	Unindexed
	bytes int
	lost  bool // more was appended than maxFresh allows to keep
}

// Unindexed returns the lines for what was appended since the writer was opened,
// or since Indexed was last called. ok is false if that exceeds what a writer
// keeps; then the files must be indexed again.
func (w *Writer) Unindexed() (f Unindexed, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fresh.Unindexed, !w.fresh.lost
}

// Indexed drops the lines that Unindexed returned, because they are in an index
// now.
func (w *Writer) Indexed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fresh = unindexed{Unindexed: Unindexed{Since: w.fresh.Size, Size: w.fresh.Size}}
}

// add adds the line of an exchange whose response is at the given place.
func (f *unindexed) add(e *Encoded, at dowse.Place) {
	if f.lost {
		return
	}
	line := e.capture(at).String()
	f.Lines = append(f.Lines, line)
	if f.bytes += len(line); f.bytes > maxUnindexed {
		f.Lines, f.lost = nil, true
	}
}

// filesSize returns the bytes of all WARC files in a folder.
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

// MergeIndex writes an index with more lines added. The index must be sorted,
// the lines need not be. It takes one pass, which is much cheaper than sorting
// everything again.
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
