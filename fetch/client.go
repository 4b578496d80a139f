package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
	"time"

	"dowse"
)

// A Client asks the web. It is safe for use by many goroutines; each call makes
// one request at a time and returns when it is over.
type Client struct {
	config    Config
	guard     guard
	transport http.RoundTripper
	live      bool // transport is our own
	header    http.Header
	headTail  []byte
	codec     *codec
}

// New returns a client. It fails only for settings that can't be used; nothing is
// sent and no name looked up before the first request.
func New(c Config) (*Client, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	h := newHeader(c)
	client := &Client{
		config: c, guard: newGuard(c), header: h, headTail: headTail(h),
		transport: c.Transport, live: c.Transport == nil, codec: &codec{},
	}
	if client.live {
		client.transport = newTransport(c)
	}
	return client, nil
}

// newTransport returns the way to the live web.
func newTransport(c Config) *http.Transport {
	dial := c.Dial
	if dial == nil {
		dial = newDialer(c).DialContext
	}
	settings := c.TLS.Clone()
	if settings == nil {
		settings = &tls.Config{}
	}
	return &http.Transport{
		DialContext:            metered(dial, c),
		TLSClientConfig:        settings,
		TLSHandshakeTimeout:    c.ConnectTimeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // codings are undone here, with limits
		MaxIdleConns:           c.IdleConns,
		MaxIdleConnsPerHost:    c.IdlePerHost,
		IdleConnTimeout:        c.IdleTimeout,
		MaxResponseHeaderBytes: c.MaxHeader,
		HTTP2:                  &http.HTTP2Config{MaxReceiveBufferPerStream: 256 << 10, MaxReceiveBufferPerConnection: 512 << 10},
	}
}

// Close lets go of idle connections. Calls under way go on.
func (c *Client) Close() {
	if t, ok := c.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// UserAgent returns what the client calls itself.
func (c *Client) UserAgent() string { return c.header.Get("User-Agent") }

// Agent returns the product token under which robots.txt rules are looked up.
func (c *Client) Agent() string { return c.config.token() }

// Get asks for the page u: one request, no redirect followed. It never fails:
// what went wrong is the response's outcome. The caller owns the response.
func (c *Client) Get(ctx context.Context, u dowse.URL) *Response {
	return c.fetch(ctx, u, pageLimits(c.config))
}

// fetch makes one request for u and takes in the answer as far as limits says.
func (c *Client) fetch(ctx context.Context, u dowse.URL, l limits) *Response {
	r := &Response{URL: u, Claim: c.config.Budget.Claim()}
	r.Fetch.At = time.Now()
	scheme, authority, rest, ok := split(u)
	if !ok {
		return r.fail(dowse.FailProtocol, "not an http or https URL")
	}
	if addr, ok := literal(hostname(authority)); ok && !c.guard.allows(addr) {
		return r.refuse(&privateError{host: hostname(authority), addr: addr})
	}
	r.RequestHead = c.requestHead(authority, rest)
	w := newWatch(ctx, c.config)
	defer w.stop()
	v := &visit{Response: r, watch: w, codec: c.codec, limits: l}
	v.exchange(c.transport, c.request(c.traced(w, r), u, scheme, authority, rest))
	r.Fetch.Took = time.Since(r.Fetch.At) - v.waited
	if r.Host != nil && r.Host.Local {
		c.Close() // idle connections are of no use without a network, and take up files
	}
	return r
}

// traced lets the response learn which address answered, and keeps net/http from
// asking a second time by itself when a connection that was used before breaks: to
// the host that would be two requests in no time.
func (c *Client) traced(w *watch, r *Response) context.Context {
	if !c.live {
		return w.ctx
	}
	var sent atomic.Bool
	return httptrace.WithClientTrace(w.ctx, &httptrace.ClientTrace{
		GetConn: func(string) {
			if sent.Load() {
				w.cancel(errDropped)
			}
		},
		GotConn: func(info httptrace.GotConnInfo) {
			r.Fetch.Address = remoteAddr(info.Conn)
			w.meter = meterOf(info.Conn)
			w.meter.credit(perRequest)
		},
		WroteHeaders: func() { sent.Store(true) },
	})
}

func remoteAddr(conn net.Conn) netip.Addr {
	if a, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		return a.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}
