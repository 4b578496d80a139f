package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// On a terminal forget asks, and takes anything but yes for no.
func TestForgetAsks(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir := filepath.Join(t.TempDir(), "x.dowse")
	if code, _, errs := capture(t, "demo", "--pages", "5", "-o", dir, "-q"); code != exitOK {
		t.Fatalf("code %d: %s", code, errs)
	}
	for _, tt := range []struct {
		answer string
		code   int
		say    string
	}{
		{"\n", exitInterrupted, "nothing was done"},
		{"", exitInterrupted, "nothing was done"},
		{"no\n", exitInterrupted, "nothing was done"},
		{"Yes\n", exitOK, "Erase it for good?"},
	} {
		var out, errs bytes.Buffer
		w := &world{
			out: &out, err: &errs, in: strings.NewReader(tt.answer), env: noEnv,
			ctx: context.Background(), abort: context.Background(), isTTY: true,
		}
		code := run(w, []string{"forget", dir, "shorewalks.demo", "--because", "test"})
		if code != tt.code || !strings.Contains(errs.String(), tt.say) || (code == exitOK) != strings.Contains(out.String(), "took down") {
			t.Errorf("answer %q: code %d, stdout %q, stderr %q", tt.answer, code, out.String(), errs.String())
		}
	}
}
