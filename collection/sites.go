package collection

import (
	"errors"
	"fmt"
	"slices"

	"dowse"
	"dowse/crawl"
	"dowse/internal/facts"
	"dowse/internal/site"
)

// ErrNoSites is returned for a crawl that did not look for sites.
var ErrNoSites = errors.New("this crawl looks for pages, not for sites")

// siteCrawler returns the strategy of a crawl for sites, ErrNoSites for
// other crawls.
func (c *Collection) siteCrawler() (*site.Crawler, error) {
	s, ok := c.Crawl.Strategy().(*site.Crawler)
	if !ok {
		return nil, fmt.Errorf("collection: %s: %w", c.Dir, ErrNoSites)
	}
	return s, nil
}

// Sites returns the sites that a crawl for sites knows, by first sighting.
// For another crawl the error is ErrNoSites.
func (c *Collection) Sites() ([]site.Site, error) {
	s, err := c.siteCrawler()
	if err != nil {
		return nil, err
	}
	return s.All(), nil
}

// SiteName returns the known site that a text means: a host, with or without
// www., or a URL.
func (c *Collection) SiteName(raw string) (string, bool) {
	s, err := c.siteCrawler()
	if err != nil {
		return "", false
	}
	for _, u := range []string{raw, "http://" + raw + "/"} {
		name := s.SiteOf(dowse.URL(u))
		if _, ok := s.Lookup(name); ok {
			return name, true
		}
	}
	return "", false
}

// A SiteStory is the history of a site and the reasons for its verdict.
type SiteStory struct {
	site.Site
	Means   string     `json:"means,omitempty"`    // of Stop
	Read    []sitePage `json:"read,omitempty"`     // in the order of reading
	Linkers []SiteLink `json:"linked_from"`        // sites whose pages link to it
	Targets []SiteLink `json:"links_to,omitempty"` // sites that its pages link to
}

// A sitePage is a page that was read of a site.
type sitePage struct {
	URL        dowse.URL `json:"url"`
	Title      string    `json:"title,omitempty"`
	Priority   float64   `json:"priority"` // that it was taken at
	Confidence float64   `json:"confidence"`
	Posterior  float64   `json:"posterior"` // of the site, after it
	Because    []Cause   `json:"because,omitempty"`
	// Decided marks the page after which the site was judged. Later pages
	// were read for their links.
	Decided bool `json:"decided,omitempty"`
}

// A SiteLink is a link between two sites.
type SiteLink struct {
	Site       string       `json:"site"`
	Verdict    site.Verdict `json:"verdict"`
	Confidence float64      `json:"confidence"`
	Pages      int          `json:"pages"`  // that have the link
	Local      float64      `json:"local"`  // their mean confidence
	Example    dowse.URL    `json:"page"`   // the first of them
	Anchor     string       `json:"anchor"` // on it
}

// SiteWhy explains a site. It reads the journal once. For an unknown site
// the error is ErrUnknown.
func (c *Collection) SiteWhy(name string) (*SiteStory, error) {
	s, err := c.siteCrawler()
	if err != nil {
		return nil, err
	}
	known, ok := s.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("collection: %s: %w", name, ErrUnknown)
	}
	t := &siteHistory{sites: s, story: &SiteStory{Site: known, Means: known.Stop.Means(), Linkers: []SiteLink{}}, from: map[string]int{}, to: map[string]int{}}
	if err := c.eachRead(t.addPage); err != nil {
		return nil, err
	}
	t.judge()
	return t.story, nil
}

// eachRead calls do for the fetched pages with their links, in order. Links
// to URLs that were taken down are removed.
func (c *Collection) eachRead(do func(e *crawl.Entry)) error {
	for e, err := range c.Journal.Scan(0, c.URL) {
		if err != nil {
			if err := c.passOver(err); err != nil {
				return fmt.Errorf("collection: %s: %w", c.Dir, err)
			}
			continue
		}
		if e.Kind == crawl.EntryPage && e.Page.Outcome == dowse.Fetched && !e.Page.Again {
			e.Found = slices.DeleteFunc(e.Found, func(l dowse.Link) bool { return l.URL == "" }) // taken down
			do(e)
		}
	}
	return nil
}

// A siteHistory gathers the history of a site.
type siteHistory struct {
	sites    *site.Crawler
	story    *SiteStory
	from, to map[string]int // places in Linkers and Targets
}

// addPage adds what one page contributes: the page itself if it belongs to the
// site, and its links from or to the site. Several links between the same
// sites on one page count once.
func (t *siteHistory) addPage(e *crawl.Entry) {
	at := t.sites.SiteOf(e.Page.URL)
	if at == t.story.Name {
		p := e.Page
		t.story.Read = append(t.story.Read, sitePage{
			URL: p.URL, Title: p.Title, Priority: facts.Finite(p.Lead.Priority), Confidence: p.Verdict.Relevance, Because: facts.Causes(p.Verdict.Because),
		})
	}
	seen := map[string]bool{}
	for i := range e.Found {
		l := &e.Found[i]
		to := t.sites.SiteOf(l.URL)
		switch {
		case to == at || seen[to]:
		case at == t.story.Name:
			seen[to] = true
			t.link(&t.story.Targets, t.to, to, e, l)
		case to == t.story.Name:
			seen[to] = true
			t.link(&t.story.Linkers, t.from, at, e, l)
		}
	}
}

// link records a page with a link between the site and another.
func (t *siteHistory) link(list *[]SiteLink, places map[string]int, other string, e *crawl.Entry, l *dowse.Link) {
	i, ok := places[other]
	if !ok {
		known, ok := t.sites.Lookup(other)
		if !ok {
			return // it can't be visited
		}
		i = len(*list)
		places[other] = i
		*list = append(*list, SiteLink{Site: other, Verdict: known.Verdict, Confidence: known.Confidence, Example: e.Page.URL, Anchor: anchorOf(l)})
	}
	x := &(*list)[i]
	x.Local = (x.Local*float64(x.Pages) + e.Page.Verdict.Relevance) / float64(x.Pages+1)
	x.Pages++
}

// judge sets the posterior of the site after each of its pages.
func (t *siteHistory) judge() {
	if t.story.Prior == 0 {
		return
	}
	var confidences []float64
	for _, p := range t.story.Read {
		confidences = append(confidences, p.Confidence)
	}
	after, judged := t.sites.Posteriors(t.story.Prior, confidences)
	for i := range t.story.Read {
		t.story.Read[i].Posterior = after[i]
		t.story.Read[i].Decided = i+1 == judged
	}
}

// SiteGraph returns the sites of a crawl for sites and the links between
// them on the pages that were read.
func (c *Collection) SiteGraph() (*site.Graph, error) {
	s, err := c.siteCrawler()
	if err != nil {
		return nil, err
	}
	g := &site.Graph{Nodes: s.All()}
	place := make(map[string]int, len(g.Nodes))
	for i := range g.Nodes {
		place[g.Nodes[i].Name] = i
	}
	edges := map[[2]int]int{}
	err = c.eachRead(func(e *crawl.Entry) {
		from, ok := place[s.SiteOf(e.Page.URL)]
		if !ok {
			return
		}
		seen := map[int]bool{from: true}
		for i := range e.Found {
			to, ok := place[s.SiteOf(e.Found[i].URL)]
			if !ok || seen[to] {
				continue
			}
			seen[to] = true
			at, known := edges[[2]int{from, to}]
			if !known {
				at = len(g.Edges)
				edges[[2]int{from, to}] = at
				g.Edges = append(g.Edges, site.Edge{From: from, To: to})
			}
			x := &g.Edges[at]
			x.Weight = (x.Weight*float64(x.Pages) + e.Page.Verdict.Relevance) / float64(x.Pages+1)
			x.Pages++
		}
	})
	if err != nil {
		return nil, err
	}
	for i := range g.Edges {
		x := &g.Edges[i]
		x.Weight = site.Weight(s.Weigh).Of(g.Nodes[x.From].Confidence, x.Weight)
	}
	return g, nil
}
