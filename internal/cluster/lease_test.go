package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A lease lapses after five seconds of silence in which the servers answered. Time in which they did not neither counts
// nor makes the standby begin again, and after it the holder has time for a renewal that gets lost and another one.
func TestSilence(t *testing.T) {
	const step = 500 * time.Millisecond
	for name, x := range map[string]struct {
		steps  string // one for each look: a the servers answer, r they answer and the lease was renewed, - they do not answer
		lapsed int    // after how many steps; 0 for never
	}{
		"silent":                    {"raaaaaaaaaaaa", 11},
		"first seen as it is":       {"aaaaaaaaaaaa", 11},
		"renewed in time":           {"raaaaaaaaraaaaaaaaaraaaaaaaa", 0},
		"servers away for a moment": {"raaaa--aaaaaaaaaaa", 15},
		"away just before the end":  {"raaaaaaaaa--aaaaaaaaaaa", 20},
		"away again and again":      {"raaa-aaa-aaa-aaa-aaa-aaa-aaa-aaa", 0},
		"away for long":             {"raa--------------------aaaaaaaaa", 32},
	} {
		t.Run(name, func(t *testing.T) {
			var s silence
			now, got := time.Now(), 0
			for i, c := range x.steps {
				now = now.Add(step)
				if c == '-' {
					s.missed()
				} else {
					s.answered(now, c == 'r')
				}
				if got == 0 && s.lapsed() {
					got = i + 1
				}
			}
			if got != x.lapsed {
				t.Errorf("%s: lapsed after step %d, want %d", x.steps, got, x.lapsed)
			}
		})
	}
}

// A standby that was stopped itself, or whose machine stood still, does not hold that time against the coordinator.
func TestSilenceOfAStoppedProcess(t *testing.T) {
	var s silence
	now := time.Now()
	s.answered(now, true)
	for range 3 {
		now = now.Add(time.Minute)
		s.answered(now, false)
		if s.lapsed() {
			t.Fatal("a lease lapsed while nobody looked at it")
		}
	}
}

// Whoever stops a crawl while the servers are away reads that a standby will go on with it.
func TestStopWithoutServersIsNamed(t *testing.T) {
	var said []string
	url, end, err := Embed(t.TempDir(), "127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	c, err := Connect(t.Context(), Options{URLs: url, Version: "test", Log: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.TakeLead(t.Context(), newDir(t), true)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	s.Close(false)
	if !slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, "stop the standby, too") }) {
		t.Errorf("said %q", said)
	}
}

// laggingState is the state of a cluster as a server shows it that has not heard of the last writes: as many reads as
// are left are answered with an earlier entry.
type laggingState struct {
	jetstream.KeyValue
	earlier jetstream.KeyValueEntry
	left    int
}

func (s *laggingState) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	if s.left > 0 {
		s.left--
		return s.earlier, nil
	}
	return s.KeyValue.Get(ctx, key)
}

// lag lets the next reads of a connection show the lease as it is now.
func lag(t *testing.T, c *Conn, reads int) {
	t.Helper()
	e, err := c.state.Get(t.Context(), leaseKey)
	if err != nil {
		t.Fatal(err)
	}
	c.state = &laggingState{c.state, e, reads}
}

// A coordinator whose last renewal was given up does not know the revision of its lease. It reads it, and a server that is
// behind does not make it lose the lease, or leave the end of the crawl unrecorded: a standby took over a finished crawl then.
func TestLeaseIsWrittenDespiteOldReads(t *testing.T) {
	c := newConn(t)
	s, err := c.TakeLead(t.Context(), newDir(t), true)
	if err != nil {
		t.Fatal(err)
	}
	l := s.lease
	l.cancel()
	<-l.ended
	lag(t, c, 3)
	value, err := json.Marshal(l.holder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.state.Update(t.Context(), leaseKey, value, l.revision); err != nil { // the renewal that was given up
		t.Fatal(err)
	}
	if err := l.write(t.Context(), l.holder, patience); err != nil {
		t.Errorf("the lease can't be written: %v", err)
	}
	if e, err := c.state.Get(t.Context(), leaseKey); err != nil || e.Revision() != l.revision {
		t.Errorf("the lease: %v, %v, want revision %d", e, err, l.revision)
	}
}

// A coordinator that was frozen does not take the first message of its successor for one of another program because a server
// that is behind still names it as the holder of the lease.
func TestFenceDespiteOldReads(t *testing.T) {
	c := newConn(t)
	dir := newDir(t)
	old, _ := lead(t, c, dir)
	all := func(string) int64 { return 1 << 40 }
	if err := old.Commit(t.Context(), Covered{1, 0}, all); err != nil {
		t.Fatal(err)
	}
	old.lease.cancel() // as if it were frozen
	<-old.lease.ended
	lag(t, c, 3)
	if err := os.WriteFile(filepath.Join(dir, "state/journal-0000000000000000.log"), []byte("dowsej2\nx"), 0o644); err != nil {
		t.Fatal(err)
	}
	now, err := connectTo(t, c.opt.URLs).TakeLead(t.Context(), dir, true)
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close(false)
	if err := old.Commit(t.Context(), Covered{2, 0}, all); err != ErrFenced {
		t.Errorf("the old coordinator: %v, want %v", err, ErrFenced)
	}
	if err := old.lease.write(t.Context(), old.lease.holder, patience); !wrongSequence(err) {
		t.Errorf("the old coordinator takes the lease back: %v", err)
	}
	if err := now.Commit(t.Context(), Covered{2, 0}, all); err != nil {
		t.Errorf("the new coordinator: %v", err)
	}
}
