package experiment

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/internal/lab/web"
	"dowse/internal/repeats"
	"dowse/judge"
	"dowse/topic"
)

// wordsJudge is the judge of an experiment whose topics are stated in words.
const wordsJudge = "words"

// wordsOf returns what is wanted for a topic in words: those of a person, if the
// web has them, or the name of the topic as a person would type it.
func (t *task) wordsOf() judge.Wanted {
	if w, ok := t.source.labels.WordsOf(t.topic); ok {
		return judge.Wanted{Words: w.Words, Also: w.Also, Not: w.Not}
	}
	name := t.topic[strings.LastIndexByte(t.topic, '/')+1:]
	return judge.Wanted{Words: []string{strings.ToLower(strings.ReplaceAll(name, "_", " "))}}
}

// meaningsOf returns what the words of the topic may mean by the dictionary of the experiment; nil without
// a dictionary, or if the judge does not grow from words.
func (t *task) meaningsOf() ([]topic.Meaning, error) {
	if t.x.WordNet == "" || t.x.Judge != wordsJudge {
		return nil, nil
	}
	list, _, err := crawler.Meanings(t.x.WordNet, t.stated())
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	return list, nil
}

// stated returns the topic as its words state it.
func (t *task) stated() *topic.Topic {
	w := t.wordsOf()
	return &topic.Topic{Name: "lab", Words: w.Words, Also: w.Also, Not: w.Not}
}

// A growth lets the judge of one simulated crawl grow from the words of its topic,
// after as many pages as in a live crawl, and decides again all that the crawl has
// decided. It needs a journal, which it keeps in a folder of its own.
//
// It is the web that the crawl visits: pages are rated by the judge in use.
type growth struct {
	*web.View
	templates repeats.Use
	task      *task
	topic     *topic.Topic
	strategy  dowse.Strategy
	journal   *crawl.Journal
	dir       *durable.TempFolder
	seeds     []dowse.URL

	stage    int                   // pages from which it last tried to grow
	models   int                   // that were put into use
	verdicts map[dowse.URL]float64 // by the grown judge in use; nil for none
	revising bool                  // the crawl is being decided again
}

// newGrowth begins the growth of a crawl that starts with a judge of words. The
// caller closes it.
func (t *task) newGrowth(s dowse.Strategy, use repeats.Use, p *prepared, seeds []int) (*growth, error) {
	dir, err := durable.NewTempFolder("growth")
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	j, err := crawl.OpenJournal(dir.Path, web.ParseRobots, false)
	if err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	return &growth{
		View: p.judged.For(s, t.latency()).Without(use), templates: use, task: t, strategy: s, journal: j, dir: dir, seeds: t.urls(seeds),
		topic: t.stated(),
	}, nil
}

// close removes the journal.
func (g *growth) close() error {
	return errors.Join(g.journal.Close(), g.dir.Remove())
}

// revise lets the judge grow when enough pages were fetched. As in a live crawl,
// that waits for the end of a round.
func (g *growth) revise(now time.Time, c *crawl.Crawl) error {
	stage := topic.GrowthOf(c.Books().Fetched)
	if stage <= g.stage || c.MidRound() {
		return nil
	}
	g.stage = stage
	if err := g.journal.Sync(); err != nil {
		return err
	}
	visits, err := g.visits(c)
	if err != nil {
		return err
	}
	j, err := g.grow(visits)
	if err != nil || j == nil {
		return err
	}
	g.models++
	g.View = web.NewJudged(g.task.source.web, j).For(g.strategy, g.task.latency()).Without(g.templates)
	g.revising = true
	defer func() { g.revising = false }()
	_, err = c.Rerank(now, nil, fmt.Sprintf("m%04d", g.models), g.rulings(visits), g.Restore)
	return err
}

// A visited page of the crawl: its URL, and the ruling that says where it is.
type visited struct {
	url      dowse.URL
	ruling   crawl.Ruling
	again    bool
	repeated []dowse.Span // what other pages of its host had too
}

// visits reads the visits that fetched a page from the journal, in order.
func (g *growth) visits(c *crawl.Crawl) (list []visited, err error) {
	for e, err := range g.journal.AsWritten(0) {
		if err != nil {
			return nil, err
		}
		if e.Kind == crawl.EntryPage && e.Page.Outcome == dowse.Fetched {
			list = append(list, visited{c.Frontier().URL(e.ID), crawl.Ruling{Place: e.Place(), ID: e.ID}, e.Page.Again || e.Idle, e.Page.Repeated})
		}
	}
	return list, nil
}

// grow returns the judge that grows from the first pages; nil if there is too little
// to grow from, or the model is refused.
func (g *growth) grow(visits []visited) (*topic.Judge, error) {
	var seen []topic.Seen
	for _, v := range visits {
		if v.again || len(seen) == g.stage {
			continue
		}
		i, ok := g.task.source.web.Find(v.url)
		if !ok {
			continue
		}
		p, err := g.task.source.web.Page(i)
		if err != nil {
			return nil, err
		}
		if g.templates.Judge {
			own := *p
			own.Repeated = v.repeated
			p = repeats.Without(&own)
		}
		seen = append(seen, topic.Seen{Page: p, Seed: slices.Contains(g.seeds, v.url), Before: g.verdicts[v.url]})
	}
	m := &topic.Material{Meanings: g.task.meanings}
	grown, ok, err := g.topic.Grow(m, seen)
	if err != nil || !ok || grown.Fault(len(seen)) != "" {
		return nil, err
	}
	return g.topic.NewJudge(m)
}

// rulings returns the verdicts of the judge in use on the visits.
func (g *growth) rulings(visits []visited) (list []crawl.Ruling) {
	g.verdicts = map[dowse.URL]float64{}
	for _, v := range visits {
		verdict, contexts, anchors, ok := g.Rated(v.url, v.repeated)
		if !ok {
			continue
		}
		r := v.ruling
		r.Verdict, r.Context, r.Anchor = verdict, contexts, anchors
		list = append(list, r)
		g.verdicts[v.url] = verdict.Relevance
	}
	return list
}

// grows reports whether the judge grows in the crawls of a variant. The oracle
// follows a plan, and a strategy that was initialised by another crawl can't be
// made afresh to decide again.
func (t *task) grows(v Variant) bool {
	return t.x.Judge == wordsJudge && v.Spec != Oracle && v.Learn == ""
}

// watch makes a configuration fit for growth: it keeps a journal, can make its
// strategy afresh, and reports entries only while the crawl goes on.
func (g *growth) watch(cfg *crawl.Config, renew func() (dowse.Strategy, error), from *origins) {
	cfg.Log = g.journal
	cfg.Renew = func() (dowse.Strategy, []crawl.Shadow, error) {
		s, err := renew()
		return s, nil, err
	}
	cfg.OnEntry = func(e *crawl.Entry) {
		if !g.revising {
			from.record(e)
		}
	}
}
