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
)

// Options say how an experiment is run. None of them changes its results.
type Options struct {
	Dir      string                 // folder of the run, made if need be; "" keeps nothing
	Base     string                 // folder that paths in the experiment are relative to
	Cache    string                 // folder for what is made of webs once
	Jobs     int                    // crawls at once; as many as there are processors
	Memory   int64                  // bytes of pages to keep in memory; 320 MiB
	Version  string                 // of dowse, for the manifest
	Command  string                 // how it can be run again, for the manifest
	Text     []byte                 // of the experiment's file, kept in the run
	Planned  func(Size, []WebFacts) // hears what is to be done, before it is; nil for nobody
	Progress func(Progress)         // hears how it goes on, from one goroutine at a time; nil for nobody
}

// Progress tells how far a run is.
type Progress struct {
	Stage       string // reading the web, crawling
	Done, Total int
	Left        time.Duration // estimated; 0 for not known
}

// Results are what an experiment gave.
type Results struct {
	Experiment *Experiment
	Trails     []measure.Trail // by web, topic, set of seeds, strategy, in the order of the experiment
	Webs       []WebFacts
	Kept       int // trails that were there from an earlier run

	// Relevant are the pages that are wanted, by topic as trails have it.
	Relevant map[string][]dowse.URL
}

// WebFacts tell of a web that was crawled.
type WebFacts struct {
	Name   string   `yaml:"name"`
	SHA256 string   `yaml:"sha256"` // of its pages as they were read
	Pages  int      `yaml:"pages"`
	Hosts  int      `yaml:"hosts"`
	Topics []string `yaml:"topics"`

	Elsewhere int `yaml:"labels_elsewhere,omitempty"` // labels of URLs that the web does not have: they are no targets
}

// Run makes the crawls of an experiment and returns what each did. With a folder, every
// crawl that ends is kept there, and one that is there already is not made again. If
// ctx ends, Run returns its error; what was kept is whole.
func Run(ctx context.Context, x *Experiment, o Options) (*Results, error) {
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
	if err := r.crawlAll(ctx); err != nil {
		return nil, err
	}
	results := &Results{Experiment: x, Trails: r.trails, Kept: r.kept, Relevant: r.relevant(), Webs: r.facts()}
	if r.dir != nil {
		err = r.dir.finish(results, r.jobs)
	}
	return results, err
}

// relevant lists the wanted pages of all topics.
func (r *run) relevant() map[string][]dowse.URL {
	all := map[string][]dowse.URL{}
	for _, j := range r.jobs {
		if _, known := all[j.task.title()]; !known {
			all[j.task.title()] = j.task.relevant()
		}
	}
	return all
}

// A subject is what crawls are made for: a topic on a web, or a town.
type subject interface {
	title() string         // as trails have it
	relevant() []dowse.URL // the wanted pages
	crawl(ctx context.Context, v Variant, set int) (*measure.Trail, error)
	done() // a crawl is over
}

// shared is what the crawls for one subject share: made by the first of them, and
// forgotten after the last.
type shared[T any] struct {
	mu     sync.Mutex
	made   bool
	value  T
	err    error
	crawls int // still to be made
}

// get returns what is shared, and makes it once.
func (s *shared[T]) get(make func() (T, error)) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.made {
		s.value, s.err = make()
		s.made = true
	}
	return s.value, s.err
}

// done is called when one of the crawls is over.
func (s *shared[T]) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.crawls--; s.crawls == 0 {
		var none T
		s.value = none
	}
}

// Size tells how many crawls a run has, and of what: topics over all webs.
type Size struct{ Topics, Sets, Strategies, Crawls int }

// A run is an experiment at work.
type run struct {
	x       *Experiment
	o       Options
	dir     *dir
	benches []*benchTopics
	towns   []*town
	jobs    []job
	trails  []measure.Trail
	names   *measure.Names

	mu    sync.Mutex
	done  int
	kept  int
	begun time.Time
	errs  []error
}

// benchTopics is a bench and what is looked for on it.
type benchTopics struct {
	*bench
	topics []string
}

func (b *benchTopics) facts() WebFacts {
	return WebFacts{Name: b.web.Name, SHA256: b.web.SHA256, Pages: b.graph.Pages(), Hosts: b.graph.Hosts(), Topics: b.topics, Elsewhere: b.labels.Elsewhere(b.web)}
}

// A job is one crawl to make.
type job struct {
	task    subject
	set     int
	variant Variant
	key     string // of all that decides what the crawl does
}

// plan opens the webs and lists the crawls.
func plan(ctx context.Context, x *Experiment, o Options) (*run, error) {
	given := *x
	given.Web = slices.Clone(x.Web)
	for i := range given.Web {
		given.Web[i].Paths, given.Web[i].Traces = slices.Clone(x.Web[i].Paths), slices.Clone(x.Web[i].Traces)
	}
	given.Relocate(o.Base)
	r := &run{x: &given, o: o, names: measure.NewNames()}
	sources := sourcesOf(&given)
	for _, s := range sources {
		b, err := openBench(ctx, s, o, x.traceParts())
		if err != nil {
			r.close()
			return nil, err
		}
		bt := &benchTopics{bench: b}
		r.benches = append(r.benches, bt)
		if bt.topics, err = b.topics(&given); err != nil {
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
	r.addTowns()
	r.trails = make([]measure.Trail, len(r.jobs))
	return r, nil
}

// add lists the crawls for a topic.
func (r *run) add(b *benchTopics, topic string, several bool) (err error) {
	t := &task{x: r.x, bench: b.bench, topic: topic, name: topic, others: b.topics, names: r.names}
	if several {
		t.name = b.web.Name + ": " + topic
	}
	if t.asked, err = b.askedOf(r.x, topic); err != nil {
		return err
	}
	if t.draw, err = t.drawn(); err != nil {
		return err
	}
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

// size tells what there is to do.
func (r *run) size() Size {
	s := Size{Topics: len(r.towns), Sets: r.x.Seeds.Sets, Strategies: len(r.x.Variants()), Crawls: len(r.jobs)}
	for _, b := range r.benches {
		s.Topics += len(b.topics)
	}
	return s
}

func (r *run) facts() (list []WebFacts) {
	for _, b := range r.benches {
		list = append(list, b.facts())
	}
	for _, t := range r.towns {
		list = append(list, t.facts())
	}
	return list
}

func (r *run) close() {
	for _, b := range r.benches {
		b.web.Close()
	}
}

// crawlAll makes the crawls, topic after topic, several at once.
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

func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = append(r.errs, err)
}

// failure returns what went wrong first, other than that the run was ended.
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

// crawl makes one crawl, or takes up what was kept of it.
func (r *run) crawl(ctx context.Context, i int) error {
	j := r.jobs[i]
	defer j.task.done()
	trail, err := r.dir.load(i, j, r.names)
	kept := trail != nil
	if err == nil && !kept {
		if trail, err = j.task.crawl(ctx, j.variant, j.set); err == nil {
			err = r.dir.keep(i, j, trail)
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

// ended counts a crawl and tells how far the run is.
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

func (o Options) progress(p Progress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}

// ByLabel returns the trails of a strategy.
func (r *Results) ByLabel(label string) (list []measure.Trail) {
	return slices.DeleteFunc(slices.Clone(r.Trails), func(t measure.Trail) bool { return t.Label != label })
}
