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

// A Filter selects the URLs of a list. Without On, Off, Unsure, Failed and
// Skipped it selects all fetched pages; with several of them, the URLs that
// any one selects. Host, Since and Having narrow that down.
type Filter struct {
	On     bool // pages on topic
	Off    bool // pages off topic
	Unsure bool // pages near the threshold, on either side
	Failed bool // URLs that failed for good
	// Skipped selects URLs that were skipped for this reason, or for any
	// reason that begins with it and a dot; AnyReason for all.
	Skipped string
	Host    string    // only of this host
	Since   time.Time // only what was fetched, or first seen, from then on
	Changed time.Time // only pages of which a new version was fetched from then on, not the first one; zero for all
	Having  facts.Conditions
	// Limit is the largest number of rows; 0 for no limit.
	Limit int
	// Sort is the order; default the order of fetching, then of first
	// sighting.
	Sort Sort
}

// AnyReason is the Skipped of a Filter that asks for all skipped URLs.
const AnyReason = "any"

// Sort is an order of rows.
type Sort string

// The orders.
const (
	byFetch       Sort = ""            // of fetching
	ByScore       Sort = "score"       // most relevant first
	ByTime        Sort = "time"        // newest first
	byUncertainty Sort = "uncertainty" // nearest to the threshold first
	bySurprise    Sort = "surprise"    // largest difference of priority and relevance first
	byHost        Sort = "host"        // by the names of hosts
)

// A Row is a page in a list, or a URL that was not visited. Its JSON is the
// object of a page that all commands print.
type Row = facts.Row

// Pages lists URLs. If a page was fetched several times, its last visit
// counts. Without a sort order rows are yielded as they are read; with one
// only a number and an offset per row are held in memory. An error ends the
// list and is the last value.
func (c *Collection) Pages(f Filter) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		l := &lister{c: c, f: f, r: reader{c: c}}
		if err := l.run(yield); err != nil {
			yield(nil, err)
		}
	}
}

// A lister makes the rows of one list; n counts those that were yielded.
type lister struct {
	c     *Collection
	f     Filter
	r     reader
	n     int
	ranks []uint32 // of hosts, for byHost
}

// A ref identifies a row before it is made.
type ref struct {
	id frontier.ID
	// place is the offset of its visit; it is valid only if taken is set.
	place uint64
	taken bool
}

// run yields the rows in the order that the filter demands.
func (l *lister) run(yield func(*Row, error) bool) error {
	switch l.f.Sort {
	case byFetch:
		return l.each(func(r ref, e *crawl.Entry) (bool, error) { return l.hand(r, e, yield) })
	case ByScore, ByTime, byUncertainty, bySurprise, byHost:
		return l.sorted(yield)
	}
	return fmt.Errorf("collection: no order is called %q; there are %v", l.f.Sort, sorts())
}

// hand makes a row and yields it. It reports false when the list is complete
// or the consumer has stopped.
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

// each calls do for everything that the filter selects. Since is not yet
// applied to URLs that were not fetched, because their time is known only
// from the row.
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

// eachPage calls do for the selected fetched pages in the order of the
// journal. It reports false if do did. A page whose URL is damaged is
// recorded in Unread.
func (l *lister) eachPage(do func(ref, *crawl.Entry) (bool, error)) (bool, error) {
	for e, err := range l.c.Journal.Scan(0, nil) {
		if err != nil {
			if err := l.c.passOver(err); err != nil {
				return false, fmt.Errorf("collection: %w", err)
			}
			continue
		}
		if !l.c.isPage(e) || !l.wants(e) || l.f.Having.Any() && !l.f.Having.Meets(l.c.URL(e.ID), e.Page) {
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

// isPage reports whether an entry is the last visit to a page that was
// fetched. A page that has moved is that of its new URL only.
func (c *Collection) isPage(e *crawl.Entry) bool {
	if e.Kind != crawl.EntryPage || e.Page.Outcome != dowse.Fetched || c.forgotten(e.ID) {
		return false
	}
	f := c.Crawl.Frontier()
	v, ok := f.Visit(e.ID)
	return ok && v.Place == e.Place() && f.State(e.ID) != dowse.Aliased
}

// errNoName is recorded for a page whose URL can't be read.
var errNoName = errors.New("its URL can't be read")

// wants reports whether the filter selects a fetched page.
func (l *lister) wants(e *crawl.Entry) bool {
	if e.Page.Fetch.At.Before(l.f.Since) || !l.wantsHost(e.ID) {
		return false
	}
	if !l.f.Changed.IsZero() && (!e.Page.Again || e.Page.Fetch.At.Before(l.f.Changed)) {
		return false
	}
	if !l.f.On && !l.f.Off && !l.f.Unsure {
		return true
	}
	on := e.Page.Verdict.Relevance >= l.c.Threshold()
	unsure := facts.VerdictOf(e.Page.Verdict.Relevance, l.c.Threshold()) == VerdictUnsure
	return l.f.On && on || l.f.Off && !on || l.f.Unsure && unsure
}

// wantsHost reports whether the host of a URL is the one that the filter
// demands, with or without its port.
func (l *lister) wantsHost(id frontier.ID) bool {
	if l.f.Host == "" {
		return true
	}
	fr := l.c.Crawl.Frontier()
	name := fr.HostName(fr.Host(id))
	host, _, _ := strings.Cut(name, ":")
	return strings.EqualFold(name, l.f.Host) || strings.EqualFold(host, l.f.Host)
}

// eachOther calls do for the selected failed and skipped URLs, in order of
// first sighting.
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
		if l.f.Having.Any() && !l.f.Having.Meets(l.c.URL(id), l.visited(v.Place, taken)) {
			continue
		}
		more, err := do(ref{id, v.Place, taken}, nil)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// visited returns what a visit brought, nothing if there was none or it can't be read.
func (l *lister) visited(place uint64, taken bool) *dowse.Page {
	if taken {
		if e, err := l.c.entry(place); err == nil && e.Page != nil {
			return e.Page
		}
	}
	return &dowse.Page{}
}

// reasonMatches reports whether a reason is the wanted one or a more
// specific one.
func reasonMatches(r dowse.Reason, want string) bool {
	return want == AnyReason || string(r) == want || strings.HasPrefix(string(r), want+".")
}

// row makes the row of a ref; e is its visit if that was read already. For a
// reader of a damaged journal an unreadable origin is recorded in Unread and
// left empty.
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

// sawFirst sets where the URL of a row was first seen.
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

// fillVisit sets the last visit to a URL in its row. It copies the page, so
// that the entry is not changed.
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

// Row returns the row of one URL, ErrUnknown if the crawl does not know it.
func (c *Collection) Row(u dowse.URL) (*Row, error) {
	id, ok := c.Crawl.Frontier().Find(u)
	if !ok {
		return nil, fmt.Errorf("collection: %s: %w", u, ErrUnknown)
	}
	l := &lister{c: c, r: reader{c: c}}
	v, taken := c.Crawl.Frontier().Visit(id)
	return l.row(ref{id, v.Place, taken}, nil)
}

// key returns the sort key of a row; the highest comes first. URLs that were
// skipped or failed come behind pages in the order of time, and are sorted by
// priority where pages are by their verdict.
func (l *lister) key(e *crawl.Entry, r ref) float64 {
	f := l.c.Crawl.Frontier()
	if l.f.Sort == byHost {
		if l.ranks == nil {
			l.ranks = f.HostRanks()
		}
		return -float64(l.ranks[f.Host(r.id)])
	}
	if e == nil {
		if l.f.Sort == ByTime {
			return float64(r.id) - math.MaxUint32
		}
		return facts.Finite(f.Priority(r.id))
	}
	rel := e.Page.Verdict.Relevance
	switch l.f.Sort {
	case ByTime: // visits are recorded as they end
		return float64(e.Place())
	case byUncertainty:
		return -math.Abs(rel - l.c.Threshold())
	case bySurprise:
		return math.Abs(float64(float32(facts.Finite(f.Priority(r.id)))) - rel) // as precise as a view keeps it
	}
	return rel
}

// sorts lists the orders that have a name.
func sorts() []Sort { return []Sort{ByScore, ByTime, byUncertainty, bySurprise, byHost} }
