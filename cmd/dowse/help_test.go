package main

import (
	"bytes"
	"context"
	"os"
	"slices"
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
	return noEnv(name)
}

func commandsOf(t *testing.T) (paths [][]string) {
	t.Helper()
	w := &world{out: &bytes.Buffer{}, err: &bytes.Buffer{}, env: noEnv}
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

// TestHelpOfEveryCommand checks that every command has help of at most 80 columns, with
// an example, and that dowse help prints the same.
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

// TestStopMeansIsComplete checks that every stop reason has a meaning to print.
func TestStopMeansIsComplete(t *testing.T) {
	for _, r := range []dowse.StopReason{
		dowse.StopPages, dowse.StopBytes, dowse.StopTime, dowse.StopOnTopic, dowse.StopExhausted, dowse.StopDriedUp, dowse.StopRecall,
		dowse.StopStarved, dowse.StopNetwork, dowse.StopDisk, dowse.StopMemory, dowse.StopSignal, dowse.StopError,
	} {
		if stopMeans[r] == "" {
			t.Errorf("stopMeans has no meaning of %q", r)
		}
	}
}

// TestUnknownHelp checks that an unknown topic is an error that names the list.
func TestUnknownHelp(t *testing.T) {
	code, out, errs := capture(t, "help", "nothing-like-it")
	if code != exitUsage || out != "" || !strings.Contains(errs, "dowse help topics") {
		t.Errorf("code %d, stdout %q, stderr %q", code, out, errs)
	}
}

// TestEnvironmentVariables checks the allow-list of variables: settings reach nested
// commands too, and flags that ask for a single action have none.
func TestEnvironmentVariables(t *testing.T) {
	w := &world{out: &bytes.Buffer{}, err: &bytes.Buffer{}, env: noEnv}
	parser, err := newParser(&cli{}, w, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]envVar{}
	for _, v := range envVars(parser.Model.Node) {
		known[v.name] = v
	}
	if got := known["DOWSE_CONTACT"].commands; !slices.Contains(got, "crawl") || !slices.Contains(got, "topic check") {
		t.Errorf("DOWSE_CONTACT is read by %q, want crawl and topic check among them", got)
	}
	for _, name := range []string{noVar, "DOWSE_CRAWL_HELP_ALL", "DOWSE_CRAWL_RETRY", "DOWSE_CRAWL_DRY_RUN", "DOWSE_CRAWL_FRESH", "DOWSE_CRAWL_TRUST"} {
		if v, ok := known[name]; ok {
			t.Errorf("%s sets %s, want no such variable", name, v.sets())
		}
	}
}

// TestEnvHint suggests a variable only for a name that is like it.
func TestEnvHint(t *testing.T) {
	known := []string{"contact", "crawl_pages", "crawl_trace", "crawl_train"}
	for name, want := range map[string]string{
		"contcat": "did you mean DOWSE_CONTACT?", "pages": "did you mean DOWSE_CRAWL_PAGES?", "pagse": "did you mean DOWSE_CRAWL_PAGES?",
		"crawl_pagse": "did you mean DOWSE_CRAWL_PAGES?", "force": "see dowse help env", "json": "see dowse help env",
	} {
		if got := envHint(name, known); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
