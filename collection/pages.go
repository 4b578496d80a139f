package collection

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
)

// A Filter says which URLs to list. Without On, Off, Unsure, Failed and Skipped it
// lists all fetched pages; of several of them it lists what any one asks for.
type Filter struct {
	On      bool      // pages on topic
	Off     bool      // pages off topic
	Unsure  bool      // pages near the threshold, on either side
	Failed  bool      // URLs that failed for good
	Skipped string    // URLs skipped for a reason, or for all that begin with it and a dot; "any" for all
	Host    string    // only of this host
	Since   time.Time // only what was fetched, or first seen, from then on
	Limit   int       // at most so many; 0 for no limit
	Sort    Sort      // in order of fetching, then of first sighting
}

// AnyReason is the Skipped of a Filter that asks for all skipped URLs.
const AnyReason = "any"

// Sort is an order of rows.
type Sort string

// The orders.
const (
	InOrder       Sort = ""            // of fetching
	ByScore       Sort = "score"       // most relevant first
	ByTime        Sort = "time"        // newest first
	ByUncertainty Sort = "uncertainty" // nearest to the threshold first
	BySurprise    Sort = "surprise"    // largest difference of priority and relevance first
)

// Sorts lists the orders that have a name.
func Sorts() []Sort { return []Sort{ByScore, ByTime, ByUncertainty, BySurprise} }

// A Row is a URL in a list.
type Row struct {
	URL       dowse.URL    `json:"url"`
	Title     string       `json:"title"`
	Host      string       `json:"host"`
	State     string       `json:"state"`
	Reason    dowse.Reason `json:"reason,omitempty"`
	Detail    string       `json:"detail,omitempty"`
	Relevance float64      `json:"relevance"`
	OnTopic   bool         `json:"on_topic"`
	Verdict   string       `json:"verdict,omitempty"` // on, off or unsure; "" for what was not judged
	Language  string       `json:"language,omitempty"`
	Seen      time.Time    `json:"seen"`             // first
	Fetched   time.Time    `json:"fetched,omitzero"` // last
	Status    int          `json:"status,omitempty"`
	Type      string       `json:"type,omitempty"`
	Bytes     int64        `json:"bytes"`
	Priority  float64      `json:"priority"`
	Depth     int          `json:"depth"`
	Hops      int          `json:"hops"`
	LinksIn   *int         `json:"links_in,omitempty"` // pages fetched before it that link to it; nil where nobody asked
	Parent    dowse.URL    `json:"parent,omitempty"`
	Anchor    string       `json:"anchor,omitempty"`
	Near      dowse.URL    `json:"near,omitempty"`
	Redirect  dowse.URL    `json:"redirect,omitempty"`
	Licences  []dowse.URL  `json:"licences,omitempty"`
	WARC      string       `json:"warc,omitempty"`
	Offset    int64        `json:"offset,omitempty"`
	Because   []Cause      `json:"because,omitempty"`

	page *dowse.Page // as the journal has it; nil for what was never taken
}

// Pages lists URLs. Of a page that was fetched several times the last visit counts.
// Rows come as they are read, unless they are sorted; then no more than a number
// and a place is kept of each. An error is the last thing that comes.
func (c *Collection) Pages(f Filter) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		l := &lister{c: c, f: f, r: reader{c: c}}
		if err := l.run(yield); err != nil {
			yield(nil, err)
		}
	}
}

// A lister makes the rows of a list.
type lister struct {
	c *Collection
	f Filter
	r reader
	n int
}

// A ref is a row before it is made.
type ref struct {
	id    frontier.ID
	place uint64 // of its visit
	taken bool   // there was one
}

func (l *lister) run(yield func(*Row, error) bool) error {
	switch l.f.Sort {
	case InOrder:
		return l.each(func(r ref, e *crawl.Entry) (bool, error) { return l.hand(r, e, yield) })
	case ByScore, ByTime, ByUncertainty, BySurprise:
		return l.sorted(yield)
	}
	return fmt.Errorf("collection: no order is called %q; there are %v", l.f.Sort, Sorts())
}

// hand makes a row and yields it. It reports false at the end of the list.
func (l *lister) hand(r ref, e *crawl.Entry, yield func(*Row, error) bool) (bool, error) {
	row, err := l.row(r, e)
	if err != nil {
		return false, err
	}
	if row.Seen.Before(l.f.Since) && row.Fetched.Before(l.f.Since) {
		return true, nil
	}
	l.n++
	return yield(row, nil) && (l.f.Limit <= 0 || l.n < l.f.Limit), nil
}

// each runs over what the filter asks for, but for Since of what was not fetched.
func (l *lister) each(do func(ref, *crawl.Entry) (bool, error)) error {
	more := true
	if l.f.On || l.f.Off || l.f.Unsure || !l.f.Failed && l.f.Skipped == "" {
		var err error
		if more, err = l.eachPage(do); err != nil {
			return err
		}
	}
	if !more || !l.f.Failed && l.f.Skipped == "" {
		return nil
	}
	return l.eachOther(do)
}

func (l *lister) eachPage(do func(ref, *crawl.Entry) (bool, error)) (bool, error) {
	for e, err := range l.c.Journal.Scan(0, nil) {
		if err != nil {
			if err := l.c.passOver(err); err != nil {
				return false, fmt.Errorf("collection: %w", err)
			}
			continue
		}
		if !l.c.isPage(e) || !l.wants(e) {
			continue
		}
		if l.c.misnamed(e.ID) {
			l.c.unreadPage(dowse.URL(fmt.Sprintf("page at offset %d of the journal", e.Place())), errNoName)
			continue
		}
		l.c.nameEntry(e)
		more, err := do(ref{e.ID, e.Place(), true}, e)
		if err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// isPage reports whether an entry is the last visit to a page that was fetched.
func (c *Collection) isPage(e *crawl.Entry) bool {
	if e.Kind != crawl.EntryPage || e.Page.Outcome != dowse.Fetched || c.forgotten(e.ID) {
		return false
	}
	v, ok := c.Crawl.Frontier().Visit(e.ID)
	return ok && v.Place == e.Place()
}

var errNoName = errors.New("its URL can't be read")

func (l *lister) wants(e *crawl.Entry) bool {
	if e.Page.Fetch.At.Before(l.f.Since) || !l.wantsHost(e.ID) {
		return false
	}
	if !l.f.On && !l.f.Off && !l.f.Unsure {
		return true
	}
	on := e.Page.Verdict.Relevance >= l.c.threshold()
	unsure := verdictOf(e.Page.Verdict.Relevance, l.c.threshold()) == VerdictUnsure
	return l.f.On && on || l.f.Off && !on || l.f.Unsure && unsure
}

func (l *lister) wantsHost(id frontier.ID) bool {
	if l.f.Host == "" {
		return true
	}
	fr := l.c.Crawl.Frontier()
	name := fr.HostName(fr.Host(id))
	host, _, _ := strings.Cut(name, ":")
	return strings.EqualFold(name, l.f.Host) || strings.EqualFold(host, l.f.Host)
}

// eachOther runs over failed and skipped URLs, in order of first sighting.
func (l *lister) eachOther(do func(ref, *crawl.Entry) (bool, error)) error {
	fr := l.c.Crawl.Frontier()
	for id := range frontier.ID(fr.Len()) {
		state := fr.State(id)
		failed := l.f.Failed && state == dowse.Dead
		skipped := l.f.Skipped != "" && state == dowse.Excluded && reasonMatches(l.c.Crawl.ReasonFor(id), l.f.Skipped)
		if !failed && !skipped || !l.wantsHost(id) || l.c.forgotten(id) { // which have no URL any more
			continue
		}
		v, taken := fr.Visit(id)
		more, err := do(ref{id, v.Place, taken}, nil)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func reasonMatches(r dowse.Reason, want string) bool {
	return want == AnyReason || string(r) == want || strings.HasPrefix(string(r), want+".")
}

// row makes the row of a ref; e is its visit, if that was read already.
func (l *lister) row(r ref, e *crawl.Entry) (*Row, error) {
	if e == nil && r.taken {
		var err error
		if e, err = l.c.entry(r.place); err != nil {
			return nil, err
		}
	}
	row := l.c.standing(r.id)
	if e != nil {
		l.c.fillVisit(row, e)
	}
	o, err := l.r.origin(r.id)
	if err != nil && l.c.readOnly && (errors.Is(err, crawl.ErrDamaged) || l.c.Unread.Count() > 0) {
		l.c.unreadPage(row.URL, fmt.Errorf("where it was first seen can't be read: %w", err))
		return row, nil
	}
	if err != nil {
		return nil, err
	}
	row.Seen, row.Parent, row.Anchor = o.entry.At, o.parent, o.anchor()
	return row, nil
}

// standing makes a row of what the frontier knows.
func (c *Collection) standing(id frontier.ID) *Row {
	f := c.Crawl.Frontier()
	depth, hops := f.Depth(id)
	row := &Row{
		URL: c.URL(id), Host: f.HostName(f.Host(id)), State: f.State(id).String(), Reason: c.Crawl.ReasonFor(id),
		Priority: finite(f.Priority(id)), Depth: int(depth), Hops: int(hops),
	}
	if t, ok := f.Alias(id); ok {
		row.Redirect = f.URL(t)
	}
	return row
}

func (c *Collection) fillVisit(row *Row, e *crawl.Entry) {
	p := e.Page
	row.page = p
	row.Title, row.Language, row.Detail, row.Near, row.Licences = p.Title, p.Language, p.Detail, p.Near, p.Licences
	row.Priority, row.Depth, row.Hops, row.LinksIn = finite(p.Lead.Priority), p.Depth, p.Hops, p.LinksIn
	if !e.Idle {
		f := &p.Fetch
		row.Fetched, row.Status, row.Type, row.Bytes = f.At, f.Status, f.Type, f.Bytes
		row.WARC, row.Offset = f.Archive.File, f.Archive.Offset
	}
	if p.Outcome == dowse.Fetched && !c.forgotten(e.ID) {
		row.Relevance, row.Because = finite(p.Verdict.Relevance), causes(p.Verdict.Because)
		row.OnTopic = p.Verdict.Relevance >= c.threshold()
		row.Verdict = verdictOf(p.Verdict.Relevance, c.threshold())
	}
}

// Row returns the row of one URL.
func (c *Collection) Row(u dowse.URL) (*Row, error) {
	id, ok := c.Crawl.Frontier().Find(u)
	if !ok {
		return nil, fmt.Errorf("collection: %s: %w", u, ErrUnknown)
	}
	l := &lister{c: c, r: reader{c: c}}
	v, taken := c.Crawl.Frontier().Visit(id)
	return l.row(ref{id, v.Place, taken}, nil)
}

// key is what rows are sorted by, the highest first.
func (l *lister) key(e *crawl.Entry, r ref) float64 {
	if e == nil {
		return l.c.Crawl.Frontier().Priority(r.id)
	}
	rel := e.Page.Verdict.Relevance
	switch l.f.Sort {
	case ByTime:
		return float64(e.Page.Fetch.At.UnixMicro())
	case ByUncertainty:
		return -math.Abs(rel - l.c.threshold())
	case BySurprise:
		return math.Abs(finite(e.Page.Lead.Priority) - rel)
	}
	return rel
}
