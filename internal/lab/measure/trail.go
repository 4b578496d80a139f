// Package measure says how good a crawl was, and how sure we can be of it: the
// measures of the papers over what a simulated crawl did, and the statistics that
// compare strategies over topics.
package measure

import "time"

// A Trail is what one simulated crawl did, page by page, with what the lab knows of
// each page and the crawl did not.
type Trail struct {
	Strategy string // NAME or NAME:key=value,…
	Label    string // as tables and legends show it
	Topic    string
	SeedSet  int

	Steps Steps      // the fetched pages, in the order they were absorbed
	Sites []SiteStep // the decided sites, in order, if it was a crawl for sites

	Targets   int // pages of the topic that the crawl could look for: no seeds
	Reachable int // of them, those to which links lead from the seeds
	Unseen    int // of the targets, those that no judge was trained on
	Popular   int // of the targets, those that most pages link to, a tenth of the topic: more like what a directory lists
	Pages     int // of the whole web
	Relevant  int // pages of the topic in the whole web, seeds and training pages included

	Failed  int           // visits that ended without a page
	Stopped string        // why the crawl ended
	Elapsed time.Duration // virtual
	CPU     time.Duration // of the machine, for strategy and frontier; not reproducible
}

// A SiteStep is one site that a crawl for sites examined and decided.
type SiteStep struct {
	Site     string
	Relevant bool // by its label
	Verdict  bool // the crawl takes it for a site of the topic
	Pages    int  // fetched of it
	Judged   int  // pages until it was decided; those after it were read for their links
}

// Name is how tables, legends and claims call the trail's strategy: its label if it
// has one.
func (t *Trail) Name() string {
	if t.Label != "" {
		return t.Label
	}
	return t.Strategy
}
