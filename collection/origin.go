package collection

import (
	"cmp"
	"fmt"
	"slices"

	"dowse"
	"dowse/crawl"
	"dowse/internal/extract"
	"dowse/internal/facts"
	"dowse/internal/frontier"
	"dowse/settings"
)

// The ways in which a URL can come into a crawl.
const (
	FromSeed     = "seed"
	fromLink     = "link"
	FromRedirect = "redirect"
	FromSitemap  = "sitemap"
	FromFeed     = "feed"
	// FromStrategy means that the strategy added it and no link led to it.
	FromStrategy = "strategy"
)

// An origin is how and where a URL was first seen.
type origin struct {
	how string
	// entry is the one that contains the link, without the strings of URLs.
	entry *crawl.Entry
	// link is the index of the link in entry; -1 if there is none.
	link int
	// parent is the page with the link; "" if there is none.
	parent dowse.URL
	// record is the offset of the entry that first named the URL.
	record uint64
}

// anchor returns the anchor text of the link, "" without one.
func (o *origin) anchor() string {
	if o.link < 0 {
		return ""
	}
	return anchorOf(&o.entry.Found[o.link])
}

// anchorOf returns the first anchor text of a link that is not empty, as a
// reader sees it.
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

// A reader finds the origins of URLs. It keeps the last entry that it read,
// because consecutive URLs usually come from the same entry.
type reader struct {
	c      *Collection
	record uint64
	first  *crawl.Entry
}

// maxRoundRecords is how many entries after the one that names a URL are
// searched for the link to it. All URLs of a round are named by the entry of
// its first page, whichever page links to them.
const maxRoundRecords = 1000

// origin returns where a URL was first seen. It reads one entry in most
// cases; a URL of a round or a sitemap needs several.
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

// Via returns the link by which a URL was first seen; nil if no link led to
// it or its origin can't be read. During a crawl only the loop of the crawl
// may call it.
func (c *Collection) Via(id frontier.ID) *dowse.Via {
	r := reader{c: c}
	o, err := r.origin(id)
	if err != nil || o.how != fromLink || o.link < 0 {
		return nil
	}
	return ViaOf(o.entry, o.link, o.parent)
}

// ViaOf returns the i-th link of a visit as the way to its target, with each
// anchor text once.
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

// noURL leaves the strings of links out when an entry is decoded, since
// looking them all up is slow.
func noURL(frontier.ID) dowse.URL { return "" }

// match returns the origin of a URL if the entry contains it, otherwise nil.
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
			return &origin{how: howListed(e), entry: e, link: -1, parent: r.c.URL(e.ID)}
		}
	}
	return nil
}

// howLinked returns the kind of link that an entry contains.
func howLinked(e *crawl.Entry) string {
	switch e.Page.Outcome {
	case dowse.Redirected:
		return FromRedirect
	case dowse.Listed:
		if facts.IsFeed(e.Page.Fetch.Type) {
			return FromFeed
		}
		return FromSitemap
	}
	return fromLink
}

// howListed returns how the lists of URLs that an entry names came up: a page links to its feed.
func howListed(e *crawl.Entry) string {
	if e.Page.Outcome == dowse.Fetched {
		return fromLink
	}
	return FromSitemap
}

// later searches the other pages of a round.
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

// earlier handles a URL to which no link led. Sitemaps that a sitemap index
// lists are named just after its entry; any other URL was added by the
// strategy.
func (r *reader) earlier(record uint64, id frontier.ID) (*origin, error) {
	lists, err := r.indexesBefore(record, id)
	if err != nil {
		return nil, err
	}
	return r.added(lists, id), nil
}

// indexesBefore returns the sitemap indexes between an entry that named URLs, id among them, and
// the last entry before it that named any. It is the same for all URLs that the entry named, since
// these have consecutive numbers.
func (r *reader) indexesBefore(record uint64, id frontier.ID) (lists []*crawl.Entry, err error) {
	f := r.c.Crawl.Frontier()
	from := record
	for k := int(id) - 1; k >= 0 && from == record; k-- {
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
		if e.Kind == crawl.EntryPage && len(e.Page.Maps) > 0 {
			lists = append(lists, e)
		}
	}
	return lists, nil
}

// added returns the origin of a URL that no entry after the one that named it contains: a sitemap
// index before that one, otherwise the strategy.
func (r *reader) added(lists []*crawl.Entry, id frontier.ID) *origin {
	u := r.c.URL(id)
	for _, e := range lists {
		if slices.Contains(e.Page.Maps, u) {
			return &origin{how: howListed(e), entry: e, link: -1, parent: r.c.URL(e.ID)}
		}
	}
	o := &origin{how: FromStrategy, entry: r.first, link: -1}
	if r.first.Kind == crawl.EntryPage {
		o.parent = r.c.URL(r.first.ID)
		if r.c.forgotten(r.first.ID) {
			o.how = fromLink // of a page that was taken down
		}
	}
	return o
}

// entry returns the entry at an offset of the journal with the URL of its
// own page, but without those of its links.
func (c *Collection) entry(place uint64) (*crawl.Entry, error) {
	e, err := c.Journal.Entry(place, noURL)
	if err != nil {
		return nil, fmt.Errorf("collection: entry at %d: %w", place, err)
	}
	c.nameEntry(e)
	return e, nil
}

// nameEntry sets the URL of the page of an entry.
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

// defaults are the settings of a crawl that sets none.
var defaults = settings.Settings{}.Resolved()

// forgotten reports whether a URL was taken down.
func (c *Collection) forgotten(id frontier.ID) bool {
	return c.Crawl.ReasonFor(id) == dowse.SkipForgotten
}
