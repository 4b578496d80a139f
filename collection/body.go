package collection

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"strings"

	"dowse"
	"dowse/fetch"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/internal/extract"
)

// maxBody is how many bytes of an archived body are read, before and after its
// content codings are undone. It keeps a small compressed body from filling the
// memory.
const maxBody = 64 << 20

// ErrErased is returned for a page whose record was erased from the archive by a
// takedown.
var ErrErased = errors.New("it was erased from the archive")

// ErrNotKept is returned for a page that has no record in the archive, for
// example because the crawl keeps no archive.
var ErrNotKept = errors.New("it is not in the archive")

// Body returns the body that the server sent for a page, with its content
// codings undone, and its Content-Type. A body longer than 64 MiB is cut off
// there. A page that was archived as a reference to an earlier answer with the
// same body is read from that answer. The error is [ErrErased] or [ErrNotKept]
// if the archive has no record of the page, and matches [ErrDamaged] if the record can't be
// decoded or its checksum does not match, so a flipped bit never passes for what the server sent.
func (c *Collection) Body(p *dowse.Page) (body []byte, contentType string, err error) {
	body, header, err := c.body(p.Fetch.Archive)
	if err != nil {
		return nil, "", fmt.Errorf("collection: %s: %w", p.URL, reading(err))
	}
	return body, header.Get("Content-Type"), nil
}

// body returns the decoded body and the header of the record at a place. It
// follows one reference at most: the original of a revisit is always a response. Of a
// revisit the header is its own, since the wishes of owners are in it, but for what
// describes the body.
func (c *Collection) body(place dowse.Place) ([]byte, http.Header, error) {
	r, err := c.record(place)
	if err != nil {
		return nil, nil, err
	}
	defer func() { r.Close() }()
	var later *http.Response
	if r.Type() == "revisit" {
		later, _ = r.Response() // a revisit of another program may have no header
		first, err := c.original(r)
		if err != nil {
			return nil, nil, err
		}
		r.Close()
		if r, err = c.record(first); err != nil {
			return nil, nil, err
		}
	}
	resp, err := r.Response()
	if err != nil {
		return nil, nil, err
	}
	raw, err := readBody(resp)
	if err != nil {
		return nil, nil, err
	}
	if len(raw) < maxBody {
		// The checksum comes after the body. A flipped bit often decodes to
		// another letter, so without it an altered text would be used.
		if _, err := r.Size(); err != nil {
			return nil, nil, err
		}
	}
	return fetch.Decoded(resp.Header, raw, maxBody), revisited(resp.Header, later), nil
}

// revisited returns the header of a revisit whose body is that of an earlier answer: the fields that describe
// the body are those of the earlier one. The answer 304 names only what has changed. later is nil for an answer
// that is no revisit.
func revisited(earlier http.Header, later *http.Response) http.Header {
	if later == nil {
		return earlier
	}
	header := http.Header{}
	if later.StatusCode == http.StatusNotModified {
		header = earlier.Clone()
	}
	maps.Copy(header, later.Header)
	for _, name := range []string{"Content-Type", "Content-Encoding", "Content-Length", "Transfer-Encoding"} {
		if values, ok := earlier[name]; ok {
			header[name] = values
		} else {
			delete(header, name)
		}
	}
	return header
}

// readBody reads the body of an archived answer, at most maxBody bytes of it. The length in the
// header only sizes the buffer: it is what the server sent, and may be wrong.
func readBody(resp *http.Response) ([]byte, error) {
	const most = 1 << 20 // that is allocated before anything is read
	buf := bytes.NewBuffer(make([]byte, 0, min(max(resp.ContentLength, 0), most)+bytes.MinRead))
	_, err := buf.ReadFrom(io.LimitReader(resp.Body, maxBody))
	return buf.Bytes(), err
}

// record opens the record of the archive at a place. The caller must close it.
// The error is ErrErased for a record that a takedown erased. A file name with a
// folder in it is refused as ErrNotKept: the journal may come from elsewhere,
// and it must not name files outside the archive.
func (c *Collection) record(place dowse.Place) (*archive.Record, error) {
	if place.File == "" || filepath.Base(place.File) != place.File {
		return nil, ErrNotKept
	}
	path := filepath.Join(c.ArchiveDir(), place.File)
	r, err := archive.At(path, place.Offset)
	switch {
	case err != nil && c.blankAt(place):
		return nil, ErrErased
	case err != nil:
		return nil, err
	case r.Type() == "metadata" && r.Target() == "":
		r.Close()
		return nil, ErrErased
	}
	return r, nil
}

// blankAt reports whether a place lies within the blanks that archive.Erase
// leaves. Erase writes one blank record for all records of an exchange, so a
// place that used to begin a record may now be in the middle of it.
func (c *Collection) blankAt(place dowse.Place) bool {
	f, err := c.files().Sub("archive").Open(place.File)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, 16)
	_, err = f.ReadAt(b, place.Offset)
	return err == nil && strings.TrimLeft(string(b), " ") == ""
}

// original returns the place of the response that a revisit refers to. In most
// cases that is the last visit to the URL that the revisit names. Otherwise the
// whole archive is read once, and the places of all responses are kept for later
// calls.
//
// Only one goroutine at a time looks for an original: the index of originals and
// the journal are not made for several.
func (c *Collection) original(r *archive.Record) (dowse.Place, error) {
	c.seeking.Lock()
	defer c.seeking.Unlock()
	id := bareID(r.Header.Value("WARC-Refers-To"))
	if p, ok := c.lastPlace(dowse.URL(r.Header.Value("WARC-Refers-To-Target-URI"))); ok && c.holds(p, id) {
		return p, nil
	}
	if p, ok := c.originals[id]; ok {
		return p, nil
	}
	if err := c.findOriginals(); err != nil {
		return dowse.Place{}, err
	}
	if p, ok := c.originals[id]; ok && id != "" {
		return p, nil
	}
	return dowse.Place{}, fmt.Errorf("the record it refers to: %w", ErrNotKept)
}

// bareID returns a record ID without the angle brackets that WARC puts around
// it.
func bareID(s string) string { return strings.Trim(s, "<> ") }

// lastPlace returns the place in the archive of the last answer for a URL. It
// reports false if the crawl is not loaded or never visited the URL.
func (c *Collection) lastPlace(u dowse.URL) (dowse.Place, bool) {
	if c.Crawl == nil {
		return dowse.Place{}, false
	}
	id, ok := c.Crawl.Frontier().Find(u)
	if !ok {
		return dowse.Place{}, false
	}
	v, ok := c.Crawl.Frontier().Visit(id)
	if !ok {
		return dowse.Place{}, false
	}
	e, err := c.entry(v.Place)
	if err != nil || e.Page == nil {
		return dowse.Place{}, false
	}
	return e.Page.Fetch.Archive, true
}

// holds reports whether the record at a place is the response with the given ID.
func (c *Collection) holds(p dowse.Place, id string) bool {
	r, err := c.record(p)
	if err != nil {
		return false
	}
	defer r.Close()
	return r.Type() == "response" && bareID(r.ID()) == id
}

// findOriginals reads the whole archive and remembers the place of every
// response. Damaged parts are passed over: a revisit that refers into one is
// then ErrNotKept.
func (c *Collection) findOriginals() error {
	files, err := archive.Files(c.ArchiveDir())
	if err != nil {
		return err
	}
	c.originals = map[string]dowse.Place{}
	for _, path := range files {
		for r, err := range archive.ReadableRecords(path, func(archive.Loss) {}) {
			if err != nil {
				return err
			}
			if r.Type() == "response" {
				c.originals[bareID(r.ID())] = dowse.Place{File: filepath.Base(path), Offset: r.Offset}
			}
		}
	}
	return nil
}

// eachRecord calls do for every record of a WARC file, in order, and stops at
// the first error. In contrast to archive.ReadableRecords it does not pass over
// damage.
func eachRecord(path string, do func(*archive.Record) error) error {
	d, name := durable.Split(path)
	f, err := d.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for r, err := range archive.Records(f) {
		if err == nil {
			err = do(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Document extracts a page again from its archived answer. The result is that of
// today's extractor, so it may differ from what the judge saw when the page was
// fetched. Errors are those of [Collection.Body].
func (c *Collection) Document(p *dowse.Page) (*dowse.Document, error) {
	return c.document(p, func(body []byte, opt extract.Options, _ http.Header) *dowse.Document {
		return extract.HTML(body, p.URL, opt)
	})
}

// document calls read with the archived answer of a page, and returns what it
// makes of it. It may be called from several goroutines.
func (c *Collection) document(p *dowse.Page, read func(body []byte, opt extract.Options, header http.Header) *dowse.Document) (*dowse.Document, error) {
	body, header, err := c.body(p.Fetch.Archive)
	if err != nil {
		return nil, fmt.Errorf("collection: %s: %w", p.URL, reading(err))
	}
	text, _ := extract.Decode(body, header.Get("Content-Type"))
	doc := read(text, extract.Options{Agents: c.addressed()}, header)
	if doc.Modified.IsZero() {
		doc.Modified = fetch.LastModified(header)
	}
	return doc, nil
}

// DocumentOf is [Collection.Document] for the page of a row.
func (c *Collection) DocumentOf(r *Row) (*dowse.Document, error) { return c.Document(r.Page) }
