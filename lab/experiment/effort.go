package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"dowse/internal/durable"
)

// effortFile has one line for each process that made crawls of the run.
const effortFile = "effort.jsonl"

// An effort is what one process spent on a run: reading the webs, training the
// judges and making crawls, without the report.
type effort struct {
	Version string        `json:"version"` // of the program
	Begun   time.Time     `json:"begun"`
	Elapsed time.Duration `json:"elapsed_ns"`
	CPU     time.Duration `json:"cpu_ns"` // processor time; 0 if unknown
	// Memory is the most that the process had held when it ended the run, in
	// bytes; 0 if unknown. A process that makes several runs counts the earlier
	// ones, too.
	Memory int64 `json:"memory"`
	Crawls int   `json:"crawls"` // that this process made
}

// A stopwatch measures the effort of a run from the moment that it was made.
type stopwatch struct {
	begun time.Time
	cpu   time.Duration
}

// newStopwatch returns a stopwatch that is running.
func newStopwatch() stopwatch {
	cpu, _ := processUse()
	return stopwatch{time.Now(), cpu}
}

// effort returns what was spent so far.
func (s stopwatch) effort(version string, crawls int) effort {
	cpu, memory := processUse()
	return effort{Version: version, Begun: s.begun.UTC().Truncate(time.Second), Elapsed: time.Since(s.begun), CPU: cpu - s.cpu, Memory: memory, Crawls: crawls}
}

// saveEffort adds a line to effort.jsonl. A process that made no crawl adds none:
// the run was complete before it.
func (d *dir) saveEffort(e effort) error {
	if d == nil || e.Crawls == 0 {
		return nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := durable.In(d.path).Append(effortFile)
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// readEfforts reads effort.jsonl. Damaged lines are skipped, and a missing file is
// empty, as in readCPU.
func readEfforts(path string) (list []effort) {
	data, err := os.ReadFile(filepath.Join(path, effortFile))
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(data) {
		var e effort
		if json.Unmarshal(line, &e) == nil && e.Crawls > 0 {
			list = append(list, e)
		}
	}
	return list
}
