package weburl_test

import (
	"net/netip"
	"strings"
	"testing"

	"dowse/weburl"
)

func TestPublicAddr(t *testing.T) {
	const public = "1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 172.32.0.1 192.0.1.1 223.255.255.255 " +
		"2606:4700::1111 2a00:1450::1 2001:200::1 2400::1 3ffd::1 ::ffff:8.8.8.8"
	const inner = "0.0.0.0 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.1 169.254.169.254 172.16.0.1 172.31.255.255 " +
		"192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 " +
		":: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8 " +
		"64:ff9b::1 64:ff9b:1::1 100::1 100:0:0:1::1 400::1 1000::1 1fff::1 2001::1 2001:1ff::1 2001:db8::1 2002:7f00:1::1 3fff::1 " +
		"4000::1 5f00::1 6000::1 8000::1 a000::1 c000::1 e000::1 f000::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1"
	for want, list := range map[bool]string{true: public, false: inner} {
		for _, s := range strings.Fields(list) {
			if got := weburl.PublicAddr(netip.MustParseAddr(s)); got != want {
				t.Errorf("PublicAddr(%s) = %v", s, got)
			}
		}
	}
	if weburl.PublicAddr(netip.Addr{}) {
		t.Error("the zero address is public")
	}
}
