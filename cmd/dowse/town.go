package main

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/internal/lab/measure"
	reports "dowse/internal/lab/report"
	"dowse/internal/site"
	"dowse/judge"
	"dowse/lab/experiment"
	"dowse/settings"
	"dowse/topic"
)

// firstTrial is the random seed of the first town of a trial, unless --rng is given.
const firstTrial = 1

// A townDemo is a synthetic town of sites with a judge that was trained on some of them.
// A crawl for sites is to find the other sites on topic and to read few pages of each.
// The town knows which sites are on topic, so the summary can compare.
type townDemo struct {
	*experiment.JudgedTown
	mark collection.Demo
}

// openTown generates a town and trains its judge. The same mark always gives the same
// town.
func openTown(mark collection.Demo) (*townDemo, error) {
	if err := checkSites(mark.Sites); err != nil {
		return nil, err
	}
	t, err := experiment.NewJudgedTown(demo.TownConfig{Sites: mark.Sites, Seed: mark.Seed}, judge.Centroid{})
	if err != nil {
		return nil, err
	}
	return &townDemo{t, mark}, nil
}

// checkSites checks the value of --sites.
func checkSites(n int) error {
	if n < 100 || n > 1_000_000 {
		return usage("--sites %d: want a town of 100 to 1,000,000 sites", n)
	}
	return nil
}

// runTown crawls a synthetic town for sites, or compares methods on several towns. A
// collection that exists is resumed on its own town, which is generated again from the
// number of sites and the random seed in its settings.
func (c *demoCmd) runTown(w *world) error {
	if c.Trial > 0 {
		return c.tryTowns(w)
	}
	d, err := townOf(c.Out)
	if d == nil && err == nil {
		if collection.IsCollection(c.Out) {
			return usage("%s is a collection of another web; choose another with --out", c.Out)
		}
		d, err = openTown(collection.Demo{Sites: c.Sites, Seed: c.Rng})
	}
	switch {
	case err != nil:
		return err
	case c.OnlyWeb:
		return d.serve(w)
	}
	cfg := d.config(c.Pages)
	cfg.Order = c.Order
	if collection.IsCollection(c.Out) {
		if err := c.frozen(w, c.Out, &cfg); err != nil {
			return err
		}
		cfg.Seeds = nil // they are in the collection
	} else if err := checkOrder(cfg); err != nil {
		return err
	}
	return d.crawl(w, &crawlFlags{Quiet: c.Quiet, Serve: c.Serve}, c.Out, cfg)
}

// townOf returns the town that a collection was crawled from, nil if it is of another
// web. Host names of a town exist nowhere else.
func townOf(dir string) (*townDemo, error) {
	set, err := demoSettings(dir)
	if set == nil || set.Demo.Sites == 0 {
		return nil, err
	}
	return openTown(*set.Demo)
}

// tryTowns runs the built-in experiment on sites on other towns, and prints the table of
// docs/sites.md: methods in rows, measures with their intervals in columns, and below it
// which claims hold.
func (c *demoCmd) tryTowns(w *world) error {
	if err := checkSites(c.Sites); err != nil {
		return err
	}
	x, _, err := experiment.ByName("sites")
	if err != nil {
		return err
	}
	first := cmp.Or(c.Rng, firstTrial)
	town := &experiment.Town{Sites: c.Sites, Find: c.Sites / 20}
	for i := range c.Trial {
		town.Seeds = append(town.Seeds, first+uint64(i))
	}
	x.Web, x.Budget.Pages = experiment.Webs{{Town: town}}, 100*c.Sites
	bar := newLabBar(w, c.Quiet)
	r, err := experiment.Run(w.ctx, x, experiment.Options{Progress: bar.show})
	bar.end()
	if err != nil {
		return &exitError{exitInterrupted, err}
	}
	in, err := inputOf(r, "", "")
	if err != nil {
		return err
	}
	goals, err := reports.Margins(&in.Runs, in.Claims)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "%d towns of %d sites (seeds %d to %d), until %d sites are called relevant; mean ± 95%% interval\n\n%s\n%s",
		c.Trial, c.Sites, first, first+uint64(c.Trial)-1, town.Find, reports.Intervals(&in.Runs, "crawler", trialColumns(in.Measures)), goals)
	return nil
}

// trialColumns returns the headings over the measures of a trial. Cells that have no
// meaning for a method are left empty: the homepage classifier fetches no pages of its
// own, and only page crawlers judge by one page. An empty cell is honest where a number
// would be compared with the others.
func trialColumns(measures []measure.Measure) (list []reports.Column) {
	heads := []string{"F", "precision", "recall", "pprs", "pprs, true", "harvest", "pages to judge", "more for links", "judged by one page"}
	not := map[string][]string{
		"pprs": {"homepage classifier"}, "pprs, true": {"homepage classifier"},
		"judged by one page": {"sites, p_threshold 0.7", "sites, p_threshold 0.9"},
	}
	for i, m := range measures {
		list = append(list, reports.Column{Head: heads[i], Measure: m, Not: not[heads[i]]})
	}
	return list
}

// config returns the configuration of a crawl of the town for sites.
func (d *townDemo) config(pages int) crawler.Config {
	t := d.Town.Topic()
	return crawler.Config{
		Topic: &topic.Topic{Name: "town", Words: t.Words, Also: t.Also, Not: t.Not}, Settings: settings.Settings{Limits: settings.Limits{Pages: pages}, Identity: settings.Identity{Agent: "dowse-demo", Contact: "http://127.0.0.1/"}, Politeness: demoPolite},
		Demo: &d.mark, Unit: crawler.UnitSite,
		Seeds: texts(d.Seeds),
	}
}

// crawl serves the town and crawls it for sites.
func (d *townDemo) crawl(w *world, flags *crawlFlags, dir string, cfg crawler.Config) error {
	server, err := d.Town.Serve(w.abort)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer server.Close()
	cfg.Dial, cfg.Judge = server.Dial, d.judgeFor(dir, cfg.Settings.Strategy)
	return flags.drive(w, dir, cfg, d.extras(server, dir))
}

// judgeFor returns the judge of a crawl: the one that was trained on homepages if the strategy,
// or that of a collection that exists, judges sites by these alone.
func (d *townDemo) judgeFor(dir, strategy string) *judge.Centroids {
	if set, err := demoSettings(dir); err == nil && set != nil {
		strategy = set.Strategy
	}
	if strings.Contains(strategy, "evidence=homepage") {
		return d.Homes
	}
	return d.Pages
}

// serve carries out --only-web.
func (d *townDemo) serve(w *world) error {
	return serveOnly(w, d.Town, fmt.Sprintf("%d sites", d.Town.Len()))
}

// extras returns what the demo adds to the screen and the summary.
func (d *townDemo) extras(server *demo.Server, dir string) *extras {
	return &extras{
		head: []string{
			fmt.Sprintf("Demo town: %d synthetic sites, served on %s (offline).", d.Town.Len(), server.Addr()),
			fmt.Sprintf("Topic:     %q, %s   Collection: %s", d.Town.Topic().Name, some(len(d.Seeds), "start site"), dir),
			"Ctrl-C pauses, the same command resumes.",
		},
		verdict: d.verdict,
		next: []string{
			"dowse sites " + shellWord(dir) + " --on",
			"dowse why " + shellWord(dir) + " " + d.example(),
			"dowse export " + shellWord(dir) + " " + freeName("sites", ".svg"),
		},
	}
}

// example returns a start site, which every crawl of the town knows.
func (d *townDemo) example() string {
	name, _ := site.Of(d.Seeds[0], "")
	return name
}

// verdict compares the sites that were judged with the known relevant ones.
func (d *townDemo) verdict(cr *crawler.Crawler) []string {
	list, err := cr.Collection.Sites()
	if err != nil {
		return nil
	}
	trail := measure.Trail{Sites: d.Decided(list)}
	if len(trail.Sites) == 0 {
		return nil
	}
	of := func(name string) float64 {
		v := measure.MustParse(name).Of(&measure.Runs{}, &trail)
		if math.IsNaN(v) { // a share of no sites
			return 0
		}
		return v
	}
	return []string{
		fmt.Sprintf(" against the truth (the town has answers): precision %.2f, recall %.2f, F %.2f", of("site_precision"), of("site_recall"), of("site_f")),
		fmt.Sprintf(" %.1f pages to judge a site, %.1f more for links; %.0f%% of all sites on topic found",
			of("pages_to_judge"), of("pages_for_links"), 100*of("sites_on")/float64(max(d.Targets(), 1))),
	}
}
