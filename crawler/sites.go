package crawler

import (
	"fmt"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/internal/site"
	"dowse/judge"
	"dowse/settings"
	"dowse/strategy"
	"dowse/topic"
)

// UnitSite is the unit of a crawl that looks for sites. The other unit is unitPage.
const UnitSite = "site"

const unitPage = "page"

// The strategies of package site.
const (
	siteName  = "site"
	pagesName = "site-pages"
)

// Strategies describes every strategy that a crawl can use: those of package
// strategy, and those that look for whole sites.
func Strategies() []strategy.Description {
	return append(strategy.All(),
		strategy.Describe(siteName, "Ester, Kriegel and Schubert 2004", "whole sites: the best linked site, and in it the most informative pages",
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

// checkCost returns an error if settings that are given limit the pages per site of a crawl
// whose strategy looks for pages, where that would never apply. Strategies of Go programs may count sites.
func checkCost(strategy string, given settings.Settings) error {
	if given.Limits.Dry.PPRS == 0 || ForSites(strategy) || strings.HasPrefix(strategy, customStrategy) {
		return nil
	}
	return fmt.Errorf("crawler: until pprs>%g: pprs counts whole sites, and the strategy %s looks for pages", given.Limits.Dry.PPRS, strategy)
}

// trainForSites trains the classifier of Ester et al. 2004, whose error rate
// is known, in place of the topic's own. Only the first pages of each site
// are examples, or its homepage if that alone decides. A note reports how the
// error rate was estimated if it was not by whole sites.
func trainForSites(t *topic.Topic, strategy string, m *topic.Material) error {
	if len(m.Examples) == 0 {
		return nil
	}
	first := 0
	if strings.Contains(strategy, "evidence=homepage") {
		first = 1
	}
	examples := append(site.First(m.Examples, first), t.Substitutes(m)...)
	j, err := judge.Centroid{}.Train(examples)
	if err != nil {
		return fmt.Errorf("crawler: %w", err)
	}
	m.Trained = j
	if c, ok := j.(*judge.Centroids); ok && c.Mixed {
		m.Notes = append(m.Notes, fmt.Sprintf("the examples are of too few sites to leave whole sites out: the error rate of the judge, %.3f, is estimated by leaving pages out, and the true one is higher; add examples of more sites", c.ErrorRate()))
	}
	return nil
}

// addOrder adds the order of sites to the strategy of a new crawl for sites, unless one was
// given: the sum of the links to a site, which needs fewer pages than the order of the paper,
// their mean. It is stored with the other parameters, so that earlier crawls keep their order.
func addOrder(s *collection.Settings, cfg Config) {
	if cfg.Strategy == nil && ForSites(s.Strategy) && !strings.Contains(s.Strategy, "order=") {
		addParam(s, "order=sum")
	}
}

// addParam adds a parameter to the strategy of a crawl.
func addParam(s *collection.Settings, param string) {
	sep := ","
	if !strings.Contains(s.Strategy, ":") {
		sep = ":"
	}
	s.Strategy += sep + param
}

// addErrorRate adds the cross-validated error rate of the judge to the strategy
// of a crawl for sites, unless one was given. It is stored with the other
// parameters, so that a resumed crawl uses the same value.
func addErrorRate(s *collection.Settings, j dowse.Judge, cfg Config) {
	e := min(site.Reader{By: j}.ErrorRate(), maxErrorRate)
	if e <= 0 || cfg.Strategy != nil || !ForSites(s.Strategy) || strings.Contains(s.Strategy, "p_err=") {
		return
	}
	addParam(s, fmt.Sprintf("p_err=%.4g", e))
}

// maxErrorRate bounds the error rate of a judge. One that is wrong about every
// second page carries no information, and no site would ever be judged.
const maxErrorRate = 0.45
