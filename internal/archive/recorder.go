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

// A Recorder is an http.RoundTripper that keeps what passes through another one.
// An exchange is recorded when its body was read to the end or is closed; the
// error of writing it, if any, is that of Close. It may be used from many
// goroutines.
type Recorder struct {
	Transport http.RoundTripper // http.DefaultTransport
	Writer    *Writer
	MaxBytes  int64            // of a body that are kept; 16 MiB
	Now       func() time.Time // time.Now
}

// RoundTrip sends the request on and hands back the answer, as it came.
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

// target is the URL as it was asked for.
func target(req *http.Request) dowse.URL {
	u, _, _ := strings.Cut(req.URL.String(), "#")
	return dowse.URL(u)
}

// tape passes a body on and keeps a copy.
type tape struct {
	to     *Writer
	limit  int64
	body   io.ReadCloser
	length int64 // as announced; -1 for unknown

	mu    sync.Mutex
	ex    Exchange
	over  bool // the end was reached
	done  bool // written
	wrote error
}

func (t *tape) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		if a, ok := c.Conn.RemoteAddr().(*net.TCPAddr); ok {
			t.mu.Lock()
			t.ex.Address, _ = netip.AddrFromSlice(a.IP)
			t.mu.Unlock()
		}
	}}
}

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

func (t *tape) Close() error {
	err := t.body.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
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

func (t *tape) write() {
	if t.done {
		return
	}
	t.done = true
	_, t.wrote = t.to.Append(Encode(nil, &t.ex))
	t.ex = Exchange{}
}

// requestHead is a request as HTTP/1.1 has it; net/http does not show the bytes
// that it sends.
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
