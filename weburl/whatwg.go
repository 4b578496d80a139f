package weburl

import (
	"fmt"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// maxHref bounds input and result of Href: the time of the parser grows with its square.
const maxHref = 16 * MaxLength

// parser reads URLs by the WHATWG URL Standard. Hosts of special schemes go
// through parseHost, because the library refuses some Punycode that the standard
// lets pass and takes signed numbers for parts of an address.
var parser = whatwg.NewParser(
	whatwg.WithPathPercentEncodeSet(whatwg.PathPercentEncodeSet.Set('^')),
	whatwg.WithPreParseHostFunc(hideHost),
	whatwg.WithPostParseHostFunc(func(_ *whatwg.Url, host string) string { return revealHost(host) }),
)

// Href returns input, resolved against base unless that is "", as the WHATWG URL
// Standard serialises it: any scheme, with user name and fragment. It is the
// parser below the canonical form, for those who want to compare it.
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

// clean drops control characters and spaces at both ends, and tabs and line
// breaks anywhere.
func clean(s string) string {
	s = trimSpace(s)
	if !strings.ContainsAny(s, "\t\n\r") {
		return s
	}
	return lineBreaks.Replace(s)
}

var lineBreaks = strings.NewReplacer("\t", "", "\n", "", "\r", "")

func trimSpace(s string) string {
	for len(s) > 0 && s[0] <= ' ' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}

// opaqueSpace escapes the space just before the query or fragment of an opaque
// path, which the library leaves as it is.
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

func isSpecial(scheme string) bool {
	switch strings.ToLower(scheme) {
	case "http", "https", "ws", "wss", "ftp", "file":
		return true
	}
	return false
}
