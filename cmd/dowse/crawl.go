package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/strategy"
	"dowse/topic"
	"dowse/weburl"
)

// crawlFlags are the settings of a crawl. The tag shown is a default that is settled
// below the command line; rare flags are listed by --help-all only.
type crawlFlags struct {
	Topic string   `short:"t" group:"what" rare:"" placeholder:"FILE" help:"Read the topic from a file (or name it as the argument)."`
	Seed  []string `short:"s" group:"what" sep:"none" placeholder:"URL" help:"Start from this URL; repeatable; - reads URLs from stdin."`
	Seeds string   `group:"what" rare:"" placeholder:"FILE" help:"Read seeds from a file, one per line."`
	Out   string   `short:"o" group:"what" shown:"./NAME.dowse" placeholder:"DIR" help:"Write the collection to this directory."`

	Pages   int           `short:"n" group:"much" placeholder:"N" help:"Stop after N pages fetched (0: no limit)."`
	OnTopic int           `group:"much" placeholder:"N" help:"Stop after N pages on topic."`
	Time    time.Duration `group:"much" placeholder:"DUR" help:"Stop after this running time (e.g. 2h)."`
	Bytes   size          `group:"much" rare:"" placeholder:"SIZE" help:"Stop after this many bytes received (e.g. 5GB)."`
	PerHost int           `group:"much" placeholder:"N" help:"Fetch at most N pages per host."`
	Until   string        `group:"much" rare:"" placeholder:"RULE" help:"Stop when it dries up (e.g. 'harvest<0.05 over 500')."`

	Scope    string   `group:"where" enum:",web,domain,host,prefix" default:"" shown:"web" placeholder:"HOW" help:"Stay on web, domain, host or prefix of the seeds."`
	Include  []string `group:"where" rare:"" sep:"none" placeholder:"RE" help:"Fetch only URLs that match; repeatable."`
	Exclude  []string `group:"where" sep:"none" placeholder:"RE" help:"Never fetch URLs that match; repeatable."`
	MaxDepth int      `group:"where" rare:"" placeholder:"N" help:"Follow at most N links from a seed."`
	Lang     []string `group:"where" placeholder:"TAG,..." help:"Keep only pages in these languages (detected if undeclared)."`
	Tunnel   string   `group:"where" rare:"" shown:"none" placeholder:"N" help:"Follow at most N off-topic pages in a row."`

	orderFlags
	Unit string `group:"order" rare:"" enum:",page,site" default:"" shown:"page" placeholder:"KIND" help:"Look for single pages (page) or whole sites (site)."`
	Rng  uint64 `group:"order" rare:"" placeholder:"N" help:"Random seed; set it for a reproducible crawl."`

	Contrast string `group:"order" rare:"" enum:",seen,everyday" default:"" shown:"seen" placeholder:"KIND" help:"Negative examples if the topic has none: seen or everyday."`

	wordNetFlag

	Agent     string        `group:"polite" placeholder:"NAME" help:"Name of the crawler, for robots.txt."`
	Contact   string        `group:"polite" placeholder:"URL" help:"Where to reach you; required on the public web."`
	Delay     time.Duration `group:"polite" default:"-1ns" shown:"1s" placeholder:"DUR" help:"Pause between two requests to a host."`
	HostConns int           `group:"polite" rare:"" shown:"1" placeholder:"N" help:"Concurrent requests per host."`
	MaxRate   string        `group:"polite" rare:"" placeholder:"RATE" help:"Requests per second in all (e.g. 20/s)."`
	Patience  time.Duration `group:"polite" rare:"" shown:"2m" placeholder:"DUR" help:"End when no host answers for this long."`
	Conns     int           `group:"polite" rare:"" shown:"64" placeholder:"N" help:"Concurrent requests in all."`
	Hold      string        `group:"polite" rare:"" shown:"0.1" placeholder:"X" help:"Wait for a link of a busy host that is this much better instead of taking the best one ready; none never waits."`
	AllowNet  []string      `group:"polite" rare:"" placeholder:"CIDR" help:"Private network that may be crawled; repeatable."`
	Resolver  string        `group:"polite" rare:"" placeholder:"ADDR" help:"Ask this DNS server."`
	Timeout   time.Duration `group:"polite" rare:"" shown:"60s" placeholder:"DUR" help:"Give up a download after this time."`
	MaxBody   size          `group:"polite" rare:"" shown:"10MiB" placeholder:"SIZE" help:"Cut pages after this many bytes."`
	trustFlag

	Print      string `group:"output" enum:",url,jsonl" default:"" placeholder:"FORMAT" help:"Stream on-topic pages to stdout, as url or jsonl."`
	JSON       bool   `group:"output" rare:"" help:"Print the final status as JSON on stdout."`
	Quiet      bool   `short:"q" group:"output" help:"Print errors only."`
	NoProgress bool   `group:"output" rare:"" help:"No live screen, no progress lines."`

	hello string // what is printed once the collection is open; "" for nothing
}

// orderFlags choose the order in which pages are visited.
type orderFlags struct {
	Strategy    string   `group:"order" shown:"" placeholder:"NAME" help:"Rank links by NAME[:key=value,...]; see dowse help strategies."`
	TGraph      string   `name:"tgraph" group:"order" rare:"" placeholder:"FILE" help:"T-Graph for treasure and context-graph; see dowse tgraph."`
	Trace       string   `group:"order" rare:"" placeholder:"FILE" help:"Access log for collaborative and combined to learn from."`
	TraceSite   string   `group:"order" rare:"" placeholder:"URL" help:"Site of a log whose lines have paths without a host."`
	Train       string   `group:"order" rare:"" placeholder:"FILE" help:"Links for the nb strategies to learn from, instead of those of the seeds; one per line: + or -, URL, anchor, tab-separated."`
	Classes     string   `group:"order" rare:"" placeholder:"FILE" help:"Decimal classification for treasure; code, tab, label per line."`
	Shadow      []string `group:"order" rare:"" sep:"none" placeholder:"NAME,..." help:"Strategies that rank the same links without steering; status shows how good their picks were."`
	LearnFrom   string   `group:"order" rare:"" placeholder:"DIR" help:"Start with what the strategy of another collection learnt."`
	LearnAnyway bool     `group:"order" rare:"" help:"Even if that collection has another topic."`
	Explore     float64  `group:"order" rare:"" shown:"0" placeholder:"SHARE" help:"Pick this share of the links at random."`
	Threshold   float64  `group:"order" rare:"" shown:"0.5" placeholder:"X" help:"Relevance from which a page is on topic."`
}

type crawlCmd struct {
	What []string `arg:"" optional:"" name:"topic|dir|words" help:"A collection to resume, a topic file, or words."`
	crawlFlags
	Demo    bool     `group:"where" rare:"" help:"Crawl the built-in demo web (hosts *.demo), offline."`
	Retry   []string `group:"recovery" rare:"" placeholder:"WHAT" help:"Queue again: failed, unreached, a reason or a host; repeatable."`
	Fresh   bool     `group:"recovery" rare:"" help:"Refuse if the collection exists."`
	DryRun  bool     `group:"recovery" rare:"" help:"Print what would be done, and do nothing."`
	HelpAll helpAll  `help:"Show all flags."`
}

func (crawlCmd) Help() string {
	return `Examples:
  dowse crawl "coral bleaching" --seed https://example.org/reefs --pages 500
  dowse crawl reefs.topic.yaml
  dowse crawl reefs.dowse                  continue where it stopped
  dowse crawl reefs.dowse --print url -q   stream pages on topic
  dowse crawl reefs.dowse --retry failed   try failed pages again
  dowse crawl pools.topic.yaml --demo      try a topic file on the demo web

A directory that holds a collection is resumed; a file is a topic file;
anything else is words. Ctrl-C stops gently, the same command resumes.

A collection or topic file of another user that runs a program, asks a service,
reaches private networks or reads files elsewhere is refused with the list;
--trust agrees, and dowse remembers it.`
}

// Run starts or resumes a crawl.
func (c *crawlCmd) Run(w *world) error {
	job, err := c.job(w)
	if err != nil {
		return err
	}
	if c.Fresh && job.resume {
		return usage("--fresh: %s is a collection already; remove it, or choose another with --out", job.dir)
	}
	if len(c.Retry) > 0 && !job.resume {
		return usage("--retry: there is no collection %s yet; leave it out", job.dir)
	}
	job.cfg.Retry = c.Retry
	if c.DryRun {
		return c.plan(w, job)
	}
	if err := c.reachable(job); err != nil {
		return err
	}
	c.hello = job.hello()
	if town, err := townOf(job.dir); err != nil || town != nil {
		if err != nil {
			return err
		}
		return town.crawl(w, &c.crawlFlags, job.dir, job.cfg)
	}
	made, err := madeFor(job.dir)
	if err == nil && c.Demo && !job.resume {
		made, err = ownTopic(&job.cfg)
	}
	switch {
	case err != nil:
		return err
	case made != nil:
		return made.crawl(w, &c.crawlFlags, job.dir, job.cfg)
	}
	return c.drive(w, job.dir, job.cfg, nil)
}

// reachable refuses a new crawl all of whose seeds are private addresses that were not
// allowed.
func (c *crawlCmd) reachable(j *job) error {
	if c.Demo || j.resume || j.cfg.Topic == nil || j.cfg.Topic.SeedsFrom != "" {
		return nil
	}
	return privateHosts(slices.Concat(j.cfg.Seeds, j.cfg.Topic.Seeds), c.AllowNet)
}

// A job is what the arguments of a crawl come to.
type job struct {
	dir    string
	cfg    crawler.Config
	resume bool
}

func (c *crawlCmd) job(w *world) (*job, error) {
	cfg, err := c.config(w)
	if err != nil {
		return nil, err
	}
	what := c.What
	switch {
	case c.Topic != "" && len(what) > 0:
		return nil, usage("give a topic file or words, not both")
	case c.Topic != "":
		what = []string{c.Topic}
	case len(what) == 0:
		return nil, usage("nothing to crawl: give a collection, a topic file or words")
	}
	if len(what) == 1 && collection.IsCollection(what[0]) {
		c.keepOwn(w, &cfg)
		return c.resumeJob(w, what[0], cfg)
	}
	if cfg.Topic, err = topicOf(what, c.Topic != ""); err != nil {
		return nil, err
	}
	if err := knownStrategy(cfg.Topic); err != nil {
		return nil, err
	}
	if err := w.consent(c.Trust).allow(what[0], crawler.TopicActs(cfg.Topic)); err != nil {
		return nil, err
	}
	if cfg.Pinned, err = pinned(what); err != nil {
		return nil, err
	}
	if err := c.narrow(cfg.Topic); err != nil {
		return nil, err
	}
	dir := orDefault(c.Out, cfg.Topic.Name+".dowse")
	if begun, err := collection.Unfinished(dir); err == nil && !begun && !collection.IsCollection(dir) {
		return nil, usage("%s is not empty and not a collection; choose another directory with --out", dir)
	}
	if collection.IsCollection(dir) {
		c.keepOwn(w, &cfg)
		return c.resumeJob(w, dir, cfg)
	}
	return &job{dir, cfg, false}, nil
}

// keepOwn drops settings that a config file makes for new crawls: the collection that
// is resumed has its own.
func (c *crawlCmd) keepOwn(w *world, cfg *crawler.Config) {
	for _, key := range newOnly {
		if !w.onlyFromConfig(key) {
			continue
		}
		switch key {
		case "strategy":
			c.Strategy, cfg.StrategyName = "", ""
		case "scope":
			c.Scope, cfg.Scope.Reach = "", ""
		case "per-host":
			c.PerHost, cfg.Limits.PerHost = 0, 0
		}
	}
}

var languageTag = regexp.MustCompile(`^[a-z]{2,3}(-[a-z0-9]{2,8})*$`)

// narrow lets a topic want only pages in the given languages.
func (c *crawlFlags) narrow(t *topic.Topic) error {
	for i, l := range c.Lang {
		if c.Lang[i] = strings.ToLower(l); !languageTag.MatchString(c.Lang[i]) {
			return usage("--lang %q: want language tags (e.g. en,fr)", l)
		}
	}
	if len(c.Lang) > 0 {
		t.Languages, t.Only = c.Lang, true
	}
	return nil
}

// resumeJob is the job of going on with a collection, whether it was named itself or found
// by its topic. [crawler.Open] compares the rest of what is given with what is kept.
func (c *crawlCmd) resumeJob(w *world, dir string, cfg crawler.Config) (*job, error) {
	if err := c.languages(dir); err != nil {
		return nil, err
	}
	if err := c.frozen(w, dir, &cfg); err != nil {
		return nil, err
	}
	if c.Out != "" && filepath.Clean(c.Out) != filepath.Clean(dir) {
		return nil, usage("%s is a collection and is resumed in place: leave out --out", dir)
	}
	return &job{dir, cfg, true}, nil
}

// languages refuses other languages than those of the topic that a collection keeps.
func (c *crawlFlags) languages(dir string) error {
	if len(c.Lang) == 0 {
		return nil
	}
	t, _, err := topicIn(dir)
	if err != nil {
		return inCollection(err)
	}
	if err := c.narrow(&topic.Topic{}); err != nil {
		return err
	}
	if !t.Only || !slices.Equal(t.Languages, c.Lang) {
		return frozenUsage(&crawler.FrozenError{Dir: dir, Setting: "lang"})
	}
	return nil
}

// topicOf reads a topic file, or takes the arguments as words.
func topicOf(what []string, mustBeFile bool) (*topic.Topic, error) {
	if len(what) == 1 {
		st, err := os.Stat(what[0])
		switch {
		case err == nil && collection.Remains(what[0]):
			_, err := collection.ReadSettings(what[0])
			return nil, inCollection(err)
		case err == nil && st.IsDir():
			return nil, usage("%s is a directory, but not a collection (it has no crawl.yaml)", what[0])
		case err == nil:
			return topic.Load(what[0])
		case mustBeFile || strings.HasSuffix(what[0], ".yaml") || strings.HasSuffix(what[0], ".yml") || strings.HasSuffix(what[0], ".dowse"):
			return nil, usage("%s: no such file", what[0])
		}
	}
	if len(dowse.Words(strings.Join(what, " "))) == 0 {
		return nil, usage("%q has no word in it: say in a few words what is to be found, or give a topic file or a collection", strings.Join(what, " "))
	}
	return topic.FromWords(what), nil
}

// config turns the flags into the words of package crawler.
func (c *crawlFlags) config(w *world) (crawler.Config, error) {
	cfg := crawler.Config{
		Key: c.Rng, Unit: c.Unit, Contrast: c.Contrast, Agent: c.Agent, Contact: c.Contact,
		Limits: collection.Limits{
			Pages: c.Pages, OnTopic: c.OnTopic, Bytes: int64(c.Bytes), Time: c.Time, PerHost: c.PerHost, Depth: c.MaxDepth,
		},
		Scope:    collection.Scope{Reach: c.Scope, Include: c.Include, Exclude: c.Exclude},
		Polite:   collection.Politeness{Delay: pause(c.Delay), Conns: c.HostConns, InFlight: c.Conns, Patience: c.Patience},
		AllowNet: c.AllowNet, Resolver: c.Resolver, Timeout: c.Timeout, MaxBody: int64(c.MaxBody), Getenv: os.Getenv,
		Consent: w.consent(c.Trust).allow, Clock: crawlClock,
	}
	var err error
	if cfg.WordNet, err = c.wordNet(w); err != nil {
		return cfg, err
	}
	err = c.order(w, &cfg)
	if err != nil {
		return cfg, err
	}
	if cfg.Seeds, err = c.seeds(w); err != nil {
		return cfg, err
	}
	if cfg.Limits.Tunnel, err = parseTunnel(c.Tunnel); err != nil {
		return cfg, err
	}
	if cfg.Polite.MaxRate, err = parseRate(c.MaxRate); err != nil {
		return cfg, err
	}
	if cfg.Polite.Hold, err = parseHold(c.Hold); err != nil {
		return cfg, err
	}
	if cfg.Limits.Harvest, cfg.Limits.Over, err = parseUntil(c.Until); err != nil {
		return cfg, err
	}
	return cfg, c.check(cfg)
}

// order adds the flags to a config.
func (c *orderFlags) order(w *world, cfg *crawler.Config) (err error) {
	cfg.StrategyName, cfg.TGraph, cfg.Links, cfg.Classes = c.Strategy, c.TGraph, c.Train, c.Classes
	if cfg.Trace, cfg.TraceSite = c.Trace, c.TraceSite; c.Trace != "" {
		cfg.Salt, err = userSalt(w.env)
	}
	cfg.Shadows = strategy.Split(strings.Join(c.Shadow, ","))
	cfg.LearnFrom, cfg.LearnAnyway = c.LearnFrom, c.LearnAnyway
	cfg.Explore, cfg.Threshold = c.Explore, c.Threshold
	return err
}

// frozen refuses files for a crawl that exists: it keeps a copy of what it was given. A
// strategy that the user's settings name is for new crawls only.
func (c *orderFlags) frozen(w *world, dir string, cfg *crawler.Config) error {
	if flag := c.file(); flag != "" {
		return usage("%s exists and keeps a copy of its files: leave out %s to continue, or start another with -o NAME", dir, flag)
	}
	typed := func(arg string) bool { return arg == "--strategy" || strings.HasPrefix(arg, "--strategy=") }
	if !slices.ContainsFunc(w.args, typed) {
		cfg.StrategyName = ""
	}
	return nil
}

// frozenUsage says what to do where something was given that can only be set when a crawl
// is created. Other errors stay as they are.
func frozenUsage(err error) error {
	var f *crawler.FrozenError
	switch {
	case !errors.As(err, &f):
		return err
	case f.Setting == "topic":
		return usage("the topic can only be set when a crawl is created; %s exists and its topic is another one (dowse topic show %[1]s): start another with -o NAME, or go on with dowse crawl %[1]s", f.Dir)
	}
	return usage("%s can only be set when a crawl is created; %s exists: start another with -o NAME, or leave --%[1]s out", f.Setting, f.Dir)
}

// file names a flag with something to read from that was given, "" for none.
func (c *orderFlags) file() string {
	for _, f := range []struct{ flag, value string }{
		{"--tgraph", c.TGraph}, {"--trace", c.Trace}, {"--trace-site", c.TraceSite}, {"--train", c.Train},
		{"--classes", c.Classes}, {"--learn-from", c.LearnFrom},
	} {
		if f.value != "" {
			return f.flag
		}
	}
	return ""
}

// check finds what is wrong with flags before anything is made on disk.
func (c *crawlFlags) check(cfg crawler.Config) error {
	if err := c.checkOrder(cfg); err != nil {
		return err
	}
	for _, re := range append(slices.Clone(c.Include), c.Exclude...) {
		if _, err := regexp.Compile(re); err != nil {
			return usage("--include or --exclude: %w", err)
		}
	}
	if err := c.checkCounts(); err != nil {
		return err
	}
	if c.Patience < 0 {
		return usage("--patience %v: want a time (e.g. 2m)", c.Patience)
	}
	for _, s := range cfg.Seeds {
		if _, err := weburl.Parse(s); err != nil {
			return usage("seed %q: %w", s, err)
		}
	}
	f, err := crawler.NewFetcher(cfg) // sends nothing
	if err != nil {
		return usage("%w", err)
	}
	f.Close()
	told := collection.Settings{
		Limits: cfg.Limits, Scope: cfg.Scope, Politeness: cfg.Polite,
		Network: collection.Network{AllowNet: cfg.AllowNet, Resolver: cfg.Resolver, Timeout: cfg.Timeout, MaxBody: cfg.MaxBody},
	}
	if err := told.Check(); err != nil {
		return usage("%w", err)
	}
	return nil
}

// checkCounts refuses numbers below zero.
func (c *crawlFlags) checkCounts() error {
	for _, n := range []struct {
		flag  string
		value int
	}{
		{"pages", c.Pages}, {"on-topic", c.OnTopic}, {"per-host", c.PerHost}, {"max-depth", c.MaxDepth},
		{"host-conns", c.HostConns}, {"conns", c.Conns},
	} {
		if n.value < 0 {
			return usage("--%s: got %d, want 0 or more", n.flag, n.value)
		}
	}
	return nil
}

// checkOrder finds what is wrong with the order.
func (c *orderFlags) checkOrder(cfg crawler.Config) error {
	switch {
	case !(c.Threshold >= 0 && c.Threshold <= 1):
		return usage("--threshold %v: want a number from 0 to 1", c.Threshold)
	case !(c.Explore >= 0 && c.Explore <= 1):
		return usage("--explore %v: want a share from 0 to 1", c.Explore)
	case len(cfg.Shadows) > crawl.MaxShadows:
		return usage("--shadow: %d strategies; %d are the limit", len(cfg.Shadows), crawl.MaxShadows)
	}
	return c.checkStrategy(cfg)
}

// checkStrategy finds what is wrong with a strategy, or missing for it.
func (c *orderFlags) checkStrategy(cfg crawler.Config) error {
	if c.TGraph != "" {
		if _, err := readTGraph(c.TGraph); err != nil {
			return err
		}
	}
	needs, err := crawler.NeedsOf(cfg)
	if err != nil {
		return usage("%w", err)
	}
	for i, spec := range append([]string{c.Strategy}, cfg.Shadows...) {
		if i == 0 && spec == "" {
			continue
		}
		known := crawler.Strategies()
		if i > 0 {
			known = strategy.All() // a crawl for pages can't be followed as one for sites
		}
		flag := []string{"--strategy", "--shadow"}[min(i, 1)]
		name, _, _ := strings.Cut(spec, ":")
		if names := strategyNames(known); !slices.Contains(names, name) {
			return usage("%s: %s", flag, unknown("strategy", name, names))
		}
		if _, err := strategy.NewFrom(known, spec, needs); err != nil {
			return usage("%s: %w; see dowse help strategies %s", flag, err, name)
		}
	}
	if c.Strategy != "" && cfg.Unit != "" && (cfg.Unit == crawler.UnitSite) != crawler.ForSites(c.Strategy) {
		return usage("--unit %s does not go with --strategy %s; --strategy site:key=value,... is for sites, the others are for pages", cfg.Unit, c.Strategy)
	}
	return nil
}

func (c *crawlFlags) seeds(w *world) (list []string, err error) {
	for _, s := range c.Seed {
		if s != "-" {
			list = append(list, s)
			continue
		}
		more, err := lines(bufio.NewScanner(w.in))
		if err != nil {
			return nil, usage("seeds from stdin: %w", err)
		}
		list = append(list, more...)
	}
	if c.Seeds == "" {
		return list, nil
	}
	f, err := os.Open(c.Seeds)
	if err != nil {
		return nil, usage("--seeds: %w", err)
	}
	defer f.Close()
	more, err := lines(bufio.NewScanner(f))
	if err != nil {
		return nil, usage("--seeds %s: %w", c.Seeds, err)
	}
	return append(list, more...), nil
}

// lines returns the lines that are neither empty nor comments.
func lines(sc *bufio.Scanner) (list []string, err error) {
	for sc.Scan() {
		if s := strings.TrimSpace(sc.Text()); s != "" && !strings.HasPrefix(s, "#") {
			list = append(list, s)
		}
	}
	return list, sc.Err()
}

func parseTunnel(s string) (int, error) {
	switch s {
	case "", "none":
		return 0, nil
	case "0":
		return -1, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, usage("--tunnel %q: want a number of pages, or none for no limit", s)
	}
	return n, nil
}

func parseHold(s string) (float64, error) {
	switch s {
	case "":
		return 0, nil
	case "none":
		return -1, nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || x <= 0 || x >= 1 {
		return 0, usage("--hold %q: want a share between 0 and 1, or none", s)
	}
	return x, nil
}

func parseRate(s string) (float64, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(strings.TrimSuffix(s, "/s"), 64)
	if err != nil || n <= 0 || !strings.HasSuffix(s, "/s") {
		return 0, usage("--max-rate %q: want requests per second (e.g. 20/s)", s)
	}
	return n, nil
}

func parseUntil(s string) (harvest float64, over int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	if _, err := fmt.Sscanf(strings.ReplaceAll(s, " ", ""), "harvest<%fover%d", &harvest, &over); err != nil || over < 1 || over > 1000 || harvest <= 0 || harvest > 1 {
		return 0, 0, usage("--until %q: want 'harvest<0.05 over 500' (over at most 1000 pages)", s)
	}
	return harvest, over, nil
}

// hello returns what a crawl says when it begins.
func (j *job) hello() string {
	if j.resume {
		return fmt.Sprintf("resuming %s", j.dir)
	}
	return fmt.Sprintf("new collection %s, topic %q", j.dir, printable(gist(j.cfg.Topic)))
}

// gist says in a few words what a topic is about.
func gist(t *topic.Topic) string {
	switch {
	case len(t.Words) > 0:
		return strings.Join(t.Words, ", ")
	case t.Category != nil:
		return t.Category.Path
	}
	return t.Name
}

// plan says what a crawl would do, or refuses as the crawl would.
func (c *crawlCmd) plan(w *world, j *job) error {
	if err := c.rehearse(j); err != nil {
		return frozenUsage(err)
	}
	if j.resume {
		fmt.Fprintf(w.out, "would resume %s\n", j.dir)
		return nil
	}
	t := j.cfg.Topic
	fmt.Fprintf(w.out, "would crawl into %s\ntopic     %s\nstrategy  %s\nseeds\n", j.dir, printable(gist(t)), orDefault(j.cfg.StrategyName, t.Follows(), "link-context"))
	for _, s := range append(j.cfg.Seeds, t.Seeds...) {
		fmt.Fprintf(w.out, "  %s\n", oneLine(s))
	}
	if t.SeedsFrom != "" {
		fmt.Fprintf(w.out, "  from %s\n", t.SeedsFrom)
	}
	return nil
}

// rehearse returns the error with which a crawl would be refused.
func (c *crawlCmd) rehearse(j *job) error {
	if !j.resume {
		if c.Demo {
			if _, err := ownTopic(&j.cfg); err != nil {
				return err
			}
		}
		return crawler.Rehearse(j.dir, j.cfg)
	}
	s, err := collection.ReadSettings(j.dir)
	if err != nil {
		return inCollection(err)
	}
	cfg := j.cfg
	if s.Demo != nil { // a made web brings its own connections
		cfg.Dial = (&net.Dialer{}).DialContext
	}
	return inCollection(crawler.Rehearse(j.dir, cfg))
}

func orDefault(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// drive runs a crawl to its end, with the live screen, and says how it ended.
// extra has what a screen or summary shows beside it; it may be nil.
func (c *crawlFlags) drive(w *world, dir string, cfg crawler.Config, extra *extras) error {
	scr := newScreen(w, c.Quiet, c.NoProgress, extra)
	cfg.Tick = scr.tick
	ear := &heard{out: w.err, wait: w.isTTY && !c.Quiet}
	cfg.Say = ear.say
	without := false // the missing dictionary was named
	cfg.Trained = func(m collection.Model) {
		switch {
		case c.Quiet || m.Contrast == 0 || m.Undo:
		case m.Refused:
			ear.pass(refused(m))
		default:
			ear.pass(taught(m, dir))
			if m.Grown > 0 && cfg.WordNet == "" && c.WordNet == "" && cfg.Demo == nil && !without {
				ear.pass([]string{"note: " + withoutWordNet})
				without = true
			}
		}
	}
	known := collection.IsCollection(dir)
	cr, err := crawler.OpenContext(w.ctx, dir, cfg)
	if err != nil && known {
		return inCollection(frozenUsage(err))
	}
	if err != nil {
		return err
	}
	if c.hello != "" && !c.Quiet {
		fmt.Fprintln(w.err, c.hello)
	}
	defer w.ends.finish()()
	defer cr.Close()
	if err := w.consent(c.Trust).remember(dir, cr.Acts()); err != nil {
		return err
	}
	for _, n := range cr.Collection.Notices {
		fmt.Fprintf(w.err, "dowse: %s: %s\n", dir, printable(n))
	}
	for _, n := range cr.Notes {
		if !c.Quiet {
			fmt.Fprintf(w.err, "note: %s\n", oneLine(n))
		}
	}
	scr.begin(cr)
	stream := newPrinter(w, c.Print)
	cr.Run(w.ctx, w.abort, func(p *crawler.Page) bool {
		scr.page(p)
		stream.page(p)
		return stream.err == nil
	})
	scr.end()
	ear.tell()
	for _, p := range cr.Collection.Unread.Problems {
		fmt.Fprintf(w.err, "dowse: %s: %s\n", dir, printable(p.String()))
	}
	if err := c.conclude(w, dir, cr, extra); stream.err == nil || err != nil && cr.Err() != nil {
		return err
	}
	return &exitError{exitInterrupted, fmt.Errorf("--print: %w\nthe crawl was stopped; the same command resumes, and dowse pages %s --on lists what was found", stream.err, dir)}
}

// conclude says how a crawl ended and chooses the exit code.
func (c *crawlFlags) conclude(w *world, dir string, cr *crawler.Crawler, extra *extras) error {
	s := cr.Status()
	if !c.Quiet {
		summary(w, dir, cr, s, extra)
	}
	if c.JSON {
		if err := json.NewEncoder(w.out).Encode(statusOf(cr.Collection, s)); err != nil {
			return err
		}
	}
	if err := cr.Err(); errors.Is(err, durable.ErrNotPlain) {
		return &exitError{exitCollection, err}
	} else if err != nil {
		return &exitError{exitInterrupted, fmt.Errorf("%w\nwhat was committed is safe; the same command resumes", err)}
	}
	if w.abort.Err() != nil {
		return &exitError{code: exitAborted}
	}
	switch why := cr.StopReason(); {
	case why == dowse.StopSignal || why == dowse.StopDisk || why == dowse.StopMemory:
		return &exitError{code: exitInterrupted}
	case s.Fetched == 0:
		return nothingFetched(dir, cr)
	case why == dowse.StopStarved || why == dowse.StopNetwork:
		return notReached(dir, cr)
	case s.OnTopic == 0:
		return &exitError{exitNothing, errors.New("finished with nothing on topic; see the nearest pages: dowse pages " + dir + " --sort score")}
	}
	return nil
}

// forbidden reports whether a rule of a robots.txt that was read left a URL out. A
// host whose robots.txt does not come forbids everything too, but for another reason.
func forbidden(c *crawl.Crawl) bool {
	f := c.Frontier()
	for i := range min(f.Len(), 1000) {
		id := idOf(i)
		if c.Reason(f.URL(id)) != dowse.SkipRobotsTxt {
			continue
		}
		if r := c.Host(int(f.Host(id))).Robots; r != nil && r.Status >= 200 && r.Status < 300 {
			return true
		}
	}
	return false
}
