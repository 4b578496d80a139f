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

// judging makes the judges of a crawl: of the topic alone, and of the topic and what
// people labelled.
type judging struct {
	col   *collection.Collection
	topic *topic.Topic
	base  dowse.Judge // before anybody labelled
	own   bool        // a program brought it: labels do not teach it

	wordnet string // WNDB directory for judges that grow; "" for none
}

// trained returns the judge of the topic and labelled pages, and the model that was
// trained; nil where there is nothing to train, or on. r.made gives its name, and is told
// what it was trained against: pages that were seen, where there are enough. If nobody
// asked for it, it is refused where these can't be told from examples.
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
		if err := told(g.topic, m); err != nil {
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

// loaded returns the judge of the topic and a model that was trained before.
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

// A ruler is the judge of a crawl that goes on: another can be put in its place at any
// time, and labels beat it. It may be asked from many goroutines.
type ruler struct{ now atomic.Pointer[rule] }

// A rule is a judge and the labels beside it. It does not change.
type rule struct {
	judge  dowse.WindowJudge
	labels map[dowse.URL]crawl.Label
}

// ruled makes a judge replaceable. One that does not rate windows stays what it is.
func ruled(j dowse.Judge) dowse.Judge {
	wj, ok := j.(dowse.WindowJudge)
	if !ok {
		return j
	}
	return newRuler(wj)
}

func newRuler(j dowse.WindowJudge) *ruler {
	r := &ruler{}
	r.now.Store(&rule{judge: j})
	return r
}

// Judge rates the page.
func (r *ruler) Judge(p *dowse.Page) dowse.Verdict {
	x := r.now.Load()
	return x.labels[p.URL].Verdict(x.judge.Judge(p))
}

// JudgeWindows rates the page and its windows. A label concerns the page alone.
func (r *ruler) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	x := r.now.Load()
	v, ratings := x.judge.JudgeWindows(p, windows)
	return x.labels[p.URL].Verdict(v), ratings
}
