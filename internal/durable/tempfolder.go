package durable

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"
)

// A TempFolder is a private temporary folder. The process that uses it holds the lock of a file in it, so another
// process can recognise one that was left behind by a process that was killed.
type TempFolder struct {
	Path  string
	Files Dir
	lock  *File
}

// The names of temporary folders and of the locked file in them.
const (
	tempPrefix = "dowse-"
	tempLock   = "in-use"
)

// tempUses are the middle parts of the names of temporary folders.
var tempUses = []string{"search", "index", "server", "growth", "bundled"}

// NewTempFolder makes a temporary folder for one of tempUses, after removing those that processes left behind that were killed. The
// caller removes it.
func NewTempFolder(use string) (*TempFolder, error) {
	RemoveLeftFolders()
	for try := 0; ; try++ {
		path, err := os.MkdirTemp("", tempPrefix+use+"-*")
		if err != nil {
			return nil, err
		}
		s := &TempFolder{Path: path, Files: In(path)}
		if err = s.hold(); err == nil {
			return s, nil
		}
		// Another process may have found the folder before it was locked, and removed it.
		if err = errors.Join(err, s.Remove()); try == 10 {
			return nil, err
		}
	}
}

// hold takes the lock, and makes sure that the file that it has locked is still there.
func (s *TempFolder) hold() (err error) {
	if s.lock, err = s.Files.Create(tempLock); err != nil {
		return err
	}
	if err := s.lock.TryLock(); err != nil {
		return err
	}
	mine, err := s.lock.Stat()
	if err != nil {
		return err
	}
	there, err := s.Files.Lstat(tempLock)
	if err == nil && !os.SameFile(mine, there) {
		err = fs.ErrNotExist
	}
	return err
}

// Remove removes the folder and releases the lock.
func (s *TempFolder) Remove() error {
	err := os.RemoveAll(s.Path)
	if s.lock != nil {
		s.lock.Close()
	}
	return err
}

// lockingTime is how long a folder may exist before the file that is locked is in it.
const lockingTime = time.Minute

// RemoveLeftFolders removes the temporary folders of this user that no process uses. What it can't remove stays; links,
// and folders that other users own, are not touched.
func RemoveLeftFolders() {
	tmp := os.TempDir()
	root, err := os.OpenRoot(tmp)
	if err != nil {
		return
	}
	defer root.Close()
	dir, err := root.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if isTempName(name) && isLeft(root, name) {
			_ = root.RemoveAll(name)
		}
	}
}

// isTempName reports whether a name is that of a temporary folder.
func isTempName(name string) bool {
	rest, ok := strings.CutPrefix(name, tempPrefix)
	use, number, cut := strings.Cut(rest, "-")
	for _, u := range tempUses {
		if ok && cut && use == u && number != "" && strings.Trim(number, "0123456789") == "" {
			return true
		}
	}
	return false
}

// isLeft reports whether a folder below root belongs to this user and is not used.
func isLeft(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	if err != nil || !info.IsDir() || !IsOwn(info) {
		return false
	}
	f, err := In(root.Name()).Sub(name).Edit(tempLock)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Since(info.ModTime()) > lockingTime
	}
	if err != nil {
		return false
	}
	defer f.Close()
	return f.TryLock() == nil
}
