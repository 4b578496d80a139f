package weburl

import (
	"strings"

	"dowse"
)

// Most hrefs are already canonical. The functions in this file recognise such
// hrefs byte by byte, without parsing or copying, and report ok false for
// anything else. They are an optimisation and never change a result: a test
// compares them with the parser on every case.

// maxPlain is the length of the longest plain href and URL: too short to
// contain more than maxSlashes slashes, so they need not be counted.
const maxPlain = maxSlashes

// The classes of a byte, in the table class.
const (
	inLabel    = 1 << iota // part of a label of a host name, in lower case
	inPath                 // unchanged in a path
	inQuery                // unchanged in a query, and not a separator
	unreserved             // never needs an escape (RFC 3986 2.3)
	inToken                // part of a word, number or identifier
)

// class holds the classes of each byte. inPath lacks what needs a closer look:
// the slash, the percent sign, the semicolon (;jsessionid=) and the opening
// parenthesis, which may begin a session id of ASP.NET. inQuery lacks the
// separators, the percent sign and what the standard escapes.
var class = func() (t [256]uint8) {
	set := func(bits uint8, bytes string) {
		for i := 0; i < len(bytes); i++ {
			t[bytes[i]] |= bits
		}
	}
	const lower, upper, digits = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	set(inLabel, lower+digits+"-_")
	set(unreserved, lower+upper+digits+"-._~")
	set(inToken, lower+upper+digits+"-_")
	set(inPath, lower+upper+digits+"-._~!$&')*+,:=@[]|")
	set(inQuery, lower+upper+digits+"-._~!$()*+,:=@[]|/?{}`^\\")
	return t
}()

// plainAbsolute returns s as a URL if s is an absolute canonical URL except for a
// fragment, an empty query or a missing slash after the host.
func plainAbsolute(s string) (dowse.URL, bool) {
	if len(s) > maxPlain {
		return "", false
	}
	scheme, _, _ := strings.Cut(s, ":")
	end, bare, ok := plainAuthority(scheme, s[min(len(s), len(scheme)+1):])
	end += len(scheme) + 1
	switch {
	case !ok:
		return "", false
	case bare:
		return dowse.URL(s[:end] + "/"), true
	}
	return dowse.URL(strings.Clone(s[:end])), true
}

// plainAuthority returns where the URL ends whose part after the scheme is s, of the form
// //host/path?query. bare reports that the slash after the host is missing.
func plainAuthority(scheme, s string) (end int, bare, ok bool) {
	if !strings.HasPrefix(s, "//") || scheme != "http" && scheme != "https" {
		return 0, false, false
	}
	end, ok = plainHost(s, len("//"), scheme)
	switch {
	case !ok:
		return 0, false, false
	case end == len(s) || s[end] == '#':
		return end, true, true
	case s[end] != '/':
		return 0, false, false
	}
	end, ok = plainPath(s, end+1)
	return end, false, ok
}

// plainHost returns where the host that begins at s[i:] ends. A name whose last label
// begins with a digit may be an address; it is plain only if it is written as IPv4
// addresses usually are.
func plainHost(s string, i int, scheme string) (end int, ok bool) {
	start, label := i, i
	for ; i < len(s) && (class[s[i]]&inLabel != 0 || s[i] == '.'); i++ {
		if s[i] != '.' {
			continue
		}
		if i == label || i-label > 63 {
			return 0, false
		}
		label = i + 1
	}
	if i == label || i-label > 63 || i-start > 253 || isDigit(s[label]) && !plainAddress(s[start:i]) {
		return 0, false
	}
	if i < len(s) && s[i] == ':' {
		return plainPort(s, i+1, scheme)
	}
	return i, true
}

// plainAddress reports whether s is an IPv4 address in its one canonical spelling.
func plainAddress(s string) bool {
	parts := 0
	for part := range strings.SplitSeq(s, ".") {
		n := 0
		for i := 0; i < len(part); i++ {
			if !isDigit(part[i]) {
				return false
			}
			n = 10*n + int(part[i]-'0')
		}
		if parts++; len(part) == 0 || len(part) > 3 || n > 255 || part[0] == '0' && len(part) > 1 {
			return false
		}
	}
	return parts == 4
}

// plainPort returns where the port that begins at s[i:] ends. The default port is not
// plain, because the canonical form drops it.
func plainPort(s string, i int, scheme string) (end int, ok bool) {
	start := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	n := i - start
	standard := scheme == "http" && s[start:i] == "80" || scheme == "https" && s[start:i] == "443"
	if n == 0 || n > 5 || s[start] == '0' || standard || n == 5 && s[start:i] > "65535" {
		return 0, false
	}
	return i, true
}

// plainPath returns where the path at s[i:], which begins with a segment, ends together
// with the query after it.
func plainPath(s string, i int) (end int, ok bool) {
	segment := i
	for ; i < len(s); i++ {
		c := s[i]
		if class[c]&inPath != 0 {
			continue
		}
		switch c {
		case '/':
			if isDots(s[segment:i]) {
				return 0, false
			}
			segment = i + 1
		case '(':
			if i == segment {
				return 0, false
			}
		case '%':
			if !plainEscape(s, i) {
				return 0, false
			}
			i += 2
		case '?', '#':
			if isDots(s[segment:i]) {
				return 0, false
			}
			return plainQuery(s, i)
		default:
			return 0, false
		}
	}
	return i, !isDots(s[segment:])
}

// plainQuery returns where the query that begins at s[i] with a question mark ends; an
// empty one ends at the mark.
func plainQuery(s string, i int) (end int, ok bool) {
	if s[i] == '#' {
		return i, true
	}
	mark := i
	param := i + 1
	for i++; i < len(s) && s[i] != '#'; i++ {
		c := s[i]
		switch {
		case class[c]&inQuery != 0:
		case isSeparator(c):
			if isNoise(s[param:i]) {
				return 0, false
			}
			param = i + 1
		case c == '%' && plainEscape(s, i):
			i += 2
		default:
			return 0, false
		}
	}
	if i == mark+1 {
		return mark, true
	}
	return i, !isNoise(s[param:i])
}

// plainEscape reports whether the % at s[i] begins an escape in canonical form.
func plainEscape(s string, i int) bool {
	c, ok := escaped(s, i)
	return ok && s[i+1] <= 'F' && s[i+2] <= 'F' && class[c]&unreserved == 0
}

func isDots(segment string) bool { return segment == "." || segment == ".." }
