package experiment

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"dowse"
	"dowse/internal/lab/measure"
	"dowse/internal/vectors"
	"dowse/internal/wordnet"
	"dowse/strategy"
)

// Options control how an experiment is run. None of them changes its results.
type Options struct {
	Dir    string // folder of the run, created if needed; "" keeps nothing
	Base   string // folder that paths in the experiment are relative to
	Cache  string // folder for prepared webs, shared by all runs
	Jobs   int    // concurrent crawls; default one per processor
	Memory int64  // bytes of pages to keep in memory; default 320 MiB
	// Version of dowse, for the manifest and the names of crawls.
	Version string
	Command string // how it can be run again, for the manifest
	// The experiment's file, kept in the run; default the experiment as YAML.
	Text []byte
	// Strategies of the calling program that the experiment names, in addition to those that
	// it was parsed with; see [strategy.Describe].
	Strategies []strategy.Description
	Planned    func(Size, []WebFacts) // if set, called before the first crawl
	// If set, called as the run advances, by one goroutine at a time.
	Progress func(Progress)
}

// Progress describes how far a run has got.
type Progress struct {
	Stage       string // "reading the web" or "crawling"
	Done, Total int
	Left        time.Duration // estimated remaining time; 0 if unknown
}

// Results are the outcome of an experiment.
type Results struct {
	Experiment *Experiment
	// Ordered by web, topic, set of seeds and strategy, as in the experiment.
	Trails []measure.Trail
	Webs   []WebFacts
	Kept   int // crawls that were not made because their trails were in the folder
	// What each process spent that made crawls of the run, the earliest first;
	// only [Open] sets it.
	Efforts []effort

	// Relevant lists the relevant pages by topic, under the names that trails
	// use. Trained are those among them that were training pages, Listed those
	// that a directory lists.
	Relevant, Trained, Listed map[string][]dowse.URL
}

// WebFacts describes a web that was crawled.
type WebFacts struct {
	Name   string   `yaml:"name"`
	SHA256 string   `yaml:"sha256"` // of its pages as they were parsed
	Pages  int      `yaml:"pages"`
	Hosts  int      `yaml:"hosts"`
	Topics []string `yaml:"topics"`

	// Labels of URLs that the web does not have; they are not targets.
	Elsewhere int `yaml:"labels_elsewhere,omitempty"`
	// Entries that cannot be read, if the labels are a directory.
	Unread int `yaml:"labels_unread,omitempty"`
	// What the experiment asks for and topics of the web do not have, one sentence each.
	Short []string `yaml:"short,omitempty"`
}

// Run makes the crawls of an experiment and returns their trails. With a folder,
// every crawl that ends is stored there, and one that is already there is not
// made again. If ctx ends, Run returns its error; what was stored is complete and
// a later Run continues from it. The first error of a crawl ends the others.
func Run(ctx context.Context, x *Experiment, o Options) (*Results, error) {
	watch := newStopwatch()
	r, err := plan(ctx, x, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if o.Dir != "" {
		if r.dir, err = openDir(o.Dir, x, o); err != nil {
			return nil, err
		}
		defer r.dir.close()
	}
	if o.Planned != nil {
		o.Planned(r.size(), r.facts())
	}
	err = r.crawlAll(ctx)
	if err := errors.Join(err, r.dir.saveEffort(watch.effort(o.Version, r.done-r.kept))); err != nil {
		return nil, err
	}
	results := &Results{Experiment: x, Trails: r.trails, Kept: r.kept, Webs: r.facts()}
	results.Relevant, results.Trained, results.Listed = r.truth()
	if r.dir != nil {
		err = r.dir.finish(results, r.jobs)
	}
	return results, err
}

// truth lists the relevant pages of all topics, and those among them that were
// training pages or are listed.
func (r *run) truth() (relevant, trained, listed map[string][]dowse.URL) {
	relevant, trained, listed = map[string][]dowse.URL{}, map[string][]dowse.URL{}, map[string][]dowse.URL{}
	for _, j := range r.jobs {
		if name := j.task.title(); relevant[name] == nil {
			relevant[name], trained[name], listed[name] = j.task.truth()
		}
	}
	return relevant, trained, listed
}

// A subject is what crawls are made for: a topic on a web, a synthetic web, or
// a town. Its crawls may run concurrently; those of different subjects are made
// one subject after the other, so that what a subject prepared can be released
// early.
type subject interface {
	title() string // name in trails
	// The relevant pages, and those among them that were training pages or are
	// listed by a directory.
	truth() (relevant, trained, listed []dowse.URL)
	crawl(ctx context.Context, v Variant, set int) (*measure.Trail, error)
	done() // called once per crawl, when it has ended
}

// shared is a value that the crawls for one subject use together: created by the
// first of them, and released after the last. It keeps the memory of a long run
// bounded by the subjects being crawled.
type shared[T any] struct {
	mu     sync.Mutex
	made   bool // value and err are set
	value  T
	err    error
	crawls int // that have not ended
}

// get returns the value. The first call creates it while others wait; an error is
// kept and returned to all.
func (s *shared[T]) get(make func() (T, error)) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.made {
		s.value, s.err = make()
		s.made = true
	}
	return s.value, s.err
}

// release is called when one of the crawls has ended. After the last one the
// value is dropped.
func (s *shared[T]) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.crawls--; s.crawls == 0 {
		var none T
		s.value = none
	}
}

// Size is the number of crawls of a run and of its factors; Topics counts those
// of all webs.
type Size struct{ Topics, Sets, Strategies, Crawls int }

// A run is an experiment that is being run. Workers share it: mu guards the
// fields below it, and trails is written at different indices only.
type run struct {
	x      *Experiment
	o      Options
	dir    *dir
	webs   []*webTopics
	towns  []*town
	jobs   []job
	trails []measure.Trail
	names  *measure.Names
	// vectors are those of words, for strategies that use them; nil for none.
	vectors *vectors.Table
	// taxonomy is what names are names of, for strategies that use it; nil for none.
	taxonomy *wordnet.Taxonomy

	mu    sync.Mutex
	done  int
	kept  int
	begun time.Time
	errs  []error
}

// webTopics is a web with the topics that are crawled for on it.
type webTopics struct {
	*labelledWeb
	topics []string
	table  *classification // for strategies that classify links; nil for none
	short  shortages
}

// facts describes the web for the manifest and for readers.
func (b *webTopics) facts() WebFacts {
	f := WebFacts{Name: b.web.Name, SHA256: b.web.SHA256, Pages: b.graph.Pages(), Hosts: b.graph.Hosts(), Topics: b.topics, Elsewhere: b.labels.Elsewhere(b.web), Unread: b.labels.Unread, Short: b.short.sentences(len(b.topics))}
	if b.strollers {
		f.Short = append(f.Short, "no access log: simulated people begin anywhere and follow any link")
	}
	return f
}

// A job is one crawl to make.
type job struct {
	task    subject
	set     int
	variant Variant
	key     string // hash of everything that decides what the crawl does
}

// plan opens the webs and lists the crawls. It works on a copy of the experiment,
// since paths are changed. The caller closes the run.
func plan(ctx context.Context, x *Experiment, o Options) (*run, error) {
	// The caller's experiment stays as it is.
	given := *x
	given.Web = slices.Clone(x.Web)
	given.own = slices.Concat(x.own, o.Strategies)
	for i := range given.Web {
		given.Web[i].Paths, given.Web[i].Traces = slices.Clone(x.Web[i].Paths), slices.Clone(x.Web[i].Traces)
		if t := given.Web[i].Town; t != nil {
			own := *t
			own.Recorded = slices.Clone(t.Recorded)
			given.Web[i].Town = &own
		}
	}
	given.Relocate(o.Base)
	r := &run{x: &given, o: o, names: measure.NewNames()}
	gap, err := given.sessionGap()
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	if given.Vectors != "" {
		if r.vectors, err = vectors.Open(given.Vectors); err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
	}
	if given.WordNet != "" {
		if r.taxonomy, err = wordnet.OpenTaxonomy(given.WordNet); err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
	}
	sources := sourcesOf(&given)
	for _, s := range sources {
		b, err := openLabelled(ctx, s, o, given.traceParts(), gap)
		if err != nil {
			r.close()
			return nil, err
		}
		bt := &webTopics{labelledWeb: b}
		r.webs = append(r.webs, bt)
		if bt.topics, err = b.topics(&given); err != nil {
			r.close()
			return nil, err
		}
		if bt.table, err = b.classes(&given); err != nil {
			r.close()
			return nil, err
		}
		for _, topic := range bt.topics {
			if err := r.add(bt, topic, len(sources) > 1); err != nil {
				r.close()
				return nil, err
			}
		}
	}
	if err := r.addTowns(); err != nil {
		r.close()
		return nil, err
	}
	r.trails = make([]measure.Trail, len(r.jobs))
	return r, nil
}

// add lists the crawls for a topic. The topic's name in trails has the web's name
// in front if there are several webs.
func (r *run) add(b *webTopics, topic string, several bool) (err error) {
	t := &task{x: r.x, source: b.labelledWeb, topic: topic, name: topic, others: b.topics, names: r.names, classes: b.table, vectors: r.vectors, taxonomy: r.taxonomy}
	if several {
		t.name = b.web.Name + ": " + topic
	}
	if t.meanings, err = t.meaningsOf(); err != nil {
		return err
	}
	if t.condition, err = b.predicateFor(r.x, topic); err != nil {
		return err
	}
	if t.draw, err = t.drawTraining(); err != nil {
		return err
	}
	b.short.add(t)
	variants := r.x.Variants()
	for set := range r.x.Seeds.Sets {
		for _, v := range variants {
			seeds := t.urls(t.seeds(set, v.Seeds))
			r.jobs = append(r.jobs, job{t, set, v, t.key(v, set, seeds, r.o.Version)})
			t.state.crawls++
		}
	}
	return nil
}

// size returns how much there is to do.
func (r *run) size() Size {
	s := Size{Topics: len(r.towns), Sets: r.x.Seeds.Sets, Strategies: len(r.x.Variants()), Crawls: len(r.jobs)}
	for _, b := range r.webs {
		s.Topics += len(b.topics)
	}
	return s
}

// facts describes the webs of the run, towns last.
func (r *run) facts() (list []WebFacts) {
	for _, b := range r.webs {
		list = append(list, b.facts())
	}
	for _, t := range r.towns {
		list = append(list, t.facts())
	}
	return list
}

// close closes the webs.
func (r *run) close() {
	for _, b := range r.webs {
		b.web.Close()
	}
}

// crawlAll makes the crawls, topic after topic, on several workers. An error ends
// the remaining crawls.
func (r *run) crawlAll(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.begun = time.Now()
	next := make(chan int)
	var group sync.WaitGroup
	jobs := r.o.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	// After an error the workers drain the channel: crawl returns immediately
	// because ctx has ended, so that the sender never blocks.
	for range min(jobs, len(r.jobs)) {
		group.Go(func() {
			for i := range next {
				if err := r.crawl(ctx, i); err != nil {
					r.fail(err)
					cancel()
				}
			}
		})
	}
	for i := range r.jobs {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	group.Wait()
	if err := r.failure(); err != nil {
		return err
	}
	return ctx.Err()
}

// fail records the error of a worker.
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = append(r.errs, err)
}

// failure returns the first error that is not a consequence of cancelling the
// others.
func (r *run) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, err := range r.errs {
		if !errors.Is(err, context.Canceled) {
			return err
		}
	}
	if len(r.errs) > 0 {
		return r.errs[0]
	}
	return nil
}

// crawl makes one crawl, or loads its trail if the folder has it. A trail is
// saved before the crawl counts as done, so that an interrupted run loses at
// most the crawls under way.
func (r *run) crawl(ctx context.Context, i int) error {
	j := r.jobs[i]
	defer j.task.done()
	trail, err := r.dir.loadTrail(i, j, r.names)
	kept := trail != nil
	if err == nil && !kept {
		if trail, err = j.task.crawl(ctx, j.variant, j.set); err == nil {
			err = r.dir.saveTrail(i, j, trail)
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%w (%s on %s)", err, j.variant.Label, j.task.title())
	}
	r.trails[i] = *trail
	r.ended(kept)
	return nil
}

// ended counts a crawl and reports the progress. The remaining time is estimated
// from the crawls that were made, not from those that were loaded.
func (r *run) ended(kept bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if kept {
		r.kept++
	}
	p := Progress{Stage: "crawling", Done: r.done, Total: len(r.jobs)}
	if made := r.done - r.kept; made > 0 {
		p.Left = time.Since(r.begun) / time.Duration(made) * time.Duration(p.Total-p.Done)
	}
	r.o.progress(p)
}

// progress reports the progress, if the caller wants it.
func (o Options) progress(p Progress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}
