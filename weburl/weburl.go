// Package weburl turns what people and pages write into absolute canonical
// URLs, so that one page has one name.
//
// Parsing follows the WHATWG URL Standard, as browsers do. The canonical form
// on top of it changes only what does not change the page:
//
//   - scheme and host in lower case, international names in Punycode, addresses
//     in their usual spelling, no trailing dot, no default port
//   - no user name, no password, no fragment, no empty query
//   - dot segments resolved, the encoded ones too
//   - escapes in upper case; escaped letters, digits and -._~ unescaped; a % that
//     begins no escape becomes %25, which is how browsers treat it
//   - no session ids and no tracking parameters: see [Parse]
//
// The order of parameters, the case of paths, trailing slashes and default
// documents such as index.html are kept, because servers may distinguish them.
// The canonical form of a canonical URL is itself.
//
// A crawl resolves hundreds of links per page, so most URLs take a fast path
// (plain.go) that recognises canonical spellings byte by byte; only the others
// are parsed. Everything is bounded: the length of a URL, its segments, and the
// parts for which parsing takes quadratic time.
//
// Functions that take a [dowse.URL] expect it as Parse or Resolve made it. They
// cut and do not parse; for a URL that is not http(s), such as the opaque names
// that tests use, they return the zero value or what their comment states. All
// functions are pure and safe for concurrent use.
package weburl

import (
	"errors"
	"fmt"
	"strings"

	"dowse"
)

// MaxLength is the number of bytes that a URL may have, as written (without its
// fragment) and in canonical form. It ends the crawl of sites that answer each
// URL with a longer one; 2,048 is what sitemaps allow.
const MaxLength = 2048

// Bounds that no URL of a page reaches. The time of the parser grows with the
// square of these numbers.
const (
	maxSlashes = 512
	maxAts     = 16 // signs in front of a host
)

// The reasons why a text is not a URL of the web. Every error of this package
// except those of [Href] wraps one of these.
var (
	ErrNoScheme = errors.New("no scheme such as https://")
	ErrScheme   = errors.New("the scheme is not http or https")
	ErrHost     = errors.New("no valid host")
	ErrTooLong  = fmt.Errorf("longer than %d bytes or %d segments", MaxLength, maxSlashes)
)

// Parse returns the canonical form of an absolute http or https URL, or an
// error that wraps one of ErrNoScheme, ErrScheme, ErrHost and ErrTooLong.
//
// In addition to what the package comment lists it drops, in upper or lower
// case:
//
//   - session ids in the query: PHPSESSID, JSESSIONID, ASPSESSIONID and any
//     suffix, CFID, CFTOKEN; sessionid and session_id if the value is a token
//     (at least 8 letters and digits, both of them, or 16 digits), sid if it
//     is a hexadecimal one
//   - session ids in the path: ;jsessionid=…, and the segments (S(…)) and (…) of
//     ASP.NET
//   - parameters that only record where a visitor came from: utm_ and any suffix,
//     gclid, fbclid, mc_eid, msclkid, yclid, igshid
func Parse(raw string) (dowse.URL, error) {
	s := trimSpace(raw)
	if u, ok := plainAbsolute(s); ok && len(u) <= maxPlain {
		return u, nil
	}
	u, err := parse(s)
	if err != nil {
		return "", fmt.Errorf("weburl: parse %s: %w", quote(raw), err)
	}
	return u, nil
}

// parse is Parse without the fast path.
func parse(s string) (dowse.URL, error) {
	s, err := written(s)
	if err != nil {
		return "", err
	}
	if schemeOf(s) == "" {
		return "", ErrNoScheme
	}
	w, err := parser.Parse(s)
	if err != nil {
		return "", ErrHost
	}
	return canonical(w.Href(true))
}

// written returns s without what a parser ignores: white space around it, line
// breaks in it, its fragment. It refuses what cannot become a URL of the web.
func written(s string) (string, error) {
	s, _, _ = strings.Cut(clean(s), "#")
	if scheme := schemeOf(s); scheme != "" && !isHTTP(scheme) {
		return "", ErrScheme
	}
	if isTooLong(s) {
		return "", ErrTooLong
	}
	if strings.Count(authorityOf(s), "@") > maxAts {
		return "", ErrHost
	}
	return s, nil
}

// isTooLong reports whether s exceeds the bounds of a URL. Browsers read a
// backslash as a slash, so both count.
func isTooLong(s string) bool {
	return len(s) > MaxLength || strings.Count(s, "/")+strings.Count(s, `\`) > maxSlashes
}

// authorityOf returns the part of s that may be user name, password and host. A
// reference without a scheme has them only after two slashes.
func authorityOf(s string) string {
	rest := s
	if scheme := schemeOf(s); scheme != "" {
		rest = s[len(scheme)+1:]
	} else if len(strings.TrimLeft(s, `/\`)) > len(s)-2 {
		return ""
	}
	rest = strings.TrimLeft(rest, `/\`)
	if end := strings.IndexAny(rest, `/\?`); end >= 0 {
		return rest[:end]
	}
	return rest
}

// schemeOf returns the part before the first colon if it is a scheme, else "".
func schemeOf(s string) string {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isLetter(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return s[:i]
		default:
			return ""
		}
	}
	return ""
}

func isHTTP(scheme string) bool {
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// quote returns text from outside for an error message: short, and without
// control characters.
func quote(raw string) string {
	if len(raw) > 80 {
		return fmt.Sprintf("%+q…", raw[:80])
	}
	return fmt.Sprintf("%+q", raw)
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
