package measure

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"dowse/internal/text"
)

// A Mistake is an error in a claim or a measure that a person wrote: the column,
// the problem, and what to do.
type Mistake struct {
	Text    string // the claim or measure, without surrounding space
	Column  int    // of the problem, in characters, from 1
	Problem string
	Fix     string
}

// Error returns column, problem and advice in one line.
func (e *Mistake) Error() string {
	return fmt.Sprintf("column %d: %s; %s", e.Column, e.Problem, e.Fix)
}

// Marked returns the text and, on a second line, a caret below the column.
func (e *Mistake) Marked() string {
	line := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, e.Text)
	return line + "\n" + strings.Repeat(" ", e.Column-1) + "^"
}

// A flaw is a Mistake before it is known in which text it is: its offset is
// relative to the part that is being parsed.
type flaw struct {
	at      int // bytes
	problem string
	fix     string
}

// from returns the flaw relative to the text that contains the part at an offset.
func (f *flaw) from(at int) *flaw { return &flaw{f.at + at, f.problem, f.fix} }

// placed turns a flaw into a Mistake; bytes become characters, and leading space
// is skipped.
func (f *flaw) placed(text string) *Mistake {
	at := min(f.at, len(text))
	at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\n"))
	return &Mistake{Text: text, Column: 1 + utf8.RuneCountInString(text[:at]), Problem: f.problem, Fix: f.fix}
}

const (
	claimsHelp = "see docs/measures.md for claims"
	conditions = "use p < .05, p(t) < .05, within .02, throughout, or at 5%..20%"
)

// termFlaw finds out what is wrong with a term that can't be parsed: the measure
// if there seems to be one, an unknown condition after it, or all of it.
func termFlaw(s string, at int) *flaw {
	if s == "" {
		return &flaw{at, "a side of the comparison is missing", "write STRATEGY.MEASURE or a number"}
	}
	for i := range len(s) {
		if s[i] != ',' {
			continue
		}
		if _, wrong := parseTerm(s[:i], at); wrong == nil {
			return &flaw{at + i + 1, fmt.Sprintf("%.40q is not a condition", strings.TrimSpace(s[i+1:])), conditions}
		}
	}
	dot := measureDot(s)
	if dot < 0 {
		return &flaw{at, fmt.Sprintf("%.40q is neither a number nor a strategy's measure", s), "write STRATEGY.MEASURE, as otie.recall@end; a name with spaces or operators in quotes"}
	}
	if _, wrong := parse(s[dot+1:]); wrong != nil {
		return wrong.from(at + dot + 1)
	}
	return &flaw{at, fmt.Sprintf("%.40q is not a term", s), claimsHelp}
}

// measureDot returns the dot after which the writer probably meant a measure: the
// last one before an @, or the one after a name in quotes; -1 if there is none.
func measureDot(s string) int {
	if strings.HasPrefix(s, `"`) {
		if i := strings.Index(s, `".`); i > 1 {
			return i + 1
		}
		return -1
	}
	head, _, _ := strings.Cut(s, "@")
	if i := strings.LastIndexByte(head, '.'); i > 0 {
		return i
	}
	return -1
}

// kindNames returns the names of all measures.
func kindNames() (names []string) {
	for _, k := range Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// noKind returns the flaw of an unknown measure.
func noKind(name string) *flaw {
	f := &flaw{problem: fmt.Sprintf("unknown measure %.40q", name), fix: "see docs/measures.md for a list"}
	if near := text.Nearest(name, kindNames()); near != "" {
		f.fix = fmt.Sprintf("did you mean %q?", near)
	}
	return f
}
