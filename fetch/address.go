package fetch

import (
	"net/netip"

	"dowse/weburl"
)

var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Public reports whether addr belongs to the public internet, so that a crawler
// may dial it unasked. See [weburl.PublicAddr].
func Public(addr netip.Addr) bool { return weburl.PublicAddr(addr) }

func contains(list []netip.Prefix, addr netip.Addr) bool {
	for _, p := range list {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// A privateError is the refusal to dial an address.
type privateError struct {
	host string
	addr netip.Addr
}

func (e *privateError) Error() string {
	what := "is not a public address"
	if Public(e.addr) {
		what = "is not in an allowed network"
	}
	if e.host == "" || e.host == e.addr.String() {
		return e.addr.String() + " " + what
	}
	return e.host + " is at " + e.addr.String() + ", which " + what
}

// A guard decides which addresses may be dialled.
type guard struct {
	allowed []netip.Prefix
	only    bool // nothing but these, not even public addresses
}

func newGuard(c Config) guard { return guard{c.AllowNet, c.OnlyAllowed} }

func (g guard) allows(addr netip.Addr) bool {
	return !g.only && Public(addr) || contains(g.allowed, addr.Unmap().WithZone(""))
}
