package site

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"dowse"
	"dowse/internal/wire"
	"dowse/weburl"
)

// A PageCrawler is the baseline of [Crawler] in Ester et al. 2004: a crawler of
// pages that ranks a page by the mean confidence of the pages that link to it,
// with a guard that leaves a host after a number of pages. Its pages are grouped
// into sites afterwards, by a [Catch].
type PageCrawler struct {
	Guard int `param:"guard" default:"100" help:"pages of one host at most; ours"`

	given map[string]int // by host, pages fetched
}

// Check returns an error if a parameter is out of range.
func (c *PageCrawler) Check() error {
	if c.Guard < 0 {
		return fmt.Errorf("guard=%d: want a number of pages", c.Guard)
	}
	return nil
}

// Start queues the seeds first.
func (c *PageCrawler) Start(seeds []dowse.URL) []dowse.Lead {
	leads := make([]dowse.Lead, len(seeds))
	for i, u := range seeds {
		leads[i] = dowse.Lead{URL: u, Priority: 1, Because: because("seed", 1, 0)}
	}
	return leads
}

// Follow ranks the links of a page, and drops a host that has reached the
// guard. It is dropped once, when the number is reached: dropping is permanent.
func (c *PageCrawler) Follow(p *dowse.Page) (leads []dowse.Lead) {
	if c.given == nil {
		c.given = map[string]int{}
	}
	host, _ := hostOf(p.URL)
	if p.Outcome == dowse.Fetched && !p.Again {
		c.given[host]++
	}
	full := c.given[host] == or(c.Guard, 100)
	if p.Outcome == dowse.Fetched {
		for i := range p.Links {
			if l := &p.Links[i]; l.Target.State != dowse.Visited {
				leads = append(leads, c.rank(l, p.Verdict.Relevance))
			}
		}
	}
	if full && p.Outcome == dowse.Fetched {
		leads = append(leads, dowse.Lead{Kind: dowse.Drop, Group: host, Because: because("the host has given enough pages", 0, c.given[host])})
	}
	return leads
}

// hostOf returns the group of a URL: its host, or for an opaque URL the part
// before the slash.
func hostOf(u dowse.URL) (host string, opaque bool) {
	if host = weburl.Host(u); host != "" {
		return host, false
	}
	for i := range len(u) {
		if u[i] == '/' {
			return string(u[:i]), true
		}
	}
	return string(u), true
}

// rank updates the mean for a link's target. Sum and count are kept in the
// lead's note, so that the strategy needs no memory per page.
func (c *PageCrawler) rank(l *dowse.Link, conf float64) dowse.Lead {
	sum, n := meanOf(l.Target.Note)
	sum, n = sum+conf, n+1
	mean := sum / float64(n)
	lead := dowse.Lead{URL: l.URL, Priority: mean, Note: meanNote(sum, n), Because: because("mean confidence of the pages that link to it", mean, n)}
	if host, opaque := hostOf(l.URL); opaque {
		lead.Group = host
	}
	return lead
}

// meanNote encodes a sum and a count: 8 bytes and a varint.
func meanNote(sum float64, n int) string {
	var w wire.Writer
	w.Float(sum)
	w.Uint(uint64(n))
	return string(w.B)
}

// meanOf decodes meanNote; zeros for anything else, since notes come from a
// journal.
func meanOf(note string) (sum float64, n int) {
	r := wire.Reader[string]{Rest: note}
	sum, k := r.Float(), r.Uint()
	if r.Err != nil || k > math.MaxInt32 || !(sum >= 0 && sum <= float64(k)) {
		return 0, 0
	}
	return sum, int(k)
}

// Save encodes the number of pages per host.
func (c *PageCrawler) Save() ([]byte, error) {
	var w wire.Writer
	for _, h := range slices.Sorted(maps.Keys(c.given)) {
		w.Text(h)
		w.Uint(uint64(c.given[h]))
	}
	return w.B, nil
}

// Load restores what Save encoded.
func (c *PageCrawler) Load(b []byte) error {
	c.given = map[string]int{}
	r := wire.Reader[[]byte]{Rest: b}
	for len(r.Rest) > 0 {
		host, n := r.Text(), r.Uint()
		if n > math.MaxInt32 {
			r.Fail()
		}
		c.given[host] = int(n)
	}
	if r.Err != nil {
		return fmt.Errorf("site: load: %w", r.Err)
	}
	return nil
}

// A Rated is a fetched page and the judge's confidence in it.
type Rated struct {
	URL        dowse.URL
	Confidence float64
}

// A Group is a site as the pages that a page crawler happened to fetch show it.
type Group struct {
	Site      string
	Pages     int
	posterior float64
	Relevant  bool
	homepage  *float64 // the homepage's confidence; nil if it was not fetched
	at        dowse.URL
}

// HomepageRelevant reports the judgement by the homepage alone, and whether it
// was fetched.
func (g *Group) HomepageRelevant() (relevant, ok bool) {
	return g.homepage != nil && *g.homepage > 0.5, g.homepage != nil
}

// A Catch groups pages into sites as they are fetched: each is judged by all of
// its pages, with a prior of one half.
type Catch struct {
	Error  float64                                       // error rate of the judge, 0 to 0.5
	siteOf func(dowse.URL) (name string, home dowse.URL) // nil means by host

	groups   []Group
	odds     []float64
	index    map[string]int
	relevant int
}

// Add adds a page and returns how many sites are on topic now.
func (c *Catch) Add(p Rated) int {
	i, home := c.SiteOf(p.URL)
	return c.AddTo(i, p.Confidence, p.URL == home)
}

// SiteOf returns the number of the site of a URL for AddTo, a new one if it has no page yet, and its homepage.
func (c *Catch) SiteOf(u dowse.URL) (i int, home dowse.URL) {
	name, home := c.of(u)
	i, ok := c.index[name]
	if !ok {
		i = len(c.groups)
		if c.index == nil {
			c.index = map[string]int{}
		}
		c.index[name] = i
		c.groups, c.odds = append(c.groups, Group{Site: name, at: home}), append(c.odds, 0)
	}
	return i, home
}

// AddTo adds a page of a numbered site, and returns how many sites are on topic now. It is Add for those who know the
// sites of many pages without their URLs.
func (c *Catch) AddTo(i int, confidence float64, homepage bool) int {
	g := &c.groups[i]
	if g.Relevant {
		c.relevant--
	}
	c.odds[i] += math.Log(corrected(confidence, c.Error) / corrected(1-confidence, c.Error))
	g.Pages++
	if g.posterior, g.Relevant = sigmoid(c.odds[i]), c.odds[i] > 0; g.Relevant {
		c.relevant++
	}
	if homepage {
		g.homepage = new(float64)
		*g.homepage = confidence
	}
	return c.relevant
}

// of returns the site of a URL, by host or by the function that a test set.
func (c *Catch) of(u dowse.URL) (string, dowse.URL) {
	if c.siteOf != nil {
		return c.siteOf(u)
	}
	return Of(u, byHost)
}

// Sites returns the sites as a crawl for sites describes them, in the order in which they
// appeared. By homepage, a site is judged by its homepage alone, and has no verdict if that
// was not fetched. Links between sites are not known.
func (c *Catch) Sites(byHomepage bool) []Site {
	list := make([]Site, len(c.groups))
	for i, g := range c.groups {
		s := Site{Name: g.Site, Verdict: Irrelevant, Confidence: g.posterior, Order: i + 1, Pages: g.Pages, Visits: g.Pages, Judged: g.Pages}
		s.Homepage = g.at
		relevant := g.Relevant
		if byHomepage {
			var ok bool
			if relevant, ok = g.HomepageRelevant(); ok {
				s.Confidence, s.Judged = *g.homepage, 1
			} else {
				s.Verdict, s.Confidence, s.Judged = None, 0, 0
			}
		}
		if relevant {
			s.Verdict = Relevant
		}
		list[i] = s
	}
	return list
}

// Groups returns the sites, in the order in which they appeared.
func (c *Catch) Groups() []Group { return c.groups }
