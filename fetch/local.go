package fetch

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"dowse"
)

// exhausted lists the errors that mean that this machine lacks some resource or
// has no network at all. No host can cause them. The numbers are the error
// codes of Windows.
var exhausted = []error{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ENETDOWN,
	syscall.Errno(10024), syscall.Errno(10055), syscall.Errno(10050),
}

// noPort lists the errors that mean that this machine has no free port, or no
// address of the IP version to dial.
var noPort = []error{syscall.EADDRNOTAVAIL, syscall.Errno(10049)}

// unreachable lists the errors that mean that there is no route to an address.
// A remote router can cause them, too.
var unreachable = []error{
	syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.Errno(10051), syscall.Errno(10065),
}

// refused lists the errors that mean that no process listens at an address.
var refused = []error{syscall.ECONNREFUSED, syscall.Errno(10061)}

// isAny reports whether err is one of list. A [net.DNSError] does not wrap its
// cause, so its text is compared.
func isAny(err error, list []error) bool {
	var name *net.DNSError
	inWords := errors.As(err, &name)
	return slices.ContainsFunc(list, func(x error) bool {
		return errors.Is(err, x) || inWords && strings.Contains(name.Err, x.Error())
	})
}

// isLocal reports whether this machine, not the host, caused a network error:
// it has too few file descriptors or too little memory, it has no network, or
// its name server cannot be reached. If several errors are joined, one per
// address of a host, all of them must be local.
func isLocal(err error) bool {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(several.Unwrap(), func(err error) bool { return !isLocal(err) })
	}
	var name *net.DNSError
	switch {
	case isAny(err, exhausted) || isAny(err, noPort) && !toIPv6(err):
		return true
	case errors.As(err, &name):
		return !name.IsNotFound && (isAny(err, refused) || isAny(err, unreachable))
	case isAny(err, unreachable) || isAny(err, noPort):
		return !hasNetwork()
	}
	return false
}

// toIPv6 reports whether err comes from dialling an IPv6 address, which many
// machines cannot do.
func toIPv6(err error) bool {
	var op *net.OpError
	if !errors.As(err, &op) {
		return false
	}
	to, ok := op.Addr.(*net.TCPAddr)
	return ok && to.IP.To4() == nil
}

// landmarks are documentation addresses (RFC 5737, RFC 3849), one per version
// of IP, that are routed like the public web. Nothing is sent to them.
var landmarks = []netip.AddrPort{
	netip.MustParseAddrPort("192.0.2.1:53"), netip.MustParseAddrPort("[2001:db8::1]:53"),
}

// hasNetwork reports whether this machine has a route to the public web. It
// sends nothing: connecting a UDP socket only looks up the route.
func hasNetwork() bool {
	return slices.ContainsFunc(landmarks, func(a netip.AddrPort) bool {
		conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(a))
		if err != nil {
			return false
		}
		conn.Close()
		return true
	})
}

// ours records that this machine failed. The visit is temporary and the host is
// not to blame.
func (r *Response) ours(err error) {
	var name *net.DNSError
	if errors.As(err, &name) {
		r.again(dowse.FailDNS, "the name server does not answer: "+name.Err)
	} else {
		r.again(dowse.FailConnect, describe(err))
	}
	r.host().Local = true
}
