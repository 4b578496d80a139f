// Package measure computes how good a crawl was, and how certain that is: the
// measures of the papers over what a simulated crawl did, and the statistics that
// compare strategies over topics.
//
// Everything is computed from a [Trail], the list of pages that one crawl fetched
// together with what the lab knows of each: its label, whether it was a seed or a
// training page, how the judge rated it. A [Measure] yields one figure per trail,
// or a [Curve] over its pages. [Runs] are the trails of an experiment, which
// [Compare] tests pairwise and against which a [Claim] is checked.
//
// How a comparison works: a measure is computed per crawl and averaged over the
// seed sets of a topic; strategies are paired by topic; the pairs are tested by
// Wilcoxon's signed-rank test (or Student's t, as in the papers), and the
// p-values of one measure are adjusted together. Topics are the unit of sampling,
// so crawls of one topic never count as independent observations.
//
// Values that do not exist are not numbers (NaN), such as a share of nothing, and
// are left out of means and tests; what was never reached is infinite, and its
// centre is a median. No random numbers are used, so the same trails give the same
// results. Only processor time (cpu_page) differs between runs.
//
// A trail costs 40 bytes per step and is read as a stream with bounded lines,
// because runs have millions of steps. Nothing here runs a crawl, reads a web or
// uses the network.
package measure

import (
	"time"

	"dowse/internal/estimate"
)

// A Trail is the record of one simulated crawl, page by page, with what the lab
// knows of each page and the crawl did not.
type Trail struct {
	Strategy string // NAME or NAME:key=value,…
	Label    string // name in tables and legends; default Strategy
	Topic    string
	SeedSet  int

	Steps Steps      // the fetched pages, in the order in which they were absorbed
	Sites []SiteStep // of a site crawl: the decided sites, in order

	// Targets are the relevant pages of the web that are neither seeds nor training
	// pages, so that they have to be found.
	Targets   int
	Reachable int // targets to which links lead from the seeds
	// Targets among the tenth of the topic's pages with the most links to them;
	// directories list such pages.
	Popular  int
	Listed   int // targets that a directory of the web lists; 0 if the labels name none
	Pages    int // pages of the whole web
	Relevant int // relevant pages of the whole web, with seeds and training pages

	// Pages within reach that the judge takes to be on topic; 0 if no measure asks.
	OnTopic int
	// What the crawl took to be found and left, as that changed.
	Estimates []estimate.At

	Failed  int           // visits that ended without a page
	Stopped string        // why the crawl ended
	Elapsed time.Duration // virtual time
	// Processor time of strategy and frontier; not reproducible, and not stored
	// in trails.
	CPU time.Duration
}

// A SiteStep is one site that a site crawl examined and decided.
type SiteStep struct {
	Site     string
	Relevant bool // by its label
	Verdict  bool // the crawl judged it relevant
	Pages    int  // pages that were fetched from it
	Judged   int  // pages until it was decided; later ones were fetched for their links
}

// Name returns the name of the trail's strategy in tables, legends and claims:
// its label if it has one.
func (t *Trail) Name() string {
	if t.Label != "" {
		return t.Label
	}
	return t.Strategy
}
