package experiment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/lab/web"
	"dowse/internal/linkrating"
	"dowse/internal/repeats"
	"dowse/internal/site"
	"dowse/lab"
	"dowse/weburl"
)

// A replayed crawl is the outcome of crawling with another strategy what a
// collection recorded. Pages that the strategy asked for and the collection never
// visited are unknown: the smaller the coverage, the less the figures mean.
type replayed struct {
	Strategy string `json:"strategy"`
	Wanted   int    `json:"wanted"`   // URLs that the strategy visited
	Recorded int    `json:"recorded"` // of these, those whose outcome the collection knows
	Pages    int    `json:"pages"`    // of these, those that are pages
	OnTopic  int    `json:"on_topic"` // of these, those on topic by the collection's judge
	Half     int    `json:"half"`     // of these, those in the first half of the visits
}

// A Replay describes how a collection is crawled again.
type Replay struct {
	Strategies []string // in addition to the collection's own, which comes first
	Visits     int      // per strategy; default as many as the collection has pages
	// Only TGraph, Trace, TraceSite, Salt, Links and Classes are used: files that
	// replace those of the collection.
	Files crawler.Config
}

// Run crawls what a collection recorded, once per strategy, from its seeds and
// with its judge. Strategies get the inputs that the collection keeps for its
// own: T-Graph, access log, links, classes. The collection's own strategy comes
// first; it shows how closely a replay repeats the original crawl. The collection
// is only read.
func (p Replay) Run(ctx context.Context, dir string, o Options) ([]replayed, error) {
	r, err := openReplay(ctx, dir, p.Visits, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	var list []replayed
	for _, spec := range append([]string{r.old.Collection.Settings.Strategy}, p.Strategies...) {
		done, err := r.run(ctx, spec, p.Files)
		if err != nil {
			return nil, err
		}
		list = append(list, done)
	}
	return list, nil
}

// A replay is a collection that is open as a web.
type replay struct {
	old    *crawler.Crawler
	web    *web.Web
	judge  dowse.Judge
	visits int
}

// openReplay opens a collection for reading, as a crawl and as a web. The
// caller closes it.
func openReplay(ctx context.Context, dir string, visits int, o Options) (*replay, error) {
	old, err := crawler.View(dir)
	if err != nil {
		return nil, fmt.Errorf("experiment: replay %s: %w", dir, err)
	}
	r := &replay{old: old, visits: visits}
	if r.visits <= 0 {
		r.visits = old.Status().Fetched
	}
	if r.judge, err = judgeOf(old); err == nil {
		r.web, err = web.Open(ctx, web.Source{Paths: []string{dir}}, web.Options{Cache: o.Cache, Memory: o.Memory, Progress: func(done, total int) {
			o.progress(Progress{Stage: "reading the collection", Done: done, Total: total})
		}})
	}
	if err != nil {
		r.close()
		return nil, fmt.Errorf("experiment: replay %s: %w", dir, err)
	}
	return r, nil
}

// close closes the web and the collection.
func (r *replay) close() {
	if r.web != nil {
		r.web.Close()
	}
	r.old.Close()
}

// judgeOf rebuilds the judge of a collection, including the detection of
// undeclared languages if the topic requires languages.
func judgeOf(old *crawler.Crawler) (dowse.Judge, error) {
	m, err := crawler.MaterialOf(old.Collection)
	if err != nil {
		return nil, err
	}
	j, err := old.Topic.NewJudge(m)
	if err != nil {
		return nil, err
	}
	return languageDetecting{j, old.Topic.LanguageOf}, nil
}

// languageDetecting is a judge that sets the language of a page before rating it,
// as a live crawl does.
type languageDetecting struct {
	dowse.WindowJudge
	language func(*dowse.Page) string
}

// Judge rates the page.
func (t languageDetecting) Judge(p *dowse.Page) dowse.Verdict {
	p.Language = t.language(p)
	return t.WindowJudge.Judge(p)
}

// JudgeWindows rates the page and windows of it.
func (t languageDetecting) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	p.Language = t.language(p)
	return t.WindowJudge.JudgeWindows(p, windows)
}

// run crawls with one strategy, one visit after the other and without delays,
// until it has made the visits of the replay. The order of visits then depends
// on the strategy alone, and differs from the original crawl, whose visits ran
// concurrently.
func (r *replay) run(ctx context.Context, spec string, files crawler.Config) (replayed, error) {
	done := replayed{Strategy: spec}
	s, err := r.old.StrategyFor(spec, files)
	if err != nil {
		return done, fmt.Errorf("experiment: replay: %w", err)
	}
	by := r.judge
	if crawler.ForSites(spec) {
		by = site.Reader{By: by}
	}
	set := r.old.Collection.Settings
	templates := repeats.UseOf(set.Templates)
	judged := web.NewJudged(r.web, by, linkrating.WishOf(s))
	_, err = lab.Setup{
		Crawl: crawl.Config{Strategy: s, Threshold: set.Threshold, Robots: r.web.HasRobots(), Key: set.Key,
			LinksIn: r.old.Topic.AsksLinksIn(), Templates: templates.Any(), Polite: crawl.Politeness{Delay: crawl.None, InFlight: 1}},
		Web:   judged.For(s, func(dowse.URL) time.Duration { return time.Second }).Without(templates),
		Seeds: seedsOf(set.Seeds),
		Each: func(_ time.Time, p *dowse.Page) bool {
			r.note(&done, p)
			return done.Wanted < r.visits
		},
	}.Run(ctx)
	return done, errors.Join(err, judged.Err())
}

// seedsOf parses the seeds of a collection; those that are not URLs are ignored,
// as they were in the original crawl.
func seedsOf(raw []string) (seeds []dowse.URL) {
	for _, s := range raw {
		if u, err := weburl.Parse(s); err == nil {
			seeds = append(seeds, u)
		}
	}
	return seeds
}

// note counts a visit. Sitemaps, repeated visits and visits that robots.txt
// forbids do not count.
func (r *replay) note(done *replayed, p *dowse.Page) {
	if p.Outcome == dowse.Listed || p.Again || p.Outcome == dowse.Refused {
		return
	}
	done.Wanted++
	if p.Outcome == dowse.Fetched {
		done.Recorded++
		done.Pages++
		if p.OnTopic {
			done.OnTopic++
			if done.Wanted <= r.visits/2 {
				done.Half++
			}
		}
	} else if wasSettled(r.old.Collection, p.URL) {
		done.Recorded++
	}
}

// wasSettled reports whether the collection knows the outcome of a visit to a
// URL, including a failure.
func wasSettled(col *collection.Collection, u dowse.URL) bool {
	id, ok := col.Crawl.Frontier().Find(u)
	if !ok {
		return false
	}
	switch col.Crawl.Frontier().State(id) {
	case dowse.Visited, dowse.Dead, dowse.Aliased, dowse.Excluded:
		return true
	}
	return false
}
