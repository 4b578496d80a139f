package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"sync/atomic"
)

// A File is an open plain file. Its methods are those of [os.File].
type File struct {
	f      *os.File
	path   string
	made   bool                  // by the call that opened it
	broken atomic.Pointer[error] // of the first sync that failed
}

// Open opens a file to read it.
func (d Dir) Open(name string) (*File, error) { return d.open(name, os.O_RDONLY, 0) }

// Edit opens a file that is there, to read it and to write to it.
func (d Dir) Edit(name string) (*File, error) { return d.open(name, os.O_RDWR, 0) }

// Create makes a file that must not be there yet, to read it and to write to
// it, and syncs its folder.
func (d Dir) Create(name string) (*File, error) {
	return d.create(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
}

// Ensure opens a file to read it and to write to it. It makes the file, and the
// folders of the Dir that it is in, if they are not there.
func (d Dir) Ensure(name string) (*File, error) {
	return d.ensure(name, os.O_RDWR|os.O_CREATE)
}

// Append is Ensure, for a file to whose end everything is written.
func (d Dir) Append(name string) (*File, error) {
	return d.ensure(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
}

// ensure creates the folders of a file and opens it.
func (d Dir) ensure(name string, flag int) (*File, error) {
	if folder := path.Dir(name); folder != "." {
		if err := d.Mkdir(folder); err != nil {
			return nil, err
		}
	}
	return d.create(name, flag, 0o644)
}

// create opens a file and, if that made it, syncs its folder. A file whose
// folder cannot be synced is removed.
func (d Dir) create(name string, flag int, perm fs.FileMode) (*File, error) {
	f, err := d.open(name, flag, perm)
	if err != nil {
		return nil, err
	}
	if !f.made {
		return f, nil
	}
	if err := d.Sync(path.Dir(name)); err != nil {
		f.Close()
		d.discard(name)
		return nil, err
	}
	return f, nil
}

// open opens a plain file.
func (d Dir) open(name string, flag int, perm fs.FileMode) (file *File, err error) {
	err = d.within(OpOpen, name, func(r *os.Root, name string) error {
		for range 3 { // another process may create the file, or remove it, in the meantime
			if file, err = openPlain(r, name, flag, perm); !errors.Is(err, errMoved) {
				break
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	file.path = d.Path(name)
	return file, nil
}

var errMoved = errors.New("it was replaced while it was opened; try again")

// openPlain looks at a file before it opens it, so that no link is followed and
// no pipe is waited for, and checks that it opened what it looked at.
func openPlain(r *os.Root, name string, flag int, perm fs.FileMode) (*File, error) {
	before, err := r.Lstat(name)
	switch {
	case err == nil && flag&os.O_EXCL != 0:
		return nil, fs.ErrExist
	case err == nil:
		if err := plainFile(before); err != nil {
			return nil, err
		}
		flag &^= os.O_CREATE
	case errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0:
		flag |= os.O_EXCL
	default:
		return nil, err
	}
	f, err := r.OpenFile(name, flag, perm)
	if before == nil && errors.Is(err, fs.ErrExist) || before != nil && errors.Is(err, fs.ErrNotExist) {
		return nil, errMoved
	}
	if err != nil {
		return nil, err
	}
	if err := checkOpened(f, before, flag); err != nil {
		f.Close()
		return nil, err
	}
	return &File{f: f, made: before == nil}, nil
}

func checkOpened(f *os.File, before fs.FileInfo, flag int) error {
	after, err := f.Stat()
	if err != nil {
		return err
	}
	if before != nil && !os.SameFile(before, after) {
		return errMoved
	}
	if n := hardLinks(after); n > 1 && flag&(os.O_WRONLY|os.O_RDWR) != 0 {
		return fmt.Errorf("%w: it has %d names (hard links), and what is written to it would appear under all of them; put a copy in its place", ErrNotPlain, n)
	}
	return nil
}

// ReadFile returns what is in a file.
func (d Dir) ReadFile(name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// ReadBounded is ReadFile for a file of at most the given number of bytes; a longer one is an error.
func (d Dir) ReadBounded(name string, most int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("%s: it has more than %d bytes, which is the limit", f.Name(), most)
	}
	return data, err
}

// Name returns the path of the file.
func (f *File) Name() string { return f.path }

// Fd returns the descriptor, for locks.
func (f *File) Fd() uintptr { return f.f.Fd() }

// Stat describes the file.
func (f *File) Stat() (fs.FileInfo, error) { return f.f.Stat() }

// Read reads from the current position.
func (f *File) Read(p []byte) (int, error) {
	if err := f.fault(OpRead); err != nil {
		return 0, err
	}
	return f.f.Read(p)
}

// ReadAt reads from an offset.
func (f *File) ReadAt(p []byte, at int64) (int, error) {
	if err := f.fault(OpRead); err != nil {
		return 0, err
	}
	return f.f.ReadAt(p, at)
}

// Ahead begins to read a part of the file that will be asked for soon, where the system allows that. It does not wait.
func (f *File) Ahead(at, n int64) { ahead(f.f, at, n) }

// Write writes at the current position.
func (f *File) Write(p []byte) (int, error) {
	return f.write(p, f.f.Write)
}

// WriteString writes at the current position.
func (f *File) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// WriteAt writes at an offset.
func (f *File) WriteAt(p []byte, at int64) (int, error) {
	return f.write(p, func(p []byte) (int, error) { return f.f.WriteAt(p, at) })
}

// write calls write unless the file is lost or a fault is injected.
func (f *File) write(p []byte, write func([]byte) (int, error)) (int, error) {
	if err := f.lost(); err != nil {
		return 0, err
	}
	if err := f.fault(OpWrite); err != nil {
		var short *Short
		if !errors.As(err, &short) {
			return 0, err
		}
		n, writeErr := write(p[:len(p)/2])
		return n, errors.Join(writeErr, err)
	}
	return write(p)
}

// Seek sets the current position.
func (f *File) Seek(offset int64, whence int) (int64, error) { return f.f.Seek(offset, whence) }

// Truncate changes the length of the file.
func (f *File) Truncate(size int64) error {
	if err := f.lost(); err != nil {
		return err
	}
	if err := f.fault(OpTruncate); err != nil {
		return err
	}
	return f.f.Truncate(size)
}

// Sync waits until everything that was written is on the disk. After an error
// nothing is certain of what was written since the last Sync, and all further
// writing fails.
func (f *File) Sync() error {
	if err := f.lost(); err != nil {
		return err
	}
	err := f.fault(OpSync)
	switch {
	case err == nil:
		err = f.f.Sync()
	case errors.Is(err, ErrSkip):
		err = nil
	}
	if err != nil {
		lost := fmt.Errorf("%w (an earlier sync failed: what was written then may be lost)", err)
		f.broken.CompareAndSwap(nil, &lost)
	}
	return err
}

// lost returns the error of a sync that failed earlier.
func (f *File) lost() error {
	if err := f.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// Close closes the file. It does not sync.
func (f *File) Close() error { return f.f.Close() }

func (f *File) fault(op Op) error {
	if err := fault(op, f.path); err != nil {
		return &fs.PathError{Op: string(op), Path: f.path, Err: err}
	}
	return nil
}

// Handle returns the file of the operating system, to give it to a child process.
func (f *File) Handle() *os.File { return f.f }
