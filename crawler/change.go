package crawler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dowse/collection"
	"dowse/crawl"
	"dowse/settings"
)

// reviseDecisions makes those changes of a config that require every earlier
// decision to be made again: a change of threshold, scope or topic. It
// returns a line for a person that describes the change, "" if there was
// none. All other settings are left to resumeOpen.
//
// The collection is closed afterwards, so the next opening finds it as if it
// had been created with these settings. A crash leaves it in the old or in
// the new state.
func reviseDecisions(dir string, cfg Config) (note string, err error) {
	col, err := collection.Open(dir, nil, false)
	if err != nil {
		return "", err
	}
	a, err := planResume(col, cfg)
	if err != nil || !a.revises() {
		return "", errors.Join(err, col.Close())
	}
	c, err := openToRevise(col, Config{Judge: cfg.Judge, NoArchive: true})
	if err != nil {
		return "", errors.Join(err, col.Close())
	}
	change, pages, err := c.reviseUnder(a, cfg)
	if err = errors.Join(err, c.Close()); err != nil {
		return "", err
	}
	_, what := a.changeNotes()
	if a.edited {
		what += fmt.Sprintf(": %d pages judged again", pages)
	}
	return fmt.Sprintf("changed: %s; %d pages changed sides, %d links ranked again", what, change.Verdicts, change.Links), nil
}

// ErrMidRound is returned for a change of a crawl that stopped in the middle of a round.
var ErrMidRound = errors.New("the crawl stopped in the middle of a round: go on without the change, then make it")

// reviseUnder makes all decisions again under the topic and settings of a
// plan, and stores these in the collection. It returns what changed and how
// many pages have a new verdict. The order is: commit, plan, revised entries,
// commit, new files; see collection.BeginChange for what a crash leaves in
// between.
func (c *Crawler) reviseUnder(a *resumePlan, cfg Config) (change crawl.Change, pages int, err error) {
	col := c.Collection
	if col.Crawl.MidRound() {
		return change, 0, fmt.Errorf("crawler: %s: %w", col.Dir, ErrMidRound)
	}
	next := col.Settings // resumeOpen merges the settings that apply from now on
	for _, x := range a.changes {
		if x.When == settings.Again {
			x.Copy(&next.Settings, &a.settings.Settings)
		}
	}
	next.Predicate = predicateOf(a.topic, next.Threshold, cfg.Judge)
	b, err := rebuildJudge(col, a.topic, Config{Judge: cfg.Judge})
	if err != nil {
		return change, 0, err
	}
	p, err := partsOf(col.Dir, next, a.topic, b.judge, Config{})
	if err != nil {
		return change, 0, err
	}
	defer p.client.Close()
	r := &retraining{began: time.Now(), made: collection.Model{Model: col.Crawl.Model()}}
	if a.edited {
		c.Topic, c.visitor, c.judging = a.topic, p.visitor, &judging{col: col, topic: a.topic, base: b.judge}
		if pages, err = r.judgeAll(c); err != nil {
			return change, 0, err
		}
	}
	if err := errors.Join(c.commit(), col.BeginChange(next, a.topic.YAML())); err != nil {
		return change, 0, err
	}
	terms := crawl.Terms{Threshold: next.Threshold, Scope: p.crawl.Scope, LinksIn: a.topic.AsksLinksIn(), Renew: p.crawl.Renew}
	change, err = col.Crawl.RerankUnder(c.live.Clock(), terms, r.made.Model, r.rulings, restorer(col, p.visitor.wish))
	if err != nil {
		return change, 0, errors.Join(err, col.DropChange())
	}
	if err := errors.Join(c.commit(), col.EndChange()); err != nil {
		return change, 0, err
	}
	if a.edited {
		r.made.Change, r.made.Done, r.made.Seconds = change, true, time.Since(r.began).Seconds()
		if err := collection.LogModel(col.Dir, r.made); err != nil {
			return change, 0, err
		}
	}
	return change, pages, errors.Join(c.checkpoint(), col.Summarise())
}

// judgeAll makes the judge of an edited topic, trained on the labels if
// there are any, and judges all visited pages again. It returns the number
// of new verdicts.
func (r *retraining) judgeAll(c *Crawler) (int, error) {
	labels, err := collection.ReadLabels(c.Collection.Dir)
	if err != nil {
		return 0, err
	}
	models, err := collection.Models(c.Collection.Dir)
	if err != nil {
		return 0, err
	}
	if err := r.plan(c, labels, models); err != nil {
		return 0, err
	}
	if err := r.prepare(context.Background(), c, models); err != nil {
		return 0, err
	}
	r.made.Pages = len(r.rulings)
	return len(r.rulings), nil
}
