package crawler

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/internal/durable"
)

// A RunRecord describes one run of a crawl, from its start or resumption to
// its stop. Each run leaves two lines in log/sittings.jsonl, one when it
// begins and one when it ends. A run with only the first line is in progress
// or was killed.
type RunRecord struct {
	Begun time.Time `json:"begun"`
	// Ended is zero if the run is in progress or was killed.
	Ended   time.Time        `json:"ended,omitzero"`
	Process int              `json:"process"`
	Why     dowse.StopReason `json:"stop_reason,omitempty"`
	Error   string           `json:"error,omitempty"`
	// By is the cause of the context that ended a run which was paused, such as the name of a signal;
	// "copy" in a copy that was made during the run.
	By      string `json:"by,omitempty"`
	Fetched int    `json:"fetched"`
	OnTopic int    `json:"on_topic"`
	// Outside is nil if there is no outside judge.
	Outside *Consulted `json:"outside,omitempty"`
}

const runsFile = "log/sittings.jsonl"

// beginRun returns the record of a run that begins.
func (c *Crawler) beginRun() RunRecord {
	r := RunRecord{Begun: time.Now().UTC(), Process: os.Getpid()}
	r.count(c)
	return r
}

// end records the time, reason and counts at the end of a run.
func (r *RunRecord) end(c *Crawler, cause error) {
	r.Ended, r.Why = time.Now().UTC(), c.stopped
	if c.stopped == dowse.StopSignal && cause != nil && cause != context.Canceled {
		r.By = cause.Error()
	}
	if c.err != nil {
		r.Error = c.err.Error()
	}
	r.count(c)
}

// count records the counts of the crawl, without pages that could not be committed.
func (r *RunRecord) count(c *Crawler) {
	st := c.Status()
	r.Fetched, r.OnTopic, r.Outside = st.Fetched, st.OnTopic, c.Consulted()
}

// append adds the record as a line to the log of runs.
func (r *RunRecord) append(col *collection.Collection) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("crawler: log of runs: %w", err)
	}
	f, err := durable.In(col.Dir).Append(runsFile)
	if err != nil {
		return fmt.Errorf("crawler: log of runs: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("crawler: log of runs: %w", err)
	}
	return nil
}

// LastRun returns the latest run of the crawl in a collection; false if
// no run is recorded. Lines that can't be decoded are skipped.
func LastRun(col *collection.Collection) (last RunRecord, ok bool) {
	list := lastRuns(col)
	if len(list) == 0 {
		return RunRecord{}, false
	}
	return list[len(list)-1], true
}

// maxRuns is how many of the last runs are kept in memory at least. The log
// of a crawl that is resumed every day grows without bound.
const maxRuns = 100

// lastRuns returns the last runs of the crawl in a collection, at least
// maxRuns of them if there were as many, each as it ended or, if it was
// killed or is in progress, as it began. The line of an end replaces that of
// its beginning, which has the same time and process.
func lastRuns(col *collection.Collection) (list []RunRecord) {
	f, err := durable.In(col.Dir).Open(runsFile)
	if err != nil {
		return nil
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		var r RunRecord
		if json.Unmarshal(sc.Bytes(), &r) != nil || r.Begun.IsZero() {
			continue
		}
		if n := len(list); n > 0 && list[n-1].Begun.Equal(r.Begun) && list[n-1].Process == r.Process {
			list[n-1] = r
			continue
		}
		if list = append(list, r); len(list) > 2*maxRuns {
			list = slices.Delete(list, 0, maxRuns)
		}
	}
	return list
}

// lastReason returns why the last run stopped, "" if it was killed.
func lastReason(col *collection.Collection) dowse.StopReason {
	r, _ := LastRun(col)
	return r.Why
}
