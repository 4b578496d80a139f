package collection

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/facts"
	"dowse/internal/frontier"
)

// ChangeSchema names the schema of the JSON object of a change.
const ChangeSchema = "change/v1"

// A Change is one event in the history of a page: it was fetched for the first time (new), has another
// version (changed), was missing three times in a row (gone), or redirects for good (moved).
type Change struct {
	Schema string    `json:"schema"`
	What   string    `json:"what" doc:"new, changed, gone or moved"`
	URL    dowse.URL `json:"url"`
	At     time.Time `json:"at" doc:"when it was found"`
	Title  string    `json:"title,omitempty"`

	Relevance *float64  `json:"relevance,omitempty" doc:"of the version that was found"`
	OnTopic   bool      `json:"on_topic" doc:"whether that version is on topic; of a page that is gone or moved, the one before"`
	Status    int       `json:"status,omitempty" doc:"HTTP status of the answer"`
	To        dowse.URL `json:"to,omitempty" doc:"where a page that moved is now"`
	Before    time.Time `json:"before,omitzero" doc:"when the version before was fetched"`
	Was       *float64  `json:"relevance_before,omitempty" doc:"the relevance of the version before"`
}

// The values of Change.What.
const (
	changeNew     = "new"
	changeChanged = "changed"
	changeGone    = "gone"
	changeMoved   = "moved"
)

// A Version is one content of a page.
type Version struct {
	At        time.Time `json:"at" doc:"when it was fetched"`
	Until     time.Time `json:"until,omitzero" doc:"when it was last found unchanged"`
	Checks    int       `json:"checks" doc:"how often it was found unchanged"`
	Missing   int       `json:"missing,omitempty" doc:"how often the page was missing since (404, 410)"`
	Failed    int       `json:"failed,omitempty" doc:"how often it could not be asked for since"`
	Moved     time.Time `json:"moved,omitzero" doc:"when it was found to have moved for good"`
	Title     string    `json:"title,omitempty"`
	Size      int64     `json:"size,omitempty" doc:"of the body, decoded (bytes)"`
	Relevance float64   `json:"relevance"`

	page *dowse.Page
}

// Changes yields what happened to pages from a time on, in the order in which it was found: those that are or
// were on topic, or all. An error ends the list and is the last value.
func (c *Collection) Changes(since time.Time, all bool) iter.Seq2[*Change, error] {
	return func(yield func(*Change, error) bool) {
		known := map[frontier.ID]past{}
		for e, err := range c.Journal.Scan(0, c.Crawl.Frontier().URL) {
			if err != nil {
				if err := c.passOver(err); err != nil {
					yield(nil, fmt.Errorf("collection: %w", err))
					return
				}
				continue
			}
			x := c.changeOf(e, known)
			if x == nil || x.At.Before(since) || !all && !x.OnTopic && !(x.Was != nil && *x.Was >= c.Threshold()) {
				continue
			}
			if !yield(x, nil) {
				return
			}
		}
	}
}

// past is what is remembered of the last version of a page.
type past struct {
	at        time.Time
	relevance float64
	title     string
}

// changeOf returns the event that an entry of the journal is, nil for none.
func (c *Collection) changeOf(e *crawl.Entry, known map[frontier.ID]past) *Change {
	if e.Kind != crawl.EntryPage || e.Idle || c.forgotten(e.ID) {
		return nil
	}
	p := e.Page
	was, again := known[e.ID]
	x := &Change{Schema: ChangeSchema, URL: p.URL, At: p.Fetch.At, Status: p.Fetch.Status, Title: was.title, Before: was.at, OnTopic: was.relevance >= c.Threshold()}
	if again {
		before := facts.Finite(was.relevance)
		x.Was = &before
	}
	switch {
	case again && p.Reason == dowse.SkipUnchanged: // also if it was fetched for its links
		return nil
	case p.Outcome == dowse.Fetched:
		x.What = changeNew
		if again {
			x.What = changeChanged
		}
		relevance := facts.Finite(p.Verdict.Relevance)
		x.Relevance, x.Title, x.OnTopic = &relevance, p.Title, relevance >= c.Threshold()
		known[e.ID] = past{p.Fetch.At, relevance, p.Title}
	case again && p.Reason == dowse.FailGone:
		x.What = changeGone
	case again && p.Outcome == dowse.Redirected && len(e.Found) > 0:
		x.What, x.To = changeMoved, e.Found[0].URL
	default:
		return nil
	}
	return x
}

// Versions returns the versions of a page, the oldest first. The error is ErrUnknown for a URL that the crawl
// never saw; a page that was never fetched has none.
func (c *Collection) Versions(u dowse.URL) ([]Version, error) {
	id, ok := c.Crawl.Frontier().Find(u)
	if !ok {
		return nil, fmt.Errorf("collection: %s: %w", u, ErrUnknown)
	}
	return c.versions(id)
}

// versions lists the versions of a page with one reading of the journal, without its links.
func (c *Collection) versions(id frontier.ID) (list []Version, err error) {
	for e, err := range c.Journal.Visits(0) {
		if err != nil {
			if err := c.passOver(err); err != nil {
				return list, fmt.Errorf("collection: %w", err)
			}
			continue
		}
		if e.Kind != crawl.EntryPage || e.ID != id || e.Idle || c.forgotten(id) {
			continue
		}
		list = addVersion(list, e.Page)
	}
	for i := range list {
		list[i].page.URL = c.URL(id)
	}
	return list, nil
}

// addVersion adds what a visit showed to the versions of its page.
func addVersion(list []Version, p *dowse.Page) []Version {
	if p.Outcome == dowse.Fetched && (p.Reason != dowse.SkipUnchanged || len(list) == 0) {
		return append(list, Version{At: p.Fetch.At, Title: p.Title, Size: p.Fetch.Bytes, Relevance: facts.Finite(p.Verdict.Relevance), page: p})
	}
	if len(list) == 0 {
		return list
	}
	last := &list[len(list)-1]
	switch {
	case p.Reason == dowse.SkipUnchanged:
		last.Checks++
		last.Until = p.Fetch.At
	case p.Fetch.Status == 404 || p.Fetch.Status == 410:
		last.Missing++
	case p.Outcome == dowse.Redirected:
		last.Moved = p.Fetch.At
	default:
		last.Failed++
	}
	return list
}

// errNoVersion is returned for a version that a page does not have.
var errNoVersion = errors.New("no such version")

// VersionText returns title and text of one of the versions of a page, from the archive. Its errors are those
// of [Collection.Document].
func (c *Collection) VersionText(v Version) (string, error) {
	if v.page == nil {
		return "", errNoVersion
	}
	doc, err := c.Document(v.page)
	if err != nil {
		return "", err
	}
	return doc.Title + "\n" + doc.Text, nil
}
