package measure

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"dowse/text"
)

// A Mistake is what is wrong with a claim or a measure that a person wrote: its place,
// the cause, and what to do.
type Mistake struct {
	Text    string // the claim or measure, without space around it
	Column  int    // in letters, from 1, of what is wrong
	Problem string
	Fix     string
}

// Error returns the place, the cause and what to do in a line.
func (e *Mistake) Error() string {
	return fmt.Sprintf("column %d: %s; %s", e.Column, e.Problem, e.Fix)
}

// Marked returns the text and below it, in a line of its own, a mark at the place.
func (e *Mistake) Marked() string {
	line := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, e.Text)
	return line + "\n" + strings.Repeat(" ", e.Column-1) + "^"
}

// A flaw is a Mistake in the making: it knows bytes of a text, not the text.
type flaw struct {
	at      int
	problem string
	fix     string
}

// from moves a flaw of a part to the place of the part.
func (f *flaw) from(at int) *flaw { return &flaw{f.at + at, f.problem, f.fix} }

// placed makes a flaw an error that people can place.
func (f *flaw) placed(text string) *Mistake {
	at := min(f.at, len(text))
	at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\n"))
	return &Mistake{Text: text, Column: 1 + utf8.RuneCountInString(text[:at]), Problem: f.problem, Fix: f.fix}
}

const (
	claimsHelp = "dowse help claims tells what can be said"
	conditions = "use p < .05, p(t) < .05, within .02, throughout, or at 5%..20%"
)

// termFlaw tells what of a term can't be read: the measure if it looks like one, a
// condition behind it, or all of it.
func termFlaw(s string, at int) *flaw {
	if s == "" {
		return &flaw{at, "a side of the comparison is missing", "write STRATEGY.MEASURE or a number"}
	}
	for i := range len(s) {
		if s[i] != ',' {
			continue
		}
		if _, wrong := parseTerm(s[:i], at); wrong == nil {
			return &flaw{at + i + 1, fmt.Sprintf("%.40q is no condition", strings.TrimSpace(s[i+1:])), conditions}
		}
	}
	dot := measureDot(s)
	if dot < 0 {
		return &flaw{at, fmt.Sprintf("%.40q is neither a number nor a strategy's measure", s), "write STRATEGY.MEASURE, as otie.recall@end; a name with spaces or operators in quotes"}
	}
	if _, wrong := parse(s[dot+1:]); wrong != nil {
		return wrong.from(at + dot + 1)
	}
	return &flaw{at, fmt.Sprintf("%.40q can't be read", s), claimsHelp}
}

// measureDot returns the dot behind which a measure is meant to stand: the last before a
// place, or behind a name in quotes.
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

// kindNames are the names of all measures.
func kindNames() (names []string) {
	for _, k := range Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// noKind tells that there is no measure of the name.
func noKind(name string) *flaw {
	f := &flaw{problem: fmt.Sprintf("there is no measure %.40q", name), fix: "dowse help measures lists them"}
	if near := text.Nearest(name, kindNames()); near != "" {
		f.fix = fmt.Sprintf("did you mean %q?", near)
	}
	return f
}
