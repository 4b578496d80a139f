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
	"dowse/lab"
	"dowse/site"
	"dowse/weburl"
)

// A Replayed crawl tells how another strategy would have gone over what a collection
// recorded. What it wanted and the collection never visited is not known: the smaller
// the coverage, the less it says.
type Replayed struct {
	Strategy string `json:"strategy"`
	Wanted   int    `json:"wanted"`   // pages that it went to
	Recorded int    `json:"recorded"` // of them, those of which the collection knows what is there
	Pages    int    `json:"pages"`    // of them, those that are pages
	OnTopic  int    `json:"on_topic"` // of the pages, as the collection's judge says
	Half     int    `json:"half"`     // of them, those in the first half of the visits
}

// Coverage is the share of what it wanted that is recorded.
func (r Replayed) Coverage() float64 { return float64(r.Recorded) / float64(max(r.Wanted, 1)) }

// Harvest is the share of the recorded pages that are on topic.
func (r Replayed) Harvest() float64 { return float64(r.OnTopic) / float64(max(r.Pages, 1)) }

// A Replay says how a collection is gone over again.
type Replay struct {
	Strategies []string       // beside the collection's own, which comes first
	Visits     int            // each makes; as many as the collection has pages
	Files      crawler.Config // of which TGraph, Trace, with TraceSite and Salt, Links and Classes count: files in place of those that the collection keeps
}

// Run lets strategies crawl what a collection recorded, from its seeds and with its
// judge. They get what the collection keeps for its own: T-Graph, trace, links, classes.
// The collection's own strategy comes first: it shows how far a replay goes the way that
// was gone.
func (p Replay) Run(ctx context.Context, dir string, o Options) ([]Replayed, error) {
	r, err := openReplay(ctx, dir, p.Visits, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	var list []Replayed
	for _, spec := range append([]string{r.old.Collection.Settings.Strategy}, p.Strategies...) {
		done, err := r.run(ctx, spec, p.Files)
		if err != nil {
			return nil, err
		}
		list = append(list, done)
	}
	return list, nil
}

// A replay is a collection as a web.
type replay struct {
	old    *crawler.Crawler
	web    *web.Web
	judge  dowse.Judge
	visits int
}

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

func (r *replay) close() {
	if r.web != nil {
		r.web.Close()
	}
	r.old.Close()
}

// judgeOf makes the judge of a collection again. A page that does not declare its
// language has the one that its text tells, where the topic asks for languages.
func judgeOf(old *crawler.Crawler) (dowse.Judge, error) {
	m, err := crawler.MaterialOf(old.Collection)
	if err != nil {
		return nil, err
	}
	j, err := old.Topic.NewJudge(m)
	if err != nil {
		return nil, err
	}
	return telling{j, old.Topic.LanguageOf}, nil
}

// telling is a judge before which the language of a page is told.
type telling struct {
	dowse.WindowJudge
	language func(*dowse.Page) string
}

// Judge rates the page.
func (t telling) Judge(p *dowse.Page) dowse.Verdict {
	p.Language = t.language(p)
	return t.WindowJudge.Judge(p)
}

// JudgeWindows rates the page and windows of it.
func (t telling) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	p.Language = t.language(p)
	return t.WindowJudge.JudgeWindows(p, windows)
}

// run lets one strategy crawl.
func (r *replay) run(ctx context.Context, spec string, files crawler.Config) (Replayed, error) {
	done := Replayed{Strategy: spec}
	s, err := r.old.StrategyFor(spec, files)
	if err != nil {
		return done, fmt.Errorf("experiment: replay: %w", err)
	}
	by := r.judge
	if crawler.ForSites(spec) {
		by = site.Reader{By: by}
	}
	set := r.old.Collection.Settings
	judged := web.NewJudged(r.web, by, crawler.WishOf(s))
	_, err = lab.Setup{
		Crawl: crawl.Config{Strategy: s, Threshold: set.Threshold, Robots: r.web.HasRobots(), Key: set.Key,
			LinksIn: r.old.Topic.AsksLinksIn(), Polite: crawl.Politeness{Delay: crawl.None, InFlight: 1}},
		Web:   judged.For(s, func(dowse.URL) time.Duration { return time.Second }),
		Seeds: seedsOf(set.Seeds),
		Each: func(_ time.Time, p *dowse.Page) bool {
			r.note(&done, p)
			return done.Wanted < r.visits
		},
	}.Run(ctx)
	return done, errors.Join(err, judged.Err())
}

// seedsOf parses the seeds of a collection; what is no URL is left out.
func seedsOf(raw []string) (seeds []dowse.URL) {
	for _, s := range raw {
		if u, err := weburl.Parse(s); err == nil {
			seeds = append(seeds, u)
		}
	}
	return seeds
}

// note counts a visit.
func (r *replay) note(done *Replayed, p *dowse.Page) {
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
	} else if known(r.old.Collection, p.URL) {
		done.Recorded++
	}
}

// known tells whether a crawl found out what is at a URL.
func known(col *collection.Collection, u dowse.URL) bool {
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
