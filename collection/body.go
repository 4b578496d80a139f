package collection

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"dowse"
	"dowse/fetch"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/internal/extract"
)

// maxBody bounds what is read of a body that was kept.
const maxBody = 64 << 20

// ErrErased is returned for a page whose record was taken out of the archive.
var ErrErased = errors.New("it was erased from the archive")

// ErrNotKept is returned for a page that the archive does not hold.
var ErrNotKept = errors.New("it is not in the archive")

// Body returns what the web sent for a page, content codings undone, and its
// Content-Type. What was kept as a reference to an earlier answer with the same
// body is read there.
func (c *Collection) Body(p *dowse.Page) (body []byte, contentType string, err error) {
	body, header, err := c.body(p.Fetch.Archive)
	if err != nil {
		return nil, "", fmt.Errorf("collection: %s: %w", p.URL, err)
	}
	return body, header.Get("Content-Type"), nil
}

func (c *Collection) body(place dowse.Place) ([]byte, http.Header, error) {
	r, err := c.record(place)
	if err != nil {
		return nil, nil, err
	}
	defer func() { r.Close() }()
	if r.Type() == "revisit" {
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
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return nil, nil, err
	}
	return fetch.Decoded(resp.Header, raw, maxBody), resp.Header, nil
}

// record opens the archive's record at a place. The error is ErrErased for one that
// was taken down.
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

// blankAt reports whether what stands at a place is the inside of what
// archive.Erase leaves: one blank for all records of an exchange.
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

// original finds the record that a revisit refers to: mostly it is the last visit
// to the URL that the revisit names, else all of the archive is looked through,
// once.
func (c *Collection) original(r *archive.Record) (dowse.Place, error) {
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

func bareID(s string) string { return strings.Trim(s, "<> ") }

// lastPlace returns where the last answer for a URL is kept.
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

func (c *Collection) holds(p dowse.Place, id string) bool {
	r, err := c.record(p)
	if err != nil {
		return false
	}
	defer r.Close()
	return r.Type() == "response" && bareID(r.ID()) == id
}

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

// eachRecord runs over the records of a WARC file.
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

// Document extracts a page anew from what the archive holds of it.
func (c *Collection) Document(p *dowse.Page) (*dowse.Document, error) {
	body, header, err := c.body(p.Fetch.Archive)
	if err != nil {
		return nil, fmt.Errorf("collection: %s: %w", p.URL, err)
	}
	text, _ := extract.Decode(body, header.Get("Content-Type"))
	doc := extract.HTML(text, p.URL, extract.Options{Agent: c.Settings.Identity.Agent})
	if doc.Modified.IsZero() {
		doc.Modified = fetch.LastModified(header)
	}
	return doc, nil
}

// DocumentOf extracts the page of a row anew from what the archive holds of it.
func (c *Collection) DocumentOf(r *Row) (*dowse.Document, error) { return c.Document(r.Page) }
