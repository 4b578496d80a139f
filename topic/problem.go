package topic

import (
	"errors"

	"dowse/internal/mistake"
)

// An Error is one thing wrong with a topic file. What [Parse] returns holds all
// that it found; errors.As finds the first.
type Error = mistake.Error

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
