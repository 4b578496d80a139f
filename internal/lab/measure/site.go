package measure

import "cmp"

// siteFigures are how a crawl for sites did lately, after one of its sites.
type siteFigures struct {
	Pages, Sites, Relevant int     // of the window: pages fetched, sites examined, sites found
	PPRS                   float64 // pages by sites found; not a number where none was
	Harvest                float64 // sites found by sites examined
}

// Windows of Ester, Kriegel and Schubert 2004: figures 7 and 6.
const (
	pprsWindow        = 5000
	siteHarvestWindow = 1000
)

// found tells whether a site is one that the crawl was to find, and did.
func (s SiteStep) found() bool { return s.Relevant && s.Verdict }

// siteWindow returns, after the last of the sites, the figures of the last pages: whole
// sites back until they have at least so many; all of them with 0.
func siteWindow(steps []SiteStep, pages int) (w siteFigures) {
	for i := len(steps) - 1; i >= 0 && (pages <= 0 || w.Pages < pages); i-- {
		w.Pages += steps[i].Pages
		w.Sites++
		if steps[i].found() {
			w.Relevant++
		}
	}
	w.PPRS, w.Harvest = ratio(w.Pages, w.Relevant), ratio(w.Relevant, w.Sites)
	return w
}

// decided returns the sites that were decided with the first k pages.
func decided(t *Trail, k int) []SiteStep {
	pages := 0
	for i, s := range t.Sites {
		if pages += s.Pages; pages > k {
			return t.Sites[:i]
		}
	}
	return t.Sites
}

// siteChoice returns how the verdicts on sites fit their labels.
func siteChoice(steps []SiteStep) (precision, recall, f float64) {
	right, wrong, missed := 0, 0, 0
	for _, s := range steps {
		switch {
		case s.found():
			right++
		case s.Verdict:
			wrong++
		case s.Relevant:
			missed++
		}
	}
	return PrecisionRecall(right, wrong, missed)
}

// byOnePage returns the share of the sites taken to be on topic of which one page was
// fetched.
func byOnePage(steps []SiteStep) float64 {
	one := countSites(steps, func(s SiteStep) bool { return s.Verdict && s.Pages == 1 })
	return ratio(one, countSites(steps, judgedRelevant))
}

// called reports whether a crawl takes a site to be on topic.
func judgedRelevant(s SiteStep) bool { return s.Verdict }

func countSites(steps []SiteStep, holds func(SiteStep) bool) (n int) {
	for _, s := range steps {
		if holds(s) {
			n++
		}
	}
	return n
}

// pagesToJudge sums the pages of sites until each was judged.
func pagesToJudge(steps []SiteStep) (n int) {
	for _, s := range steps {
		n += s.Judged
	}
	return n
}

// pagesPer returns the pages that were fetched, also those of sites that were never
// decided, for each decided site for which the condition holds.
func pagesPer(holds func(SiteStep) bool) func(*Trail) Curve {
	return func(t *Trail) Curve {
		all := cmp.Or(t.Steps.Len(), sitePages(t))
		return func(k int) float64 { return ratio(min(k, all), countSites(decided(t, k), holds)) }
	}
}
