package sink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dowse/internal/durable"
)

// jsonlTarget appends records to a file, one JSON object per line. A batch counts as sent when
// the file is synced and still has its name: after a file was moved away, as programs that rotate logs do, or
// removed, the next batch goes to a new one.
type jsonlTarget struct {
	name string
	file *durable.File
}

// errMoved is returned for a batch that was written to a file that has lost its name meanwhile.
var errMoved = errors.New("the file was moved or removed while it was written; what it lacks is written to a new one")

// openJSONL opens the file of a sink. A line that a killed process left incomplete is cut off
// if it is one of a record; otherwise it gets its line break, since it is not ours.
func openJSONL(name string) (receiver, error) {
	t := &jsonlTarget{name: name}
	if err := t.open(); err != nil {
		return nil, err
	}
	return t, nil
}

// open opens the file, or creates it.
func (t *jsonlTarget) open() error {
	name := t.name
	dir := durable.In(filepath.Dir(name))
	if err := outside(name); err != nil {
		return err
	}
	f, err := dir.Ensure(filepath.Base(name))
	if err != nil {
		return explained(err)
	}
	t.file = f
	if err := t.mend(); err != nil {
		f.Close()
		return err
	}
	return nil
}

// isThere reports whether the open file still has its name.
func (t *jsonlTarget) isThere() bool {
	now, err := durable.In(filepath.Dir(t.name)).Stat(filepath.Base(t.name))
	if err != nil {
		return false
	}
	open, err := t.file.Stat()
	return err == nil && os.SameFile(now, open)
}

// explained adds what to do to an error of a file.
func explained(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; make it writable, or choose another file", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; create its folder", err)
	}
	return err
}

// outside returns an error for a file inside a collection, whose files belong to the crawl.
func outside(name string) error {
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, "crawl.yaml")); err == nil {
			return fmt.Errorf("%s is inside the collection %s; choose a file outside", name, dir)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// recordStart is how every record begins.
const recordStart = `{"event":"`

// mend makes the file end with a whole line.
func (t *jsonlTarget) mend() error {
	info, err := t.file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	tail, at, err := lastLine(t.file, info.Size())
	if err != nil || len(tail) == 0 {
		return err
	}
	if n := min(len(tail), len(recordStart)); strings.HasPrefix(recordStart, string(tail[:n])) {
		if err := t.file.Truncate(at); err != nil {
			return err
		}
		_, err = t.file.Seek(at, io.SeekStart)
		return err
	}
	if _, err := t.file.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	_, err = t.file.Write([]byte("\n"))
	return err
}

// lastLine returns the beginning of what follows the last line break of a file, and where it
// begins. It is empty if the file ends with a line break.
func lastLine(f io.ReaderAt, size int64) (line []byte, at int64, err error) {
	const block = 64 << 10
	for at = size; at > 0; {
		from := max(0, at-block)
		b := make([]byte, at-from)
		if _, err := f.ReadAt(b, from); err != nil {
			return nil, 0, err
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			at = from + int64(i) + 1
			break
		}
		at = from
	}
	line = make([]byte, min(block, size-at))
	_, err = f.ReadAt(line, at)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return line, at, err
}

func (t *jsonlTarget) send(_ context.Context, b *batch) (int, string, error) {
	if !t.isThere() {
		t.file.Close() // everything in it is synced
		if err := t.open(); err != nil {
			return 0, "", err
		}
	}
	info, err := t.file.Stat()
	if err != nil {
		return 0, "", err
	}
	if _, err := t.file.WriteAt(b.lines(), info.Size()); err != nil {
		return 0, "", err
	}
	if err := t.file.Sync(); err != nil {
		return 0, "", err
	}
	if !t.isThere() {
		return 0, "", errMoved
	}
	return 0, "", nil
}

func (t *jsonlTarget) close() error { return t.file.Close() }

// outputTarget writes records to the standard output. What was written counts as sent.
type outputTarget struct{ out io.Writer }

// send writes a batch. It returns when ctx ends, also while the reader of the output takes
// nothing, so that such a reader can't keep the process from ending.
func (t outputTarget) send(ctx context.Context, b *batch) (int, string, error) {
	written := make(chan error, 1)
	go func() {
		_, err := t.out.Write(b.lines())
		written <- err
	}()
	select {
	case err := <-written:
		return 0, "", err
	case <-ctx.Done():
		return 0, "", ctx.Err()
	}
}

func (outputTarget) close() error { return nil }
