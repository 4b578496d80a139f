package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/operations"
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
	st := &status{Status: operations.Status{Balanced: true, Dir: "x.dowse"}}
	st.Stopped = dowse.StopDisk
	if got := st.problem(time.Now()); !strings.Contains(got, "disk was full") {
		t.Errorf("after a full disk: %q", got)
	}
	if st.Running = true; st.problem(time.Now()) != "" {
		t.Errorf("while a crawl runs again: %q", st.problem(time.Now()))
	}
}

// TestHealth checks crawls that are ill in one way each, and crawls that are not.
func TestHealth(t *testing.T) {
	now := time.Now()
	running := func(change func(st *status)) status {
		st := status{Status: operations.Status{Dir: "x.dowse", Balanced: true, Running: true, Committed: now, DiskFree: 1 << 40, DiskFloor: 2e9}}
		st.Books.Queued, st.LimitedBy = 7, "politeness"
		change(&st)
		return st
	}
	for name, c := range map[string]struct {
		st   status
		want string // a part of the problem; "" for none
	}{
		"sound":        {running(func(*status) {}), ""},
		"books":        {running(func(st *status) { st.Balanced = false }), "do not balance"},
		"disk":         {running(func(st *status) { st.DiskFree = 1e9 }), "the disk has 1.0 GB free, and the crawl stops below 2.0 GB"},
		"disk at rest": {running(func(st *status) { st.Running, st.DiskFree = false, 1e9 }), "--disk-floor"},
		"disk unknown": {running(func(st *status) { st.DiskFree = -1 }), ""},
		"idle":         {running(func(st *status) { st.Committed = now.Add(-6 * time.Minute) }), "nothing was committed for 6m0s, and 7 links wait; limited by politeness"},
		"idle by wish": {running(func(st *status) { st.Committed, st.IdleAfter = now.Add(-6*time.Minute), time.Hour }), ""},
		"idle at end":  {running(func(st *status) { st.Committed, st.Books.Queued = now.Add(-6*time.Minute), 0 }), ""},
		"hangs":        {running(func(st *status) { st.Committed, st.LimitedBy = now.Add(-6*time.Minute), "" }), "it reports nothing"},
		"names": {running(func(st *status) {
			st.LimitedBy, st.Outage = "name service", &crawl.Outage{Why: "the name server does not answer: refused"}
		}), "no name service: the name server does not answer: refused"},
		"killed": {running(func(st *status) { st.Running, st.Killed = false, true }), "was killed"},
		"error":  {running(func(st *status) { st.Running, st.Stopped, st.Error = false, dowse.StopError, "broken" }), "stopped by an error: broken"},
		"memory": {running(func(st *status) { st.Running, st.Stopped = false, dowse.StopMemory }), "fill the memory that it may use; to continue with more: dowse crawl x.dowse --memory SIZE"},
		"limit":  {running(func(st *status) { st.Running, st.Stopped = false, dowse.StopPages }), ""},
	} {
		if got := c.st.problem(now); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
