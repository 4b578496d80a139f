package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"dowse"
)

// capture runs the command line in this process.
func capture(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	w := &world{out: &o, err: &e, in: strings.NewReader(""), env: homeOnly, ctx: context.Background(), abort: context.Background()}
	code = run(w, args)
	return code, o.String(), e.String()
}

// homeOnly is an environment that has nothing but the home of the tests.
func homeOnly(name string) string {
	if name == "HOME" {
		return os.Getenv(name)
	}
	return ""
}

func commandsOf(t *testing.T) (paths [][]string) {
	t.Helper()
	w := &world{out: &bytes.Buffer{}, err: &bytes.Buffer{}, env: func(string) string { return "" }}
	parser, err := newParser(&cli{}, w, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	var walk func(n *kong.Node, path []string)
	walk = func(n *kong.Node, path []string) {
		for _, c := range n.Children {
			p := append(append([]string{}, path...), c.Name)
			paths = append(paths, p)
			walk(c, p)
		}
	}
	walk(parser.Model.Node, nil)
	return paths
}

// Every command has help of at most 80 columns, with an example.
func TestHelpOfEveryCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	commands := commandsOf(t)
	if len(commands) < 17 {
		t.Fatalf("only %d commands", len(commands))
	}
	for _, path := range commands {
		name := strings.Join(path, " ")
		t.Run(name, func(t *testing.T) {
			code, out, errs := capture(t, append(path, "--help")...)
			if code != exitOK || errs != "" {
				t.Fatalf("code %d, stderr %q", code, errs)
			}
			if !strings.Contains(out, "Example") || !strings.Contains(out, "  dowse "+path[0]) {
				t.Errorf("no example in\n%s", out)
			}
			narrow(t, out)
			if _, again, _ := capture(t, append([]string{"help"}, path...)...); again != out && name != "judge" {
				t.Errorf("dowse help %s differs from dowse %s --help", name, name)
			}
		})
	}
}

func narrow(t *testing.T, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}

func TestHelpTopics(t *testing.T) {
	for _, topic := range helpTopics() {
		code, out, errs := capture(t, "help", topic.name)
		if code != exitOK || errs != "" || out == "" {
			t.Errorf("help %s: code %d, stderr %q, stdout %q", topic.name, code, errs, out)
		}
		narrow(t, out)
	}
	_, out, _ := capture(t)
	narrow(t, out)
	_, out, _ = capture(t, "help")
	narrow(t, out)
	for _, path := range commandsOf(t) {
		if len(path) == 1 && !strings.Contains(out, "\n  "+path[0]+" ") {
			t.Errorf("dowse help does not list %s", path[0])
		}
	}
}

// Every stop reason means something to people.
func TestStopMeansIsComplete(t *testing.T) {
	for _, r := range []dowse.StopReason{
		dowse.StopPages, dowse.StopBytes, dowse.StopTime, dowse.StopOnTopic, dowse.StopExhausted, dowse.StopDriedUp, dowse.StopRecall,
		dowse.StopStarved, dowse.StopNetwork, dowse.StopDisk, dowse.StopMemory, dowse.StopSignal, dowse.StopError,
	} {
		if stopMeans[r] == "" {
			t.Errorf("nobody says what %q means", r)
		}
	}
}

// A topic named like a command leads to the topic, and the command has --help.
func TestUnknownHelp(t *testing.T) {
	code, out, errs := capture(t, "help", "nothing-like-it")
	if code != exitUsage || out != "" || !strings.Contains(errs, "dowse help topics") {
		t.Errorf("code %d, stdout %q, stderr %q", code, out, errs)
	}
}
