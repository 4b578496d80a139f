package crawler

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"dowse"
	"dowse/archive"
	"dowse/extract"
	"dowse/fetch"
	"dowse/weburl"
)

// nowhere is where pages lie that do not say where they are from.
const nowhere = dowse.URL("http://localhost/")

// HTMLPage reads the HTML of a page. Its links are those of a page at name, if that is
// a URL; else the page keeps the name, as it is what people know it by.
func HTMLPage(name string, body []byte, contentType string) *dowse.Page {
	base, err := weburl.Parse(name)
	p := &dowse.Page{URL: base}
	if err != nil {
		base, p.URL = nowhere, dowse.URL(name)
	}
	text, charset := extract.Decode(body, contentType)
	p.Fetch.Charset = charset
	p.Document = *extract.HTML(text, base, extract.Options{})
	return p
}

// RecordPage returns the HTML page of a WARC record, nil if there is none in it.
func RecordPage(rec *archive.Record) (*dowse.Page, error) {
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
	if resp.StatusCode/100 != 2 || !isHTML(resp.Header) {
		return nil, nil
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxExample))
	if err != nil {
		return nil, err
	}
	p := HTMLPage(rec.Target(), fetch.Decoded(resp.Header, raw, maxExample), resp.Header.Get("Content-Type"))
	p.Fetch.At, p.Fetch.Status = rec.Date(), resp.StatusCode
	return p, nil
}

func isHTML(h http.Header) bool {
	t, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return t == "text/html" || t == "application/xhtml+xml"
}
