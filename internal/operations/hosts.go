package operations

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"dowse/collection"
	"dowse/internal/facts"
)

// A HostQuery selects hosts.
type HostQuery struct {
	Show   string // all, on (with pages on topic), off (with pages, none on topic) or problems; default all
	Text   string // a part of the name
	Sort   string // see HostSorts; default pages
	Cursor string
	Limit  int // default 50, at most maxRows
}

// A HostList is a part of a list of hosts.
type HostList struct {
	Hosts []collection.HostRow `json:"hosts" doc:"the hosts of this part"`
	Next  string               `json:"next,omitempty" doc:"cursor of the next part; none if this is the last"`
	Total int                  `json:"total" doc:"hosts of the whole list"`
	// Totals of the whole collection, for a receipt.
	Requests int           `json:"requests" doc:"requests to all hosts of the list"`
	Bytes    int64         `json:"bytes" doc:"size of the bodies of their pages, decoded: without headers, robots.txt and failures"`
	MinDelay facts.Seconds `json:"delay" doc:"the pause between requests that the settings ask for (s)"`
	Seen     time.Time     `json:"seen" doc:"the moment that the list shows"`
	Command  string        `json:"command" doc:"the command that lists the same"`
}

// HostSorts lists the orders of hosts, as the command line has them.
func HostSorts() []string {
	return []string{"pages", "on", "share", "waiting", "errors", "delay", "name"}
}

// PickHosts returns the hosts that a query selects, in its order. They come by pages from the
// collection, and sorting is stable: within equal values the hosts with more pages stay first. The list
// that is given stays as it is.
func PickHosts(all []collection.HostRow, q HostQuery) []collection.HostRow {
	rows := make([]collection.HostRow, 0, len(all))
	for _, r := range all {
		if q.wants(&r) {
			rows = append(rows, r)
		}
	}
	compare := map[string]func(a, b collection.HostRow) int{
		"on":      func(a, b collection.HostRow) int { return cmp.Compare(b.OnTopic, a.OnTopic) },
		"share":   func(a, b collection.HostRow) int { return cmp.Compare(b.Share, a.Share) },
		"waiting": func(a, b collection.HostRow) int { return cmp.Compare(b.Waiting, a.Waiting) },
		"errors":  func(a, b collection.HostRow) int { return cmp.Compare(b.Failed, a.Failed) },
		"delay":   func(a, b collection.HostRow) int { return cmp.Compare(b.Delay, a.Delay) },
		"name":    func(a, b collection.HostRow) int { return strings.Compare(a.Host, b.Host) },
	}
	if order, ok := compare[q.Sort]; ok {
		slices.SortStableFunc(rows, order)
	}
	return rows
}

// Hosts lists the hosts of a collection.
func (o *Operations) Hosts(ctx context.Context, id string, q HostQuery) (*HostList, error) {
	q.Sort = cmp.Or(q.Sort, "pages")
	if !slices.Contains(HostSorts(), q.Sort) {
		return nil, failf(Invalid, "sort", "sort: got %q, want one of %s", clip(q.Sort), strings.Join(HostSorts(), ", "))
	}
	shows := []string{"", "all", "on", "off", "problems"}
	if !slices.Contains(shows, q.Show) {
		return nil, failf(Invalid, "show", "show: got %q, want one of %s", clip(q.Show), strings.Join(shows[1:], ", "))
	}
	if err := limit(&q.Limit, defaultRows, maxRows); err != nil {
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
	list := &HostList{Hosts: []collection.HostRow{}}
	err = s.use(ctx, func(v *openView) error {
		list.Seen, list.MinDelay = v.at.UTC(), facts.Seconds(max(0, v.col.Settings.Resolved().Delay))
		return list.fill(s.dir, q, from, v.allHosts(), s.now())
	})
	return list, err
}

// allHosts returns the rows of all hosts by their pages. They are made once for a view and must
// not be changed.
func (v *openView) allHosts() []collection.HostRow {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.hostRows == nil {
		v.hostRows = v.col.Hosts()
		for i := range v.hostRows {
			v.hostRows[i].Last = append([]bool{}, v.hostRows[i].Last...) // [] where there is none
		}
	}
	return v.hostRows
}

// rested returns a host as it is now: a host whose back-off is over may be visited, whatever it was when
// the view was made.
func rested(r collection.HostRow, now time.Time) collection.HostRow {
	if r.State == collection.HostBackingOff && r.Until.Before(now) {
		r.State, r.Until, r.Why, r.Asked = collection.HostOK, time.Time{}, "", time.Time{}
	}
	return r
}

// fill selects the hosts of a part of the list.
func (l *HostList) fill(dir string, q HostQuery, from *cursor, all []collection.HostRow, now time.Time) error {
	current := make([]collection.HostRow, 0, len(all))
	for _, r := range all {
		current = append(current, rested(r, now))
	}
	rows := PickHosts(current, q)
	for i := range rows {
		l.Requests += rows[i].Requests
		l.Bytes += rows[i].Bytes
	}
	l.Total = len(rows)
	first := 0
	if from != nil {
		at := slices.IndexFunc(rows, func(r collection.HostRow) bool { return r.Host == from.Host })
		if at < 0 {
			return failf(Invalid, "cursor", "cursor: its host is no longer in the list; begin at the first part")
		}
		first = at + 1
	}
	l.Command = hostsCommand(dir, &q, first)
	last := min(len(rows), first+q.Limit)
	l.Hosts = append(l.Hosts, rows[first:last]...)
	if last < len(rows) && last > first {
		l.Next = cursor{Sort: q.Sort, Host: rows[last-1].Host}.encode()
	}
	return nil
}

// wants reports whether a host is selected.
func (q *HostQuery) wants(r *collection.HostRow) bool {
	if q.Text != "" && !facts.Contains(r.Host, q.Text) {
		return false
	}
	switch q.Show {
	case "on":
		return r.OnTopic > 0
	case "off":
		return r.Pages > 0 && r.OnTopic == 0
	case "problems":
		return hasProblem(r)
	}
	return true
}

// hasProblem reports whether a host needs a person's attention: it does not answer, asked to
// be left alone, or its robots.txt could not be read.
func hasProblem(r *collection.HostRow) bool {
	return r.State != collection.HostOK && r.State != collection.HostBlocked || r.Robots == collection.RobotsUnread || r.Failed > r.Pages && r.Failed > 2
}
