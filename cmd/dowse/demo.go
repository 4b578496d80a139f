package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/demo"
	"dowse/fetch"
	"dowse/internal/durable"
	"dowse/lab"
	reports "dowse/lab/report"
	"dowse/strategy"
	"dowse/topic"
)

type demoCmd struct {
	Out    string `short:"o" default:"demo.dowse" help:"Collection."`
	Pages  int    `short:"n" default:"800" help:"Pages to fetch."`
	Web    int    `default:"2400" help:"Pages of the made web."`
	Rng    uint64 `help:"Seed of the made web: another number, another web."`
	Serve  bool   `help:"Only serve the web on loopback, until Ctrl-C, for crawls by hand."`
	Log    string `placeholder:"FILE" help:"No crawl: write an access log of people who read this web, for --trace."`
	People int    `default:"500" help:"How many of them, with --log."`
	Table  bool   `help:"No crawl: simulate all strategies and print their harvest at 200, 500 and 1,000 pages."`
	Curves string `placeholder:"FILE.svg" help:"No crawl: simulate all strategies and draw their harvest."`
	Webs   int    `default:"5" help:"Webs to average over, with --curves and --table."`
	Sites  int    `placeholder:"N" help:"Look for whole sites, in a made town of so many: try 300."`
	Trial  int    `placeholder:"N" help:"With --sites, no crawl: compare ways to find sites in N towns."`
	Quiet  bool   `short:"q" help:"Say nothing but errors."`
	orderFlags
}

func (demoCmd) Help() string {
	return `Examples:
  dowse demo                       a crawl of 800 pages; Ctrl-C pauses it
  dowse demo                       the same command resumes
  dowse demo --curves harvest.svg  every strategy on this web, as a picture
  dowse demo --strategy otie --shadow link-context,nb -o otie.dowse
  dowse demo --log people.log      who read what: for crawl --trace
  dowse demo --sites 300 -o town.dowse       look for whole sites instead
  dowse demo --sites 2000 --trial 10         how well that works, as a table

The web is made up on the spot and served on loopback: nothing leaves this
machine. It has answers, so the summary can say how good the crawl really was.`
}

const demoTopic = "tide pools"

// Run crawls the made web.
func (c *demoCmd) Run(w *world) error {
	if c.Trial > 0 && c.Sites == 0 {
		return usage("--trial is about sites; say how many with --sites")
	}
	if c.Sites > 0 {
		return c.runTown(w)
	}
	d, err := c.open()
	if err != nil {
		return err
	}
	switch {
	case c.Curves != "":
		return c.curves(w)
	case c.Table:
		return c.table(w)
	case c.Log != "":
		return c.log(w, d)
	case c.Serve:
		return d.serve(w)
	}
	cfg := d.config(c.Pages)
	if err := c.order(w, &cfg); err != nil {
		return err
	}
	if collection.IsCollection(c.Out) {
		if err := c.frozen(w, c.Out, &cfg); err != nil {
			return err
		}
		if c.Rng != 0 && c.Rng != d.mark.Seed {
			return frozenUsage(&crawler.FrozenError{Dir: c.Out, Setting: "rng"})
		}
		cfg.Seeds = nil // they are in the collection
	} else if err := c.checkOrder(cfg); err != nil {
		return err
	}
	return d.crawl(w, &crawlFlags{Quiet: c.Quiet}, c.Out, cfg)
}

// crawl serves the made web and crawls it. A topic of the user's own has no answers to
// compare with.
func (d *made) crawl(w *world, flags *crawlFlags, dir string, cfg crawler.Config) error {
	server, err := d.web.Serve(w.abort)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer server.Close()
	cfg.Dial = server.Dial
	if d.mark.Own {
		return flags.drive(w, dir, cfg, nil)
	}
	ctx, cancel := context.WithCancel(w.abort)
	rival := d.startRival(ctx, cmp.Or(cfg.Limits.Pages, d.pages))
	defer func() { cancel(); rival.wait() }()
	return flags.drive(w, dir, cfg, d.extras(server, rival, dir))
}

// ask lets a config ask the made web, until the function that it returns is called.
func (d *made) ask(w *world, cfg *crawler.Config) (func(), error) {
	server, err := d.web.Serve(w.abort)
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	d.greet(cfg)
	cfg.Dial = server.Dial
	return func() { server.Close() }, nil
}

// greet gives a config the name and manners under which the made web is asked.
func (d *made) greet(cfg *crawler.Config) {
	cfg.Agent, cfg.Contact = cmp.Or(cfg.Agent, "dowse-demo"), cmp.Or(cfg.Contact, "http://127.0.0.1/")
	cfg.Polite.Delay = cmp.Or(cfg.Polite.Delay, demoPolite.Delay)
	cfg.Polite.InFlight = cmp.Or(cfg.Polite.InFlight, demoPolite.InFlight)
}

// ownTopic makes the web on which a topic of the user's own is crawled. A topic without
// seeds begins where the demo does.
func ownTopic(cfg *crawler.Config) (*made, error) {
	d, err := openMade(collection.Demo{Pages: demoPages, Own: true})
	if err != nil {
		return nil, err
	}
	d.greet(cfg)
	cfg.Demo = &d.mark
	if len(cfg.Seeds)+len(cfg.Topic.Seeds) == 0 && cfg.Topic.SeedsFrom == "" {
		for _, u := range d.seeds {
			cfg.Seeds = append(cfg.Seeds, string(u))
		}
	}
	return d, nil
}

// demoPages is the size of the made web where nobody says otherwise.
const demoPages = 2400

// madeFor makes the web that a collection was crawled from, nil if that was another
// one: the names of the made web exist nowhere else.
func madeFor(dir string) (*made, error) {
	if !collection.IsCollection(dir) {
		return nil, nil
	}
	col, err := collection.Open(dir, nil, true)
	if err != nil {
		return nil, inCollection(err)
	}
	defer col.Close()
	if col.Settings.Demo == nil || col.Settings.Demo.Sites > 0 {
		return nil, nil
	}
	d, err := openMade(*col.Settings.Demo)
	if err == nil {
		d.pages = col.Settings.Limits.Pages
	}
	return d, err
}

// A made is the made web and the topic to crawl it for.
type made struct {
	web   *demo.Web
	topic *topic.Topic
	seeds []dowse.URL
	mark  collection.Demo
	pages int // limit of the crawl that is resumed
}

// open makes the web, or the one that the collection was crawled from.
func (c *demoCmd) open() (*made, error) {
	if c.Curves != "" || c.Table || c.Log != "" || c.Serve || !collection.IsCollection(c.Out) {
		return openMade(collection.Demo{Pages: c.Web, Seed: c.Rng})
	}
	d, err := madeFor(c.Out)
	if err == nil && d == nil {
		err = usage("%s is a collection of another web; choose another with --out", c.Out)
	}
	return d, err
}

func openMade(mark collection.Demo) (*made, error) {
	if mark.Pages < 600 || mark.Pages > 1_000_000 {
		return nil, usage("--web %d: the made web has 600 to 1,000,000 pages", mark.Pages)
	}
	web := demo.New(demo.Config{Pages: mark.Pages, Seed: mark.Seed})
	t, ok := web.Topic(demoTopic)
	if !ok {
		return nil, fmt.Errorf("demo: no topic %q", demoTopic)
	}
	return &made{
		web: web, seeds: web.Seeds(demoTopic, 2), mark: mark,
		topic: &topic.Topic{Name: "tide-pools", Words: t.Words, Also: t.Also, Not: t.Not},
	}, nil
}

// demoPolite is how the made web is treated: it is our own machine, so hosts rest
// for a moment only.
var demoPolite = collection.Politeness{Delay: 20 * time.Millisecond, InFlight: 16}

func (d *made) config(pages int) crawler.Config {
	cfg := crawler.Config{
		Topic: d.topic, Agent: "dowse-demo", Contact: "http://127.0.0.1/",
		Limits: collection.Limits{Pages: pages}, Polite: demoPolite, Demo: &d.mark,
	}
	for _, u := range d.seeds {
		cfg.Seeds = append(cfg.Seeds, string(u))
	}
	return cfg
}

func (d *made) serve(w *world) error {
	server, err := d.web.Serve(w.abort)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer server.Close()
	fmt.Fprintf(w.err, "%d pages on %s, told apart by the Host header. Ctrl-C ends it.\n", d.web.Len(), server.Addr())
	<-w.ctx.Done()
	return nil
}

func (d *made) extras(server *demo.Server, r *rival, dir string) *extras {
	sites := 0
	for range d.web.Sites() {
		sites++
	}
	return &extras{
		head: []string{
			fmt.Sprintf("Demo web: %d pages on %d made-up sites, served on %s (offline).", d.web.Len(), sites, server.Addr()),
			fmt.Sprintf("Topic:    %q (%d words, %d seeds)   Collection: %s", demoTopic, len(d.topic.Words), len(d.seeds), dir),
			"Ctrl-C pauses, the same command resumes.",
		},
		rival:   r.at,
		verdict: func(cr *crawler.Crawler) []string { return d.verdict(cr, r) },
		next: []string{
			"dowse why " + dir + " " + string(d.seeds[0]),
			"dowse pages " + dir + " --on --sort score",
			"dowse export " + dir + " tidepools.wacz",
		},
	}
}

// verdict compares the crawl with the truth, with breadth-first on the same seeds
// and budget, and with an oracle.
func (d *made) verdict(cr *crawler.Crawler, r *rival) []string {
	truth, fetched := 0, 0
	f := cr.Collection.Crawl.Frontier()
	for i := range f.Len() {
		id := idOf(i)
		if _, visited := f.Visit(id); !visited || f.State(id) != dowse.Visited {
			continue
		}
		relevant, ok := d.web.Truth(f.URL(id), demoTopic)
		if !ok {
			continue
		}
		fetched++
		if relevant {
			truth++
		}
	}
	n := cr.Status().Fetched
	if fetched == 0 || n == 0 {
		return nil
	}
	best, _ := d.web.Oracle(demoTopic, d.seeds, n)
	r.wait()
	bf, _ := r.trueAt(n)
	return []string{fmt.Sprintf(" true harvest %.3f (the demo has answers)\n breadth-first on the same seeds and budget: %.3f      best possible: %.3f",
		float64(truth)/float64(n), bf, best)}
}

// A rival is breadth-first on the same web, simulated beside the crawl.
type rival struct {
	mu     sync.Mutex
	judged []int // pages on topic after 0, 1, 2, … pages, as the judge sees it
	truly  []int
	done   chan struct{}
}

func (d *made) startRival(ctx context.Context, pages int) *rival {
	r := &rival{judged: []int{0}, truly: []int{0}, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		s, err := strategy.New("breadth-first")
		if err == nil {
			err = d.simulate(ctx, s, pages, r.add)
		}
		_ = err // the comparison is then shorter; the crawl is not concerned
	}()
	return r
}

func (r *rival) add(onTopic, truly bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.judged = append(r.judged, r.judged[len(r.judged)-1]+number(onTopic))
	r.truly = append(r.truly, r.truly[len(r.truly)-1]+number(truly))
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *rival) wait() { <-r.done }

// at returns the judged harvest after so many pages, if the rival is that far.
func (r *rival) at(n int) (float64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n <= 0 || n >= len(r.judged) {
		return 0, false
	}
	return float64(r.judged[n]) / float64(n), true
}

// trueAt returns the true harvest after so many pages, or as far as it came.
func (r *rival) trueAt(n int) (float64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n = min(n, len(r.truly)-1)
	if n <= 0 {
		return 0, false
	}
	return float64(r.truly[n]) / float64(n), true
}

// simulate crawls the made web in virtual time, with the same politeness and as
// many workers as the live demo has, and reports every page.
func (d *made) simulate(ctx context.Context, s dowse.Strategy, pages int, page func(onTopic, truly bool)) error {
	judge, err := d.topic.Judge()
	if err != nil {
		return err
	}
	client, err := fetch.New(fetch.Config{Agent: "dowse-demo", Transport: d.web.RoundTripper()})
	if err != nil {
		return err
	}
	defer client.Close()
	v := &crawler.Visitor{Client: client, Judge: judge}
	v.Rate(s)
	c, err := crawl.New(crawl.Config{
		Strategy: s, Threshold: d.topic.OnTopic(), Limits: crawl.Limits{Pages: pages}, Robots: true, Sitemaps: true,
		Polite: crawl.Politeness{Delay: demoPolite.Delay, InFlight: demoPolite.InFlight, Hold: crawler.DefaultHold},
	})
	if err != nil {
		return err
	}
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	c.Start(start, d.seeds)
	sim := lab.Simulation{Crawl: c, Web: lab.Over(v, d.web.Latency), Workers: demoPolite.InFlight, Start: start}
	sim.Each = func(_ time.Time, p *dowse.Page) bool {
		if p.Outcome == dowse.Fetched && !p.Again {
			truly, _ := d.web.Truth(p.URL, demoTopic)
			page(p.OnTopic, truly)
		}
		return ctx.Err() == nil
	}
	sim.Run()
	return ctx.Err()
}

// curves simulates every strategy on several made webs and draws the mean true
// harvest of each.
func (c *demoCmd) curves(w *world) error {
	plot := reports.Plot{Title: fmt.Sprintf("True harvest on %d made webs of %d pages, topic %q", c.Webs, c.Web, demoTopic)}
	for _, d := range strategy.All() {
		if len(d.Needs) > 0 { // nobody walks the made web, and nobody knows the ways in it
			continue
		}
		runs, err := c.repeat(func(m *made) ([]float64, error) { return m.harvest(w.ctx, d.Name, c.Pages, strategy.Needs{}) })
		if err != nil {
			return err
		}
		plot.Lines = append(plot.Lines, reported(w, d.Name, runs))
	}
	runs, err := c.repeat(func(m *made) ([]float64, error) { return m.oracle(c.Pages), nil })
	if err != nil {
		return err
	}
	oracle := reported(w, "oracle", runs)
	oracle.Bound = true
	plot.Lines = append(plot.Lines, oracle)
	if err := durable.WriteFile(c.Curves, plot.SVG()); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	fmt.Fprintf(w.err, "wrote %s: bands are one standard error over the webs\n", c.Curves)
	return nil
}

// repeat measures on webs of consecutive seeds.
func (c *demoCmd) repeat(measure func(*made) ([]float64, error)) (runs [][]float64, err error) {
	for i := range max(c.Webs, 1) {
		m, err := openMade(collection.Demo{Pages: c.Web, Seed: c.Rng + uint64(i)})
		if err != nil {
			return nil, err
		}
		run, err := measure(m)
		if err != nil {
			return nil, &exitError{exitInterrupted, err}
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// reported averages the runs, and says how they ended. A run that ended early,
// because its strategy saw nothing worth following, is told and left out.
func reported(w *world, name string, runs [][]float64) reports.Line {
	longest := 0
	for _, r := range runs {
		longest = max(longest, len(r))
	}
	whole := slices.DeleteFunc(slices.Clone(runs), func(r []float64) bool { return len(r) < longest })
	line := reports.Mean(name, whole)
	if n := len(line.Points); n > 0 {
		last := line.Points[n-1]
		fmt.Fprintf(w.err, "%-18s harvest %.3f ± %.3f after %d pages", name, last.Y, last.Hi-last.Y, n)
	}
	if early := len(runs) - len(whole); early > 0 {
		fmt.Fprintf(w.err, ", but ended early on %d of %d webs", early, len(runs))
		line.Name = fmt.Sprintf("%s (%d of %d)", name, len(whole), len(runs))
	}
	fmt.Fprintln(w.err)
	return line
}

// harvest returns the true harvest of a strategy after each page.
func (d *made) harvest(ctx context.Context, name string, pages int, needs strategy.Needs) (curve []float64, err error) {
	s, err := strategy.NewWith(name, needs)
	if err != nil {
		return nil, err
	}
	on := 0
	err = d.simulate(ctx, s, pages, func(_, truly bool) {
		on += number(truly)
		curve = append(curve, float64(on)/float64(len(curve)+1))
	})
	return curve, err
}

// oracle returns the harvest of an oracle after each page.
func (d *made) oracle(pages int) (curve []float64) {
	_, order := d.web.Oracle(demoTopic, d.seeds, pages)
	on := 0
	for i, u := range order {
		truly, _ := d.web.Truth(u, demoTopic)
		on += number(truly)
		curve = append(curve, float64(on)/float64(i+1))
	}
	return curve
}
