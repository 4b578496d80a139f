package main

import (
	"fmt"

	"dowse/collection"
	"dowse/crawler"
	"dowse/demo"
	"dowse/lab/sitetrial"
	"dowse/site"
	"dowse/topic"
)

// firstTrial is the seed of the first town of a trial, unless --rng says otherwise.
const firstTrial = 1

// A townDemo is a made town of sites, and a judge that was trained on some of them.
type townDemo struct {
	trial *sitetrial.Trial
	mark  collection.Demo
}

func openTown(mark collection.Demo) (*townDemo, error) {
	if mark.Sites < 100 || mark.Sites > 1_000_000 {
		return nil, usage("--sites %d: a made town has 100 to 1,000,000 sites", mark.Sites)
	}
	t, err := sitetrial.New(sitetrial.Config{Sites: mark.Sites, Seed: mark.Seed})
	if err != nil {
		return nil, err
	}
	return &townDemo{t, mark}, nil
}

// runTown crawls a made town for sites, or tries crawlers on several.
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
	case c.Serve:
		return d.serve(w)
	}
	cfg := d.config(c.Pages)
	if collection.IsCollection(c.Out) {
		cfg.Seeds = nil // they are in the collection
	}
	return d.crawl(w, &crawlFlags{Quiet: c.Quiet}, c.Out, cfg)
}

// townOf makes the town that a collection was crawled from, nil if it was none: the
// names of a made town exist nowhere else.
func townOf(dir string) (*townDemo, error) {
	if !collection.IsCollection(dir) {
		return nil, nil
	}
	col, err := collection.Open(dir, nil, true)
	if err != nil {
		return nil, inCollection(err)
	}
	defer col.Close()
	if mark := col.Settings.Demo; mark != nil && mark.Sites > 0 {
		return openTown(*mark)
	}
	return nil, nil
}

// tryTowns prints the table of docs/sites.md.
func (c *demoCmd) tryTowns(w *world) error {
	first := uint64(firstTrial)
	if c.Rng > 0 {
		first = c.Rng
	}
	var seeds []uint64
	for i := range c.Trial {
		seeds = append(seeds, first+uint64(i))
	}
	t, err := sitetrial.Compare(w.ctx, sitetrial.Config{Sites: c.Sites}, seeds, func(done int) {
		if !c.Quiet {
			fmt.Fprintf(w.err, "town %d of %d\n", done, c.Trial)
		}
	})
	if err != nil {
		return &exitError{exitInterrupted, err}
	}
	return t.Write(w.out)
}

func (d *townDemo) config(pages int) crawler.Config {
	t := d.trial.Town.Topic()
	cfg := crawler.Config{
		Topic: &topic.Topic{Name: "town", Words: t.Words, Also: t.Also, Not: t.Not}, Agent: "dowse-demo", Contact: "http://127.0.0.1/",
		Limits: collection.Limits{Pages: pages}, Polite: demoPolite, Demo: &d.mark, Unit: crawler.UnitSite,
	}
	for _, u := range d.trial.Seeds() {
		cfg.Seeds = append(cfg.Seeds, string(u))
	}
	return cfg
}

// crawl serves the town and crawls it for sites.
func (d *townDemo) crawl(w *world, flags *crawlFlags, dir string, cfg crawler.Config) error {
	server, err := d.trial.Town.Serve(w.abort)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer server.Close()
	cfg.Dial, cfg.Judge = server.Dial, d.trial.Pages
	return flags.drive(w, dir, cfg, d.extras(server, dir))
}

func (d *townDemo) serve(w *world) error {
	server, err := d.trial.Town.Serve(w.abort)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer server.Close()
	fmt.Fprintf(w.err, "%d sites on %s, told apart by the Host header. Ctrl-C ends it.\n", d.trial.Town.Len(), server.Addr())
	<-w.ctx.Done()
	return nil
}

func (d *townDemo) extras(server *demo.Server, dir string) *extras {
	return &extras{
		head: []string{
			fmt.Sprintf("Demo town: %d made-up sites, served on %s (offline).", d.trial.Town.Len(), server.Addr()),
			fmt.Sprintf("Topic:     %q, %s   Collection: %s", d.trial.Town.Topic().Name, some(len(d.trial.Seeds()), "start site"), dir),
			"Ctrl-C pauses, the same command resumes.",
		},
		verdict: d.verdict,
		next: []string{
			"dowse sites " + dir + " --on",
			"dowse why " + dir + " " + d.example(),
			"dowse export " + dir + " sites.svg",
		},
	}
}

// example is a start site, which every crawl knows.
func (d *townDemo) example() string {
	name, _ := site.Of(d.trial.Seeds()[0], "")
	return name
}

// verdict compares the sites that were judged with the truth.
func (d *townDemo) verdict(cr *crawler.Crawler) []string {
	list, err := cr.Collection.Sites()
	if err != nil {
		return nil
	}
	s := d.trial.Score(list, cr.Status().Fetched)
	if len(s.Sites) == 0 {
		return nil
	}
	p, r, f := s.Verdicts()
	return []string{
		fmt.Sprintf(" against the truth (the town has answers): precision %.2f, recall %.2f, F %.2f", p, r, f),
		fmt.Sprintf(" %.1f pages to judge a site, %.1f more for links; %.0f%% of all sites on topic found", s.Judged, s.ForLinks, 100*s.Coverage()),
	}
}
