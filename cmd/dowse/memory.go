package main

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// spare is additional memory that the garbage collector believes to be in use. It
// collects when the heap has grown in proportion to what is kept; a crawl keeps little
// and discards much, and would spend a twentieth of its time on collections. Memory that
// is never written to counts as kept but occupies none, so reserving it is enough: it
// moves the next collection further away at no cost.
const spare = 32 << 20

// limitMemory makes the process respect the memory limit that it runs under, and returns
// spare memory that the caller keeps alive. A limit set by the user (GOMEMLIMIT)
// applies; otherwise it is that of the control group, less a tenth for what the Go
// runtime does not count. The garbage collector works harder near the limit, and a crawl
// derives its budget for pages in flight from it, so that the kernel has no reason to
// kill the process.
func limitMemory(root string) []byte {
	if limit := cgroupLimit(root); limit < math.MaxInt64 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit - limit/10)
	}
	return reserve(spare)
}

// reserve returns n bytes of spare memory; none if they would be too large a share of the memory limit.
func reserve(n int64) []byte {
	if debug.SetMemoryLimit(-1) < 16*n {
		return nil
	}
	return make([]byte, n)
}

// cgroupLimit returns the memory limit of the control group of this process or of a
// group around it, whichever is lowest; math.MaxInt64 for none. The file system begins
// at root, which is "/" except in tests.
func cgroupLimit(root string) int64 {
	data, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return math.MaxInt64
	}
	limit := int64(math.MaxInt64)
	for line := range strings.Lines(string(data)) {
		// hierarchy:controllers:path; version 2 has neither number nor names
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, path, _ := strings.Cut(rest, ":")
		switch {
		case controllers == "":
			limit = min(limit, leastOnPath(filepath.Join(root, "sys/fs/cgroup"), path, "memory.max"))
		case strings.Contains(","+controllers+",", ",memory,"):
			limit = min(limit, leastOnPath(filepath.Join(root, "sys/fs/cgroup/memory"), path, "memory.limit_in_bytes"))
		}
	}
	return limit
}

// leastOnPath returns the lowest number in the files called name from the folder path
// below top up to top itself.
func leastOnPath(top, path, name string) int64 {
	const unlimited = 1 << 60 // version 1 writes a number near MaxInt64
	least := int64(math.MaxInt64)
	for path = filepath.Clean("/" + path); ; path = filepath.Dir(path) {
		data, _ := os.ReadFile(filepath.Join(top, path, name))
		if n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64); err == nil && n > 0 && n < unlimited {
			least = min(least, n)
		}
		if path == "/" {
			return least
		}
	}
}
