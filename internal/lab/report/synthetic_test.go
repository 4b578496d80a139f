package report

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/fetch"
	"dowse/internal/demo"
	"dowse/internal/lab/measure"
	"dowse/lab"
	"dowse/strategy"
	"dowse/topic"
)

var (
	keep  = flag.String("keep", "", "folder to write the report on the synthetic web to, to look at it")
	pages = flag.Int("pages", 100, "budget of the crawls")
	many  = flag.Int("topics", 5, "topics of the synthetic web to crawl for")
)

var madeStrategies = []string{"breadth-first", "random", "opic", "link-context", "otie", "shark", "naive-best-first"}

// madeInput is an experiment that is really run: strategies on topics of the synthetic web.
var madeInput = sync.OnceValues(func() (Input, error) {
	web := demo.New(demo.Config{})
	in := Input{
		Name: "made-web", About: "Strategies on the synthetic web, from two seeds on topic, rated by the words of the topic.",
		Paper:   "After figure 3 of Wang et al. 2009, on a smaller web.",
		Setup:   []Fact{{"seeds", "2 on topic"}, {"judge", "words"}},
		Web:     []Fact{{"web", "demo, 2,400 pages"}},
		Command: "dowse lab run demo", Version: []Fact{{"dowse", "test"}},
		Relevant: map[string][]dowse.URL{},
		Claims: []Claim{
			{"Link context is above breadth-first in harvest", "link-context.harvest@end > breadth-first.harvest@end, p < .05"},
			{"OTIE is above all others in target recall", "otie.recall@end > others.recall@end, p < .05"},
			{"", "opic.harvest@end ~ breadth-first.harvest@end"},
			{"Not run", "absent.harvest > 0.1"},
		},
		Cite: []Citation{{"Wang et al. 2009.", "@inproceedings{wang2009,\n  title = {OTIE},\n  year = {2009}\n}"}},
	}
	for _, m := range []string{"harvest@end", "recall@end", "auc_rel", "hosts_on", "pages_to_recall@0.5"} {
		in.Measures = append(in.Measures, measure.MustParse(m))
	}
	for _, t := range web.Topics()[:*many] {
		for u := range web.Relevant(t.Name) {
			in.Relevant[t.Name] = append(in.Relevant[t.Name], u)
		}
		for _, name := range madeStrategies {
			trail, err := crawlMade(web, t, name)
			if err != nil {
				return in, err
			}
			in.Runs.Trails = append(in.Runs.Trails, trail)
		}
		in.Runs.Trails = append(in.Runs.Trails, oracleMade(web, t))
	}
	in.Runs.Budget = *pages
	return in, nil
})

func blank(web *demo.Web, t demo.Topic, name string, seeds []dowse.URL) measure.Trail {
	n := web.RelevantCount(t.Name)
	return measure.Trail{Strategy: name, Topic: t.Name, Pages: web.Len(), Relevant: n, Targets: n - len(seeds), Reachable: n - len(seeds)}
}

func crawlMade(web *demo.Web, t demo.Topic, name string) (measure.Trail, error) {
	seeds := web.Seeds(t.Name, 2)
	trail := blank(web, t, name, seeds)
	wanted := &topic.Topic{Name: "made", Words: t.Words, Also: t.Also, Not: t.Not}
	judge, err := wanted.Judge()
	if err != nil {
		return trail, err
	}
	s, err := strategy.New(name)
	if err != nil {
		return trail, err
	}
	client, err := fetch.New(fetch.Config{Agent: "dowse-demo", Transport: web.RoundTripper()})
	if err != nil {
		return trail, err
	}
	defer client.Close()
	v := &crawler.Visitor{Client: client, Judge: judge}
	v.Rate(s)
	end, err := lab.Setup{
		Crawl: crawl.Config{Strategy: s, Threshold: wanted.OnTopic(), Limits: crawl.Limits{Pages: *pages}, Robots: true,
			Polite: crawl.Politeness{Delay: 20 * time.Millisecond, InFlight: 4}},
		Web: lab.Over(v, web.Latency), Seeds: seeds,
		Each: func(now time.Time, p *dowse.Page) bool {
			if p.Outcome == dowse.Fetched && !p.Again {
				trail.Steps.Append(stepMade(web, t, p.URL, seeds, now.Sub(lab.Epoch), p.OnTopic, p.Verdict.Relevance))
			}
			return true
		},
	}.Run(context.Background())
	trail.Elapsed, trail.Stopped = end.Elapsed, string(end.Stopped)
	return trail, err
}

func stepMade(web *demo.Web, t demo.Topic, u dowse.URL, seeds []dowse.URL, at time.Duration, on bool, judged float64) measure.Step {
	truly, _ := web.Truth(u, t.Name)
	s := measure.Step{URL: u, Host: hostOf(u), Relevant: truly, At: at, OnTopic: on, Judged: judged, Bytes: 1000}
	for _, seed := range seeds {
		s.Seed = s.Seed || seed == u
	}
	return s
}

func hostOf(u dowse.URL) string {
	rest := string(u)[len("http://"):]
	for i := range rest {
		if rest[i] == '/' {
			return rest[:i]
		}
	}
	return rest
}

func oracleMade(web *demo.Web, t demo.Topic) measure.Trail {
	seeds := web.Seeds(t.Name, 2)
	trail := blank(web, t, "oracle", seeds)
	trail.Label = "oracle (upper bound)"
	_, order := web.Oracle(t.Name, seeds, *pages)
	for i, u := range order {
		trail.Steps.Append(stepMade(web, t, u, seeds, time.Duration(i)*time.Second, true, 1))
	}
	return trail
}

func madeReport(t *testing.T) *Report {
	t.Helper()
	r, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var measured = sync.OnceValues(func() (*Report, error) {
	in, err := madeInput()
	if err != nil {
		return nil, err
	}
	return New(in)
})

func TestKeep(t *testing.T) {
	if *keep == "" {
		t.Skip("nothing is kept without -keep")
	}
	r := madeReport(t)
	for _, f := range r.Files(Files{HTML: true, CSV: true, LaTeX: true, TREC: true, Markdown: true}) {
		path := filepath.Join(*keep, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		out, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Write(out); err != nil {
			t.Fatal(err)
		}
		out.Close()
	}
	t.Log("\n" + r.Text(0))
}
