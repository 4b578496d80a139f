package fetch

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
)

// errFlood ends a connection on which a server sends far more than what it is asked
// for.
var errFlood = errors.New("the server floods the connection with frames that carry nothing")

// A meter is a connection that counts what goes over it, and ends when that is out
// of proportion to the answers that come through. HTTP/2 lets a server send frames
// without an end that are no part of an answer: SETTINGS and PING, which have to be
// answered, empty DATA, padding, and more. Each is cheap and legal, so only their
// sum tells.
//
// Allowed are, for a connection, slack bytes and slackWrites writes, and more with
// every byte of an answer: a reader of an HTTP/2 body writes a window update for
// every few KiB that it takes.
type meter struct {
	net.Conn
	slack   int64 // bytes beside answers, headers that are still coming among them
	read    atomic.Int64
	writes  atomic.Int64
	useful  atomic.Int64 // bytes of answers
	flooded atomic.Bool
	ended   atomic.Bool // a read failed: nothing more comes
}

const (
	slackBytes  = 1 << 20 // beside headers: handshakes, frames, what a body has in buffers
	slackWrites = 2000    // handshakes, acknowledgements
	wirePerByte = 2       // bytes on the wire for one of an answer
	bytesPerAck = 1 << 10 // of an answer for one write; net/http writes two for 4 KiB
	perRequest  = 4 << 10 // bytes of an answer that each request is worth by itself
)

// metered lets the connections of dial be meters.
func metered(dial dialFunc, c Config) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &meter{Conn: conn, slack: c.MaxHeader + slackBytes}, nil
	}
}

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// meterOf returns the meter below a connection, nil for none.
func meterOf(conn net.Conn) *meter {
	if below, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = below.NetConn()
	}
	m, _ := conn.(*meter)
	return m
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if m.read.Add(int64(n)) > m.slack+wirePerByte*m.useful.Load() {
		return n, m.end()
	}
	if err != nil {
		m.ended.Store(true)
	}
	return n, err
}

func (m *meter) Write(p []byte) (int, error) {
	if m.writes.Add(1) > slackWrites+m.useful.Load()/bytesPerAck {
		return 0, m.end()
	}
	return m.Conn.Write(p)
}

func (m *meter) end() error {
	m.flooded.Store(true)
	m.Conn.Close()
	return errFlood
}

// credit notes that n bytes of an answer came through.
func (m *meter) credit(n int) {
	if m != nil {
		m.useful.Add(int64(n))
	}
}

// isEnded reports whether the server closed the connection, or it broke.
func (m *meter) isEnded() bool { return m != nil && m.ended.Load() }

// isFlooded reports whether the connection was ended for a flood.
func (m *meter) isFlooded() bool { return m != nil && m.flooded.Load() }
