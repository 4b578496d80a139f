// Package weburl answers which URL it is: it turns what people and pages write
// into absolute canonical URLs, so that one page has one name.
//
// Parsing follows the WHATWG URL Standard, as browsers do. The canonical form on
// top of it changes only what does not change the page:
//
//   - scheme and host in lower case, international names in Punycode, addresses
//     in their usual spelling, no trailing dot, no default port
//   - no user name, no password, no fragment, no empty query
//   - dot segments resolved, the encoded ones too
//   - escapes in upper case; escaped letters, digits and -._~ unescaped; a % that
//     begins no escape becomes %25, which is what it stands for
//   - no session ids and no tracking parameters: see [Parse]
//
// The order of parameters, the case of paths, trailing slashes and default
// documents such as index.html are left alone, because servers may tell them
// apart. The canonical form of a canonical URL is itself.
//
// Functions that take a [dowse.URL] expect it as Parse or Resolve made it. They
// cut, they do not parse; of a URL that is not http(s), such as the opaque names
// that tests use, they answer with the zero value or as their comment says.
package weburl

import (
	"errors"
	"fmt"
	"strings"

	"dowse"
)

// MaxLength is the number of bytes that a URL may have, as written (without its
// fragment) and in canonical form. Sites that answer each URL with a longer one
// end here; 2,048 is what sitemaps allow.
const MaxLength = 2048

// What no URL of a page has, and what the parser takes long over: the time for
// these grows with the square of their number.
const (
	maxSlashes = 512
	maxAts     = 16 // signs in front of a host
)

// What is wrong with a URL. Errors of this package wrap one of these.
var (
	ErrNoScheme = errors.New("no scheme such as https://")
	ErrScheme   = errors.New("the scheme is not http or https")
	ErrHost     = errors.New("no valid host")
	ErrTooLong  = fmt.Errorf("longer than %d bytes or %d segments", MaxLength, maxSlashes)
)

// Parse returns the canonical form of an absolute http or https URL, or what is
// wrong with it.
//
// Beside what the package comment lists it drops, in any case:
//
//   - session ids in the query: PHPSESSID, JSESSIONID, ASPSESSIONID and any
//     suffix, CFID, CFTOKEN; sessionid and session_id where the value is a token
//     (at least 8 letters and digits, both of them, or 16 digits), sid where it
//     is a hexadecimal one
//   - session ids in the path: ;jsessionid=…, and the segments (S(…)) and (…) of
//     ASP.NET
//   - parameters that only tell where a visitor came from: utm_ and any suffix,
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

// parse is Parse for any spelling.
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
// breaks in it, its fragment. It refuses what can't become a URL of the web.
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

func isTooLong(s string) bool {
	return len(s) > MaxLength || strings.Count(s, "/")+strings.Count(s, `\`) > maxSlashes
}

// authorityOf returns what may be user name, password and host. A reference without
// a scheme has them only behind two slashes.
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

// schemeOf returns what stands before the colon if that is a scheme, else "".
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

// quote shows what a stranger wrote: short, and without control characters.
func quote(raw string) string {
	if len(raw) > 80 {
		return fmt.Sprintf("%+q…", raw[:80])
	}
	return fmt.Sprintf("%+q", raw)
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
