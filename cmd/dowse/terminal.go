package main

import (
	"fmt"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
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

// printable makes foreign text harmless on a terminal and in a log: control
// characters, line breaks and marks that turn the writing direction are shown as
// escapes.
func printable(s string) string {
	ok := func(r rune) bool { return unicode.IsPrint(r) || r == '\n' }
	if strings.IndexFunc(s, func(r rune) bool { return !ok(r) }) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if ok(r) && r != utf8.RuneError {
			b.WriteRune(r)
			continue
		}
		b.WriteString(escape(r))
	}
	return b.String()
}

// oneLine is printable without line breaks.
func oneLine(s string) string {
	return strings.ReplaceAll(printable(s), "\n", " ")
}

func escape(r rune) string {
	const hex = "0123456789abcdef"
	if r < 0x100 {
		return `\x` + string(hex[r>>4]) + string(hex[r&15])
	}
	if r > 0xFFFF {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return `\u` + string(hex[r>>12&15]) + string(hex[r>>8&15]) + string(hex[r>>4&15]) + string(hex[r&15])
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

// fitMiddle cuts s to n columns in its middle.
func fitMiddle(s string, n int) string {
	r := []rune(s)
	if len(r) <= n || n < 3 {
		return fit(s, n)
	}
	head := (n - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(n-1-head):])
}

// fit cuts s to n columns.
func fit(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:max(0, n-1)]) + "…"
}
