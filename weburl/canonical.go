package weburl

import (
	"fmt"
	"strings"

	"dowse"
)

// canonical returns the canonical form of an http(s) URL that the standard's
// serialiser wrote. It is idempotent: a canonical URL comes back unchanged.
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

// canonicalHost drops user name, password and trailing dot from an authority.
// It refuses names that no resolver can answer: an additional dot could
// otherwise hide an address, and other characters are not allowed in a name. It
// refuses port 0 too, to which nothing can connect.
func canonicalHost(authority string) (string, error) {
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	if strings.HasSuffix(host, ":0") {
		return "", fmt.Errorf("%w: nothing can be reached at port 0", ErrHost)
	}
	if strings.HasPrefix(host, "[") {
		return host, nil
	}
	name, port, hasPort := strings.Cut(host, ":")
	name = strings.TrimSuffix(name, ".")
	if !isHostname(name) {
		return "", fmt.Errorf("%w: %s is not a DNS name", ErrHost, quote(name))
	}
	if hasPort {
		name += ":" + port
	}
	return name, nil
}

// isHostname reports whether s consists of labels of at most 63 lower-case
// letters, digits, hyphens and underscores, with 253 bytes in all.
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

// appendPath appends a path segment by segment, because removing a session id
// from a segment can leave a dot segment behind.
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

// appendSegment appends one segment with its slash. dst[root:] is the path so
// far, to which a ".." applies; last reports whether the path ends here.
func appendSegment(dst []byte, root int, segment string, last bool) []byte {
	start := len(dst)
	dst = appendEscaped(append(dst, '/'), segment)
	name := withoutSession(string(dst[start+1:]))
	dst = append(dst[:start+1], name...)
	switch {
	case name == "..":
		dst = dst[:root+max(0, strings.LastIndexByte(string(dst[root:start]), '/'))]
	// A session id is never the name of a document, so one in the last segment
	// stays.
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

// appendQuery appends the parameters that are not noise, each but the first
// with the separator that preceded it. A query without parameters is dropped
// with its question mark.
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

// isSeparator reports whether c separates parameters. The semicolon is the
// older separator, which HTML 4 recommended and some servers still accept.
func isSeparator(c byte) bool { return c == '&' || c == ';' }

// appendEscaped appends s with its escapes in canonical form: upper-case
// digits, none for unreserved characters, and %25 for a % that begins no
// escape.
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
