package experiment

import (
	"dowse"
	"dowse/crawl"
	"dowse/internal/lab/measure"
	"dowse/internal/plain"
)

// origins records which link led to each page: of all links to it that the
// crawl had seen when it visited the page, the one with the highest score, and
// the first of equals. It is filled from the crawl's journal entries, at a cost
// of one comparison per link, and serves readers of a report: no measure uses
// it.
type origins struct {
	known []origin             // best link so far, by number of the target
	taken map[dowse.URL]origin // fixed when the page was fetched
}

// An origin is a link: the page it is on, its text, and the score that the
// strategy gave it.
type origin struct {
	from    dowse.URL
	anchor  string
	offered float64
}

// longestAnchor bounds the text of a link in a trail, in bytes.
const longestAnchor = 120

// record reads a journal entry: a page fixes its own origin, and its links may
// become the origins of their targets.
func (o *origins) record(e *crawl.Entry) {
	if e.Kind != crawl.EntryPage || e.Page == nil || e.Page.Again {
		return
	}
	// The origin is fixed now: links that are found later did not lead here.
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

// writeTo adds the origins to the steps of a trail that is complete. Seeds have
// none.
func (o *origins) writeTo(steps *measure.Steps) {
	for i, s := range steps.All() {
		if k, ok := o.taken[s.URL]; ok && !s.Seed {
			steps.SetOrigin(i, k.from, plain.Cut(k.anchor, longestAnchor))
		}
	}
	steps.Trim()
}
