package fetch

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"dowse"
)

// rules are the rules of one robots.txt for one agent, sorted by the literal
// text that they begin with, so that a URL is compared only with those that it
// can match. They are never changed and safe for concurrent use. Large sites
// have thousands of rules and every link is checked, so the cost per URL must
// not grow with their number.
type rules []rule

// everything is the rules of a host without restrictions.
type everything struct{}

func (everything) Allowed(dowse.URL) (bool, string) { return true, "" }

// nothing is the rules of a host that may not be asked for anything but its
// robots.txt.
type nothing struct{}

func (nothing) Allowed(u dowse.URL) (bool, string) { return robotsPath(u) == "/robots.txt", "" }

// A rule is one Allow or Disallow. Its pattern is a literal prefix and, if it
// has stars, the literals after each of them, all in normal form.
type rule struct {
	prefix string
	rest   []string
	end    bool // the pattern ends in $, so the path must end there
	allow  bool
	size   int    // octets of the pattern; the longest matching pattern wins
	least  int    // octets of the shortest path that can match
	line   string // the line of the file, to show why a URL was refused
}

// newRule parses a pattern. The rule shares no memory with the file that
// pattern is part of.
func newRule(pattern, line string, allow bool) rule {
	r := rule{allow: allow, line: line}
	body, end := strings.CutSuffix(strings.Clone(pattern), "$")
	r.end = end
	for i, literal := range strings.Split(body, "*") {
		r.size += octets(literal)
		literal = normal(literal, true)
		r.least += len(literal)
		if i == 0 {
			r.prefix = literal
		} else if literal != "" || len(r.rest) == 0 || r.rest[len(r.rest)-1] != "" {
			r.rest = append(r.rest, literal)
		}
	}
	r.size += strings.Count(body, "*")
	if end {
		r.size++
	}
	return r
}

// newRules sorts list for use and drops duplicates.
func newRules(list []rule) rules {
	slices.SortStableFunc(list, func(a, b rule) int {
		return cmp.Or(cmp.Compare(a.prefix, b.prefix), cmp.Compare(b.size, a.size), slices.Compare(a.rest, b.rest))
	})
	return rules(slices.Clip(slices.CompactFunc(list, rule.same)))
}

// same reports whether both rules match the same paths with the same result.
func (r rule) same(other rule) bool {
	return r.prefix == other.prefix && r.end == other.end && r.allow == other.allow && slices.Equal(r.rest, other.rest)
}

// Allowed implements dowse.Rules.
func (s rules) Allowed(u dowse.URL) (bool, string) {
	path := robotsPath(u)
	if path == "/robots.txt" {
		return true, ""
	}
	best := s.best(path)
	if best == nil {
		return true, ""
	}
	return best.allow, best.line
}

// best returns the longest rule that matches path, among equals an Allow (RFC
// 9309 2.2.2), or nil. It works like a search in a trie: at each octet of the
// path, the rules that can still match are a range of the sorted slice.
func (s rules) best(path string) (best *rule) {
	for at := 0; ; at++ {
		n := 0
		for ; n < len(s) && len(s[n].prefix) == at; n++ {
			if r := &s[n]; r.beats(best) && r.matches(path) {
				best = r
			}
		}
		s = s[n:]
		if len(s) == 0 || at == len(path) {
			return best
		}
		s = s.with(at, path[at])
	}
}

// with returns the rules whose prefix has c at index at. All rules in s have
// the same octets before it.
func (s rules) with(at int, c byte) rules {
	if s[0].prefix[at] == c && s[len(s)-1].prefix[at] == c {
		return s
	}
	from := sort.Search(len(s), func(i int) bool { return s[i].prefix[at] >= c })
	s = s[from:]
	return s[:sort.Search(len(s), func(i int) bool { return s[i].prefix[at] > c })]
}

// beats reports whether r takes precedence over best if both match.
func (r *rule) beats(best *rule) bool {
	return best == nil || r.size > best.size || r.size == best.size && r.allow && !best.allow
}

// matches reports whether path, which begins with the rule's prefix, matches
// the rest of the pattern. Matching each literal at its first occurrence is
// correct because stars are the only wildcards, and takes time linear in the
// path.
func (r *rule) matches(path string) bool {
	if len(path) < r.least {
		return false
	}
	path = path[len(r.prefix):]
	if r.rest == nil {
		return !r.end || path == ""
	}
	last := len(r.rest) - 1
	for _, literal := range r.rest[:last] {
		i := strings.Index(path, literal)
		if i < 0 {
			return false
		}
		path = path[i+len(literal):]
	}
	if r.end {
		return strings.HasSuffix(path, r.rest[last])
	}
	return strings.Contains(path, r.rest[last])
}

// robotsPath returns the part of u that rules are matched against, path and
// query, in normal form.
func robotsPath(u dowse.URL) string {
	_, _, rest, ok := split(u)
	if !ok {
		return "/"
	}
	return normal(rest, false)
}

// normal returns s in the form in which rules and URLs are compared (RFC 9309
// 2.2.2): escapes in upper case, and undone where the octet means the same
// without one. In a pattern, octets beyond ASCII are escaped, as they are in
// every URL.
func normal(s string, pattern bool) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == '%' || pattern && r >= 0x80 }) {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); i++ {
		c, isEscape := unescaped(s, i)
		switch {
		case isEscape && isPlain(c):
			b = append(b, c)
		case isEscape, pattern && c >= 0x80:
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		default:
			b = append(b, c)
		}
		if isEscape {
			i += 2
		}
	}
	return string(b)
}

// octets returns the length of a pattern's literal for finding the longest
// match: that of its form with every octet escaped that a URL must escape (RFC
// 9309 2.2.2). So a space counts three, written as it is or as %20, and %6F
// counts one.
func octets(literal string) (n int) {
	for i := 0; i < len(literal); i++ {
		c, isEscape := unescaped(literal, i)
		if isEscape {
			i += 2
		}
		if isEscape && !isUnreserved(c) || c >= 0x80 || strings.IndexByte(" \"<>^`{|}", c) >= 0 {
			n += len("%20")
			continue
		}
		n++
	}
	return n
}

const upperHex = "0123456789ABCDEF"

// unescaped returns the octet at s[i], and whether it is written as an escape of three
// bytes.
func unescaped(s string, i int) (c byte, isEscape bool) {
	if s[i] != '%' || i+2 >= len(s) {
		return s[i], false
	}
	hi, lo := hexValue(s[i+1]), hexValue(s[i+2])
	if hi < 0 || lo < 0 {
		return s[i], false
	}
	return byte(hi<<4 | lo), true
}

func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// isPlain reports whether an octet means the same with and without an escape: the
// unreserved ones, those that URLs escape in one place and not in another, and the two
// that patterns escape to mean themselves.
func isPlain(c byte) bool {
	return isUnreserved(c) || strings.IndexByte(" \"<>^`{|}*$", c) >= 0
}

// isUnreserved reports whether an octet never needs an escape (RFC 3986 2.3).
func isUnreserved(c byte) bool {
	switch {
	case '0' <= c && c <= '9', 'a' <= c|0x20 && c|0x20 <= 'z':
		return true
	}
	return strings.IndexByte("-._~", c) >= 0
}
