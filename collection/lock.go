package collection

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"dowse/internal/durable"
)

// ErrLocked is returned when another process works on a collection.
var ErrLocked = errors.New("another process works on it")

const lockName = "dowse.lock"

const maxLock = 1 << 10 // bytes of the lock file that are read

// lock takes the collection for this process. The lock ends with the process,
// however that ends.
func lock(dir string) (*durable.File, error) {
	f, err := durable.In(dir).Ensure(lockName)
	if err != nil {
		return nil, fmt.Errorf("collection: lock: %w", err)
	}
	if err := lockSoon(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("collection: %s: %w (process %s); stop it first: dowse stop %s", dir, ErrLocked, holder(dir), dir)
	}
	if err := f.Truncate(0); err == nil {
		fmt.Fprintf(f, "%d\n%s\n", os.Getpid(), format)
	}
	return f, nil
}

// Others take the lock for a moment to see whether somebody holds it, see Running. So
// it is tried a few times before it counts as held.
const (
	lockTries = 20
	lockPause = 50 * time.Millisecond
)

func lockSoon(f *durable.File) (err error) {
	for range lockTries {
		if err = tryLock(f); err == nil {
			return nil
		}
		time.Sleep(lockPause)
	}
	return err
}

func holder(dir string) string {
	if pid := readPID(dir); pid > 0 {
		return strconv.Itoa(pid)
	}
	return "unknown"
}

func readPID(dir string) int {
	data, err := durable.In(dir).ReadBounded(lockName, maxLock)
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(data), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	return pid
}

// Running returns the process that works on the collection in dir, 0 for none.
func Running(dir string) int {
	f, err := durable.In(dir).Edit(lockName)
	if err != nil {
		return 0
	}
	defer f.Close()
	if tryShared(f) == nil {
		return 0
	}
	return readPID(dir)
}
