package site

import (
	"dowse"
)

// A Verdict is the judgement of a site.
type Verdict string

// The verdicts.
const (
	Relevant   Verdict = "relevant"
	Irrelevant Verdict = "irrelevant"
	None       Verdict = "none"    // it could not be judged; see Stop
	Reading    Verdict = "reading" // it is being read
	Waiting    Verdict = "waiting" // it was not yet chosen
)

// A Stop is the reason for which the reading of a site ended. The values are
// stored.
type Stop string

// The stops.
const (
	EnoughLinks Stop = "link_rank"      // judged, and enough links found
	PageCap     Stop = "page_cap"       // the limit of pages per site
	Exhausted   Stop = "frontier_empty" // no further page is known
	Moved       Stop = "moved"          // its homepage is on another site
	SiteParked  Stop = "parked"         // a domain for sale, not a site
	SiteDead    Stop = "dead"           // its homepage can't be fetched
	Refused     Stop = "refused"        // it must not be visited: robots.txt, scope
	Unreadable  Stop = "unreadable"     // none of its pages has words

	HomepageOnly Stop = "homepage" // its homepage alone decides, and has enough links
)

// Stops lists all stops.
func Stops() []Stop {
	return []Stop{EnoughLinks, PageCap, Exhausted, Moved, SiteParked, SiteDead, Refused, Unreadable, HomepageOnly}
}

// Homepages lists all kinds of homepages.
func Homepages() []Homepage {
	return []Homepage{homePlain, homeFrames, homeThin, homeScript, homeRedirecting, homeParked, homeDead}
}

// Means explains a kind of homepage in a few words.
func (h Homepage) Means() string {
	switch h {
	case homePlain:
		return "a page with a text"
	case homeFrames:
		return "hardly any words, and links without text: frames"
	case homeThin:
		return "hardly any words: a picture, a link"
	case homeScript:
		return "neither words nor links, which a script creates; the sitemap is read instead"
	case homeRedirecting:
		return "it redirects to another site, which inherits the rank"
	case homeParked:
		return "the notice of a domain for sale"
	case homeDead:
		return "it can't be fetched; the page to which others link is tried instead"
	}
	return ""
}

// Means explains a stop in a few words.
func (s Stop) Means() string {
	switch s {
	case EnoughLinks:
		return "it was judged, and enough links to other sites were found"
	case PageCap:
		return "the limit of pages per site was reached"
	case Exhausted:
		return "no further page of it is known"
	case Moved:
		return "its homepage is on another site"
	case SiteParked:
		return "its domain is for sale: there is no site"
	case SiteDead:
		return "its homepage can't be fetched"
	case Refused:
		return "it must not be visited"
	case Unreadable:
		return "there is nothing to read on it: frames without pages, scripts, pictures"
	case HomepageOnly:
		return "sites are judged by their homepages alone, and this one has enough links"
	}
	return ""
}

// A Homepage is the kind of a site's homepage.
type Homepage string

// The kinds of homepages.
const (
	homePlain       Homepage = "ordinary"
	homeFrames      Homepage = "frames"      // hardly any words, and links without text
	homeThin        Homepage = "thin"        // hardly any words
	homeScript      Homepage = "script"      // neither words nor links, which a script creates
	homeRedirecting Homepage = "redirecting" // to another site
	homeParked      Homepage = "parked"
	homeDead        Homepage = "dead"
)

// kindOf classifies a homepage. Words are not available when a crawl is rebuilt
// from its journal; an empty fingerprint shows that they were few.
func kindOf(p *dowse.Page) Homepage {
	switch {
	case isParked(&p.Verdict):
		return homeParked
	case !p.Sketch.IsZero():
		return homePlain
	case len(p.Links) == 0:
		return homeScript
	}
	for i := range p.Links {
		if p.Links[i].Anchor != "" {
			return homeThin
		}
	}
	if len(p.Links) > 1 {
		return homeFrames
	}
	return homeThin
}

// A result is what is kept of a finished site. It is saved by field name.
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
	Ended     int // it was the n-th examined site that ended, from 1; 0 for others
}

// A Site describes a known site. Its JSON names are stable.
type Site struct {
	Name     string    `json:"site"`
	Homepage dowse.URL `json:"homepage"`
	Verdict  Verdict   `json:"verdict"`
	// Confidence is the posterior that the site is on topic, frozen when it was
	// judged; 0 for a site that was not read.
	Confidence float64 `json:"confidence"`
	Start      bool    `json:"start,omitempty"` // given by a seed
	Order      int     `json:"order,omitempty"` // it was the n-th that was begun, from 1
	Pages      int     `json:"pages"`           // pages read
	// Pages after which it was classified; 0 if the threshold was not reached.
	Judged   int      `json:"judged_after"`
	Visits   int      `json:"visits"`    // visits, including failures and redirects
	Links    int      `json:"links"`     // other sites that it links to
	NewSites int      `json:"new_sites"` // of these, those that were not yet examined
	LinkRank float64  `json:"link_rank"`
	Rank     float64  `json:"rank"`    // with which it was, or may be, chosen
	Linkers  int      `json:"linkers"` // examined sites that link to it
	Prior    float64  `json:"prior,omitempty"`
	Home     Homepage `json:"home,omitempty"`
	Stop     Stop     `json:"stop,omitempty"`
	Detail   string   `json:"detail,omitempty"`
}

// All lists the known sites in the order in which they became known.
func (c *Crawler) All() []Site {
	list := make([]Site, len(c.outer.sites))
	for i, s := range c.outer.sites {
		list[i] = c.describe(s)
	}
	return list
}

// Lookup returns what is known of a site, by name.
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

// Counts returns the numbers of sites that are known, being read, judged, and
// judged to be on topic; start sites are not among the last two.
func (c *Crawler) Counts() (known, reading, examined, relevant int) {
	return len(c.outer.sites), len(c.open), c.outer.examined, c.outer.relevant
}

// describe returns a site for callers, from its result or, while it is being
// read, from its inner crawl.
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

// Posteriors returns the posterior of a site after each of its pages, given the
// prior and the pages' confidences, and after how many pages it is classified;
// 0 if it is not.
func (c *Crawler) Posteriors(prior float64, confidences []float64) (after []float64, judged int) {
	w := newInner(&knownSite{}, prior)
	for _, conf := range confidences {
		w.judge(c, conf, 0)
		after = append(after, w.P)
	}
	return after, w.Judged
}
