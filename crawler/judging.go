package crawler

import (
	"context"
	"sync/atomic"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/judge"
	"dowse/topic"
)

// judging makes the judges of a crawl: that of the topic alone, and those
// that are trained on labels.
type judging struct {
	col   *collection.Collection
	topic *topic.Topic
	// base is the judge before any label was given.
	base dowse.Judge
	// own reports that base belongs to a Go program and can't be trained.
	own bool

	// wordnet is the WNDB directory for judges that grow from words; "" for
	// none.
	wordnet string
}

// trained returns the judge of the topic trained on labelled pages, and its
// model; a nil model means that there is nothing to train. It records in
// r.made what the negative examples were. A model that was not asked for is
// refused if these can't be distinguished from the examples.
func (g *judging) trained(ctx context.Context, r *retraining, labels []judge.Example, again *rejudge) (dowse.Judge, judge.Model, error) {
	made := &r.made
	if g.own {
		return g.base, nil, nil
	}
	m, err := MaterialOf(g.col)
	if err != nil {
		return nil, nil, err
	}
	m.Examples = append(m.Examples, labels...)
	if r.grows && made.Seen > 0 {
		if j, model, err := g.grown(ctx, r, m, again); err != nil || model != nil {
			return j, model, err
		}
	}
	instead := g.topic.Against(m)
	if made.Contrast, err = again.contrast(ctx, m, made.Seen); err != nil {
		return nil, nil, err
	}
	if made.Contrast > 0 {
		made.Instead = instead
	} else {
		made.Seen = 0
	}
	if len(labels)+made.Contrast == 0 {
		return g.base, nil, nil
	}
	if r.seen && made.Contrast > 0 {
		if err := checkSeparation(g.topic, m); err != nil {
			return nil, nil, err
		}
	}
	m.Trained = nil
	if ForSites(g.col.Settings.Strategy) {
		if err := trainForSites(g.topic, m); err != nil {
			return nil, nil, err
		}
	}
	j, err := g.topic.NewJudge(m)
	if err != nil {
		return nil, nil, err
	}
	zero := j.Zero()
	made.Zero = &zero
	return j.Named(made.Model), j.Model(), nil
}

// loaded returns the judge of the topic with a model that was trained
// before.
func (g *judging) loaded(made collection.Model, data []byte) (dowse.Judge, error) {
	m, err := MaterialOf(g.col)
	if err != nil {
		return nil, err
	}
	if m.Trained, err = judge.Load(data); err != nil {
		return nil, err
	}
	m.Zero = made.Zero
	j, err := g.topic.NewJudge(m)
	if err != nil {
		return nil, err
	}
	return j.Named(made.Model), nil
}

// A liveJudge is the judge of a running crawl. It can be replaced at any
// time, and labels override it. It is safe for concurrent use: readers load
// one immutable labelledJudge.
type liveJudge struct{ now atomic.Pointer[labelledJudge] }

// A labelledJudge is a judge with the labels that override it. It is never
// changed after it was stored.
type labelledJudge struct {
	judge  dowse.WindowJudge
	labels map[dowse.URL]crawl.Label
}

// replaceable wraps a judge in a liveJudge. One that does not rate windows is
// returned unchanged, and is used for the whole crawl.
func replaceable(j dowse.Judge) dowse.Judge {
	wj, ok := j.(dowse.WindowJudge)
	if !ok {
		return j
	}
	return newLiveJudge(wj)
}

// newLiveJudge returns a liveJudge without labels.
func newLiveJudge(j dowse.WindowJudge) *liveJudge {
	r := &liveJudge{}
	r.now.Store(&labelledJudge{judge: j})
	return r
}

// Judge judges the page; a label of its URL overrides the verdict.
func (r *liveJudge) Judge(p *dowse.Page) dowse.Verdict {
	x := r.now.Load()
	return x.labels[p.URL].Verdict(x.judge.Judge(p))
}

// JudgeWindows judges the page and its windows. A label overrides the
// verdict on the page only.
func (r *liveJudge) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	x := r.now.Load()
	v, ratings := x.judge.JudgeWindows(p, windows)
	return x.labels[p.URL].Verdict(v), ratings
}
