package hostile

import (
	"fmt"
	"net/netip"

	"golang.org/x/net/dns/dnsmessage"
)

// named links the homepage to a page on a name for which the name server has an
// answer of its own.
func (s *Site) named(label string, a answer) *Site {
	o := s.other(label)
	s.server.names.set(o.Host, a)
	s.link(o.URL("/ok/1"))
	s.link(o.URL("/ok/2"))
	return o
}

// nameRows are about DNS: names are data of the site, and may point anywhere, at any time.
func nameRows() []Row {
	loopback := inside[0]
	return []Row{
		{
			// DNS rebinding: a name is checked, looked up again to connect, and has moved
			// inside between the two.
			ID: "D01", Does: "a name that answers an allowed address first and 127.0.0.1 afterwards", Wants: "the address that was checked is the one dialled",
			checks: []check{settledOn("/ok/")},
			open: func(s *Site) {
				for _, label := range []string{"rebind-a", "rebind-b"} {
					o := s.named(label, func(n int) *reply {
						if n == 1 {
							return addresses(s.Addr)
						}
						return addresses(loopback)
					})
					o.front = func(x *exchange) { // so that the next request needs another connection
						with("Connection", "close", o.usual(x.entry.Path()))(x)
					}
				}
			},
		},
		{
			// A name is as good as an address. One bad address among several is enough,
			// since a client tries the next when one fails.
			ID: "D02", Does: "names that answer 127.0.0.1, ::1, 0.0.0.0, and an allowed address mixed with 127.0.0.1", Wants: "none dialled",
			checks: []check{untouched, settledOn("/ok/")},
			open: func(s *Site) {
				for label, addrs := range map[string][]netip.Addr{
					"four": {loopback}, "six": {netip.IPv6Loopback()}, "zero": {netip.IPv4Unspecified()},
					"mixed": {s.Addr, loopback}, "mapped": {netip.MustParseAddr("::ffff:127.0.0.1")},
				} {
					s.named(label, func(int) *reply { return addresses(addrs...) })
				}
			},
		},
		{
			// Each of these takes as long as the resolver's patience; many such names in a
			// row hold up a crawler that looks up names one after the other.
			ID: "D03", Does: "names that answer SERVFAIL, NXDOMAIN, nothing at all, a CNAME loop", Wants: "bounded time; ordinary pages fetched",
			checks: []check{settledOn("/ok/")},
			open: func(s *Site) {
				s.named("servfail", func(int) *reply { return failure(dnsmessage.RCodeServerFailure) })
				s.named("nxdomain", func(int) *reply { return failure(dnsmessage.RCodeNameError) })
				s.named("silent", func(int) *reply { return nil })
				s.named("loop-a", func(int) *reply { return alias("loop-b." + s.Host) })
				s.named("loop-b", func(int) *reply { return alias("loop-a." + s.Host) })
			},
		},
		{
			// Lists of private networks leave out what is reserved today. Translations
			// embed IPv4 addresses in IPv6 ones, which lead inside after all.
			ID: "D04", Does: "names that answer IPv6 addresses outside 2000::/3, with IPv4 addresses inside some of them", Wants: "none dialled: only 2000::/3 is public",
			checks: []check{untouched, settledOn("/ok/"), notInside("//reserved-")},
			open: func(s *Site) {
				for i, addr := range []string{"::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "100:0:0:1::1", "4000::1", "8000::1", "fe00::1"} {
					s.named(fmt.Sprint("reserved-", i), func(int) *reply { return addresses(netip.MustParseAddr(addr)) })
				}
			},
		},
	}
}
