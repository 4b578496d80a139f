package crawler

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/plain"
	"dowse/settings"
	"dowse/topic"
)

// reviseDecisions makes those changes of a config that require every earlier
// decision to be made again: a change of threshold, scope or topic. It
// returns a line for a person that describes the change, "" if there was
// none, and the config with what a new topic brings: seeds, and the pages that
// were left out for their language, which are asked again. All other settings are
// left to resumeOpen.
//
// The collection is closed afterwards, so the next opening finds it as if it
// had been created with these settings. A crash leaves it in the old or in
// the new state.
func reviseDecisions(ctx context.Context, dir string, cfg Config) (note string, now Config, err error) {
	col, err := collection.Open(dir, nil, false)
	if err != nil {
		return "", cfg, err
	}
	col.MarkCrawl()
	a, err := planResume(col, cfg)
	if err != nil || !a.revises() {
		return "", cfg, errors.Join(err, col.Close())
	}
	b, err := judgeUnder(ctx, col, a, cfg)
	if err != nil {
		return "", cfg, errors.Join(err, col.Close())
	}
	c, err := openToRevise(col, Config{Judge: cfg.Judge, NoArchive: true})
	if err != nil {
		return "", cfg, errors.Join(err, col.Close())
	}
	change, pages, err := c.reviseUnder(a, b, cfg)
	if err == nil {
		err = a.logChanges(dir, c.live.Clock(), false, changeNote(change))
	}
	if err = errors.Join(err, c.Close()); err != nil {
		return "", cfg, err
	}
	if a.edited {
		cfg.Seeds = slices.Concat(cfg.Seeds, a.topic.Seeds, b.seeds)
		if !slices.Equal(a.topic.Languages, a.before.Languages) {
			cfg.Retry = append(slices.Clone(cfg.Retry), string(dowse.SkipLang))
		}
	}
	_, what := a.changeNotes()
	if a.edited {
		what += ": " + plain.Some(pages, "page") + " judged again"
	}
	return fmt.Sprintf("changed: %s; %s", what, changeNote(change)), cfg, nil
}

// judgeUnder returns the judge for the topic of a plan. If the topic is new and has
// other examples than the old one, they are gathered, with the identity, network
// and politeness of the plan, before anything of the collection is changed.
func judgeUnder(ctx context.Context, col *collection.Collection, a *resumePlan, cfg Config) (*builtJudge, error) {
	if !a.edited {
		return rebuildJudge(col, a.topic, Config{Judge: cfg.Judge})
	}
	cfg.Settings = a.settings.Settings
	b, err := judgeOfNewTopic(ctx, col, a, cfg)
	if err != nil {
		return nil, err
	}
	if b.files == nil {
		b.files = []collection.File{} // those of the old topic are removed
	}
	return b, nil
}

// judgeOfNewTopic makes the judge of the new topic of a plan, from the examples of
// the collection if the topic names the same.
func judgeOfNewTopic(ctx context.Context, col *collection.Collection, a *resumePlan, cfg Config) (*builtJudge, error) {
	if !sameSources(a.topic, a.before) {
		return buildJudge(ctx, a.topic, a.settings.Strategy, cfg)
	}
	m, err := MaterialOf(col)
	if err != nil {
		return nil, err
	}
	m.Trained = nil // it was trained for the old topic
	return buildJudgeFrom(m, a.topic, a.settings.Strategy, cfg)
}

// sameSources reports whether two topics name the same examples, category and
// model. What they brought into a collection is then used again.
func sameSources(a, b *topic.Topic) bool {
	return reflect.DeepEqual(a.Like, b.Like) && reflect.DeepEqual(a.Unlike, b.Unlike) && reflect.DeepEqual(a.Category, b.Category) &&
		a.Model == b.Model && a.SeedsFrom == b.SeedsFrom && a.SeedLimit == b.SeedLimit
}

// ErrMidRound is returned for a change of a crawl that stopped in the middle of a round.
var ErrMidRound = errors.New("the crawl stopped in the middle of a round: go on without the change, then make it")

// reviseUnder makes all decisions again under the topic and settings of a
// plan, and stores these in the collection. It returns what changed and how
// many pages have a new verdict. The order is: commit, plan, revised entries,
// commit, new files; see collection.BeginChange for what a crash leaves in
// between. b is the judge of the topic of the plan.
func (c *Crawler) reviseUnder(a *resumePlan, b *builtJudge, cfg Config) (change crawl.Change, pages int, err error) {
	col := c.Collection
	if col.Crawl.MidRound() {
		return change, 0, fmt.Errorf("crawler: %s: %w", col.Dir, ErrMidRound)
	}
	next := a.againOnly(col.Settings) // resumeOpen merges the settings that apply from now on
	next.Predicate = predicateOf(a.topic, next.Threshold, cfg.Judge)
	if a.edited {
		next.Model = b.model
	}
	p, err := partsOf(col.Dir, next, a.topic, b.judge, Config{})
	if err != nil {
		return change, 0, err
	}
	defer p.client.Close()
	if err := errors.Join(c.commit(), col.BeginChange(next, a.topic.YAML(), b.files)); err != nil {
		return change, 0, err
	}
	r := &retraining{began: time.Now(), made: collection.Model{Model: col.Crawl.Model()}}
	if a.edited {
		col.Settings.Model = next.Model
		c.Topic, c.visitor = a.topic, p.visitor
		c.judging = &judging{col: col, topic: a.topic, base: b.judge, wordnet: cfg.dictionary(next)}
		if pages, err = r.judgeAll(c); err != nil {
			return change, 0, errors.Join(err, col.DropChange())
		}
	}
	terms := crawl.Terms{Threshold: next.Threshold, Scope: p.crawl.Scope, LinksIn: a.topic.AsksLinksIn(), Renew: p.crawl.Renew}
	change, err = col.Crawl.Rerank(c.live.Clock(), &terms, r.made.Model, r.rulings, restorer(col, p.visitor.wish))
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

// againOnly returns the settings of a collection with those changes of a plan that require
// all decisions to be made again. No part of the scope is late then.
func (a *resumePlan) againOnly(next collection.Settings) collection.Settings {
	for _, x := range a.changes {
		if x.When == settings.Again {
			x.Copy(&next.Settings, &a.settings.Settings)
		}
	}
	next.Late = nil
	return next
}

// changeNote returns for a person what deciding everything again changed.
func changeNote(c crawl.Change) string {
	return fmt.Sprintf("%s changed sides, %s ranked again", plain.Some(c.Verdicts, "page"), plain.Some(c.Links, "link"))
}

// judgeAll makes the judge of an edited topic, trained on the labels if
// there are any, and judges all visited pages again. A judge that grows from
// words does so from the pages of the crawl, as it would have done by now with
// this topic. Models of the old topic have no part in it, and are no measure for
// the new one. It returns the number of new verdicts.
func (r *retraining) judgeAll(c *Crawler) (int, error) {
	labels, err := collection.ReadLabels(c.Collection.Dir)
	if err != nil {
		return 0, err
	}
	models, err := collection.Models(c.Collection.Dir)
	if err != nil {
		return 0, err
	}
	if err := r.plan(c, labels, 0, models); err != nil {
		return 0, err
	}
	r.grows, r.regrows, r.sound, r.accept = c.grows(), false, true, true
	r.prior = collection.Model{}
	if err := r.prepare(context.Background(), c, models); err != nil {
		return 0, err
	}
	r.made.Pages = len(r.rulings)
	return len(r.rulings), nil
}
