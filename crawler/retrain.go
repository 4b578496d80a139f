package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/internal/site"
	"dowse/judge"
)

// TrainEvery is how many new labels a running crawl waits for before it trains a new
// model, unless it is asked to.
const TrainEvery = 5

// labelWatch is what a crawl knows of the labels.
type labelWatch struct {
	model string // the one in use
	size  int64  // of labels.jsonl when it was read last
	read  int    // lines that were taken note of
	seen  int    // pages of which contrast was drawn, or would have been
	work  *retraining
}

// A retraining is a new model on its way: made beside the crawl, taken into use by its
// loop.
type retraining struct {
	made   collection.Model
	began  time.Time
	stands map[dowse.URL]collection.Label
	ids    map[frontier.ID]crawl.Label
	parts  []uint64
	seen   bool // it is for the sake of contrast: without, nothing is trained
	grows  bool // the judge grows from the words of the topic

	regrows bool // and the one in use has grown, too
	cancel  context.CancelFunc
	done    chan struct{} // closed when the rest is there

	judge   dowse.Judge
	rulings []crawl.Ruling
	until   uint64 // the rulings are on all visits before this place of the journal
	err     error
}

// takeSeat puts the model that the crawl was last decided by in the judge's place.
func (c *Crawler) takeSeat() error {
	dir := c.Collection.Dir
	labels, err := collection.ReadLabels(dir)
	if err != nil {
		return err
	}
	models, err := collection.Models(dir)
	if err != nil {
		return err
	}
	c.labels.model = cmp.Or(c.Collection.Crawl.Model(), collection.FirstModel)
	c.labels.read = collection.ReadBy(models)
	c.labels.seen = seenBy(models, c.labels.model)
	j, err := c.judgeOf(models, c.labels.model)
	if err != nil {
		return err
	}
	c.seat(j, labels.Standing())
	return nil
}

// judgeOf returns the judge of a model that was in use before.
func (c *Crawler) judgeOf(models []collection.Model, name string) (dowse.Judge, error) {
	made, ok := collection.MadeModel(models, name)
	if !ok {
		return nil, fmt.Errorf("crawler: no model is called %s; dowse label --list names them", name)
	}
	if name == collection.FirstModel || made.Hash == "" || c.judging.own {
		return c.judging.base, nil
	}
	data, err := collection.LoadModel(c.Collection.Dir, name, made.Hash)
	if err != nil {
		return nil, err
	}
	return c.judging.loaded(made, data)
}

// seat puts a judge and labels in the place of those before.
func (c *Crawler) seat(j dowse.Judge, stands map[dowse.URL]collection.Label) {
	r, ok := c.visitor.Judge.(*ruler)
	if ForSites(c.Collection.Settings.Strategy) {
		j = site.Reader{By: j}
	}
	wj, rates := j.(dowse.WindowJudge)
	if !ok || !rates {
		return
	}
	x := &rule{judge: wj, labels: make(map[dowse.URL]crawl.Label, len(stands))}
	if c.asked != nil { // the outside judge stays, beside the new one
		c.asked.now.Store(&rule{judge: wj})
		x.judge = r.now.Load().judge
	}
	for u, l := range stands {
		x.labels[u] = labelOf(l)
	}
	r.now.Store(x)
}

func labelOf(l collection.Label) crawl.Label {
	switch l.Label {
	case collection.LabelOn:
		return crawl.LabelledOn
	case collection.LabelOff:
		return crawl.LabelledOff
	}
	return crawl.Unlabelled
}

// lookAtLabels is called by the loop about twice a second: it begins a retraining when
// there are enough new labels, and takes one into use that is ready.
func (c *Crawler) lookAtLabels(now time.Time) {
	w := &c.labels
	if w.work != nil {
		select {
		case <-w.work.done:
			if !c.Collection.Crawl.MidRound() {
				c.takeIntoUse(now)
			}
		default:
		}
		return
	}
	size := collection.LabelsSize(c.Collection.Dir)
	if size == w.size {
		return
	}
	w.size = size
	labels, err := collection.ReadLabels(c.Collection.Dir)
	if err != nil || !due(labels, w.read) {
		return
	}
	c.retrain(labels, false)
}

// due reports whether there are enough new labels, or somebody asks.
func due(l *collection.Labels, read int) bool {
	n := 0
	for _, x := range l.Lines[min(read, len(l.Lines)):] {
		if x.Do == collection.DoTrain || x.Do == collection.DoUndo {
			return true
		}
		if x.IsVerdict() {
			n++
		}
	}
	return n >= TrainEvery
}

// retrain begins a retraining beside the crawl: on labels, or only to train against pages
// that were seen.
func (c *Crawler) retrain(labels *collection.Labels, seen bool) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &retraining{began: time.Now(), seen: seen, grows: c.grows(), cancel: cancel, done: make(chan struct{})}
	c.labels.work, c.labels.read = r, len(labels.Lines)
	models, err := collection.Models(c.Collection.Dir)
	if err != nil {
		r.err = err
		close(r.done)
		return
	}
	if r.err = r.plan(c, labels, models); r.err != nil {
		close(r.done)
		return
	}
	go func() {
		defer close(r.done)
		r.err = r.prepare(ctx, c, models)
	}()
}

// plan decides what is to be done: train a new model, or go back to an old one.
func (r *retraining) plan(c *Crawler, labels *collection.Labels, models []collection.Model) error {
	n := len(labels.Lines)
	name, err := collection.NameModel(c.Collection.Dir, models)
	if err != nil {
		return err
	}
	r.made = collection.Model{Model: name, At: r.began.UTC(), Through: n, Read: n, Seen: c.drawnOf()}
	for _, x := range slices.Backward(labels.Lines) {
		if x.IsVerdict() {
			break
		}
		if x.Do == collection.DoUndo {
			old, _ := collection.MadeModel(models, x.Model)
			old.Model, old.At, old.Read, old.Undo, old.Done = x.Model, r.made.At, n, true, false
			r.made = old
			break
		}
	}
	r.made.Before = c.labels.model
	before, _ := collection.MadeModel(models, c.labels.model)
	r.regrows = before.Grown > 0
	r.stands = labels.Standing()
	r.ids = labelIDs(c.Collection.Crawl.Frontier(), r.stands)
	r.parts = c.Collection.Crawl.Rulings()
	return nil
}

// labelIDs returns labels by the numbers of their URLs, as far as these were seen.
func labelIDs(f *frontier.Frontier, stands map[dowse.URL]collection.Label) map[frontier.ID]crawl.Label {
	ids := map[frontier.ID]crawl.Label{}
	for u, l := range stands {
		if id, ok := f.Find(u); ok {
			ids[id] = labelOf(l)
		}
	}
	return ids
}

// prepare makes the judge and lets it rule on all that was visited. It runs beside the
// crawl and touches nothing of it.
func (r *retraining) prepare(ctx context.Context, c *Crawler, models []collection.Model) error {
	again, err := openRejudge(c.Collection.Dir, r.parts, c.visitor.wish, r.ids)
	if err != nil {
		return err
	}
	defer again.col.Close()
	if c.Topic.AsksVia() {
		again.via = map[frontier.ID]*dowse.Via{}
	}
	if r.made.Undo {
		r.judge, err = c.judgeOf(models, r.made.Model)
	} else {
		err = r.train(ctx, c, again)
	}
	if r.seen && err == nil && r.made.Contrast == 0 {
		err = errNoContrast
	}
	if err != nil {
		return err
	}
	if err := collection.LogModel(c.Collection.Dir, r.made); err != nil {
		return err
	}
	if r.rulings, r.until, err = again.rulings(ctx, r.judge); err != nil || !r.seen {
		return err
	}
	if r.made.Grown > 0 {
		return nil // it has stood the test of grown models
	}
	first, err := again.sightings(ctx, r.made.Seen)
	if err != nil {
		return err
	}
	return again.kept(r.rulings, first)
}

// train makes a model and writes it down.
func (r *retraining) train(ctx context.Context, c *Crawler, again *rejudge) error {
	examples, err := again.examples(ctx)
	if err != nil {
		return err
	}
	for _, l := range r.stands {
		if r.made.Labels++; l.Label == collection.LabelOn {
			r.made.On++
		}
	}
	r.made.Examples = len(examples)
	var model judge.Model
	if r.judge, model, err = c.judging.trained(ctx, r, examples, again); err != nil || model == nil || r.seen && r.made.Contrast == 0 {
		return err
	}
	data, err := judge.Save(model)
	if err != nil {
		return err
	}
	r.made.Hash, err = collection.SaveModel(c.Collection.Dir, r.made.Model, data)
	return err
}

// takeIntoUse decides the crawl again by a new model. It is called by the crawl's loop.
// A model that can't be taken into use is told in the log, and the crawl goes on.
func (c *Crawler) takeIntoUse(now time.Time) {
	r := c.labels.work
	c.labels.work = nil
	r.cancel()
	if r.err == nil {
		r.err = c.decideBy(now, r)
	}
	r.made.Done, r.made.Seconds = true, time.Since(r.began).Seconds()
	if r.err != nil {
		r.made.Error = r.err.Error()
	} else {
		c.labels.model = r.made.Model
	}
	if err := collection.LogModel(c.Collection.Dir, r.made); err != nil {
		c.err = errors.Join(c.err, err)
	}
	if c.cfg.Trained != nil && (r.err == nil || r.made.Refused) {
		c.cfg.Trained(r.made)
	}
}

func (c *Crawler) decideBy(now time.Time, r *retraining) error {
	if err := c.commit(); err != nil {
		return err
	}
	before := c.visitor.rule()
	c.seat(r.judge, r.stands)
	err := c.ruleOnRest(r)
	if err == nil {
		r.made.Pages = len(r.rulings)
		r.made.Change, err = c.Collection.Crawl.Rerank(now, r.made.Model, r.rulings, c.restore)
	}
	if err != nil {
		if x, ok := c.visitor.Judge.(*ruler); ok {
			x.now.Store(before)
		}
		return err
	}
	return c.checkpoint()
}

// ruleOnRest judges what was visited while the others were judged.
func (c *Crawler) ruleOnRest(r *retraining) error {
	j := c.Collection.Journal
	for e, err := range j.AsWritten(r.until) {
		if err != nil {
			return err
		}
		if !isVisit(e) {
			continue
		}
		e.Page.URL = c.Collection.URL(e.ID)
		if c.Topic.AsksVia() {
			e.Page.Via = c.Collection.Via(e.ID)
		}
		ruling, err := rule1(c.Collection, e, r.judge, c.visitor.wish, r.ids[e.ID])
		if err != nil {
			return err
		}
		if ruling != nil {
			r.rulings = append(r.rulings, *ruling)
		}
	}
	return nil
}

// finishRetraining waits for a retraining that is under way when the crawl stops, and
// takes it into use.
func (c *Crawler) finishRetraining(abort context.Context) error {
	r := c.labels.work
	if r == nil {
		return nil
	}
	if abort.Err() != nil {
		r.cancel()
	}
	<-r.done
	if abort.Err() != nil || c.Collection.Crawl.MidRound() {
		c.labels.work = nil
		return nil // the labels are there: the next run does it
	}
	c.takeIntoUse(c.live.Clock())
	return c.err
}

// ErrNotRunning is returned by Await when no process works on the collection.
var ErrNotRunning = errors.New("no process works on the collection")

// Retrain takes note of all labels of the collection in dir and decides its crawl
// again. It works on the collection itself: another process must not be at it
// (collection.ErrLocked); see Await. Nothing is sent.
func Retrain(dir string) (collection.Model, error) { return RetrainWith(dir, "") }

// RetrainWith is Retrain with a WNDB directory for a judge that grows from words, "" for
// none.
func RetrainWith(dir, wordnet string) (collection.Model, error) {
	col, err := collection.Open(dir, nil, false)
	if err != nil {
		return collection.Model{}, err
	}
	c, err := seated(col, Config{NoArchive: true})
	if err != nil {
		return collection.Model{}, errors.Join(err, col.Close())
	}
	c.judging.wordnet = wordnet
	m, err := c.retrainNow()
	return m, errors.Join(err, c.Close())
}

// seated opens the crawl of a collection, to decide again what was decided. No outside judge
// is asked.
func seated(col *collection.Collection, cfg Config) (*Crawler, error) {
	col.Journal.SetParser(robotsParser(col.Settings))
	t, err := topicOf(col)
	if err != nil {
		return nil, err
	}
	t.Outside = nil
	b, err := benchOf(col, t, cfg)
	if err != nil {
		return nil, err
	}
	return assemble(col, t, b, cfg)
}

func (c *Crawler) retrainNow() (collection.Model, error) {
	if c.Collection.Crawl.MidRound() {
		return collection.Model{}, errors.New("crawler: the crawl stopped in the middle of a round; go on with it, and the labels count")
	}
	labels, err := collection.ReadLabels(c.Collection.Dir)
	if err != nil {
		return collection.Model{}, err
	}
	c.retrain(labels, false)
	r := c.labels.work
	<-r.done
	c.takeIntoUse(c.live.Clock())
	if err := errors.Join(r.err, c.err); err != nil {
		return r.made, fmt.Errorf("crawler: %s: %w", r.made.Model, err)
	}
	return r.made, c.Collection.Summarise()
}

// awaitEvery is how often the log of models is looked at.
const awaitEvery = 100 * time.Millisecond

// Await waits until the process that works on the collection in dir has taken note of
// the first n lines of its labels, and returns what that changed. If that process ends
// before, the error is ErrNotRunning: then Retrain can do it.
func Await(ctx context.Context, dir string, n int) (collection.Model, error) {
	tick := time.NewTicker(awaitEvery)
	defer tick.Stop()
	for {
		running := collection.Running(dir) != 0 // before the log is read
		models, err := collection.Models(dir)
		if err != nil {
			return collection.Model{}, err
		}
		for _, m := range models {
			if m.Done && m.Read >= n {
				return m, nil
			}
		}
		if !running {
			return collection.Model{}, ErrNotRunning
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return collection.Model{}, ctx.Err()
		}
	}
}
