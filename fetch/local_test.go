package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"

	"dowse"
)

// failing returns the error of dialling an address.
func failing(to string, errno syscall.Errno) error {
	return &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.ParseIP(to), Port: 80}, Err: os.NewSyscallError("connect", errno)}
}

func TestFailuresOfThisMachine(t *testing.T) {
	const v4, v6 = "198.51.100.7", "2001:db8::7"
	connected := hasNetwork()
	for i, tc := range []struct {
		err  error
		want bool
	}{
		{failing(v4, syscall.EMFILE), true},
		{failing(v4, syscall.ENFILE), true},
		{failing(v4, syscall.ENOBUFS), true},
		{failing(v4, syscall.ENOMEM), true},
		{failing(v4, syscall.ENETDOWN), true},
		{failing(v4, syscall.EADDRNOTAVAIL), true},
		{failing(v6, syscall.EADDRNOTAVAIL), !connected}, // most likely it has no IPv6
		{failing(v4, syscall.ENETUNREACH), !connected},   // else a router on the way is the cause
		{failing(v4, syscall.EHOSTUNREACH), !connected},
		{failing(v4, syscall.ECONNREFUSED), false},
		{failing(v4, syscall.ECONNRESET), false},
		{failing(v4, syscall.ETIMEDOUT), false},
		{errors.Join(failing(v4, syscall.EMFILE), failing(v6, syscall.EMFILE)), true},
		{errors.Join(failing(v4, syscall.ECONNREFUSED), failing(v6, syscall.EMFILE)), false},
		{fmt.Errorf("get: %w", failing(v4, syscall.EMFILE)), true},
		{&net.DNSError{Err: "dial udp 127.0.0.53:53: socket: too many open files", Name: "a.test"}, true},
		{&net.DNSError{Err: "read udp 127.0.0.1:4->127.0.0.53:53: read: connection refused", Name: "a.test"}, true},
		{&net.DNSError{Err: "dial udp 10.0.0.1:53: connect: network is unreachable", Name: "a.test"}, true},
		{&net.DNSError{Err: "server misbehaving", Name: "a.test", IsTemporary: true}, false}, // perhaps of this name alone
		{&net.DNSError{Err: "i/o timeout", Name: "a.test", IsTimeout: true}, false},
		{&net.DNSError{Err: "no such host", Name: "a.test", IsNotFound: true}, false},
		{context.DeadlineExceeded, false},
	} {
		if got := isLocal(tc.err); got != tc.want {
			t.Errorf("%d: %v: local %v, want %v", i, tc.err, got, tc.want)
		}
	}
}

// A name server that is not there is no fault of the host.
func TestNameServerIsNotThere(t *testing.T) {
	gone, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	c, err := New(Config{Resolver: gone.LocalAddr().String()})
	if err != nil {
		t.Fatal(err)
	}
	r := c.Get(context.Background(), "http://reefs.test/")
	if r.Outcome != dowse.Temporary || r.Reason != dowse.FailDNS || r.Host == nil || !r.Host.Local || r.Host.BackOff || r.Host.Down {
		t.Errorf("%v %s %q %+v", r.Outcome, r.Reason, r.Detail, r.Host)
	}
}
