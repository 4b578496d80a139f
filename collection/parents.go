package collection

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
)

// maxParents is how many URLs are looked up together. It bounds the memory of a lookup to a few
// megabytes. The larger it is, the more URLs share the decoding of the entry that first saw them.
const maxParents = 1 << 17

// A lookup is a URL whose parent is wanted.
type lookup struct {
	record uint64 // offset of the entry that named it
	id     frontier.ID
	at     int // its index in the answer
}

// parents returns for each URL the page on which it was first seen, "" if there is none or it was
// taken down. The answers are those of [reader.origin], but every entry is decoded once for all
// URLs that it named. One by one, each of the n links of a page would cost the decoding of all n.
func (c *Collection) parents(ids []frontier.ID) ([]dowse.URL, error) {
	list := make([]lookup, len(ids))
	for i, id := range ids {
		record, err := c.Journal.NamedBy(c.Crawl.Frontier().Place(id))
		if err != nil {
			return nil, fmt.Errorf("collection: origin of %s: %w", c.URL(id), err)
		}
		list[i] = lookup{record, id, i}
	}
	slices.SortFunc(list, func(a, b lookup) int {
		return cmp.Or(cmp.Compare(a.record, b.record), cmp.Compare(a.id, b.id), cmp.Compare(a.at, b.at))
	})
	found := make([]dowse.URL, len(ids))
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(l lookup) bool { return l.record != list[0].record })
		if n < 0 {
			n = len(list)
		}
		if err := c.parentsOf(list[:n], found); err != nil {
			return nil, fmt.Errorf("collection: origin of %s: %w", c.URL(list[0].id), err)
		}
		list = list[n:]
	}
	return found, nil
}

// parentsOf sets the parents of URLs that one entry named. Most are in that entry; those of a
// round may be in one of the entries that follow.
func (c *Collection) parentsOf(group []lookup, found []dowse.URL) error {
	want := make(map[frontier.ID]dowse.URL, len(group)) // the parent of each, once it is known
	open := make(map[frontier.ID]bool, len(group))
	for _, l := range group {
		open[l.id] = true
	}
	record, read := group[0].record, 0
	var first *crawl.Entry
	for e, err := range c.Journal.LinkIDs(record) {
		if err != nil {
			return err
		}
		if first == nil {
			first = e
		}
		c.matchAll(e, open, want)
		if read++; len(open) == 0 || first.Kind != crawl.EntryPage || read > maxRoundRecords+1 {
			break
		}
	}
	if err := c.addedBefore(record, first, open, want); err != nil {
		return err
	}
	for _, l := range group {
		found[l.at] = want[l.id]
	}
	return nil
}

// matchAll moves the URLs that an entry contains from open to found, as [reader.match] finds them.
func (c *Collection) matchAll(e *crawl.Entry, open map[frontier.ID]bool, found map[frontier.ID]dowse.URL) {
	settle := func(id frontier.ID, parent dowse.URL) {
		if open[id] {
			delete(open, id)
			found[id] = parent
		}
	}
	named := func(list []dowse.URL, parent dowse.URL) {
		for _, u := range list {
			if id, ok := c.Crawl.Frontier().Find(u); ok {
				settle(id, c.standingParent(parent))
			}
		}
	}
	switch e.Kind {
	case crawl.EntryStart:
		named(e.Seeds, "")
	case crawl.EntryRobots:
		named(e.Robots.Sitemaps, e.Page.URL)
	case crawl.EntryPage:
		parent := c.standingParent(c.URL(e.ID))
		for i := range e.Links {
			settle(e.Links[i].ID, parent)
		}
		named(e.Page.Maps, e.Page.URL)
	}
}

// addedBefore finds the parents of the URLs that no entry of a round contains, as [reader.earlier]
// does. All of them were named by the same entry, so the entries before it are read once.
func (c *Collection) addedBefore(record uint64, first *crawl.Entry, open map[frontier.ID]bool, found map[frontier.ID]dowse.URL) error {
	if len(open) == 0 {
		return nil
	}
	r := reader{c: c, record: record, first: first}
	lists, err := r.indexesBefore(record, slices.Min(slices.Collect(maps.Keys(open))))
	if err != nil {
		return err
	}
	for id := range open {
		found[id] = c.standingParent(r.added(lists, id).parent)
	}
	return nil
}

// standingParent returns the URL of a parent, "" if it was taken down.
func (c *Collection) standingParent(u dowse.URL) dowse.URL {
	if u == "" {
		return ""
	}
	if id, ok := c.Crawl.Frontier().Find(u); ok && c.forgotten(id) {
		return ""
	}
	return u
}
