package collection

import (
	"fmt"

	"dowse"
	"dowse/crawl"
	"dowse/internal/facts"
)

// The fates of a link.
const (
	linkQueued  = "queued"  // its target began to wait
	linkSeen    = "seen"    // its target was known, or linked to twice
	linkHeld    = "held"    // its target is known now, and not queued
	linkSkipped = "skipped" // for a reason
)

// A linkTally counts the links of a page by their fate. Found is the sum of
// the others.
type linkTally struct {
	Found   int                  `json:"found"`
	Queued  int                  `json:"queued"`
	Seen    int                  `json:"seen"`
	Held    int                  `json:"held"`
	Skipped map[dowse.Reason]int `json:"skipped,omitempty"`
}

// A LinkFate is a link on a page and what the crawl did with it.
type LinkFate struct {
	URL    dowse.URL    `json:"url"`
	Anchor string       `json:"anchor,omitempty"`
	Fate   string       `json:"fate"` // linkQueued, …
	Reason dowse.Reason `json:"reason,omitempty"`
	// Priority is that of the target after the page was absorbed.
	Priority float64 `json:"priority"`
	Because  []Cause `json:"because,omitempty"`
	// Shared reports that other pages of the host have the link in the same place, so that its words did not count.
	Shared bool `json:"shared,omitempty"`
	// Target is where a known redirect leads, if that is another URL.
	Target dowse.URL `json:"target,omitempty"`
}

// fate returns the fate of a link, and the reason if it was skipped.
func fate(d *crawl.Decision) (string, dowse.Reason) {
	switch {
	case d.Reason == dowse.SkipDupURL:
		return linkSeen, ""
	case d.Reason != "":
		return linkSkipped, d.Reason
	case d.State == dowse.Excluded:
		return linkSkipped, dowse.SkipScoreLow // the strategy's wish is the only way there
	case !d.Fresh:
		return linkSeen, ""
	case d.State == dowse.Held:
		return linkHeld, ""
	}
	return linkQueued, ""
}

// tally counts the links of an entry by their fate.
func tally(e *crawl.Entry) *linkTally {
	t := &linkTally{Found: len(e.Links)}
	for i := range e.Links {
		switch what, why := fate(&e.Links[i]); what {
		case linkQueued:
			t.Queued++
		case linkSeen:
			t.Seen++
		case linkHeld:
			t.Held++
		default:
			if t.Skipped == nil {
				t.Skipped = map[dowse.Reason]int{}
			}
			t.Skipped[why]++
		}
	}
	return t
}

// Links returns the links that were found on a page at its last visit, with
// their fates. A URL that was not visited has none; an unknown one is
// ErrUnknown. Links to URLs that were taken down are left out.
func (c *Collection) Links(u dowse.URL) ([]LinkFate, error) {
	id, ok := c.Crawl.Frontier().Find(u)
	if !ok {
		return nil, fmt.Errorf("collection: %s: %w", u, ErrUnknown)
	}
	v, ok := c.Crawl.Frontier().Visit(id)
	if !ok {
		return nil, nil
	}
	e, err := c.entry(v.Place)
	if err != nil {
		return nil, err
	}
	list := make([]LinkFate, 0, len(e.Links))
	for i := range e.Links {
		if !c.forgotten(e.Links[i].ID) {
			list = append(list, c.linkFate(&e.Found[i], &e.Links[i]))
		}
	}
	return list, nil
}

// linkFate combines a link as it was found with the decision about it.
func (c *Collection) linkFate(l *dowse.Link, d *crawl.Decision) LinkFate {
	f := LinkFate{URL: c.URL(d.ID), Anchor: anchorOf(l), Priority: facts.Finite(d.Priority), Because: facts.Causes(d.Because)}
	f.Fate, f.Reason = fate(d)
	f.Shared = isShared(l)
	if d.Target != d.ID {
		f.Target = c.URL(d.Target)
	}
	return f
}
