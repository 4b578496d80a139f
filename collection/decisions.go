package collection

import (
	"io"
	"slices"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/facts"
	"dowse/internal/frontier"
)

// The events that can happen to a URL, as the export of decisions names them.
const (
	eventQueued     = "queued"
	eventHeld       = "held"
	eventSkipped    = "skipped"
	eventFetched    = "fetched"
	eventJudged     = "judged"
	eventFailed     = "failed"
	eventRetried    = "retried"
	eventRedirected = "redirected"
	eventListed     = "listed" // a sitemap was read
	eventRobots     = "robots" // a host's robots.txt was read
	eventForgotten  = "forgotten"
)

// A decisionLine is one event in the history of a URL and the reason for it. The
// names of its fields are those of the facts of a page.
type decisionLine struct {
	TS     time.Time    `json:"ts"`
	URL    dowse.URL    `json:"url"`
	Event  string       `json:"event"`
	Reason dowse.Reason `json:"reason,omitempty"`
	Detail string       `json:"detail,omitempty"`
	// Relevance is set for eventJudged only, and Priority for what was queued or
	// visited; nil otherwise, since 0 is a possible value.
	Relevance *float64  `json:"relevance,omitempty"`
	Priority  *float64  `json:"priority,omitempty"` // of what was queued or visited
	Because   []Cause   `json:"because,omitempty"`
	Parent    dowse.URL `json:"parent,omitempty"`
	Anchor    string    `json:"anchor,omitempty"`
	Depth     int       `json:"depth"`
	Hops      int       `json:"hops"`
	Status    int       `json:"status,omitempty"`
	Judge     string    `json:"judge,omitempty"`
	// HostWait is for how many seconds the host had not been visited.
	HostWait facts.Seconds `json:"host_wait,omitempty"`
	// Target is where a redirect leads.
	Target dowse.URL `json:"target,omitempty"`
}

// number returns a pointer to a finite version of f, since JSON has no
// infinities.
func number(f float64) *float64 { f = facts.Finite(f); return &f }

// decisions writes one line per event in the order of the journal. A link to a
// URL that is already known changes nothing and has no line. Damaged parts of
// the journal are passed over and recorded in Unread.
func (x *exporter) decisions(w io.Writer) error {
	for e, err := range x.c.Journal.Scan(0, nil) {
		if err != nil {
			if err := x.c.passOver(err); err != nil {
				return err
			}
			continue
		}
		if err := x.ctx.Err(); err != nil {
			return err
		}
		if e.At.Before(x.opt.Since) {
			continue
		}
		for _, d := range x.c.happened(e) {
			line, err := facts.Encode(d)
			if err != nil {
				return err
			}
			x.n++
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

// happened returns the events that an entry of the journal records. Events of
// URLs that were taken down are left out, except for the takedown itself.
func (c *Collection) happened(e *crawl.Entry) (list []decisionLine) {
	c.nameEntry(e)
	switch e.Kind {
	case crawl.EntryStart:
		for _, u := range e.Seeds {
			list = append(list, c.seeded(e, u))
		}
	case crawl.EntryRetry:
		list = append(list, decisionLine{TS: e.At, URL: e.Page.URL, Event: eventRetried, Reason: e.Page.Reason, Detail: e.Page.Detail, Status: e.Page.Fetch.Status})
	case crawl.EntryRobots:
		list = append(list, decisionLine{TS: e.At, URL: e.Page.URL, Event: eventRobots, Status: e.Robots.Status})
		list = append(list, c.listed(e, e.Robots.Sitemaps)...)
	case crawl.EntryForget:
		list = append(list, decisionLine{TS: e.At, URL: c.URL(e.ID), Event: eventForgotten, Reason: dowse.SkipForgotten, Detail: e.Text})
	case crawl.EntryPage:
		list = append(list, c.visited(e)...)
		list = append(list, c.found(e)...)
		if e.Page.Outcome == dowse.Listed || c.isFirst(e) {
			list = append(list, c.listed(e, e.Page.Maps)...)
		}
	}
	return slices.DeleteFunc(list, func(d decisionLine) bool { return d.URL == "" && d.Event != eventForgotten })
}

// seeded returns the event of a seed: queued, or skipped with the reason if the
// scope excluded it.
func (c *Collection) seeded(e *crawl.Entry, u dowse.URL) decisionLine {
	d := decisionLine{TS: e.At, URL: u, Event: eventQueued, Because: []Cause{{What: "seed", Weight: 1}}}
	id, ok := c.Crawl.Frontier().Find(u)
	if !ok {
		return d
	}
	if _, taken := c.Crawl.Frontier().Visit(id); !taken && c.Crawl.Frontier().State(id) == dowse.Excluded {
		d.Event, d.Reason, d.Because = eventSkipped, c.Crawl.ReasonFor(id), nil
	}
	return d
}

// isFirst reports whether the entry of a page was the first to name its feed. All pages of a site may have the same.
func (c *Collection) isFirst(e *crawl.Entry) bool {
	for _, u := range feedsOf(e) {
		if id, ok := c.Crawl.Frontier().Find(u); ok {
			place, err := c.Journal.NamedBy(c.Crawl.Frontier().Place(id))
			return err == nil && place == e.Place()
		}
	}
	return false
}

// listWord returns what the lists of URLs are that an entry names.
func listWord(e *crawl.Entry) string {
	if len(feedsOf(e)) > 0 {
		return FromFeed
	}
	return FromSitemap
}

// listed returns one event per sitemap or feed that an entry was the first to name.
func (c *Collection) listed(e *crawl.Entry, maps []dowse.URL) (list []decisionLine) {
	for _, u := range maps {
		if _, ok := c.Crawl.Frontier().Find(u); ok {
			list = append(list, decisionLine{TS: e.At, URL: u, Event: eventQueued, Because: []Cause{{What: listWord(e)}}, Parent: e.Page.URL})
		}
	}
	return list
}

// outcomeEvents maps the outcome of a visit to its event.
var outcomeEvents = [...]string{
	dowse.Fetched: eventFetched, dowse.Redirected: eventRedirected, dowse.Refused: eventSkipped,
	dowse.Failed: eventFailed, dowse.Skipped: eventSkipped, dowse.Temporary: eventRetried, dowse.Listed: eventListed,
}

// visited returns how the visit to a page ended and, for a fetched page, how it
// was judged.
func (c *Collection) visited(e *crawl.Entry) []decisionLine {
	p := e.Page
	d := decisionLine{
		TS: e.At, URL: p.URL, Event: outcomeEvents[p.Outcome], Reason: p.Reason, Detail: p.Detail, Priority: number(p.Lead.Priority),
		Depth: p.Depth, Hops: p.Hops, Status: p.Fetch.Status, HostWait: facts.Seconds(e.Rested),
	}
	if p.Outcome == dowse.Redirected && len(e.Links) > 0 {
		d.Target = c.URL(e.Links[0].ID)
	}
	list := []decisionLine{d}
	if p.Outcome == dowse.Fetched {
		list = append(list, decisionLine{
			TS: e.At, URL: p.URL, Event: eventJudged, Relevance: number(p.Verdict.Relevance), Because: facts.Causes(p.Verdict.Because),
			Depth: p.Depth, Hops: p.Hops, Judge: p.Verdict.Judge,
		})
	}
	return list
}

// found returns one event per URL that the page was the first to link to. Depth
// and hops are those of the target: hops restart at 0 behind a page on topic.
func (c *Collection) found(e *crawl.Entry) (list []decisionLine) {
	depth, hops := e.Page.Depth, e.Page.Hops
	if e.Page.Outcome == dowse.Fetched {
		depth, hops = depth+1, hops+1
		if e.Page.Verdict.Relevance >= c.Threshold() {
			hops = 0
		}
	}
	for i := range e.Links {
		if !e.Links[i].Fresh {
			continue
		}
		d := c.linked(e, i)
		d.Depth, d.Hops = depth, hops
		list = append(list, d)
	}
	return list
}

// linked returns the event of the i-th link of an entry.
func (c *Collection) linked(e *crawl.Entry, i int) decisionLine {
	l := &e.Links[i]
	d := decisionLine{TS: e.At, URL: c.URL(l.ID), Parent: e.Page.URL, Anchor: anchorOf(&e.Found[i]), Because: facts.Causes(l.Because)}
	what, why := fate(l)
	switch what {
	case linkSkipped:
		d.Event, d.Reason = eventSkipped, why
	case linkHeld:
		d.Event = eventHeld
	default:
		d.Event, d.Priority = eventQueued, number(l.Offered)
	}
	if l.Target != l.ID && l.Target != frontier.None {
		d.Target = c.URL(l.Target)
	}
	return d
}
