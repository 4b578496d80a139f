package durable

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Replace puts what write writes in the place of a file, or makes the file. A link in its
// place is replaced, not followed. The caller sees to it that no two replace the same file
// at once, as the lock of a collection does.
func (d Dir) Replace(name string, write func(w io.Writer) error) error {
	tmp := name + Temporary
	if err := d.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a run that was killed, or a stranger's
		return err
	}
	return d.replace(name, tmp, 0o644, nil, write)
}

// WriteFile is Replace with bytes.
func (d Dir) WriteFile(name string, data []byte) error {
	return d.Replace(name, bytesTo(data))
}

func bytesTo(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// replace writes a temporary file and renames it. check, if set, is called before renaming.
func (d Dir) replace(name, tmp string, perm fs.FileMode, check func() error, write func(w io.Writer) error) error {
	f, err := d.open(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	err = f.fill(write)
	if err == nil {
		err = d.still(tmp, f)
	}
	if err = errors.Join(err, f.Close()); err == nil && check != nil {
		err = check()
	}
	if err == nil {
		err = d.rename(tmp, name)
	}
	if err != nil {
		d.discard(tmp)
		return err
	}
	return d.Sync(path.Dir(name))
}

// discard removes a file that was of no use, if it can: it is in nobody's way.
func (d Dir) discard(name string) {
	d.within(OpRemove, name, func(r *os.Root, name string) error { return r.Remove(name) })
}

// fill writes the file through a buffer and syncs it.
func (f *File) fill(write func(w io.Writer) error) error {
	w := bufio.NewWriterSize(f, 1<<18)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

// still checks that a temporary file is the one that was written.
func (d Dir) still(tmp string, f *File) error {
	own, err := f.Stat()
	if err != nil {
		return err
	}
	there, err := d.Lstat(tmp)
	if err != nil {
		return err
	}
	if !os.SameFile(own, there) {
		return d.named(OpRename, tmp, errors.New("another process has replaced it; let only one write at a time"))
	}
	return nil
}

// Replace puts what write writes in the place of a file that a person named, such as an
// export, or makes the file. It keeps the promise of the package: the file appears as a
// whole, and a link in its place is replaced, not followed. Several processes may do it at
// once; the last one wins.
//
// A device or a pipe cannot be replaced: what write writes goes into it directly.
func Replace(file string, write func(w io.Writer) error) error {
	return replaceAt(file, 0o644, nil, write)
}

// New is Replace for a file that must not be there, neither before nor after write.
func New(file string, write func(w io.Writer) error) error {
	check := func() error {
		if _, err := os.Lstat(file); err == nil {
			return &fs.PathError{Op: "create", Path: file, Err: fs.ErrExist}
		}
		return nil
	}
	if err := check(); err != nil {
		return err
	}
	return replaceAt(file, 0o644, check, write)
}

// WriteFile is Replace with bytes.
func WriteFile(file string, data []byte) error { return Replace(file, bytesTo(data)) }

// WriteSecret is WriteFile for a file that only its owner may read.
func WriteSecret(file string, data []byte) error {
	return replaceAt(file, 0o600, nil, bytesTo(data))
}

func replaceAt(file string, perm fs.FileMode, check func() error, write func(w io.Writer) error) error {
	if isStream(file) {
		return writeStream(file, write)
	}
	if info, err := os.Lstat(file); err == nil && info.IsDir() {
		return &fs.PathError{Op: "write", Path: file, Err: errors.New("that is a folder")}
	}
	d, name := In(filepath.Dir(file)), filepath.Base(file)
	return d.replace(name, temporaryName(), perm, check, write)
}

// temporaryName returns a name that nobody else can have prepared something under.
func temporaryName() string { return ".dowse-" + strings.ToLower(rand.Text()) + Temporary }

// isStream reports whether a path leads to a device or a pipe, as /dev/stdout does.
func isStream(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0
}

func writeStream(file string, write func(w io.Writer) error) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}
