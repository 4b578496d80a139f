package fetch

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dowse"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // net/http logs there that servers send too much
	code := m.Run()
	if code != 0 {
		os.Exit(code)
	}
	if err := leaks(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// leaks returns the goroutines that do not end. Those that wait for a name server which
// does not answer do so in a while.
func leaks() (err error) {
	for range 30 { // each takes about half a second
		if err = goleak.Find(); err == nil {
			return nil
		}
	}
	return err
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// newClient returns a client that may reach the test's servers.
func newClient(t testing.TB, c Config) *Client {
	t.Helper()
	if c.AllowNet == nil {
		c.AllowNet = loopback
	}
	client, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// hasty is the configuration for servers that delay their answer. The limits for what must
// succeed even on a busy machine, such as connecting, are the usual ones.
var hasty = Config{Timeout: 2 * time.Second, headerTimeout: 300 * time.Millisecond, readTimeout: 200 * time.Millisecond}

// slowly is the configuration for servers that answer immediately and then stall.
var slowly = Config{Timeout: 10 * time.Second, headerTimeout: 10 * time.Second, readTimeout: 200 * time.Millisecond}

// unconnected is the configuration for addresses that never accept a connection.
var unconnected = Config{connectTimeout: 300 * time.Millisecond}

// A rawServer writes to bare connections, so that it can send what no HTTP library
// would.
type rawServer struct {
	net.Listener
	conns atomic.Int64
	open  sync.Map
	wait  sync.WaitGroup
}

// serveRaw starts a server whose answer to each request is what send writes; the
// connection is closed after it.
func serveRaw(t testing.TB, send func(w net.Conn, path string)) *rawServer {
	return serveConns(t, func(c net.Conn) {
		if req, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			send(c, req.URL.Path)
		}
	})
}

func serveConns(t testing.TB, serve func(net.Conn)) *rawServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &rawServer{Listener: l}
	s.wait.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.conns.Add(1)
			s.open.Store(c, true)
			s.wait.Go(func() {
				defer s.open.Delete(c)
				defer c.Close()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		s.open.Range(func(c, _ any) bool { c.(net.Conn).Close(); return true })
		s.wait.Wait()
	})
	return s
}

func (s *rawServer) url(path string) dowse.URL {
	return dowse.URL("http://" + s.Addr().String() + path)
}

// sends answers with fixed bytes.
func sends(answer string) func(net.Conn, string) {
	return func(c net.Conn, _ string) { io.WriteString(c, answer) }
}

// drips writes head, and then a byte now and then until the client hangs up.
func drips(head string) func(net.Conn, string) {
	return func(c net.Conn, _ string) {
		io.WriteString(c, head)
		for {
			time.Sleep(20 * time.Millisecond)
			if _, err := io.WriteString(c, "x"); err != nil {
				return
			}
		}
	}
}

// floods writes head, and then more without end.
func floods(head, more string) func(net.Conn, string) {
	return func(c net.Conn, _ string) {
		io.WriteString(c, head)
		for {
			if _, err := io.WriteString(c, more); err != nil {
				return
			}
		}
	}
}

// hangs sends nothing until the client hangs up.
func hangs(c net.Conn, _ string) { io.Copy(io.Discard, c) }

// resets breaks the connection off.
func resets(c net.Conn, _ string) { c.(*net.TCPConn).SetLinger(0) }

// got returns the response to one request to a server that answers with send.
func got(t *testing.T, c Config, send func(net.Conn, string)) *Response {
	t.Helper()
	s := serveRaw(t, send)
	return newClient(t, c).Get(context.Background(), s.url("/page"))
}
