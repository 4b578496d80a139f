package experiment

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/internal/lab/measure"
	"dowse/internal/site"
	"dowse/judge"
	"dowse/lab"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/weburl"
)

// The strategies of experiments on towns.
const (
	siteCrawl = "site"       // Ester, Kriegel and Schubert 2004
	sitePages = "site-pages" // their baseline: a page crawler whose pages are grouped into sites afterwards
	siteHomes = "homepages"  // the sites that the site crawler examines, judged by their homepages
	pageHomes = "page-homes" // the sites that the page crawler visits, judged by their homepages

	siteOracle = "site-oracle" // the site crawler, which reads the known sites on topic first
)

// The formulas with which the judge of sites computes a confidence from
// distances.
const (
	invlog  = "invlog"
	literal = "literal"
)

// siteStrategies returns the strategies that look for whole sites.
func siteStrategies() []strategy.Description {
	list := slices.DeleteFunc(crawler.Strategies(), func(d strategy.Description) bool { return d.Name != siteCrawl && d.Name != sitePages })
	const source = "baseline of Ester, Kriegel and Schubert 2004"
	return append(list,
		strategy.Describe(siteHomes, source, "sites judged by their homepages alone", func() dowse.Strategy { return &site.Crawler{} }),
		strategy.Describe(siteOracle, "ours", "sites on topic first, among those that are known: a bound for the order of sites", func() dowse.Strategy { return &site.Crawler{} }),
		strategy.Describe(pageHomes, source, "sites of a crawler of pages, judged by their homepages alone", func() dowse.Strategy { return &site.PageCrawler{} }))
}

// A town is a synthetic town in which crawls look for the sites on topic. Its
// judges are trained by the first crawl that needs them, and released after the
// last.
type town struct {
	x    *Experiment
	name string
	cfg  townConfig

	names *measure.Names // names shared by all trails of the run

	mu     sync.Mutex
	judged map[bool]*JudgedTown // by whether confidence is literal
	crawls int                  // that have not ended
}

// townConfig is what differs from town to town. It enters the names of crawls as
// JSON, so its fields keep their names.
type townConfig struct {
	Sites   int
	Seed    uint64
	Find    int  // sites judged relevant after which a crawl ends
	Workers int  // visits that run concurrently
	Local   bool `json:",omitempty"` // see [Town]

	Recorded      []string `json:",omitempty"` // see [Town]
	Labels, Topic string   `json:",omitempty"`
}

// addTowns lists the crawls on towns. A recorded one that cannot be opened is an error before the
// first crawl.
func (r *run) addTowns() error {
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
			t := &town{x: r.x, name: townName(w.Town, seed), crawls: len(variants), names: r.names, judged: map[bool]*JudgedTown{},
				cfg: townConfig{Sites: cmp.Or(w.Town.Sites, 2000), Seed: seed, Workers: townWorkers, Local: w.Town.Local, Recorded: w.Town.Recorded, Labels: w.Town.Labels, Topic: w.Town.Topic}}
			t.cfg.Find = cmp.Or(w.Town.Find, t.cfg.Sites/20)
			if len(w.Town.Recorded) > 0 {
				t.cfg.Sites, t.cfg.Find = 0, cmp.Or(w.Town.Find, math.MaxInt32) // until the budget ends
			}
			if r.x.Time.Workers > 1 {
				t.cfg.Workers = r.x.Time.Workers
			}
			if len(t.cfg.Recorded) > 0 && seed == seeds[0] {
				w, err := openRecordedTown(t.cfg)
				if err != nil {
					return err
				}
				w.close()
			}
			r.towns = append(r.towns, t)
			for _, v := range variants {
				r.jobs = append(r.jobs, job{t, 0, v, keyOf(r.o.Version, t.digest(), t.cfg, r.x.rules(), v)})
			}
		}
	}
	return nil
}

// townName returns the name of a town in trails and reports.
func townName(t *Town, seed uint64) string {
	if len(t.Recorded) > 0 {
		return fmt.Sprintf("recorded-%d", seed)
	}
	if t.Local {
		return fmt.Sprintf("local-%d", seed)
	}
	return fmt.Sprintf("town-%d", seed)
}

// config returns what the generator needs to know of the town.
func (t *town) config() demo.TownConfig {
	return demo.TownConfig{Sites: t.cfg.Sites, Seed: t.cfg.Seed, Local: t.cfg.Local}
}

// build generates the town without judges, or opens the recorded one. A web that cannot be
// opened is reported when it is prepared; here it has no sites.
func (t *town) build() siteWeb {
	if len(t.cfg.Recorded) == 0 {
		return demo.NewTown(t.config())
	}
	w, err := openRecordedTown(t.cfg)
	if err != nil {
		return &recordedTown{}
	}
	w.close() // the table of sites is all that is needed
	return w
}

// digest returns a hash of the town, computed from the homepages of every
// fiftieth site; the generator is deterministic, so a sample shows a change of
// it.
func (t *town) digest() string {
	h := sha256.New()
	d, n := t.build(), 0
	for s := range d.Sites() {
		if n++; n%50 != 1 {
			continue
		}
		if d, ok := d.(*demo.Town); ok {
			p, _ := d.Page(d.Home(s.Host))
			fmt.Fprintf(h, "%s %v %d %s\n", s.Host, s.Relevant, p.Status, p.Body)
		} else {
			fmt.Fprintf(h, "%s %v %d\n", s.Host, s.Relevant, s.Pages)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// facts describes the town for the manifest and for readers.
func (t *town) facts() WebFacts {
	d := t.build()
	f := WebFacts{Name: t.name, SHA256: t.digest(), Topics: []string{t.cfg.Topic}}
	if d, ok := d.(*demo.Town); ok {
		f.Topics = []string{d.Topic().Path}
	}
	for s := range d.Sites() {
		f.Hosts++
		f.Pages += s.Pages
	}
	return f
}

// title is the name of the town in trails, where a topic's would be.
func (t *town) title() string { return t.name }

// truth lists the homepages of the sites on topic.
func (t *town) truth() (relevant, trained, listed []dowse.URL) {
	d := t.build()
	for s := range d.Sites() {
		if s.Relevant {
			relevant = append(relevant, d.Home(s.Host))
		}
	}
	return relevant, nil, nil
}

// prepare generates the town and trains its judges, once per formula of
// confidence.
func (t *town) prepare(literal bool) (*JudgedTown, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if j := t.judged[literal]; j != nil {
		return j, nil
	}
	var j *JudgedTown
	var err error
	if trainer := (judge.Centroid{Literal: literal}); len(t.cfg.Recorded) == 0 {
		j, err = NewJudgedTown(t.config(), trainer)
	} else {
		j, err = newRecordedTown(t.cfg, trainer)
	}
	if err == nil {
		t.judged[literal] = j
	}
	return j, err
}

// done releases the judges after the last crawl.
func (t *town) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.crawls--; t.crawls > 0 {
		return
	}
	for _, j := range t.judged {
		j.Close()
	}
	clear(t.judged)
}

// crawl runs one strategy in the town and returns its trail.
func (t *town) crawl(ctx context.Context, v Variant, set int) (*measure.Trail, error) {
	j, err := t.prepare(v.Confidence == literal)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, t.name)
	}
	s, err := strategy.NewFrom(siteStrategies(), v.Spec, input.Inputs{})
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	w := &townCrawl{town: t, JudgedTown: j, trail: &measure.Trail{Strategy: v.Spec, Label: v.Label, Topic: t.name, SeedSet: set, Steps: t.names.Steps()}}
	name, _, _ := strings.Cut(v.Spec, ":")
	if c, ok := s.(*site.Crawler); ok {
		if name == siteOracle {
			c.Truth = j.truth
		}
		err = w.sites(ctx, c, strings.Contains(v.Spec, "p_err="))
	} else {
		err = w.pages(ctx, s, name == pageHomes)
	}
	if name == siteHomes {
		w.trail.Sites = j.byHomepages(w.trail.Sites)
	}
	return w.trail, err
}

// A townCrawl is one crawl of a town.
type townCrawl struct {
	*JudgedTown
	town  *town
	trail *measure.Trail
}

// sites runs the site crawler until it has found enough sites. Unless the
// experiment sets the judge's error rate, the one that was measured in training
// is used.
func (w *townCrawl) sites(ctx context.Context, s *site.Crawler, rateGiven bool) error {
	s.Sites = w.town.cfg.Find
	if !rateGiven {
		s.Error = w.Pages.ErrorRate()
	}
	err := w.simulate(ctx, s, func(*dowse.Page) bool { return true })
	w.trail.Sites = w.Decided(s.All())
	return err
}

// pages runs a page crawler until the sites of its pages would be enough: the
// comparison of Ester, Kriegel and Schubert 2004, in which pages are grouped by
// site after the crawl (SPEC C.9). Homes judges each site by its homepage
// alone. With a predicate pages are looked for, and the crawl uses its whole budget.
func (w *townCrawl) pages(ctx context.Context, s dowse.Strategy, homes bool) error {
	catch := site.Catch{Error: w.Pages.ErrorRate()}
	err := w.simulate(ctx, s, func(p *dowse.Page) bool {
		found := catch.Add(site.Rated{URL: p.URL, Confidence: p.Verdict.Relevance})
		return found < w.town.cfg.Find || w.town.x.condition != nil
	})
	w.trail.Sites = w.grouped(catch.Groups(), homes)
	return err
}

// The politeness of a crawl of a town, as in a live crawl of a server on the same
// machine.
const (
	townPause   = 20 * time.Millisecond // between two visits to a host
	townWorkers = 16
)

// simulate crawls the town. It calls each for every page of a site that counts,
// which excludes training and start sites.
func (w *townCrawl) simulate(ctx context.Context, s dowse.Strategy, each func(*dowse.Page) bool) error {
	from := origins{taken: map[dowse.URL]origin{}}
	visitor := w.visitor(site.Reader{By: w.Pages})
	visitor.Rate(s)
	end, err := lab.Setup{
		Crawl: crawl.Config{Strategy: s, Robots: true, Sitemaps: true, Limits: crawl.Limits{Pages: w.town.x.Budget.Pages},
			Polite: crawl.Politeness{Delay: townPause, InFlight: w.town.cfg.Workers}, OnEntry: from.record},
		Web:   lab.Over(visitor, townLatency),
		Seeds: w.Seeds,
		Each:  func(now time.Time, p *dowse.Page) bool { return w.note(now, p, each) },
	}.Run(ctx)
	w.trail.Elapsed, w.trail.Stopped = end.Elapsed, string(end.Stopped)
	from.writeTo(&w.trail.Steps)
	return err
}

// wanted reports whether a page counts as relevant: any page of a site on topic or, in an
// experiment with a predicate, a page of such a site that is on the topic itself and meets
// the predicate.
func (w *townCrawl) wanted(name string, p *dowse.Page) bool {
	condition := w.town.x.condition
	switch {
	case !w.truth(name):
		return false
	case condition == nil:
		return true
	}
	return (w.Town == nil || w.Town.About(p.URL)) && meets(condition, p)
}

// townLatency is how long an answer of a town takes: 2 to 10 ms, fixed per URL.
func townLatency(u dowse.URL) time.Duration { return time.Duration(2+len(u)%9) * time.Millisecond }

// note records a page as a step and reports whether the crawl goes on. Pages of
// training and start sites are left out, as the paper does.
func (w *townCrawl) note(now time.Time, p *dowse.Page, each func(*dowse.Page) bool) bool {
	name, _ := site.Of(p.URL, "")
	switch {
	case p.Outcome == dowse.Failed:
		w.trail.Failed++
		return true
	// Start sites are training sites, so this leaves them out too.
	case p.Outcome != dowse.Fetched || p.Again || w.trained[name]:
		return true
	}
	w.trail.Steps.Append(measure.Step{
		URL: p.URL, Host: weburl.Host(p.URL), Relevant: w.wanted(name, p), Judged: p.Verdict.Relevance, OnTopic: p.Verdict.Relevance > 0.5,
		At: now.Sub(lab.Epoch), Bytes: p.Fetch.Bytes,
	})
	return each(p)
}
