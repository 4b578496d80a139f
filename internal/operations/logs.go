package operations

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/internal/plain"
)

// Runs and changes of settings are not in the journal but in logs of their own, of one JSON object per line. Their events are
// merged with those of the journal by time.

// A source is where events come from.
type source int

const (
	fromJournal source = iota
	fromRuns
	fromSettings
)

// The logs that have events, below the directory of a collection.
const (
	runsLog     = "log/sittings.jsonl"
	settingsLog = "log/settings.jsonl"
)

// A position is how far a reader of events has read the journal and the logs, in bytes.
type position struct{ journal, runs, settings uint64 }

// unbounded is behind everything.
var unbounded = position{^uint64(0), ^uint64(0), ^uint64(0)}

// String returns the position as the ID of an event.
func (c position) String() string { return fmt.Sprintf("%d-%d-%d", c.journal, c.runs, c.settings) }

// latest returns a position that has read what either of two has.
func (c position) latest(d position) position {
	return position{max(c.journal, d.journal), max(c.runs, d.runs), max(c.settings, d.settings)}
}

// at returns the part of the position for a source.
func (c *position) at(s source) *uint64 {
	switch s {
	case fromRuns:
		return &c.runs
	case fromSettings:
		return &c.settings
	}
	return &c.journal
}

// errPosition is returned for a text that is no position.
var errPosition = errors.New("it is no event")

// parsePosition reads the ID of an event. A single number is a place in the journal, behind which the logs are read from their
// present end, or from their beginning for 0. Logs can be shorter than an ID remembers them, after a collection was restored;
// their end counts then.
func (s *shelf) parsePosition(text string) (c position, err error) {
	if text == "0" {
		return position{}, nil
	}
	end := logSizes(s.dir)
	if !strings.Contains(text, "-") {
		text = fmt.Sprintf("%s-%d-%d", text, end.runs, end.settings)
	}
	if _, err := fmt.Sscanf(text, "%d-%d-%d", &c.journal, &c.runs, &c.settings); err != nil || c.String() != text || c.journal >= 1<<63 {
		return c, errPosition
	}
	c.runs, c.settings = min(c.runs, end.runs), min(c.settings, end.settings)
	return c, nil
}

// logSizes returns a position behind all lines that the logs have now.
func logSizes(dir string) (c position) {
	for s, name := range map[source]string{fromRuns: runsLog, fromSettings: settingsLog} {
		if st, err := durable.In(dir).Stat(name); err == nil && st.Size() > 0 {
			*c.at(s) = uint64(st.Size())
		}
	}
	return c
}

// A step is an event and where it is in its source.
type step struct {
	Event
	source       source
	begin, after uint64
	done         position // of a reader that has seen it
}

// advance moves a position behind the event, and gives the event the ID of that position.
func (x *step) advance(c *position) {
	*c.at(x.source) = x.after
	x.done, x.ID = *c, c.String()
}

// isBehind reports whether a reader with a position has not seen the event.
func (x *step) isBehind(c position) bool { return x.begin >= *c.at(x.source) }

// maxLogRead is how much of a log is read in one look.
const maxLogRead = 1 << 20

// linesOf returns the events of the lines of the logs from a position on, oldest first, and how far that is. It reads no line that
// ends behind until.
func linesOf(dir string, at, until position) (list []step, next position) {
	next = position{runs: at.runs, settings: at.settings}
	for _, log := range []struct {
		source source
		name   string
		event  func(line []byte) (Event, bool)
	}{{fromRuns, runsLog, runEvent}, {fromSettings, settingsLog, settingEvent}} {
		from := *at.at(log.source)
		data := readLog(dir, log.name, from, *until.at(log.source))
		for line := range bytes.Lines(data) {
			whole := line[len(line)-1] == '\n'
			if !whole && len(line) < maxLogRead {
				break // it is being written, or goes on behind what was read
			}
			after := from + uint64(len(line))
			if x, ok := log.event(line); ok {
				x.Detail = plain.Cut(x.Detail, 500)
				list = append(list, step{Event: x, source: log.source, begin: from, after: after})
			}
			from = after
		}
		*next.at(log.source) = from
	}
	slices.SortStableFunc(list, func(a, b step) int { return a.At.Compare(b.At) })
	return list, next
}

// readLog returns what a log has between two places, at most maxLogRead bytes; nothing if it can't be read.
func readLog(dir, name string, from, until uint64) []byte {
	if st, err := durable.In(dir).Stat(name); err != nil || uint64(st.Size()) <= from || until <= from {
		return nil
	}
	f, err := durable.In(dir).Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.NewSectionReader(f, int64(from), int64(min(until-from, maxLogRead))))
	if err != nil {
		return nil
	}
	return data
}

// runEvent returns the event of a line of the log of runs: a run has begun or ended.
func runEvent(line []byte) (x Event, ok bool) {
	var r crawler.RunRecord
	if json.Unmarshal(line, &r) != nil || r.Begun.IsZero() {
		return x, false
	}
	x = Event{Event: EventState, At: r.Begun.UTC(), State: StateRunning, Count: r.Fetched}
	if !r.Ended.IsZero() {
		x.At, x.State, x.Detail = r.Ended.UTC(), StateStopped, string(r.Why)
	}
	if r.Error != "" {
		x.Detail = cmp.Or(x.Detail, "error") + ": " + plain.OneLine(r.Error)
	}
	return x, true
}

// settingEvent returns the event of a line of the log of settings. A change that changed nothing is none.
func settingEvent(line []byte) (x Event, ok bool) {
	var r crawler.SetRecord
	if json.Unmarshal(line, &r) != nil || r.At.IsZero() {
		return x, false
	}
	x = Event{Event: EventSetting, At: r.At.UTC(), By: clip(r.By), Detail: plain.OneLine(strings.Join(r.Changes, ", "))}
	if r.Error != "" {
		x.Detail = "refused: " + plain.OneLine(r.Error)
	}
	return x, x.Detail != ""
}
