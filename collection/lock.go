package collection

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrLocked is returned when another process works on a collection.
var ErrLocked = errors.New("another process works on it")

const lockName = "dowse.lock"

// lock takes the collection for this process. The lock ends with the process,
// however that ends.
func lock(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("collection: lock: %w", err)
	}
	if err := tryLock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("collection: %s: %w (process %s); stop it first: dowse stop %s", dir, ErrLocked, holder(path), dir)
	}
	if err := f.Truncate(0); err == nil {
		fmt.Fprintf(f, "%d\n%s\n", os.Getpid(), Format)
	}
	return f, nil
}

func holder(path string) string {
	if pid := readPID(path); pid > 0 {
		return strconv.Itoa(pid)
	}
	return "unknown"
}

func readPID(path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(data), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	return pid
}

// Running returns the process that works on the collection in dir, 0 for none.
func Running(dir string) int {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0
	}
	defer f.Close()
	if tryLock(f) == nil {
		return 0
	}
	return readPID(path)
}
