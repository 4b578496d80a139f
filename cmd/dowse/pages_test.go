package main

import (
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	now := time.Now()
	for text, want := range map[string]time.Time{
		"2h": now.Add(-2 * time.Hour), "3d": now.Add(-72 * time.Hour), "0.5d": now.Add(-12 * time.Hour), "0s": now,
		"2026-11-15":           time.Date(2026, 11, 15, 0, 0, 0, 0, time.Local),
		"2026-11-15 09:30":     time.Date(2026, 11, 15, 9, 30, 0, 0, time.Local),
		"2026-11-15T09:30:00Z": time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC),
	} {
		var m moment
		if err := m.UnmarshalText([]byte(text)); err != nil || m.Sub(want).Abs() > time.Minute {
			t.Errorf("%q: %v, %v; want about %v", text, m.Time, err, want)
		}
	}
	for _, text := range []string{"", "yesterday", "-2h", "-1d", "d", "NaNd", "1e99d", "2026-13-01"} {
		if err := new(moment).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for a time", text)
		}
	}
}

func TestPiecesOf(t *testing.T) {
	pieces, err := piecesOf(`a\t{url}{host}\n\\`)
	want := []formatPiece{{text: "a\t"}, {field: "url"}, {text: ""}, {field: "host"}, {text: "\n\\"}}
	if err != nil || len(pieces) != len(want) {
		t.Fatalf("%q, %v", pieces, err)
	}
	for i := range want {
		if pieces[i] != want[i] {
			t.Errorf("piece %d is %q, want %q", i, pieces[i], want[i])
		}
	}
	for _, bad := range []string{"{", "{url", "{}", "{text}", "{ url}"} {
		if _, err := piecesOf(bad); err == nil {
			t.Errorf("%q is taken for a format", bad)
		}
	}
}

func TestBarAndStrip(t *testing.T) {
	for share, want := range map[float64]string{0: "", 0.001: "", 0.5: "██", 0.8: "███▎", 1: "████"} {
		if got := bar(share, 4); got != want {
			t.Errorf("bar(%v) = %q, want %q", share, got, want)
		}
	}
	if got := strip([]bool{true, false, true}); got != "●▲●" {
		t.Errorf("strip is %q", got)
	}
}
