package search

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"dowse/internal/durable"
)

// A scratch is a private temporary folder. The process that uses it holds the lock of a file in it, so another
// process can recognise one that was left behind by a process that was killed.
type scratch struct {
	path  string
	files durable.Dir
	lock  *durable.File
}

// The names of scratch folders and of the locked file in them.
const (
	scratchPrefix = "dowse-"
	scratchLock   = "in-use"
)

// scratchUses are the middle parts of the names of scratch folders.
var scratchUses = []string{"search", "index"}

// newScratch makes a scratch folder for a use. The caller removes it.
func newScratch(use string) (*scratch, error) {
	for try := 0; ; try++ {
		path, err := os.MkdirTemp("", scratchPrefix+use+"-*")
		if err != nil {
			return nil, err
		}
		s := &scratch{path: path, files: durable.In(path)}
		if err = s.hold(); err == nil {
			return s, nil
		}
		// Another process may have found the folder before it was locked, and removed it.
		if err = errors.Join(err, s.remove()); try == 10 {
			return nil, err
		}
	}
}

// hold takes the lock, and makes sure that the file that it has locked is still there.
func (s *scratch) hold() (err error) {
	if s.lock, err = s.files.Create(scratchLock); err != nil {
		return err
	}
	if err := s.lock.TryLock(); err != nil {
		return err
	}
	mine, err := s.lock.Stat()
	if err != nil {
		return err
	}
	there, err := s.files.Lstat(scratchLock)
	if err == nil && !os.SameFile(mine, there) {
		err = fs.ErrNotExist
	}
	return err
}

// remove removes the folder and releases the lock.
func (s *scratch) remove() error {
	err := os.RemoveAll(s.path)
	if s.lock != nil {
		s.lock.Close()
	}
	return err
}

// lockingTime is how long a folder may exist before the file that is locked is in it.
const lockingTime = time.Minute

// removeLeftScratch removes the scratch folders of this user that no process uses. What it can't remove stays; links,
// and folders that other users own, are not touched.
func removeLeftScratch() {
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
		if isScratchName(name) && isLeft(root, name) {
			_ = root.RemoveAll(name)
		}
	}
}

// isScratchName reports whether a name is that of a scratch folder.
func isScratchName(name string) bool {
	rest, ok := strings.CutPrefix(name, scratchPrefix)
	use, number, cut := strings.Cut(rest, "-")
	for _, u := range scratchUses {
		if ok && cut && use == u && number != "" && strings.Trim(number, "0123456789") == "" {
			return true
		}
	}
	return false
}

// isLeft reports whether a folder below root belongs to this user and is not used.
func isLeft(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	if err != nil || !info.IsDir() || !durable.IsOwn(info) {
		return false
	}
	f, err := durable.In(root.Name()).Sub(name).Edit(scratchLock)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Since(info.ModTime()) > lockingTime
	}
	if err != nil {
		return false
	}
	defer f.Close()
	return f.TryLock() == nil
}
