// Package mistake tells people what is wrong with a file that they wrote.
package mistake

import (
	"fmt"
	"strings"

	"dowse/text"
)

// An Error is one thing that is wrong with a file: its place, the cause, and what to do.
// Everybody who reads files of people gives it, so that they all read alike.
type Error struct {
	File         string
	Line, Column int    // from 1
	Problem      string // what is wrong
	Fix          string // what to do
}

// Error returns all of it in a line, the place first, as editors and compilers have it.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s; %s", e.File, e.Line, e.Column, e.Problem, e.Fix)
}

// Suggestion returns what to do about a name that is none of the known ones, which are in
// lower case: the one that it probably means, or all there are.
func Suggestion(name string, known []string) string {
	if best := text.Nearest(name, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "use one of: " + strings.Join(known, ", ")
}
