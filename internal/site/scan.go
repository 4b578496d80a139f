package site

import (
	"cmp"
	"maps"
	"slices"

	"dowse"
)

// The second stage: pages inside the sites that were found. Ester et al. 2004 name it as
// future work: "first spot websites that are likely to contain the specific information;
// afterwards these websites can be scanned". A site that was judged to be on topic is read
// on, up to Scan pages, those first whose links promise the most by the judge's rating of
// the words around them. Its pages wait in a band behind that of the sites, so that they
// are read when no site can be, or when enough sites were found.

// scanBand is the band of the second stage.
const scanBand = 1

// scanWindow is the number of words around a link that are rated for the second stage.
const scanWindow = 20

// A scan is the reading of a site by the second stage.
type scan struct {
	Left int // pages that may still be read
}

// Traits asks for the rating of the words around links if there is a second stage.
func (c *Crawler) Traits() dowse.Traits {
	if c.Scan > 0 {
		return dowse.Traits{Window: scanWindow}
	}
	return dowse.Traits{}
}

// scan begins the second stage for a site. Its waiting pages move into the later band,
// ranked as they were.
func (c *Crawler) scan(w *inner, s *knownSite) (leads []dowse.Lead) {
	c.scans[s.name] = &scan{Left: c.Scan}
	for _, u := range slices.Sorted(maps.Keys(w.queue)) {
		if q := w.queue[u]; !q.back {
			leads = append(leads, c.scanLead(s.name, u, q.rank()))
		}
	}
	return leads
}

// scanLead returns a lead of the second stage.
func (c *Crawler) scanLead(group string, u dowse.URL, promise float64) dowse.Lead {
	return dowse.Lead{
		URL: u, Priority: promise, Band: scanBand, Group: group, Note: scanNote,
		Because: because("a page of a site on topic", promise, 0),
	}
}

// scanned follows the links of a page that the second stage has read, and ends it when
// enough was read. A page that was in flight when its site was finished counts, too.
func (c *Crawler) scanned(name string, p *dowse.Page) (leads []dowse.Lead) {
	s := c.scans[name]
	if s == nil || p.Outcome != dowse.Fetched {
		return nil
	}
	if s.Left--; s.Left <= 0 {
		delete(c.scans, name)
		return c.dropSite(c.outer.sites[c.outer.index[name]], because("the site was read by the second stage", 1, c.Scan))
	}
	for i := range p.Links {
		l := &p.Links[i]
		if at, _ := c.of(l.URL); at == name && (l.Target.State == dowse.Unseen || l.Target.State == dowse.Held || l.Target.State == dowse.Waiting) {
			leads = append(leads, c.scanLead(name, l.URL, max(l.BestContext(), l.Target.Priority)))
		}
	}
	return leads
}

// savedScan is a site that the second stage reads, as it is saved.
type savedScan struct {
	Name string
	Left int
}

// saveScans lists the sites of the second stage by name.
func (c *Crawler) saveScans() (list []savedScan) {
	for name, s := range c.scans {
		list = append(list, savedScan{name, s.Left})
	}
	slices.SortFunc(list, func(a, b savedScan) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
