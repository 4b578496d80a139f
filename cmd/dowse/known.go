package main

import (
	"errors"
	"strconv"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/internal/operations"
)

// knownURL returns the URL of a collection that a user means, see [operations.KnownURL]. A
// URL that the crawl never saw is a mistake of the user.
func knownURL(col *collection.Collection, raw string) (dowse.URL, error) {
	u, err := operations.KnownURL(col, raw)
	return u, asUsage(err)
}

// asUsage returns an error that the user can correct as one of usage; others stay.
func asUsage(err error) error {
	var wrong *operations.Error
	if errors.As(err, &wrong) {
		return usage("%w", wrong.Err)
	}
	return err
}

// withScheme adds a scheme to a URL that was typed without one, as people do: https to a
// name, as in example.org/reefs, and http to an address or localhost, which hardly ever have
// a certificate. A name with a port is http, as in web:8080, unless the port ends in 443, as the usual ones of
// https do (443, 8443). What does not begin like a host is returned unchanged, so that its error
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
	switch {
	case hasPort && name != "" && !strings.HasSuffix(port, "443"):
		return "http://" + raw
	case !hasPort && !strings.Contains(strings.Trim(name, "."), "."), name == "":
		return raw
	}
	return "https://" + raw
}
