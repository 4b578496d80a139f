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

// exhausted lists the errors that say that this machine has too little of something,
// or no network at all. No host can cause them. The numbers are those of Windows.
var exhausted = []error{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ENETDOWN,
	syscall.Errno(10024), syscall.Errno(10055), syscall.Errno(10050),
}

// noPort lists the errors that say that no port of this machine is left, or that it
// has no address of the kind that it is to dial.
var noPort = []error{syscall.EADDRNOTAVAIL, syscall.Errno(10049)}

// unreachable lists the errors that say that no way leads to an address. A router
// on the way can cause them, too.
var unreachable = []error{
	syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.Errno(10051), syscall.Errno(10065),
}

// refused lists the errors that say that nobody listens at an address.
var refused = []error{syscall.ECONNREFUSED, syscall.Errno(10061)}

// isAny reports whether an error is one of a list. Errors of the resolver tell their
// cause in words only.
func isAny(err error, list []error) bool {
	var name *net.DNSError
	inWords := errors.As(err, &name)
	return slices.ContainsFunc(list, func(x error) bool {
		return errors.Is(err, x) || inWords && strings.Contains(name.Err, x.Error())
	})
}

// isLocal reports whether this machine is the cause of an error of the network, not
// the host that was to be asked: it has too few files or no memory, it has no network,
// or its name server is not there. Of several errors, one for each address of a host,
// all must be this machine's.
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

// toIPv6 reports whether an error comes of dialling an address of IPv6, which many
// machines can't do.
func toIPv6(err error) bool {
	var op *net.OpError
	if !errors.As(err, &op) {
		return false
	}
	to, ok := op.Addr.(*net.TCPAddr)
	return ok && to.IP.To4() == nil
}

// landmarks are addresses of the public web, one for each version of IP. Nothing is
// sent to them.
var landmarks = []netip.AddrPort{
	netip.MustParseAddrPort("192.0.2.1:53"), netip.MustParseAddrPort("[2001:db8::1]:53"),
}

// hasNetwork reports whether this machine knows a way to the public web. It sends
// nothing: to connect a UDP socket is only to look for a route.
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

// ours records that this machine failed: the host is not to blame.
func (r *Response) ours(err error) {
	var name *net.DNSError
	if errors.As(err, &name) {
		r.again(dowse.FailDNS, "the name server does not answer: "+name.Err)
	} else {
		r.again(dowse.FailConnect, describe(err))
	}
	r.host().Local = true
}
