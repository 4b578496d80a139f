package hostile

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Request is what the server saw of one request.
type Request struct {
	Begin, End time.Time
	Host       string // as the Host header has it, without port
	Method     string
	Target     string // path and query as they came
	Header     http.Header
	Status     int   // that was answered; 0 for an answer that is not HTTP
	Sent       int64 // bytes of an answer that goes on and on
	Acks       int64 // frames of an HTTP/2 flood that were acknowledged

	// Loose answers end when the server notices that the other side has left, which
	// may be a little later.
	Loose bool
}

// Path returns the target without its query.
func (r *Request) Path() string {
	path, _, _ := strings.Cut(r.Target, "?")
	return path
}

// HeaderBytes returns the size of the request's header, about as on the wire.
func (r *Request) HeaderBytes() int {
	n := len(r.Method) + len(r.Target) + len(r.Host)
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v) + 4
		}
	}
	return n
}

// A book is the log of requests to one site, in the order of their beginning.
// It may be used by many goroutines.
type book struct {
	mu   sync.Mutex
	list []*Request
}

// begin records a request when its header has been read.
func (b *book) begin(r *http.Request) *Request {
	host, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
	q := &Request{Begin: time.Now(), Host: host, Method: r.Method, Target: r.RequestURI, Header: r.Header.Clone()}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = append(b.list, q)
	return q
}

// note changes a request of the log under its lock.
func (b *book) note(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

// requests returns a copy of the log, sorted by the beginning of requests. It may be called
// while the crawl runs.
func (b *book) requests() []Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]Request, len(b.list))
	for i, r := range b.list {
		out[i] = *r
	}
	slices.SortStableFunc(out, func(a, b Request) int { return a.Begin.Compare(b.Begin) })
	return out
}

// count returns the number of requests for a path so far.
func (b *book) count(path string) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.list {
		if r.Path() == path {
			n++
		}
	}
	return n
}
