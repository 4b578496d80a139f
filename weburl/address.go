package weburl

import "net/netip"

// PublicAddr reports whether addr belongs to the public internet: whether a
// crawler may dial it without permission, and whether hosts on it share one
// machine. An IPv4 address that is mapped into IPv6 is judged as IPv4. The zero
// Addr is not public.
//
// In IPv6 only 2000::/3 is assigned as global unicast; everything else is
// local, reserved, or embeds an address of another network (::/96,
// ::ffff:0:0:0/96, NAT64).
func PublicAddr(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	switch {
	case addr.Is4():
		return !within(special4, addr)
	case addr.Is6():
		return globalUnicast.Contains(addr) && !within(special6, addr)
	}
	return false
}

// globalUnicast is the only block of IPv6 that registries assign to the public
// internet.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// special4 and special6 are the blocks without pages of the public web: those
// of the IANA special-purpose registries, multicast and reserved blocks, and
// those within 2000::/3 that embed an IPv4 address (Teredo, 6to4). The metadata
// services of clouds are in link-local and unique-local blocks.
var (
	special4 = addrBlocks(
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
		"172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
		"192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"224.0.0.0/4", "240.0.0.0/4",
	)
	special6 = addrBlocks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)

func addrBlocks(list ...string) (blocks []netip.Prefix) {
	for _, s := range list {
		blocks = append(blocks, netip.MustParsePrefix(s))
	}
	return blocks
}

func within(blocks []netip.Prefix, addr netip.Addr) bool {
	for _, b := range blocks {
		if b.Contains(addr) {
			return true
		}
	}
	return false
}
