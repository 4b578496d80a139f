package fetch

import (
	"net/netip"

	"dowse/weburl"
)

// nat64 is the well-known prefix under which a resolver of an IPv6-only network
// synthesises addresses for hosts that have only IPv4 (RFC 6052 2.1).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

func contains(list []netip.Prefix, addr netip.Addr) bool {
	for _, p := range list {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// A privateError reports that an address was not dialled because the
// configuration does not allow it. host is the name that resolved to it, "" if
// the URL held the address.
type privateError struct {
	host string
	addr netip.Addr
}

func (e *privateError) Error() string {
	what := "is not a public address"
	if weburl.PublicAddr(e.addr) {
		what = "is not in an allowed network"
	}
	if e.host == "" || e.host == e.addr.String() {
		return e.addr.String() + " " + what
	}
	return e.host + " is at " + e.addr.String() + ", which " + what
}

// A guard decides which addresses may be dialled: public ones and those in
// allowed, or only the latter.
type guard struct {
	allowed []netip.Prefix
	only    bool // refuse public addresses too, unless they are in allowed
}

func newGuard(c Config) guard { return guard{c.AllowNet, c.OnlyAllowed} }

// allows reports whether addr may be dialled. An IPv4 address mapped into IPv6
// is judged as IPv4, and a zone is ignored, so that neither spelling gets
// around the guard.
func (g guard) allows(addr netip.Addr) bool {
	return !g.only && weburl.PublicAddr(addr) || contains(g.allowed, addr.Unmap().WithZone(""))
}
