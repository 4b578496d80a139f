// Package mistake describes what is wrong with a file that a person wrote, in one
// form for all kinds of files: place, problem, and what to do about it.
package mistake

import (
	"fmt"
	"strings"

	"dowse/internal/text"
)

// An Error is one thing that is wrong with a file: its place, the problem, and
// what to do. Every reader of files that people write returns it, so that all
// messages read alike.
type Error struct {
	File         string
	Line, Column int    // from 1
	Problem      string // what is wrong
	Fix          string // what to do
}

// Error returns everything on one line, the place first, as editors and compilers
// expect it.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s; %s", e.File, e.Line, e.Column, e.Problem, e.Fix)
}

// Suggestion returns what to do about an unknown name: the known name that it
// probably means, or all known names, which are in lower case.
func Suggestion(name string, known []string) string {
	if best := text.Nearest(name, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "use one of: " + strings.Join(known, ", ")
}
