package experiment

import (
	"context"
	"fmt"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/fetch"
	"dowse/internal/demo"
	"dowse/internal/lab/measure"
	"dowse/lab"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/weburl"
)

// A SyntheticWeb is the synthetic web as a live crawl finds it: some hosts fail
// for a while, a person's words describe the topic, and hosts need a pause
// between two visits. The synthetic webs of experiments are recorded first, so
// that every answer is always the same.
type SyntheticWeb struct {
	Web    *demo.Web
	Topic  string // its name on the web
	Judge  dowse.Judge
	Needs  input.Inputs // inputs of strategies other than parameters
	Seeds  []dowse.URL
	Limits crawl.Limits
	Polite crawl.Politeness

	Threshold float64 // least relevance of a page that counts as on topic
}

// Crawl simulates a crawl of the web. It calls each for every page that is
// fetched for the first time, in order.
func (m *SyntheticWeb) Crawl(ctx context.Context, s dowse.Strategy, each func(now time.Time, p *dowse.Page)) (lab.Ending, error) {
	return m.simulate(ctx, s, func(now time.Time, p *dowse.Page) {
		if p.Outcome == dowse.Fetched && !p.Again {
			each(now, p)
		}
	})
}

// simulate is Crawl with a callback for visits of every outcome.
func (m *SyntheticWeb) simulate(ctx context.Context, s dowse.Strategy, each func(now time.Time, p *dowse.Page)) (lab.Ending, error) {
	client, err := fetch.New(fetch.Config{Agent: "dowse-demo", Transport: m.Web.RoundTripper()})
	if err != nil {
		return lab.Ending{}, fmt.Errorf("experiment: %w", err)
	}
	defer client.Close()
	v := &crawler.Visitor{Client: client, Judge: m.Judge}
	v.Rate(s)
	return lab.Setup{
		Crawl: crawl.Config{Strategy: s, Threshold: m.Threshold, Limits: m.Limits, Robots: true, Sitemaps: true, Polite: m.Polite},
		Web:   lab.Over(v, m.Web.Latency),
		Seeds: m.Seeds,
		Each:  func(now time.Time, p *dowse.Page) bool { each(now, p); return true },
	}.Run(ctx)
}

// Relevant reports whether a page is on topic by the web's own labels, whatever a
// judge makes of it.
func (m *SyntheticWeb) Relevant(u dowse.URL) bool {
	truly, _ := m.Web.Truth(u, m.Topic)
	return truly
}

// trail runs one strategy, or the oracle, and records the crawl in t.
func (m *SyntheticWeb) trail(ctx context.Context, spec string, t *measure.Trail) error {
	if spec == Oracle {
		_, order := m.Web.Oracle(m.Topic, m.Seeds, m.Limits.Pages)
		for _, u := range order {
			t.Steps.Append(measure.Step{URL: u, Host: weburl.Host(u), Relevant: m.Relevant(u), OnTopic: true, Judged: 1})
		}
		return nil
	}
	s, err := strategy.NewWith(spec, m.Needs)
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	end, err := m.Crawl(ctx, s, func(now time.Time, p *dowse.Page) {
		t.Steps.Append(measure.Step{
			URL: p.URL, Host: weburl.Host(p.URL), Relevant: m.Relevant(p.URL), Judged: p.Verdict.Relevance, OnTopic: p.OnTopic,
			At: now.Sub(lab.Epoch), Bytes: p.Fetch.Bytes,
		})
	})
	t.Elapsed, t.Stopped = end.Elapsed, string(end.Stopped)
	return err
}

// RunSynthetic runs every strategy, and the oracle after them, on every web. A
// web is opened for its first crawl and released after its last, so memory holds
// one or two at a time. Options are those of [Run]; the folder is ignored.
func RunSynthetic(ctx context.Context, strategies []string, webs []func() (*SyntheticWeb, error), o Options) (*measure.Runs, error) {
	o.Dir = ""
	// A run without webs and folder: only the jobs and the workers of run are
	// used.
	r := &run{o: o, names: measure.NewNames()}
	for i, open := range webs {
		m := &syntheticTask{name: fmt.Sprintf("made-%d", i), open: open, names: r.names}
		for _, spec := range append(strategies[:len(strategies):len(strategies)], Oracle) {
			m.web.crawls++
			r.jobs = append(r.jobs, job{task: m, variant: Variant{Spec: spec, Label: spec}})
		}
	}
	r.trails = make([]measure.Trail, len(r.jobs))
	return &measure.Runs{Trails: r.trails}, r.crawlAll(ctx)
}

// A syntheticTask is the subject of the crawls on one synthetic web.
type syntheticTask struct {
	name  string
	open  func() (*SyntheticWeb, error)
	names *measure.Names

	web shared[*SyntheticWeb]
}

// title is the name of the web in trails.
func (t *syntheticTask) title() string { return t.name }

// truth returns nothing: the lists are needed only in reports of runs that are kept
// in a folder.
func (t *syntheticTask) truth() (relevant, trained, listed []dowse.URL) { return nil, nil, nil }

// crawl opens the web if this is the first crawl on it, and runs one strategy.
func (t *syntheticTask) crawl(ctx context.Context, v Variant, set int) (*measure.Trail, error) {
	m, err := t.web.get(t.open)
	if err != nil {
		return nil, err
	}
	trail := &measure.Trail{Strategy: v.Spec, Label: v.Label, Topic: t.name, SeedSet: set, Steps: t.names.Steps()}
	return trail, m.trail(ctx, v.Spec, trail)
}

// done releases the web after its last crawl.
func (t *syntheticTask) done() { t.web.release() }
