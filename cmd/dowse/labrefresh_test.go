package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// The table of revisits has the shares of what is possible by both measures, as text and as JSON, and --frontier adds the policies that
// are the measure of all others.
func TestLabRefresh(t *testing.T) {
	small := []string{"lab", "refresh", "--seeds", "1", "--pages", "1000", "--days", "20", "--per-day", "0.05"}
	code, out, errs := runHere(small...)
	if code != exitOK {
		t.Fatalf("%d: %s", code, errs)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, line := range lines {
		if n := strings.Count(line, "|"); n != 10 {
			t.Errorf("%d bars, want 10 in every line: %s", n, line)
		}
	}
	if len(lines) != 9 || strings.Count(lines[0], "of the possible") != 2 || !strings.HasPrefix(lines[2], "| 0.05 | auto | ") {
		t.Errorf("the table is\n%s", out)
	}

	code, out, errs = runHere(append(small, "--json", "--frontier")...)
	if code != exitOK {
		t.Fatalf("%d: %s", code, errs)
	}
	rows := map[string]freshnessRow{}
	for line := range strings.Lines(out) {
		var r freshnessRow
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		rows[r.Policy] = r
		if r.FreshPossible <= 0 || r.FreshPossible > 1.05 || r.FoundPossible <= 0 || r.FoundPossible > 1.05 || r.FoundSteady < r.FoundPossible-1e-9 || r.FreshSteady < r.FreshPossible-1e-9 || r.Webs != 1 {
			t.Errorf("shares of the possible, want more than 0 and not much more than 1: %s", line)
		}
	}
	if r := rows["uniform"]; r.NotBelow != 1 {
		t.Errorf("uniform is below uniform: %+v", r)
	}
	steady, ahead := rows["rates known, steady, changes found"], rows["rates known, ahead, weight 2"]
	if steady.FoundBest < 0.999 || ahead.FoundPossible < 0.97 {
		t.Errorf("of the frontier: %+v, %+v", steady, ahead)
	}
	for _, args := range [][]string{{"--seeds", "0"}, {"--per-day", "0"}, {"--per-day", "0.1,-1"}, {"--pages", "10"}} {
		if code, out, errs := runHere(append([]string{"lab", "refresh"}, args...)...); code != exitUsage || out != "" || errs == "" {
			t.Errorf("%v: %d %q %q", args, code, out, errs)
		}
	}
}
