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

// The halves of a trace, by time.
const (
	early = "early"
	late  = "late"
)

// traceSalt is the key of people's names in the lab: runs must be the same each time,
// and no name leaves a run.
var traceSalt = []byte("dowse lab traces")

// traceParts lists which parts of a trace the strategies of an experiment see.
func (x *Experiment) traceParts() (parts []string) {
	for _, s := range x.Strategies {
		if !s.needs("a trace") {
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

// tracesOf reads the access logs of a web, once for each part that is asked for.
func (b *bench) tracesOf(s web.Source, parts []string) (map[string]*trace.Log, error) {
	feed := b.feed(s, slices.ContainsFunc(parts, func(p string) bool { return p != "" }))
	middle, err := b.middle(feed, parts)
	if err != nil {
		return nil, err
	}
	logs := map[string]*trace.Log{}
	for _, part := range parts {
		o := trace.Options{Salt: traceSalt}
		if part != "" {
			o.Keep = func(at time.Time) bool { return at.Before(middle) == (part == early) }
		}
		if logs[part], err = built(o, feed); err != nil {
			return nil, err
		}
	}
	return logs, nil
}

func built(o trace.Options, feed func(*trace.Builder) error) (*trace.Log, error) {
	build, err := trace.New(o)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	if err := feed(build); err != nil {
		return nil, err
	}
	return build.Log(), nil
}

// middle returns the time before which half of the accesses were.
func (b *bench) middle(feed func(*trace.Builder) error, parts []string) (time.Time, error) {
	if !slices.ContainsFunc(parts, func(p string) bool { return p != "" }) {
		return time.Time{}, nil
	}
	var times []time.Time
	_, err := built(trace.Options{Salt: traceSalt, Keep: func(at time.Time) bool {
		times = append(times, at)
		return false
	}}, feed)
	if err != nil || len(times) == 0 {
		return time.Time{}, err
	}
	slices.SortFunc(times, time.Time.Compare)
	return times[len(times)/2], nil
}

// feed returns what gives a builder the accesses to a web: its logs; of the made web
// what its people did. The people of its log come once, so where a trace is parted, and
// where nobody recorded anything, other made people walk who come again.
func (b *bench) feed(s web.Source, parted bool) func(*trace.Builder) error {
	switch {
	case len(s.Traces) > 0:
		return func(build *trace.Builder) error { return readLogs(build, s.Traces) }
	case s.Demo != nil && !parted:
		return func(build *trace.Builder) error {
			var log bytes.Buffer
			if err := s.Demo.WriteAccessLog(&log); err != nil {
				return err
			}
			return readLog(build, "the made web", &log)
		}
	}
	return func(build *trace.Builder) error { b.walk(build); return nil }
}

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

func readLog(build *trace.Builder, name string, r io.Reader) error {
	if _, err := build.Read(r); err != nil {
		return fmt.Errorf("experiment: traces: %s: %w", name, err)
	}
	return nil
}

// accesses tells how much there is in each part of the trace.
func (b *bench) accesses() map[string]int {
	n := map[string]int{}
	for part, log := range b.traces {
		n[part] = log.Accesses()
	}
	return n
}
