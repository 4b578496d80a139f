package sitetrial

import (
	"cmp"
	"context"
	"slices"

	"dowse"
	"dowse/crawl"
	"dowse/demo"
	"dowse/lab/measure"
	"dowse/site"
	"dowse/weburl"
)

// Score tells how good a crawl for sites in the trial's town was, that fetched so many
// pages.
func (t *Trial) Score(all []site.Site, pages int) Score {
	score := Score{Crawler: "sites", Pages: pages, PageError: t.Pages.ErrorRate()}
	t.take(&score, slices.Clone(all))
	return score
}

// take books what became of the sites of a crawl.
func (t *Trial) take(score *Score, all []site.Site) {
	slices.SortStableFunc(all, func(a, b site.Site) int { return cmp.Compare(a.Order, b.Order) })
	judged, links := 0, 0
	for _, s := range all {
		switch {
		case s.Start || !t.counts(s.Name):
		case s.Verdict == site.None:
			score.None++
			score.Named += number(t.named(s))
		case s.Verdict == site.Relevant || s.Verdict == site.Irrelevant:
			until := cmp.Or(s.Judged, s.Pages)
			judged += until
			links += s.Pages - until
			score.Sites = append(score.Sites, measure.SiteStep{
				Site: s.Name, Relevant: t.truth(s.Name), Verdict: s.Verdict == site.Relevant, Pages: s.Pages,
			})
		}
	}
	if n := float64(len(score.Sites)); n > 0 {
		score.Judged, score.ForLinks = float64(judged)/n, float64(links)/n
	}
	score.Found = t.targets()
}

// named reports whether a host that is no site was told for what it is.
func (t *Trial) named(s site.Site) bool {
	truth, _ := t.Town.Site(s.Name)
	switch truth.Home {
	case demo.RedirectHome, demo.RefreshHome:
		return s.Stop == site.Moved
	case demo.ParkedHome:
		return s.Stop == site.SiteParked
	case demo.DeadHome, demo.GoneHome:
		return s.Stop == site.SiteDead
	}
	return false
}

// targets counts the sites on topic that can be found.
func (t *Trial) targets() (n int) {
	for s := range t.Town.Sites() {
		n += number(s.Relevant && t.counts(weburl.WithoutWWW(s.Host)))
	}
	return n
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Homepages lets the homepage classifier judge the sites that another crawler
// examined: a page each, and on topic if its confidence is above one half.
func (t *Trial) Homepages(of Score) Score {
	score := Score{Crawler: "homepage classifier", Judged: 1, ByOne: 1, PageError: t.Homes.ErrorRate(), Found: of.Found}
	reader := t.visitor(site.Reader{By: t.Homes})
	for _, s := range of.Sites {
		truth, _ := t.Town.Site(s.Site)
		p := reader.Visit(context.Background(), crawl.Visit{URL: dowse.URL("http://" + truth.Host + "/")}).Page
		s.Verdict, s.Pages = p.Outcome == dowse.Fetched && p.Verdict.Relevance > 0.5, 1
		score.Sites = append(score.Sites, s)
		score.Pages++
	}
	return score
}

// PageCrawl lets a crawler of pages crawl, with a guard, until as many sites as are to
// be found would be called relevant, and makes sites of what it fetched: by all pages of
// a site, and by the homepages alone.
func (t *Trial) PageCrawl(ctx context.Context) (all, homes Score, err error) {
	catch := site.Catch{Error: t.Pages.ErrorRate()}
	pages := 0
	err = t.simulate(ctx, &site.PageCrawler{Guard: t.Config.Guard}, func(p *dowse.Page) bool {
		name, _ := site.Of(p.URL, "")
		if !t.counts(name) {
			return true
		}
		pages++
		return catch.Add(site.Rated{URL: p.URL, Confidence: p.Verdict.Relevance}) < t.Config.Find
	})
	groups := catch.Groups()
	all = Score{Crawler: "page crawler, all its pages", PageError: t.Pages.ErrorRate(), Pages: pages, ByOne: site.JudgedByOne(groups), Found: t.targets()}
	homes = Score{Crawler: "page crawler, homepages", PageError: t.Pages.ErrorRate(), Pages: pages, Judged: 1, ByOne: 1, Found: all.Found}
	for _, g := range groups {
		step := measure.SiteStep{Site: g.Site, Relevant: t.truth(g.Site), Verdict: g.Relevant, Pages: g.Pages}
		all.Sites = append(all.Sites, step)
		if relevant, ok := g.HomepageRelevant(); ok {
			step.Verdict = relevant
			homes.Sites = append(homes.Sites, step)
		}
	}
	all.Judged = ratio(pages, len(all.Sites))
	return all, homes, err
}

// Verdicts returns precision, recall among the examined sites, and F of the verdicts.
func (s *Score) Verdicts() (precision, recall, f float64) {
	var right, said, there int
	for _, step := range s.Sites {
		said += number(step.Verdict)
		there += number(step.Relevant)
		right += number(step.Verdict && step.Relevant)
	}
	precision, recall = share(right, said), share(right, there)
	if precision+recall > 0 {
		f = 2 * precision * recall / (precision + recall)
	}
	return precision, recall, f
}

// Coverage returns the share of all sites on topic in the town that were found: they
// were examined, and called so.
func (s *Score) Coverage() float64 {
	right := 0
	for _, step := range s.Sites {
		right += number(step.Verdict && step.Relevant)
	}
	return share(right, s.Found)
}

// PPRS returns the pages that were fetched for each site that was called relevant, as
// the paper counts them, and for each that truly is.
func (s *Score) PPRS() (called, truly float64) {
	said, right := 0, 0
	for _, step := range s.Sites {
		said += number(step.Verdict)
		right += number(step.Verdict && step.Relevant)
	}
	return ratio(s.Pages, said), ratio(s.Pages, right)
}

// Harvest returns the share of the examined sites that were called relevant.
func (s *Score) Harvest() float64 {
	said := 0
	for _, step := range s.Sites {
		said += number(step.Verdict)
	}
	return share(said, len(s.Sites))
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

func ratio(pages, sites int) float64 {
	if sites == 0 {
		return 0
	}
	return float64(pages) / float64(sites)
}
