package search

import (
	"dowse"
	"dowse/collection"
	"dowse/internal/extract"
	"dowse/internal/maintext"
	"dowse/internal/plain"
)

// leastOwn is how many bytes the own text of a page must have. On pages with less, such as lists of links, everything
// counts as their own.
const leastOwn = 200

// A pageText is a page as it is searched, read again from the archive.
type pageText struct {
	title       string
	own         string // the text of the page itself
	frame       string // what the site puts around it: menus, lists of other pages, footers
	description string
	language    string
}

// readPage reads a page from the archive. What is its own text is decided by the page alone, without the templates of
// hosts, which would depend on the pages that were read before.
func readPage(col *collection.Collection, p *dowse.Page) (*pageText, error) {
	body, contentType, err := col.Body(p)
	if err != nil {
		return nil, err
	}
	html, _ := extract.Decode(body, contentType)
	doc, layout := maintext.Read(html, p.URL, extract.Options{})
	t := &pageText{title: plain.Cut(doc.Title, maxTitle), own: doc.Text, description: doc.Description, language: doc.Language}
	if main := layout.Main(nil); len(main.Plain()) >= leastOwn {
		t.own, t.frame = main.Plain(), main.Rest().Plain()
	}
	t.own = plain.Cut(t.own, maxText)
	t.frame = plain.Cut(t.frame, maxText-len(t.own))
	return t, nil
}
