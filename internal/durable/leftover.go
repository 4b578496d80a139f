package durable

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Files and folders that a process makes next to what a person named, and removes when it is finished,
// have names that no person gives. The process holds the lock of the file, or of the owner file in the
// folder, as long as it runs. A lock that is free shows that the process was killed.
var (
	leftoverFile   = regexp.MustCompile(`^\.dowse-[a-z2-7]{26}\.tmp$`)
	leftoverFolder = regexp.MustCompile(`^\.dowse-[a-z]+-[a-z2-7]{26}$`)
)

// ownerName is the file in a scratch folder that its process holds the lock of.
const ownerName = ".owner"

// lockTries is how often a new name is tried if another process sweeps a file before it is locked.
const lockTries = 5

// errSwept reports that another process took a new file for a leftover.
var errSwept = errors.New("another process removed a file that was just created; try again")

// temporaryName returns a random name, under which no other process can have
// prepared anything.
func temporaryName() string { return ".dowse-" + strings.ToLower(rand.Text()) + Temporary }

// beginLocked is begin under a random name, with the lock by which Sweep knows that the file is in use. A
// file system without locks does without: there, leftovers stay.
func (d Dir) beginLocked(name string, perm fs.FileMode) (*Pending, error) {
	for range lockTries {
		tmp := temporaryName()
		p, err := d.begin(name, tmp, perm)
		if err != nil {
			return nil, err
		}
		p.locked = p.TryLock() == nil
		if !p.locked || d.still(tmp, p.File) == nil {
			return p, nil
		}
		p.Close()
	}
	return nil, d.named(OpOpen, name, errSwept)
}

// A Scratch is a folder for files that are not needed any more when their process ends.
type Scratch struct {
	Path  string
	owner *File
}

// NewScratch makes a folder in parent, for a use in small letters.
func NewScratch(parent, use string) (*Scratch, error) {
	for range lockTries {
		path := filepath.Join(parent, ".dowse-"+use+"-"+strings.ToLower(rand.Text()))
		if err := os.Mkdir(path, 0o700); err != nil {
			return nil, err
		}
		owner, err := In(path).open(ownerName, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			continue // swept while it was empty
		}
		if err != nil {
			os.RemoveAll(path)
			return nil, err
		}
		if locked := owner.TryLock() == nil; !locked || In(path).still(ownerName, owner) == nil {
			return &Scratch{path, owner}, nil
		}
		owner.Close()
	}
	return nil, &fs.PathError{Op: "mkdir", Path: parent, Err: errSwept}
}

// Give takes the file of the owner out of the folder, which can then be given another name and stay. Remove
// does nothing afterwards.
func (s *Scratch) Give() error {
	In(s.Path).discard(ownerName)
	s.Path = ""
	return s.owner.Close()
}

// Remove removes the folder with all that is in it.
func (s *Scratch) Remove() {
	if s.Path == "" {
		return
	}
	s.owner.Close()
	os.RemoveAll(s.Path)
	s.Path = ""
}

// Sweep removes from a folder the temporary files and scratch folders of processes that were killed. It
// never removes those of a process that runs, nor anything else. What can't be removed stays.
func Sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case e.Type().IsRegular() && leftoverFile.MatchString(name):
			if f, ok := abandoned(dir, name); ok {
				In(dir).discard(name)
				f.Close()
			}
		case e.IsDir() && leftoverFolder.MatchString(name):
			sweepFolder(filepath.Join(dir, name))
		}
	}
}

// sweepFolder removes a scratch folder whose process was killed.
func sweepFolder(path string) {
	f, ok := abandoned(path, ownerName)
	if ok {
		os.RemoveAll(path)
		f.Close()
		return
	}
	os.Remove(path) // only if it is empty: it has no owner yet, and its process makes another one
}

// abandoned opens a file and reports whether its lock was free. The caller closes it, which releases the
// lock.
func abandoned(dir, name string) (f *File, ok bool) {
	f, err := In(dir).Edit(name)
	if err != nil {
		return nil, false
	}
	if f.TryLock() != nil || In(dir).still(name, f) != nil {
		f.Close()
		return nil, false
	}
	return f, true
}
