package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"dowse"
)

// requests counts the requests per site, on which the failures of the busy and
// the flaky host depend.
type requests []atomic.Int32

// answer returns the answer of the web to the next request for u.
func (n requests) answer(w *Web, u dowse.URL) (Page, bool) {
	at, _ := parse(u)
	i, ok := w.hosts[at.host]
	if !ok {
		return Page{}, false
	}
	count := 0
	if k := w.sites[i].kind; (k == Busy || k == Flaky) && at.path != "/robots.txt" {
		count = int(n[i].Add(1)) - 1
	}
	return w.Answer(u, count)
}

// header returns the HTTP header of an answer.
func (p *Page) header() http.Header {
	h := http.Header{"Content-Type": {p.Type}, "Content-Length": {strconv.Itoa(len(p.Body))}}
	if p.Location != "" {
		h.Set("Location", string(p.Location))
	}
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(p.RetryAfter/time.Second)))
	}
	return h
}

// RoundTripper returns the web as a transport without a network and without
// waiting: the caller must account for Latency. Each transport has its own
// count of requests. It may be used by many goroutines.
func (w *Web) RoundTripper() http.RoundTripper {
	count := make(requests, len(w.sites))
	return &transport{func(u dowse.URL) (Page, bool) { return count.answer(w, u) }}
}

// RoundTripper returns the town as a transport without a network and without
// waiting.
func (t *Town) RoundTripper() http.RoundTripper { return &transport{t.Page} }

// A transport is an http.RoundTripper that answers from memory. An unknown host
// gives a DNS error and a dropped connection a read error, as a network would.
type transport struct {
	answer func(dowse.URL) (Page, bool)
}

// RoundTrip answers a request. It implements http.RoundTripper, and returns an
// error if the context of the request has ended.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body.Close()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	p, ok := t.answer(addressOf(r.URL.Scheme, r.URL.Host, r))
	switch {
	case !ok:
		return nil, noSuchHost(r.URL.Hostname())
	case p.Reset:
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	}
	return p.response(r), nil
}

// addressOf returns the URL of a request, with its host in lower case.
func addressOf(scheme, host string, r *http.Request) dowse.URL {
	return dowse.URL(scheme + "://" + strings.ToLower(host) + r.URL.RequestURI())
}

// noSuchHost is the error that a resolver would return.
func noSuchHost(host string) error {
	return &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// response returns the answer as an HTTP response without a network.
func (p *Page) response(r *http.Request) *http.Response {
	body := p.Body
	if r.Method == http.MethodHead {
		body = nil
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", p.Status, http.StatusText(p.Status)), StatusCode: p.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: p.header(), Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(p.Body)), Request: r,
	}
}

// Handler returns the web as a handler that distinguishes sites by the Host
// header and waits for Latency. Each handler has its own count of requests.
func (w *Web) Handler() http.Handler {
	count := make(requests, len(w.sites))
	return &handler{func(u dowse.URL) (Page, bool) { return count.answer(w, u) }}
}

// Handler returns the town as a handler that distinguishes sites by the Host
// header.
func (t *Town) Handler() http.Handler { return &handler{t.Page} }

// A handler is an http.Handler that answers from memory after the latency.
type handler struct {
	answer func(dowse.URL) (Page, bool)
}

// ServeHTTP answers a request after its latency; a client that goes away ends
// the waiting. An unknown host is 421, since the server was reached under a
// name that it does not have.
func (h *handler) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	p, ok := h.answer(addressOf("http", r.Host, r))
	if !ok {
		http.Error(rw, "no such host", http.StatusMisdirectedRequest)
		return
	}
	if !sleep(r.Context(), p.Latency) {
		return
	}
	if p.Reset {
		reset(rw)
		return
	}
	for key, values := range p.header() {
		rw.Header()[key] = values
	}
	rw.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		rw.Write(p.Body)
	}
}

// sleep waits, and returns false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// reset drops the connection without an answer.
func reset(rw http.ResponseWriter) {
	hijacker, ok := rw.(http.Hijacker)
	if !ok {
		panic(http.ErrAbortHandler)
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}

// A Server serves a web on a port of the loopback interface.
type Server struct {
	knows    func(host string) bool
	listener net.Listener
	server   *http.Server
	done     chan struct{}
	stop     func() bool
}

// Serve starts a server on 127.0.0.1. It runs until ctx is over or Close is
// called.
func (w *Web) Serve(ctx context.Context) (*Server, error) {
	return listen(ctx, w.Handler(), func(host string) bool { _, known := w.hosts[host]; return known })
}

// Serve starts a server on 127.0.0.1. It runs until ctx is over or Close is
// called.
func (t *Town) Serve(ctx context.Context) (*Server, error) { return listen(ctx, t.Handler(), t.Knows) }

// listen starts a server whose goroutine ends with Close or with ctx. The port
// is chosen by the system.
func listen(ctx context.Context, h http.Handler, knows func(host string) bool) (*Server, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("demo: serve: %w", err)
	}
	s := &Server{
		knows: knows, listener: listener, done: make(chan struct{}),
		server: &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second},
	}
	go func() {
		defer close(s.done)
		s.server.Serve(listener)
	}()
	s.stop = context.AfterFunc(ctx, func() { s.server.Close() })
	return s, nil
}

// Addr returns the address on which the server listens.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Close stops the server, drops its connections and waits until it has ended.
func (s *Server) Close() error {
	s.stop()
	err := s.server.Close()
	<-s.done
	if err != nil {
		return fmt.Errorf("demo: close: %w", err)
	}
	return nil
}

// ErrElsewhere is returned by Dial for an address outside the synthetic web.
var ErrElsewhere = errors.New("not an address of the synthetic web")

// Dial connects to the server for port 80 of any of the web's hosts and refuses
// everything else. No name is ever looked up, so nothing can leave the machine.
// It fits http.Transport.DialContext.
func (s *Server) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("demo: dial %s: %w", address, err)
	}
	host = strings.ToLower(host)
	if !strings.HasSuffix(host, ".demo") || port != "80" || !strings.HasPrefix(network, "tcp") {
		return nil, fmt.Errorf("demo: dial %s: %w", address, ErrElsewhere)
	}
	if !s.knows(host) {
		return nil, fmt.Errorf("demo: dial %s: %w", address, noSuchHost(host))
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, "tcp", s.listener.Addr().String())
}
