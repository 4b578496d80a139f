package weburl

import (
	"cmp"
	"slices"
	"strings"

	"dowse"
)

// SURT returns the sort-friendly key of a URL in a CDXJ index:
// org,example)/path?query. It agrees with pywb and the tools of the Internet
// Archive, so that their lookups find our records: scheme, a leading www (with
// digits) and a trailing slash are dropped, escapes decoded until none is left,
// double slashes made single, parameters sorted, everything in lower case, and
// addresses reversed like names. Different pages may share a key. An opaque URL
// is its own key.
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

// appendReversed appends the labels of a host in reverse order, separated by
// commas, and its port. An IPv6 address is appended as it is.
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

// surtPath returns a path in the form of pywb: escapes decoded and encoded
// again, double slashes single, without a slash at the end unless it is the
// root.
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
	// Lower case comes before sorting, as in pywb, so that the order agrees.
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

// unescapeAll decodes escapes until none is left: %2525 becomes %. It ends
// because each round makes the text shorter.
func unescapeAll(s string) string {
	for {
		next := unescape(s)
		if next == s {
			return s
		}
		s = next
	}
}

// escapeOnce escapes what would break a line of an index or be read as an
// escape.
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
