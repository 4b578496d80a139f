package main

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"dowse/weburl"
)

// privateHosts returns an error if every URL leads to an address that is not public and
// that no network of allowed contains: then nothing could be fetched. It is only for a
// better message; what protects private networks is the dialer, which checks every
// address that a name resolves to, at every request. Host names are not resolved here.
func privateHosts(urls, allowed []string) error {
	var first error
	for _, raw := range urls {
		u, err := weburl.Parse(raw)
		if err != nil {
			return nil // reported elsewhere
		}
		addr, ok := literalAddr(weburl.Hostname(u))
		if !ok || weburl.PublicAddr(addr) || within(addr, allowed) {
			return nil
		}
		if first == nil {
			first = privateError(weburl.Hostname(u), addr)
		}
	}
	return first
}

// privateError returns the error for a host in a private network, with the flag that
// allows it.
func privateError(host string, addr netip.Addr) error {
	return &exitError{exitForbidden, fmt.Errorf("%s is a private address: add --allow-net %s", strings.Trim(host, "[]"), networkOf(addr))}
}

// literalAddr returns the address that a host name denotes by itself, without a name
// server.
func literalAddr(host string) (netip.Addr, bool) {
	if host == "localhost" {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return addr, err == nil
}

// isNetwork reports whether a text is a network or a single address.
func isNetwork(s string) bool {
	_, err := netip.ParsePrefix(s)
	if err != nil {
		_, err = netip.ParseAddr(s)
	}
	return err == nil
}

// within reports whether an address is in one of the networks, each a network or a single
// address. A network that cannot be parsed counts as matching: its own error is reported
// elsewhere, and a second one about the address would mislead.
func within(addr netip.Addr, networks []string) bool {
	return slices.ContainsFunc(networks, func(s string) bool {
		if p, err := netip.ParsePrefix(s); err == nil {
			return p.Contains(addr)
		}
		a, err := netip.ParseAddr(s)
		return err != nil || a == addr
	})
}

// privateNetworks are the usual private networks, which are suggested for --allow-net.
var privateNetworks = []netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fc00::/7"), netip.MustParsePrefix("fe80::/10"),
}

// networkOf returns the usual private network of an address, or the address itself.
func networkOf(addr netip.Addr) string {
	for _, p := range privateNetworks {
		if p.Contains(addr) {
			return p.String()
		}
	}
	if !addr.IsValid() {
		return "CIDR"
	}
	return addr.String()
}
