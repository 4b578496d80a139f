// Command skips runs "go test -json" and prints its results as "go test" would,
// followed by every test that was skipped and the reason. A test that is
// skipped without being listed in allowed.txt makes the command fail if
// CI=true, so that a green run means that the tests ran: many tests need files
// that are not in the repository, and without this command a run that skips all
// of them looks like a run that passes.
//
// Tests that need the material of others, in a folder named shared next to the
// checkout, are listed with a reason that begins with "shareddata:". They may be
// skipped only where there is no such folder, as in a clone elsewhere.
//
//	go run ./internal/skips -timeout 30m ./...
//
// The exit status is 1 if a test fails, if the output cannot be read, or if
// CI=true and a skipped test is not listed. Skips of "go test -short" need not
// be listed.
package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// allowedList has one test per line: its package, its name and why it may be
// skipped.
//
//go:embed allowed.txt
var allowedList string

func main() {
	cmd := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "skips:", err)
		os.Exit(1)
	}
	r := results{out: os.Stdout, lines: map[string][]string{}}
	readErr := r.read(out)
	testErr := cmd.Wait()
	_, err = os.Stat("../shared") // the command runs in the root of the module
	unlisted := r.report(parseAllowed(allowedList, err != nil))
	switch {
	case readErr != nil:
		fmt.Fprintln(os.Stderr, "skips:", readErr)
		os.Exit(1)
	case testErr != nil:
		os.Exit(1)
	case unlisted > 0 && os.Getenv("CI") == "true":
		fmt.Fprintf(os.Stderr, "skips: %d tests were skipped that are not in internal/skips/allowed.txt\n", unlisted)
		os.Exit(1)
	}
}

// event is one line of "go test -json".
type event struct {
	Action, Package, Test, Output string
}

// results collects what a run of tests printed.
type results struct {
	out     io.Writer
	lines   map[string][]string // output of the tests that are running
	skipped []skip
}

// A skip is a test that did not run.
type skip struct{ name, reason string }

// read copies the output of packages and of tests that fail, and collects
// skips.
func (r *results) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(r.out, lines.Text()) // a build error
			continue
		}
		r.take(e)
	}
	return lines.Err()
}

// take handles one event. The output of a test is kept until it ends, and
// printed only if it fails, as "go test" does.
func (r *results) take(e event) {
	name := e.Package + " " + e.Test
	switch {
	case e.Test == "" && (e.Action == "output" || e.Action == "build-output"):
		if e.Output != "PASS\n" {
			fmt.Fprint(r.out, e.Output)
		}
	case e.Action == "output":
		r.lines[name] = append(r.lines[name], e.Output)
	case e.Action == "skip" && e.Test != "":
		r.skipped = append(r.skipped, skip{name, reason(r.lines[name])})
		delete(r.lines, name)
	case e.Action == "fail" && e.Test != "":
		fmt.Fprint(r.out, strings.Join(r.lines[name], ""))
		delete(r.lines, name)
	case e.Action == "pass":
		delete(r.lines, name)
	}
}

// reason returns the last message that a test printed before it was skipped,
// without its file and line.
func reason(lines []string) string {
	for _, l := range slices.Backward(lines) {
		l = strings.TrimSpace(l)
		if l != "" && !strings.HasPrefix(l, "---") && !strings.HasPrefix(l, "===") {
			if _, message, ok := strings.Cut(l, ".go:"); ok {
				_, l, _ = strings.Cut(message, ": ")
			}
			return l
		}
	}
	return "no reason given"
}

// report prints the skipped tests and returns how many of them are not allowed.
func (r *results) report(allowed map[string]string) (unlisted int) {
	for _, s := range r.skipped {
		why, ok := allowed[s.name]
		switch {
		case ok:
			fmt.Fprintf(r.out, "skipped  %s: %s\n", s.name, why)
		case strings.HasPrefix(s.reason, "short: "), strings.Contains(s.reason, "[short] skip"):
			fmt.Fprintf(r.out, "skipped  %s: %s\n", s.name, s.reason)
		default:
			unlisted++
			fmt.Fprintf(r.out, "SKIPPED  %s: %s (not in internal/skips/allowed.txt)\n", s.name, s.reason)
		}
	}
	return unlisted
}

// parseAllowed reads lines of a package, a test and the reason for skipping it. A
// reason that begins with "shareddata:" counts only if alone is set: the checkout has
// no material of others next to it.
func parseAllowed(list string, alone bool) map[string]string {
	allowed := map[string]string{}
	for line := range strings.Lines(list) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(fields) != 3 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if alone || !strings.HasPrefix(fields[2], "shareddata:") {
			allowed[fields[0]+" "+fields[1]] = fields[2]
		}
	}
	return allowed
}
