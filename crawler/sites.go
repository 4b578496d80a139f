package crawler

import (
	"fmt"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/internal/site"
	"dowse/judge"
	"dowse/strategy"
	"dowse/topic"
)

// What a crawl looks for.
const (
	UnitPage = "page"
	UnitSite = "site"
)

// The strategies of package site.
const (
	siteName  = "site"
	pagesName = "site-pages"
)

// Strategies describes every strategy that a crawl can be told to follow: those of
// package strategy, and those that look for whole sites.
func Strategies() []strategy.Description {
	return append(strategy.All(),
		strategy.Describe(siteName, "Ester, Kriegel and Schubert 2004", "whole sites: the best linked site, and in it the pages that tell most",
			func() dowse.Strategy { return &site.Crawler{} }),
		strategy.Describe(pagesName, "baseline of Ester, Kriegel and Schubert 2004", "the mean relevance of the linking pages, and not too much of one host",
			func() dowse.Strategy { return &site.PageCrawler{} }),
	)
}

// ForSites reports whether a strategy, as NAME or NAME:key=value,…, looks for whole
// sites.
func ForSites(spec string) bool {
	name, _, _ := strings.Cut(spec, ":")
	return name == siteName
}

// trainForSites lets examples teach the judge of Ester et al. 2004, which knows how
// often it is wrong, in place of the topic's own: the first pages of each site count.
func trainForSites(t *topic.Topic, m *topic.Material) error {
	if len(m.Examples) == 0 {
		return nil
	}
	examples := append(site.First(m.Examples, 0), t.Substitutes(m)...)
	j, err := judge.Centroid{}.Train(examples)
	if err != nil {
		return fmt.Errorf("crawler: %w", err)
	}
	m.Trained = j
	return nil
}

// knowError lets a crawl for sites know how often its judge is wrong, if the judge was
// cross-validated and nobody says otherwise. It is frozen with the strategy's other
// parameters, so that the crawl goes on with the same.
func knowError(s *collection.Settings, j dowse.Judge, cfg Config) {
	e := min(site.Reader{By: j}.ErrorRate(), mostWrong)
	if e <= 0 || cfg.Strategy != nil || !ForSites(s.Strategy) || strings.Contains(s.Strategy, "p_err=") {
		return
	}
	sep := ","
	if !strings.Contains(s.Strategy, ":") {
		sep = ":"
	}
	s.Strategy += fmt.Sprintf("%sp_err=%.4g", sep, e)
}

// mostWrong bounds the error of a judge: one that is wrong in every other page says
// nothing, and no site would ever be judged.
const mostWrong = 0.45
