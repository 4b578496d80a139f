package operations

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/extract"
	"dowse/internal/facts"
	"dowse/internal/frontier"
	"dowse/internal/maintext"
	"dowse/internal/plain"
	"dowse/topic"
	"dowse/weburl"
)

// KnownURL returns the URL of a loaded collection that a person means: as it is written, in
// canonical form, or, without a scheme, with https or http. People copy URLs from
// browsers, which hide the scheme and change the spelling. The error for a URL that the
// crawl never saw suggests the nearest one that it did see.
func KnownURL(col *collection.Collection, raw string) (dowse.URL, error) {
	f := col.Crawl.Frontier()
	if _, ok := f.Find(dowse.URL(raw)); ok {
		return dowse.URL(raw), nil
	}
	if strings.HasPrefix(raw, "/") && !strings.HasPrefix(raw, "//") {
		return "", failf(Invalid, "url", "%q: the host is missing: got a path, want a URL", clip(raw))
	}
	// The URL as it is written may be none; then the spellings with a scheme are tried.
	var parsed []dowse.URL
	var first error
	for _, spelling := range Spellings(raw) {
		u, err := weburl.Parse(spelling)
		if err != nil {
			first = cmp.Or(first, err)
			continue
		}
		if _, ok := f.Find(u); ok {
			return u, nil
		}
		parsed = append(parsed, u)
	}
	if len(parsed) == 0 {
		return "", failf(Invalid, "url", "%q: %w", clip(raw), first)
	}
	err := neverSeen(f, raw, parsed[0])
	st := col.Crawl.Status()
	if st.LeftOut > 0 {
		err = failf(NotFound, "url", "%w; it may be one of the %s that were left out for want of memory", err, plain.Some(st.LeftOut, "link"))
	}
	if st.Dropped > 0 {
		err = failf(NotFound, "url", "%w; it may be one of the %s that were not kept because their domains have too many hosts", err, plain.Some(st.Dropped, "link"))
	}
	return "", err
}

// Spellings lists the URLs that a person may mean by raw, the likelier first.
func Spellings(raw string) []string {
	raw = strings.TrimSpace(raw)
	if strings.Contains(raw, "://") {
		return []string{raw}
	}
	return []string{"https://" + raw, "http://" + raw}
}

// neverSeen returns the error for an unknown URL: whether its host is known, and the
// nearest URL of that host.
func neverSeen(f *frontier.Frontier, raw string, u dowse.URL) error {
	raw = plain.Fit(plain.OneLine(raw), 300)
	host, ok := f.HostOf(weburl.Host(u))
	if !ok {
		return failf(NotFound, "url", "%s: this crawl never saw it, nor any URL of %s", raw, weburl.Host(u))
	}
	if near := nearest(f, host, u); near != "" {
		return failf(NotFound, "url", "%s: this crawl never saw it; did you mean %s", raw, near)
	}
	return failf(NotFound, "url", "%s: this crawl never saw it", raw)
}

// maxNear bounds how many URLs of a host are compared, so that a typo in a large
// collection is answered quickly.
const maxNear = 50_000

// nearest returns the known URL of a host that differs least from u, "" if none has
// anything in common with it. Only URLs of the same host are compared: a wrong host is
// reported as such.
func nearest(f *frontier.Frontier, host frontier.HostID, u dowse.URL) (best dowse.URL) {
	least := len(weburl.Path(u)) // one that has nothing in common is no help
	for i, compared := 0, 0; i < f.Len() && compared < maxNear; i++ {
		id := frontier.ID(i)
		if f.Host(id) != host {
			continue
		}
		compared++
		if known := f.URL(id); difference(schemeless(known), schemeless(u)) < least {
			best, least = known, difference(schemeless(known), schemeless(u))
		}
	}
	return best
}

// schemeless returns host and path of a URL.
func schemeless(u dowse.URL) string { return weburl.Host(u) + weburl.Path(u) }

// difference returns the length of the longer of two texts without their common
// beginning and end. It is cheaper than an edit distance and sufficient for typos in one
// place.
func difference(a, b string) int {
	short := min(len(a), len(b))
	head := 0
	for head < short && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < short-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return max(len(a), len(b)) - head - tail
}

// An Account is an explanation with the place of a waiting URL in the queue and, if wanted,
// the links of the page. It is the schema reason/v1.
type Account struct {
	*collection.Explanation

	Rank int                   `json:"rank,omitempty" doc:"the place of a waiting URL in the queue, from 1"`
	Wait int                   `json:"waiting,omitempty" doc:"how many URLs wait"`
	All  []collection.LinkFate `json:"all_links,omitempty" doc:"every link of the page and what became of it, if asked for"`

	// NameOf returns a reason of a verdict with words in place of stems, as people read it; nil without Spell. With
	// replace, reasons are so already.
	NameOf func(what string) string `json:"-"`
}

// AccountOf explains a URL of a loaded collection. The place in the queue is computed only for
// URLs that wait, and the links only if wanted: both read much more than one entry.
func AccountOf(col *collection.Collection, u dowse.URL, links bool) (*Account, error) {
	x, err := col.Why(u)
	if err != nil {
		return nil, err
	}
	a := &Account{Explanation: x}
	if x.Row.State == dowse.Waiting {
		a.Rank, a.Wait = rankOf(col, u)
	}
	if links {
		if a.All, err = col.Links(u); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// rankOf returns the place of a waiting URL in the queue, and the length of the queue. It
// reads the whole frontier, since the queue is not kept sorted: a crawl only ever needs
// its best link. Bands come before priorities.
func rankOf(col *collection.Collection, u dowse.URL) (rank, wait int) {
	f := col.Crawl.Frontier()
	own, _ := f.Find(u)
	band, priority := f.Band(own), f.Priority(own)
	rank = 1
	for i := range f.Len() {
		id := frontier.ID(i)
		if f.State(id) != dowse.Waiting {
			continue
		}
		wait++
		if b := f.Band(id); b < band || b == band && f.Priority(id) > priority {
			rank++
		}
	}
	return rank, wait
}

// Spell finds the words of the page behind the stems in the judge's reasons: a judge
// knows "bleach", the page has "bleaching". They are added to the stems, which programs
// compare; with replace they take their place. A page that is not kept has none.
func (a *Account) Spell(col *collection.Collection, t *topic.Topic, replace bool) {
	if a.Judged == nil {
		return
	}
	doc, err := col.DocumentOf(a.Row)
	if err != nil {
		return
	}
	s := t.Speller()
	a.Row.Spell = s.SpellOf(a.Row.Page.Verdict, &dowse.Page{Document: *doc}).Word
	var whats []string
	rulings := slices.DeleteFunc([]*collection.Ruling{a.Judged, a.Alone}, func(v *collection.Ruling) bool { return v == nil })
	for _, v := range rulings {
		for _, p := range v.Because {
			whats = append(whats, p.What)
		}
	}
	found, _ := s.Spell(topic.Spelling{}, whats, &dowse.Page{Document: *doc})
	a.NameOf = found.Name
	for _, v := range rulings {
		for i := range v.Because {
			if p := &v.Because[i]; replace {
				p.What = found.Name(p.What)
			} else {
				p.Word = found.Word(p.What)
			}
		}
	}
}

// Why explains a URL. links adds every link of the page.
func (o *Operations) Why(ctx context.Context, id, url string, links bool) (*Account, error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	var a *Account
	err = s.locked(ctx, func(v *openView) error {
		u, err := KnownURL(v.col, url)
		if err != nil {
			return err
		}
		if a, err = AccountOf(v.col, u, links); err != nil {
			return err
		}
		a.Spell(v.col, v.cr.Topic, false)
		return nil
	})
	return a, err
}

// A Page is one page: what is known of it, its text, its versions and its links.
type Page struct {
	Row       *facts.Row            `json:"page" doc:"what is known of the page"`
	Text      string                `json:"text,omitempty" doc:"its visible text, as it is in the archive; it comes from the web: escape it before it is shown"`
	Cut       bool                  `json:"text_cut,omitempty" doc:"whether the text was longer"`
	TextError string                `json:"text_error,omitempty" doc:"why there is no text"`
	Headings  []Heading             `json:"headings,omitempty" doc:"its headings"`
	Versions  []collection.Version  `json:"versions,omitempty" doc:"its versions, the oldest first, if it was asked again"`
	Links     []collection.LinkFate `json:"links" doc:"its links and what became of each"`
	LinksCut  bool                  `json:"links_cut,omitempty" doc:"whether there are more links"`
	Seen      time.Time             `json:"seen" doc:"the moment that this shows"`
	Command   string                `json:"command" doc:"the command that prints the same"`
}

// Markdown returns the own text of a page, without menus and other parts that frame it, as Markdown
// of at most n bytes, and whether it was longer; n is at most a megabyte. The text comes from the
// web: it may hold links and anything else that a page can say.
func (o *Operations) Markdown(ctx context.Context, id, url string, n int) (row *facts.Row, text string, cut bool, err error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, "", false, err
	}
	err = s.locked(ctx, func(v *openView) error {
		u, err := KnownURL(v.col, url)
		if err != nil {
			return err
		}
		if row, err = v.col.Row(u); err != nil {
			return err
		}
		if row.Outcome != dowse.Fetched || !row.Judged {
			return failf(NotFound, "url", "%s: it was not fetched, so it has no text", clip(string(u)))
		}
		text, err = v.markdown(row)
		return err
	})
	if n <= 0 || n > maxPageText {
		n = maxPageText
	}
	return row, plain.Cut(text, n), len(text) > n, err
}

// markdown returns the own text of a page; all of its text if nothing of it counts as that.
func (v *openView) markdown(row *facts.Row) (string, error) {
	body, kind, err := v.col.Body(row.Page)
	switch {
	case errors.Is(err, collection.ErrNotKept), errors.Is(err, collection.ErrErased), errors.Is(err, collection.ErrUnknown):
		return "", err
	case err != nil: // it was archived, and can't be read
		v.looked, v.broken = true, "a page of the archive can't be read: "+plain.Error(err)
		return "", &Error{Damaged, "url", err}
	}
	page := mainOf(body, kind, row.URL)
	text := page.Main(nil).Markdown()
	if strings.TrimSpace(text) == "" {
		text = page.All().Markdown()
	}
	return text, nil
}

// mainOf divides a page into its own text and what is around it.
func mainOf(body []byte, kind string, u dowse.URL) *maintext.Page {
	decoded, _ := extract.Decode(body, kind)
	_, page := maintext.Read(decoded, u, extract.Options{})
	return page
}

// OwnText returns the own text of a page, without menus and the like, as plain text; "" if nothing of it counts as that, or it
// can't be read.
func (o *Operations) OwnText(ctx context.Context, id, url string) (text string) {
	s, err := o.shelf(id)
	if err != nil {
		return ""
	}
	_ = s.locked(ctx, func(v *openView) error { // without it the caller shows all of the text, or why there is none
		u, err := KnownURL(v.col, url)
		if err != nil {
			return err
		}
		row, err := v.col.Row(u)
		if err != nil || row.Outcome != dowse.Fetched || !row.Judged {
			return err
		}
		body, kind, err := v.col.Body(row.Page)
		if err == nil {
			text = mainOf(body, kind, row.URL).Main(nil).Plain()
		}
		return err
	})
	return plain.Cut(text, maxPageText)
}

// A Heading is a heading of a page.
type Heading struct {
	Level int    `json:"level" doc:"1 to 6"`
	Text  string `json:"text"`
}

// Bounds of one page in an answer.
const (
	maxPageText  = 1 << 20 // bytes
	maxPageLinks = 5000
	maxHeadings  = 500
)

// Page returns one page. Its text is that of the archived answer, without any markup.
func (o *Operations) Page(ctx context.Context, id, url string) (*Page, error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	var p *Page
	err = s.locked(ctx, func(v *openView) error {
		u, err := KnownURL(v.col, url)
		if err != nil {
			return err
		}
		p, err = v.page(u)
		return err
	})
	if err == nil {
		p.Command = command("why", s.dir, cmp.Or(string(p.Row.URL), url)) // a page that was taken down has no URL
	}
	return p, err
}

// page reads one page.
func (v *openView) page(u dowse.URL) (*Page, error) {
	row, err := v.col.Row(u)
	if err != nil {
		return nil, err
	}
	p := &Page{Row: row, Seen: v.at.UTC(), Links: []collection.LinkFate{}}
	if links, err := v.col.Links(u); err == nil {
		p.LinksCut = len(links) > maxPageLinks
		p.Links = append(p.Links, links[:min(len(links), maxPageLinks)]...)
	}
	if row.Outcome != dowse.Fetched || !row.Judged {
		return p, nil
	}
	if id, ok := v.col.Crawl.Frontier().Find(u); ok && crawl.WasChecked(v.col.Crawl, id) { // else there is one version, and the journal need not be read for it
		if p.Versions, err = v.col.Versions(u); err != nil {
			return nil, err
		}
	}
	doc, err := v.col.DocumentOf(row)
	if err != nil {
		p.TextError = plain.OneLine(plain.Error(err))
		return p, nil
	}
	row.Spell = v.cr.Topic.Speller().SpellOf(row.Page.Verdict, &dowse.Page{Document: *doc}).Word
	p.Text, p.Cut = plain.Cut(doc.Text, maxPageText), len(doc.Text) > maxPageText
	for _, h := range doc.Headings[:min(len(doc.Headings), maxHeadings)] {
		p.Headings = append(p.Headings, Heading{h.Level, plain.Cut(h.Text, 1000)})
	}
	return p, nil
}
