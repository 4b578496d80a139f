// Package plain writes numbers and texts for people: on terminals, in logs, in tables and in
// errors. Text that comes from the web or from a stranger's file is made harmless here, so
// that it can neither move a cursor, turn the direction of writing, nor fill a screen.
package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count returns a number with commas between thousands: 12,345.
func Count(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Some returns a number of things: 1 page, 2,000 pages, 3 categories.
func Some(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Count(n) + " " + plural(thing)
}

// plural returns the plural of an English noun: a final y after a consonant becomes ies,
// and everything else gets an s. Irregular nouns are not known.
func plural(thing string) string {
	stem, y := strings.CutSuffix(thing, "y")
	if y && stem != "" && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])) {
		return stem + "ies"
	}
	return thing + "s"
}

// Bytes returns a number of bytes with its unit, in powers of 1000: 1.5 MB.
func Bytes(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return fmt.Sprintf("%.1f KB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// Printable returns a text as it may be shown on a terminal: control characters, marks that
// turn the direction of writing and bytes that are not UTF-8 are shown as escapes. Line breaks
// stay.
func Printable(s string) string {
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

// escape returns a character as a Go escape, which shows its code.
func escape(r rune) string {
	switch {
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r > 0xFFFF:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// OneLine is [Printable] with spaces for line breaks.
func OneLine(s string) string { return strings.ReplaceAll(Printable(s), "\n", " ") }

// Words returns the words of a text with one space between them. Control characters, line
// breaks, byte-order marks and replacement characters count as spaces.
func Words(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar || r == '\ufeff' || r == '\u2028' || r == '\u2029'
	}), " ")
}

// Fit cuts the end of a text that has more than n characters, and puts … in its place.
func Fit(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:max(0, n-1)]) + "…"
}

// FitMiddle is Fit for paths and URLs: it cuts the middle, which shows the least.
func FitMiddle(s string, n int) string {
	r := []rune(s)
	if len(r) <= n || n < 3 {
		return Fit(s, n)
	}
	head := (n - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(n-1-head):])
}

// FitEnd is Fit for host names and the like: it cuts the beginning and keeps the end.
func FitEnd(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return "…" + string(r[len(r)-max(0, n-1):])
}

// Cut returns at most n bytes of a text, and no part of a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Wrap breaks a text into lines of at most n characters, between words. A longer word has a
// line of its own.
func Wrap(text string, n int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= n:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
