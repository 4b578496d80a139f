package main

import (
	"os"

	"golang.org/x/term"

	"dowse/internal/plain"
)

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// width returns the columns of the terminal on stderr, 80 if there is none.
func width() int { return widthOf(os.Stderr) }

// widthOf returns the columns of a terminal, 80 if they are not known. Terminals that
// claim to be narrower than 20 columns are not believed.
func widthOf(f *os.File) int {
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
		return w
	}
	return columns80
}

// clip cuts s to n columns for a terminal of the given width. If that is 0 there is no
// terminal, and nothing is cut.
func clip(s string, n, terminal int) string {
	if terminal == 0 {
		return s
	}
	return fit(s, n)
}

// clipMiddle is clip for paths and URLs, whose beginning and end matter most.
func clipMiddle(s string, n, terminal int) string {
	if terminal == 0 {
		return s
	}
	return fitMiddle(s, n)
}

// Short names for functions of package plain, which nearly every command uses.
var (
	count     = plain.Count
	some      = plain.Some
	bytesText = plain.Bytes
	printable = plain.Printable
	oneLine   = plain.OneLine
	fit       = plain.Fit
	fitMiddle = plain.FitMiddle
	wrap      = plain.Wrap
)
