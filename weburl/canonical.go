package weburl

import (
	"fmt"
	"strings"

	"dowse"
)

// canonical makes the canonical form of an http(s) URL as the standard
// serialises it. Two spellings that reach it in the same words leave it as one,
// and what it returns comes back unchanged.
func canonical(href string) (dowse.URL, error) {
	scheme, rest, _ := strings.Cut(href, "://")
	slash := strings.IndexByte(rest, '/')
	host, err := canonicalHost(rest[:slash])
	if err != nil {
		return "", err
	}
	dst := make([]byte, 0, len(href))
	dst = append(dst, scheme...)
	dst = append(dst, "://"...)
	dst = append(dst, host...)
	path, query, _ := strings.Cut(rest[slash:], "?")
	dst = appendPath(dst, path)
	dst = appendQuery(dst, query)
	if u := string(dst); !isTooLong(u) {
		return dowse.URL(u), nil
	}
	return "", ErrTooLong
}

// canonicalHost drops user name, password and trailing dot from an authority. It
// refuses names that no resolver can answer: a dot too many would otherwise hide
// an address, and other characters than these have no place in a name.
func canonicalHost(authority string) (string, error) {
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	if strings.HasPrefix(host, "[") {
		return host, nil
	}
	name, port, hasPort := strings.Cut(host, ":")
	name = strings.TrimSuffix(name, ".")
	if !isHostname(name) {
		return "", fmt.Errorf("%w: %s is no name in the DNS", ErrHost, quote(name))
	}
	if hasPort {
		name += ":" + port
	}
	return name, nil
}

// isHostname reports whether s is made of labels of at most 63 lower-case
// letters, digits, hyphens and underscores, 253 bytes in all.
func isHostname(s string) bool {
	label := 0
	for i := 0; i < len(s); i++ {
		switch {
		case class[s[i]]&inLabel != 0:
			label++
		case s[i] != '.' || label == 0:
			return false
		default:
			label = 0
		}
		if label > 63 {
			return false
		}
	}
	return label > 0 && len(s) <= 253
}

// appendPath appends a path segment by segment, since taking a session id out of
// one can leave a dot segment behind.
func appendPath(dst []byte, path string) []byte {
	root := len(dst)
	for path != "" {
		segment, rest := path[1:], ""
		if i := strings.IndexByte(segment, '/'); i >= 0 {
			segment, rest = segment[:i], segment[i:]
		}
		dst = appendSegment(dst, root, segment, rest == "")
		path = rest
	}
	return dst
}

func appendSegment(dst []byte, root int, segment string, last bool) []byte {
	start := len(dst)
	dst = appendEscaped(append(dst, '/'), segment)
	name := withoutSession(string(dst[start+1:]))
	dst = append(dst[:start+1], name...)
	switch {
	case name == "..":
		dst = dst[:root+max(0, strings.LastIndexByte(string(dst[root:start]), '/'))]
	case name == "." || !last && isSessionSegment(name):
		dst = dst[:start]
	default:
		return dst
	}
	if last {
		dst = append(dst, '/')
	}
	return dst
}

// appendQuery appends the parameters that are worth keeping, each but the first
// with the separator before it. A query without a word in it is none.
func appendQuery(dst []byte, query string) []byte {
	start := len(dst)
	dst = appendEscaped(append(dst, '?'), query)
	kept, first := start+1, true
	for from := start + 1; from <= len(dst); {
		end := from
		for end < len(dst) && !isSeparator(dst[end]) {
			end++
		}
		if !isNoise(string(dst[from:end])) {
			if !first {
				dst[kept] = dst[from-1]
				kept++
			}
			kept += copy(dst[kept:], dst[from:end])
			first = false
		}
		from = end + 1
	}
	if kept == start+1 {
		return dst[:start]
	}
	return dst[:kept]
}

func isSeparator(c byte) bool { return c == '&' || c == ';' }

// appendEscaped appends s with its escapes in canonical form.
func appendEscaped(dst []byte, s string) []byte {
	const digits = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			dst = append(dst, s[i])
			continue
		}
		c, ok := escaped(s, i)
		switch {
		case !ok:
			dst = append(dst, "%25"...)
			continue
		case class[c]&unreserved != 0:
			dst = append(dst, c)
		default:
			dst = append(dst, '%', digits[c>>4], digits[c&15])
		}
		i += 2
	}
	return dst
}
