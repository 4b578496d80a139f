package main

import (
	"io"
	"regexp"
)

// A terminal is an output with a width and possibly colours. Pipes and files are not
// terminals: nothing is cut and nothing is coloured there. The functions below ask any
// io.Writer, so that code that prints needs no second parameter for it.
type terminal interface {
	columns() int
	coloured() bool
}

// columnsOf returns the columns of an output, 0 if it is not a terminal.
func columnsOf(out io.Writer) int {
	if t, ok := out.(terminal); ok {
		return t.columns()
	}
	return 0
}

// colouredOf reports whether an output shows colours.
func colouredOf(out io.Writer) bool {
	t, ok := out.(terminal)
	return ok && t.coloured()
}

// useColours reports whether a terminal shows colours: NO_COLOR and TERM=dumb turn them
// off.
func useColours(isTTY bool, env func(string) string) bool {
	return isTTY && env("NO_COLOR") == "" && env("TERM") != "dumb"
}

// The colours, as escape sequences.
const (
	green    = "\x1b[32m"
	red      = "\x1b[31m"
	dim      = "\x1b[2m"
	noColour = "\x1b[0m"
)

// tints colour the second group of their pattern. They match the beginning of a line
// only, whose text does not come from pages: a title cannot be coloured as a verdict.
// Colours repeat what the words say and are never the only carrier of a meaning.
var tints = []struct {
	where  *regexp.Regexp
	colour string
}{
	{regexp.MustCompile(`^( ?\d\.\d\d +)(on)( |$)`), green},
	{regexp.MustCompile(`^( ?\d\.\d\d +)(off|unsure|\?)( |$)`), dim},
	{regexp.MustCompile(`^(-    )([a-z]+\.?[a-z]*)( |$)`), red},
	{regexp.MustCompile(`^( verdict   )(ON TOPIC)(.*)$`), green},
	{regexp.MustCompile(`^( verdict   )(OFF TOPIC)(.*)$`), dim},
	{regexp.MustCompile(`^( )(NOT FETCHED|FAILED|FETCHED, NOT KEPT)(.*)$`), red},
	{regexp.MustCompile(`^( +)(NOT BALANCED|WARNING)(.*)$`), red},
	{regexp.MustCompile(`^( +)(balanced)($)`), green},
}

// tint colours the verdict at the beginning of a line; without colours it returns the
// line.
func tint(line string, colours bool) string {
	if !colours {
		return line
	}
	for _, t := range tints {
		if t.where.MatchString(line) {
			return t.where.ReplaceAllString(line, "${1}"+t.colour+"${2}"+noColour+"${3}")
		}
	}
	return line
}
