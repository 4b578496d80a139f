package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
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
