package cluster

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// DefaultListen is where an embedded server listens.
const DefaultListen = "127.0.0.1:4222"

// Embed starts a NATS server inside this process, with its files in dir, and returns its URL and a
// function that ends it. Every message is synced to the disk before it is acknowledged. Without a
// token it listens on this machine only.
func Embed(dir, listen, token string) (url string, end func(), err error) {
	host, number, err := net.SplitHostPort(listen)
	port, e := strconv.Atoi(number)
	if err != nil || e != nil || port < 0 || port > 65535 {
		return "", nil, fmt.Errorf("cluster: address %q: want host:port", listen)
	}
	if !isLoopback(host) && token == "" {
		return "", nil, fmt.Errorf("cluster: address %s: a server that other machines reach needs a token file", listen)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	} else if err := isFree(listen); err != nil {
		return "", nil, err
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "dowse", Host: host, Port: port, Authorization: token,
		JetStream: true, StoreDir: dir, SyncAlways: true, NoSigs: true, NoLog: true, MaxPayload: embeddedPayload,
	})
	if err != nil {
		return "", nil, fmt.Errorf("cluster: the embedded server: %w", err)
	}
	go s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		s.Shutdown()
		return "", nil, fmt.Errorf("cluster: the embedded server does not start at %s", listen)
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return "", nil, errors.New("cluster: the embedded server can't use its directory " + dir)
	}
	address, ok := s.Addr().(*net.TCPAddr)
	if ok {
		port = address.Port
	}
	return "nats://" + net.JoinHostPort(clientHost(host), strconv.Itoa(port)), func() { s.Shutdown(); s.WaitForShutdown() }, nil
}

// isFree returns an error if no server can listen at an address. The server itself would try for many
// seconds.
func isFree(listen string) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("cluster: the embedded server can't listen at %s: %w", listen, err)
	}
	return l.Close()
}

// embeddedPayload is how large a message of an embedded server may be, in bytes.
const embeddedPayload = 8 << 20

// clientHost returns the host at which this process reaches its own server.
func clientHost(host string) string {
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return "127.0.0.1"
	}
	return host
}
