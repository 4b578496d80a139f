package crawler

import (
	"fmt"

	"dowse"
	"dowse/judge/outside"
	"dowse/topic"
)

// Outside puts the judge that a topic names beside its own: it is asked about pages of
// which that one is not sure, and what it says teaches what was learnt from examples.
// Answers are kept in file, if that is not "". The judge must be closed.
func Outside(t *topic.Topic, j *topic.Judge, file string, cfg Config) (*outside.Judge, error) {
	return outsideOf(t, j, j, file, cfg)
}

// outsideOf is Outside for a judge that may be replaced; j is the first in its place.
func outsideOf(t *topic.Topic, beside dowse.WindowJudge, j *topic.Judge, file string, cfg Config) (*outside.Judge, error) {
	asker, err := askerOf(t, cfg)
	if err != nil {
		return nil, err
	}
	from, to := t.Outside.Range()
	opt := outside.Options{
		From: from, To: to, Timeout: t.Outside.Timeout, Budget: t.Outside.Budget, File: file, Threshold: t.OnTopic(),
	}
	if l, ok := j.Model().(outside.Learner); ok {
		opt.Learner = l
	}
	return outside.New(beside, asker, opt)
}

// askerOf returns the outside judge of a topic, ready to be asked.
func askerOf(t *topic.Topic, cfg Config) (outside.Asker, error) {
	o := t.Outside
	if len(o.Exec) > 0 {
		return &outside.Program{Command: o.Exec, Dir: t.Dir}, nil
	}
	key := ""
	if o.KeyEnv != "" {
		if cfg.Getenv != nil {
			key = cfg.Getenv(o.KeyEnv)
		}
		if key == "" {
			return nil, fmt.Errorf("crawler: judge: the variable %s, which holds the key of %s, is empty", o.KeyEnv, o.Endpoint)
		}
	}
	about := t.About
	for _, w := range t.Words {
		about += "\n" + w
	}
	return outside.NewEndpoint(outside.Endpoint{URL: o.Endpoint, Model: o.Model, Key: key, About: t.Name + "\n" + about})
}

// consult puts the topic's outside judge beside the crawl's own, if it names one.
func (c *Crawler) consult(b *bench, file string) (dowse.Judge, error) {
	j, ok := b.judge.(*topic.Judge)
	if c.Topic.Outside == nil || !ok {
		return b.judge, nil
	}
	c.asked = newRuler(j)
	o, err := outsideOf(c.Topic, c.asked, j, file, c.cfg)
	if err != nil {
		return nil, err
	}
	c.outside = o
	return o, nil
}
