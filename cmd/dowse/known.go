package main

import (
	"cmp"
	"strconv"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// knownURL returns the URL of a collection that a user means: as it is written, in
// canonical form, or, without a scheme, with https or http. People copy URLs from
// browsers, which hide the scheme and change the spelling. The error for a URL that the
// crawl never saw suggests the nearest one that it did see.
func knownURL(col *collection.Collection, raw string) (dowse.URL, error) {
	f := col.Crawl.Frontier()
	if _, ok := f.Find(dowse.URL(raw)); ok {
		return dowse.URL(raw), nil
	}
	// The URL as it is written may be none; then the spellings with a scheme are tried.
	var parsed []dowse.URL
	var first error
	for _, spelling := range spellings(raw) {
		u, err := weburl.Parse(spelling)
		if err != nil {
			first = cmp.Or(first, err)
			continue
		}
		if _, ok := f.Find(u); ok {
			return u, nil
		}
		parsed = append(parsed, u)
	}
	if len(parsed) == 0 {
		return "", usage("%q: %w", raw, first)
	}
	err := neverSeen(f, raw, parsed[0])
	if n := col.Crawl.Status().LeftOut; n > 0 {
		err = usage("%w; it may be one of the %s that were left out for want of memory, see dowse help reasons", err, some(n, "link"))
	}
	return "", err
}

// spellings lists the URLs that a user may mean by raw, the likelier first.
func spellings(raw string) []string {
	raw = strings.TrimSpace(raw)
	if strings.Contains(raw, "://") {
		return []string{raw}
	}
	return []string{"https://" + raw, "http://" + raw}
}

// withScheme adds a scheme to a URL that was typed without one, as people do: https to a
// name, as in example.org/reefs, and http to an address or localhost, which hardly ever have
// a certificate. What does not begin like a host is returned unchanged, so that its error
// is about what was typed.
func withScheme(raw string) string {
	raw = strings.TrimSpace(raw)
	host, _, _ := strings.Cut(raw, "/")
	name, port, hasPort := host, "", false
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		name, port, hasPort = host[:i], host[i+1:], true
	}
	if _, err := strconv.ParseUint(port, 10, 16); hasPort && err != nil || strings.ContainsAny(host, " @?#") {
		return raw
	}
	if _, isAddress := literalAddr(name); isAddress {
		return "http://" + raw
	}
	if !strings.Contains(strings.Trim(name, "."), ".") {
		return raw
	}
	return "https://" + raw
}

// neverSeen returns the error for an unknown URL: whether its host is known, and the
// nearest URL of that host.
func neverSeen(f *frontier.Frontier, raw string, u dowse.URL) error {
	host, ok := f.HostOf(weburl.Host(u))
	if !ok {
		return usage("%s: this crawl never saw it, nor any URL of %s", raw, weburl.Host(u))
	}
	if near := nearest(f, host, u); near != "" {
		return usage("%s: this crawl never saw it; did you mean %s", raw, near)
	}
	return usage("%s: this crawl never saw it", raw)
}

// maxNear bounds how many URLs of a host are compared, so that a typo in a large
// collection is answered quickly.
const maxNear = 50_000

// nearest returns the known URL of a host that differs least from u, "" if none has
// anything in common with it. Only URLs of the same host are compared: a wrong host is
// reported as such.
func nearest(f *frontier.Frontier, host frontier.HostID, u dowse.URL) (best dowse.URL) {
	least := len(weburl.Path(u)) // one that has nothing in common is no help
	for i, compared := 0, 0; i < f.Len() && compared < maxNear; i++ {
		id := idOf(i)
		if f.Host(id) != host {
			continue
		}
		compared++
		if known := f.URL(id); difference(schemeless(known), schemeless(u)) < least {
			best, least = known, difference(schemeless(known), schemeless(u))
		}
	}
	return best
}

// schemeless returns host and path of a URL.
func schemeless(u dowse.URL) string { return weburl.Host(u) + weburl.Path(u) }

// difference returns the length of the longer of two texts without their common
// beginning and end. It is cheaper than an edit distance and sufficient for typos in one
// place.
func difference(a, b string) int {
	short := min(len(a), len(b))
	head := 0
	for head < short && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < short-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return max(len(a), len(b)) - head - tail
}
