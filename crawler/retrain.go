package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/internal/site"
	"dowse/judge"
)

// TrainEvery is how many new labels a running crawl waits for before it
// trains a new model, unless a training is requested.
const TrainEvery = 5

// labelWatch is how far a crawl has read the labels, and the retraining in
// progress.
type labelWatch struct {
	// model is the one in use.
	model string
	// size is the length of labels.jsonl when it was last read, and read the
	// number of lines taken into account.
	size int64
	read int
	// seen is from how many fetched pages negative examples were last drawn.
	seen int
	work *retraining
}

// A retraining is a new model in preparation. A goroutine of its own
// prepares it, and the loop of the crawl puts it into use. The fields after
// done are valid once done is closed.
type retraining struct {
	made    collection.Model
	began   time.Time
	current map[dowse.URL]collection.Label
	ids     map[frontier.ID]crawl.Label
	parts   []uint64
	// seen reports that it was started only to use pages of the crawl as
	// negative examples.
	seen bool
	// grows reports that the judge grows from the words of the topic, and
	// regrows that the one in use has done so, too.
	grows   bool
	regrows bool
	// sound reports that a growth with a fault is left out, and the judge is
	// made without it.
	sound bool
	// accept reports that a person wants the model whatever it changes.
	accept bool
	// prior is the last model that was trained on pages seen alone, which
	// labels correct; its name is "" if there is none.
	prior  collection.Model
	cancel context.CancelFunc
	// done is closed when the preparation is complete.
	done chan struct{}

	judge dowse.Judge
	// model is the trained part of judge; nil if nothing was trained.
	model judge.Model
	// labelled are the labelled pages, and trial compares judges by them; it is
	// nil if labels do not correct the judge.
	labelled []judge.Example
	trial    *judge.Trial
	rulings  []crawl.Ruling
	// until is the offset up to which rulings covers all visits.
	until uint64
	// refused is why the model is not put into use although labels led to it. The rulings are
	// then those of the judge in use, with the labels.
	refused error
	lost    lostTexts
	err     error
}

// useLastModel makes the model under which the crawl was last decided the judge.
func (c *Crawler) useLastModel() error {
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
	c.replaceJudge(j, labels.Standing())
	return nil
}

// judgeOf returns the judge with a model that was in use before.
func (c *Crawler) judgeOf(models []collection.Model, name string) (dowse.Judge, error) {
	made, ok := collection.MadeModel(models, name)
	if !ok {
		return nil, fmt.Errorf("crawler: unknown model %q; want one of %s", name, modelNames(models))
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

// modelNames lists the names of the models that can be used, for an error.
func modelNames(models []collection.Model) string {
	names := []string{collection.FirstModel}
	for _, m := range models {
		if !m.Undo && !slices.Contains(names, m.Model) {
			names = append(names, m.Model)
		}
	}
	return strings.Join(names, ", ")
}

// replaceJudge replaces the judge and the labels of the visitor. Visits in flight
// finish under the old ones and are judged again before they are recorded.
func (c *Crawler) replaceJudge(j dowse.Judge, current map[dowse.URL]collection.Label) {
	r, ok := c.visitor.Judge.(*liveJudge)
	if ForSites(c.Collection.Settings.Strategy) {
		j = site.Reader{By: j}
	}
	wj, rates := j.(dowse.WindowJudge)
	if !ok || !rates {
		return
	}
	x := &labelledJudge{judge: wj, labels: make(map[dowse.URL]crawl.Label, len(current))}
	if c.asked != nil { // the outside judge stays and now supplements the new one
		c.asked.now.Store(&labelledJudge{judge: wj})
		x.judge = r.now.Load().judge
	}
	for u, l := range current {
		x.labels[u] = labelOf(l)
	}
	r.now.Store(x)
}

// labelOf converts a label of a person.
func labelOf(l collection.Label) crawl.Label {
	switch l.Label {
	case collection.LabelOn:
		return crawl.LabelledOn
	case collection.LabelOff:
		return crawl.LabelledOff
	}
	return crawl.Unlabelled
}

// checkLabels is called by the loop about twice a second. It starts a
// retraining when there are enough new labels, and puts a completed one into
// use, but never in the middle of a round.
func (c *Crawler) checkLabels(now time.Time) {
	w := &c.labels
	if w.work != nil {
		select {
		case <-w.work.done:
			if !c.Collection.Crawl.MidRound() {
				c.putIntoUse(now)
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
	if err != nil || !trainingDue(labels, w.read) {
		return
	}
	c.retrain(labels, false)
}

// trainingDue reports whether there are enough new labels after the first read
// lines, or a line requests a training.
func trainingDue(l *collection.Labels, read int) bool {
	for _, x := range l.Lines[min(read, len(l.Lines)):] {
		if x.Do == collection.DoTrain || x.Do == collection.DoUndo {
			return true
		}
	}
	return l.Untrained([]collection.Model{{Done: true, Read: read}}) >= TrainEvery
}

// retrain starts a retraining in the background: on labels, or only to use
// pages of the crawl as negative examples.
func (c *Crawler) retrain(labels *collection.Labels, seen bool) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &retraining{began: time.Now(), seen: seen, grows: c.grows(), cancel: cancel, done: make(chan struct{})}
	read := min(c.labels.read, len(labels.Lines))
	c.labels.work, c.labels.read = r, len(labels.Lines)
	models, err := collection.Models(c.Collection.Dir)
	if err != nil {
		r.err = err
		close(r.done)
		return
	}
	if r.err = r.plan(c, labels, read, models); r.err != nil {
		close(r.done)
		return
	}
	go func() {
		defer close(r.done)
		defer func() {
			if x := recover(); x != nil { // of a judge that a Go program brings
				r.err = fmt.Errorf("crawler: the training panicked: %v\n\n%s", x, debug.Stack())
			}
		}()
		r.err = r.prepare(ctx, c, models)
	}()
}

// plan decides what to do: train a new model, or return to an old one. It
// copies what the background needs from the crawl. Requests among the first read
// lines of labels were carried out already and are not repeated.
func (r *retraining) plan(c *Crawler, labels *collection.Labels, read int, models []collection.Model) error {
	n := len(labels.Lines)
	name, err := collection.NameModel(c.Collection.Dir, models)
	if err != nil {
		return err
	}
	r.made = collection.Model{Model: name, At: r.began.UTC(), Through: n, Read: n, Seen: c.drawnOf()}
	for _, x := range slices.Backward(labels.Lines[read:]) {
		if x.IsVerdict() {
			break
		}
		r.accept = r.accept || x.Do == collection.DoTrain && x.Accept
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
	if !r.seen {
		r.prior = priorOf(models, c.labels.model, r.made.Seen)
	}
	r.current = labels.Standing()
	r.ids = labelIDs(c.Collection.Crawl.Frontier(), r.current)
	r.parts = c.Collection.Crawl.Rulings()
	return nil
}

// priorOf returns the last model that was trained on pages seen and no labels, of the one in use and those that
// it came from, unless there are many more pages to draw from by now. A model that was left by an undo is not among them.
func priorOf(models []collection.Model, inUse string, drawn int) collection.Model {
	name := inUse
	for range len(models) { // a damaged log may name models in a circle
		m, ok := collection.MadeModel(models, name)
		if ok && m.Done && m.Error == "" && m.Labels == 0 && m.Hash != "" && m.Seen >= min(drawn, lastSeen) && m.Contrast > 0 {
			return m
		}
		name = collection.ModelBefore(models, name)
	}
	return collection.Model{}
}

// labelIDs returns labels by the number of their URL; URLs that the crawl
// does not know are left out.
func labelIDs(f *frontier.Frontier, current map[dowse.URL]collection.Label) map[frontier.ID]crawl.Label {
	ids := map[frontier.ID]crawl.Label{}
	for u, l := range current {
		if id, ok := f.Find(u); ok {
			ids[id] = labelOf(l)
		}
	}
	return ids
}

// prepare makes the judge and judges all visited pages. It runs concurrently
// with the crawl and does not access its state. The model is saved and
// logged before it is put into use, so that a crash leaves a log that names
// it.
func (r *retraining) prepare(ctx context.Context, c *Crawler, models []collection.Model) error {
	again, err := openRejudge(c.Collection.Dir, r.parts, c.visitor, r.ids)
	if err != nil {
		return err
	}
	defer again.col.Close()
	r.lost = again.lost
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
	if r.rulings, r.until, err = again.rulings(ctx, r.judge); err != nil {
		return err
	}
	err = r.check(ctx, c, models, again)
	if r.seen || !isRefusal(err) {
		return err
	}
	return r.keepJudge(ctx, c, models, again, err)
}

// keepJudge prepares the rulings of the judge in use, because a model that labels led to was
// refused: the labels count as verdicts all the same.
func (r *retraining) keepJudge(ctx context.Context, c *Crawler, models []collection.Model, again *rejudge, refused error) (err error) {
	r.refused = refused
	if r.judge, err = c.judgeOf(models, r.made.Before); err != nil {
		return err
	}
	r.rulings, r.until, err = again.rulings(ctx, r.judge)
	return err
}

// check refuses a model that seems worse than the one in use. A model that a
// person asked for is checked against labels, one that the crawl trained by
// itself against the pages that it began with.
func (r *retraining) check(ctx context.Context, c *Crawler, models []collection.Model, again *rejudge) error {
	switch {
	case r.made.Undo || r.accept && !r.seen:
		return nil
	case !r.seen:
		return r.checkLabelled(ctx, again)
	case r.made.Grown > 0:
		return nil // grow has checked it
	}
	return r.checkKept(ctx, c, again)
}

// checkKept refuses a model that would reject nearly all pages on topic. If it would reject
// more than half of them, its threshold is moved, and all pages are judged again.
func (r *retraining) checkKept(ctx context.Context, c *Crawler, again *rejudge) error {
	first, err := again.firstPages(ctx, r.made.Seen)
	if err != nil {
		return err
	}
	unknown := logOdds(r.judge.Judge(&dowse.Page{}).Relevance)
	by, err := again.keeping(r.rulings, first).check(unknown)
	if err != nil || by == 0 {
		return err
	}
	if err := r.raise(c, by); err != nil {
		return err
	}
	r.rulings, r.until, err = again.rulings(ctx, r.judge)
	return err
}

// raise raises the log-odds that the new judge gives to pages. The log of models has the new
// zero before the judge is put into use, as prepare promises.
func (r *retraining) raise(c *Crawler, by float64) error {
	j, err := c.judging.withModel(r.made, r.model, by)
	if err != nil {
		return err
	}
	zero := j.Zero()
	r.judge, r.made.Zero = j, &zero
	return collection.LogModel(c.Collection.Dir, r.made)
}

// train trains a model and saves it.
func (r *retraining) train(ctx context.Context, c *Crawler, again *rejudge) error {
	examples, err := again.examples(ctx)
	if err != nil {
		return err
	}
	for _, l := range r.current {
		if r.made.Labels++; l.Label == collection.LabelOn {
			r.made.On++
		}
	}
	r.made.Examples, r.labelled = len(examples), examples
	if r.judge, r.model, err = c.judging.trained(ctx, r, examples, again); err != nil || r.model == nil || r.seen && r.made.Contrast == 0 {
		return err
	}
	data, err := judge.Save(r.model)
	if err != nil {
		return err
	}
	r.made.Hash, err = collection.SaveModel(c.Collection.Dir, r.made.Model, data)
	return err
}

// putIntoUse revises the decisions of the crawl under a new model. The loop
// calls it. If that fails, the log records the error, the old model stays in
// use and the crawl continues.
func (c *Crawler) putIntoUse(now time.Time) {
	r := c.labels.work
	c.labels.work = nil
	r.cancel()
	if r.err == nil {
		r.err = c.rerankBy(now, r)
	}
	r.made.Unread = len(r.lost)
	why := cmp.Or(r.err, r.refused)
	r.made.Done, r.made.Seconds, r.made.Refused = true, time.Since(r.began).Seconds(), isRefusal(why)
	if why != nil {
		r.made.Error = why.Error()
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

// rerankBy commits, replaces the judge, appends the rulings and saves a
// checkpoint. On an error the old judge is restored.
func (c *Crawler) rerankBy(now time.Time, r *retraining) error {
	if err := c.commit(); err != nil {
		return err
	}
	before := c.visitor.currentJudge()
	c.replaceJudge(r.judge, r.current)
	err := c.judgeRest(r)
	model := r.made.Model
	if r.refused != nil {
		model = r.made.Before
	}
	if err == nil {
		r.made.Pages = len(r.rulings)
		r.made.WasOnTopic = c.Collection.Crawl.Status().OnTopic
		r.made.Change, err = c.Collection.Crawl.Rerank(now, nil, model, r.rulings, c.restore)
		r.made.OnTopic = c.Collection.Crawl.Status().OnTopic
	}
	if err != nil {
		if x, ok := c.visitor.Judge.(*liveJudge); ok {
			x.now.Store(before)
		}
		return err
	}
	return c.checkpoint()
}

// judgeRest judges the pages that were visited during the retraining.
func (c *Crawler) judgeRest(r *retraining) error {
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
		ruling, err := r.lost.judgeAgain(c.Collection, e, r.judge, c.visitor, r.ids[e.ID])
		if err != nil {
			return err
		}
		if ruling != nil {
			r.rulings = append(r.rulings, *ruling)
		}
	}
	return nil
}

// finishRetraining waits for a retraining in progress when the crawl stops,
// and puts it into use. After an abort it is dropped; the labels remain, so
// the next run repeats it.
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
	c.putIntoUse(c.live.Clock())
	return c.err
}

// ErrNotRunning is returned by Await when no process works on the collection.
var ErrNotRunning = errors.New("no process works on the collection")

// Retrain trains a model on all labels of the collection in dir and revises
// the decisions of its crawl. It sends nothing. A model that is refused is not
// an error: its Refused is set, and its Error says why. wordnet is a WNDB
// directory for a judge that grows from words; "" for none. If another process
// works on the collection, the error is collection.ErrLocked; use Await then. If a
// program rates the pages by a judge of its own, the error is a [FrozenError], since only
// that program can judge them again: it takes the labels into account when it goes on.
func Retrain(dir, wordnet string) (collection.Model, error) {
	col, err := collection.Open(dir, nil, false)
	if err != nil {
		return collection.Model{}, err
	}
	if col.Settings.Formula == ownFormula {
		return collection.Model{}, errors.Join(&FrozenError{dir, ownJudge}, col.Close())
	}
	c, err := openToRevise(col, Config{NoArchive: true})
	if err != nil {
		return collection.Model{}, errors.Join(err, col.Close())
	}
	c.judging.wordnet = Config{WordNet: wordnet}.dictionary(col.Settings)
	m, err := c.retrainNow()
	return m, errors.Join(err, c.Close())
}

// openToRevise opens the crawl of a collection to revise its decisions. No outside
// judge is asked.
func openToRevise(col *collection.Collection, cfg Config) (*Crawler, error) {
	col.Journal.SetParser(robotsParser(col.Settings))
	t, err := topicOf(col)
	if err != nil {
		return nil, err
	}
	t.Outside = nil
	b, err := rebuildJudge(col, t, cfg)
	if err != nil {
		return nil, err
	}
	return assemble(col, t, b, cfg)
}

// retrainNow runs one retraining and waits for it.
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
	c.putIntoUse(c.live.Clock())
	if r.made.Refused && c.err == nil {
		return r.made, c.Collection.Summarise()
	}
	if err := errors.Join(r.err, c.err); err != nil {
		return r.made, fmt.Errorf("crawler: %s: %w", r.made.Model, err)
	}
	return r.made, c.Collection.Summarise()
}

// awaitEvery is how often Await reads the log of models.
const awaitEvery = 100 * time.Millisecond

// Await waits until the process that works on the collection in dir has
// taken the first n lines of its labels into account, and returns the
// resulting model. If that process ends before, the error is ErrNotRunning;
// Retrain can then do it.
func Await(ctx context.Context, dir string, n int) (collection.Model, error) {
	tick := time.NewTicker(awaitEvery)
	defer tick.Stop()
	for {
		pid, _ := collection.Running(dir) // before the log is read
		models, err := collection.Models(dir)
		if err != nil {
			return collection.Model{}, err
		}
		for _, m := range models {
			if m.Done && m.Read >= n {
				return m, nil
			}
		}
		if pid == 0 {
			return collection.Model{}, ErrNotRunning
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return collection.Model{}, ctx.Err()
		}
	}
}
