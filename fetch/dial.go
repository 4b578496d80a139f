package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"github.com/ncruces/go-dns"
)

// A dialer connects to allowed addresses only. It resolves a name once, refuses
// the name if any of its addresses is private, and dials the very addresses
// that it has checked; the socket is checked again before it connects. So a
// name that resolves differently from one lookup to the next (DNS rebinding)
// cannot reach a private network.
type dialer struct {
	guard    guard
	resolver *net.Resolver
	timeout  time.Duration
}

func newDialer(c Config) *dialer {
	return &dialer{guard: newGuard(c), resolver: newResolver(c), timeout: c.connectTimeout}
}

// newResolver returns a resolver that caches answers for their time to live, at
// most an hour, and asks the configured server or the system's. Its memory is
// bounded by the number of entries.
func newResolver(c Config) *net.Resolver {
	server, _ := resolverAddr(c.Resolver)
	plain := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if server != "" {
			addr = server
		}
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return conn, conn.SetDeadline(time.Now().Add(c.connectTimeout))
	}}
	return dns.NewCachingResolver(plain, dns.MaxCacheEntries(20_000), dns.MaxCacheTTL(time.Hour))
}

// resolverAddr returns the DNS server as address and port.
func resolverAddr(server string) (string, error) {
	if server == "" {
		return "", nil
	}
	if ip, err := netip.ParseAddr(server); err == nil {
		return netip.AddrPortFrom(ip, 53).String(), nil
	}
	if _, err := netip.ParseAddrPort(server); err != nil {
		return "", fmt.Errorf("fetch: resolver %q: not an IP address, nor address:port", server)
	}
	return server, nil
}

// DialContext has the form that http.Transport wants.
func (d *dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	addrs, err := d.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	return d.dialAny(ctx, network, addrs, port)
}

// lookup returns the addresses of host, IPv4 first, if all of them may be
// dialled.
func (d *dialer) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, ok := literal(host); ok {
		return d.checked(host, []netip.Addr{addr})
	}
	// The final dot keeps the resolver from trying the machine's search
	// domains.
	addrs, err := d.resolver.LookupNetIP(ctx, "ip", strings.TrimSuffix(host, ".")+".")
	if err != nil {
		return nil, err
	}
	return d.checked(host, addrs)
}

// checked returns the addresses that may be dialled, IPv4 first. One private
// address spoils the name, except a NAT64 address, which the resolver of the
// network adds to a real one; such an address is only dropped.
func (d *dialer) checked(host string, addrs []netip.Addr) ([]netip.Addr, error) {
	var v4, v6 []netip.Addr
	var translated netip.Addr
	for _, a := range addrs {
		a = a.Unmap().WithZone("")
		switch {
		case d.guard.allows(a) && a.Is4():
			v4 = append(v4, a)
		case d.guard.allows(a):
			v6 = append(v6, a)
		case nat64.Contains(a):
			translated = a // synthesised by the resolver in addition to the real address
		default:
			return nil, &privateError{host, a}
		}
	}
	if list := append(v4, v6...); len(list) > 0 {
		return list, nil
	}
	if translated.IsValid() {
		return nil, &privateError{host, translated}
	}
	return nil, &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
}

// maxDials is how many addresses of a name are tried before giving up.
const maxDials = 4

// dialAny dials the addresses in order until one answers. The error joins those
// of all that were tried.
func (d *dialer) dialAny(ctx context.Context, network string, addrs []netip.Addr, port string) (net.Conn, error) {
	addrs = addrs[:min(len(addrs), maxDials)]
	var errs []error
	for i, a := range addrs {
		conn, err := d.dialOne(ctx, network, net.JoinHostPort(a.String(), port), len(addrs)-i)
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(errs...)
}

// dialOne dials addr within its share of the time that is left: one of shares
// equal parts, so that the first address of a name cannot use up the time of
// the others.
func (d *dialer) dialOne(ctx context.Context, network, addr string, shares int) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok && shares > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(shares))
		defer cancel()
	}
	socket := net.Dialer{ControlContext: d.control, KeepAlive: -1}
	return socket.DialContext(ctx, network, addr)
}

// control checks the address that the socket is about to connect to. It is the
// last check and does not depend on the one after name resolution.
func (d *dialer) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !d.guard.allows(ap.Addr()) {
		return &privateError{addr: ap.Addr()}
	}
	return nil
}

// literal returns the address that a host name spells out: an IP address, or a
// name that means this machine by definition (RFC 6761 6.3).
func literal(host string) (netip.Addr, bool) {
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	}
	addr, err := netip.ParseAddr(host)
	return addr, err == nil
}
