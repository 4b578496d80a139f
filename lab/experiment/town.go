package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/demo"
	"dowse/fetch"
	"dowse/lab"
	"dowse/lab/measure"
	"dowse/lab/sitetrial"
	"dowse/site"
	"dowse/strategy"
	"dowse/weburl"
)

// The strategies of experiments on towns beside those that look for pages.
const (
	siteCrawl = "site"       // Ester, Kriegel and Schubert 2004
	sitePages = "site-pages" // their rival: pages, made into sites afterwards
	siteHomes = "homepages"  // the sites that the site crawler examines, judged by their homepages
)

// siteStrategies are those that look for whole sites.
func siteStrategies() []strategy.Description {
	list := slices.DeleteFunc(crawler.Strategies(), func(d strategy.Description) bool { return d.Name != siteCrawl && d.Name != sitePages })
	return append(list, strategy.Describe(siteHomes, "baseline of Ester, Kriegel and Schubert 2004", "sites judged by their homepages alone",
		func() dowse.Strategy { return &site.Crawler{} }))
}

// A town is a made town of sites, in which crawls look for those on topic. It is made, and
// its judges are trained, by the first crawl, and forgotten after the last.
type town struct {
	x    *Experiment
	name string
	cfg  sitetrial.Config

	names *measure.Names // of the run's trails

	mu      sync.Mutex
	trial   *sitetrial.Trial
	client  *fetch.Client
	trained map[string]bool
	err     error
	crawls  int // still to be made
}

// addTowns lists the crawls on towns.
func (r *run) addTowns() {
	variants := r.x.Variants()
	for _, w := range r.x.Web {
		if w.Town == nil {
			continue
		}
		seeds := w.Town.Seeds
		if len(seeds) == 0 {
			seeds = []uint64{0}
		}
		for _, seed := range seeds {
			t := &town{x: r.x, name: fmt.Sprintf("town-%d", seed), crawls: len(variants), names: r.names,
				cfg: sitetrial.Config{Sites: w.Town.Sites, Find: w.Town.Find, Seed: seed}}
			if r.x.Time.Workers > 1 {
				t.cfg.Workers = r.x.Time.Workers
			}
			r.towns = append(r.towns, t)
			for _, v := range variants {
				r.jobs = append(r.jobs, job{t, 0, v, keyOf(r.o.Version, t.digest(), t.cfg, r.x.rules(), v)})
			}
		}
	}
}

// made makes the town alone, without judges.
func (t *town) made() *demo.Town {
	return demo.NewTown(demo.TownConfig{Sites: t.cfg.Sites, Seed: t.cfg.Seed})
}

// digest tells one town from another by a sample of its pages.
func (t *town) digest() string {
	h := sha256.New()
	d, n := t.made(), 0
	for s := range d.Sites() {
		if n++; n%50 != 1 {
			continue
		}
		p, _ := d.Page(dowse.URL("http://" + s.Host + "/"))
		fmt.Fprintf(h, "%s %v %d %s\n", s.Host, s.Relevant, p.Status, p.Body)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (t *town) facts() WebFacts {
	d := t.made()
	f := WebFacts{Name: t.name, SHA256: t.digest(), Topics: []string{d.Topic().Path}}
	for s := range d.Sites() {
		f.Hosts++
		f.Pages += s.Pages
	}
	return f
}

func (t *town) title() string { return t.name }

// relevant lists the homepages of the sites on topic.
func (t *town) relevant() (list []dowse.URL) {
	for s := range t.made().Sites() {
		if s.Relevant {
			list = append(list, dowse.URL("http://"+s.Host+"/"))
		}
	}
	return list
}

// prepare makes the town and trains its judges, once.
func (t *town) prepare() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.trial != nil || t.err != nil {
		return t.err
	}
	if t.trial, t.err = sitetrial.New(t.cfg); t.err != nil {
		return t.err
	}
	t.trained = map[string]bool{}
	for _, s := range t.trial.Town.Training(t.trial.Config.On, t.trial.Config.Off) {
		t.trained[weburl.WithoutWWW(s.Host)] = true
	}
	t.client, t.err = fetch.New(fetch.Config{Agent: "dowse-lab", Transport: t.trial.Town.RoundTripper()})
	return t.err
}

// done tells that a crawl is over.
func (t *town) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.crawls--; t.crawls == 0 && t.trial != nil {
		t.trial.Close()
		if t.client != nil {
			t.client.Close()
		}
		t.trial, t.client, t.trained = nil, nil, nil
	}
}

// crawl lets a strategy look for sites.
func (t *town) crawl(ctx context.Context, v Variant, set int) (*measure.Trail, error) {
	if err := t.prepare(); err != nil {
		return nil, fmt.Errorf("experiment: %s: %w", t.name, err)
	}
	s, err := strategy.NewFrom(siteStrategies(), v.Spec, strategy.Needs{})
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	w := &townWalk{town: t, trail: &measure.Trail{Strategy: v.Spec, Label: v.Label, Topic: t.name, SeedSet: set, Steps: t.names.Steps()}}
	switch s := s.(type) {
	case *site.Crawler:
		err = w.sites(ctx, s, strings.Contains(v.Spec, "p_err="))
		if name, _, _ := strings.Cut(v.Spec, ":"); name == siteHomes {
			w.homes()
		}
	default:
		err = w.pages(ctx, s)
	}
	return w.trail, err
}

// A townWalk is one crawl for sites.
type townWalk struct {
	town  *town
	trail *measure.Trail
	score sitetrial.Score
}

// sites lets the website crawler go; its judge knows how often it is wrong.
func (w *townWalk) sites(ctx context.Context, s *site.Crawler, told bool) error {
	t := w.town.trial
	s.Sites = t.Config.Find
	if !told {
		s.Error = t.Pages.ErrorRate()
	}
	err := w.simulate(ctx, s, func(*dowse.Page) bool { return true })
	w.score = t.Score(s.All(), w.trail.Steps.Len())
	w.trail.Sites = w.score.Sites
	return err
}

// homes judges the sites again, by their homepages: a page each.
func (w *townWalk) homes() { w.trail.Sites = w.town.trial.Homepages(w.score).Sites }

// pages lets a crawler of pages go until it would have found enough sites.
func (w *townWalk) pages(ctx context.Context, s dowse.Strategy) error {
	t := w.town.trial
	catch := site.Catch{Error: t.Pages.ErrorRate()}
	err := w.simulate(ctx, s, func(p *dowse.Page) bool {
		return catch.Add(site.Rated{URL: p.URL, Confidence: p.Verdict.Relevance}) < t.Config.Find
	})
	for _, g := range catch.Groups() {
		w.trail.Sites = append(w.trail.Sites, measure.SiteStep{Site: g.Site, Relevant: w.town.truth(g.Site), Verdict: g.Relevant, Pages: g.Pages})
	}
	return err
}

func (t *town) truth(name string) bool {
	s, ok := t.trial.Town.Site(name)
	return ok && s.Relevant
}

// townPause is the rest between two visits to a host of a town, as in its trial.
const townPause = 20 * time.Millisecond

// simulate crawls the town; each hears of every page of a site that counts: training
// sites and start sites do not.
func (w *townWalk) simulate(ctx context.Context, s dowse.Strategy, each func(*dowse.Page) bool) error {
	t := w.town.trial
	from := origins{taken: map[dowse.URL]origin{}}
	c, err := crawl.New(crawl.Config{Strategy: s, Robots: true, Sitemaps: true, Limits: crawl.Limits{Pages: w.town.x.Budget.Pages},
		Polite: crawl.Politeness{Delay: townPause, InFlight: t.Config.Workers}, Heard: from.hear})
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	reader := &crawler.Visitor{Client: w.town.client, Judge: site.Reader{By: t.Pages}}
	sim := lab.Simulation{Crawl: c, Web: lab.Over(reader, townLatency), Workers: t.Config.Workers, Start: epoch,
		Each: func(now time.Time, p *dowse.Page) bool { return w.note(now, p, each) && ctx.Err() == nil }}
	c.Start(epoch, t.Seeds())
	w.trail.Elapsed = sim.Run()
	w.trail.Stopped = string(c.Stopped())
	from.tell(&w.trail.Steps)
	return ctx.Err()
}

// townLatency is how long an answer of a town takes, as in its trial.
func townLatency(u dowse.URL) time.Duration { return time.Duration(2+len(u)%9) * time.Millisecond }

func (w *townWalk) note(now time.Time, p *dowse.Page, each func(*dowse.Page) bool) bool {
	name, _ := site.Of(p.URL, "")
	switch {
	case p.Outcome == dowse.Failed:
		w.trail.Failed++
		return true
	case p.Outcome != dowse.Fetched || p.Again || w.town.trained[name]:
		return true
	}
	w.trail.Steps.Append(measure.Step{
		URL: p.URL, Host: weburl.Host(p.URL), Relevant: w.town.truth(name), Judged: p.Verdict.Relevance, OnTopic: p.Verdict.Relevance > 0.5,
		At: now.Sub(epoch), Bytes: p.Fetch.Bytes,
	})
	return each(p)
}
