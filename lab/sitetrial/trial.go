// Package sitetrial compares crawlers that look for websites on made towns of sites,
// where the truth is known of each.
//
// It is the experiment of Ester, Kriegel and Schubert 2004 in small: the website
// crawler at two thresholds, a homepage classifier on the same sites, and a crawler of
// pages whose catch is made into sites afterwards.
package sitetrial

import (
	"context"
	"fmt"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/demo"
	"dowse/fetch"
	"dowse/judge"
	"dowse/lab"
	"dowse/lab/measure"
	"dowse/site"
	"dowse/weburl"
)

// Config says what to try. The zero value is the trial of docs/sites.md, but for the
// seed.
type Config struct {
	Sites   int     // of the town; 2,000
	Seed    uint64  // of the town
	On, Off int     // training sites on topic, and others; 30 and 90, as many as the paper has for a topic
	Start   int     // of those on topic, start sites; 5
	Find    int     // sites called relevant after which a crawl ends; a twentieth of all
	Links   float64 // l_threshold of the website crawler; its default
	Guard   int     // pages of a host for the page crawler; 100
	Workers int     // visits at once; 16
	Literal bool    `json:",omitempty"` // the judges' confidence as the paper prints it, see judge.Confidence
}

func (c Config) withDefaults() Config {
	or := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	or(&c.Sites, 2000)
	or(&c.On, 30)
	or(&c.Off, 90)
	or(&c.Start, 5)
	or(&c.Guard, 100)
	or(&c.Workers, 16)
	or(&c.Find, c.Sites/20)
	return c
}

// A Trial is a town and the judges that were trained on some of its sites.
type Trial struct {
	Config Config
	Town   *demo.Town
	Pages  *judge.Centroids // trained on the first pages of the training sites
	Homes  *judge.Centroids // trained on their homepages

	client  *fetch.Client
	trained map[string]bool // training sites, which no measure counts
	seeds   []dowse.URL
}

// New makes a town and trains the judges.
func New(c Config) (*Trial, error) {
	c = c.withDefaults()
	t := &Trial{Config: c, Town: demo.NewTown(demo.TownConfig{Sites: c.Sites, Seed: c.Seed}), trained: map[string]bool{}}
	var err error
	if t.client, err = fetch.New(fetch.Config{Agent: "dowse-demo", Transport: t.Town.RoundTripper()}); err != nil {
		return nil, fmt.Errorf("sitetrial: %w", err)
	}
	examples := t.examples()
	trainer := judge.Centroid{Literal: c.Literal}
	if t.Pages, err = site.Train(examples, trainer); err != nil {
		return nil, fmt.Errorf("sitetrial: %w", err)
	}
	if t.Homes, err = site.TrainHomepages(examples, trainer); err != nil {
		return nil, fmt.Errorf("sitetrial: %w", err)
	}
	return t, nil
}

// examples reads the training sites.
func (t *Trial) examples() (list []judge.Example) {
	for _, s := range t.Town.Training(t.Config.On, t.Config.Off) {
		name := weburl.WithoutWWW(s.Host)
		t.trained[name] = true
		pages := t.Town.FirstPages(s.Host, site.TrainingPages)
		for _, u := range pages {
			if p := t.visitor(unread{}).Visit(context.Background(), crawl.Visit{URL: u}).Page; p.Outcome == dowse.Fetched {
				list = append(list, judge.Example{Page: p, Site: name, Relevant: s.Relevant})
			}
		}
		if s.Relevant && len(t.seeds) < t.Config.Start && len(pages) > 0 {
			t.seeds = append(t.seeds, pages[0])
		}
	}
	return list
}

// Seeds returns the homepages of the start sites.
func (t *Trial) Seeds() []dowse.URL { return t.seeds }

// unread is the judge of pages that are only fetched.
type unread struct{}

func (unread) Judge(*dowse.Page) dowse.Verdict { return dowse.Verdict{} }

func (t *Trial) visitor(j dowse.Judge) *crawler.Visitor {
	return &crawler.Visitor{Client: t.client, Judge: j}
}

// Close lets go of what the trial holds.
func (t *Trial) Close() { t.client.Close() }

// politeness is that of a live crawl on one's own machine.
const pause = 20 * time.Millisecond

// simulate crawls the town in virtual time; each hears of every page that was fetched
// and says whether to go on.
func (t *Trial) simulate(ctx context.Context, s dowse.Strategy, each func(p *dowse.Page) (more bool)) error {
	c, err := crawl.New(crawl.Config{
		Strategy: s, Robots: true, Sitemaps: true,
		Polite: crawl.Politeness{Delay: pause, InFlight: t.Config.Workers},
	})
	if err != nil {
		return fmt.Errorf("sitetrial: %w", err)
	}
	sim := lab.Simulation{
		Crawl: c, Web: lab.Over(t.visitor(site.Reader{By: t.Pages}), t.latency), Workers: t.Config.Workers,
		Start: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
		Each: func(_ time.Time, p *dowse.Page) bool {
			more := true
			if p.Outcome == dowse.Fetched && !p.Again {
				more = each(p)
			}
			return more && ctx.Err() == nil
		},
	}
	c.Start(sim.Start, t.seeds)
	sim.Run()
	return ctx.Err()
}

func (t *Trial) latency(u dowse.URL) time.Duration {
	return time.Duration(2+len(u)%9) * time.Millisecond
}

// truth tells whether a site is on topic.
func (t *Trial) truth(name string) bool {
	s, ok := t.Town.Site(name)
	return ok && s.Relevant
}

// counts tells whether a site is to be measured: training sites are not.
func (t *Trial) counts(name string) bool { return !t.trained[name] }

// A Score is how good a crawler was. Only sites that no judge was trained on count.
type Score struct {
	Crawler string
	Sites   []measure.SiteStep // in the order in which they were decided

	Pages     int     // fetched, of sites that count
	Judged    float64 // mean pages until a site was judged
	ForLinks  float64 // mean pages read after that, for links
	ByOne     float64 // share of the relevant sites that one page decided
	PageError float64 // of the judge, by cross-validation
	None      int     // hosts that could not be judged: moved, parked, dead, nothing to read
	Named     int     // of them, those that were told for what they are
	Found     int     // sites on topic in the town that no judge was trained on
}

// Crawl lets the website crawler look for sites.
func (t *Trial) Crawl(ctx context.Context, sure float64) (Score, error) {
	s := &site.Crawler{Sure: sure, Links: t.Config.Links, Error: t.Pages.ErrorRate(), Sites: t.Config.Find}
	score := Score{Crawler: fmt.Sprintf("sites, p_threshold %g", sure), PageError: t.Pages.ErrorRate()}
	err := t.simulate(ctx, s, func(p *dowse.Page) bool {
		score.Pages += number(t.counts(s.SiteOf(p.URL)))
		return true
	})
	t.take(&score, s.All())
	return score, err
}
