package collection

import (
	"fmt"
	"io"
	"path/filepath"

	"dowse"
	"dowse/archive"
	"dowse/extract"
	"dowse/fetch"
)

// maxBody bounds what is read of a body that was kept.
const maxBody = 64 << 20

// Body returns what the web sent for a page, content codings undone, and its
// Content-Type.
func (c *Collection) Body(p *dowse.Page) (body []byte, contentType string, err error) {
	place := p.Fetch.Archive
	if place.File == "" || filepath.Base(place.File) != place.File {
		return nil, "", fmt.Errorf("collection: %s is not in the archive", p.URL)
	}
	r, err := archive.At(filepath.Join(c.ArchiveDir(), place.File), place.Offset)
	if err != nil {
		return nil, "", fmt.Errorf("collection: %s: %w", p.URL, err)
	}
	defer r.Close()
	resp, err := r.Response()
	if err != nil {
		return nil, "", fmt.Errorf("collection: %s: %w", p.URL, err)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return nil, "", fmt.Errorf("collection: %s: %w", p.URL, err)
	}
	return fetch.Decoded(resp.Header, raw, maxBody), resp.Header.Get("Content-Type"), nil
}

// Document extracts a page anew from what the archive holds of it.
func (c *Collection) Document(p *dowse.Page) (*dowse.Document, error) {
	body, contentType, err := c.Body(p)
	if err != nil {
		return nil, err
	}
	text, _ := extract.Decode(body, contentType)
	return extract.HTML(text, p.URL, extract.Options{Agent: c.Settings.Identity.Agent}), nil
}
