package operations

import (
	"context"
	"math"
	"slices"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/internal/facts"
	"dowse/internal/frontier"
)

// A FrontierQuery selects what is shown of the queue.
type FrontierQuery struct {
	Limit int    // links to show; default 50, at most maxRows
	Host  string // only of this host; "" for all
}

// A Frontier is what a crawl will visit next, and why. It shows what was committed: links that a
// running crawl has just taken, and hosts that have rested since, are a little behind.
type Frontier struct {
	Waiting int `json:"waiting" doc:"links that wait"`
	Ready   int `json:"ready" doc:"hosts with waiting links that may be visited now"`
	Hosts   int `json:"hosts" doc:"hosts with waiting links"`
	// Next is the link that would be visited now; nil if every host has to rest. It is the best of
	// the hosts that have rested, so a better one may have to wait: see Wait in Leads.
	Next  *QueuedLead  `json:"next,omitempty" doc:"the link that would be visited now"`
	Leads []QueuedLead `json:"leads" doc:"the best links that wait, best first"`

	Histogram []Bin       `json:"histogram" doc:"waiting links by priority, the lowest first"`
	ByHost    []HostCount `json:"by_host" doc:"the hosts with the most waiting links"`
	ByHops    []int       `json:"by_hops" doc:"waiting links by the number of off-topic pages in a row above them"`
	Seen      time.Time   `json:"seen" doc:"the moment that this shows"`
	Command   string      `json:"command" doc:"the command that shows the same links"`
}

// A QueuedLead is a link that waits, with its origin.
type QueuedLead struct {
	URL      dowse.URL     `json:"url"`
	Host     string        `json:"host"`
	Priority float64       `json:"priority"`
	Band     int           `json:"band,omitempty" doc:"bands are emptied in order, the lowest first"`
	Depth    int           `json:"depth" doc:"links from a seed"`
	Hops     int           `json:"hops" doc:"off-topic pages in a row above it"`
	Wait     facts.Seconds `json:"wait" doc:"how long its host must still rest, 0 for not at all (s)"`
	Parent   dowse.URL     `json:"parent,omitempty" doc:"the page that it was first seen on"`
	// ParentRelevance is nil for a link without a parent.
	ParentRelevance *float64 `json:"parent_relevance,omitempty"`
	Anchor          string   `json:"anchor,omitempty" doc:"the words of that link"`
	HostPages       int      `json:"host_pages" doc:"pages that were fetched of its host"`
	HostOnTopic     int      `json:"host_on_topic" doc:"those of them on topic"`
}

// A Bin is a range of priorities.
type Bin struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count int     `json:"count"`
}

// A HostCount is a host and a number of links.
type HostCount struct {
	Host  string `json:"host"`
	Count int    `json:"count"`
}

// Bounds of the summaries of a queue.
const (
	bins     = 20
	topHosts = 10
	maxHops  = 10
)

// Frontier returns what comes next and why.
func (o *Operations) Frontier(ctx context.Context, id string, q FrontierQuery) (*Frontier, error) {
	if err := limit(&q.Limit, defaultRows, maxRows); err != nil {
		return nil, err
	}
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	var x *Frontier
	err = s.locked(ctx, func(v *openView) error {
		x = v.queue()
		copied := *x
		x = &copied
		x.fill(v, q, s.now())
		x.Command = frontierCommand(s.dir, &q)
		return nil
	})
	return x, err
}

// queue returns the summaries of the queue, which are made once for a view.
func (v *openView) queue() *Frontier {
	if v.queued != nil {
		return v.queued
	}
	f := v.col.Crawl.Frontier()
	x := &Frontier{Waiting: f.Count(dowse.Waiting), Hosts: f.HostsWaiting(), Seen: v.at.UTC(), ByHops: make([]int, maxHops+1)}
	low, high := math.Inf(1), math.Inf(-1)
	for id := range frontier.ID(f.Len()) {
		if f.State(id) == dowse.Waiting {
			p := facts.Finite(f.Priority(id))
			low, high = min(low, p), max(high, p)
			_, hops := f.Depth(id)
			x.ByHops[min(int(hops), maxHops)]++
		}
	}
	x.Histogram = v.histogram(low, high)
	x.ByHost = v.mostWaiting()
	v.queued = x
	return x
}

// histogram counts the waiting links by priority between two bounds.
func (v *openView) histogram(low, high float64) []Bin {
	list := []Bin{}
	if low > high {
		return list
	}
	if low >= 0 && high <= 1 {
		low, high = 0, 1 // the scale of most strategies
	}
	width := (high - low) / bins
	if width == 0 || math.IsInf(width, 0) {
		return append(list, Bin{low, high, v.col.Crawl.Frontier().Count(dowse.Waiting)})
	}
	for i := range bins {
		list = append(list, Bin{From: low + float64(i)*width, To: low + float64(i+1)*width})
	}
	f := v.col.Crawl.Frontier()
	for id := range frontier.ID(f.Len()) {
		if f.State(id) == dowse.Waiting {
			list[max(0, min(bins-1, int((facts.Finite(f.Priority(id))-low)/width)))].Count++
		}
	}
	return list
}

// mostWaiting returns the hosts with the most waiting links.
func (v *openView) mostWaiting() []HostCount {
	f := v.col.Crawl.Frontier()
	p := &picks{n: topHosts}
	for h := range f.Hosts() {
		if n := f.WaitingOn(frontier.HostID(h)); n > 0 {
			p.add(pick{float64(n), frontier.ID(h)})
		}
	}
	list := []HostCount{}
	for _, x := range p.sorted() {
		list = append(list, HostCount{f.HostName(frontier.HostID(x.id)), int(x.key)})
	}
	return list
}

// maxLeaders is how many hosts are looked at for the next visit.
const maxLeaders = 1000

// fill adds the links to the summaries.
func (x *Frontier) fill(v *openView, q FrontierQuery, now time.Time) {
	f := v.col.Crawl.Frontier()
	x.Leads = []QueuedLead{}
	x.Ready = 0
	for h := range f.Hosts() {
		if f.WaitingOn(frontier.HostID(h)) > 0 && !f.Ready(frontier.HostID(h)).After(now) {
			x.Ready++
		}
	}
	for _, id := range f.Leaders(maxLeaders) {
		if !f.Ready(f.Host(id)).After(now) {
			next := v.queuedLead(id, now)
			x.Next = &next
			break
		}
	}
	for _, id := range bestLeads(v.col, q.Limit, q.Host) {
		x.Leads = append(x.Leads, v.queuedLead(id, now))
	}
}

// bestLeads returns the n best waiting links, of all hosts for "" or of one.
func bestLeads(col *collection.Collection, n int, host string) (list []frontier.ID) {
	f := col.Crawl.Frontier()
	if host == "" {
		return f.Top(n)
	}
	hosts := hostsNamed(f, host)
	p := &picks{n: n}
	for id := range frontier.ID(f.Len()) {
		if len(hosts) > 0 && f.State(id) == dowse.Waiting && slices.Contains(hosts, f.Host(id)) {
			p.add(pick{facts.Finite(f.Priority(id)), id})
		}
	}
	for _, x := range p.sorted() {
		list = append(list, x.id)
	}
	return list
}

// queuedLead returns a waiting link with its origin.
func (v *openView) queuedLead(id frontier.ID, now time.Time) QueuedLead {
	f := v.col.Crawl.Frontier()
	h := f.Host(id)
	depth, hops := f.Depth(id)
	l := QueuedLead{URL: v.col.URL(id), Host: f.HostName(h), Priority: facts.Finite(f.Priority(id)), Band: int(f.Band(id)), Depth: int(depth), Hops: int(hops)}
	if wait := f.Ready(h).Sub(now); wait > 0 {
		l.Wait = facts.Seconds(wait.Round(time.Millisecond))
	}
	if via := v.col.Via(id); via != nil {
		relevance := facts.Finite(via.Relevance)
		l.Parent, l.ParentRelevance = via.Parent, &relevance
		if len(via.Anchors) > 0 {
			l.Anchor = via.Anchors[0]
		}
	}
	status := v.col.Crawl.Host(int(h))
	l.HostPages, l.HostOnTopic = status.Fetched, status.OnTopic
	return l
}
