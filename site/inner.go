package site

import (
	"math"
	"strings"

	"dowse"
)

// Bounds of what one site can cost, whatever it sends.
const (
	maxQueue   = 2000 // pages that wait
	maxEdges   = 2000 // sites that it links to
	maxListed  = 50   // pages that are taken from a sitemap
	maxDormant = 256  // sites that wait for a sitemap
	maxSilent  = 3    // times as many sites that do not answer as may be read at once
	visitsPer  = 4    // visits for each page that may be read: others fail or redirect
)

// An inner crawl is the reading of one site. It is freed when the site is done.
type inner struct {
	name    string
	site    int32 // number of the site
	order   int   // it is the n-th site that was begun
	home    dowse.URL
	queue   map[dowse.URL]*waiting // pages that were queued, with those that came back
	edgeTo  map[string]int         // index in Edges
	dormant bool                   // it waits for a sitemap

	returned int // of queue

	Rank     float64 // at which it was chosen
	Linkers  int     // sites that linked to it then
	Start    bool
	Prior    float64
	L        float64 // log-odds
	P        float64 // posterior, frozen when classified
	Judged   int     // pages read when it was classified; 0 if it was not yet
	Read     int     // pages read
	Visits   int
	Weights  float64 // sum of link weights
	Evidence bool    // a page said something
	Home     Homepage
	Edges    []edge
	Stop     Stop
	Detail   string
	NewSites int // sites found that were not examined
}

// A waiting page of a site.
type waiting struct {
	Sum   float64 // of the variances of the pages that link to it
	Links int     // how many do
	back  bool
}

func (q *waiting) add(worth float64) {
	q.Sum += worth
	q.Links++
}

func (q *waiting) rank() float64 {
	if q.Links == 0 {
		return 0
	}
	return q.Sum / float64(q.Links)
}

// An edge is a link to another site.
type edge struct {
	To    int32
	Sum   float64 // of the confidences of the pages that have it
	Pages int
	last  int // page that was counted last
}

// add counts a page, once.
func (e *edge) add(conf float64, page int) {
	if e.last == page {
		return
	}
	e.last = page
	e.Sum += conf
	e.Pages++
}

func (e *edge) local() float64 { return e.Sum / float64(e.Pages) }

func newInner(s *knownSite, prior float64) *inner {
	return &inner{
		name: s.name, site: s.seq, home: s.home, Rank: s.rank(), Linkers: s.links, Start: s.start,
		Prior: prior, L: math.Log(prior / (1 - prior)), P: prior,
		queue: map[dowse.URL]*waiting{}, edgeTo: map[string]int{},
	}
}

func (w *inner) isHome(u dowse.URL) bool { return u == w.home }

// await takes a page into the queue; nil if there is no more room.
func (w *inner) await(u dowse.URL) *waiting {
	if len(w.queue) >= maxQueue {
		return nil
	}
	q := &waiting{}
	w.queue[dowse.URL(strings.Clone(string(u)))] = q
	return q
}

// back takes note that a page that was queued came to its end.
func (w *inner) back(u dowse.URL) {
	if q := w.queue[u]; q != nil && !q.back {
		q.back = true
		w.returned++
	}
}

func (w *inner) visited(p *dowse.Page) {
	w.back(p.URL)
	w.Visits++
}

// judge takes a page into the site's posterior and link rank. fresh is the number of
// new sites that the page links to.
func (w *inner) judge(c *Crawler, conf float64, fresh int) {
	w.Read++
	w.NewSites += fresh
	w.Evidence = w.Evidence || conf != 0.5
	if w.Judged == 0 {
		target := Corrected(conf, or(c.Error, 0.15))
		other := Corrected(1-conf, or(c.Error, 0.15))
		w.L += math.Log(target / other)
		w.P = sigmoid(w.L)
		if w.Evidence && max(w.P, 1-w.P) >= or(c.Sure, 0.9) { // a prior alone is no judgement
			w.Judged = w.Read
		}
	}
	w.Weights += conf*float64(fresh) + or(c.Bonus, 1)
}

// check ends the reading when enough was read.
func (w *inner) check(c *Crawler) {
	most := or(c.Pages, 50)
	switch {
	case w.Judged > 0 && LinkRank(w.Weights, w.P) >= or(c.Links, 6):
		w.end(EnoughLinks, "")
	case w.Read >= most:
		w.end(PageCap, "")
	case w.Visits >= visitsPer*most:
		w.end(PageCap, "too many of its pages could not be had")
	}
}

// exhausted tells how a site ends of which no page waits any more.
func (w *inner) exhausted() (Stop, string) {
	switch {
	case w.Read == 0:
		return SiteDead, w.Detail
	case !w.Evidence:
		return Unreadable, "none of its pages has words to go by"
	}
	return Exhausted, w.Detail
}

func (w *inner) end(why Stop, detail string) {
	w.Stop, w.Detail = why, detail
}

// result is what is kept of the site.
func (w *inner) result() *result {
	r := &result{
		Order: w.order, Rank: w.Rank, Linkers: w.Linkers, Prior: w.Prior, Posterior: w.P, Judged: w.Judged, Pages: w.Read,
		Visits: w.Visits, Links: len(w.Edges), NewSites: w.NewSites, LinkRank: LinkRank(w.Weights, w.P),
		Home: w.Home, Stop: w.Stop, Detail: strings.Clone(w.Detail), Verdict: None,
	}
	switch w.Stop {
	case EnoughLinks, PageCap, Exhausted:
		if r.Verdict = Irrelevant; w.P > 0.5 {
			r.Verdict = Relevant
		}
		if w.Read == 0 || !w.Evidence {
			r.Verdict, r.Stop = None, Unreadable
		}
	}
	return r
}
