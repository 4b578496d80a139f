package predicate

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"dowse"
)

// A factClause is a clause about one fact: all of its tests must hold. In
// {has: [a, b], words: "100.."} these are two, and both are shown in the detail
// of the one clause that the user wrote.
type factClause struct {
	fact  *fact
	tests []finder
}

// find combines the tests as all does: no wins over unknown, unknown over yes.
func (c *factClause) find(r *reading) (verdict, string) {
	if len(c.tests) == 1 {
		return c.tests[0].find(r)
	}
	v := yes
	details := make([]string, 0, len(c.tests))
	for _, t := range c.tests {
		got, detail := t.find(r)
		details = append(details, detail)
		if got == no || v == yes {
			v = got
		}
	}
	return v, strings.Join(details, "; ")
}

// missing is the outcome for a fact that is unknown.
func missing(f *fact) (verdict, string) { return unknown, missingFact(f.name).Error() }

// exhausted is the outcome of a clause that gave up.
func exhausted() (verdict, string) {
	return unknown, fmt.Sprintf("gave up after %d comparisons", MaxSteps)
}

// present tests whether a fact exists at all. An unknown fact does not, so the
// outcome is never unknown.
type present struct {
	fact *fact
	want bool
}

// find is yes or no, never unknown: that a fact is missing is what is asked.
func (t present) find(r *reading) (verdict, string) {
	known := t.known(r)
	if known {
		return of(t.want), t.fact.name + " is there"
	}
	return of(!t.want), t.fact.name + " is not there"
}

// known reports whether the fact has a value that is not empty.
func (t present) known(r *reading) (known bool) {
	switch t.fact.kind {
	case whole, decimal:
		_, known = t.fact.number(r)
	case date:
		_, known = t.fact.date(r)
	default:
		var values []string
		values, known = t.fact.strings(r)
		known = known && len(values) > 0 && (len(values) > 1 || values[0] != "")
	}
	return known
}

// has tests how many of the wanted strings are in the values of a fact.
type has struct {
	fact    *fact
	like    like
	wants   []want
	atLeast int
}

// find counts the wanted strings that occur. If the steps of the test are used up
// before enough were found, the outcome is unknown: more might have been found.
func (t *has) find(r *reading) (verdict, string) {
	values, known := t.fact.strings(r)
	if !known {
		return missing(t.fact)
	}
	folded := r.fold(t.fact, values)
	var found []string
	for i := range t.wants {
		if t.wants[i].among(r, t.like, values, folded) {
			found = append(found, t.wants[i].as)
		}
	}
	if len(found) < t.atLeast && r.steps <= 0 {
		return exhausted()
	}
	return of(len(found) >= t.atLeast), t.describe(found, values)
}

// describe returns what was found in words.
func (t *has) describe(found, values []string) string {
	switch {
	case len(found) > 0 && t.atLeast > 1:
		return fmt.Sprintf("found %d of %d: %s", len(found), len(t.wants), short(strings.Join(found, ", ")))
	case len(found) > 0:
		return "found " + short(strings.Join(found, ", "))
	case t.fact.name == "text":
		return "not in the text"
	case len(values) == 0 || len(values) == 1 && values[0] == "":
		return "there is none"
	}
	return "is " + short(strings.Join(values, ", "))
}

// number tests a number.
type number struct {
	fact  *fact
	spans []span
}

// find compares the number with the ranges.
func (t *number) find(r *reading) (verdict, string) {
	n, known := t.fact.number(r)
	if !known {
		return missing(t.fact)
	}
	return within(n, t.spans), "is " + formatNumber(n)
}

// count tests how many values a fact has.
type count struct {
	fact  *fact
	spans []span
}

// find compares the number of values with the ranges; an empty list has 0.
func (t *count) find(r *reading) (verdict, string) {
	values, known := t.fact.strings(r)
	if !known {
		return missing(t.fact)
	}
	return within(float64(len(values)), t.spans), fmt.Sprintf("there are %d", len(values))
}

// wordCount tests how many words the values of a fact have.
type wordCount struct {
	fact  *fact
	spans []span
}

// find counts words. Those of the text are known with the page; others are
// counted here.
func (t *wordCount) find(r *reading) (verdict, string) {
	n := len(r.page.Words)
	if t.fact.name != "text" {
		values, known := t.fact.strings(r)
		if !known {
			return missing(t.fact)
		}
		n = 0
		for _, v := range values {
			n += len(dowse.Words(v))
		}
	}
	return within(float64(n), t.spans), fmt.Sprintf("%d words", n)
}

// within reports whether a number is in one of the ranges.
func within(n float64, spans []span) verdict {
	for _, s := range spans {
		if s.has(n) {
			return yes
		}
	}
	return no
}

// day tests a date.
type day struct {
	fact    *fact
	periods []period
}

// find compares the date with the periods. Dates are shown as days in UTC, in which
// they are compared.
func (t *day) find(r *reading) (verdict, string) {
	at, known := t.fact.date(r)
	if !known {
		return missing(t.fact)
	}
	detail := "is " + at.UTC().Format(time.DateOnly)
	for _, p := range t.periods {
		if p.has(at) {
			return yes, detail
		}
	}
	return no, detail
}

// formatNumber returns a number with at most six significant digits, for people.
func formatNumber(n float64) string { return strconv.FormatFloat(n, 'g', 6, 64) }

// short returns what is printed: one line without control characters, at most
// 80 characters. Titles and URLs come from pages, which must not be able to write
// a second line or to move the cursor.
func short(s string) string {
	const most = 80
	s = strings.Join(strings.FieldsFunc(firstRunes(s, 4*most), isBlank), " ")
	if cut := firstRunes(s, most); len(cut) < len(s) {
		return cut + "…"
	}
	return s
}

// isBlank reports whether a character is white space or a control character, which
// could change the terminal that a detail is printed on.
func isBlank(r rune) bool {
	return r <= ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029'
}

// firstRunes returns the first n characters of a text.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// cutName returns a name from outside for an error, at most 60 characters.
func cutName(s string) string { return firstRunes(strings.TrimSpace(s), 60) }
