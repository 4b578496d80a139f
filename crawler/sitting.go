package crawler

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/internal/durable"
)

// A Sitting is one run of a crawl, from its start or resumption to its stop.
// Each run leaves two lines in log/sittings.jsonl, one when it begins and
// one when it ends. A run with only the first line is in progress or was
// killed.
type Sitting struct {
	Begun time.Time `json:"begun"`
	// Ended is zero if the run is in progress or was killed.
	Ended   time.Time        `json:"ended,omitzero"`
	Process int              `json:"process"`
	Why     dowse.StopReason `json:"stop_reason,omitempty"`
	Error   string           `json:"error,omitempty"`
	Fetched int              `json:"fetched"`
	OnTopic int              `json:"on_topic"`
	// Outside is nil if there is no outside judge.
	Outside *Consulted `json:"outside,omitempty"`
}

const sittingsFile = "log/sittings.jsonl"

// sitDown returns the record of a run that begins.
func (c *Crawler) sitDown() Sitting {
	s := Sitting{Begun: time.Now().UTC(), Process: os.Getpid()}
	s.count(c)
	return s
}

// getUp records how a run ended.
func (s *Sitting) getUp(c *Crawler) {
	s.Ended, s.Why = time.Now().UTC(), c.stopped
	if c.err != nil {
		s.Error = c.err.Error()
	}
	s.count(c)
}

// count records the counts of the crawl.
func (s *Sitting) count(c *Crawler) {
	st := c.Collection.Crawl.Status()
	s.Fetched, s.OnTopic, s.Outside = st.Fetched, st.OnTopic, c.Consulted()
}

// append adds a line to the log of runs.
func (s *Sitting) append(col *collection.Collection) error {
	line, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("crawler: sitting: %w", err)
	}
	f, err := durable.In(col.Dir).Append(sittingsFile)
	if err != nil {
		return fmt.Errorf("crawler: sitting: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("crawler: sitting: %w", err)
	}
	return nil
}

// LastSitting returns the latest run of the crawl in a collection; false if
// no run is recorded. Lines that can't be decoded are skipped.
func LastSitting(col *collection.Collection) (last Sitting, ok bool) {
	list := sittings(col)
	if len(list) == 0 {
		return Sitting{}, false
	}
	return list[len(list)-1], true
}

// maxSittings is how many of the last runs are kept in memory at least.
const maxSittings = 100

// sittings returns the last runs of the crawl in a collection, each as it
// ended or, if it was killed or is in progress, as it began.
func sittings(col *collection.Collection) (list []Sitting) {
	f, err := durable.In(col.Dir).Open(sittingsFile)
	if err != nil {
		return nil
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		var s Sitting
		if json.Unmarshal(sc.Bytes(), &s) != nil || s.Begun.IsZero() {
			continue
		}
		if n := len(list); n > 0 && list[n-1].Begun.Equal(s.Begun) && list[n-1].Process == s.Process {
			list[n-1] = s
			continue
		}
		if list = append(list, s); len(list) > 2*maxSittings {
			list = slices.Delete(list, 0, maxSittings)
		}
	}
	return list
}

// lastReason returns why the last run stopped, "" if it was killed.
func lastReason(col *collection.Collection) dowse.StopReason {
	s, _ := LastSitting(col)
	return s.Why
}
