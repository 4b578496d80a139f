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
	"dowse/strategy/input"
	"dowse/weburl"
)

// The strategies of experiments on towns beside those that look for pages.
const (
	siteCrawl = "site"       // Ester, Kriegel and Schubert 2004
	sitePages = "site-pages" // their rival: pages, made into sites afterwards
	siteHomes = "homepages"  // the sites that the site crawler examines, judged by their homepages
)

// The ways in which the judge of sites makes a confidence of distances.
const (
	invlog  = "invlog"
	literal = "literal"
)

// siteStrategies are those that look for whole sites.
func siteStrategies() []strategy.Description {
	list := slices.DeleteFunc(crawler.Strategies(), func(d strategy.Description) bool { return d.Name != siteCrawl && d.Name != sitePages })
	return append(list, strategy.Describe(siteHomes, "baseline of Ester, Kriegel and Schubert 2004", "sites judged by their homepages alone",
		func() dowse.Strategy { return &site.Crawler{} }))
}

// A town is a made town of sites, in which crawls look for those on topic.
type town struct {
	x    *Experiment
	name string
	cfg  sitetrial.Config

	names *measure.Names // of the run's trails

	mu     sync.Mutex
	judged map[bool]*judgedTown // by whether confidence is literal
	crawls int                  // still to be made
}

// A judgedTown is a town with judges of its sites. It is made, and they are trained, by
// the first crawl, and forgotten after the last of the town.
type judgedTown struct {
	trial   *sitetrial.Trial
	client  *fetch.Client
	trained map[string]bool
	err     error
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
			t := &town{x: r.x, name: fmt.Sprintf("town-%d", seed), crawls: len(variants), names: r.names, judged: map[bool]*judgedTown{},
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

// prepare makes the town and trains its judges, once for each kind of confidence.
func (t *town) prepare(literal bool) (*judgedTown, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	j := t.judged[literal]
	if j == nil {
		cfg := t.cfg
		cfg.Literal = literal
		j = newJudgedTown(cfg)
		t.judged[literal] = j
	}
	return j, j.err
}

func newJudgedTown(cfg sitetrial.Config) *judgedTown {
	j := &judgedTown{trained: map[string]bool{}}
	if j.trial, j.err = sitetrial.New(cfg); j.err != nil {
		return j
	}
	for _, s := range j.trial.Town.Training(j.trial.Config.On, j.trial.Config.Off) {
		j.trained[weburl.WithoutWWW(s.Host)] = true
	}
	j.client, j.err = fetch.New(fetch.Config{Agent: "dowse-lab", Transport: j.trial.Town.RoundTripper()})
	return j
}

func (j *judgedTown) close() {
	if j.trial != nil {
		j.trial.Close()
	}
	if j.client != nil {
		j.client.Close()
	}
}

// done tells that a crawl is over.
func (t *town) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.crawls--; t.crawls > 0 {
		return
	}
	for _, j := range t.judged {
		j.close()
	}
	clear(t.judged)
}

// crawl lets a strategy look for sites.
func (t *town) crawl(ctx context.Context, v Variant, set int) (*measure.Trail, error) {
	j, err := t.prepare(v.Confidence == literal)
	if err != nil {
		return nil, fmt.Errorf("experiment: %s: %w", t.name, err)
	}
	s, err := strategy.NewFrom(siteStrategies(), v.Spec, input.Inputs{})
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	w := &townWalk{town: t, judgedTown: j, trail: &measure.Trail{Strategy: v.Spec, Label: v.Label, Topic: t.name, SeedSet: set, Steps: t.names.Steps()}}
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
	*judgedTown
	town  *town
	trail *measure.Trail
	score sitetrial.Score
}

// sites lets the website crawler go; its judge knows how often it is wrong.
func (w *townWalk) sites(ctx context.Context, s *site.Crawler, told bool) error {
	t := w.trial
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
func (w *townWalk) homes() { w.trail.Sites = w.trial.Homepages(w.score).Sites }

// pages lets a crawler of pages go until it would have found enough sites.
func (w *townWalk) pages(ctx context.Context, s dowse.Strategy) error {
	t := w.trial
	catch := site.Catch{Error: t.Pages.ErrorRate()}
	err := w.simulate(ctx, s, func(p *dowse.Page) bool {
		return catch.Add(site.Rated{URL: p.URL, Confidence: p.Verdict.Relevance}) < t.Config.Find
	})
	for _, g := range catch.Groups() {
		w.trail.Sites = append(w.trail.Sites, measure.SiteStep{Site: g.Site, Relevant: w.truth(g.Site), Verdict: g.Relevant, Pages: g.Pages})
	}
	return err
}

func (j *judgedTown) truth(name string) bool {
	s, ok := j.trial.Town.Site(name)
	return ok && s.Relevant
}

// townPause is the rest between two visits to a host of a town, as in its trial.
const townPause = 20 * time.Millisecond

// simulate crawls the town; each hears of every page of a site that counts: training
// sites and start sites do not.
func (w *townWalk) simulate(ctx context.Context, s dowse.Strategy, each func(*dowse.Page) bool) error {
	t := w.trial
	from := origins{taken: map[dowse.URL]origin{}}
	c, err := crawl.New(crawl.Config{Strategy: s, Robots: true, Sitemaps: true, Limits: crawl.Limits{Pages: w.town.x.Budget.Pages},
		Polite: crawl.Politeness{Delay: townPause, InFlight: t.Config.Workers}, Heard: from.hear})
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	reader := &crawler.Visitor{Client: w.client, Judge: site.Reader{By: t.Pages}}
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
	case p.Outcome != dowse.Fetched || p.Again || w.trained[name]:
		return true
	}
	w.trail.Steps.Append(measure.Step{
		URL: p.URL, Host: weburl.Host(p.URL), Relevant: w.truth(name), Judged: p.Verdict.Relevance, OnTopic: p.Verdict.Relevance > 0.5,
		At: now.Sub(epoch), Bytes: p.Fetch.Bytes,
	})
	return each(p)
}
