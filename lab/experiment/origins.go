package experiment

import (
	"dowse"
	"dowse/crawl"
	"dowse/internal/lab/measure"
	"dowse/internal/plain"
)

// origins tell which link led to each page: of all links to it that the crawl had seen
// when it was taken, the one that promised the most, the first of several.
type origins struct {
	known []origin             // by number of the target
	taken map[dowse.URL]origin // of pages that were fetched
}

type origin struct {
	from    dowse.URL
	anchor  string
	offered float64
}

const longestAnchor = 120 // bytes that are kept

// hear takes in an entry of the crawl's journal.
func (o *origins) hear(e *crawl.Entry) {
	if e.Kind != crawl.EntryPage || e.Page == nil || e.Page.Again {
		return
	}
	if e.Page.Outcome == dowse.Fetched {
		if int(e.ID) < len(o.known) {
			o.taken[e.Page.URL] = o.known[e.ID]
		}
	}
	for i := range e.Links {
		d := &e.Links[i]
		if d.Reason != "" {
			continue
		}
		for int(d.Target) >= len(o.known) {
			o.known = append(o.known, origin{})
		}
		if k := &o.known[d.Target]; k.from == "" || d.Offered > k.offered {
			*k = origin{e.Page.URL, anchorOf(&e.Found[i]), d.Offered}
		}
	}
}

// anchorOf returns the first anchor of a link that has words.
func anchorOf(l *dowse.Link) string {
	for i := 0; l.Anchor == "" && i < len(l.More); i++ {
		if l.More[i].Anchor != "" {
			return l.More[i].Anchor
		}
	}
	return l.Anchor
}

// tell writes what led to them into the steps of a trail, which are then complete.
func (o *origins) tell(steps *measure.Steps) {
	for i, s := range steps.All() {
		if k, ok := o.taken[s.URL]; ok && !s.Seed {
			steps.Led(i, k.from, plain.Cut(k.anchor, longestAnchor))
		}
	}
	steps.Trim()
}
