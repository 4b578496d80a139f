package server

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Bounds of what all users together may have open.
const (
	maxConnections = 256
	maxRequests    = 64              // ordinary requests that are answered concurrently
	maxOpen        = 16              // requests of paths that need no token, and of static files without one
	maxStreams     = 50              // streams of events: viewers of live pages
	maxBody        = 4 << 20         // bytes of a request of a user that is logged in
	hopeless       = 64 << 20        // bytes of a body that is refused as soon as it is announced
	maxForm        = 16 << 10        // bytes of the form of the log-in
	slotTime       = 5 * time.Second // how long a request waits for its turn
)

// limitConnections returns a listener with at most n open connections; others wait in the queue of
// the system.
func limitConnections(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, slots: make(chan struct{}, n), done: make(chan struct{})}
}

type limited struct {
	net.Listener
	slots chan struct{}
	done  chan struct{}
	once  sync.Once
}

// Accept waits for a free slot, then for a connection.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &slotted{Conn: c, free: func() { <-l.slots }}, nil
}

// Close closes the port and releases an Accept that waits for a slot.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

// A slotted connection frees its slot when it is closed.
type slotted struct {
	net.Conn
	once sync.Once
	free func()
}

func (c *slotted) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.free)
	return err
}

// streams bounds the number of streams and ends them all when the server ends: a stream would
// otherwise keep it from ending.
type streams struct {
	slots chan struct{}
	done  chan struct{}
	once  sync.Once
}

func newStreams(n int) *streams {
	return &streams{slots: make(chan struct{}, n), done: make(chan struct{})}
}

// end ends all streams.
func (s *streams) end() { s.once.Do(func() { close(s.done) }) }

// serve calls next for a stream if there is room. The deadline of the connection is lifted; handlers
// of streams set one for each write.
func (s *streams) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		w.Header().Set("Retry-After", "30")
		refuse(w, r, http.StatusServiceUnavailable, "too many viewers", "Close a page of the dashboard, or look without live numbers.")
		return
	}
	ctx, cancel := withEnd(r.Context(), s.done)
	defer cancel()
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Time{})
	_ = c.SetWriteDeadline(time.Time{})
	next.ServeHTTP(w, r.WithContext(ctx))
}

// quiet returns a logger that drops everything: what net/http logs is about clients that went away,
// and holds text that they sent.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// withEnd returns a context that also ends when done is closed.
func withEnd(ctx context.Context, done <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-done:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
