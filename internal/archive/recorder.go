package archive

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"dowse"
)

// A Recorder is an http.RoundTripper that stores what passes through another
// one. An exchange is stored when its body was read to the end or is closed; an
// error of storing it is returned by Close of the body. It is safe for
// concurrent use.
type Recorder struct {
	Transport http.RoundTripper // default http.DefaultTransport
	Writer    *Writer
	MaxBytes  int64            // of a body that are stored; default 16 MiB
	Now       func() time.Time // default time.Now
}

// RoundTrip sends the request and returns the answer unchanged.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	now := time.Now
	if r.Now != nil {
		now = r.Now
	}
	next := r.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	tape := &tape{to: r.Writer, limit: r.MaxBytes, ex: Exchange{At: now(), URL: target(req)}}
	if tape.limit == 0 {
		tape.limit = 16 << 20
	}
	tape.ex.RequestHead = requestHead(req)
	resp, err := next.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), tape.trace())))
	if err != nil {
		return nil, err
	}
	tape.ex.ResponseHead = responseHead(resp)
	tape.length = resp.ContentLength
	tape.body, resp.Body = resp.Body, tape
	return resp, nil
}

// target returns the requested URL without its fragment.
func target(req *http.Request) dowse.URL {
	u, _, _ := strings.Cut(req.URL.String(), "#")
	return dowse.URL(u)
}

// tape is a body that keeps a copy of what is read from it, up to limit bytes.
// The mutex is needed because a body may be closed while it is read.
type tape struct {
	to     *Writer
	limit  int64
	body   io.ReadCloser
	length int64 // as announced by the server; -1 if unknown

	mu    sync.Mutex
	ex    Exchange
	over  bool  // the end of the body was reached
	done  bool  // the exchange was stored, or storing it failed
	wrote error // why storing failed
}

// trace records the address of the server.
func (t *tape) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		if a, ok := c.Conn.RemoteAddr().(*net.TCPAddr); ok {
			t.mu.Lock()
			t.ex.Address, _ = netip.AddrFromSlice(a.IP)
			t.mu.Unlock()
		}
	}}
}

// Read copies what it returns. The exchange is stored when the body ends, since
// many callers never close a body that they have read to its end.
func (t *tape) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	room := max(0, t.limit-int64(len(t.ex.Payload)))
	t.ex.Payload = append(t.ex.Payload, p[:min(int64(n), room)]...)
	if int64(n) > room {
		t.ex.Truncated = "length"
	}
	if err == io.EOF {
		t.over = true
		t.write()
	} else if err != nil && t.ex.Truncated == "" {
		t.ex.Truncated = "disconnect"
	}
	return n, err
}

// Close stores the exchange if that was not done. A body that was closed early
// is marked as truncated.
func (t *tape) Close() error {
	err := t.body.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	// A caller that knows the length need not read up to io.EOF.
	t.over = t.over || t.length == int64(len(t.ex.Payload))
	if !t.over && t.ex.Truncated == "" {
		t.ex.Truncated = "unspecified"
	}
	t.write()
	if t.wrote != nil {
		return t.wrote
	}
	return err
}

// write stores the exchange once. t.mu is held.
func (t *tape) write() {
	if t.done {
		return
	}
	t.done = true
	_, t.wrote = t.to.Append(Encode(nil, &t.ex))
	t.ex = Exchange{}
}

// requestHead returns a request in the form of HTTP/1.1; net/http does not show
// the bytes that it sends.
func requestHead(req *http.Request) []byte {
	var b bytes.Buffer
	host := req.Host
	if host == "" {
		host = req.URL.Host
	}
	method := req.Method
	if method == "" {
		method = http.MethodGet
	}
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, req.URL.RequestURI(), host)
	writeFields(&b, req.Header)
	return b.Bytes()
}

// responseHead returns the head of a response in the form of HTTP/1.
func responseHead(resp *http.Response) []byte {
	var b bytes.Buffer
	status := resp.Status
	if status == "" {
		status = fmt.Sprintf("%03d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	fmt.Fprintf(&b, "HTTP/%d.%d %s\r\n", resp.ProtoMajor, resp.ProtoMinor, status)
	writeFields(&b, resp.Header)
	for _, coding := range resp.TransferEncoding {
		fmt.Fprintf(&b, "Transfer-Encoding: %s\r\n", coding)
	}
	return b.Bytes()
}

// writeFields writes the fields of a header, sorted by name.
func writeFields(b *bytes.Buffer, h http.Header) {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range h[name] {
			fmt.Fprintf(b, "%s: %s\r\n", name, value)
		}
	}
}
