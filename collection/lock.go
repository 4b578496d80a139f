package collection

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"dowse/internal/durable"
)

// ErrLocked is returned when another process has the collection open to
// write. The error that wraps it is a [*fs.PathError] with the directory.
var ErrLocked = errors.New("another process works on it")

// lockName is the lock file. It holds the process number and the format, but
// only the lock of the operating system counts.
const lockName = "dowse.lock"

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

// lockedError returns the error for a collection that another process has open
// to write, with the directory and the number of the process.
func lockedError(dir string) error {
	return &fs.PathError{Op: "lock", Path: dir, Err: fmt.Errorf("%w (process %s)", ErrLocked, holder(dir))}
}

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
	if pid := readPID(dir); pid > 0 {
		return strconv.Itoa(pid)
	}
	return "unknown"
}

// readPID returns the process number in the lock file, 0 if there is none.
// It may be that of a process that has ended.
func readPID(dir string) int {
	data, err := durable.In(dir).ReadBounded(lockName, maxLock)
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(data), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	return pid
}

// Running returns the process that has the collection in dir open to write,
// 0 for none. The number is for people; use [Holder] before sending a
// signal.
func Running(dir string) int {
	f, err := durable.In(dir).Edit(lockName)
	if err != nil {
		return 0
	}
	defer f.Close()
	if f.TryShared() == nil {
		return 0
	}
	return readPID(dir)
}
