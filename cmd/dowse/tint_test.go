package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
)

// A fakeTerminal is an output with a width that the test chooses.
type fakeTerminal struct {
	bytes.Buffer
	wide   int
	colour bool
}

func (f *fakeTerminal) columns() int   { return f.wide }
func (f *fakeTerminal) coloured() bool { return f.colour }

const (
	longTitle = "Everything there is to know of the bleaching of corals on the outer reefs in summer"
	longURL   = "http://reefs.example/a/long/way/to/go/in/the/archive/of/the/institute/2026/bleaching-of-corals.html"
)

func pagesOn(t *testing.T, w *world) string {
	t.Helper()
	print, err := (&pagesCmd{}).printer(w)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	row := &collection.Row{Page: &dowse.Page{URL: longURL, Document: dowse.Document{Title: longTitle}, Verdict: dowse.Verdict{Relevance: 0.91}}, Judged: true, Threshold: 0.5}
	if err := print(&b, row); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A list fits a terminal of any width, and URLs keep their end there; in a pipe nothing
// is cut.
func TestPagesFitTheTerminal(t *testing.T) {
	for _, wide := range []int{80, 100, 130, 300} {
		line := strings.TrimSuffix(pagesOn(t, &world{out: &fakeTerminal{wide: wide}}), "\n")
		if n := len([]rune(line)); n > wide {
			t.Errorf("%d columns on a terminal of %d: %q", n, wide, line)
		}
		if !strings.HasSuffix(line, "corals.html") || !strings.Contains(line, "reefs.example") {
			t.Errorf("the URL has lost an end at %d columns: %q", wide, line)
		}
		if whole := strings.Contains(line, longTitle); whole != (wide == 300) {
			t.Errorf("whole title %v at %d columns: %q", whole, wide, line)
		}
	}
	if line := pagesOn(t, &world{out: &bytes.Buffer{}}); !strings.Contains(line, longTitle) || !strings.Contains(line, longURL) || strings.Contains(line, "…") {
		t.Errorf("cut in a pipe: %q", line)
	}
}

// Verdicts have colours on a terminal that has some, and only there.
func TestColoursOnTerminalsOnly(t *testing.T) {
	for _, c := range []struct {
		out  *fakeTerminal
		want bool
	}{{&fakeTerminal{wide: 100, colour: true}, true}, {&fakeTerminal{wide: 100}, false}} {
		if line := pagesOn(t, &world{out: c.out}); strings.Contains(line, green+"on"+noColour) != c.want || strings.Contains(line, "\x1b") != c.want {
			t.Errorf("colours %v: %q", c.want, line)
		}
	}
	for _, c := range []struct {
		tty           bool
		noColor, term string
		want          bool
	}{{true, "", "xterm", true}, {false, "", "xterm", false}, {true, "1", "xterm", false}, {true, "", "dumb", false}} {
		env := func(name string) string { return map[string]string{"NO_COLOR": c.noColor, "TERM": c.term}[name] }
		if got := useColours(c.tty, env); got != c.want {
			t.Errorf("tty %v, NO_COLOR=%q, TERM=%q: colours %v", c.tty, c.noColor, c.term, got)
		}
	}
}

func TestFitMiddle(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{{"abcdefghij", 10, "abcdefghij"}, {"abcdefghij", 7, "abc…hij"}, {"abcdefghij", 6, "ab…hij"}, {"äöüßéè", 5, "äö…éè"}, {"abcdef", 2, "a…"}} {
		if got := fitMiddle(c.s, c.n); got != c.want {
			t.Errorf("fitMiddle(%q, %d) = %q, want %q", c.s, c.n, got, c.want)
		}
	}
}

// A sheet wraps at the terminal's width, and is cut nowhere else.
func TestSheetFitsTheTerminal(t *testing.T) {
	text := strings.Repeat("reef ", 60)
	for _, wide := range []int{60, 120} {
		s := sheetFor(&fakeTerminal{wide: wide})
		s.text("detail", text)
		s.field("title", "%s", text)
		for _, l := range s.lines {
			if n := len([]rune(l)); n > wide {
				t.Errorf("%d columns on a terminal of %d: %q", n, wide, l)
			}
		}
		if len(s.lines[0]) < wide-10 {
			t.Errorf("a terminal of %d columns is not used: %q", wide, s.lines[0])
		}
	}
	s := sheetFor(&bytes.Buffer{})
	s.field("title", "%s", text)
	if !strings.Contains(s.lines[0], strings.TrimSpace(text)) {
		t.Errorf("cut in a pipe: %q", s.lines[0])
	}
}

// With --json an error is one JSON object on stderr, whose code is the exit code's name.
func TestErrorsAsJSON(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"status", "nothere", "--json"}, exitUsage, `{"schema":"error/v1","error":{"code":"usage","message":"nothere is not a collection"}}`},
		{[]string{"pages", "--json"}, exitUsage, `{"schema":"error/v1","error":{"code":"usage","message":"missing argument: dir; see dowse pages --help"}}`},
		{[]string{"fetch", "http://127.0.0.1:1/", "--json"}, exitForbidden, `{"schema":"error/v1","error":{"code":"forbidden","message":"127.0.0.1 is a private address: add --allow-net 127.0.0.0/8"}}`},
		{[]string{"fetch", "http://example.org/", "--json"}, exitForbidden, `{"schema":"error/v1","error":{"code":"forbidden","message":"no contact given: sites must be able to reach you","hint":"Set once:\n`},
	} {
		code, out, errs := capture(t, c.args...)
		if code != c.code || out != "" || !strings.HasPrefix(errs, strings.ReplaceAll(c.want, "\n", `\n`)) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: code %d, stdout %q, stderr %q, want %q", c.args, code, out, errs, c.want)
		}
	}
}

// Errors of the command line name the thing, the problem and what is wanted.
func TestErrorsInPlainWords(t *testing.T) {
	for args, want := range map[string]string{
		"xyzzy":                              `unknown command "xyzzy"; see dowse --help`,
		"sreve":                              `unknown command "sreve"; did you mean "serve"?`,
		"crwl x":                             `unknown command "crwl"; did you mean "crawl"?`,
		"lab rnu":                            `unknown command "lab rnu"; did you mean "run"?`,
		"crawl x --pages -5":                 `--pages: got -5, want 0 or more; see dowse crawl --help`,
		"crawl x --pages=-5":                 `--pages: got -5, want 0 or more; see dowse crawl --help`,
		"crawl x --requisites-per-page -1":   `--requisites-per-page: got -1, want 1 or more; see dowse crawl --help`,
		"crawl x --requisites-per-page 0":    `--requisites-per-page: got 0, want 1 or more; see dowse crawl --help`,
		"export x y.jsonl --text maybe":      `--text: got "maybe", want main, all or none; see dowse export --help`,
		"export x y.jsonl --text=maybe":      `--text: got "maybe", want main, all or none; see dowse export --help`,
		"crawl x --print foo":                `--print: got "foo", want url or jsonl; see dowse crawl --help`,
		"crawl x --time 5":                   `--time: got "5", want a time with its unit (e.g. 90s, 2h); see dowse crawl --help`,
		"crawl x --strategy shrk":            `--strategy: unknown strategy "shrk"; did you mean "shark"?`,
		"crawl x --seed foo:bar":             `seed "foo:bar": the scheme is not http or https`,
		"crawl x --seed http://127.0.0.1:9/": `127.0.0.1 is a private address: add --allow-net 127.0.0.0/8`,
		"crawl x --seed http://192.168.1.7/": `192.168.1.7 is a private address: add --allow-net 192.168.0.0/16`,
		"crawl x --seed http://[::1]/":       `::1 is a private address: add --allow-net ::1`,
		"crawl":                              `nothing to crawl: give a collection, a topic file or words`,
		"col":                                `missing command after dowse collection: want info, verify, copy, import, merge or salvage; see dowse collection --help`,
		"help strategies shrk":               `unknown strategy "shrk"; did you mean "shark"?; see dowse help strategies`,
	} {
		code, _, errs := capture(t, strings.Fields(args)...)
		if code == exitOK || errs != "dowse: "+want+"\n" {
			t.Errorf("dowse %s: code %d, stderr %q, want %q", args, code, errs, want)
		}
	}
}

// crawl --help has the fifteen usual flags, --help-all has all of them, and defaults
// stand at the end of a flag's help.
func TestHelpOfCrawl(t *testing.T) {
	_, usual, _ := capture(t, "crawl", "--help")
	code, all, errs := capture(t, "crawl", "--help-all")
	if code != exitOK || errs != "" {
		t.Fatalf("code %d, stderr %q", code, errs)
	}
	narrow(t, all)
	if n := strings.Count(usual, "  --") - strings.Count(usual, "  --help") + strings.Count(usual, ", --") - strings.Count(usual, ", --help"); n != 15 {
		t.Errorf("%d flags in\n%s", n, usual)
	}
	w := &world{out: &bytes.Buffer{}, err: &bytes.Buffer{}, env: homeOnly, ctx: context.Background()}
	p, err := newParser(&cli{}, w, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range find(p.Model.Node, []string{"crawl"}).Flags {
		if !strings.Contains(all, "--"+f.Name) {
			t.Errorf("--help-all lacks --%s", f.Name)
		}
	}
	flat := strings.Join(strings.Fields(all), " ")
	for _, want := range []string{"--time DUR Stop after", "Pause between two requests to a host (default 1s)", "Concurrent requests in all (default 64)"} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
}
