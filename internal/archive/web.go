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

// A Web is what a set of WARC or WACZ files recorded, as an http.RoundTripper: the same
// request always gets the same answer, and nothing goes out. A URL that is not
// in it is answered with 404. It may be used from many goroutines, and holds in
// memory no more than the URLs and where their captures are.
type Web struct {
	// Damage lists where files could not be read to their end. What was recorded
	// before that place is served.
	Damage []error

	opened   []*os.File
	files    []recording
	captures map[dowse.URL]capture
	aliases  map[dowse.URL]dowse.URL // other spellings
	order    []dowse.URL
	readers  sync.Pool // of *Reader
}

// recording is a WARC file, alone or within a WACZ.
type recording struct {
	name string
	*io.SectionReader
}

// capture is where a response is kept.
type capture struct {
	at     int64 // Unix nanoseconds
	offset int64
	inner  int64
	file   int32
}

// WebConfig says which files a [Web] replays, and how.
type WebConfig struct {
	Paths []string
	First bool // of several captures of a URL the first counts, not the last
}

// OpenWeb opens the recorded web of some WARC or WACZ files; of several captures
// of a URL the last counts. Revisits are answered with the response they refer to.
func OpenWeb(paths ...string) (*Web, error) { return WebConfig{Paths: paths}.Open() }

// Open opens the recorded web. It fails if a file can't be opened or does not
// begin with a WARC record; damage further on is noted in Web.Damage.
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

// Close closes the files. No request may be under way or come later.
func (w *Web) Close() error {
	var errs []error
	for _, f := range w.opened {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// URLs lists what was recorded, in the order of first sight.
func (w *Web) URLs() iter.Seq[dowse.URL] {
	return func(yield func(dowse.URL) bool) {
		for _, u := range w.order {
			if !yield(u) {
				return
			}
		}
	}
}

// Len returns the number of URLs recorded.
func (w *Web) Len() int { return len(w.captures) }

// Place returns where the answer to a URL is kept, for what [Web.RoundTrip]
// would say. The length is not known.
func (w *Web) Place(u dowse.URL) (dowse.Place, bool) {
	c, ok := w.find(u)
	if !ok {
		return dowse.Place{}, false
	}
	return dowse.Place{File: w.files[c.file].name, Offset: c.offset}, true
}

// RoundTrip answers a request from the files. As net/http's own transport does,
// it undoes gzip where the request did not ask for a content coding.
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

func (w *Web) find(u dowse.URL) (capture, bool) {
	c, ok := w.captures[u]
	if !ok {
		c, ok = w.captures[w.aliases[u]]
	}
	return c, ok
}

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

// response reads the response that begins after inner bytes of the member here.
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

// replayBody gives the reader back when it is closed.
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

// finishReplay fits a recorded response to the request at hand.
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

// unzipped undoes gzip as it is read.
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

func bareResponse(req *http.Request, status int) *http.Response {
	text := http.StatusText(status) + "\n"
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header:        http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "Content-Length": {strconv.Itoa(len(text))}},
		ContentLength: int64(len(text)), Body: io.NopCloser(strings.NewReader(text)),
	}
}
