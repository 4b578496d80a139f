package weburl

import (
	"cmp"
	"slices"
	"strings"

	"dowse"
)

// SURT returns the sort-friendly key under which a CDXJ index keeps a URL:
// org,example)/path?query. It agrees with what pywb and the Internet Archive's
// tools compute, so that their lookups find our records: scheme, a leading www
// (with digits) and a trailing slash are dropped, escapes undone as far as that
// goes, double slashes made one, parameters sorted, everything in lower case,
// addresses reversed like names. It names a page less exactly than its URL does.
// An opaque URL is its own key.
func SURT(u dowse.URL) string {
	host, path := cut(u)
	if host == 0 {
		return string(u)
	}
	dst := make([]byte, 0, len(u))
	dst = appendReversed(dst, WithoutWWW(string(u[host:path])))
	dst = append(dst, ')')
	rest, query, hasQuery := strings.Cut(string(u[path:]), "?")
	dst = append(dst, surtPath(rest)...)
	if hasQuery {
		dst = append(append(dst, '?'), surtQuery(query)...)
	}
	return strings.ToLower(string(dst))
}

// appendReversed appends the labels of a host last first, separated by commas,
// and its port.
func appendReversed(dst []byte, host string) []byte {
	if strings.HasPrefix(host, "[") {
		return append(dst, host...)
	}
	name, port, hasPort := strings.Cut(host, ":")
	for {
		dot := strings.LastIndexByte(name, '.')
		dst = append(dst, name[dot+1:]...)
		if dot < 0 {
			break
		}
		dst = append(dst, ',')
		name = name[:dot]
	}
	if hasPort {
		dst = append(append(dst, ':'), port...)
	}
	return dst
}

func surtPath(path string) string {
	path = escapeOnce(unescapeAll(path))
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	if path == "/" {
		return path
	}
	return strings.TrimSuffix(path, "/")
}

// surtQuery sorts by name, then by value; a name without a value comes first.
func surtQuery(query string) string {
	params := strings.Split(strings.ToLower(escapeOnce(unescapeAll(query))), "&")
	slices.SortStableFunc(params, func(a, b string) int {
		nameA, valueA, hasA := strings.Cut(a, "=")
		nameB, valueB, hasB := strings.Cut(b, "=")
		switch {
		case nameA != nameB:
			return cmp.Compare(nameA, nameB)
		case hasA != hasB && hasB:
			return -1
		case hasA != hasB:
			return 1
		}
		return cmp.Compare(valueA, valueB)
	})
	return strings.Join(params, "&")
}

// unescapeAll undoes escapes until none is left: %2525 is %. Each round makes
// the text shorter.
func unescapeAll(s string) string {
	for {
		next := unescape(s)
		if next == s {
			return s
		}
		s = next
	}
}

// escapeOnce escapes what would break a line of an index or read as an escape.
func escapeOnce(s string) string {
	const digits = "0123456789abcdef"
	dst := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c <= ' ' || c >= 0x7f || c == '#' || c == '%' {
			dst = append(dst, '%', digits[c>>4], digits[c&15])
			continue
		}
		dst = append(dst, c)
	}
	return string(dst)
}
