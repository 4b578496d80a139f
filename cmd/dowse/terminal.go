package main

import (
	"os"

	"golang.org/x/term"

	"dowse/internal/plain"
)

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// width returns the columns of the terminal on stderr, 80 if there is none.
func width() int { return widthOf(os.Stderr) }

func widthOf(f *os.File) int {
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
		return w
	}
	return columns80
}

// clip cuts s to n columns if it goes to a terminal, whose columns are given; 0 is none,
// and then nothing is cut.
func clip(s string, n, terminal int) string {
	if terminal == 0 {
		return s
	}
	return fit(s, n)
}

// clipMiddle is clip for paths and URLs, whose beginning and end say most.
func clipMiddle(s string, n, terminal int) string {
	if terminal == 0 {
		return s
	}
	return fitMiddle(s, n)
}

// Nearly every command prints with these.
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
