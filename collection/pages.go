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
	"dowse/internal/facts"
	"dowse/internal/frontier"
	"dowse/weburl"
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

// A Row is a page in a list, or a URL that was not visited. Its JSON is the object of a page that all
// commands print.
type Row = facts.Row

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
	if row.Seen.Before(l.f.Since) && row.Fetch.At.Before(l.f.Since) {
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
	on := e.Page.Verdict.Relevance >= l.c.Threshold()
	unsure := facts.VerdictOf(e.Page.Verdict.Relevance, l.c.Threshold()) == VerdictUnsure
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
	sawFirst(row, o)
	return row, nil
}

// sawFirst puts into a row where its URL was first seen.
func sawFirst(row *Row, o *origin) {
	row.Seen, row.Parent = o.entry.At, o.parent
	if anchor := o.anchor(); anchor != "" {
		row.Anchors = []string{anchor}
	}
	row.ParentHost = weburl.Hostname(o.parent)
	if o.link >= 0 {
		relevance := facts.Finite(o.entry.Page.Verdict.Relevance) // not the entry's own, which a row must not keep
		row.ParentScore = &relevance
	}
}

// standing returns a row with what the frontier knows of a URL.
func (c *Collection) standing(id frontier.ID) *Row {
	f := c.Crawl.Frontier()
	depth, hops := f.Depth(id)
	row := &Row{
		Page:  &dowse.Page{URL: c.URL(id), Reason: c.Crawl.ReasonFor(id), Depth: int(depth), Hops: int(hops), Lead: dowse.Lead{Priority: f.Priority(id)}},
		State: f.State(id), Threshold: c.Threshold(),
	}
	if t, ok := f.Alias(id); ok {
		row.Redirect = f.URL(t)
	}
	return row
}

// fillVisit puts the last visit to a URL into its row.
func (c *Collection) fillVisit(row *Row, e *crawl.Entry) {
	p := *e.Page
	p.URL, p.Reason = row.URL, row.Reason
	if row.Requested = !e.Idle; e.Idle {
		p.Fetch = dowse.Fetch{}
	}
	row.Judged = p.Outcome == dowse.Fetched && !c.forgotten(e.ID)
	p.OnTopic = row.Judged && p.Verdict.Relevance >= row.Threshold
	row.Page = &p
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
		return -math.Abs(rel - l.c.Threshold())
	case BySurprise:
		return math.Abs(facts.Finite(e.Page.Lead.Priority) - rel)
	}
	return rel
}
