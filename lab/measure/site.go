package measure

// A SiteWindow is how a crawl for sites did lately, after one of its sites.
type SiteWindow struct {
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

// SiteWindows returns, after each site, the figures of the last pages: whole sites
// back until they have at least so many; all of them with 0.
func SiteWindows(steps []SiteStep, pages int) []SiteWindow {
	windows := make([]SiteWindow, len(steps))
	for i := range steps {
		windows[i] = siteWindow(steps[:i+1], pages)
	}
	return windows
}

func siteWindow(steps []SiteStep, pages int) (w SiteWindow) {
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
	one, all := 0, 0
	for _, s := range steps {
		if s.Verdict {
			all++
		}
		if s.Verdict && s.Pages == 1 {
			one++
		}
	}
	return ratio(one, all)
}
