package collection

import (
	"cmp"
	"fmt"
	"slices"

	"dowse"
	"dowse/crawl"
	"dowse/internal/extract"
	"dowse/internal/frontier"
	"dowse/settings"
)

// How a URL came into the crawl.
const (
	FromSeed     = "seed"
	FromLink     = "link"
	FromRedirect = "redirect"
	FromSitemap  = "sitemap"
	FromStrategy = "strategy" // no link led to it
)

// An origin is where a URL was first seen.
type origin struct {
	how    string
	entry  *crawl.Entry // without the strings of URLs
	link   int          // the entry's link that led to it; -1 for none
	parent dowse.URL    // the page it stood on; "" for none
	record uint64       // the place of the entry that brought it up
}

func (o *origin) anchor() string {
	if o.link < 0 {
		return ""
	}
	return anchorOf(&o.entry.Found[o.link])
}

// anchorOf returns the first anchor of a link that has words, as a reader sees it.
func anchorOf(l *dowse.Link) string {
	if anchor := extract.Shown(l.Anchor); anchor != "" {
		return anchor
	}
	for i := range l.More {
		if anchor := extract.Shown(l.More[i].Anchor); anchor != "" {
			return anchor
		}
	}
	return ""
}

// A reader looks up entries. It remembers the last one in which URLs came up, since
// URLs that follow each other mostly came up in the same.
type reader struct {
	c      *Collection
	record uint64
	first  *crawl.Entry
}

// maxRoundRecords is how many entries after the one that brought up a URL may hold
// the link to it: a round's URLs are all kept with its first page.
const maxRoundRecords = 1000

// origin finds where a URL was first seen.
func (r *reader) origin(id frontier.ID) (*origin, error) {
	record, err := r.c.Journal.NamedBy(r.c.Crawl.Frontier().Place(id))
	if err != nil {
		return nil, fmt.Errorf("collection: origin of %s: %w", r.c.URL(id), err)
	}
	if r.first == nil || r.record != record {
		if r.first, err = r.c.Journal.Entry(record, noURL); err != nil {
			return nil, fmt.Errorf("collection: origin of %s: %w", r.c.URL(id), err)
		}
		r.record = record
	}
	o := r.match(r.first, id)
	if o == nil && r.first.Kind == crawl.EntryPage {
		o, err = r.later(record, id)
	}
	if o == nil && err == nil {
		o, err = r.earlier(record, id)
	}
	if err != nil {
		return nil, fmt.Errorf("collection: origin of %s: %w", r.c.URL(id), err)
	}
	o.record = record
	return o, nil
}

// Via returns the link by which a URL was first seen; nil if no link of a page led to
// it, or nobody knows. It must not be called while the crawl goes on but by its loop.
func (c *Collection) Via(id frontier.ID) *dowse.Via {
	r := reader{c: c}
	o, err := r.origin(id)
	if err != nil || o.how != FromLink || o.link < 0 {
		return nil
	}
	return ViaOf(o.entry, o.link, o.parent)
}

// ViaOf returns the i-th link of a visit as the way to its target.
func ViaOf(e *crawl.Entry, i int, parent dowse.URL) *dowse.Via {
	v := &dowse.Via{Parent: parent, Relevance: e.Page.Verdict.Relevance}
	l := &e.Found[i]
	for k := -1; k < len(l.More); k++ {
		m := &l.Mention
		if k >= 0 {
			m = &l.More[k]
		}
		if m.Anchor != "" && !slices.Contains(v.Anchors, m.Anchor) {
			v.Anchors = append(v.Anchors, m.Anchor)
		}
	}
	return v
}

func noURL(frontier.ID) dowse.URL { return "" }

// match returns the origin if the entry is it.
func (r *reader) match(e *crawl.Entry, id frontier.ID) *origin {
	switch e.Kind {
	case crawl.EntryStart:
		if slices.Contains(e.Seeds, r.c.URL(id)) {
			return &origin{how: FromSeed, entry: e, link: -1}
		}
	case crawl.EntryRobots:
		if slices.Contains(e.Robots.Sitemaps, r.c.URL(id)) {
			return &origin{how: FromSitemap, entry: e, link: -1, parent: e.Page.URL}
		}
	case crawl.EntryPage:
		for i := range e.Links {
			if e.Links[i].ID == id {
				return &origin{how: howLinked(e), entry: e, link: i, parent: r.c.URL(e.ID)}
			}
		}
		if slices.Contains(e.Page.Maps, r.c.URL(id)) {
			return &origin{how: FromSitemap, entry: e, link: -1, parent: e.Page.URL}
		}
	}
	return nil
}

func howLinked(e *crawl.Entry) string {
	switch e.Page.Outcome {
	case dowse.Redirected:
		return FromRedirect
	case dowse.Listed:
		return FromSitemap
	}
	return FromLink
}

// later looks among the other pages of a round.
func (r *reader) later(record uint64, id frontier.ID) (*origin, error) {
	n := 0
	for e, err := range r.c.Journal.Scan(record, nil) {
		if err != nil {
			return nil, err
		}
		if o := r.match(e, id); o != nil {
			return o, nil
		}
		if n++; n > maxRoundRecords {
			break
		}
	}
	return nil, nil
}

// earlier handles what no link led to: the sitemaps that a sitemap index lists come
// up just after its entry, and what else is left the strategy brought up.
func (r *reader) earlier(record uint64, id frontier.ID) (*origin, error) {
	f, u := r.c.Crawl.Frontier(), r.c.URL(id)
	from := record
	for k := int(id) - 1; k >= 0 && from == record; k-- {
		var err error
		if from, err = r.c.Journal.NamedBy(f.Place(frontier.ID(k))); err != nil {
			return nil, err
		}
	}
	for e, err := range r.c.Journal.Scan(from, nil) {
		if err != nil {
			return nil, err
		}
		if e.Place() >= record {
			break
		}
		if e.Kind == crawl.EntryPage && slices.Contains(e.Page.Maps, u) {
			return &origin{how: FromSitemap, entry: e, link: -1, parent: r.c.URL(e.ID)}, nil
		}
	}
	o := &origin{how: FromStrategy, entry: r.first, link: -1}
	if r.first.Kind == crawl.EntryPage {
		o.parent = r.c.URL(r.first.ID)
		if r.c.forgotten(r.first.ID) {
			o.how = FromLink // of a page that was taken down
		}
	}
	return o, nil
}

// entry reads the entry at a place, without the strings of its links.
func (c *Collection) entry(place uint64) (*crawl.Entry, error) {
	e, err := c.Journal.Entry(place, noURL)
	if err != nil {
		return nil, fmt.Errorf("collection: entry at %d: %w", place, err)
	}
	c.nameEntry(e)
	return e, nil
}

// nameEntry fills in the URL of an entry's own page.
func (c *Collection) nameEntry(e *crawl.Entry) {
	if e.Kind == crawl.EntryPage || e.Kind == crawl.EntryRetry {
		e.Page.URL = c.URL(e.ID)
		e.Page.Lead.URL = e.Page.URL
	}
}

// Threshold returns the relevance from which a page is on topic.
func (c *Collection) Threshold() float64 {
	return cmp.Or(c.Settings.Threshold, defaults.Threshold)
}

// defaults are the settings that hold if nobody gives any.
var defaults = settings.Settings{}.Resolved()

// forgotten reports whether a URL was taken down.
func (c *Collection) forgotten(id frontier.ID) bool {
	return c.Crawl.ReasonFor(id) == dowse.SkipForgotten
}
