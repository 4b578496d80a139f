package crawler

import (
	"sync"

	"dowse"
	"dowse/internal/outside"
	"dowse/judge"
	"dowse/topic"
)

// Outside returns a judge that asks the outside judge of a topic about the
// pages of which j is not sure, and trains j on the answers. Answers are
// kept in file, unless that is "". The caller must close the judge.
func Outside(t *topic.Topic, j *topic.Judge, file string, cfg Config) (*outside.Judge, error) {
	return outsideOf(t, newLiveJudge(j), file, cfg)
}

// outsideOf is Outside for a judge that may be replaced.
func outsideOf(t *topic.Topic, live *liveJudge, file string, cfg Config) (*outside.Judge, error) {
	o := t.Outside
	from, to := o.Range()
	about := t.Name + "\n" + t.About
	for _, w := range t.Words {
		about += "\n" + w
	}
	return outside.Open(live, outside.Config{
		Exec: o.Exec, Endpoint: o.Endpoint, Model: o.Model, KeyEnv: o.KeyEnv, About: about, Dir: t.Dir,
		Env: cfg.Getenv, Say: cfg.Say,
		Options: outside.Options{
			From: from, To: to, Timeout: o.Timeout, Budget: o.Budget, File: file, Threshold: t.OnTopic(),
			Learner: &answerLearner{topic: t, live: live},
		},
	})
}

// An answerLearner trains the judge of a crawl on the answers of the outside judge. A
// model that can learn incrementally learns each answer immediately. A judge
// of words alone can't: it is trained from scratch when there are enough
// answers of both kinds.
type answerLearner struct {
	topic *topic.Topic
	live  *liveJudge

	mu sync.Mutex
	// answers are collected until the judge can be trained on them.
	answers []judge.Example
}

// enoughAnswers is how many answers of each kind are needed to learn from them.
const enoughAnswers = 3

// Learn adds one answer. It may be called concurrently, by visits. If the judge
// was replaced in the meantime, for example by one that was trained on labels,
// the new judge stays: CompareAndSwap fails, and the answers remain for the
// next time.
func (p *answerLearner) Learn(e judge.Example) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.live.now.Load()
	j, ok := now.judge.(*topic.Judge)
	if !ok {
		return
	}
	if l, ok := j.Model().(outside.Learner); ok {
		l.Learn(e)
		return
	}
	p.answers = append(p.answers, e)
	on := 0
	for _, e := range p.answers {
		if e.Relevant {
			on++
		}
	}
	if p.topic.Model != "" || len(p.topic.Categories) > 0 || min(on, len(p.answers)-on) < enoughAnswers {
		return
	}
	learnt, err := p.topic.NewJudge(&topic.Material{Examples: p.answers})
	if err != nil {
		return // it goes on as it was
	}
	p.live.now.CompareAndSwap(now, &labelledJudge{judge: learnt, labels: now.labels})
}

// consult returns the judge of the crawl combined with the outside judge of
// the topic, if it names one.
func (c *Crawler) consult(b *builtJudge, file string) (dowse.Judge, error) {
	j, ok := b.judge.(*topic.Judge)
	if c.Topic.Outside == nil || !ok {
		return b.judge, nil
	}
	c.asked = newLiveJudge(j)
	o, err := outsideOf(c.Topic, c.asked, file, c.cfg)
	if err != nil {
		return nil, err
	}
	c.outside = o
	return o, nil
}

// Consulted counts the questions to the outside judge in one run, and their
// results.
type Consulted struct {
	// Wanted counts the pages of which the topic's own judge was not sure.
	Wanted   int `json:"wanted"`
	Asked    int `json:"asked"`
	Answered int `json:"answered"`
	// Known counts the questions that an earlier answer settled.
	Known  int `json:"known"`
	Failed int `json:"failed"`
	// Left is how many questions the budget still allows; -1 for no limit.
	Left  int    `json:"left"`
	Error string `json:"error,omitempty"`
}

// Consulted returns the counts since the collection was opened; nil if the
// topic names no outside judge.
func (c *Crawler) Consulted() *Consulted {
	if c.outside == nil {
		return nil
	}
	return ConsultedOf(c.outside)
}

// ConsultedOf returns the counts of a judge of [Outside].
func ConsultedOf(j *outside.Judge) *Consulted {
	s := j.Stats()
	x := &Consulted{Wanted: s.Wanted, Asked: s.Asked, Answered: s.Answered, Known: s.Known, Failed: s.Failed, Left: s.Left}
	if s.Error != nil {
		x.Error = s.Error.Error()
	}
	return x
}
