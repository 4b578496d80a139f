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

// A Client makes requests. It is safe for concurrent use; each call makes one
// request at a time and returns when that is over. All of its fields are set by
// New and never change.
type Client struct {
	config    Config
	guard     guard
	transport http.RoundTripper
	live      bool        // transport was made by newTransport, so it reaches the network
	header    http.Header // of every request; shared, so never changed
	headTail  []byte      // header as it is recorded, see requestHead
	codec     *codec
}

// New returns a client. It fails only for settings that cannot be used. Nothing
// is sent and no name is looked up before the first request.
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

// newTransport returns the transport for the live web: guarded, metered,
// without proxies and with small HTTP/2 buffers, because a client has
// connections to many hosts.
func newTransport(c Config) *http.Transport {
	dial := c.Dial
	if dial == nil {
		dial = newDialer(c).DialContext
	}
	settings := c.tls.Clone()
	if settings == nil {
		settings = &tls.Config{}
	}
	return &http.Transport{
		DialContext:            metered(dial, c),
		TLSClientConfig:        settings,
		TLSHandshakeTimeout:    c.connectTimeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // codings are undone here, with limits
		MaxIdleConns:           c.IdleConns,
		MaxIdleConnsPerHost:    c.idlePerHost,
		IdleConnTimeout:        c.idleTimeout,
		MaxResponseHeaderBytes: c.maxHeader,
		HTTP2:                  &http.HTTP2Config{MaxReceiveBufferPerStream: 256 << 10, MaxReceiveBufferPerConnection: 512 << 10},
	}
}

// Close closes idle connections. Requests in flight are not interrupted, and
// the client may be used afterwards.
func (c *Client) Close() {
	if t, ok := c.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// UserAgent returns the User-Agent header that the client sends.
func (c *Client) UserAgent() string { return c.header.Get("User-Agent") }

// Agent returns the product token by which robots.txt rules are selected.
func (c *Client) Agent() string { return c.config.token() }

// Get requests the page u: one request, no redirect followed. It never fails:
// the outcome of the response names the problem. The caller owns the
// response and, if the client has a budget, must release its claim.
func (c *Client) Get(ctx context.Context, u dowse.URL) *Response {
	return c.fetch(ctx, u, pageLimits(c.config))
}

// fetch makes one request for u and reads the answer within limits.
func (c *Client) fetch(ctx context.Context, u dowse.URL, l limits) *Response {
	r := &Response{URL: u, Claim: c.config.Budget.newClaim()}
	r.Fetch.At = time.Now()
	scheme, authority, rest, ok := split(u)
	if !ok {
		return r.fail(dowse.FailProtocol, "not an http or https URL")
	}
	if addr, ok := literal(hostname(authority)); ok && !c.guard.allows(addr) {
		return r.refuse(&privateError{host: hostname(authority), addr: addr})
	}
	r.RequestHead = c.requestHead(ctx, authority, rest)
	w := newWatch(ctx, c.config)
	defer w.stop()
	v := &visit{Response: r, watch: w, codec: c.codec, limits: l}
	v.exchange(c.transport, c.request(c.traced(w, r), u, scheme, authority, rest))
	r.Fetch.Took = time.Since(r.Fetch.At) - v.waited
	if r.Host != nil && r.Host.Local {
		c.Close() // idle connections are useless without a network, and each holds a file descriptor
	}
	return r
}

// traced returns the context of the request with a trace that records which
// address answered, whether its name is being looked up, and the meter of its connection. It also stops
// net/http from repeating the request by itself when a reused connection
// breaks: the host would see two requests in immediate succession, which
// politeness forbids.
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
		DNSStart:     func(info httptrace.DNSStartInfo) { w.resolving.Store(&info.Host) },
		DNSDone:      func(httptrace.DNSDoneInfo) { w.resolving.Store(nil) },
	})
}

// remoteAddr returns the IP address of the other end, the zero Addr if it has
// none.
func remoteAddr(conn net.Conn) netip.Addr {
	if a, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		return a.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}
