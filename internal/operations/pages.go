package operations

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/internal/facts"
	"dowse/internal/frontier"
)

// The orders of a list of pages. Each has one direction, the one that people want.
const (
	SortFetched     = "fetched"     // in the order of fetching, oldest first
	SortTime        = "time"        // newest first
	SortScore       = "score"       // most relevant first
	SortUncertainty = "uncertainty" // nearest to the threshold first
	SortSurprise    = "surprise"    // those first that differ most from what their links promised
	SortHost        = "host"        // by the names of hosts
)

// Sorts lists the orders of pages.
func Sorts() []string {
	return []string{SortTime, SortFetched, SortScore, SortUncertainty, SortSurprise, SortHost}
}

// The verdicts by which pages can be selected. They are those of the command line: a page near the
// threshold is unsure and still counts as on or off.
const (
	VerdictOn     = facts.On
	VerdictOff    = facts.Off
	VerdictUnsure = facts.Unsure
)

// A PageQuery selects pages. The zero value selects all fetched pages, the newest first.
type PageQuery struct {
	Verdict string // on, off or unsure; "" for all
	// Skipped selects URLs that were skipped for this reason, or for any that begins with it and a
	// dot, instead of fetched pages; "any" for all. Failed selects URLs that failed for good.
	Skipped string
	Failed  bool
	Host    string // with or without its port
	// Reason selects pages whose verdict has a reason (a term, clause or signal) with this text.
	Reason   string
	Language string // as pages declare it, or as it was detected; en matches en-gb, too
	Text     string // a part of the title or the URL, in any case
	Model    string // the judge of the verdict, or the beginning of its name
	Since    time.Time
	Sort     string // default time
	Cursor   string // Next of the answer before
	Limit    int    // default 50, at most maxRows
}

// Bounds of lists.
const (
	defaultRows = 50
	maxRows     = 500
	maxLooked   = 2000 // rows that are read to find those that meet a condition
	maxText     = 1000 // bytes of a condition
)

// A PageList is a part of a list of pages.
type PageList struct {
	Pages []*facts.Row `json:"pages" doc:"the pages of this part"`
	Next  string       `json:"next,omitempty" doc:"cursor of the next part; none if this is the last"`
	// Total is nil if it is not known, because a condition is checked on each row.
	Total *int `json:"total,omitempty" doc:"pages of the whole list, if that is known"`
	// TakenDown is part of no count of rows: nothing of such a URL is kept that could be listed.
	TakenDown int       `json:"taken_down,omitempty" doc:"URLs that the conditions select, and that were taken down: they are not listed"`
	Partial   bool      `json:"partial,omitempty" doc:"whether the search for pages that meet the conditions was interrupted: the next part goes on"`
	Seen      time.Time `json:"seen" doc:"the moment that the list shows"`
	Command   string    `json:"command" doc:"the command that lists the same"`
}

// A cursor is where a list goes on: behind the row with this key.
type cursor struct {
	Sort string      `json:"s"`
	Key  float64     `json:"k"`
	Host string      `json:"h,omitempty"`
	ID   frontier.ID `json:"i"`
	Rows int         `json:"n,omitempty"` // before it, of a list whose conditions are checked row by row
}

// encode returns the cursor as a text for callers, who must not interpret it.
func (c cursor) encode() string {
	b, _ := json.Marshal(c)
	return base64.RawURLEncoding.EncodeToString(b)
}

// readCursor reads what encode wrote.
func readCursor(text, sort string) (*cursor, error) {
	if text == "" {
		return nil, nil
	}
	c := &cursor{}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(b, c)
	}
	if err != nil || len(text) > maxText || c.Sort != sort || math.IsNaN(c.Key) {
		return nil, failf(Invalid, "cursor", "cursor: got %q, want the one of the answer before, with the same order", clip(text))
	}
	return c, nil
}

// check returns an error for a query with a value that can't be used, and sets its defaults.
func (q *PageQuery) check() error {
	q.Sort = cmp.Or(q.Sort, SortTime)
	if !slices.Contains(Sorts(), q.Sort) {
		return failf(Invalid, "sort", "sort: got %q, want one of %s", clip(q.Sort), strings.Join(Sorts(), ", "))
	}
	if !slices.Contains([]string{"", VerdictOn, VerdictOff, VerdictUnsure}, q.Verdict) {
		return failf(Invalid, "verdict", "verdict: got %q, want on, off or unsure", clip(q.Verdict))
	}
	if q.Verdict != "" && q.others() {
		return failf(Invalid, "verdict", "verdict: URLs that failed or were skipped have none")
	}
	for name, text := range map[string]string{"host": q.Host, "reason": q.Reason, "language": q.Language, "text": q.Text, "model": q.Model, "skipped": q.Skipped} {
		if len(text) > maxText {
			return failf(Invalid, name, "%s: got %d bytes, want at most %d", name, len(text), maxText)
		}
	}
	if err := checkReason(q.Skipped); err != nil {
		return err
	}
	return limit(&q.Limit, defaultRows, maxRows)
}

// others reports whether URLs are selected that are no fetched pages.
func (q *PageQuery) others() bool { return q.Failed || q.Skipped != "" }

// dear reports whether rows have to be read to know whether they are selected.
func (q *PageQuery) dear() bool {
	c := q.conditions()
	return c.Any() || q.others() && !q.Since.IsZero()
}

// conditions returns those that are checked on visits.
func (q *PageQuery) conditions() facts.Conditions {
	return facts.Conditions{Reason: q.Reason, Language: q.Language, Text: q.Text, Model: q.Model}
}

// limit checks the length of a list.
func limit(n *int, normal, most int) error {
	*n = cmp.Or(*n, normal)
	if *n < 1 || *n > most {
		return failf(Invalid, "limit", "limit: got %d, want 1 to %d", *n, most)
	}
	return nil
}

// checkReason returns an error for a reason that does not exist. Without it the list would be
// empty and look like an answer.
func checkReason(want string) error {
	if want == "" || want == collection.AnyReason {
		return nil
	}
	for _, r := range dowse.ReasonHelp() {
		if string(r.Reason) == want || strings.HasPrefix(string(r.Reason), want+".") {
			return nil
		}
	}
	return failf(Invalid, "skipped", "skipped: unknown reason %q", clip(want))
}

// Pages lists pages, or URLs that were skipped or failed. The reasons of verdicts have the words behind stems, as far as
// they are found soon.
func (o *Operations) Pages(ctx context.Context, id string, q PageQuery) (*PageList, error) {
	return o.listed(ctx, id, q, func(v *openView, list *PageList) { list.Pages = v.spell(list.Pages) })
}

// listed lists pages. finish is called with the list while the view is locked.
func (o *Operations) listed(ctx context.Context, id string, q PageQuery, finish func(v *openView, list *PageList)) (*PageList, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	from, err := readCursor(q.Cursor, q.Sort)
	if err != nil {
		return nil, err
	}
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	list := &PageList{Pages: []*facts.Row{}}
	err = s.use(ctx, func(v *openView) error {
		list.Seen = v.at.UTC()
		if err := v.list(ctx, &q, from, list); err != nil {
			return err
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		finish(v, list)
		return nil
	})
	return list, err
}

// A pick is a row that may be in a list.
type pick struct {
	key float64
	id  frontier.ID
}

// before reports whether a row comes before another one: by falling key, then by number.
func (a pick) before(b pick) bool {
	if a.key != b.key {
		return a.key > b.key
	}
	return a.id < b.id
}

// picks keeps the first n rows of a pass, as a heap whose top is the last of them.
type picks struct {
	n     int
	heap  []pick
	after *pick // only rows behind it
	total int   // rows of the whole list
	left  int   // rows behind the cursor
}

// add offers a row.
func (p *picks) add(x pick) {
	p.total++
	if p.after != nil && !p.after.before(x) {
		return
	}
	p.left++
	if len(p.heap) < p.n {
		p.heap = append(p.heap, x)
		for i := len(p.heap) - 1; i > 0; {
			up := (i - 1) / 2
			if !p.heap[up].before(p.heap[i]) {
				break
			}
			p.heap[up], p.heap[i] = p.heap[i], p.heap[up]
			i = up
		}
		return
	}
	if !x.before(p.heap[0]) {
		return
	}
	p.heap[0] = x
	for i := 0; ; {
		worst := i
		for _, c := range []int{2*i + 1, 2*i + 2} {
			if c < len(p.heap) && p.heap[worst].before(p.heap[c]) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		p.heap[worst], p.heap[i] = p.heap[i], p.heap[worst]
		i = worst
	}
}

// sorted returns the rows in order.
func (p *picks) sorted() []pick {
	slices.SortFunc(p.heap, func(a, b pick) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return p.heap
}

// list fills a list. The columns are read without a lock; the rows are made under it.
func (v *openView) list(ctx context.Context, q *PageQuery, from *cursor, list *PageList) error {
	p := &picks{n: q.Limit + 1}
	if q.dear() {
		p.n = maxLooked + 1
	}
	if from != nil {
		p.after = &pick{from.Key, from.ID}
		if q.Sort == SortHost {
			p.after.key = v.rankOf(from.Host)
		}
	}
	if q.others() {
		list.TakenDown = v.passOthers(q, p)
	} else if err := v.passPages(ctx, q, p); err != nil {
		return err
	}
	rows := p.sorted()
	before := p.total - p.left
	if q.dear() {
		before = 0
		if from != nil {
			before = from.Rows
		}
	}
	list.Command = pagesCommand(v.col.Dir, q, before)
	more := p.left > len(rows)
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, x := range rows {
		if len(list.Pages) == q.Limit || i == maxLooked {
			list.Next, list.Partial = v.cursorAt(q, rows[i-1], before+len(list.Pages)), len(list.Pages) < q.Limit
			break
		}
		row, err := v.rowIf(q, x.id)
		if err != nil {
			return err
		}
		if row != nil {
			list.Pages = append(list.Pages, row)
		}
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if i == len(rows)-1 && more {
			list.Next, list.Partial = v.cursorAt(q, x, before+len(list.Pages)), len(list.Pages) < q.Limit
		}
	}
	if !q.dear() {
		list.Total = &p.total
	}
	return nil
}

// cursorAt returns the cursor behind a row, with how many rows were listed so far.
func (v *openView) cursorAt(q *PageQuery, x pick, rows int) string {
	c := cursor{Sort: q.Sort, Key: x.key, ID: x.id}
	if q.dear() {
		c.Rows = rows
	}
	if q.Sort == SortHost {
		f := v.col.Crawl.Frontier()
		c.Host = f.HostName(f.Host(x.id))
	}
	return c.encode()
}

// passPages offers the fetched pages that the columns select.
func (v *openView) passPages(ctx context.Context, q *PageQuery, p *picks) error {
	c := &v.pages
	want, hosts := wantsVerdict(q), hostsNamed(v.col.Crawl.Frontier(), q.Host)
	if q.Host != "" && len(hosts) == 0 {
		return nil
	}
	first, err := v.firstSince(q.Since)
	if err != nil {
		return err
	}
	if q.Sort == SortHost {
		v.rank()
	}
	threshold := v.col.Threshold()
	for n := range len(c.ids) - first {
		i := len(c.ids) - 1 - n // the newest first: in the order of time the heap then rejects nearly all others
		if q.Sort == SortFetched {
			i = first + n
		}
		if !want(c.verdicts[i]) || len(hosts) > 0 && !slices.Contains(hosts, c.hosts[i]) {
			continue
		}
		p.add(pick{v.key(q.Sort, i, threshold), c.ids[i]})
		if n%65536 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// wantsVerdict returns the test of a verdict.
func wantsVerdict(q *PageQuery) func(verdictBits) bool {
	switch q.Verdict {
	case VerdictOn:
		return func(b verdictBits) bool { return b&isOn != 0 }
	case VerdictOff:
		return func(b verdictBits) bool { return b&isOn == 0 }
	case VerdictUnsure:
		return func(b verdictBits) bool { return b&isUnsure != 0 }
	}
	return func(verdictBits) bool { return true }
}

// key returns the sort key of a page; the highest comes first. Keys must not depend on what
// changes between two views without need, since cursors hold them.
func (v *openView) key(sort string, i int, threshold float64) float64 {
	c := &v.pages
	switch sort {
	case SortScore:
		return c.relevance[i]
	case SortUncertainty:
		return -math.Abs(c.relevance[i] - threshold)
	case SortSurprise:
		return math.Abs(float64(c.priority[i]) - c.relevance[i])
	case SortHost:
		return -float64(v.hostRank[c.hosts[i]])
	case SortFetched:
		return -float64(c.places[i])
	}
	return float64(c.places[i])
}

// passOthers offers the URLs that failed or were skipped, and returns how many of them were taken down.
func (v *openView) passOthers(q *PageQuery, p *picks) (gone int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.col.Crawl.Frontier()
	hosts := hostsNamed(v.col.Crawl.Frontier(), q.Host)
	if q.Host != "" && len(hosts) == 0 {
		return 0
	}
	if q.Sort == SortHost {
		v.rank()
	}
	for id := range frontier.ID(f.Len()) {
		state := f.State(id)
		failed := q.Failed && state == dowse.Dead
		skipped := q.Skipped != "" && state == dowse.Excluded && reasonMatches(v.col.Crawl.ReasonFor(id), q.Skipped)
		if !failed && !skipped || len(hosts) > 0 && !slices.Contains(hosts, f.Host(id)) {
			continue
		}
		if v.col.Crawl.ReasonFor(id) == dowse.SkipForgotten {
			gone++
			continue
		}
		key := 0.0
		switch q.Sort {
		case SortTime:
			key = float64(id)
		case SortHost:
			key = -float64(v.hostRank[f.Host(id)])
		case SortScore, SortSurprise, SortUncertainty:
			key = facts.Finite(f.Priority(id))
		}
		p.add(pick{key, id})
	}
	return gone
}

// reasonMatches reports whether a reason is the wanted one or a more specific one.
func reasonMatches(r dowse.Reason, want string) bool {
	return want == collection.AnyReason || string(r) == want || strings.HasPrefix(string(r), want+".")
}

// row returns the row of a URL, nil for one that is no row of a list: a sitemap, or a URL that
// was taken down.
func (v *openView) row(id frontier.ID) (*facts.Row, error) {
	u := v.col.URL(id)
	if u == "" {
		return nil, nil
	}
	row, err := v.col.Row(u)
	switch {
	case errors.Is(err, collection.ErrUnknown), errors.Is(err, collection.ErrDamaged): // its string or its visit can't be read
		return nil, nil
	case err != nil:
		return nil, err
	case row.State == dowse.Visited && row.Outcome != dowse.Fetched:
		return nil, nil
	}
	return row, nil
}

// rowIf returns the row of a URL if it meets the conditions that the columns lack, nil if not. The
// conditions are checked on the entry of its visit: a row costs several times as much.
func (v *openView) rowIf(q *PageQuery, id frontier.ID) (*facts.Row, error) {
	if !q.dear() {
		return v.row(id)
	}
	p := &dowse.Page{}
	if visit, ok := v.col.Crawl.Frontier().Visit(id); ok {
		e, err := v.col.Journal.Entry(visit.Place, noURL)
		if err == nil && e.Page != nil {
			p = e.Page
		}
	}
	if c := q.conditions(); !c.Meets(v.col.URL(id), p) {
		return nil, nil
	}
	row, err := v.row(id)
	if row != nil && !q.Since.IsZero() && row.Seen.Before(q.Since) && row.Fetch.At.Before(q.Since) {
		row = nil
	}
	return row, err
}

// hostsNamed returns the hosts with a name, with or without their port; nil for "".
func hostsNamed(f *frontier.Frontier, name string) (list []frontier.HostID) {
	if name == "" {
		return nil
	}
	for i := range f.Hosts() {
		full := f.HostName(frontier.HostID(i))
		bare, _, _ := strings.Cut(full, ":")
		if strings.EqualFold(full, name) || strings.EqualFold(bare, name) {
			list = append(list, frontier.HostID(i))
		}
	}
	return list
}

// rank makes the order of the names of hosts.
func (v *openView) rank() {
	v.once.Lock()
	defer v.once.Unlock()
	if v.ranked {
		return
	}
	v.hostRank = v.col.Crawl.Frontier().HostRanks()
	v.ranked = true
}

// rankOf returns the sort key of the host with a name, or of the first behind it.
func (v *openView) rankOf(name string) float64 {
	v.rank()
	f := v.col.Crawl.Frontier()
	n := 0
	for i := range f.Hosts() {
		if f.HostName(frontier.HostID(i)) < name {
			n++
		}
	}
	return -float64(n)
}

// firstSince returns the index of the first page that was fetched at a time or later. Visits
// are recorded in the order of their ends, so the pages of one moment may be a little out of order.
func (v *openView) firstSince(since time.Time) (int, error) {
	if since.IsZero() {
		return 0, nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	var failed error
	n, _ := slices.BinarySearchFunc(v.pages.places, since, func(place uint64, t time.Time) int {
		at, err := v.timeAt(place)
		if err != nil {
			failed = err
		}
		return at.Compare(t)
	})
	return n, failed
}

// timeAt returns when the entry at a place was recorded.
func (v *openView) timeAt(place uint64) (time.Time, error) {
	e, err := v.col.Journal.Entry(place, func(frontier.ID) dowse.URL { return "" })
	if err != nil {
		return time.Time{}, err
	}
	return e.At, nil
}

// number returns a number as a word of a command.
func number(n int) string { return strconv.Itoa(n) }
