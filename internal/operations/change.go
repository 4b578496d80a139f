package operations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/plain"
	"dowse/settings"
	"dowse/weburl"
)

// A SetRequest is a change of settings. Names and values are those of the flags of dowse set,
// without dashes: {"delay": ["2s"], "exclude": ["/shop/"]}.
type SetRequest struct {
	Set   map[string][]string `json:"set,omitempty" doc:"new values by setting; entries are added to lists"`
	Reset []string            `json:"reset,omitempty" doc:"settings that return to their default"`
	Drop  []string            `json:"drop,omitempty" doc:"entries to remove from include, exclude and block"`
	By    string              `json:"by,omitempty" doc:"who asks, for the log"`
}

// setWait is how long a change of settings is waited for.
const setWait = time.Minute

// changeable reports whether a setting of an existing crawl can be changed.
func changeable(name string) bool { return slices.Contains(setFlags(), name) }

// Set changes settings of a crawl, whether it runs or not, and returns when the change is made.
// If the crawl does not get to it within a minute, the error is of kind Busy, and the change is
// made as soon as it does.
func (o *Operations) Set(ctx context.Context, id string, r SetRequest) (*crawler.SetRecord, error) {
	s, err := o.changeable(id)
	if err != nil {
		return nil, err
	}
	want, err := r.wanted()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, setWait)
	defer cancel()
	defer s.renew()
	want.Agreed = o.cfg.Agreed
	done, err := crawler.Set(ctx, s.dir, want)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, failf(Busy, "", "another process works on the collection and does not get to the change now; it is made as soon as it does")
	}
	if err != nil && KindOf(err) == "" {
		err = &Error{Invalid, "set", err}
	}
	return &done, err
}

// wanted returns the change as package crawler has it.
func (r *SetRequest) wanted() (want crawler.Wanted, err error) {
	want = crawler.Wanted{Reset: r.Reset, Drop: r.Drop, By: clip(r.By)}
	for _, name := range slices.Sorted(maps.Keys(r.Set)) {
		if !changeable(name) {
			return want, failf(Invalid, name, "%s: there is no such setting that can be changed; there are %s", clip(name), strings.Join(setFlags(), ", "))
		}
		if err := putSetting(&want.Settings, name, r.Set[name]); err != nil {
			return want, err
		}
	}
	for _, name := range r.Reset {
		if !changeable(name) {
			return want, failf(Invalid, "reset", "reset: there is no such setting %q that can be changed", clip(name))
		}
	}
	if len(r.Set)+len(r.Reset)+len(r.Drop) == 0 {
		return want, failf(Invalid, "set", "nothing to change: give set, reset or drop")
	}
	if err := want.Settings.Check(); err != nil {
		return want, &Error{Invalid, "set", err}
	}
	return want, nil
}

// putSetting gives settings a value, or adds entries to a list.
func putSetting(to *settings.Settings, name string, values []string) error {
	switch name {
	case "include":
		to.Include = append(to.Include, values...)
		return nil
	case "exclude":
		to.Exclude = append(to.Exclude, values...)
		return nil
	case "block":
		to.Block = append(to.Block, values...)
		return nil
	}
	f, ok := settings.ByFlag(name)
	if !ok || len(values) != 1 {
		return failf(Invalid, name, "%s: got %d values, want one", clip(name), len(values))
	}
	v, err := f.Read(values[0])
	if err != nil {
		return &Error{Invalid, name, err}
	}
	f.Put(to, v)
	return nil
}

// A GivenLabel is a person's verdict on a page.
type GivenLabel struct {
	URL   string `json:"url"`
	Label string `json:"label" doc:"on, off or skip"`
	Note  string `json:"note,omitempty"`
	By    string `json:"by,omitempty" doc:"who labels"`
	// Queue is the queue that the page was asked in, see [Operations.Queue], and Of what that
	// returned: an audit is worth nothing without both.
	Queue string `json:"queue,omitempty" doc:"the queue that the page was asked in"`
	Of    int    `json:"of,omitempty" doc:"for an audit: the of of the queue"`
}

// A LabelRequest is labels to keep, and whether to train on them.
type LabelRequest struct {
	Labels []GivenLabel `json:"labels"`
	Train  bool         `json:"train,omitempty" doc:"train a model on all labels now, and wait for it"`
	Accept bool         `json:"accept,omitempty" doc:"use the model even if it seems worse or changes many verdicts"`
}

// Labelled is the result of a LabelRequest.
type Labelled struct {
	Kept      int `json:"kept" doc:"labels that were kept"`
	Unvisited int `json:"unvisited,omitempty" doc:"of these, labels of pages that were not visited: they count when they are"`
	Untrained int `json:"untrained" doc:"labels that no model was trained on"`
	// Trained is nil if no model was trained. A running crawl trains one by itself after five new labels.
	Trained *collection.Model `json:"trained,omitempty" doc:"the model that was trained"`
	// Model, Verdicts and Links are those of Trained, for callers that want no more.
	Model    string `json:"model,omitempty" doc:"the model that was trained"`
	Verdicts int    `json:"verdicts_changed,omitempty" doc:"pages that changed sides by it"`
	Links    int    `json:"links_reranked,omitempty" doc:"waiting links with another priority by it"`
	Command  string `json:"command" doc:"the command that undoes it, that uses a model that was refused, or that labels"`
}

// maxGivenLabels is how many labels one call may give.
const maxGivenLabels = 10_000

// Label keeps labels and, if wanted, trains a model on them. If any label is wrong, none is kept.
func (o *Operations) Label(ctx context.Context, id string, r LabelRequest) (*Labelled, error) {
	s, err := o.changeable(id)
	if err != nil {
		return nil, err
	}
	if len(r.Labels) == 0 && !r.Train {
		return nil, failf(Invalid, "labels", "labels: there is none")
	}
	if len(r.Labels) > maxGivenLabels {
		return nil, failf(TooLarge, "labels", "labels: got %d, want at most %d in one call", len(r.Labels), maxGivenLabels)
	}
	for i, g := range r.Labels {
		if len(g.Note) > maxNote || len(g.By) > maxNote {
			return nil, labelError(i, "note: got %d bytes, want at most %d", max(len(g.Note), len(g.By)), maxNote)
		}
	}
	if len(r.Labels) == 0 {
		if err := anythingToTrain(s, r.Accept); err != nil {
			return nil, err
		}
	}
	done := &Labelled{Command: command("label", s.dir)}
	var lines []collection.Label
	err = s.locked(ctx, func(v *openView) error {
		lines, done.Unvisited, err = LabelLines(v.col, r.Labels, s.now())
		return err
	})
	if err != nil {
		return nil, err
	}
	defer s.renew()
	if err := collection.AppendLabels(s.dir, lines...); err != nil {
		return nil, err
	}
	done.Kept = len(lines)
	if r.Train {
		m, err := o.train(ctx, s, collection.Label{Do: collection.DoTrain, Accept: r.Accept, By: byOf(r.Labels), At: stamp(s.now())})
		if err != nil {
			return nil, untrained(err, done.Kept)
		}
		done.Trained, done.Command = &m, trainedCommand(s.dir, m.Refused)
		done.Model, done.Verdicts, done.Links = m.Model, m.Change.Verdicts, m.Change.Links
	}
	labels, err := collection.ReadLabels(s.dir)
	if err != nil {
		return nil, err
	}
	models, err := collection.Models(s.dir)
	done.Untrained = labels.Untrained(models)
	return done, err
}

// untrained returns the error of a training that failed after labels were kept. It says so, because the cause may be
// an error that changed nothing by itself.
func untrained(err error, kept int) error {
	if kept == 0 {
		return err
	}
	cause := err
	if damage := (*collection.DamageError)(nil); errors.As(err, &damage) {
		cause = fmt.Errorf("%s is damaged: %w", damage.Dir, damage.Found)
	}
	return &Error{KindOf(err), "", fmt.Errorf("%s kept, and no model was trained on them: %w", plain.Some(kept, "label"), cause)}
}

// byOf returns who gave the labels, if that is one person.
func byOf(list []GivenLabel) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].By
}

// stamp returns a time as labels.jsonl holds it: in whole seconds.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// LabelLines turns labels into lines of labels.jsonl. It completes URLs as the collection knows
// them and counts those that were not visited, which are kept for later: they count when the
// crawl visits the page. Pages that were taken down can't be labelled, since the label
// would keep their URL. The lines record the model in use, so that an audit can be assigned
// to the judge that it measures.
func LabelLines(col *collection.Collection, given []GivenLabel, now time.Time) (lines []collection.Label, unvisited int, err error) {
	f, fetched := col.Crawl.Frontier(), col.Crawl.Status().Fetched
	model := cmp.Or(col.Crawl.Model(), collection.FirstModel)
	for i, g := range given {
		if !slices.Contains([]string{collection.LabelOn, collection.LabelOff, collection.LabelSkip}, g.Label) {
			return nil, 0, labelError(i, "label: got %q, want on, off or skip", clip(g.Label))
		}
		u, err := KnownURL(col, g.URL)
		if err != nil {
			if u, err = weburl.Parse(Spellings(g.URL)[0]); err != nil {
				return nil, 0, labelError(i, "%q: %w", clip(g.URL), err)
			}
		}
		if col.IsForgotten(u) {
			return nil, 0, labelError(i, "%s: %w", clip(g.URL), collection.ErrForgotten)
		}
		if id, ok := f.Find(u); !ok || f.State(id) != dowse.Visited {
			unvisited++
		}
		l := collection.Label{URL: u, Label: g.Label, By: g.By, Note: g.Note, At: stamp(now), Model: model}
		if err := g.checkQueue(fetched); err != nil {
			return nil, 0, labelError(i, "%w", err)
		}
		if g.Queue == collection.QueueAudit {
			l.Queue, l.Of = g.Queue, cmp.Or(g.Of, fetched)
		}
		lines = append(lines, l)
	}
	return lines, unvisited, nil
}

// checkQueue returns an error for a queue that does not exist, and for an audit of more pages than there are.
func (g *GivenLabel) checkQueue(pages int) error {
	switch {
	case !slices.Contains([]string{"", QueueUnsure, QueueAudit, QueueDisagreements}, g.Queue):
		return fmt.Errorf("queue: got %q, want %s, %s or %s", clip(g.Queue), QueueUnsure, QueueAudit, QueueDisagreements)
	case g.Of < 0 || g.Of > pages:
		return fmt.Errorf("of: got %d, want the number of pages that were sampled, at most %d", g.Of, pages)
	}
	return nil
}

// maxNote is the longest note or name of a label.
const maxNote = 4000

// A LabelError is a label that can't be kept.
type LabelError struct {
	Index int // in the list that was given
	Err   error
}

func (e *LabelError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *LabelError) Unwrap() error { return e.Err }

// labelError returns the error of a label.
func labelError(i int, format string, args ...any) error {
	return &Error{Invalid, fmt.Sprintf("labels[%d]", i), &LabelError{i, fmt.Errorf(format, args...)}}
}

// anythingToTrain returns an error of kind Conflict if a model was trained on every label. A model that was
// refused can be accepted without new labels.
func anythingToTrain(s *shelf, accept bool) error {
	labels, err := collection.ReadLabels(s.dir)
	if err != nil {
		return err
	}
	models, err := collection.Models(s.dir)
	if err != nil {
		return err
	}
	refused := len(models) > 0 && models[len(models)-1].Refused
	if labels.Untrained(models) == 0 && !(accept && refused) {
		return failf(Conflict, "", "nothing to train on: a model was trained on every label of %s", s.id)
	}
	return nil
}

// Train trains a model on the labels that there are now, and waits for it. If a model was trained on all of them, the error
// is of kind Conflict.
func (o *Operations) Train(ctx context.Context, id string, accept bool) (*collection.Model, error) {
	s, err := o.changeable(id)
	if err != nil {
		return nil, err
	}
	if err := anythingToTrain(s, accept); err != nil {
		return nil, err
	}
	defer s.renew()
	m, err := o.train(ctx, s, collection.Label{Do: collection.DoTrain, Accept: accept, At: stamp(s.now())})
	return &m, err
}

// Undo returns to an earlier model; "" is the one that was in use before the present one was trained. Labels that only later
// models were trained on are set aside, not deleted: going forward again takes them back. Labels
// that no model was trained on stay in force.
func (o *Operations) Undo(ctx context.Context, id, model, by string) (*collection.Model, error) {
	s, err := o.changeable(id)
	if err != nil {
		return nil, err
	}
	models, err := collection.Models(s.dir)
	if err != nil {
		return nil, err
	}
	to, through, err := undoTarget(models, model)
	if err != nil {
		return nil, err
	}
	defer s.renew()
	m, err := o.train(ctx, s, UndoLine(models, collection.Label{Model: to, Through: through, By: by, At: stamp(s.now())}))
	return &m, err
}

// UndoLine completes a line of labels.jsonl that asks to return to a model. It keeps the labels in
// force that none of the models that were put into use was trained on, because there is no model
// to which a later undo could return to restore them.
func UndoLine(models []collection.Model, l collection.Label) collection.Label {
	learnt := slices.DeleteFunc(slices.Clone(models), func(m collection.Model) bool { return m.Undo || m.Error != "" })
	l.Do, l.Since = collection.DoUndo, collection.ReadBy(learnt)+1
	return l
}

// undoTarget returns the model to return to, and how many labels count for it.
func undoTarget(models []collection.Model, to string) (name string, through int, err error) {
	used := slices.DeleteFunc(slices.Clone(models), func(m collection.Model) bool { return !m.Done || m.Error != "" })
	if len(used) == 0 {
		return "", 0, failf(Conflict, "model", "there is nothing to undo: no model was trained during the crawl")
	}
	if to == "" {
		now := used[len(used)-1].Model
		if now == collection.FirstModel {
			return "", 0, failf(Conflict, "model", "there is nothing to undo: %s is the first model; name a later one to go forward again", collection.FirstModel)
		}
		to = collection.ModelBefore(models, now)
	}
	made, ok := collection.MadeModel(models, to)
	if !ok || made.Refused {
		return "", 0, failf(NotFound, "model", "unknown model %q; want one of %s", clip(to), strings.Join(ModelNames(used), ", "))
	}
	return to, made.Through, nil
}

// ModelNames returns the names of models, with the first one, sorted.
func ModelNames(list []collection.Model) []string {
	names := map[string]bool{collection.FirstModel: true}
	for _, m := range list {
		names[m.Model] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// train asks for a training of the collection on a shelf.
func (o *Operations) train(ctx context.Context, s *shelf, ask collection.Label) (collection.Model, error) {
	s.training.Lock()
	defer s.training.Unlock()
	m, err := Retrain(ctx, s.dir, o.cfg.WordNet, ask)
	if err == nil && m.Error != "" && !m.Refused {
		err = failf(Conflict, "", "%s was not put into use: %s; the labels are kept", m.Model, m.Error)
	}
	return m, err
}

// Retrain records a request for a training, or for an earlier model, in labels.jsonl and waits for
// its result. A running crawl in another process carries it out; otherwise it is done here. A
// crawl may begin or end meanwhile, so both are tried in turn: waiting fails if no crawl
// runs, and training here fails if one does.
func Retrain(ctx context.Context, dir, wordNet string, ask collection.Label) (collection.Model, error) {
	if err := collection.AppendLabels(dir, ask); err != nil {
		return collection.Model{}, err
	}
	labels, err := collection.ReadLabels(dir)
	if err != nil {
		return collection.Model{}, err
	}
	for {
		m, err := crawler.Await(ctx, dir, len(labels.Lines))
		if !errors.Is(err, crawler.ErrNotRunning) {
			return m, err
		}
		m, err = crawler.Retrain(dir, wordNet)
		if !errors.Is(err, collection.ErrLocked) {
			return m, err
		}
	}
}

// ErrStopping is returned for a crawl that was asked to stop and has not ended yet.
var ErrStopping = errors.New("it was asked to stop and is still finishing its visits")

// stopPoll is the interval at which the end of the process is checked.
const stopPoll = 50 * time.Millisecond

// StopCrawl asks the process that crawls in dir to stop and waits until it has released the
// collection, at most for wait; then the error is ErrStopping. It returns the process, 0 if none
// was crawling. It never signals a process of another container or machine, whose number may mean
// another process here, nor one that only trains or changes settings, which may be a server.
func StopCrawl(ctx context.Context, dir string, wait time.Duration) (pid int, err error) {
	pid, crawls, err := collection.Holder(dir)
	if err != nil || pid == 0 || !crawls {
		return 0, err
	}
	// Windows has no signal that asks a process of another console to end.
	if runtime.GOOS == "windows" {
		return pid, ErrNoSignal
	}
	if err := terminate(dir, pid); err != nil {
		return pid, err
	}
	return pid, awaitRelease(ctx, dir, pid, wait)
}

// ErrNoSignal is returned where a process can't be asked to stop.
var ErrNoSignal = errors.New("here a process can't be asked to stop from outside")

// terminate asks the process that works on dir to stop. The holder is checked again after
// there is a handle for the process, so that its number cannot have passed to another
// process in between.
func terminate(dir string, pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	defer p.Release()
	if now, crawls, err := collection.Holder(dir); err != nil || now != pid || !crawls {
		return err
	}
	if err := p.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// awaitRelease waits until a process has released the collection.
func awaitRelease(ctx context.Context, dir string, pid int, wait time.Duration) error {
	tick := time.NewTicker(stopPoll)
	defer tick.Stop()
	late := time.NewTimer(wait)
	defer late.Stop()
	for {
		select {
		case <-tick.C:
			if crawlingIn(dir) != pid {
				return nil
			}
		case <-late.C:
			return ErrStopping
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Stopped is the result of Stop.
type Stopped struct {
	Process  int    `json:"pid,omitempty" doc:"the process that was asked; none if no crawl was running"`
	Stopping bool   `json:"stopping,omitempty" doc:"whether it is still finishing its visits"`
	Command  string `json:"command" doc:"the command that does the same"`
}

// maxStopWait is how long Stop waits at most.
const maxStopWait = time.Minute

// Stop pauses the crawl of a collection: it finishes its visits, saves and ends, and can be continued.
// It waits until that is done, at most for the given time. A crawl of this process is asked by
// Config.Pause, any other by a signal.
func (o *Operations) Stop(ctx context.Context, id string, wait time.Duration) (*Stopped, error) {
	s, err := o.changeable(id)
	if err != nil {
		return nil, err
	}
	defer s.renew()
	wait = min(max(wait, 0), maxStopWait)
	pid, crawls := collection.Running(s.dir)
	switch here := pid == os.Getpid(); {
	case here && !crawls:
		pid = 0 // this process trains or changes settings
	case here && o.cfg.Pause != nil:
		o.cfg.Pause()
		err = awaitRelease(ctx, s.dir, pid, wait)
	default:
		pid, err = StopCrawl(ctx, s.dir, wait)
	}
	stopped := &Stopped{Process: pid, Stopping: errors.Is(err, ErrStopping), Command: command("stop", s.dir)}
	if stopped.Stopping {
		err = nil
	}
	return stopped, err
}

// A ForgetRequest selects pages to take down.
type ForgetRequest struct {
	URLs    []string `json:"urls,omitempty"`
	Host    string   `json:"host,omitempty" doc:"all pages of a host"`
	Prefix  string   `json:"prefix,omitempty" doc:"all pages whose URL begins with this"`
	Because string   `json:"because" doc:"the reason, kept with the date"`
}

// maxForgotten is how many URLs one call may name.
const maxForgotten = 1000

// Forget takes pages down, for good. No crawl may be running in the collection. A URL that the
// crawl never saw is an error, and then nothing is changed.
func (o *Operations) Forget(ctx context.Context, id string, r ForgetRequest) (*collection.Forgotten, error) {
	s, err := o.changeable(id)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(r.Because) == "" || len(r.Because) > maxNote {
		return nil, failf(Invalid, "because", "because: give the reason, in at most %d bytes; it is kept with the date", maxNote)
	}
	if len(r.URLs) == 0 && r.Host == "" && r.Prefix == "" {
		return nil, failf(Invalid, "urls", "nothing to forget: give urls, host or prefix")
	}
	if len(r.URLs) > maxForgotten {
		return nil, failf(TooLarge, "urls", "urls: got %d, want at most %d in one call", len(r.URLs), maxForgotten)
	}
	x := collection.Takedown{Host: strings.ToLower(r.Host), Why: r.Because, At: s.now()}
	if r.Prefix != "" {
		u, err := weburl.Parse(Spellings(r.Prefix)[0])
		if err != nil {
			return nil, failf(Invalid, "prefix", "prefix: %w", err)
		}
		x.Prefix = string(u)
	}
	err = s.locked(ctx, func(v *openView) error {
		for _, raw := range r.URLs {
			u, err := KnownURL(v.col, raw)
			if err != nil {
				return err
			}
			x.URLs = append(x.URLs, u)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	o.searches.drop(s) // an open index would keep the words of the pages
	defer s.renew()
	o.exports.takeDown(s.dir) // one that begins meanwhile finds out by itself
	f, err := crawler.Forget(s.dir, x)
	if errors.Is(err, collection.ErrUnknown) {
		err = &Error{NotFound, "urls", err}
	}
	return f, err
}
