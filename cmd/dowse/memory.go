package main

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// spare is how much more garbage may pile up before it is collected than there
// would with what a crawl keeps: a crawl keeps little and throws away a lot, and
// would otherwise spend a twentieth of its time on collecting. Memory that is
// never touched counts as kept and takes none, so one has only to ask for it.
const spare = 32 << 20

// limitMemory lets this process keep to the memory limit that it runs under, and
// returns the spare memory to ask for. A limit that the user set (GOMEMLIMIT) holds;
// otherwise it is that of the control group, less a tenth for what the Go runtime does
// not count. The garbage collector works harder near the limit, and a crawl takes its
// budget for pages in flight from it, so that the kernel has no reason to end it.
func limitMemory(root string) []byte {
	if limit := cgroupLimit(root); limit < math.MaxInt64 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit - limit/10)
	}
	if debug.SetMemoryLimit(-1) < 16*spare {
		return nil
	}
	return make([]byte, spare)
}

// cgroupLimit returns the memory limit of the control group of this process, or of
// one around it, whichever is least; math.MaxInt64 for none. The file system begins at
// root, which is "/" but in tests.
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

// leastOnPath returns the least number in the files of that name from the folder path
// below top up to top.
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
