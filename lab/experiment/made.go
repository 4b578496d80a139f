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

// A MadeWeb is the made web as a live crawl finds it: some hosts fail for a while, a
// person's words describe the topic, and hosts need a rest between two visits. The made
// webs of experiments are recorded ones, on which every answer is always the same.
type MadeWeb struct {
	Web    *demo.Web
	Topic  string // its name on the web
	Judge  dowse.Judge
	Needs  input.Inputs // what strategies get beside parameters
	Seeds  []dowse.URL
	Limits crawl.Limits
	Polite crawl.Politeness

	Threshold float64 // relevance from which the crawl takes a page to be on topic
}

// Crawl simulates a crawl of the web; each is called for every page that is fetched.
func (m *MadeWeb) Crawl(ctx context.Context, s dowse.Strategy, each func(now time.Time, p *dowse.Page)) (lab.Ending, error) {
	return m.simulate(ctx, s, func(now time.Time, p *dowse.Page) {
		if p.Outcome == dowse.Fetched && !p.Again {
			each(now, p)
		}
	})
}

// simulate is Crawl for visits of every outcome.
func (m *MadeWeb) simulate(ctx context.Context, s dowse.Strategy, each func(now time.Time, p *dowse.Page)) (lab.Ending, error) {
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

// Relevant reports whether a page is truly on topic.
func (m *MadeWeb) Relevant(u dowse.URL) bool {
	truly, _ := m.Web.Truth(u, m.Topic)
	return truly
}

// trail lets a strategy crawl, or the oracle, which knows the answers.
func (m *MadeWeb) trail(ctx context.Context, spec string, t *measure.Trail) error {
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

// RunMade lets every strategy, and the oracle after them, crawl every web. A web is made
// for its first crawl and forgotten after its last. Options are those of [Run], of
// which a folder is not used.
func RunMade(ctx context.Context, strategies []string, webs []func() (*MadeWeb, error), o Options) (*measure.Runs, error) {
	o.Dir = ""
	r := &run{o: o, names: measure.NewNames()}
	for i, open := range webs {
		m := &madeTask{name: fmt.Sprintf("made-%d", i), open: open, names: r.names}
		for _, spec := range append(strategies[:len(strategies):len(strategies)], Oracle) {
			m.web.crawls++
			r.jobs = append(r.jobs, job{task: m, variant: Variant{Spec: spec, Label: spec}})
		}
	}
	r.trails = make([]measure.Trail, len(r.jobs))
	return &measure.Runs{Trails: r.trails}, r.crawlAll(ctx)
}

// A madeTask is what crawls of one made web share.
type madeTask struct {
	name  string
	open  func() (*MadeWeb, error)
	names *measure.Names

	web shared[*MadeWeb]
}

func (t *madeTask) title() string { return t.name }

// relevant lists nothing: only reports of runs that are kept list the wanted pages.
func (t *madeTask) relevant() []dowse.URL { return nil }

func (t *madeTask) crawl(ctx context.Context, v Variant, set int) (*measure.Trail, error) {
	m, err := t.web.get(t.open)
	if err != nil {
		return nil, err
	}
	trail := &measure.Trail{Strategy: v.Spec, Label: v.Label, Topic: t.name, SeedSet: set, Steps: t.names.Steps()}
	return trail, m.trail(ctx, v.Spec, trail)
}

func (t *madeTask) done() { t.web.done() }
