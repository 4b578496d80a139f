package topic

import (
	"errors"
	"fmt"
	"strings"
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
	if best := nearest(name, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "use one of: " + strings.Join(known, ", ")
}

// nearest returns the known name that a misspelt one probably means, "" for none.
func nearest(name string, known []string) string {
	if len(name) > 64 {
		return ""
	}
	name = strings.ToLower(name)
	best, least := "", len(name)/3+2
	for _, k := range known {
		if d := editDistance(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// editDistance counts the letters to insert, delete, change or swap with their
// neighbour to make b of a (optimal string alignment).
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before := make([]int, len(t)+1)
	last := make([]int, len(t)+1)
	row := make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differ(s[i-1], t[j-1]))
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}

func differ(a, b rune) int {
	if a == b {
		return 0
	}
	return 1
}
