package crawl

import (
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// An entryLog is a Log that gives back what it recorded.
type entryLog interface {
	Entry(place uint64, urlOf func(frontier.ID) dowse.URL) (*Entry, error)
}

// recall ends a lead to a visited page with the page as it was visited last, if that
// is what the strategy wants and the log has it. Nothing is asked of the host.
func (c *Crawl) recall(now time.Time, id frontier.ID) (*landed, bool) {
	log, keeps := c.cfg.Log.(entryLog)
	v, visited := c.f.Visit(id)
	if !keeps || !visited || !dowse.TraitsOf(c.cfg.Strategy).Recalls {
		return nil, false
	}
	e, err := log.Entry(v.Place, c.f.URL)
	if err != nil || e.Kind != EntryPage || e.ID != id || e.Page.Outcome != dowse.Fetched {
		return nil, false
	}
	p := c.unvisited(id, dowse.Fetched, "", "")
	p.Fetch, p.Document, p.Verdict = e.Page.Fetch, e.Page.Document, e.Page.Verdict
	p.Links = e.Found
	return &landed{now, &flight{id: id, host: c.f.Host(id), idle: true}, p}, true
}

// isRecalled reports whether a page was recalled: fetched, and not visited for it.
func (t *turn) isRecalled() bool { return t.fl.idle && t.p.Outcome == dowse.Fetched }
