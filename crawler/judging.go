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
// model; a nil model means that there is nothing to train. Labels correct the
// judge that the crawl has without them. It records in r.made which pages of
// the crawl the model was trained on.
func (g *judging) trained(ctx context.Context, r *retraining, labels []judge.Example, again *rejudge) (dowse.Judge, judge.Model, error) {
	if g.own {
		return g.base, nil, nil
	}
	m, err := MaterialOf(g.col)
	if err != nil {
		return nil, nil, err
	}
	if ForSites(g.col.Settings.Strategy) {
		m.Examples = append(m.Examples, labels...)
	}
	if err := g.withoutLabels(ctx, r, m, again); err != nil {
		return nil, nil, err
	}
	if len(labels)+r.made.Contrast == 0 {
		return g.base, nil, nil
	}
	if err := g.addLabels(ctx, r, m, labels, again); err != nil {
		return nil, nil, err
	}
	j, err := g.topic.NewJudge(m)
	if err != nil {
		return nil, nil, err
	}
	zero := j.Zero()
	r.made.Zero, r.made.Temperature = &zero, m.Temperature
	return j.Named(r.made.Model), j.Model(), nil
}

// addLabels adds labels to the training data. They correct the judge if that
// is possible; otherwise they are examples.
func (g *judging) addLabels(ctx context.Context, r *retraining, m *topic.Material, labels []judge.Example, again *rejudge) error {
	switch {
	case ForSites(g.col.Settings.Strategy):
		m.Trained = nil
		return trainForSites(g.topic, g.col.Settings.Strategy, m)
	case len(labels) == 0:
		return nil
	}
	seen, err := again.seenPages(ctx, lastSeen, false)
	if err != nil {
		return err
	}
	if r.trial, err = g.topic.Correct(m, labels, seen); err != nil || r.trial != nil {
		return err
	}
	m.Examples = append(m.Examples, labels...)
	m.Trained, m.Zero, m.Temperature = nil, nil, 0
	return nil
}

// withoutLabels prepares the training data of the judge that the crawl has, or
// would have by now, without labels: the last model that was trained on pages
// seen alone, one that grows from the words of the topic, or one that is trained
// against pages seen. It changes nothing if none of them is possible; the judge
// is then that of the topic alone.
func (g *judging) withoutLabels(ctx context.Context, r *retraining, m *topic.Material, again *rejudge) error {
	if r.prior.Model != "" && g.reuse(r, m) {
		return nil
	}
	if r.grows && r.made.Seen > 0 {
		if ok, err := g.grow(ctx, r, m, again); err != nil || ok {
			return err
		}
	}
	return g.contrast(ctx, r, m, again)
}

// reuse loads the last model that was trained without labels, and reports
// whether it could: a takedown may have removed its file.
func (g *judging) reuse(r *retraining, m *topic.Material) bool {
	data, err := collection.LoadModel(g.col.Dir, r.prior.Model, r.prior.Hash)
	if err != nil {
		return false
	}
	model, err := judge.Load(data)
	if err != nil {
		return false
	}
	m.Trained, m.Zero, m.Temperature = model, r.prior.Zero, r.prior.Temperature
	made, p := &r.made, &r.prior
	made.Seen, made.Contrast, made.Instead, made.Grown = p.Seen, p.Contrast, p.Instead, p.Grown
	made.WordNet, made.Meant = p.WordNet, p.Meant
	return true
}

// contrast draws pages seen as negative examples if the topic has too few. A
// model that was not asked for is refused if these pages can't be distinguished
// from the examples.
func (g *judging) contrast(ctx context.Context, r *retraining, m *topic.Material, again *rejudge) (err error) {
	made := &r.made
	instead := g.topic.Against(m)
	if made.Contrast, err = again.contrast(ctx, m, made.Seen); err != nil {
		return err
	}
	if made.Contrast == 0 {
		made.Seen = 0
		return nil
	}
	made.Instead = instead
	if r.seen {
		return checkSeparation(g.topic, m)
	}
	return nil
}

// loaded returns the judge of the topic with a model that was trained
// before, from its file: training again could give another model, and the
// verdicts in the journal are those of this one.
func (g *judging) loaded(made collection.Model, data []byte) (dowse.Judge, error) {
	model, err := judge.Load(data)
	if err != nil {
		return nil, err
	}
	j, err := g.withModel(made, model, 0)
	if err != nil {
		return nil, err
	}
	return j, nil
}

// withModel returns the judge of the topic with a model that was trained, which made
// describes. The log-odds of all pages are raised by the given amount.
func (g *judging) withModel(made collection.Model, model judge.Model, by float64) (*topic.Judge, error) {
	m, err := MaterialOf(g.col)
	if err != nil {
		return nil, err
	}
	m.Trained, m.Zero, m.Temperature, m.Raise = model, made.Zero, made.Temperature, by
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
