package topic

import (
	"errors"
	"fmt"
	"strings"

	"dowse/text"
)

// An Error is one thing wrong with a topic file. What [Parse] returns holds all
// that it found; errors.As finds the first.
type Error struct {
	File         string
	Line, Column int    // from 1
	Problem      string // what is wrong
	Fix          string // what to do
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s; %s", e.File, e.Line, e.Column, e.Problem, e.Fix)
}

// maxProblems is how many problems of a file are told.
const maxProblems = 20

// joined returns the problems as one error, nil for none.
func joined(problems []*Error) error {
	if len(problems) == 0 {
		return nil
	}
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}

// suggestion returns what to do about a name that is none of the known ones.
func suggestion(name string, known []string) string {
	if best := text.Nearest(name, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "use one of: " + strings.Join(known, ", ")
}
