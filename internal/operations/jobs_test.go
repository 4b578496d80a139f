package operations_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/internal/operations"
)

// program writes a shell script that is started in place of this program, and returns its path.
func program(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// recordRun returns a script that records a run of the collection with an end, and exits with a code.
func recordRun(dir, members, exit string) string {
	return `echo '{"begun":"2100-01-01T00:00:00Z","ended":"2100-01-01T00:00:01Z",` + members + `,"process":'$$'}' >> ` + filepath.Join(dir, "pools.dowse/log/sittings.jsonl") + "\nexit " + exit + "\n"
}

// ended returns the jobs when all of them have ended, the newest first.
func ended(t *testing.T, o *operations.Operations) []operations.Job {
	t.Helper()
	for {
		list, running := o.Jobs(), false
		for _, j := range list {
			running = running || j.State == operations.JobRunning
		}
		if !running {
			return list
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestFailedJobs checks that a crawl that did not begin has failed, whatever its exit code is, and so has one that could fetch
// no page. One that has fetched pages, none of them on topic, is done.
func TestFailedJobs(t *testing.T) {
	dir := copied(t)
	for _, x := range []struct{ script, want string }{
		{recordRun(dir, `"stop_reason":"exhausted","fetched":0`, "4"), operations.JobFailed},
		{recordRun(dir, `"stop_reason":"exhausted","fetched":9`, "6"), operations.JobDone},
	} {
		o := over(t, operations.Config{Dirs: []string{dir}, Executable: program(t, x.script)})
		if _, err := o.Continue(bg, "pools", nil); err != nil {
			t.Fatal(err)
		}
		if list := ended(t, o); list[0].State != x.want {
			t.Errorf("%s: got %+v, want %s", x.script, list[0], x.want)
		}
	}
	o := over(t, operations.Config{Dirs: []string{dir}, Executable: program(t, "exit 3\n")})
	if _, err := o.Start(bg, operations.StartRequest{Words: []string{"coral"}, Seeds: []string{"http://a.example/"}}); err == nil {
		t.Error("a crawl that did not begin was started")
	}
	if list := ended(t, o); len(list) != 1 || list[0].State != operations.JobFailed {
		t.Errorf("got %+v, want a job that failed", list)
	}
}

// TestNothingFetchedIsUnhealthy checks the health of crawls that ended because no link was left.
func TestNothingFetchedIsUnhealthy(t *testing.T) {
	st := &operations.Status{Balanced: true, DiskFree: -1}
	st.Stopped, st.Books.Failed = dowse.StopExhausted, 3
	if a := st.Ailment(time.Now()); a == nil || a.Name != operations.AilNothing {
		t.Errorf("without a page: %+v", a)
	}
	st.Fetched = 1
	if a := st.Ailment(time.Now()); a != nil {
		t.Errorf("with a page: %+v", a)
	}
}

// TestReasonsOfFailedStarts checks that the error of a start has what the process printed.
func TestReasonsOfFailedStarts(t *testing.T) {
	o := over(t, operations.Config{Dirs: []string{t.TempDir()}, Executable: program(t, "echo unknown experiment >&2\nexit 2\n")})
	if _, err := o.StartLab(bg, operations.LabRequest{Experiment: "nosuch"}); err == nil || !strings.Contains(err.Error(), "unknown experiment") {
		t.Errorf("got %v, want the reason", err)
	}
}

// TestAdviceOfFailedStarts checks that errors give no advice that can't be followed over HTTP.
func TestAdviceOfFailedStarts(t *testing.T) {
	o := over(t, operations.Config{Dirs: []string{t.TempDir()}, Executable: program(t, "echo 127.0.1.1 is a private address: add --allow-net 127.0.0.0/8\nexit 5\n")})
	_, err := o.Start(bg, operations.StartRequest{Words: []string{"coral"}, Seeds: []string{"http://a.example/"}})
	if err == nil || strings.Contains(err.Error(), "--") || !strings.Contains(err.Error(), "127.0.1.1 is a private address") {
		t.Errorf("a private address: %v", err)
	}
	if _, err := o.Start(bg, operations.StartRequest{}); err == nil || strings.Contains(err.Error(), "both") {
		t.Errorf("no topic: %v", err)
	}
}

// TestOutcomesOfJobs checks that a job keeps its state when the crawl is continued by another one.
func TestOutcomesOfJobs(t *testing.T) {
	dir := copied(t)
	o := over(t, operations.Config{Dirs: []string{dir}, Executable: program(t, recordRun(dir, `"stop_reason":"signal","fetched":7`, "3"))})
	for range 2 {
		if _, err := o.Continue(bg, "pools", nil); err != nil {
			t.Fatal(err)
		}
		ended(t, o)
	}
	for i, j := range ended(t, o) {
		if j.State != operations.JobPaused || j.Exit != 3 {
			t.Errorf("job %d: %s, exit code %d", i, j.State, j.Exit)
		}
	}
}

// TestEditTopic checks that an edit of the topic continues the crawl with an edited topic file, and that a topic that
// runs a program is refused.
func TestEditTopic(t *testing.T) {
	dir := copied(t)
	seen := filepath.Join(t.TempDir(), "seen")
	o := over(t, operations.Config{Dirs: []string{dir}, Executable: program(t, `echo "$@" > `+seen+`; cat pools.topic.yaml >> `+seen+"\n"+recordRun(dir, `"stop_reason":"pages","fetched":7`, "0"))})
	if _, err := o.EditTopic(bg, "pools", operations.TopicEdit{Boost: []string{"limpet"}, Ban: []string{"casino night"}}); err != nil {
		t.Fatal(err)
	}
	ended(t, o)
	text, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"crawl --no-progress --out=" + filepath.Join(dir, "pools.dowse") + " -- pools.topic.yaml", "  - hermit crab\n  - limpet\nnot:", "  - coupon\n  - casino night"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the process got no %q:\n%s", want, text)
		}
	}
	if _, err := over(t, operations.Config{Dirs: []string{dir}, ReadOnly: true}).EditTopic(bg, "pools", operations.TopicEdit{Boost: []string{"chiton"}}); operations.KindOf(err) != operations.Refused {
		t.Errorf("a server that only reads: %v", err)
	}
	file := filepath.Join(dir, "pools.dowse", "topic.yaml")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(old, "judge: {exec: [rm]}\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := o.EditTopic(bg, "pools", operations.TopicEdit{Boost: []string{"chiton"}}); operations.KindOf(err) != operations.Refused {
		t.Errorf("a topic that runs a program: %v", err)
	}
}
