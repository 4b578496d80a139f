package collection

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"dowse/internal/durable"
)

// ErrLocked is returned when another process has the collection open to
// write, or this one has already. The error that wraps it is a [*fs.PathError] with the directory.
var ErrLocked = errors.New("another process works on it")

// lockName is the lock file. It holds the process number, the format and, if the
// process crawls, the line lockCrawl, or if it is a standby, the line lockCopy. Only the lock of the operating system
// counts.
const lockName = "dowse.lock"

// lockCrawl is the line of the lock file of a process that crawls. Other processes
// hold the lock for a training, a change of settings or a takedown; these may be
// servers, which must not be ended to stop a crawl.
const lockCrawl = "crawl"

// lockCopy is the line of the lock file of a standby, which keeps the directory equal to a collection
// elsewhere.
const lockCopy = "standby"

// ErrCopy is returned, together with ErrLocked, when a standby keeps the directory as a copy. What
// another process writes there would make it differ from the original.
var ErrCopy = errors.New("a standby keeps it as a copy")

const maxLock = 1 << 10 // bytes of the lock file that are read

// lock locks the collection for this process. The operating system releases
// the lock when the process ends, however it ends, so a kill leaves no stale
// lock.
func lock(dir string) (*durable.File, error) {
	f, err := durable.In(dir).Ensure(lockName)
	if err != nil {
		return nil, fmt.Errorf("collection: lock: %w", err)
	}
	if err := lockSoon(f); err != nil {
		f.Close()
		return nil, lockedError(dir)
	}
	if err := f.Truncate(0); err == nil {
		fmt.Fprintf(f, "%d\n%s\n", os.Getpid(), format)
	}
	return f, nil
}

// LockCopy locks a directory, which is made if it is absent, for a standby. While it is locked, nothing
// else writes to it: opening to write, labels and changes of settings are refused with ErrCopy. The
// lock must be released before this process opens the collection to write.
func LockCopy(dir string) (release func(), err error) {
	if err := durable.In(filepath.Dir(dir)).Mkdir(filepath.Base(dir)); err != nil {
		return nil, fmt.Errorf("collection: %w", err)
	}
	f, err := lock(dir)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(f, lockCopy)
	return func() { f.Close() }, nil
}

// notCopy returns an error if a standby keeps dir as a copy at the moment.
func notCopy(dir string) error {
	if isHeld(dir) && lockHas(dir, lockCopy) {
		return lockedError(dir)
	}
	return nil
}

// lockedError returns the error for a collection that another process has open
// to write, with the directory and the number of the process.
func lockedError(dir string) error {
	err := fmt.Errorf("%w (process %s)", ErrLocked, holder(dir))
	if pid, _ := readLock(dir); pid == os.Getpid() {
		err = heldHere{}
	}
	if lockHas(dir, lockCopy) {
		err = fmt.Errorf("%w: %w (process %s)", ErrLocked, ErrCopy, holder(dir))
	}
	return &fs.PathError{Op: "lock", Path: dir, Err: err}
}

// heldHere is the ErrLocked of a collection that this process has open to write.
type heldHere struct{}

func (heldHere) Error() string        { return "this process works on it already" }
func (heldHere) Is(target error) bool { return target == ErrLocked }

// Other processes hold the lock for a moment to find out whether it is held,
// see Running. So it is tried several times before it counts as held.
const (
	lockTries = 20
	lockPause = 50 * time.Millisecond
)

// lockSoon tries to lock a file for about a second.
func lockSoon(f *durable.File) (err error) {
	for range lockTries {
		if err = f.TryLock(); err == nil {
			return nil
		}
		time.Sleep(lockPause)
	}
	return err
}

// holder returns the process number in the lock file for an error message.
func holder(dir string) string {
	if pid, _ := readLock(dir); pid > 0 {
		return strconv.Itoa(pid)
	}
	return "unknown"
}

// readLock returns the process number in the lock file, 0 if there is none, and
// reports whether that process crawls. It may be that of a process that has ended.
func readLock(dir string) (pid int, crawls bool) {
	data, err := durable.In(dir).ReadBounded(lockName, maxLock)
	if err != nil {
		return 0, false
	}
	lines := strings.Split(string(data), "\n")
	pid, _ = strconv.Atoi(strings.TrimSpace(lines[0]))
	return pid, slices.Contains(lines[1:], lockCrawl)
}

// lockHas reports whether the lock file has a line.
func lockHas(dir, line string) bool {
	data, err := durable.In(dir).ReadBounded(lockName, maxLock)
	return err == nil && slices.Contains(strings.Split(string(data), "\n"), line)
}

// MarkCrawl records that this process has the collection open to crawl, see
// [Running]. It does nothing for a reader. An error has no effect on the crawl, so
// it is not returned.
func (c *Collection) MarkCrawl() {
	if c.lock != nil {
		fmt.Fprintln(c.lock, lockCrawl)
	}
}

// Running returns the process that has the collection in dir open to write,
// 0 for none, and reports whether that process crawls. The number is for people;
// use [Holder] before sending a signal.
func Running(dir string) (pid int, crawls bool) {
	if !isHeld(dir) {
		return 0, false
	}
	return readLock(dir)
}
