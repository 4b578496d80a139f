package site

import (
	"math"
	"strings"

	"dowse"
)

// Bounds on what one site can cost, whatever it sends.
const (
	maxQueue   = 2000 // pages that are queued
	maxEdges   = 2000 // sites that it links to
	maxListed  = 50   // pages from a sitemap
	maxDormant = 256  // sites that wait for a sitemap
	maxSilent  = 3    // sites that do not answer, as a multiple of those that may be read concurrently
	visitsPer  = 4    // visits per page that may be read: others fail or redirect
)

// An inner crawl is the reading of one site. It is released when the site is
// done. The exported fields are saved by name (save.go), so they keep their
// names.
type inner struct {
	name  string
	site  int32 // number of the site in outer.sites
	order int   // it is the n-th site that was begun
	home  dowse.URL
	// Pages that were queued, including those that have been visited.
	queue   map[dowse.URL]*waiting
	edgeTo  map[string]int // index in Edges
	dormant bool           // it is waiting for a sitemap

	returned int // pages of queue that have been visited or refused

	Rank     float64 // rank when it was chosen
	Linkers  int     // number of sites that linked to it then
	Start    bool
	Prior    float64
	L        float64 // log-odds that the site is on topic
	P        float64 // posterior; fixed when the site is classified
	Judged   int     // pages read when it was classified; 0 before
	Read     int     // pages read
	Visits   int
	Weights  float64 // sum of link weights
	Evidence bool    // at least one page was informative
	Home     Homepage
	Edges    []edge
	Stop     Stop
	Detail   string
	NewSites int // sites found that were not yet examined
}

// A waiting is a queued page of a site.
type waiting struct {
	Sum   float64 // of the variances of the pages that link to it
	Links int     // number of these pages
	back  bool    // it has been visited or refused
}

// add counts a page that links to the queued one.
func (q *waiting) add(worth float64) {
	q.Sum += worth
	q.Links++
}

// rank is the mean variance of the pages that link to the page.
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
	last  int // the page that was counted last, so that none counts twice
}

// add counts a page of the site that has the link, once.
func (e *edge) add(conf float64, page int) {
	if e.last == page {
		return
	}
	e.last = page
	e.Sum += conf
	e.Pages++
}

// local is the mean confidence of the pages that have the link.
func (e *edge) local() float64 { return e.Sum / float64(e.Pages) }

// newInner returns the inner crawl of a site of which nothing was read. Its
// log-odds start with those of the prior.
func newInner(s *knownSite, prior float64) *inner {
	return &inner{
		name: s.name, site: s.seq, home: s.home, Rank: s.rank(), Linkers: s.links, Start: s.start,
		Prior: prior, L: math.Log(prior / (1 - prior)), P: prior,
		queue: map[dowse.URL]*waiting{}, edgeTo: map[string]int{},
	}
}

// isHome reports whether a URL is the homepage, which may have moved within the
// site since it was chosen.
func (w *inner) isHome(u dowse.URL) bool { return u == w.home }

// enqueue adds a page to the queue; nil if it is full. The URL is copied, since
// it would keep its page in memory.
func (w *inner) enqueue(u dowse.URL) *waiting {
	if len(w.queue) >= maxQueue {
		return nil
	}
	q := &waiting{}
	w.queue[dowse.URL(strings.Clone(string(u)))] = q
	return q
}

// came records that a queued page has been visited or refused.
func (w *inner) came(u dowse.URL) {
	if q := w.queue[u]; q != nil && !q.back {
		q.back = true
		w.returned++
	}
}

// visited counts a visit, whatever came of it.
func (w *inner) visited(p *dowse.Page) {
	w.came(p.URL)
	w.Visits++
}

// judge updates the site's posterior and link rank by a page. fresh is the
// number of new sites to which the page links. The posterior is fixed when it
// reaches the threshold: later pages are read for their links only.
func (w *inner) judge(c *Crawler, conf float64, fresh int) {
	w.Read++
	w.NewSites += fresh
	if c.Evidence != evidenceHomepage || w.Judged == 0 {
		w.Evidence = w.Evidence || conf != 0.5
	}
	switch {
	case c.Evidence == evidenceHomepage && w.Judged == 0:
		w.P, w.Judged = conf, w.Read
	case w.Judged == 0:
		target := corrected(conf, or(c.Error, 0.15))
		other := corrected(1-conf, or(c.Error, 0.15))
		w.L += math.Log(target / other)
		w.P = sigmoid(w.L)
		if w.Evidence && max(w.P, 1-w.P) >= or(c.Sure, 0.9) { // a prior alone decides nothing
			w.Judged = w.Read
		}
	}
	w.Weights += conf*float64(fresh) + or(c.Bonus, 1)
}

// check ends the reading when enough was read: the site is judged and has yielded
// enough links, or a bound is reached. A site whose homepage alone decides is read on for
// links as others are: a crawl that sees no page but homepages soon knows no further site. Visits are bounded too, since a site whose
// pages all fail or redirect would otherwise never reach its number of pages.
func (w *inner) check(c *Crawler) {
	most := or(c.Pages, 50)
	switch {
	case w.Judged > 0 && linkRank(w.Weights, w.P) >= or(c.Links, 6) && c.Evidence == evidenceHomepage && w.Read == 1:
		w.end(HomepageOnly, "")
	case w.Judged > 0 && linkRank(w.Weights, w.P) >= or(c.Links, 6):
		w.end(EnoughLinks, "")
	case w.Read >= most:
		w.end(PageCap, "")
	case w.Visits >= visitsPer*most:
		w.end(PageCap, "too many of its pages could not be had")
	}
}

// exhausted returns how a site ends of which nothing is queued any more.
func (w *inner) exhausted() (Stop, string) {
	switch {
	case w.Read == 0:
		return SiteDead, w.Detail
	case !w.Evidence:
		return Unreadable, "none of its pages has words to go by"
	}
	return Exhausted, w.Detail
}

// end sets why the reading ended. The caller finishes the site afterwards.
func (w *inner) end(why Stop, detail string) {
	w.Stop, w.Detail = why, detail
}

// result returns what is kept of the site. Without informative pages there is
// no verdict.
func (w *inner) result() *result {
	r := &result{
		Order: w.order, Rank: w.Rank, Linkers: w.Linkers, Prior: w.Prior, Posterior: w.P, Judged: w.Judged, Pages: w.Read,
		Visits: w.Visits, Links: len(w.Edges), NewSites: w.NewSites, LinkRank: linkRank(w.Weights, w.P),
		Home: w.Home, Stop: w.Stop, Detail: strings.Clone(w.Detail), Verdict: None,
	}
	switch w.Stop {
	case EnoughLinks, PageCap, Exhausted, HomepageOnly:
		if r.Verdict = Irrelevant; w.P > 0.5 {
			r.Verdict = Relevant
		}
		if w.Read == 0 || !w.Evidence {
			r.Verdict, r.Stop = None, Unreadable
		}
	}
	return r
}
