// Package site finds whole websites: the two-level crawler of Ester, Kriegel
// and Schubert 2004 (Accurate and efficient crawling for relevant websites,
// VLDB 2004).
//
// The outer crawl ranks sites by the links between them. For each site that it
// chooses, an inner crawl reads pages, the homepage first and then those that
// promise the most information, until it is certain whether the site is on
// topic; then it continues until it has found enough links to other sites. So a
// site is judged by as few pages as possible, and by more than its homepage.
//
// [Crawler] is a [dowse.Strategy] like any other: everything that it wants is
// expressed in leads. The homepages of sites that were not chosen yet are held
// at the rank of their site, an inner crawl is the queued pages of one group,
// and a finished site is dropped. So the frontier, politeness, the journal,
// resuming and the lab are those of every crawl.
//
// How the parts fit: crawler.go reacts to pages, outer.go ranks sites, inner.go
// judges one site, save.go persists both. result.go describes sites to callers;
// graph.go, layout.go and picture.go export the graph of sites. [PageCrawler]
// and [Catch] are the baseline of the paper, a page crawler whose pages are
// grouped into sites; [Reader] and [Train] supply the judge.
//
// The judgement is naive Bayes over pages in log-odds: each page adds
// ln(c'/(1-c')), where c' is its confidence c corrected for the judge's error
// rate e, c' = c(1-e) + (1-c)e. The site is classified once its posterior
// reaches p_threshold on either side.
//
// Bounds: memory grows with the known sites, up to 2,000,000, and with the
// sites being read, of which each may queue 2,000 pages and name 2,000 other
// sites. Like every strategy it is used by one goroutine, has no clock and no
// random numbers, and does the same in a replay.
package site

import (
	"fmt"
	"math"
	"strings"

	"dowse"
	"dowse/weburl"
)

// Weight selects how much a link from one site to another is worth.
type Weight string

// The weights, as the parameter has them.
const (
	weightCombined Weight = "combined" // the mean of both
	weightGlobal   Weight = "global"   // the posterior of the linking site
	weightLocal    Weight = "local"    // the mean confidence of its pages that have the link
)

// Of returns the worth of a link: site is the posterior of the linking site,
// pages the mean confidence of those of its pages that have the link.
func (w Weight) Of(site, pages float64) float64 {
	switch w {
	case weightGlobal:
		return site
	case weightLocal:
		return pages
	}
	return (site + pages) / 2
}

// A Crawler looks for sites on topic. A page's relevance is used as the
// confidence that the page belongs to the topic's class. Parameters that are
// zero have their default.
type Crawler struct {
	Sure      float64 `param:"p_threshold" default:"0.9" help:"a site is judged when it is this probable, either way; 0.7 is quick; Ester et al. 2004"`
	Links     float64 `param:"l_threshold" default:"6" help:"link rank up to which a judged site is read on for links; ours"`
	Bonus     float64 `param:"c0" default:"1" help:"link weight of a page without links to new sites; Ester et al. 2004: 1 or more"`
	Pages     int     `param:"pages" default:"50" help:"pages of one site at most; ours"`
	Error     float64 `param:"p_err" default:"0.15" help:"share of pages that the judge gets wrong; a judge that was cross-validated brings its own; ours"`
	Weigh     string  `param:"weight" default:"combined" help:"global, local or combined: what a link between sites is worth; Ester et al. 2004 advise combined"`
	By        string  `param:"by" default:"host" help:"host or domain: what a site is; www. is no host of its own; ours"`
	AtOnce    int     `param:"at_once" default:"16" help:"sites that are read concurrently, each politely; ours"`
	PriorLow  float64 `param:"prior_low" default:"0.2" help:"least prior that a site is on topic, from the sites before it; ours"`
	PriorHigh float64 `param:"prior_high" default:"0.8" help:"highest prior; ours"`
	Sites     int     `param:"sites" default:"0" help:"sites on topic after which no more are begun; 0 for all; ours"`
	Order     string  `param:"order" default:"rank" help:"which site is read next: rank, the mean worth of the links to it, as Ester et al. 2004; sum, their sum, which needs fewer pages and is what new crawls use; hubs, the sum by how many sites on topic the linking sites have led to; breadth, the one known longest, or random as baselines; hubs after the future work of Ester et al. 2004"`
	Scan      int     `param:"scan" default:"0" help:"pages that are read of each site on topic once it is judged, those first whose links promise the most; a second stage after the sites, future work of Ester et al. 2004"`
	Evidence  string  `param:"evidence" default:"pages" help:"what a site is judged by: pages, or its homepage alone, the baseline of Ester et al. 2004; further pages are read for links, none with l_threshold=0"`

	outer outer
	open  map[string]*inner // inner crawls by site
	scans map[string]*scan  // sites that are read by a second stage

	// Truth, if set, reports whether a site is on topic: the order of sites is then that of
	// an oracle, which reads sites on topic first. Only the lab knows it.
	Truth func(site string) bool

	siteOf func(dowse.URL) (name string, home dowse.URL) // nil means by By
}

// or returns a parameter, or its default if it is zero.
func or[T int | float64](v, byDefault T) T {
	if v == 0 {
		return byDefault
	}
	return v
}

// Check returns an error if a parameter is out of range. An error rate of one
// half or more would turn verdicts around, and a threshold of one would never be
// reached.
func (c *Crawler) Check() error {
	sure, e := or(c.Sure, 0.9), or(c.Error, 0.15)
	low, high := or(c.PriorLow, 0.2), or(c.PriorHigh, 0.8)
	switch {
	case !(sure > 0.5 && sure < 1):
		return fmt.Errorf("p_threshold=%g: want more than 0.5 and less than 1", sure)
	case !(e >= 0 && e < 0.5):
		return fmt.Errorf("p_err=%g: want an error below 0.5, not an accuracy", e)
	case !(low > 0 && low <= 0.5 && high >= 0.5 && high < 1):
		return fmt.Errorf("prior_low=%g, prior_high=%g: want 0 < prior_low <= 0.5 <= prior_high < 1", low, high)
	case c.Weigh != "" && Weight(c.Weigh) != weightCombined && Weight(c.Weigh) != weightGlobal && Weight(c.Weigh) != weightLocal:
		return fmt.Errorf("weight=%s: want global, local or combined", c.Weigh)
	case c.By != "" && c.By != byHost && c.By != byDomain:
		return fmt.Errorf("by=%s: want host or domain", c.By)
	case c.Order != "" && c.Order != orderRank && c.Order != orderSum && c.Order != orderHubs && c.Order != orderBreadth && c.Order != orderRandom:
		return fmt.Errorf("order=%s: want rank, sum, hubs, breadth or random", c.Order)
	case c.Evidence != "" && c.Evidence != evidencePages && c.Evidence != evidenceHomepage:
		return fmt.Errorf("evidence=%s: want pages or homepage", c.Evidence)
	case c.Pages < 0 || c.AtOnce < 0 || c.Sites < 0 || c.Scan < 0 || c.Links < 0 || c.Bonus < 0:
		return fmt.Errorf("pages, at_once, sites, scan, l_threshold and c0 can't be negative")
	}
	return nil
}

// The values of the parameter by.
const (
	byHost   = "host"
	byDomain = "domain"
)

// The values of the parameters order and evidence.
const (
	orderRank    = "rank"
	orderBreadth = "breadth"
	orderRandom  = "random"
	orderSum     = "sum"
	orderHubs    = "hubs"

	evidencePages    = "pages"
	evidenceHomepage = "homepage"
)

// Of returns the name of the site to which a URL belongs, and its homepage: by
// host, without www., or by registrable domain. An opaque URL is a site of its
// own.
func Of(u dowse.URL, by string) (name string, home dowse.URL) {
	home = weburl.Homepage(u)
	if home == "" {
		return string(u), u
	}
	name = weburl.WithoutWWW(weburl.Host(u))
	if by != byDomain {
		return name, home
	}
	domain := weburl.Site(u)
	if domain != weburl.WithoutWWW(weburl.Hostname(u)) {
		home = dowse.URL(weburl.Scheme(u) + "://" + domain + "/")
	}
	return domain, home
}

// of is Of by the parameter of the crawler, or by the function that a test set.
func (c *Crawler) of(u dowse.URL) (string, dowse.URL) {
	if c.siteOf != nil {
		return c.siteOf(u)
	}
	return Of(u, c.By)
}

// begin creates the tables when the crawler is first used.
func (c *Crawler) begin() {
	if c.open == nil {
		c.open, c.scans = map[string]*inner{}, map[string]*scan{}
		c.outer.index = map[string]int32{}
		c.outer.ready.before = c.before()
	}
}

// Start makes the sites of the seeds start sites: they are read first, and
// count neither for priors nor in measures. A seed that is not a homepage is
// held, since its site is read from the homepage.
func (c *Crawler) Start(seeds []dowse.URL) (leads []dowse.Lead) {
	c.begin()
	for _, u := range seeds {
		name, home := c.of(u)
		s := c.outer.site(name, home, u)
		if s == nil || s.state != known {
			continue
		}
		s.start = true
		c.outer.offer(s)
		if u != home {
			leads = append(leads, dowse.Lead{Kind: dowse.Hold, URL: u, Group: name, Because: because("a seed: its site is read from the homepage", 1, 0)})
		}
	}
	return append(leads, c.fill()...)
}

// Follow gives a page to the inner crawl of its site. A page of a site that is
// not being read changes nothing: it may have been in flight when its site was
// finished.
//
// The order is: the page updates the judgement and queues further pages of its
// site; then the site ends if enough is known; then its links raise other sites,
// of which the best are begun in its place.
func (c *Crawler) Follow(p *dowse.Page) []dowse.Lead {
	c.begin()
	name, _ := c.of(p.URL)
	w := c.open[name]
	if w == nil {
		return append(c.ignoreRedirect(p), c.scanned(name, p)...)
	}
	w.visited(p)
	var leads []dowse.Lead
	switch p.Outcome {
	case dowse.Fetched:
		leads = c.read(w, p)
	case dowse.Redirected:
		leads = c.redirected(w, p)
	case dowse.Listed:
		leads = c.listed(w, p)
	default:
		leads = c.failed(w, p)
	}
	return append(leads, c.endIfDone(w)...)
}

// Refused is called when a page of an inner crawl can't be visited. A site of
// which nothing else is queued or read ends. Without that it would occupy its
// place among the sites that are read for the rest of the crawl.
func (c *Crawler) Refused(l dowse.Lead, why dowse.Reason) []dowse.Lead {
	name, _ := c.of(l.URL)
	w := c.open[name]
	if w == nil {
		return nil
	}
	w.came(l.URL)
	if w.Read == 0 && len(w.queue) == w.returned {
		w.end(Refused, string(why))
	}
	return c.endIfDone(w)
}

// Idle is called when nothing is left to visit. It ends the inner crawls that
// are waiting for a sitemap, and begins others.
func (c *Crawler) Idle() (leads []dowse.Lead) {
	c.begin()
	for _, w := range c.inOrder() {
		w.dormant = false
		if w.Stop == "" {
			w.end(w.exhausted())
		}
		leads = append(leads, c.finish(w)...)
	}
	return append(leads, c.fill()...)
}

// ignoreRedirect keeps the crawl from following a redirect out of a finished
// site.
func (c *Crawler) ignoreRedirect(p *dowse.Page) []dowse.Lead {
	if p.Outcome != dowse.Redirected || len(p.Links) == 0 {
		return nil
	}
	return leaveAlone(&p.Links[0])
}

// leaveAlone returns a lead for the target of a redirect that changes nothing.
// Without any, the crawl itself would queue the target.
func leaveAlone(l *dowse.Link) []dowse.Lead {
	lead := dowse.Lead{URL: l.URL, Merge: dowse.Max, Because: because("a redirect out of a site that is not read", 0, 0)}
	switch l.Target.State {
	case dowse.Unseen, dowse.Held:
		lead.Kind = dowse.Hold
		lead.Priority = l.Target.Priority
	}
	return []dowse.Lead{lead}
}

// read updates the judgement of the site by a page, and queues the page's links
// into the site. A parked homepage ends it; a homepage that only refreshes to
// another site counts as moved. Links to other sites are recorded with the
// confidence of the page, and take effect when the site is finished and its
// verdict is known.
func (c *Crawler) read(w *inner, p *dowse.Page) []dowse.Lead {
	home := w.isHome(p.URL)
	if home {
		w.Home = kindOf(p)
		if w.Home == homeParked {
			w.Read++
			w.end(SiteParked, "its homepage is that of a name for sale")
			return nil
		}
	}
	conf := p.Verdict.Relevance
	fresh, inside := 0, make([]*dowse.Link, 0, len(p.Links))
	for i := range p.Links {
		l := &p.Links[i]
		name, at := c.of(l.URL)
		if name == w.name {
			inside = append(inside, l)
		} else if c.link(w, name, at, l.URL, conf) {
			fresh++
		}
	}
	w.judge(c, conf, fresh)
	if home && w.Home == homeThin && !w.Evidence && len(inside) == 0 && len(p.Links) == 1 { // a refresh
		name, at := c.of(p.Links[0].URL)
		return c.moved(w, name, at, p.Links[0].URL)
	}
	return c.queue(w, inside, variance(conf))
}

// variance is the variance of the confidences in the two classes, (c-½)²: a
// page that links to a page was informative if it was far from undecided. Pages
// are ranked by it (Ester et al. 2004).
func variance(conf float64) float64 { return (conf - 0.5) * (conf - 0.5) }

// link records a link to another site, and reports whether that site is new to
// this one and not yet examined.
func (c *Crawler) link(w *inner, name string, home, at dowse.URL, conf float64) (fresh bool) {
	if i, ok := w.edgeTo[name]; ok {
		w.Edges[i].add(conf, w.Read)
		return false
	}
	if len(w.Edges) >= maxEdges {
		return false
	}
	s := c.outer.site(name, home, at)
	if s == nil {
		return false
	}
	w.edgeTo[s.name] = len(w.Edges)
	w.Edges = append(w.Edges, edge{To: s.seq, Sum: conf, Pages: 1, last: w.Read})
	return s.state == known
}

// queue queues pages of the site, each at the mean variance of the pages that
// link to it. A page that is queued already gets a new mean; one that has been
// visited is not queued again. After the site has stopped nothing is added.
func (c *Crawler) queue(w *inner, links []*dowse.Link, worth float64) (leads []dowse.Lead) {
	if w.Stop != "" {
		return nil
	}
	for _, l := range links {
		q, known := w.queue[l.URL]
		switch {
		case known:
			q.add(worth)
		case l.Target.State == dowse.Unseen || l.Target.State == dowse.Held:
			if q = w.enqueue(l.URL); q == nil {
				continue
			}
			q.add(worth)
		}
		if q == nil || q.back {
			continue
		}
		leads = append(leads, dowse.Lead{
			URL: l.URL, Priority: q.rank(), Group: w.name, Note: pageNote,
			Because: because("what the pages that link to it tell (variance of their confidence)", q.rank(), q.Links),
		})
	}
	return leads
}

// Notes distinguish the leads of inner crawls from what the crawl itself
// queues.
const (
	pageNote = "p"
	homeNote = "h"
	scanNote = "s"
)

// because returns a single reason.
func because(what string, weight float64, n int) []dowse.Because {
	return []dowse.Because{{What: what, Weight: weight, Count: n}}
}

// listed queues pages of a sitemap, for a site whose pages are not linked to
// each other. They rank below all others. A site that was already read with some
// information needs no sitemap.
func (c *Crawler) listed(w *inner, p *dowse.Page) []dowse.Lead {
	if w.Read > 0 && w.Evidence {
		return nil
	}
	var inside []*dowse.Link
	for i := range p.Links {
		if name, _ := c.of(p.Links[i].URL); name == w.name && len(inside) < maxListed {
			inside = append(inside, &p.Links[i])
		}
	}
	w.dormant = w.dormant && len(inside) == 0
	return c.queue(w, inside, 0)
}

// redirected follows a redirect. Within the site the target inherits the rank;
// a homepage that leads to another site ends this one.
func (c *Crawler) redirected(w *inner, p *dowse.Page) []dowse.Lead {
	home := w.isHome(p.URL)
	if len(p.Links) == 0 {
		return c.failed(w, p)
	}
	l := &p.Links[0]
	name, at := c.of(l.URL)
	switch {
	case name != w.name && home:
		w.Home = homeRedirecting
		return append(leaveAlone(l), c.moved(w, name, at, l.URL)...)
	case name != w.name:
		return leaveAlone(l)
	}
	from := w.queue[p.URL]
	if from == nil {
		return nil
	}
	q := w.queue[l.URL]
	if q == nil && (l.Target.State == dowse.Unseen || l.Target.State == dowse.Held) {
		q = w.enqueue(l.URL)
	}
	if q == nil || q.back {
		return nil
	}
	q.Sum, q.Links = q.Sum+from.Sum, q.Links+from.Links
	if home {
		w.home = l.URL
	}
	return []dowse.Lead{{
		URL: l.URL, Priority: max(q.rank(), p.Lead.Priority), Group: w.name, Note: p.Lead.Note,
		Because: because("redirected from "+string(p.URL), p.Lead.Priority, 0),
	}}
}

// moved ends a site whose homepage is on another one, which inherits its rank
// and its being a start site.
func (c *Crawler) moved(w *inner, name string, home, at dowse.URL) []dowse.Lead {
	w.end(Moved, name)
	from := c.outer.sites[w.site]
	to := c.outer.site(name, home, at)
	if to == nil || to.state != known {
		return nil
	}
	to.start = to.start || from.start
	to.sum, to.links = to.sum+from.sum, to.links+from.links
	c.outer.inherit(to, from)
	c.outer.offer(to)
	return []dowse.Lead{c.hold(to)}
}

// failed handles a page that could not be fetched. A site whose homepage is
// missing is read from the page to which others link, if there is one; the
// paper gives it up.
func (c *Crawler) failed(w *inner, p *dowse.Page) []dowse.Lead {
	if !w.isHome(p.URL) || w.Read > 0 {
		return nil
	}
	w.Home = homeDead
	s := c.outer.sites[w.site]
	detail := strings.TrimSpace(string(p.Reason) + " " + p.Detail)
	pageOnly := p.Outcome == dowse.Refused || p.Reason == dowse.FailHTTP || p.Reason == dowse.SkipTypeMIME || p.Reason == dowse.SkipTypeSize
	if pageOnly && s.entry != "" && s.entry != p.URL && w.queue[s.entry] == nil {
		w.home = s.entry
		w.Detail = detail
		w.enqueue(s.entry)
		return []dowse.Lead{{
			URL: s.entry, Priority: p.Lead.Priority, Group: w.name, Note: homeNote,
			Because: because("the site has no homepage: the first page that was linked to", p.Lead.Priority, 0),
		}}
	}
	if p.Outcome == dowse.Refused {
		w.end(Refused, detail)
	} else {
		w.end(SiteDead, detail)
	}
	return nil
}

// endIfDone ends the inner crawl of a site if enough was read or nothing is
// queued. A site without any readable page waits for its sitemap first.
func (c *Crawler) endIfDone(w *inner) []dowse.Lead {
	if w.Stop == "" {
		w.check(c)
	}
	if w.Stop == "" && len(w.queue) == w.returned && !w.dormant {
		if !w.Evidence && w.Read > 0 && c.dormant() < maxDormant {
			w.dormant = true // a sitemap may still arrive
			return c.fill()
		}
		w.end(w.exhausted())
	}
	if w.Stop == "" {
		return nil
	}
	return append(c.finish(w), c.fill()...)
}

// dormant returns the number of sites that wait for a sitemap.
func (c *Crawler) dormant() (n int) {
	for _, w := range c.open {
		if w.dormant {
			n++
		}
	}
	return n
}

// finish closes the inner crawl: its links are added to the ranks of other
// sites, its result is kept, and no further page of the site is visited. A site
// without a verdict passes on nothing.
//
// Only here do links count. So a site whose pages link a thousand times to
// another raises it once, by the mean over these pages, and the order in which
// pages were read does not matter. The host of the homepage is dropped too if it
// has another name than the site, as www. has.
func (c *Crawler) finish(w *inner) []dowse.Lead {
	s := c.outer.sites[w.site]
	delete(c.open, w.name)
	s.state = done
	s.result = w.result()
	c.outer.close(s)
	if s.result.Verdict != None && !s.start {
		c.outer.examined++
		if s.result.Verdict == Relevant {
			c.outer.relevant++
		}
	}
	leads := c.leave(w, s)
	if s.result.Verdict == None {
		return leads
	}
	c.outer.credit(s)
	for i := range w.Edges {
		e := &w.Edges[i]
		to := c.outer.sites[e.To]
		weight := Weight(c.Weigh).Of(w.P, e.local())
		if c.Order == orderHubs {
			c.outer.join(s, to, weight)
		}
		if to.state != known {
			continue
		}
		to.sum += weight
		to.links++
		c.outer.offer(to)
		leads = append(leads, c.hold(to))
	}
	return leads
}

// leave returns the leads that end the visits to a site: its waiting pages are dropped, or
// left to the second stage.
func (c *Crawler) leave(w *inner, s *knownSite) []dowse.Lead {
	if c.Scan > 0 && s.result.Verdict == Relevant && !s.start {
		return c.scan(w, s)
	}
	return c.dropSite(s, because("the site is done: "+string(w.Stop), w.P, w.Read))
}

// dropSite returns the leads that drop all waiting pages of a site.
func (c *Crawler) dropSite(s *knownSite, why []dowse.Because) []dowse.Lead {
	leads := []dowse.Lead{{Kind: dowse.Drop, Group: s.name, Because: why}}
	if host := weburl.Host(s.home); host != "" && host != s.name {
		leads = append(leads, dowse.Lead{Kind: dowse.Drop, Group: host, Because: why})
	}
	return leads
}

// hold returns a lead that holds the homepage of a site at the site's rank.
func (c *Crawler) hold(s *knownSite) dowse.Lead {
	return dowse.Lead{Kind: dowse.Hold, URL: s.home, Priority: s.rank(), Group: s.name, Because: s.because()}
}

// fill begins inner crawls of the best sites while there is room for them, and
// while fewer sites on topic than wanted have been found.
func (c *Crawler) fill() (leads []dowse.Lead) {
	for c.busy() < or(c.AtOnce, 16) {
		if c.Sites > 0 && c.outer.relevant >= c.Sites {
			return leads
		}
		s := c.outer.best()
		if s == nil {
			return leads
		}
		w := c.choose(s)
		leads = append(leads, dowse.Lead{URL: s.home, Priority: s.rank(), Group: s.name, Note: homeNote, Because: s.because()})
		w.enqueue(s.home)
	}
	return leads
}

// busy returns the number of sites that are being read. Sites that wait for a
// sitemap do not count, nor, up to a bound, those that have not answered
// although many were begun after them: otherwise hosts that are down would keep
// all others waiting.
func (c *Crawler) busy() int {
	most := or(c.AtOnce, 16)
	n, silent := len(c.open), 0
	for _, w := range c.open {
		switch {
		case w.dormant:
			n--
		case w.Visits == 0 && w.order+2*most <= c.outer.chosen:
			silent++
		}
	}
	return n - min(silent, maxSilent*most)
}

// choose opens the inner crawl of a site, with the prior of this moment.
func (c *Crawler) choose(s *knownSite) *inner {
	s.state = opened
	c.outer.chosen++
	w := newInner(s, c.prior())
	w.order = c.outer.chosen
	c.open[s.name] = w
	return w
}

// prior is the smoothed share of sites on topic among those examined before,
// bounded because it would otherwise feed on its own verdicts.
func (c *Crawler) prior() float64 {
	p := float64(c.outer.relevant+1) / float64(c.outer.examined+2)
	return min(max(p, or(c.PriorLow, 0.2)), or(c.PriorHigh, 0.8))
}

// corrected is the confidence of a page given that the judge is wrong in a
// share e of all pages.
func corrected(conf, e float64) float64 {
	return min(max(conf*(1-e)+(1-conf)*e, least), 1-least)
}

// least keeps a single page from deciding a site for good.
const least = 1e-6

// linkRank measures how many links a site has yielded. It grows faster for a
// site that is not on topic, so that such a site is left sooner.
func linkRank(weights, posterior float64) float64 { return weights / max(posterior, 1e-6) }

// sigmoid converts log-odds into a probability.
func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
