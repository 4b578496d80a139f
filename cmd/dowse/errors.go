package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"dowse/internal/text"
	"dowse/settings"
)

// An errorLine is an error as scripts read it, of schema error/v1. It is printed on
// stderr by commands with --json:
//
//	{"schema":"error/v1","error":{"code":"usage","message":"…","hint":"…"}}
type errorLine struct {
	Schema string      `json:"schema"`
	Error  errorFields `json:"error"`
}

// errorFields are the members of an error in JSON.
type errorFields struct {
	Code    string `json:"code" doc:"the name of the exit code; dowse help exit-codes lists them"`
	Message string `json:"message" doc:"what is wrong"`
	Hint    string `json:"hint,omitempty" doc:"what to do"`
}

// wantsJSON reports whether the arguments ask for JSON. It looks at the arguments as
// typed, since errors of the parser must be JSON too, and the parser has not filled any
// field when it fails.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// printError prints an error: one line for people or, with --json, one object for scripts.
// An error without a text gets the meaning of its exit code as its message.
func (w *world) printError(code int, message, hint string) {
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

// usageError turns an error of the parser into one that states the problem and what to
// do: the nearest name, or the help of the command. An error that ends with a question
// ("did you mean --pages?") says already what to do.
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

// Messages of the parser (kong) that are reworded by parseProblem.
var (
	wrongArgument = regexp.MustCompile(`^unexpected argument (.*?)(?:, did you mean .*)?$`)
	wrongEnum     = regexp.MustCompile(`^(\S+) must be one of (.*) but got "(.*)"$`)
	wrongNumber   = regexp.MustCompile(`^(--\S+): expected (?:int|uint|float|duration|string|count|share|time|size)\S* value but got "(-.*)" \(short flag\)`)
	wrongDuration = regexp.MustCompile(`^(--\S+): expected duration but got "(.*?)"`)
	missing       = regexp.MustCompile(`^expected "<(.*?)>.*"$`)
	missingOneOf  = regexp.MustCompile(`^expected one of (.*)$`)
	missingFlags  = regexp.MustCompile(`^missing flags: (.*)$`)
	needsValue    = regexp.MustCompile(`^(--\S+): missing value, expecting "(.*)"`)
)

// parseProblem puts a message of the parser into the words of dowse: the flag or
// argument, what was given, and what is wanted. The parser has no typed errors, so its
// messages are recognised by patterns. A message that no pattern matches is returned
// almost as it is; it is then less pretty, but never wrong.
func parseProblem(s string, ctx *kong.Context, at *kong.Node) string {
	if m := wrongArgument.FindStringSubmatch(s); m != nil {
		return wrongCommand(m[1], ctx, at)
	}
	if m := wrongEnum.FindStringSubmatch(s); m != nil {
		return fmt.Sprintf("%s: got %q, want %s", m[1], m[3], orList(m[2]))
	}
	if m := wrongNumber.FindStringSubmatch(s); m != nil {
		return fmt.Sprintf("%s: got %s, want %s", m[1], m[2], wantedNumber(m[1], m[2], at))
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
	if m := missingFlags.FindStringSubmatch(s); m != nil {
		return "missing: " + strings.ReplaceAll(m[1], "=", " ")
	}
	if m := needsValue.FindStringSubmatch(s); m != nil {
		return fmt.Sprintf("%s: the value is missing", m[1])
	}
	return strings.Replace(s, ", did you mean ", "; did you mean ", 1)
}

// wantedNumber returns which numbers a flag of a command takes. Flags of settings know it, and others have it in their tag
// least, if it is not 0.
func wantedNumber(flag, got string, at *kong.Node) string {
	if at != nil {
		for _, f := range at.Flags {
			if least := f.Tag.Get("least"); "--"+f.Name == flag && least != "" {
				return "at least " + least
			}
		}
	}
	var wrong *settings.Error
	if f, ok := settings.ByFlag(strings.TrimPrefix(flag, "--")); ok && f.Kind == settings.Count {
		if _, err := f.Read(got); errors.As(err, &wrong) {
			return wrong.Want
		}
	}
	return "0 or more"
}

// wrongCommand returns the problem with an unexpected argument: an unknown command, or
// one argument too many.
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
	s := fmt.Sprintf("unknown command %q", strings.TrimPrefix(strings.TrimPrefix(commandPath(at)+" "+arg, "dowse"), " "))
	if best := text.Nearest(arg, names); best != "" {
		s += fmt.Sprintf("; did you mean %q?", best)
	}
	return s
}

// childList returns the subcommands of a command, as "a, b or c".
func childList(n *kong.Node) string {
	var names []string
	for _, c := range n.Children {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return joinOr(names)
}

// orList turns the values of an enum flag, quoted and separated by commas, into "a, b or
// c".
func orList(values string) string {
	var names []string
	for v := range strings.SplitSeq(values, ",") {
		if v = strings.Trim(v, `"`); v != "" {
			names = append(names, v)
		}
	}
	return joinOr(names)
}

// joinOr joins a list as "a, b or c".
func joinOr(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
