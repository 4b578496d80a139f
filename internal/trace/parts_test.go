package trace

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dowse"
)

// TestSessionsByPause checks where sessions begin: after a pause that is longer than
// the gap, at a path of its own, and never because a time is unknown.
func TestSessionsByPause(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	for _, c := range []struct {
		name  string
		gap   time.Duration
		times []time.Time
		begin int // index of an access with New set, or -1
		want  int
	}{
		{"one access", 0, []time.Time{at(0)}, -1, 1},
		{"within the default gap", 0, []time.Time{at(0), at(30), at(60)}, -1, 1},
		{"just beyond it", 0, []time.Time{at(0), at(31)}, -1, 2},
		{"not in order of time", 0, []time.Time{at(60), at(0), at(30)}, -1, 1},
		{"a short gap", time.Minute, []time.Time{at(0), at(1), at(3)}, -1, 2},
		{"no gap at all", -1, []time.Time{at(0), at(100_000)}, -1, 1},
		{"an unknown time", 0, []time.Time{{}, at(0), at(31)}, -1, 2},
		{"all times unknown", 0, []time.Time{{}, {}, {}}, -1, 1},
		{"one that begins a session", 0, []time.Time{at(0), at(1), at(2)}, 1, 2},
	} {
		b, err := New(Options{Salt: []byte("12345678"), Gap: c.gap})
		if err != nil {
			t.Fatal(err)
		}
		for i, when := range c.times {
			b.Add(Access{User: "anna", Time: when, URL: dowse.URL(fmt.Sprintf("http://a.test/%d", i)), New: i == c.begin})
		}
		if got := b.Log().Sessions(); got != c.want {
			t.Errorf("%s: %d sessions, want %d", c.name, got, c.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for s, want := range map[string]int64{
		"0": 0, "1": 1000, "1157689320.327": 1157689320327, "1.5": 1500, "1.05": 1050, "1.23456": 1234, "1.": 1000,
		"-1": -1, "": -1, ".5": -1, "1.x": -1, "1e3": -1, "99999999999": -1, "9223372036854775808": -1,
	} {
		got, ok := seconds(s)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("seconds(%q) = %d, want %d (-1: not a time)", s, got, want)
		}
	}
}

func TestLooksLikePage(t *testing.T) {
	for u, want := range map[string]bool{
		"/": true, "/a": true, "/a.html": true, "/a.HTM": true, "/a.php?x=y.png": true, "/v1.2/about": true, "http://a.test": false,
		"/a.png": false, "/a.css?v=1": false, "/a.tar.gz": false, "/a.": false, "": true,
	} {
		if got := looksLikePage(u); got != want {
			t.Errorf("looksLikePage(%q) = %v, want %v", u, got, want)
		}
	}
}

func TestCutQuoted(t *testing.T) {
	for _, c := range []struct {
		in, before, after string
		ok                bool
	}{
		{`GET / HTTP/1.1" 200`, `GET / HTTP/1.1`, ` 200`, true},
		{`a\"b" c`, `a\"b`, ` c`, true},
		{`a\\" c`, `a\\`, ` c`, true},
		{`no end`, `no end`, ``, false},
		{`no end\`, `no end\`, ``, false},
		{`"`, ``, ``, true},
	} {
		before, after, ok := cutQuoted(c.in)
		if before != c.before || after != c.after || ok != c.ok {
			t.Errorf("cutQuoted(%q) = %q, %q, %v; want %q, %q, %v", c.in, before, after, ok, c.before, c.after, c.ok)
		}
	}
}

// Numbers stay what they are while the table grows and strings move to new chunks.
func TestNamesKeepTheirNumbers(t *testing.T) {
	n := newNames()
	name := func(i int) string { return strings.Repeat("x", i%300) + fmt.Sprint(i) }
	const count = 5000
	for i := range count {
		if got := n.add(name(i)); got != uint32(i) {
			t.Fatalf("the %d-th string has number %d", i, got)
		}
	}
	for i := range count {
		got, ok := n.find(name(i))
		if !ok || got != uint32(i) || n.list[got] != name(i) || n.add(name(i)) != uint32(i) {
			t.Fatalf("string %d is found as %d (%v)", i, got, ok)
		}
	}
	if _, ok := n.find("absent"); ok || len(n.list) != count {
		t.Errorf("a string that was never added is found, or %d strings, want %d", len(n.list), count)
	}
}

func TestBits(t *testing.T) {
	b := newBits(130)
	for _, i := range []uint32{0, 63, 64, 129} {
		b.set(i)
		b.set(i)
	}
	if b.count() != 4 || !b.has(64) || b.has(65) || b.has(128) {
		t.Errorf("%d numbers in the set, want 4: 0, 63, 64 and 129", b.count())
	}
}
