package archive

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"dowse"
)

// A Web replays WARC or WACZ files as an http.RoundTripper: the same request
// always gets the same answer, and nothing is sent to the network. A URL that
// was not recorded is answered with 404. It is safe for concurrent use, and
// keeps in memory only the URLs and the places of their captures.
type Web struct {
	// Damage lists the files that could not be read to their end. What was
	// recorded before the damage is served.
	Damage []error

	opened   []*os.File
	files    []recording
	captures map[dowse.URL]capture
	aliases  map[dowse.URL]dowse.URL // other spellings of URLs in captures
	order    []dowse.URL             // keys of captures, as first seen
	readers  sync.Pool               // of *Reader
}

// recording is a WARC file, by itself or in a WACZ.
type recording struct {
	name string
	*io.SectionReader
}

// capture is the place of a stored response.
type capture struct {
	at     int64 // when it was recorded, in Unix nanoseconds
	offset int64 // of the record or its gzip member
	inner  int64 // bytes before the record in its gzip member
	file   int32 // index in Web.files
}

// WebConfig selects the files that a [Web] replays, and the capture of each URL.
type WebConfig struct {
	Paths []string
	First bool // replay the first capture of a URL; default the last
}

// OpenWeb opens the recorded web of WARC or WACZ files and replays the last
// capture of each URL. Revisits are answered with the response that they refer
// to.
func OpenWeb(paths ...string) (*Web, error) { return WebConfig{Paths: paths}.Open() }

// Open opens the recorded web. It reads all files once. It fails if a file
// cannot be opened or does not begin with a WARC record; damage further on is
// listed in Web.Damage.
func (c WebConfig) Open() (*Web, error) {
	w := &Web{captures: make(map[dowse.URL]capture), aliases: make(map[dowse.URL]dowse.URL)}
	w.readers.New = func() any { return NewReader(nil) }
	x := indexer{Web: w, first: c.First, seed: maphash.MakeSeed(), originals: make(map[uint64]capture)}
	for _, path := range c.Paths {
		if err := x.add(path); err != nil {
			w.Close()
			return nil, err
		}
	}
	x.resolve()
	return w, nil
}

// Close closes the files. No request may be in flight or follow.
func (w *Web) Close() error {
	var errs []error
	for _, f := range w.opened {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// URLs yields the recorded URLs in the order in which they were first recorded.
func (w *Web) URLs() iter.Seq[dowse.URL] {
	return func(yield func(dowse.URL) bool) {
		for _, u := range w.order {
			if !yield(u) {
				return
			}
		}
	}
}

// Len returns the number of recorded URLs.
func (w *Web) Len() int { return len(w.captures) }

// Place returns the place of the record from which [Web.RoundTrip] answers a
// URL; ok is false if there is none. The length is not known.
func (w *Web) Place(u dowse.URL) (p dowse.Place, ok bool) {
	c, ok := w.find(u)
	if !ok {
		return dowse.Place{}, false
	}
	return dowse.Place{File: w.files[c.file].name, Offset: c.offset}, true
}

// RoundTrip answers a request from the files. Like net/http's own transport, it
// undoes gzip if the request did not ask for a content coding. Methods other
// than GET and HEAD are answered with 405.
func (w *Web) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	if req.Method != "" && req.Method != http.MethodGet && req.Method != http.MethodHead {
		return bareResponse(req, http.StatusMethodNotAllowed), nil
	}
	c, ok := w.find(key(req.URL.String()))
	if !ok {
		return bareResponse(req, http.StatusNotFound), nil
	}
	resp, err := w.replay(c)
	if err != nil {
		return nil, fmt.Errorf("archive: replay %s: %w", printable(req.URL.String()), err)
	}
	resp.Request = req
	return finishReplay(resp, req), nil
}

// find returns the capture of a URL, also in the spelling of net/url.
func (w *Web) find(u dowse.URL) (capture, bool) {
	c, ok := w.captures[u]
	if !ok {
		c, ok = w.captures[w.aliases[u]]
	}
	return c, ok
}

// replay reads a stored response. Its body holds a pooled reader until it is
// closed.
func (w *Web) replay(c capture) (*http.Response, error) {
	r := w.readers.Get().(*Reader)
	r.reset(io.NewSectionReader(w.files[c.file], c.offset, 1<<62-c.offset), c.offset)
	resp, err := r.response(c.inner)
	if err != nil {
		w.readers.Put(r)
		return nil, err
	}
	resp.Body = &replayBody{Reader: resp.Body, done: func() { w.readers.Put(r) }}
	return resp, nil
}

// response reads the response that begins after inner bytes of the gzip member
// here. Files that are one large member are read from the start of the member
// each time, which is slow but needs no memory.
func (r *Reader) response(inner int64) (*http.Response, error) {
	if inner > 0 {
		if err := r.begin(); err != nil {
			return nil, err
		}
		if _, err := io.CopyN(io.Discard, r.text, inner); err != nil {
			return nil, damageAt(r.start, err)
		}
	}
	rec, err := r.Next()
	if err != nil {
		return nil, err
	}
	return rec.Response()
}

// replayBody returns the reader to the pool when it is closed. The mutex is
// needed because a body may be closed while it is read.
type replayBody struct {
	io.Reader
	mu   sync.Mutex
	done func()
}

func (b *replayBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done == nil {
		return 0, http.ErrBodyReadAfterClose
	}
	return b.Reader.Read(p)
}

func (b *replayBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done != nil {
		b.done()
		b.done = nil
	}
	return nil
}

// finishReplay adapts a stored response to the request.
func finishReplay(resp *http.Response, req *http.Request) *http.Response {
	switch {
	case req.Method == http.MethodHead:
		resp.Body.Close()
		resp.Body = http.NoBody
	case req.Header.Get("Accept-Encoding") == "" && req.Header.Get("Range") == "" &&
		strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") && resp.ContentLength != 0:
		resp.Body = &unzipped{body: resp.Body}
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	}
	return resp
}

// unzipped undoes gzip while it is read.
type unzipped struct {
	body io.ReadCloser
	gz   *gzip.Reader
	err  error
}

func (u *unzipped) Read(p []byte) (int, error) {
	if u.gz == nil && u.err == nil {
		u.gz, u.err = gzip.NewReader(u.body)
	}
	if u.err != nil {
		return 0, u.err
	}
	return u.gz.Read(p)
}

func (u *unzipped) Close() error { return u.body.Close() }

// bareResponse returns a short response that was not recorded.
func bareResponse(req *http.Request, status int) *http.Response {
	text := http.StatusText(status) + "\n"
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header:        http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "Content-Length": {strconv.Itoa(len(text))}},
		ContentLength: int64(len(text)), Body: io.NopCloser(strings.NewReader(text)),
	}
}
