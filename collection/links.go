package collection

import (
	"fmt"

	"dowse"
	"dowse/crawl"
	"dowse/internal/facts"
)

// What became of a link.
const (
	LinkQueued  = "queued"  // its target began to wait
	LinkSeen    = "seen"    // its target was known, or linked to twice
	LinkHeld    = "held"    // its target is known now, and not queued
	LinkSkipped = "skipped" // for a reason
)

// A LinkTally counts a page's links by what became of them: Found is the sum of
// the others.
type LinkTally struct {
	Found   int                  `json:"found"`
	Queued  int                  `json:"queued"`
	Seen    int                  `json:"seen"`
	Held    int                  `json:"held"`
	Skipped map[dowse.Reason]int `json:"skipped,omitempty"`
}

// A LinkFate is a link on a page and what became of it.
type LinkFate struct {
	URL      dowse.URL    `json:"url"`
	Anchor   string       `json:"anchor,omitempty"`
	Fate     string       `json:"fate"` // LinkQueued, …
	Reason   dowse.Reason `json:"reason,omitempty"`
	Priority float64      `json:"priority"` // of its target, after the page
	Because  []Cause      `json:"because,omitempty"`
	Target   dowse.URL    `json:"target,omitempty"` // where a known redirect led, if elsewhere
}

// fate tells what became of a link.
func fate(d *crawl.Decision) (string, dowse.Reason) {
	switch {
	case d.Reason == dowse.SkipDupURL:
		return LinkSeen, ""
	case d.Reason != "":
		return LinkSkipped, d.Reason
	case d.State == dowse.Excluded:
		return LinkSkipped, dowse.SkipScoreLow // the strategy's wish is the only way there
	case !d.Fresh:
		return LinkSeen, ""
	case d.State == dowse.Held:
		return LinkHeld, ""
	}
	return LinkQueued, ""
}

func tally(e *crawl.Entry) *LinkTally {
	t := &LinkTally{Found: len(e.Links)}
	for i := range e.Links {
		switch what, why := fate(&e.Links[i]); what {
		case LinkQueued:
			t.Queued++
		case LinkSeen:
			t.Seen++
		case LinkHeld:
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

// Links lists the links that were found on a page at its last visit, and what
// became of them. A URL that was not visited has none.
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

func (c *Collection) linkFate(l *dowse.Link, d *crawl.Decision) LinkFate {
	f := LinkFate{URL: c.URL(d.ID), Anchor: anchorOf(l), Priority: facts.Finite(d.Priority), Because: facts.Causes(d.Because)}
	f.Fate, f.Reason = fate(d)
	if d.Target != d.ID {
		f.Target = c.URL(d.Target)
	}
	return f
}
