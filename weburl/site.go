package weburl

import (
	"strings"

	"golang.org/x/net/publicsuffix"

	"dowse"
)

// Site returns the registrable domain of a URL's host, which belongs to one
// owner: example.co.uk for www.example.co.uk. For an IP address, a single label
// and a public suffix it returns the host name itself.
func Site(u dowse.URL) string {
	name := Hostname(u)
	if domain := domain(name); domain != "" {
		return domain
	}
	return name
}

// domain returns the registrable domain of a canonical host name by the Public
// Suffix List, private suffixes such as github.io included; "" if there is
// none. It takes a third of a microsecond, so callers keep it with the host.
func domain(name string) string {
	if isAddress(name) {
		return ""
	}
	suffix, _ := publicsuffix.PublicSuffix(name)
	end := len(name) - len(suffix) - 1
	if end <= 0 {
		return ""
	}
	return name[strings.LastIndexByte(name[:end], '.')+1:]
}

// isAddress reports whether a canonical host name is an IP address. The last
// label suffices: the parser turns every name that ends in a number into an
// address, and no name contains a colon.
func isAddress(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	return strings.Trim(last, "0123456789") == "" || strings.IndexByte(name, ':') >= 0
}
