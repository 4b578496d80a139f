package crawler

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/internal/durable"
)

// A Sitting is one run of a crawl, from its start or resumption to its stop. Each
// leaves two lines in log/sittings.jsonl: one when it begins and one when it ends. So
// one that was killed can be told from one that stopped.
type Sitting struct {
	Begun   time.Time        `json:"begun"`
	Ended   time.Time        `json:"ended,omitzero"` // zero if it is under way, or was killed
	Process int              `json:"process"`
	Why     dowse.StopReason `json:"stop_reason,omitempty"`
	Error   string           `json:"error,omitempty"`
	Fetched int              `json:"fetched"`
	OnTopic int              `json:"on_topic"`
	Outside *Consulted       `json:"outside,omitempty"` // nil where nobody outside is asked
}

const sittingsFile = "log/sittings.jsonl"

// sitDown notes that a run begins.
func (c *Crawler) sitDown() Sitting {
	s := Sitting{Begun: time.Now().UTC(), Process: os.Getpid()}
	s.count(c)
	return s
}

// getUp notes how a run ended.
func (s *Sitting) getUp(c *Crawler) {
	s.Ended, s.Why = time.Now().UTC(), c.stopped
	if c.err != nil {
		s.Error = c.err.Error()
	}
	s.count(c)
}

func (s *Sitting) count(c *Crawler) {
	st := c.Collection.Crawl.Status()
	s.Fetched, s.OnTopic, s.Outside = st.Fetched, st.OnTopic, c.Consulted()
}

// append adds a line to the log of sittings.
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

// LastSitting returns the latest run of the crawl in a collection; false if there
// was none, or nothing tells of it. Lines that can't be read are passed over.
func LastSitting(col *collection.Collection) (last Sitting, ok bool) {
	f, err := durable.In(col.Dir).Open(sittingsFile)
	if err != nil {
		return Sitting{}, false
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		var s Sitting
		if json.Unmarshal(sc.Bytes(), &s) == nil && !s.Begun.IsZero() {
			last, ok = s, true
		}
	}
	return last, ok
}

func lastReason(col *collection.Collection) dowse.StopReason {
	s, _ := LastSitting(col)
	return s.Why
}
