package operations

import (
	"context"

	"dowse"
	"dowse/collection"
	"dowse/internal/extract"
	"dowse/internal/facts"
	"dowse/internal/maintext"
)

// A PageMarkdown is a page for a reader that wants its text alone.
type PageMarkdown struct {
	Row *facts.Row `json:"page" doc:"what is known of the page"`
	// Markdown is the page's own text, without menus and the like; of a page that has hardly any, all of it. It comes
	// from the web. Characters of the page that would be markup are escaped.
	Markdown string `json:"markdown" doc:"the text of the page as Markdown"`
}

// leastOwn is how many bytes the own text of a page must have; a page with less is mostly links, and these are
// what it is about.
const leastOwn = 200

// Markdown returns a page of a collection as Markdown, made from the archived answer.
func (o *Operations) Markdown(ctx context.Context, id, url string) (*PageMarkdown, error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	var p *PageMarkdown
	err = s.locked(ctx, func(v *view) error {
		u, err := KnownURL(v.col, url)
		if err != nil {
			return err
		}
		p, err = markdownOf(v.col, u)
		return err
	})
	return p, err
}

// markdownOf reads a page of a loaded collection.
func markdownOf(col *collection.Collection, u dowse.URL) (*PageMarkdown, error) {
	row, err := col.Row(u)
	if err != nil {
		return nil, err
	}
	if row.Outcome != dowse.Fetched {
		return nil, failf(NotFound, "url", "%s was not fetched, so there is no text; ask why", u)
	}
	body, contentType, err := col.Body(row.Page)
	if err != nil {
		return nil, err
	}
	html, _ := extract.Decode(body, contentType)
	_, layout := maintext.Read(html, row.URL, extract.Options{Agent: col.Settings.Identity.Agent})
	text := layout.Main(nil).Markdown()
	if len(text) < leastOwn {
		text = layout.All().Markdown()
	}
	return &PageMarkdown{Row: row, Markdown: text}, nil
}
