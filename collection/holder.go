package collection

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"dowse/internal/durable"
)

// ErrHolder is returned for a collection that is locked, but whose lock file
// does not prove which process holds the lock.
var ErrHolder = errors.New("the process that works on it is not known here")

// Holder returns the process that works on the collection in dir, 0 for none, and
// reports whether it crawls. In contrast to [Running] the result is safe to send a
// signal to.
//
// The number in the lock file alone proves nothing. The file may come from
// elsewhere, the collection may be shared with another machine or container,
// where the same number means another process, and the lock file may be a link
// to that of a daemon. So the file must be a regular one with a single name and
// the content that this package writes and, where the system can report it, the
// process must have this very file open. Otherwise the error is ErrHolder.
//
// A process that begins has the lock before its number is in the file, and one that
// ends has closed its files before the lock is free. So for about a second a lock
// without a known holder is looked at again.
func Holder(dir string) (pid int, crawls bool, err error) {
	for range lockTries {
		if pid, crawls, err = holderNow(dir); !errors.Is(err, ErrHolder) {
			break
		}
		time.Sleep(lockPause)
	}
	return pid, crawls, err
}

// holderNow is Holder for this moment.
func holderNow(dir string) (pid int, crawls bool, err error) {
	path := filepath.Join(dir, lockName)
	st, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("collection: lock: %w", err)
	}
	if !st.Mode().IsRegular() || hardLinks(st) > 1 {
		return 0, false, fmt.Errorf("collection: %s: %w: it is not a file of its own", path, ErrHolder)
	}
	if pid, crawls = Running(dir); pid == 0 && !isHeld(dir) {
		return 0, false, nil
	}
	switch data, _ := durable.In(dir).ReadBounded(lockName, maxLock); {
	case pid <= 1 || pid == os.Getpid():
		return 0, false, fmt.Errorf("collection: %s: %w: it names process %d", path, ErrHolder, pid)
	case !strings.Contains(string(data), "\ncollection/"):
		return 0, false, fmt.Errorf("collection: %s: %w: it is not a lock of dowse", path, ErrHolder)
	case isForeign(pid):
		return 0, false, fmt.Errorf("collection: %s: %w: it names process %d, which is another user's", path, ErrHolder, pid)
	case !hasOpen(pid, st):
		return 0, false, fmt.Errorf("collection: %s: %w: it names process %d, which does not work on it (another machine or container may)", path, ErrHolder, pid)
	}
	return pid, crawls, nil
}

// isHeld reports whether any process holds the lock. It opens the file to read only, so that users who may not
// write to the collection, such as a monitor, see that a crawl runs.
func isHeld(dir string) bool {
	f, err := durable.In(dir).Open(lockName)
	if err != nil {
		return false
	}
	defer f.Close()
	return f.TryShared() != nil
}

// hasOpen reports whether a process has a file open. This is known on Linux
// only; elsewhere it returns true, since there are no containers that share a
// file system and number processes differently.
func hasOpen(pid int, file os.FileInfo) bool {
	if runtime.GOOS != "linux" {
		return true
	}
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	list, err := os.ReadDir(folder)
	if err != nil {
		return false
	}
	for _, fd := range list {
		if st, err := os.Stat(filepath.Join(folder, fd.Name())); err == nil && os.SameFile(st, file) {
			return true
		}
	}
	return false
}

// isForeign reports whether the files of a process can't be seen because it is another user's.
func isForeign(pid int) bool {
	_, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return errors.Is(err, os.ErrPermission)
}

// LastCommit returns when the journal last grew, by the clock of its file system; the zero
// time if that is not known.
func (c *Collection) LastCommit() (last time.Time) {
	state := c.files().Sub("state")
	names, err := state.Names("journal-*.log")
	if err != nil {
		return last
	}
	for _, name := range names {
		if info, err := state.Lstat(name); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}
