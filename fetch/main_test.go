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
	log.SetOutput(io.Discard) // net/http complains there about servers that say too much
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

// hasty is the configuration for servers that keep one waiting for an answer. What must
// come in time on a busy machine too, as a connection, has the usual limits.
var hasty = Config{Timeout: 2 * time.Second, HeaderTimeout: 300 * time.Millisecond, ReadTimeout: 200 * time.Millisecond}

// slowly is the configuration for servers that answer at once, and then keep one waiting.
var slowly = Config{Timeout: 10 * time.Second, HeaderTimeout: 10 * time.Second, ReadTimeout: 200 * time.Millisecond}

// unconnected is the configuration for what keeps one waiting for a connection.
var unconnected = Config{ConnectTimeout: 300 * time.Millisecond}

// A rawServer speaks over bare connections, so that it can say what no HTTP
// library would.
type rawServer struct {
	net.Listener
	conns atomic.Int64
	open  sync.Map
	wait  sync.WaitGroup
}

// serveRaw starts a server whose answer to each request is what say writes; the
// connection is closed after it.
func serveRaw(t testing.TB, say func(w net.Conn, path string)) *rawServer {
	return serveConns(t, func(c net.Conn) {
		if req, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			say(c, req.URL.Path)
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

// says answers with fixed bytes.
func says(answer string) func(net.Conn, string) {
	return func(c net.Conn, _ string) { io.WriteString(c, answer) }
}

// drips writes head, and then a byte now and then until nobody listens.
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

// hangs says nothing until the other side leaves.
func hangs(c net.Conn, _ string) { io.Copy(io.Discard, c) }

// resets breaks the connection off.
func resets(c net.Conn, _ string) { c.(*net.TCPConn).SetLinger(0) }

// got asks once, of a server made for it.
func got(t *testing.T, c Config, say func(net.Conn, string)) *Response {
	t.Helper()
	s := serveRaw(t, say)
	return newClient(t, c).Get(context.Background(), s.url("/page"))
}
