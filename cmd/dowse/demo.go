package main

import (
	"cmp"
	"context"
	"dowse/settings"
	"fmt"
	"sync"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/lab/experiment"
	"dowse/strategy"
	"dowse/topic"
)

// demoCmd is dowse demo: a crawl of a synthetic web that is served on loopback. It is the
// first command that people run, so it needs no network, no configuration and no
// arguments, and it shows within seconds what a focused crawl is.
//
// The synthetic web is generated from a random seed, and which of its pages are on topic
// is known. So the summary can compare the crawl with the truth, with breadth-first on
// the same web, and with the best possible order. The crawl itself does not know: it uses
// the same judge, strategies and fetcher as on the public web.
//
// The flags --only-web, --log, --table, --curves and --trial do something else with the same
// web: serve it, write what simulated people read, or compare strategies on it. --sites
// makes a town of whole sites instead (town.go).
type demoCmd struct {
	Out   string `short:"o" default:"demo.dowse" placeholder:"DIR" help:"Write the collection to this directory."`
	Pages int    `short:"n" default:"800" placeholder:"N" help:"Stop after N pages."`
	Web   int    `default:"2400" placeholder:"N" help:"Size of the demo web in pages, at least 1000."`
	Rng   uint64 `placeholder:"N" shown:"0" help:"Random seed of the demo web: another number, another web."`
	// Instead of a crawl.
	OnlyWeb bool   `help:"No crawl: serve the demo web on loopback, until Ctrl-C."`
	Log     string `placeholder:"FILE" help:"No crawl: write an access log of simulated readers."`
	People  int    `default:"500" placeholder:"N" help:"Number of simulated readers, with --log."`
	Table   bool   `help:"No crawl: print the harvest of all strategies as a table."`
	Curves  string `placeholder:"FILE.svg" help:"No crawl: draw the harvest of all strategies."`
	Webs    int    `default:"5" placeholder:"N" help:"Webs to average over, with --curves and --table."`
	// A town of whole sites instead of a web of pages.
	Sites   int     `placeholder:"N" help:"Look for whole sites in a synthetic town of N (e.g. 300)."`
	Trial   int     `placeholder:"N" help:"With --sites, no crawl: compare methods in N towns."`
	Serve   serveAt `placeholder:"ADDR" help:"Serve the dashboard: --serve, or --serve=ADDR."`
	Quiet   bool    `short:"q" help:"Print errors only."`
	HelpAll helpAll `help:"Show all flags."`
	// The order of the crawl: strategy, shadows, threshold, and their inputs.
	settings.Order
	inputFlags
}

func (demoCmd) Help() string {
	return `Examples:
  dowse demo                       a crawl of 800 pages; Ctrl-C pauses it
  dowse demo                       the same command resumes
  dowse demo --serve               the same, with the dashboard in a browser
  dowse demo --curves harvest.svg  every strategy on this web, as a picture
  dowse demo --strategy otie --shadow link-context,nb -o otie.dowse
  dowse demo --log people.log      an access log, for crawl --trace
  dowse demo --sites 300 -o town.dowse       look for whole sites instead
  dowse demo --sites 2000 --trial 10         how well that works, as a table

The demo web is generated on the spot and served on loopback: nothing leaves
this machine. Its relevant pages are known, so the summary can say how good the
crawl really was.`
}

// demoTopic is the topic of the synthetic web that the demo crawls for.
const demoTopic = "tide pools"

// Run crawls the synthetic web, or does what one of the other flags asks for. A
// collection that exists is resumed on the web that it was created with; another --rng
// would be another web, and is refused.
func (c *demoCmd) Run(w *world) error {
	if c.Trial > 0 && c.Sites == 0 {
		return usage("--trial: needs the number of sites; add --sites N")
	}
	if c.Trial > 0 && c.Order.Strategy != "" {
		return usage("--strategy: cannot be used with --trial, which compares fixed methods; to try one, leave --trial out")
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
	case c.OnlyWeb:
		return d.serve(w)
	}
	cfg := d.config(c.Pages)
	cfg.Order = c.Order
	if err := c.inputFlags.add(w, &cfg); err != nil {
		return err
	}
	// A collection that exists has its seeds, its strategy and its web; a new one gets
	// those of the flags, which are checked before anything is written.
	if collection.IsCollection(c.Out) {
		if err := c.frozen(w, c.Out, &cfg); err != nil {
			return err
		}
		if c.Rng != 0 && c.Rng != d.mark.Seed {
			return frozenUsage(&crawler.FrozenError{Dir: c.Out, Setting: "rng"})
		}
		cfg.Seeds = nil // they are in the collection
	} else if err := checkOrder(cfg); err != nil {
		return err
	}
	return d.crawl(w, &crawlFlags{Quiet: c.Quiet, Serve: c.Serve}, c.Out, cfg)
}

// crawl serves the synthetic web and crawls it. Breadth-first is simulated at the same
// time for comparison, except for a topic of the user's own, whose relevant pages are not
// known. The server and the simulation end with the crawl.
func (d *demoWeb) crawl(w *world, flags *crawlFlags, dir string, cfg crawler.Config) error {
	server, err := d.web.Serve(w.abort)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer server.Close()
	cfg.Dial = server.Dial
	if d.mark.Own {
		return flags.drive(w, dir, cfg, nil)
	}
	// The simulation is given up with the crawl, not with the first Ctrl-C: the summary
	// waits for it.
	ctx, cancel := context.WithCancel(w.abort)
	rival := d.startRival(ctx, cmp.Or(cfg.Limits.Pages, d.pages))
	defer func() { cancel(); rival.wait() }()
	return flags.drive(w, dir, cfg, d.extras(server, rival, dir))
}

// ask lets a configuration send requests to the synthetic web until the returned
// function is called.
func (d *demoWeb) ask(w *world, cfg *crawler.Config) (func(), error) {
	server, err := d.web.Serve(w.abort)
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	d.identify(cfg)
	cfg.Dial = server.Dial
	return func() { server.Close() }, nil
}

// identify sets the identity and politeness with which the synthetic web is crawled,
// where the configuration has none. No contact is asked for: the web is on this machine.
func (d *demoWeb) identify(cfg *crawler.Config) {
	cfg.Agent, cfg.Contact = cmp.Or(cfg.Agent, "dowse-demo"), cmp.Or(cfg.Contact, "http://127.0.0.1/")
	cfg.Politeness.Delay = cmp.Or(cfg.Politeness.Delay, demoPolite.Delay)
	cfg.Politeness.InFlight = cmp.Or(cfg.Politeness.InFlight, demoPolite.InFlight)
}

// ownTopic makes the synthetic web on which a topic of the user's own is crawled. A topic
// without seeds gets those of the demo. Relevant pages are not known then, so nothing is
// compared.
func ownTopic(cfg *crawler.Config) (*demoWeb, error) {
	d, err := openDemoWeb(collection.Demo{Pages: demoPages, Own: true})
	if err != nil {
		return nil, err
	}
	d.identify(cfg)
	cfg.Demo = &d.mark
	if len(cfg.Seeds)+len(cfg.Topic.Seeds) == 0 && cfg.Topic.SeedsFrom == "" {
		cfg.Seeds = texts(d.seeds)
	}
	return d, nil
}

// demoPages is the default size of the synthetic web in pages.
const demoPages = 2400

// demoWebOf returns the synthetic web that a collection was crawled from, nil if it is of
// another web. Host names of the synthetic web exist nowhere else, so such a collection
// can only be resumed on it; its settings have the size and the random seed, from which
// the web is generated again.
func demoWebOf(dir string) (*demoWeb, error) {
	set, err := demoSettings(dir)
	if set == nil || set.Demo.Sites > 0 {
		return nil, err
	}
	d, err := openDemoWeb(*set.Demo)
	if err == nil {
		d.pages = set.Limits.Pages
	}
	return d, err
}

// demoSettings returns the settings of a collection that was crawled from a synthetic
// web or town, nil for any other directory.
func demoSettings(dir string) (*collection.Settings, error) {
	if !collection.IsCollection(dir) {
		return nil, nil
	}
	col, err := collection.Open(dir, nil, true)
	if err != nil {
		return nil, inCollection(err)
	}
	defer col.Close()
	if col.Settings.Demo == nil {
		return nil, nil
	}
	set := col.Settings
	return &set, nil
}

// A demoWeb is a synthetic web and the topic to crawl it for.
type demoWeb struct {
	web   *demo.Web
	topic *topic.Topic
	seeds []dowse.URL
	mark  collection.Demo
	pages int // limit of the crawl that is resumed
}

// open returns the synthetic web: that of the collection if it exists and is to be
// crawled, else the one that the flags describe.
func (c *demoCmd) open() (*demoWeb, error) {
	if c.Curves != "" || c.Table || c.Log != "" || c.OnlyWeb || !collection.IsCollection(c.Out) {
		return openDemoWeb(collection.Demo{Pages: c.Web, Seed: c.Rng})
	}
	d, err := demoWebOf(c.Out)
	if err == nil && d == nil {
		err = usage("%s is a collection of another web; choose another with --out", c.Out)
	}
	return d, err
}

// demoSize returns an error if a flag gives the synthetic web a size that it can't have.
func demoSize(flag string, pages int) error {
	if pages < 600 || pages > 1_000_000 {
		return usage("%s %d: the demo web has 600 to 1,000,000 pages", flag, pages)
	}
	return nil
}

// openDemoWeb generates a synthetic web. The same mark always gives the same web.
func openDemoWeb(mark collection.Demo) (*demoWeb, error) {
	if err := demoSize("--web", mark.Pages); err != nil {
		return nil, err
	}
	web := demo.New(demo.Config{Pages: mark.Pages, Seed: mark.Seed})
	t, ok := web.Topic(demoTopic)
	if !ok {
		return nil, fmt.Errorf("demo: no topic %q", demoTopic)
	}
	return &demoWeb{
		web: web, seeds: web.Seeds(demoTopic, 2), mark: mark,
		topic: &topic.Topic{Name: "tide-pools", Words: t.Words, Also: t.Also, Not: t.Not},
	}, nil
}

// demoPolite is the politeness towards the synthetic web. It runs on this machine, so
// the pause between requests is short.
var demoPolite = settings.Politeness{Delay: 20 * time.Millisecond, InFlight: 16}

// config returns the configuration of a crawl of the demo's own topic.
func (d *demoWeb) config(pages int) crawler.Config {
	return crawler.Config{
		Topic: d.topic, Settings: settings.Settings{Limits: settings.Limits{Pages: pages}, Identity: settings.Identity{Agent: "dowse-demo", Contact: "http://127.0.0.1/"}, Politeness: demoPolite}, Seeds: texts(d.seeds),
		Demo: &d.mark,
	}
}

// texts returns URLs as strings.
func texts(urls []dowse.URL) (list []string) {
	for _, u := range urls {
		list = append(list, string(u))
	}
	return list
}

// serve carries out --only-web.
func (d *demoWeb) serve(w *world) error {
	return serveOnly(w, d.web, fmt.Sprintf("%d pages", d.web.Len()))
}

// serveOnly serves a synthetic web or town until the command is interrupted, and prints
// its address.
func serveOnly(w *world, web interface {
	Serve(context.Context) (*demo.Server, error)
}, what string) error {
	server, err := web.Serve(w.abort)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer server.Close()
	fmt.Fprintf(w.err, "%s on %s: use it as an HTTP proxy (http_proxy=http://%[2]s), or set the Host header. Ctrl-C ends it.\n", what, server.Addr())
	<-w.ctx.Done()
	return nil
}

// extras returns what the demo adds to the screen and the summary of a crawl.
func (d *demoWeb) extras(server *demo.Server, r *rival, dir string) *extras {
	sites := 0
	for range d.web.Sites() {
		sites++
	}
	return &extras{
		head: []string{
			fmt.Sprintf("Demo web: %s pages on %d synthetic sites, on %s (offline).", count(d.web.Len()), sites, server.Addr()),
			fmt.Sprintf("Topic:    %q (%d words, %d seeds)   Collection: %s", demoTopic, len(d.topic.Words), len(d.seeds), dir),
			"Ctrl-C pauses, the same command resumes.",
		},
		rival:   r.at,
		verdict: func(cr *crawler.Crawler) []string { return d.verdict(cr, r) },
		next: []string{
			"dowse why " + shellWord(dir) + " " + string(d.seeds[0]),
			"dowse pages " + shellWord(dir) + " --on --sort score",
			"dowse export " + shellWord(dir) + " " + freeName("tidepools", ".wacz"),
		},
	}
}

// verdict compares the crawl with the known relevant pages, with breadth-first on the
// same seeds and budget, and with the best possible order:
//
//	true harvest 0.540 (the relevant pages of the demo web are known)
//	breadth-first with the same seeds and pages: 0.204 true   best possible: 0.751
//
// The harvest by the judge, which every crawl has, is printed above it; the difference
// between the two is the error of the judge. It waits for the simulation of
// breadth-first.
func (d *demoWeb) verdict(cr *crawler.Crawler, r *rival) []string {
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
	return []string{fmt.Sprintf(" true harvest %.3f (the relevant pages of the demo web are known)\n breadth-first with the same seeds and pages: %.3f true   best possible: %.3f",
		float64(truth)/float64(n), bf, best)}
}

// A rival is a simulation of breadth-first on the same web that runs concurrently with
// the crawl, in virtual time. The live screen shows its harvest after as many pages as
// the crawl has, so both are compared at the same cost. Its methods may be called from
// any goroutine.
type rival struct {
	mu     sync.Mutex
	judged []int // pages on topic after 0, 1, 2, … pages, as the judge sees it
	truly  []int
	done   chan struct{}
}

// startRival starts the simulation, which ends with ctx or after that many pages.
func (d *demoWeb) startRival(ctx context.Context, pages int) *rival {
	r := &rival{judged: []int{0}, truly: []int{0}, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		_ = d.follow(ctx, pages, r) // without it the comparison is shorter; the crawl is not concerned
	}()
	return r
}

// add records one more page.
func (r *rival) add(onTopic, truly bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.judged = append(r.judged, r.judged[len(r.judged)-1]+number(onTopic))
	r.truly = append(r.truly, r.truly[len(r.truly)-1]+number(truly))
}

// number returns 1 for true and 0 for false.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// wait returns when the simulation has ended.
func (r *rival) wait() { <-r.done }

// at returns the harvest rate by the judge after n pages; ok is false if the simulation
// is not that far.
func (r *rival) at(n int) (float64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n <= 0 || n >= len(r.judged) {
		return 0, false
	}
	return float64(r.judged[n]) / float64(n), true
}

// trueAt returns the true harvest rate after n pages, or after all if there are fewer.
func (r *rival) trueAt(n int) (float64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n = min(n, len(r.truly)-1)
	if n <= 0 {
		return 0, false
	}
	return float64(r.truly[n]) / float64(n), true
}

// follow simulates breadth-first on the synthetic web in virtual time.
func (d *demoWeb) follow(ctx context.Context, pages int, r *rival) error {
	web, err := d.lab(pages)
	if err != nil {
		return err
	}
	_, err = web.Crawl(ctx, &strategy.BreadthFirst{}, func(_ time.Time, p *dowse.Page) { r.add(p.OnTopic, web.Relevant(p.URL)) })
	return err
}

// lab returns the synthetic web for simulations, with the politeness of the live demo, so
// that their results are comparable with it.
func (d *demoWeb) lab(pages int) (*experiment.SyntheticWeb, error) {
	judge, err := d.topic.Judge()
	if err != nil {
		return nil, err
	}
	return &experiment.SyntheticWeb{
		Web: d.web, Topic: demoTopic, Judge: judge, Threshold: d.topic.OnTopic(), Seeds: d.seeds, Limits: crawl.Limits{Pages: pages},
		Polite: demoPolite.Resolved(),
	}, nil
}
