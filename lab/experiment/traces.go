package experiment

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"dowse/internal/lab/web"
	"dowse/internal/trace"
)

// The halves of an access log, by time.
const (
	early = "early"
	late  = "late"
)

// traceSalt replaces the random salt with which names of people are hashed: runs
// must be reproducible, and no name leaves a run.
var traceSalt = []byte("dowse lab traces")

// traceParts lists the parts of the access log that the strategies of an
// experiment need.
func (x *Experiment) traceParts() (parts []string) {
	for _, s := range x.Strategies {
		if !x.requires(s, "a trace") {
			continue
		}
		for _, part := range []string{s.Trace, s.Learn} {
			if (part != "" || s.Trace == "") && !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// sessionGap returns the pause that ends a session in access logs, 0 for the default.
func (x *Experiment) sessionGap() (time.Duration, error) {
	if x.SessionGap == "" {
		return 0, nil
	}
	gap, err := time.ParseDuration(x.SessionGap)
	if err != nil || gap <= 0 {
		return 0, fmt.Errorf("session_gap %q is not a pause", x.SessionGap)
	}
	return gap, nil
}

// tracesOf reads the access logs of a web, once per part. A log is read again
// for each part instead of being held in memory.
func (b *labelledWeb) tracesOf(s web.Source, parts []string, gap time.Duration) (map[string]*trace.Log, error) {
	feed := b.feed(s, slices.ContainsFunc(parts, func(p string) bool { return p != "" }))
	middle, err := b.middle(feed, parts)
	if err != nil {
		return nil, err
	}
	logs := map[string]*trace.Log{}
	for _, part := range parts {
		o := trace.Options{Salt: traceSalt, Gap: gap}
		if part != "" {
			o.Keep = func(at time.Time) bool { return at.Before(middle) == (part == early) }
		}
		if logs[part], err = buildLog(o, feed); err != nil {
			return nil, err
		}
	}
	return logs, nil
}

// buildLog builds a log from the accesses that feed supplies.
func buildLog(o trace.Options, feed func(*trace.Builder) error) (*trace.Log, error) {
	build, err := trace.New(o)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	if err := feed(build); err != nil {
		return nil, err
	}
	return build.Log(), nil
}

// middle returns the median time of the accesses. It is computed only if a part
// is needed.
func (b *labelledWeb) middle(feed func(*trace.Builder) error, parts []string) (time.Time, error) {
	if !slices.ContainsFunc(parts, func(p string) bool { return p != "" }) {
		return time.Time{}, nil
	}
	var times []time.Time
	// The times are collected by a filter that keeps no access, so that no log
	// is built.
	_, err := buildLog(trace.Options{Salt: traceSalt, Keep: func(at time.Time) bool {
		times = append(times, at)
		return false
	}}, feed)
	if err != nil || len(times) == 0 {
		return time.Time{}, err
	}
	slices.SortFunc(times, time.Time.Compare)
	return times[len(times)/2], nil
}

// feed returns a function that supplies the accesses to a web: its recorded logs,
// or, for the synthetic web, its generated log. The people of the generated log
// come once only; so a log that is split by time, and a web without logs, use the
// synthetic people of walkPeople, who return.
func (b *labelledWeb) feed(s web.Source, parted bool) func(*trace.Builder) error {
	switch {
	case len(s.Traces) > 0:
		return func(build *trace.Builder) error { return readLogs(build, s.Traces) }
	case s.Demo != nil && !s.Demo.Campus && !parted:
		return func(build *trace.Builder) error {
			var log bytes.Buffer
			if err := s.Demo.WriteAccessLog(&log); err != nil {
				return err
			}
			return readLog(build, "the synthetic web", &log)
		}
	}
	b.strollers = s.Demo == nil
	return func(build *trace.Builder) error { b.walkPeople(build, s.Demo == nil); return nil }
}

// readLogs reads several access logs, in the order given.
func readLogs(build *trace.Builder, paths []string) error {
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("experiment: traces: %w", err)
		}
		err = readLog(build, path, f)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// readLog adds the accesses of one log, whose name is for errors.
func readLog(build *trace.Builder, name string, r io.Reader) error {
	if _, err := build.Read(r); err != nil {
		return fmt.Errorf("experiment: traces: %s: %w", name, err)
	}
	return nil
}

// accesses returns the number of accesses in each part of the log, for the names
// of crawls.
func (b *labelledWeb) accesses() map[string]int {
	n := map[string]int{}
	for part, log := range b.traces {
		n[part] = log.Accesses()
	}
	return n
}
