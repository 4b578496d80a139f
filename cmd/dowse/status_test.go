package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dowse"
)

// TestStatusGoesOn asks for three collections of which the first is damaged and the second
// none at all: the third is shown, and the exit code is that of the damage.
func TestStatusGoesOn(t *testing.T) {
	sound := demoCollection(t)
	damaged, none := copyDir(t, sound), filepath.Join(t.TempDir(), "none.dowse")
	for _, name := range namesOf(t, damaged, "state") {
		if strings.HasPrefix(name, "state/journal") {
			if err := os.Remove(filepath.Join(damaged, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, flags := range [][]string{nil, {"--check"}, {"--json"}} {
		out, errs, code := runDowse(t, append([]string{"status", damaged, none, sound}, flags...)...)
		if code != exitCollection || !strings.Contains(errs, damaged+" is damaged") || !strings.Contains(errs, none+" is not a collection") || len(out) < 100 {
			t.Errorf("%v: exit code %d\n%s\n%s", flags, code, out, errs)
		}
	}
	if _, errs, code := runDowse(t, "status", none, sound); code != exitUsage {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// A full disk is an interruption for every command that writes to a collection, and a crawl
// that it stopped is unhealthy.
func TestFullDiskIsReported(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "x.dowse/state", Err: syscall.ENOSPC}
	if code, _ := verdictOn(inCollection(full)); code != exitInterrupted {
		t.Errorf("exit code %d on a full disk, want %d", code, exitInterrupted)
	}
	st := &status{Balanced: true, Dir: "x.dowse"}
	st.Stopped = dowse.StopDisk
	if got := st.problem(); !strings.Contains(got, "disk was full") {
		t.Errorf("after a full disk: %q", got)
	}
	if st.Running = true; st.problem() != "" {
		t.Errorf("while a crawl runs again: %q", st.problem())
	}
}
