package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"dowse/internal/text"
)

// packageNames begin errors of the packages below. They help who reads the code, and
// mean nothing to who types commands.
var packageNames = regexp.MustCompile(`(^|: |; |\n)(?:archive|collection|crawl|crawler|directory|durable|experiment|fetch|frontier|measure|outside|predicate|report|sitetrial|weburl): `)

// repeated finds a URL that an error names twice: "x": parse "x": problem.
var repeated = regexp.MustCompile(`parse ("(?:[^"\\]|\\.)*"): `)

// plainError is an error as people read it: without the names of packages, and
// without the same words twice in a row.
func plainError(err error) string {
	s := err.Error()
	for {
		next := packageNames.ReplaceAllString(s, "$1")
		if next == s {
			break
		}
		s = next
	}
	for _, m := range repeated.FindAllStringSubmatch(s, -1) {
		if strings.Count(s, m[1]) > 1 {
			s = strings.Replace(s, m[0], "", 1)
		}
	}
	return onceOnlyParts(s)
}

// onceOnlyParts drops a part of a message that says what the part before it said.
func onceOnlyParts(s string) string {
	parts := strings.Split(s, "; ")
	return strings.Join(slices.Compact(parts), "; ")
}

// An errorLine is an error as scripts read it, of schema error/v1.
type errorLine struct {
	Schema string      `json:"schema"`
	Error  errorFields `json:"error"`
}

type errorFields struct {
	Code    string `json:"code" doc:"the name of the exit code; dowse help exit-codes lists them"`
	Message string `json:"message" doc:"what is wrong"`
	Hint    string `json:"hint,omitempty" doc:"what to do"`
}

// wantsJSON reports whether the arguments ask for JSON.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// sayError prints an error: a line for people, with --json an object for scripts.
func (w *world) sayError(code int, message, hint string) {
	if wantsJSON(w.args) {
		e := exitCodeOf(code)
		_ = jsonLine(w.err, errorLine{errorSchema, errorFields{e.name, orDefault(message, e.means), strings.TrimSpace(hint)}})
		return
	}
	if message != "" {
		fmt.Fprintln(w.err, "dowse:", printable(message))
	}
	fmt.Fprint(w.err, hint)
}

// usageError makes an error of the parser one that says what is wrong and what to do.
func usageError(err error) error {
	var pe *kong.ParseError
	if !errors.As(err, &pe) {
		return usage("%w", err)
	}
	var at *kong.Node
	if pe.Context != nil {
		at = pe.Context.Selected()
	}
	problem := parseProblem(err.Error(), pe.Context, at)
	if strings.HasSuffix(problem, "?") { // it says already what to do
		return usage("%s", problem)
	}
	return usage("%s; see %s --help", problem, commandPath(at))
}

var (
	wrongArgument = regexp.MustCompile(`^unexpected argument (.*?)(?:, did you mean .*)?$`)
	wrongEnum     = regexp.MustCompile(`^(\S+) must be one of (.*) but got "(.*)"$`)
	wrongNumber   = regexp.MustCompile(`^(--\S+): expected (?:int|uint|float|duration|string|count|share|time|size)\S* value but got "(-.*)" \(short flag\)`)
	wrongDuration = regexp.MustCompile(`^(--\S+): expected duration but got "(.*?)"`)
	missing       = regexp.MustCompile(`^expected "<(.*?)>.*"$`)
	missingOneOf  = regexp.MustCompile(`^expected one of (.*)$`)
	needsValue    = regexp.MustCompile(`^(--\S+): missing value, expecting "(.*)"`)
)

// parseProblem puts a message of the parser into the words of dowse.
func parseProblem(s string, ctx *kong.Context, at *kong.Node) string {
	if m := wrongArgument.FindStringSubmatch(s); m != nil {
		return wrongCommand(m[1], ctx, at)
	}
	if m := wrongEnum.FindStringSubmatch(s); m != nil {
		return fmt.Sprintf("%s: got %q, want %s", m[1], m[3], orList(m[2]))
	}
	if m := wrongNumber.FindStringSubmatch(s); m != nil {
		return fmt.Sprintf("%s: got %s, want 0 or more", m[1], m[2])
	}
	if m := wrongDuration.FindStringSubmatch(s); m != nil {
		return fmt.Sprintf("%s: got %q, want a time with its unit (e.g. 90s, 2h)", m[1], m[2])
	}
	if m := missing.FindStringSubmatch(s); m != nil {
		return fmt.Sprintf("missing argument: %s", m[1])
	}
	if m := missingOneOf.FindStringSubmatch(s); m != nil && at != nil {
		return fmt.Sprintf("missing command after %s: want %s", commandPath(at), childList(at))
	}
	if m := needsValue.FindStringSubmatch(s); m != nil {
		return fmt.Sprintf("%s: the value is missing", m[1])
	}
	return strings.Replace(s, ", did you mean ", "; did you mean ", 1)
}

// wrongCommand says that there is no such command, or that an argument is one too many.
func wrongCommand(arg string, ctx *kong.Context, at *kong.Node) string {
	if at == nil && ctx != nil {
		at = ctx.Model.Node
	}
	if at == nil || len(at.Children) == 0 {
		return fmt.Sprintf("unexpected argument %q", arg)
	}
	var names []string
	for _, c := range at.Children {
		names = append(names, c.Name)
	}
	s := fmt.Sprintf("there is no command %q", strings.TrimPrefix(strings.TrimPrefix(commandPath(at)+" "+arg, "dowse"), " "))
	if best := text.Nearest(arg, names); best != "" {
		s += fmt.Sprintf("; did you mean %q?", best)
	}
	return s
}

func childList(n *kong.Node) string {
	var names []string
	for _, c := range n.Children {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return joinOr(names)
}

// orList writes the values of a flag, quoted and with commas between, as a, b or c.
func orList(values string) string {
	var names []string
	for v := range strings.SplitSeq(values, ",") {
		if v = strings.Trim(v, `"`); v != "" {
			names = append(names, v)
		}
	}
	return joinOr(names)
}

// joinOr writes a list as a, b or c.
func joinOr(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
