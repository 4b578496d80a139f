package site

import (
	"dowse"
)

// Verdict is what became of a site.
type Verdict string

// The verdicts.
const (
	Relevant   Verdict = "relevant"
	Irrelevant Verdict = "irrelevant"
	None       Verdict = "none"    // it could not be judged: Stop says why
	Reading    Verdict = "reading" // its inner crawl goes on
	Waiting    Verdict = "waiting" // it was not chosen yet
)

// Stop is why the reading of a site ended.
type Stop string

// The stops.
const (
	EnoughLinks Stop = "link_rank"      // judged, and enough links were found
	PageCap     Stop = "page_cap"       // as many pages as a site may give
	Exhausted   Stop = "frontier_empty" // no further page is known
	Moved       Stop = "moved"          // its homepage is on another site
	SiteParked  Stop = "parked"         // a name for sale, no site
	SiteDead    Stop = "dead"           // its homepage can't be had
	Refused     Stop = "refused"        // it may not be visited: robots.txt, scope
	Unreadable  Stop = "unreadable"     // there are no words on any of its pages
)

// Stops lists all stops.
func Stops() []Stop {
	return []Stop{EnoughLinks, PageCap, Exhausted, Moved, SiteParked, SiteDead, Refused, Unreadable}
}

// Homepages lists all kinds of homepages.
func Homepages() []Homepage {
	return []Homepage{Plain, Frames, Thin, Script, Redirecting, Parked, Dead}
}

// Means says what a kind of homepage is.
func (h Homepage) Means() string {
	switch h {
	case Plain:
		return "a page with a text"
	case Frames:
		return "hardly a word, and links that nobody can click: frames"
	case Thin:
		return "hardly a word: a picture, a way in"
	case Script:
		return "neither words nor links: a script makes them; the sitemap is read instead"
	case Redirecting:
		return "it sends on to another site, which inherits the rank"
	case Parked:
		return "the notice of a name for sale"
	case Dead:
		return "it can't be had; the page that others link to is tried instead"
	}
	return ""
}

// Means says what a stop means.
func (s Stop) Means() string {
	switch s {
	case EnoughLinks:
		return "it was judged, and enough links to other sites were found"
	case PageCap:
		return "it gave as many pages as a site may"
	case Exhausted:
		return "no further page of it is known"
	case Moved:
		return "its homepage is on another site"
	case SiteParked:
		return "its name is for sale: there is no site"
	case SiteDead:
		return "its homepage can't be had"
	case Refused:
		return "it may not be visited"
	case Unreadable:
		return "there is nothing to read on it: frames without pages, scripts, pictures"
	}
	return ""
}

// Homepage is what the homepage of a site is like.
type Homepage string

// The homepages.
const (
	Plain       Homepage = "ordinary"
	Frames      Homepage = "frames"      // hardly a word, and links without any
	Thin        Homepage = "thin"        // hardly a word
	Script      Homepage = "script"      // neither words nor links: a script makes them
	Redirecting Homepage = "redirecting" // to another site
	Parked      Homepage = "parked"
	Dead        Homepage = "dead"
)

// kindOf tells what a homepage is like. Words are not there when a crawl is rebuilt
// from its journal; the fingerprint tells that they were few.
func kindOf(p *dowse.Page) Homepage {
	switch {
	case isParked(&p.Verdict):
		return Parked
	case !p.Sketch.IsZero():
		return Plain
	case len(p.Links) == 0:
		return Script
	}
	for i := range p.Links {
		if p.Links[i].Anchor != "" {
			return Thin
		}
	}
	if len(p.Links) > 1 {
		return Frames
	}
	return Thin
}

// result is what is kept of a site that is done.
type result struct {
	Order     int
	Rank      float64
	Linkers   int
	Prior     float64
	Posterior float64
	Judged    int
	Pages     int
	Visits    int
	Links     int
	NewSites  int
	LinkRank  float64
	Verdict   Verdict
	Stop      Stop
	Home      Homepage
	Detail    string
}

// A Site is what is known of a site. JSON names are stable.
type Site struct {
	Name     string    `json:"site"`
	Homepage dowse.URL `json:"homepage"`
	Verdict  Verdict   `json:"verdict"`
	// Confidence is the posterior that the site is on topic, frozen when it was
	// judged; 0 for a site that was not read.
	Confidence float64  `json:"confidence"`
	Start      bool     `json:"start,omitempty"` // given by a seed
	Order      int      `json:"order,omitempty"` // it was the n-th that was begun, from 1
	Pages      int      `json:"pages"`           // read
	Judged     int      `json:"judged_after"`    // pages after which it was judged; 0 if it was not sure
	Visits     int      `json:"visits"`          // with those that failed or were sent on
	Links      int      `json:"links"`           // other sites that it links to
	NewSites   int      `json:"new_sites"`       // of them, those that were not examined
	LinkRank   float64  `json:"link_rank"`
	Rank       float64  `json:"rank"`    // by which it was, or may be, chosen
	Linkers    int      `json:"linkers"` // examined sites that linked to it
	Prior      float64  `json:"prior,omitempty"`
	Home       Homepage `json:"home,omitempty"`
	Stop       Stop     `json:"stop,omitempty"`
	Detail     string   `json:"detail,omitempty"`
}

// All lists the sites that are known, by first sighting.
func (c *Crawler) All() []Site {
	list := make([]Site, len(c.outer.sites))
	for i, s := range c.outer.sites {
		list[i] = c.describe(s)
	}
	return list
}

// Lookup returns what is known of a site.
func (c *Crawler) Lookup(name string) (Site, bool) {
	i, ok := c.outer.index[name]
	if !ok {
		return Site{}, false
	}
	return c.describe(c.outer.sites[i]), true
}

// SiteOf returns the name of the site that a URL belongs to in this crawl.
func (c *Crawler) SiteOf(u dowse.URL) string {
	name, _ := c.of(u)
	return name
}

// Counts tells how many sites are known, are being read, were judged, and of those
// how many are on topic; start sites are not among the last two.
func (c *Crawler) Counts() (known, reading, examined, relevant int) {
	return len(c.outer.sites), len(c.open), c.outer.examined, c.outer.relevant
}

func (c *Crawler) describe(s *knownSite) Site {
	d := Site{Name: s.name, Homepage: s.home, Start: s.start, Verdict: Waiting, Rank: s.rank(), Linkers: s.links}
	r := s.result
	if w := c.open[s.name]; w != nil {
		r = w.result()
		r.Verdict = Reading
	}
	if r == nil {
		return d
	}
	d.Verdict, d.Confidence, d.Order = r.Verdict, r.Posterior, r.Order
	d.Pages, d.Judged, d.Visits, d.Links, d.NewSites = r.Pages, r.Judged, r.Visits, r.Links, r.NewSites
	d.LinkRank, d.Rank, d.Linkers, d.Prior = r.LinkRank, r.Rank, r.Linkers, r.Prior
	d.Home, d.Stop, d.Detail = r.Home, r.Stop, r.Detail
	return d
}

// Posteriors returns the posterior of a site after each of its pages, given the prior
// and the pages' confidences, and how many pages it took to judge it; 0 if it was not
// sure.
func (c *Crawler) Posteriors(prior float64, confidences []float64) (after []float64, judged int) {
	w := newInner(&knownSite{}, prior)
	for _, conf := range confidences {
		w.judge(c, conf, 0)
		after = append(after, w.P)
	}
	return after, w.Judged
}
