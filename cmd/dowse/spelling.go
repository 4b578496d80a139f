package main

import (
	"dowse"
	"dowse/internal/facts"
	"dowse/topic"
)

// becauseOf returns reasons for JSON: stems stay, since programs compare them, and the word
// that the page uses is added.
func becauseOf(list []dowse.Because, s topic.Spelling) []facts.Cause {
	out := facts.Causes(list)
	for i := range out {
		out[i].Word = s.Word(out[i].What)
	}
	return out
}
