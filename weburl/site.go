package weburl

import (
	"strings"

	"golang.org/x/net/publicsuffix"

	"dowse"
)

// Site returns the registrable domain of a URL's host, which is what one owner
// holds: example.co.uk for www.example.co.uk. An address, a single label and a
// public suffix stand for themselves.
func Site(u dowse.URL) string {
	name := Hostname(u)
	if domain := Domain(name); domain != "" {
		return domain
	}
	return name
}

// Domain returns the registrable domain of a canonical host name by the Public
// Suffix List, private suffixes such as github.io included; "" where there is
// none. It takes a third of a microsecond: keep it with the host.
func Domain(name string) string {
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

// isAddress reports whether a canonical host name is an IP address: parsing makes
// one of every name that ends in a number, and no name holds a colon.
func isAddress(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	return strings.Trim(last, "0123456789") == "" || strings.IndexByte(name, ':') >= 0
}
