package topic

import (
	"errors"

	"dowse/internal/mistake"
)

// An Error is one problem of a topic file. The error of [Parse] contains all
// that were found; errors.As finds the first.
type Error = mistake.Error

// maxProblems bounds the problems that are reported per file.
const maxProblems = 20

// joinProblems returns the problems as one error; nil for none.
func joinProblems(problems []*Error) error {
	if len(problems) == 0 {
		return nil
	}
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}
