package fetch

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
)

// errFlood reports that a connection was closed because the server sent far
// more than the answers account for.
var errFlood = errors.New("the server floods the connection with frames that carry nothing")

// A meter is a connection that counts the bytes read and the writes, and closes
// itself when they are out of proportion to the answers. HTTP/2 lets a server
// send an endless number of frames that are not part of an answer: SETTINGS and
// PING, which must be answered, empty DATA, padding, and more. Each frame is
// cheap and legal, so only their sum shows a flood.
//
// A connection is allowed slack bytes and slackWrites writes, and more with
// every byte of an answer, because the reader of an HTTP/2 body writes a window
// update for every few KiB. The counters are atomic, since net/http reads and
// writes from different goroutines.
type meter struct {
	net.Conn
	slack   int64 // bytes allowed in addition to answers; includes headers not yet complete
	read    atomic.Int64
	writes  atomic.Int64
	useful  atomic.Int64 // bytes of answers
	flooded atomic.Bool
	ended   atomic.Bool // a read failed: nothing more comes
}

const (
	slackBytes  = 1 << 20 // in addition to headers: handshakes, frames, buffered parts of a body
	slackWrites = 2000    // handshakes, acknowledgements
	wirePerByte = 2       // bytes on the wire per byte of an answer
	bytesPerAck = 1 << 10 // bytes of an answer per write; net/http writes two per 4 KiB
	perRequest  = 4 << 10 // bytes credited per request, whatever its answer
)

// metered returns dial with a meter around each connection.
func metered(dial dialFunc, c Config) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &meter{Conn: conn, slack: c.maxHeader + slackBytes}, nil
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

// Read counts before it returns, so a flood ends the connection even while no
// request is in flight.
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

// end closes the connection as flooded.
func (m *meter) end() error {
	m.flooded.Store(true)
	m.Conn.Close()
	return errFlood
}

// credit records that n bytes of an answer were received. m may be nil.
func (m *meter) credit(n int) {
	if m != nil {
		m.useful.Add(int64(n))
	}
}

// isEnded reports whether the server closed the connection, or it broke.
func (m *meter) isEnded() bool { return m != nil && m.ended.Load() }

// isFlooded reports whether the connection was closed as flooded.
func (m *meter) isFlooded() bool { return m != nil && m.flooded.Load() }
