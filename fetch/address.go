package fetch

import "net/netip"

// special lists the address blocks that no page of the public web lives in: the
// IANA special-purpose registries for IPv4 and IPv6, multicast, the reserved
// blocks, and the prefixes that carry an IPv4 address inside (NAT64, 6to4,
// Teredo), through which an inner address could be named. The metadata services
// of the clouds are in link-local and unique-local blocks.
var special = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
	"172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
	"192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4",

	"::/128", "::1/128", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23",
	"2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10",
	"fec0::/10", "ff00::/8",
)

var nat64 = netip.MustParsePrefix("64:ff9b::/96")

func prefixes(list ...string) []netip.Prefix {
	var out []netip.Prefix
	for _, s := range list {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// Public reports whether addr belongs to the public internet, so that a crawler
// may dial it unasked. An IPv4 address in IPv6 clothes counts as what it is.
func Public(addr netip.Addr) bool {
	return addr.IsValid() && !contains(special, addr.Unmap().WithZone(""))
}

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
