package durable

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
)

// Replace replaces a file by what write writes, or creates it. A link in its
// place is replaced, not followed. The caller ensures that no two replace the
// same file concurrently, as the lock of a collection does.
func (d Dir) Replace(name string, write func(w io.Writer) error) error {
	tmp := name + Temporary
	if err := d.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by a run that was killed, or put there by someone else
		return err
	}
	p, err := d.begin(name, tmp, 0o644)
	if err != nil {
		return err
	}
	return p.fill(nil, write)
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

// fill writes the temporary file and moves it to its place. check, if set, is called
// before that.
func (p *Pending) fill(check func() error, write func(w io.Writer) error) error {
	w := bufio.NewWriterSize(p, 1<<18)
	err := write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil && check != nil {
		err = check()
	}
	if err != nil {
		p.Abandon()
		return err
	}
	return p.Commit()
}

// A Pending is a file that is being written and is not yet in its place: see
// [Begin].
type Pending struct {
	*File
	d         Dir
	name, tmp string
	locked    bool // Sweep of another process leaves it alone
}

// begin creates the temporary file.
func (d Dir) begin(name, tmp string, perm fs.FileMode) (*Pending, error) {
	f, err := d.open(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, d.named(OpOpen, name, err) // the file that its user knows
	}
	return &Pending{File: f, d: d, name: name, tmp: tmp}, nil
}

// Commit moves the file to its place, as a whole, and returns when it is
// durable there.
func (p *Pending) Commit() error {
	err := p.Sync()
	if err == nil {
		err = p.d.still(p.tmp, p.File)
	}
	if p.locked && runtime.GOOS != "windows" { // the lock is held until the file has its name
		if err == nil {
			err = p.d.rename(p.tmp, p.name)
		}
		err = errors.Join(err, p.Close())
	} else if err = errors.Join(err, p.Close()); err == nil {
		err = p.d.rename(p.tmp, p.name)
	}
	if err != nil {
		p.d.discard(p.tmp)
		return err
	}
	return p.d.Sync(path.Dir(p.name))
}

// Abandon removes the temporary file. What was in its place stays.
func (p *Pending) Abandon() {
	p.Close()
	p.d.discard(p.tmp)
}

// discard removes a file that is not needed, if it can; a file that is left
// does no harm.
func (d Dir) discard(name string) {
	d.within(OpRemove, name, func(r *os.Root, name string) error { return r.Remove(name) })
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

// Replace replaces a file that a person named, such as an export, by what write
// writes, or creates it. It keeps the promise of the package: the file appears
// as a whole, and a link in its place is replaced, not followed. Several
// processes may do it concurrently; the last one wins.
//
// A device or a pipe cannot be replaced: what write writes goes into it
// directly.
func Replace(file string, write func(w io.Writer) error) error {
	return replaceAt(file, 0o644, nil, write)
}

// New is Replace for a file that must not be there, neither before nor after
// write.
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

// Begin is Replace for a caller that writes bit by bit. The caller ends it with
// Commit or Abandon. The file must not be a device or a pipe.
func Begin(file string) (*Pending, error) {
	return In(filepath.Dir(file)).beginLocked(filepath.Base(file), 0o644)
}

// NewSecret writes a file that only its owner may read, and that must not
// exist: of several processes that do it concurrently, one succeeds.
func NewSecret(file string, data []byte) error {
	d, name := In(filepath.Dir(file)), filepath.Base(file)
	p, err := d.begin(name, temporaryName(), 0o600)
	if err != nil {
		return err
	}
	_, err = p.Write(data)
	if err = errors.Join(err, p.Sync(), p.Close()); err == nil {
		if err = d.link(p.tmp, name); err != nil && !errors.Is(err, fs.ErrExist) {
			err = d.Rename(p.tmp, name) // a file system without links
		}
	}
	p.d.discard(p.tmp)
	return err
}

// link gives a file a second name, which must be free.
func (d Dir) link(from, to string) error {
	err := d.within(OpRename, to, func(r *os.Root, to string) error { return r.Link(from, to) })
	if err != nil {
		return err
	}
	return d.Sync(".")
}

// replaceAt replaces a file by its path. check, if set, is called before the
// file is moved to its place.
func replaceAt(file string, perm fs.FileMode, check func() error, write func(w io.Writer) error) error {
	if isStream(file) {
		return writeStream(file, write)
	}
	if info, err := os.Lstat(file); err == nil && info.IsDir() {
		return &fs.PathError{Op: "write", Path: file, Err: errors.New("is a folder")}
	}
	d, name := In(filepath.Dir(file)), filepath.Base(file)
	p, err := d.beginLocked(name, perm)
	if err != nil {
		return err
	}
	return p.fill(check, write)
}

// isStream reports whether a path leads to a device or a pipe, as /dev/stdout
// does.
func isStream(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0
}

// writeStream writes to a device or a pipe.
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
