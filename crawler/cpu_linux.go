package crawler

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// queueTime returns for how long threads of this process could run and waited for a processor, 0 if the kernel does not
// report it.
func queueTime() time.Duration { return queuedIn("/proc/self/task") }

// maxThreads bounds how many threads are looked at: each takes a few microseconds.
const maxThreads = 256

// queuedIn adds up what the kernel reports of threads: nanoseconds on a processor, nanoseconds in the queue for
// one, and how often it ran. Go keeps its threads, so that the sum hardly ever falls.
func queuedIn(dir string) (sum time.Duration) {
	f, err := os.Open(dir)
	if err != nil {
		return 0
	}
	defer f.Close()
	threads, _ := f.Readdirnames(maxThreads)
	for _, id := range threads {
		data, err := os.ReadFile(filepath.Join(dir, id, "schedstat"))
		if err != nil {
			continue // it has ended
		}
		if fields := bytes.Fields(data); len(fields) == 3 {
			n, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			sum += time.Duration(n)
		}
	}
	return sum
}
