// Package rawpage makes pages of HTML that no visit of a crawl has brought:
// files, records of archives, and what other programs send.
package rawpage

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"dowse"
	"dowse/fetch"
	"dowse/internal/archive"
	"dowse/internal/extract"
	"dowse/weburl"
)

// maxPage bounds the bytes of a page.
const maxPage = 16 << 20

// Nowhere is the base URL of pages whose own URL is unknown.
const Nowhere = dowse.URL("http://localhost/")

// HTML extracts a page from its HTML. Links are resolved against name if
// that is a URL; otherwise name is only the label of the page.
func HTML(name string, body []byte, contentType string) *dowse.Page {
	base, err := weburl.Parse(name)
	p := &dowse.Page{URL: base}
	if err != nil {
		base, p.URL = Nowhere, dowse.URL(name)
	}
	text, charset := extract.Decode(body, contentType)
	p.Fetch.Charset = charset
	p.Document = *extract.HTML(text, base, extract.Options{})
	return p
}

// A Record is the HTML of a page from a WARC record, before extraction.
type Record struct {
	URL         string // as written in the record
	Body        []byte
	ContentType string
	At          time.Time
	Status      int
}

// FromRecord returns the HTML in a WARC record, nil if the record is not a
// successful HTML answer.
func FromRecord(rec *archive.Record) (*Record, error) {
	if t := rec.Type(); t != "response" && t != "resource" {
		return nil, nil
	}
	resp, err := rec.Response()
	if errors.Is(err, archive.ErrNotHTTP) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 || !IsHTML(resp.Header) {
		return nil, nil
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxPage))
	if err != nil {
		return nil, err
	}
	return &Record{
		URL: rec.Target(), Body: fetch.Decoded(resp.Header, raw, maxPage),
		ContentType: resp.Header.Get("Content-Type"), At: rec.Date(), Status: resp.StatusCode,
	}, nil
}

// Page extracts the page.
func (r *Record) Page() *dowse.Page {
	p := HTML(r.URL, r.Body, r.ContentType)
	p.Fetch.At, p.Fetch.Status = r.At, r.Status
	return p
}

// IsHTML reports whether the header of an answer declares HTML.
func IsHTML(h http.Header) bool {
	t, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return t == "text/html" || t == "application/xhtml+xml"
}
