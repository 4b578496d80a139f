package mistake_test

import (
	"fmt"
	"testing"

	"dowse/internal/mistake"
)

// TestSuggestion guesses what was meant where a name is near, and lists what there is
// where none is.
func TestSuggestion(t *testing.T) {
	known := []string{"words", "seeds", "judge"}
	for name, want := range map[string]string{
		"word":    `did you mean "words"?`,
		"Sedes":   `did you mean "seeds"?`,
		"colours": "use one of: words, seeds, judge",
		"w":       "use one of: words, seeds, judge",
		"":        "use one of: words, seeds, judge",
	} {
		if got := mistake.Suggestion(name, known); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

func ExampleError() {
	fmt.Println(&mistake.Error{File: "reefs.topic.yaml", Line: 3, Column: 1, Problem: `there is no key "word"`, Fix: mistake.Suggestion("word", []string{"words", "seeds"})})
	// Output: reefs.topic.yaml:3:1: there is no key "word"; did you mean "words"?
}
