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
//	go run ./internal/skips -as unit -timeout 30m ./...
//
// The results of a package are printed in one piece when its tests end, after the name
// that -as gives to the run: several runs can print to one terminal. A run ends with
// the tests that took longest.
//
// The exit status is 1 if a test fails, if the output cannot be read, or if
// CI=true and a skipped test is not listed. Skips of "go test -short" need not
// be listed.
package main

import (
	"bufio"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
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
	as, args := name(os.Args[1:])
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "skips:", err)
		os.Exit(1)
	}
	r := newResults(os.Stdout, as)
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

// name returns the name of a run, "" for none, and the arguments of "go test".
func name(args []string) (as string, rest []string) {
	if len(args) > 1 && args[0] == "-as" {
		return args[1] + ": ", args[2:]
	}
	return "", args
}

// event is one line of "go test -json".
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

// results collects what a run of tests printed.
type results struct {
	out      io.Writer
	as       string              // begins the lines of packages and skips
	lines    map[string][]string // output of the tests that are running
	packages map[string]string   // output of the packages that are running
	skipped  []skip
	slow     []duration
}

func newResults(out io.Writer, as string) *results {
	return &results{out: out, as: as, lines: map[string][]string{}, packages: map[string]string{}}
}

// A skip is a test that did not run.
type skip struct{ pkg, test, reason string }

// A duration is how long a test took.
type duration struct {
	name    string
	seconds float64
}

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

// take handles one event. The output of a test is kept until it ends, and printed only
// if it fails, as "go test" does. What is printed of a package waits for its end, so that
// packages whose tests run concurrently do not mix.
func (r *results) take(e event) {
	name := e.Package + " " + e.Test
	switch {
	case e.Action == "build-output":
		fmt.Fprint(r.out, e.Output)
	case e.Test == "" && e.Action == "output":
		if e.Output != "PASS\n" {
			r.packages[e.Package] += r.as + e.Output
		}
	case e.Test == "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
		r.flush(e.Package)
	case e.Action == "output":
		r.lines[name] = append(r.lines[name], e.Output)
	case e.Action == "skip":
		r.skipped = append(r.skipped, skip{e.Package, e.Test, reason(r.lines[name])})
		delete(r.lines, name)
	case e.Action == "fail":
		r.packages[e.Package] += strings.Join(r.lines[name], "")
		fallthrough
	case e.Action == "pass":
		delete(r.lines, name)
		if !strings.Contains(e.Test, "/") {
			r.slow = append(r.slow, duration{name, e.Elapsed})
		}
	}
}

// flush prints what a package has printed, in one piece.
func (r *results) flush(pkg string) {
	io.WriteString(r.out, r.packages[pkg])
	delete(r.packages, pkg)
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

// report prints the slowest tests and the skipped ones, and returns how many of those are
// not allowed. Skips of short runs have one line per package and reason.
func (r *results) report(allowed map[string]string) (unlisted int) {
	for _, pkg := range slices.Sorted(maps.Keys(r.packages)) {
		r.flush(pkg)
	}
	var text strings.Builder
	r.slowest(&text)
	short := map[string][]string{}
	for _, s := range r.skipped {
		why, ok := allowed[s.pkg+" "+s.test]
		switch {
		case ok:
			fmt.Fprintf(&text, "%sskipped  %s %s: %s\n", r.as, s.pkg, s.test, why)
		case strings.HasPrefix(s.reason, "short: "), strings.Contains(s.reason, "[short] skip"):
			key := s.pkg + ": " + s.reason
			short[key] = append(short[key], s.test)
		default:
			unlisted++
			fmt.Fprintf(&text, "%sSKIPPED  %s %s: %s (not in internal/skips/allowed.txt)\n", r.as, s.pkg, s.test, s.reason)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(short)) {
		fmt.Fprintf(&text, "%sskipped  %s: %s\n", r.as, key, strings.Join(short[key], " "))
	}
	io.WriteString(r.out, text.String())
	return unlisted
}

// A test of this many seconds or more is named at the end, if it is one of the slowest.
const slowTest, slowTests = 5, 15

// slowest prints the tests that took longest.
func (r *results) slowest(out io.Writer) {
	slices.SortStableFunc(r.slow, func(a, b duration) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, d := range r.slow[:min(len(r.slow), slowTests)] {
		if d.seconds >= slowTest {
			fmt.Fprintf(out, "%sslow  %.0f s  %s\n", r.as, d.seconds, d.name)
		}
	}
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
