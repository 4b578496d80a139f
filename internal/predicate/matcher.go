package predicate

import (
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"dowse/internal/mistake"
)

// A Matcher describes a way to match facts, for documentation.
type Matcher struct{ Form, Means string }

// Matchers lists the ways to match facts, in the order of printing.
func Matchers() []Matcher {
	return []Matcher{
		{"title: reef", "a text has the words, whole and in this order; case does not count"},
		{"host: example.org", "a name is equal; a host also matches hosts below it, a language any region"},
		{"url: /news/2026/", "a regular expression (RE2) between slashes; /…/i ignores case"},
		{"tld: [ch, li]", "a list: any of them"},
		{"status: 200", "a number is the same"},
		{`words: "120.."`, `a range, with both ends: "5..10", "5..", "..10"`},
		{"published: 2026-05", "a date lies in the year, month or day"},
		{"images: true", "the fact is there, there is at least one; false: there is none"},
		{"{has: [a, b], at_least: 2}", "at least this many of them (default 1)"},
		{"{at_least: 3}", "a number is at least this; a list has at least this many entries"},
		{`{words: "120.."}`, "the number of words in it"},
		{"{after: 2024-01-01}", "from that day, month or year on"},
		{"{before: 2024-01-01}", "before that day, month or year"},
		{`{range: "5..10"}`, "a number, a date or how many entries a list has"},
		{"host: {tld: [ch, li]}", "the end of the host"},
	}
}

// tests makes the tests of a fact's matcher. Its meaning depends on the kind of
// the fact and on the type of the value.
func (b *builder) tests(f *fact, v any, at place) []finder {
	switch v := v.(type) {
	case map[string]any:
		return b.matchers(f, v, at)
	case bool:
		return []finder{present{f, v}}
	}
	switch f.kind {
	case whole, decimal:
		return []finder{&number{f, b.spans(v, at)}}
	case date:
		return []finder{&day{f, b.periods(v, at)}}
	}
	if n, ok := v.(float64); ok && f.kind == listed {
		return []finder{&count{f, []span{{n, n}}}}
	}
	if s, ok := v.(string); ok && f.kind == listed && f.like == part {
		if sp, err := parseSpan(s); err == nil {
			return []finder{&count{f, []span{sp}}}
		}
	}
	return []finder{b.has(f, v, 1, at)}
}

// matchers makes the tests of a matcher that is a mapping.
func (b *builder) matchers(f *fact, m map[string]any, at place) (tests []finder) {
	for _, key := range b.keys(m, at) {
		v, here := m[key], at.to(key)
		switch known := matcherNames(f); {
		case !slices.Contains(known, key):
			b.fail(here, mistake.Suggestion(key, known), "%s can't be matched by %q", f.name, cutName(key))
		case key == "at_least" && m["has"] != nil:
			// read with has
		default:
			tests = append(tests, b.matcher(f, key, v, m["at_least"], here))
		}
	}
	if len(m) == 0 { // a key that is not known was reported by itself
		b.fail(at, "use one of: "+strings.Join(matcherNames(f), ", "), "%s: no way to match it", f.name)
	}
	return tests
}

// matcherNames returns the keys that a matcher of a fact may have.
func matcherNames(f *fact) []string {
	switch {
	case f.kind == whole || f.kind == decimal:
		return []string{"at_least", "range"}
	case f.kind == date:
		return []string{"after", "before", "range"}
	case f.name == "host":
		return []string{"has", "tld"}
	case f.kind == oneText && f.like != words:
		return []string{"has"}
	case f.kind == oneText:
		return []string{"has", "at_least", "words"}
	}
	return []string{"has", "at_least", "words", "range"}
}

// matcher makes the test of one key of a matcher.
func (b *builder) matcher(f *fact, key string, v, atLeast any, at place) finder {
	switch key {
	case "has":
		return b.has(f, v, b.atLeast(atLeast, v, at), at)
	case "tld":
		return b.has(f, v, 1, at)
	case "words":
		return &wordCount{f, b.spans(v, at)}
	case "after":
		return &day{f, []period{{from: b.day(v, at).from}}}
	case "before":
		return &day{f, []period{{to: b.day(v, at).from}}}
	case "at_least":
		return b.least(f, v, at)
	}
	switch f.kind {
	case date:
		return &day{f, b.periods(v, at)}
	case listed, table:
		return &count{f, b.spans(v, at)}
	}
	return &number{f, b.spans(v, at)}
}

// least makes the test of at_least without has: a lower bound of a number, or of
// the number of values.
func (b *builder) least(f *fact, v any, at place) finder {
	n, ok := v.(float64)
	switch {
	case !ok:
		b.fail(at, "write a number, such as at_least: 3", "at_least: %s is not a number", kindOf(v))
	case f.kind == oneText:
		b.fail(at, `add "has:" with what is counted`, "at_least: without has:")
	}
	spans := []span{{n, math.Inf(1)}}
	if f.kind == whole || f.kind == decimal {
		return &number{f, spans}
	}
	return &count{f, spans}
}

// atLeast reads how many of has must be present.
func (b *builder) atLeast(v, has any, at place) int {
	n, ok := v.(float64)
	most := 1
	if l, isList := has.([]any); isList {
		most = len(l)
	}
	switch {
	case v == nil:
		return 1
	case !ok || !isWhole(n) || n < 1:
		b.fail(at[:len(at)-1].to("at_least"), "write a number from 1 on", "at_least: %s is no number of things", kindOf(v))
		return 1
	case n > float64(most):
		b.fail(at[:len(at)-1].to("at_least"), "write at most "+strconv.Itoa(most), "at_least: %g of %d can never be there", n, most)
		return 1
	}
	return int(n)
}

// has makes the test for one string or a list of them. A top-level domain is
// compared as the end of the host, so that tld: co.uk means what people expect,
// although the last label of such a host is uk; a pattern sees the label alone.
func (b *builder) has(f *fact, v any, atLeast int, at place) finder {
	t := &has{fact: f, like: f.like, atLeast: atLeast}
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	if isList && len(list) == 0 {
		b.fail(at, "write what is looked for", "the list is empty")
	}
	for i, e := range list {
		here := at
		if isList {
			here = at.to(i)
		}
		if len(b.problems) >= maxProblems {
			break
		}
		t.wants = append(t.wants, b.want(e, here))
	}
	if f.name == "tld" && !slices.ContainsFunc(t.wants, func(w want) bool { return w.re != nil }) {
		t.fact, t.like = factNamed("host"), domain
	}
	return t
}

// want reads one string or pattern to look for.
func (b *builder) want(v any, at place) want {
	switch v := v.(type) {
	case float64:
		return b.countWant(newWant(written(v)), at)
	case string:
		if pattern, ok := patternOf(v); ok {
			return b.countWant(want{as: v, re: b.regexp(pattern, at)}, at)
		}
		switch {
		case strings.TrimSpace(v) == "":
			b.fail(at, "write what is looked for", "the string is empty")
		case len(v) > MaxPattern:
			b.fail(at, "cut it into several", "the string is longer than %d bytes", MaxPattern)
		default:
			return b.countWant(newWant(v), at)
		}
		return want{}
	}
	b.fail(at, "write a word, a phrase in quotes or /a pattern/", "%s can't be looked for", kindOf(v))
	return want{}
}

// countWant counts a string against MaxStrings and reports when it is exceeded.
func (b *builder) countWant(w want, at place) want {
	if b.strings++; b.strings == MaxStrings+1 {
		b.fail(at, "keep the most important ones", "more than %d strings", MaxStrings)
	}
	return w
}

// patternOf returns the regular expression of a string such as /reef|atoll/i. A
// text counts as a pattern only if nothing but flags follows its last slash, so
// that paths such as /news/2026 can be looked for.
func patternOf(s string) (pattern string, ok bool) {
	end := strings.LastIndexByte(s, '/')
	if end < 1 || s[0] != '/' || strings.Trim(s[end+1:], "ims") != "" {
		return "", false
	}
	pattern = s[1:end]
	if flags := s[end+1:]; flags != "" {
		pattern = "(?" + flags + ")" + pattern
	}
	return pattern, true
}

// regexp compiles a regular expression of bounded size; nil if it is not one.
func (b *builder) regexp(pattern string, at place) *regexp.Regexp {
	re, size, err := compile(pattern)
	switch {
	case len(pattern) > MaxPattern:
		b.fail(at, "cut it into several, or list words", "the pattern is longer than %d bytes", MaxPattern)
	case err != nil:
		b.fail(at, "patterns are RE2: without look-around and back references", "/%s/ is not a regular expression: %s", cutName(pattern), problemOf(err))
	case b.program+size > MaxProgram:
		b.fail(at, "list words where words are meant, and count less with {n,m}", "the regular expressions are too large together")
	}
	b.program += size
	return re
}

// compile returns a regular expression and the number of its instructions,
// which bounds its cost per byte of text. RE2 never backtracks, but its time is
// the product of both, and a few characters such as (x{900}){900} would make a
// program of any size. So the size is found out before the program is kept.
func compile(pattern string) (*regexp.Regexp, int, error) {
	if len(pattern) > MaxPattern {
		return nil, 0, nil
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, 0, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(prog.Inst) > MaxProgram {
		return nil, len(prog.Inst), err
	}
	re, err := regexp.Compile(pattern)
	return re, len(prog.Inst), err
}

// problemOf returns the problem of a regular expression without the name of the
// package.
func problemOf(err error) string {
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}

// spans reads numbers and ranges.
func (b *builder) spans(v any, at place) []span {
	return each(b, v, at, func(v any) (span, error) {
		if n, ok := v.(float64); ok {
			return span{n, n}, nil
		}
		return parseSpan(written(v))
	}, `write a number or a range: 5, "5..10", "5..", "..10"`)
}

// periods reads dates and ranges of them.
func (b *builder) periods(v any, at place) []period {
	return each(b, v, at, func(v any) (period, error) { return parsePeriod(written(v)) },
		`write 2026, 2026-05, 2026-05-31 or a range such as "2024..2026-05"`)
}

// each reads one value or a list of them.
func each[T any](b *builder, v any, at place, parse func(v any) (T, error), fix string) (list []T) {
	values, isList := v.([]any)
	if !isList {
		values = []any{v}
	}
	for i, e := range values {
		here := at
		if isList {
			here = at.to(i)
		}
		t, err := parse(e)
		if err != nil {
			b.fail(here, fix, "%v", err)
		}
		b.countWant(want{}, here)
		if list = append(list, t); len(b.problems) >= maxProblems || len(list) > MaxStrings {
			break
		}
	}
	return list
}

// day reads one date.
func (b *builder) day(v any, at place) period {
	p, err := parseDay(written(v))
	if err != nil {
		b.fail(at, "write 2026, 2026-05 or 2026-05-31", "%v", err)
	}
	return p
}

// written returns a value as it was written: a year alone is a number in YAML.
func written(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return kindOf(v)
}
