package collection_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/weburl"
)

func list(t testing.TB, c *collection.Collection, f collection.Filter) (rows []*collection.Row) {
	t.Helper()
	for row, err := range c.Pages(f) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestPagesFilters(t *testing.T) {
	c := open(t, madeDir(t), true)
	all := list(t, c, collection.Filter{})
	st := c.Crawl.Status()
	if len(all) != st.Fetched || len(all) != madePages {
		t.Fatalf("%d rows, %d pages", len(all), st.Fetched)
	}
	if on := list(t, c, collection.Filter{On: true}); len(on) != st.OnTopic {
		t.Errorf("%d on topic, want %d", len(on), st.OnTopic)
	}
	if off := list(t, c, collection.Filter{Off: true}); len(off) != st.Fetched-st.OnTopic {
		t.Errorf("%d off topic, want %d", len(off), st.Fetched-st.OnTopic)
	}
	if n := len(list(t, c, collection.Filter{Skipped: collection.AnyReason})); n != st.Books.Skipped {
		t.Errorf("%d skipped, want %d", n, st.Books.Skipped)
	}
	if n := len(list(t, c, collection.Filter{Failed: true})); n != st.Books.Failed {
		t.Errorf("%d failed, want %d", n, st.Books.Failed)
	}
	mid := all[len(all)/2].Fetch.At
	for _, row := range list(t, c, collection.Filter{Since: mid}) {
		if row.Fetch.At.Before(mid) {
			t.Errorf("%s was fetched before %s", row.URL, mid)
		}
	}
	if n := len(list(t, c, collection.Filter{Since: time.Now().Add(time.Hour), Skipped: collection.AnyReason})); n != 0 {
		t.Errorf("%d rows from the future", n)
	}
}

func TestPagesRows(t *testing.T) {
	c := open(t, madeDir(t), true)
	for _, row := range list(t, c, collection.Filter{}) {
		if row.Title == "" || row.Fetch.Status != 200 || row.Fetch.Archive.File == "" || row.Fetch.At.IsZero() || row.Seen.After(row.Fetch.At.Add(time.Minute)) || row.Verdict() == "" || len(row.Page.Verdict.Because) == 0 {
			t.Errorf("a row is not complete: %+v", row)
		}
		if _, err := json.Marshal(row); err != nil {
			t.Error(err)
		}
		one, err := c.Row(row.URL)
		if err != nil || one.Title != row.Title || one.Parent != row.Parent {
			t.Errorf("%v: Row returns %+v, the list %+v", err, one, row)
		}
	}
	for _, r := range c.Reasons() {
		rows := list(t, c, collection.Filter{Skipped: string(r.Reason)})
		if len(rows) != r.Skipped {
			t.Errorf("%d rows skipped for %s, counted %d", len(rows), r.Reason, r.Skipped)
		}
	}
	host := weburl.Host(list(t, c, collection.Filter{Limit: 1})[0].URL)
	for _, row := range list(t, c, collection.Filter{Host: host}) {
		if weburl.Host(row.URL) != host {
			t.Errorf("%s is not on %s", row.URL, host)
		}
	}
}

// A sorted list is the whole list in order, and with a limit the beginning of it.
func TestPagesSorted(t *testing.T) {
	c := open(t, madeDir(t), true)
	keys := map[collection.Sort]func(*collection.Row) float64{
		collection.ByScore: func(r *collection.Row) float64 { return r.Relevance() },
		collection.ByTime:  func(r *collection.Row) float64 { return float64(r.Fetch.At.UnixMicro()) },
		"uncertainty":      func(r *collection.Row) float64 { return -math.Abs(r.Relevance() - 0.5) },
		"surprise":         func(r *collection.Row) float64 { return math.Abs(float64(float32(r.Lead.Priority)) - r.Relevance()) }, // as precise as a view keeps it
	}
	for _, sort := range collection.Sorts() {
		rows := list(t, c, collection.Filter{Sort: sort})
		if len(rows) != madePages {
			t.Errorf("%s: %d rows", sort, len(rows))
		}
		for i := 1; i < len(rows); i++ {
			if sort == "host" {
				if a, b := weburl.Host(rows[i-1].URL), weburl.Host(rows[i].URL); a > b {
					t.Errorf("%s: %s comes before %s", sort, a, b)
				}
				continue
			}
			if keys[sort](rows[i]) > keys[sort](rows[i-1]) {
				t.Errorf("%s: row %d is better than the one before", sort, i)
			}
		}
		for i, row := range list(t, c, collection.Filter{Sort: sort, Limit: 7}) {
			if row.URL != rows[i].URL {
				t.Errorf("%s: row %d of 7 is %s, of all %s", sort, i, row.URL, rows[i].URL)
			}
		}
	}
	for _, err := range c.Pages(collection.Filter{Sort: "beauty"}) {
		if err == nil {
			t.Error("sorted by beauty")
		}
	}
}

func TestHosts(t *testing.T) {
	c := open(t, madeDir(t), true)
	pages, on, waiting := 0, 0, 0
	robots := map[string]int{}
	for _, h := range c.Hosts() {
		pages, on, waiting = pages+h.Pages, on+h.OnTopic, waiting+h.Waiting
		robots[h.Robots]++
		site, ok := madeWeb().Site(h.Host)
		if !ok {
			t.Errorf("%s is not of the synthetic web", h.Host)
		}
		if closed := site.Kind.String() == "closed"; closed && h.Robots != collection.RobotsClosed || !closed && h.Robots == collection.RobotsClosed {
			t.Errorf("%s (%s): robots %s", h.Host, site.Kind, h.Robots)
		}
		if len(h.Last) != min(20, h.Pages) || h.State == "" {
			t.Errorf("%+v", h)
		}
	}
	st := c.Crawl.Status()
	if pages != st.Fetched || on != st.OnTopic || waiting != st.Books.Queued {
		t.Errorf("hosts have %d pages, %d on topic, %d waiting; the crawl %+v", pages, on, waiting, st)
	}
	if robots[collection.RobotsClosed] == 0 || robots[collection.RobotsNotRead] == 0 || robots[collection.RobotsRules] == 0 {
		t.Errorf("robots: %v", robots)
	}
}

func TestReasonsAddUp(t *testing.T) {
	c := open(t, madeDir(t), true)
	skipped, failed := 0, 0
	known := map[dowse.Reason]bool{}
	for _, h := range dowse.ReasonHelp() {
		known[h.Reason] = true
	}
	for _, r := range c.Reasons() {
		skipped, failed = skipped+r.Skipped, failed+r.Failed
		if !known[r.Reason] || r.Meaning == "" {
			t.Errorf("%+v is not of the closed list", r)
		}
	}
	if b := c.Crawl.Books(); skipped != b.Skipped || failed != b.Failed {
		t.Errorf("%d skipped, %d failed; the books have %+v", skipped, failed, b)
	}
}

func TestInfo(t *testing.T) {
	dir := madeDir(t)
	o, err := open(t, dir, true).Info()
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, n := range o.Bytes {
		sum += n
	}
	if o.Name != "pools" || o.Topic == "" || o.Status.Fetched != madePages || len(o.WARCs) == 0 || o.Journal == 0 || o.Segments != 1 || o.Snapshot == nil || sum != o.Total || o.Bytes["archive"] < o.WARCs[0].Bytes {
		t.Errorf("%+v", o)
	}
	if _, err := json.Marshal(o); err != nil {
		t.Error(err)
	}
}
