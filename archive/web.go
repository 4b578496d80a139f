package archive

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"dowse"
	"dowse/weburl"
)

// A Web is what a set of WARC files recorded, as an http.RoundTripper: the same
// request always gets the same answer, and nothing goes out. A URL that is not
// in it is answered with 404. It may be used from many goroutines, and holds in
// memory no more than the URLs and where their captures are.
type Web struct {
	// Damage lists where files could not be read to their end. What was recorded
	// before that place is served.
	Damage []error

	files    []*os.File
	captures map[dowse.URL]capture
	aliases  map[dowse.URL]dowse.URL // other spellings
	order    []dowse.URL
	readers  sync.Pool // of *Reader
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

// OpenWeb opens the recorded web of some WARC files; of several captures of a
// URL the last counts. Revisits are answered with the response they refer to.
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
	for _, f := range w.files {
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
	return dowse.Place{File: filepath.Base(w.files[c.file].Name()), Offset: c.offset}, true
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
		return plain(req, http.StatusMethodNotAllowed), nil
	}
	c, ok := w.find(key(req.URL.String()))
	if !ok {
		return plain(req, http.StatusNotFound), nil
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
	r.reset(io.NewSectionReader(w.files[c.file], c.offset, 1<<62), c.offset)
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

func plain(req *http.Request, status int) *http.Response {
	text := http.StatusText(status) + "\n"
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header:        http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "Content-Length": {strconv.Itoa(len(text))}},
		ContentLength: int64(len(text)), Body: io.NopCloser(strings.NewReader(text)),
	}
}

// key is the canonical URL, or the raw one for what is none.
func key(raw string) dowse.URL {
	u, err := weburl.Parse(raw)
	if err != nil {
		return dowse.URL(raw)
	}
	return u
}

// indexer fills a Web. Digests and record IDs are kept, as hashes, only until
// the revisits are resolved.
type indexer struct {
	*Web
	first     bool
	seed      maphash.Seed
	originals map[uint64]capture
	revisits  []revisit
}

// revisit waits for the original that it refers to.
type revisit struct {
	url   dowse.URL
	at    int64
	refer [3]uint64 // names of the original, to be tried in turn
}

func (x *indexer) add(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("archive: open %s: %w", path, err)
	}
	x.files = append(x.files, f)
	n := 0
	for rec, err := range Records(f) {
		if err != nil && n == 0 {
			return fmt.Errorf("archive: read %s: %w", path, err)
		}
		if err != nil {
			x.Damage = append(x.Damage, fmt.Errorf("archive: read %s: %w", path, err))
			break
		}
		n++
		x.record(rec)
	}
	return nil
}

func (x *indexer) record(rec *Record) {
	kind := rec.Type()
	if kind != "response" && kind != "revisit" && kind != "resource" || rec.Target() == "" {
		return
	}
	u := key(rec.Target())
	at := rec.Date().UnixNano()
	if rec.Date().Equal(time.Time{}) {
		at = 0
	}
	if kind == "revisit" {
		x.revisits = append(x.revisits, revisit{u, at, x.references(rec)})
		return
	}
	if kind == "response" && !rec.isHTTP() {
		return
	}
	c := capture{at: at, offset: rec.Offset, inner: rec.inner, file: int32(len(x.files) - 1)}
	for _, h := range x.names(rec, u) {
		x.originals[h] = c
	}
	x.put(u, c)
}

func (x *indexer) put(u dowse.URL, c capture) {
	old, known := x.captures[u]
	if !known {
		x.order = append(x.order, u)
		x.alias(u)
	}
	if later := c.at >= old.at; !known || later != x.first {
		x.captures[u] = c
	}
}

// alias notes how net/url spells a URL, where that is another way: requests
// arrive so.
func (x *indexer) alias(u dowse.URL) {
	parsed, err := url.Parse(string(u))
	if err != nil {
		return
	}
	if spelt := key(parsed.String()); spelt != u {
		x.aliases[spelt] = u
	}
}

// names are the hashes under which a revisit may ask for a response.
func (x *indexer) names(rec *Record, u dowse.URL) []uint64 {
	names := []uint64{x.hash("url", string(u)), x.hash("id", rec.ID())}
	if d := rec.Header.Value("WARC-Payload-Digest"); d != "" {
		return append(names, x.hash("digest", d))
	}
	return append(names, x.hash("undigested", string(u)))
}

// references are the names to look for in turn. A revisit that knows the digest
// of its payload is not content with a response of another one.
func (x *indexer) references(rec *Record) [3]uint64 {
	target := rec.Header.Value("WARC-Refers-To-Target-URI")
	if target == "" {
		target = rec.Target()
	}
	digest, way := rec.Header.Value("WARC-Payload-Digest"), "url"
	if digest != "" {
		way = "undigested"
	}
	return [3]uint64{
		x.hash("digest", digest),
		x.hash("id", bare(rec.Header.Value("WARC-Refers-To"))),
		x.hash(way, string(key(bare(target)))),
	}
}

func (x *indexer) hash(kind, s string) uint64 {
	if s == "" {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(x.seed)
	h.WriteString(kind)
	h.WriteByte(0)
	h.WriteString(s)
	return max(h.Sum64(), 1)
}

// resolve gives each revisit the capture of its original. Where that was not
// recorded here there is no body to serve, and the URL stays unknown.
func (x *indexer) resolve() {
	for _, r := range x.revisits {
		for _, h := range r.refer {
			if c, ok := x.originals[h]; ok && h != 0 {
				c.at = r.at
				x.put(r.url, c)
				break
			}
		}
	}
}
