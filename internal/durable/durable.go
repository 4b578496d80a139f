// Package durable reads and writes the files of this module. It makes one
// promise for all of them:
//
//   - A file that is replaced is, at any moment and after a loss of power, the old or the
//     new one as a whole: the new file is synced, then renamed, then its folder is synced.
//   - A temporary file is created by this package or not used at all (O_EXCL), and it is
//     checked to be the same file before it is renamed.
//   - Inside a [Dir] no symbolic link is followed, neither as a file nor as a folder on the
//     way to it, and nothing but plain files is opened. Every name is resolved by an
//     [os.Root], so that a link that is made at the wrong moment leads nowhere else either.
//   - After a failed sync a file is lost to its user: every later call on it fails. The
//     kernel may have dropped the data and would report success for a second try.
//
// A folder that came from elsewhere, such as a collection that was downloaded,
// can contain anything: links to files of the user, pipes that block, names
// that lead out of it. A [Dir] is how such a folder is used without trusting
// it.
//
// durable.go has folders, file.go open files, replace.go atomic replacement,
// and fault.go lets tests make any call fail. The price of the promise is two
// syncs per replaced file, of the file and of its folder, so callers replace
// files rarely and append otherwise.
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Temporary ends the names of files that are being written and not yet in their
// place.
const Temporary = ".tmp"

// ErrGone is returned for a directory that was deleted or moved while a program
// wrote to files in it: what was written since then is lost with them.
var ErrGone = errors.New("it was deleted or moved while it was in use")

// ErrNotPlain is returned for a symbolic link, pipe, device or other thing in
// place of a plain file or a folder.
var ErrNotPlain = errors.New("not a plain file")

// A Dir is a folder, and everything below it, that is used without following
// links. The zero value is not useful: see [In] and [Inner].
//
// It holds no open file, so it need not be closed. Names are relative to it,
// with slashes.
type Dir struct {
	root string // as a person named it: it may be reached by a link
	sub  string // a folder below root, with slashes; "." for none
}

// In returns the folder at a path that a person named. The path itself may lead
// over links; nothing below it does.
func In(path string) Dir { return Dir{root: path, sub: "."} }

// Inner returns a folder that belongs to another one, such as the archive of a
// collection: it must not be a link itself.
func Inner(dir string) Dir {
	if abs, err := filepath.Abs(dir); err == nil && !filepath.IsLocal(filepath.Base(dir)) {
		dir = abs
	}
	return In(filepath.Dir(dir)).Sub(filepath.Base(dir))
}

// Split returns the folder and the name of a file that belongs to another
// folder, such as a file of an archive: neither of the two may be a link.
func Split(file string) (Dir, string) {
	return Inner(filepath.Dir(file)), filepath.Base(file)
}

// Sub returns a folder of the folder.
func (d Dir) Sub(name string) Dir { return Dir{root: d.root, sub: path.Join(d.sub, name)} }

// Path returns the path of a file, for messages and for other programs. It is
// not checked.
func (d Dir) Path(name string) string {
	return filepath.Join(d.root, filepath.FromSlash(d.sub), filepath.FromSlash(name))
}

// within opens the root, checks that no folder on the way to name is a link,
// and calls do with the name relative to the root. Every call to the file
// system passes through here, so that faults can be injected and errors have
// the whole path.
func (d Dir) within(op Op, name string, do func(r *os.Root, name string) error) error {
	err := fault(op, d.Path(name))
	switch {
	case err == nil:
		err = d.rooted(name, do)
	case op == OpSync && errors.Is(err, ErrSkip):
		err = nil
	}
	return d.named(op, name, err)
}

// rooted is within without faults and without the path in errors.
func (d Dir) rooted(name string, do func(r *os.Root, name string) error) error {
	full := filepath.FromSlash(path.Join(d.sub, name))
	if !filepath.IsLocal(full) {
		return errors.New("the name leads out of its folder")
	}
	r, err := os.OpenRoot(d.root)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := plainWay(r, full); err != nil {
		return err
	}
	return do(r, full)
}

// named gives an error the whole path of the file, which an os.Root does not
// know.
func (d Dir) named(op Op, name string, err error) error {
	if err == nil {
		return nil
	}
	var at *fs.PathError
	var two *os.LinkError
	switch {
	case errors.As(err, &at):
		err = at.Err
	case errors.As(err, &two):
		err = two.Err
	}
	return &fs.PathError{Op: string(op), Path: d.Path(name), Err: err}
}

// plainWay checks that all folders on the way to a file are folders and not
// links. An os.Root alone would follow links that stay inside of it.
func plainWay(r *os.Root, name string) error {
	folder := filepath.Dir(name)
	if folder == "." {
		return nil
	}
	for i := range len(folder) + 1 {
		if i < len(folder) && !os.IsPathSeparator(folder[i]) {
			continue
		}
		if err := plainFolder(r, folder[:i]); err != nil {
			return err
		}
	}
	return nil
}

func plainFolder(r *os.Root, name string) error {
	info, err := r.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return notPlain(info, "folder "+filepath.ToSlash(name)+" is")
	}
	return nil
}

func plainFile(info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return notPlain(info, "it is")
}

// notPlain returns an ErrNotPlain that names what was found. subject begins the
// message.
func notPlain(info fs.FileInfo, subject string) error {
	what := "something else"
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		what = "a symbolic link"
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		what = "a device"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode.IsRegular():
		what = "a file"
	}
	return fmt.Errorf("%w: %s %s, which is not used here; remove it, or put a copy in its place", ErrNotPlain, subject, what)
}

// Lstat describes a file or folder. A link is described, not followed.
func (d Dir) Lstat(name string) (info fs.FileInfo, err error) {
	err = d.within(OpStat, name, func(r *os.Root, name string) error {
		info, err = r.Lstat(name)
		return err
	})
	return info, err
}

// Stat describes a plain file. Anything else is an error.
func (d Dir) Stat(name string) (fs.FileInfo, error) {
	info, err := d.Lstat(name)
	if err != nil {
		return nil, err
	}
	return info, d.named(OpStat, name, plainFile(info))
}

// ReadDir lists a folder, "." for the folder itself, in the order of names.
func (d Dir) ReadDir(name string) (list []fs.DirEntry, err error) {
	err = d.within(OpList, name, func(r *os.Root, name string) error {
		if err := plainFolder(r, name); err != nil {
			return err
		}
		f, err := r.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		list, err = f.ReadDir(-1)
		return err
	})
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, err
}

// Names lists what in the folder itself has a name that matches a pattern of
// [path.Match]. A folder that is not there has nothing in it.
func (d Dir) Names(pattern string) (names []string, err error) {
	list, err := d.ReadDir(".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range list {
		ok, badPattern := path.Match(pattern, e.Name())
		if badPattern != nil {
			return nil, badPattern
		}
		if ok {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Mkdir makes a folder and those that it is in. It is no error if it is there.
func (d Dir) Mkdir(name string) error {
	if err := os.MkdirAll(d.root, 0o755); err != nil {
		return err
	}
	return d.mkdir(path.Join(d.sub, name))
}

// mkdir makes a folder of the root, the outermost first.
func (d Dir) mkdir(full string) error {
	if full == "." {
		return nil
	}
	outer := path.Dir(full)
	if err := d.mkdir(outer); err != nil {
		return err
	}
	top := In(d.root)
	made := false
	err := top.within(OpMkdir, full, func(r *os.Root, name string) error {
		err := r.Mkdir(name, 0o755)
		if errors.Is(err, fs.ErrExist) {
			return plainFolder(r, name)
		}
		made = err == nil
		return err
	})
	if err == nil && made {
		err = top.Sync(outer)
	}
	return err
}

// Remove removes a file, or a link in its place, and syncs its folder.
func (d Dir) Remove(name string) error {
	err := d.within(OpRemove, name, func(r *os.Root, name string) error { return r.Remove(name) })
	if err != nil {
		return err
	}
	return d.Sync(path.Dir(name))
}

// RemoveAll removes a file, or a folder with everything in it, and syncs the
// folder that it was in. Links are removed and not followed. It is no error if
// there is nothing.
func (d Dir) RemoveAll(name string) error {
	err := d.within(OpRemove, name, func(r *os.Root, name string) error { return r.RemoveAll(name) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return d.Sync(path.Dir(name))
}

// LinkTo makes a symbolic link to a file elsewhere. It is for private folders of
// this process, which it hands to libraries that open files by their path: no
// function of this package would follow the link. Where the system has no such
// links, the file is copied.
func (d Dir) LinkTo(name, target string) error {
	err := d.within(OpOpen, name, func(r *os.Root, name string) error { return r.Symlink(target, name) })
	if err == nil || runtime.GOOS != "windows" {
		return err
	}
	data, err := os.ReadFile(target)
	if err != nil {
		return err
	}
	return d.WriteFile(name, data)
}

// Rename moves a file within the folder and syncs the folders that it was in
// and is in now.
func (d Dir) Rename(from, to string) error {
	if err := d.rename(from, to); err != nil {
		return err
	}
	if path.Dir(from) != path.Dir(to) {
		if err := d.Sync(path.Dir(from)); err != nil {
			return err
		}
	}
	return d.Sync(path.Dir(to))
}

// rename is Rename without syncing. Both names must be inside the folder.
func (d Dir) rename(from, to string) error {
	return d.within(OpRename, to, func(r *os.Root, name string) error {
		old := filepath.FromSlash(path.Join(d.sub, from))
		if !filepath.IsLocal(old) {
			return errors.New("the name leads out of its folder")
		}
		if err := plainWay(r, old); err != nil {
			return err
		}
		return r.Rename(old, name)
	})
}

// Sync makes the names in a folder survive a loss of power; "." is the folder
// itself. Windows has no such call and needs none.
func (d Dir) Sync(name string) error {
	return d.within(OpSync, name, func(r *os.Root, name string) error {
		if runtime.GOOS == "windows" {
			return nil
		}
		f, err := r.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := f.Sync(); err != nil && !cannotSync(err) {
			return err
		}
		return nil
	})
}
