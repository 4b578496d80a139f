package weburl

import (
	"fmt"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// maxHref bounds input and result of Href, in bytes, because the time of the
// parser grows with the square of the length.
const maxHref = 16 * MaxLength

// parser parses URLs by the WHATWG URL Standard. Hosts of special schemes are
// parsed by parseHost, because the library refuses some Punycode that the
// standard accepts, and accepts signed numbers as parts of an address.
var parser = whatwg.NewParser(
	whatwg.WithPathPercentEncodeSet(whatwg.PathPercentEncodeSet.Set('^')),
	whatwg.WithPreParseHostFunc(hideHost),
	whatwg.WithPostParseHostFunc(func(_ *whatwg.Url, host string) string { return revealHost(host) }),
)

// Href returns input, resolved against base unless that is "", as the WHATWG
// URL Standard serialises it: with any scheme, user name and fragment. It is
// the parser below the canonical form, exported so that it can be compared with
// other implementations.
func Href(input, base string) (string, error) {
	if len(input) > maxHref || len(base) > maxHref {
		return "", fmt.Errorf("weburl: href %s: longer than %d bytes", quote(input), maxHref)
	}
	w, err := href(opaqueSpace(clean(input)), opaqueSpace(clean(base)))
	if err != nil {
		return "", fmt.Errorf("weburl: href %s: not a valid URL", quote(input))
	}
	out := w.Href(false)
	if len(out) > maxHref { // escapes made it longer
		return "", fmt.Errorf("weburl: href %s: longer than %d bytes", quote(input), maxHref)
	}
	return out, nil
}

func href(input, base string) (*whatwg.Url, error) {
	if base == "" {
		return parser.Parse(input)
	}
	return parser.ParseRef(base, input)
}

// clean removes control characters and spaces at both ends, and tabs and line
// breaks anywhere.
func clean(s string) string {
	s = trimSpace(s)
	if !strings.ContainsAny(s, "\t\n\r") {
		return s
	}
	return lineBreaks.Replace(s)
}

var lineBreaks = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// trimSpace removes control characters and spaces at both ends: C0 control or
// space in the standard.
func trimSpace(s string) string {
	for len(s) > 0 && s[0] <= ' ' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}

// opaqueSpace escapes the space directly before the query or fragment of an
// opaque path, which the library does not escape.
func opaqueSpace(s string) string {
	scheme := schemeOf(s)
	if scheme == "" || isSpecial(scheme) || strings.HasPrefix(s[len(scheme)+1:], "/") {
		return s
	}
	end := strings.IndexAny(s, "?#")
	if end < 0 || s[end-1] != ' ' {
		return s
	}
	return s[:end-1] + "%20" + s[end:]
}

// isSpecial reports whether the standard calls the scheme special: its URLs
// have a host and a path of segments.
func isSpecial(scheme string) bool {
	switch strings.ToLower(scheme) {
	case "http", "https", "ws", "wss", "ftp", "file":
		return true
	}
	return false
}
