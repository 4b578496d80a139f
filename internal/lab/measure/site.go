package measure

import "cmp"

// siteFigures are the figures of a site crawl over a window that ends at one of
// its sites.
type siteFigures struct {
	Pages, Sites, Relevant int     // in the window: pages fetched, sites examined, sites found
	PPRS                   float64 // pages per relevant site found; NaN if none was
	Harvest                float64 // share of the examined sites that were found
}

// The windows, in pages, of figures 7 and 6 of Ester, Kriegel and Schubert 2004.
const (
	pprsWindow        = 5000
	siteHarvestWindow = 1000
)

// found reports whether a site is relevant and was judged relevant.
func (s SiteStep) found() bool { return s.Relevant && s.Verdict }

// siteWindow returns the figures of the last sites: going back over whole sites
// until they have at least the given number of pages; over all sites with 0.
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

// decided returns the sites that were decided within the first k pages.
func decided(t *Trail, k int) []SiteStep {
	pages := 0
	for i, s := range t.Sites {
		if pages += s.Pages; pages > k {
			return t.Sites[:i]
		}
	}
	return t.Sites
}

// siteChoice compares the verdicts on sites with their labels.
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

// byOnePage returns, of the sites judged relevant, the share from which a single
// page was fetched.
func byOnePage(steps []SiteStep) float64 {
	one := countSites(steps, func(s SiteStep) bool { return s.Verdict && s.Pages == 1 })
	return ratio(one, countSites(steps, judgedRelevant))
}

// judgedRelevant reports whether the crawl judged a site relevant.
func judgedRelevant(s SiteStep) bool { return s.Verdict }

func countSites(steps []SiteStep, holds func(SiteStep) bool) (n int) {
	for _, s := range steps {
		if holds(s) {
			n++
		}
	}
	return n
}

// pagesToJudge sums, over sites, the pages until each was judged.
func pagesToJudge(steps []SiteStep) (n int) {
	for _, s := range steps {
		n += s.Judged
	}
	return n
}

// pagesPer returns the curve of pages per decided site that meets a condition.
// All fetched pages count, also those of sites that were never decided.
func pagesPer(holds func(SiteStep) bool) func(*Trail) Curve {
	return func(t *Trail) Curve {
		all := cmp.Or(t.Steps.Len(), sitePages(t))
		return func(k int) float64 { return ratio(min(k, all), countSites(decided(t, k), holds)) }
	}
}
