package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/cluster"
	"dowse/internal/durable"
	"dowse/internal/plain"
	"dowse/settings"
	"dowse/strategy"
	"dowse/topic"
	"dowse/weburl"
)

// crawlFlags are the flags of commands that crawl. The flags of the settings (limits,
// scope, order, politeness, identity, network) come from their table by embedding
// settings.Settings; the fields below are what only the command line knows.
//
// The groups are those of the help, and each answers one question:
//
//	what      which topic, which seeds, which directory
//	much      when the crawl ends: the first limit reached ends it
//	where     which URLs may be fetched at all
//	order     which of them are fetched first, and what the order learns from
//	polite    who asks, how often, and which addresses may be reached
//	output    what is printed; never what is crawled
//	recovery  what to do with a collection that exists
//
// Flags with the tag rare are listed by --help-all only. What is not rare are the fifteen
// flags that a first crawl needs; a new flag is rare unless one of these leaves.
type crawlFlags struct {
	Topic string   `short:"t" group:"what" rare:"" placeholder:"FILE" help:"Read the topic from a file (or name it as the argument)."`
	Seed  []string `short:"s" group:"what" sep:"none" placeholder:"URL" help:"Start from this URL; repeatable; - reads URLs from stdin."`
	Seeds string   `group:"what" rare:"" placeholder:"FILE" help:"Read seeds from a file, one per line."`
	Out   string   `short:"o" group:"what" shown:"./NAME.dowse" placeholder:"DIR" help:"Write the collection to this directory."`

	settings.Settings          // limits, scope, order, politeness, identity, network
	inputFlags                 // files that strategies start with
	wordNetFlag                // the dictionary for judges that grow from words
	Lang              []string `group:"where" placeholder:"TAG,..." help:"Keep only pages in these languages (detected if undeclared)."`
	Unit              string   `group:"order" rare:"" enum:",page,site" default:"" shown:"page" placeholder:"KIND" help:"Look for single pages (page) or whole sites (site)."`
	trustFlag                  // agreement to what a collection or topic file of another user does

	// What is printed. --print and --json are data on stdout and can be combined with
	// --quiet; the others concern stderr only.
	Print      string  `group:"output" enum:",url,jsonl" default:"" placeholder:"FORMAT" help:"Stream on-topic pages to stdout, as url or jsonl."`
	JSON       bool    `group:"output" rare:"" help:"Print the final status as JSON on stdout."`
	Quiet      bool    `short:"q" group:"output" help:"Print errors only."`
	NoProgress bool    `group:"output" rare:"" help:"No live screen, no progress lines."`
	Serve      serveAt `group:"output" rare:"" placeholder:"ADDR" help:"Serve the dashboard: --serve, or --serve=ADDR."`
	Log        string  `group:"output" rare:"" placeholder:"FILE" help:"Append a log to this file; SIGHUP opens it again."`
	LogFormat  string  `group:"output" rare:"" enum:"text,json" default:"text" shown:"text" placeholder:"FORMAT" help:"Write the log as text or json."`

	// opening is the line that is printed once the collection is open, "" for none. It is
	// printed that late because opening may fail, and "resuming x" before an error would
	// be untrue.
	opening string // what is printed once the collection is open; "" for nothing

	kept []string // notes on settings of the collection that differ from those of a config file
}

// inputFlags name files that strategies start with: what people read (--trace), link
// paths to known pages (--tgraph), links whose targets are known (--train), classes of a
// classification (--classes), and what the strategy of another crawl has learnt
// (--learn-from).
//
// A crawl copies these files when it is created, because its order must stay the same if
// it is resumed on another machine or after the files have changed. So they cannot be
// given again when it is resumed; [inputFlags.frozen] refuses that.
type inputFlags struct {
	TGraph      string   `name:"tgraph" group:"order" rare:"" placeholder:"FILE" help:"T-Graph for treasure and context-graph; see dowse tgraph."`
	Trace       []string `sep:"none" group:"order" rare:"" placeholder:"FILE[@FROM..TO]" help:"Access log for collaborative and combined; repeatable."`
	TraceGap    pause    `group:"order" rare:"" default:"30m" placeholder:"DUR" help:"Pause of a person that ends a session of the log."`
	TraceSite   string   `group:"order" rare:"" placeholder:"URL" help:"Site of a log whose lines have paths without a host."`
	Train       string   `group:"order" rare:"" placeholder:"FILE" help:"Links for nb to learn from; lines of + or -, URL, anchor."`
	Classes     string   `group:"order" rare:"" placeholder:"FILE" help:"Classes for treasure; lines of code, tab, label."`
	Vectors     string   `group:"order" rare:"" placeholder:"FILE" help:"Word vectors for auto: GloVe or word2vec as text, or wink JSON."`
	LearnFrom   string   `group:"order" rare:"" placeholder:"DIR" help:"Start with what the strategy of another collection learnt."`
	LearnAnyway bool     `group:"order" rare:"" help:"Use it even if that collection has another topic."`
}

// A pause is a duration of more than 0.
type pause time.Duration

// UnmarshalText reads a pause as a flag has it.
func (p *pause) UnmarshalText(b []byte) error {
	d, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf("expected duration but got %q", b) // as the parser reports its own, see parseProblem
	}
	if d <= 0 {
		return fmt.Errorf("got %v, want more than 0", d)
	}
	*p = pause(d)
	return nil
}

// crawlCmd is dowse crawl, the command that starts or resumes a crawl. Whether it starts
// or resumes is decided by the argument and the directory, not by a flag: the same
// command that started a crawl continues it after Ctrl-C, kill -9 or a reboot, and people
// need to remember one command only. What was decided is always printed.
//
// Run goes through these steps, and nothing is written before the last one:
//
//	job        which collection, which topic, is it there already
//	checks     flags that contradict each other, seeds that no request may reach
//	--dry-run  prints the plan and ends
//	web        demo collections serve their web; all others use the network
//	drive      open, crawl, summary, exit code
type crawlCmd struct {
	What []string `arg:"" optional:"" name:"topic|dir|words" help:"A collection to resume, a topic file, or words."`
	crawlFlags
	crawlCluster
	// --demo crawls the synthetic web with a topic of the user's own, to try a topic file
	// without a network.
	Demo  bool     `group:"where" rare:"" help:"Crawl the built-in demo web (hosts *.demo), offline."`
	Retry []string `group:"recovery" rare:"" placeholder:"WHAT" help:"Queue again: failed, unreached, reason or host; repeatable."`
	Fresh bool     `group:"recovery" rare:"" help:"Refuse if the collection exists."`
	// A program that starts a crawl keeps the other end of its standard input open; when that program
	// ends, however it ends, the crawl stops.
	UntilEOF bool    `name:"until-eof" group:"much" rare:"" help:"Stop gently when standard input ends; for programs."`
	DryRun   bool    `group:"recovery" rare:"" help:"Print what would be done, and do nothing."`
	HelpAll  helpAll `help:"Show all flags."`
}

func (crawlCmd) Help() string {
	return `Examples:
  dowse crawl "coral bleaching" --seed https://example.org/reefs --pages 500
  dowse crawl reefs.topic.yaml
  dowse crawl reefs.dowse                  continue where it stopped
  dowse crawl reefs.dowse --print url -q   stream pages on topic
  dowse crawl reefs.dowse --retry failed   try failed pages again
  dowse crawl reefs.dowse --refresh 7d     ask which pages have changed
  dowse crawl pools.topic.yaml --demo      try a topic file on the demo web

A directory that holds a collection is resumed; a file is a topic file;
anything else is words. Ctrl-C stops gently, the same command resumes.
A seed without a scheme is https; an address, localhost, and a host with
a port that does not end in 443 are http.

With --serve the dashboard ends with the crawl, unless a person is at the terminal or
the crawl was paused there: then it stays until Ctrl-C. See also dowse serve.

A collection or topic file of another user is refused if it would run a program,
ask a service, reach private networks or read files elsewhere; the error lists
these. --trust agrees to them, and dowse remembers it.`
}

// Run starts or resumes a crawl. Collections of the built-in demo web and of a demo town
// need their web served while they are crawled: their hosts exist nowhere else. All
// others use the network.
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
	if c.UntilEOF {
		if slices.Contains(c.Seed, "-") {
			return usage("--until-eof does not go with --seed -: both read standard input")
		}
		go w.stopAtEOF()
	}
	c.opening = job.opening()
	// A collection of a synthetic town or web brings its web; --demo makes one for a new
	// crawl.
	if town, err := townOf(job.dir); err != nil || town != nil {
		if err != nil {
			return err
		}
		if c.Cluster != "" {
			return usage("--cluster: the synthetic web exists on this machine only")
		}
		return town.crawl(w, &c.crawlFlags, job.dir, job.cfg)
	}
	made, err := demoWebOf(job.dir)
	if err == nil && c.Demo && !job.resume {
		made, err = ownTopic(&job.cfg)
	}
	switch {
	case err != nil:
		return err
	case made != nil && c.Cluster != "":
		return usage("--cluster: the synthetic web exists on this machine only")
	case made != nil:
		return made.crawl(w, &c.crawlFlags, job.dir, job.cfg)
	}
	end, err := c.lead(w, job.dir, &job.cfg, c.Quiet)
	if err != nil {
		return err
	}
	defer end()
	return c.drive(w, job.dir, job.cfg, nil)
}

// reachable returns an error for a new crawl whose seeds are all private addresses that
// --allow-net does not permit. Such a crawl would create a collection and fetch nothing,
// and the user would have to find out why from the reasons of its seeds. A topic that
// takes its seeds from elsewhere is not checked: they are not known yet.
func (c *crawlCmd) reachable(j *job) error {
	if c.Demo || j.resume || j.cfg.Topic == nil || j.cfg.Topic.SeedsFrom != "" {
		return nil
	}
	return privateHosts(slices.Concat(j.cfg.Seeds, j.cfg.Topic.Seeds), c.AllowNet)
}

// A job is what the arguments of a crawl amount to: the collection's directory, the
// configuration, and whether the collection exists.
type job struct {
	dir    string
	cfg    crawler.Config
	resume bool
}

// job works out what to crawl. A directory with a collection is resumed, a file is a
// topic file, other arguments are words. A topic whose collection exists already resumes
// that collection. Nothing is written and nothing is sent.
//
// The order of the checks matters. Flags come first, since they are the cheapest. Then
// the topic is read, and the user must have agreed to what it does before anything that
// it names is opened (consent). The lock of the topic file is read before --lang changes
// the topic, because the lock pins what the file says.
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
	// The collection itself was named: nothing else can be meant.
	if len(what) == 1 && collection.IsCollection(what[0]) {
		c.keepOwn(w, what[0], &cfg)
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
	// A topic was named. Its collection, if there is one, is resumed; a directory with
	// other files in it is refused, since a collection must have its directory to itself.
	dir := orDefault(c.Out, cfg.Topic.Name+".dowse")
	if begun, err := collection.Unfinished(dir); err == nil && !begun && !collection.IsCollection(dir) {
		return nil, usage("%s is not empty and not a collection; choose another directory with --out", dir)
	}
	if collection.IsCollection(dir) {
		c.keepOwn(w, dir, &cfg)
		return c.resumeJob(w, dir, cfg)
	}
	if err := checkCost("", cfg); err != nil {
		return nil, err
	}
	return &job{dir, cfg, false}, nil
}

// keepOwn removes settings that only a config file makes and that apply to new crawls,
// such as the strategy: the collection in dir, which is resumed, has its own. Without it a line in
// a config file would change every crawl that exists, or be refused in each of them. Who asks and how often
// (agent, contact, delay) stays as the crawl was begun, too; where the config file has another value, keepOwn adds a note.
func (c *crawlCmd) keepOwn(w *world, dir string, cfg *crawler.Config) {
	own, err := collection.ReadSettings(dir)
	if err != nil {
		own = collection.Settings{} // opening it returns the error
	}
	unset := settings.Settings{}
	for _, f := range settings.Fields() {
		keeps := f.Config == configNew || f.Config == configBegin && (f.Given(&own.Settings) || f.Default != "")
		if !keeps || !w.onlyFromConfig(f.Flag) {
			continue
		}
		if other := own.Settings; f.Config == configBegin && f.Given(&cfg.Settings) {
			f.Copy(&other, &cfg.Settings)
			for _, x := range settings.Changes(own.Settings, other) {
				c.kept = append(c.kept, fmt.Sprintf("%s stays %s, as the crawl was begun; the config file has %s, which --%s would set", x.Flag, x.Before, x.After, x.Flag))
			}
		}
		f.Copy(&cfg.Settings, &unset)
	}
}

// languageTag matches a language tag in lower case, such as en or pt-br.
var languageTag = regexp.MustCompile(`^[a-z]{2,3}(-[a-z0-9]{2,8})*$`)

// narrow applies --lang to a topic: only pages in these languages are wanted.
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

// resumeJob returns the job of resuming a collection, whether it was named itself or
// found by its topic; both ways must treat the flags alike. It checks what only the
// command line knows; [crawler.Open] compares the rest with the collection's settings and
// applies or refuses each difference.
func (c *crawlCmd) resumeJob(w *world, dir string, cfg crawler.Config) (*job, error) {
	if err := c.languages(dir, &cfg); err != nil {
		return nil, err
	}
	if err := c.frozen(w, dir, &cfg); err != nil {
		return nil, err
	}
	if err := checkCost(dir, cfg); err != nil {
		return nil, err
	}
	if c.Out != "" && filepath.Clean(c.Out) != filepath.Clean(dir) {
		return nil, usage("%s is a collection and is resumed in place: leave out --out", dir)
	}
	return &job{dir, cfg, true}, nil
}

// languages makes --lang a change of the topic that a collection keeps, unless it has
// these languages already. A topic that is given has them from narrow.
func (c *crawlFlags) languages(dir string, cfg *crawler.Config) error {
	if len(c.Lang) == 0 || cfg.Topic != nil {
		return nil
	}
	t, _, err := topicIn(dir)
	if err != nil {
		return inCollection(err)
	}
	cfg.Topic = t
	return c.narrow(t)
}

// topicOf reads a topic file, or makes a topic of words. With mustBeFile, and for names
// that look like files, a missing file is an error instead of words: a misspelt file name
// would otherwise start a crawl for that name. A directory that is a damaged collection
// returns that damage, with what to do about it, instead of "not a collection".
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
		case mustBeFile || looksLikePath(what[0]):
			return nil, usage("%s: no such file", what[0])
		}
	}
	if len(dowse.Words(strings.Join(what, " "))) == 0 {
		return nil, usage("%q: contains no words; give words, a topic file or a collection", strings.Join(what, " "))
	}
	return topic.FromWords(what), nil
}

// looksLikePath reports whether an argument is written as the path of a file or a directory, and not as words.
func looksLikePath(arg string) bool {
	for _, end := range []string{".yaml", ".yml", ".dowse", "/"} {
		if strings.HasSuffix(arg, end) {
			return true
		}
	}
	for _, start := range []string{"./", "../", "/", "~/"} {
		if strings.HasPrefix(arg, start) {
			return true
		}
	}
	return false
}

// config returns the configuration that the flags describe. It reads the seeds and
// checks every flag, so that an error occurs before anything is written.
func (c *crawlFlags) config(w *world) (crawler.Config, error) {
	cfg := crawler.Config{
		Settings: c.Settings, Reset: w.reset("crawl"), Unit: c.Unit, Getenv: os.Getenv,
		Consent: w.consent(c.Trust).allow, Clock: crawlClock, Stdout: w.out,
	}
	var err error
	if cfg.Sinks, err = c.sinks(); err != nil {
		return cfg, err
	}
	if slices.Contains(c.Settings.Sinks, "") {
		cfg.Reset = append(cfg.Reset, "sink")
	}
	if cfg.WordNet, err = c.wordNet(w); err != nil {
		return cfg, err
	}
	cfg.WordNetChosen = c.WordNet != "" // WNSEARCHDIR is of the machine
	err = c.inputFlags.add(w, &cfg)
	if err != nil {
		return cfg, err
	}
	if cfg.Seeds, err = c.seeds(w); err != nil {
		return cfg, err
	}
	return cfg, c.check(cfg)
}

// add adds the files to a configuration. An access log needs the user's salt, under which
// the people in it are hashed; without a log no salt is generated. Lists of strategies
// are split here too, since parameters contain commas and the parser would split a list
// at each of them.
func (c *inputFlags) add(w *world, cfg *crawler.Config) (err error) {
	cfg.TGraph, cfg.Links, cfg.Classes, cfg.Vectors = c.TGraph, c.Train, c.Classes, c.Vectors
	cfg.TraceSite, cfg.TraceGap = c.TraceSite, time.Duration(c.TraceGap)
	if len(c.Trace) > 0 {
		cfg.Trace, cfg.MoreTraces = c.Trace[0], c.Trace[1:]
		cfg.Salt, err = userSalt(w.env)
	}
	cfg.Shadows = strategy.Split(strings.Join(cfg.Shadows, ","))
	cfg.LearnFrom, cfg.LearnAnyway = c.LearnFrom, c.LearnAnyway
	if d := c.LearnFrom; d != "" && !collection.IsCollection(d) && !collection.Remains(d) {
		return usage("--learn-from: %s is not a collection", d)
	}
	return err
}

// frozen returns an error if files are given for a crawl that exists: it keeps a copy of
// those that it was created with. It also removes a strategy that was not typed but comes
// from a config file, which applies to new crawls only.
func (c *inputFlags) frozen(w *world, dir string, cfg *crawler.Config) error {
	if flag := c.file(); flag != "" {
		return usage("%s exists and keeps a copy of its files: leave out %s to continue, or start another with -o NAME", dir, flag)
	}
	// Only the arguments show whether the strategy was typed: the parser has filled the
	// field from a config file too.
	typed := func(arg string) bool { return arg == "--strategy" || strings.HasPrefix(arg, "--strategy=") }
	if !slices.ContainsFunc(w.args, typed) {
		cfg.Settings.Strategy = ""
	}
	return nil
}

// frozenUsage adds what to do to the error for a setting that can only be set when a
// crawl is created: leave the flag out, or start another crawl. Other errors are returned
// unchanged.
func frozenUsage(err error) error {
	var f *crawler.FrozenError
	switch {
	case !errors.As(err, &f):
		return err
	case f.Setting == "judge":
		return usage("a program rates the pages of %s by a judge of its own: continue the crawl with that program, or start another with -o NAME", f.Dir)
	case f.Setting == "topic":
		return usage("the topic can only be set when a crawl is created; %s exists and its topic is another one (dowse topic show %[2]s): start another with -o NAME, or continue with dowse crawl %[2]s", f.Dir, shellWord(f.Dir))
	}
	return usage("%s can only be set when a crawl is created; %s exists: start another with -o NAME, or leave --%[1]s out", f.Setting, f.Dir)
}

// file returns the first of the flags with a file that was given, "" for none.
func (c *inputFlags) file() string {
	for _, f := range []struct{ flag, value string }{
		{"--tgraph", c.TGraph}, {"--trace", strings.Join(c.Trace, "")}, {"--trace-site", c.TraceSite}, {"--train", c.Train},
		{"--classes", c.Classes}, {"--vectors", c.Vectors}, {"--learn-from", c.LearnFrom},
	} {
		if f.value != "" {
			return f.flag
		}
	}
	return ""
}

// check finds wrong flags before anything is written. It builds a fetcher, which checks
// identity, networks and name servers as a crawl would and sends nothing; so there is no
// second list of such checks here that could differ from the first.
func (c *crawlFlags) check(cfg crawler.Config) error {
	if err := checkOrder(cfg); err != nil {
		return err
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
	return nil
}

// checkSettings returns an error for the first setting whose value is out of range, with
// the name of its flag.
func checkSettings(cfg crawler.Config) error {
	given, _ := settings.Merge(settings.Settings{}, cfg.Settings, nil) // empty texts only reset
	return wrongSetting(given.Check())
}

// wrongSetting returns an error about a setting as one about its flag.
func wrongSetting(err error) error {
	var wrong *settings.Error
	if errors.As(err, &wrong) && wrong.Flag != "" {
		return usage("--%s: got %s, want %s", wrong.Flag, wrong.Got, wrong.Want)
	}
	return err
}

// checkOrder checks the settings and the strategies.
func checkOrder(cfg crawler.Config) error {
	if err := checkSettings(cfg); err != nil {
		return err
	}
	return checkStrategy(cfg)
}

// checkStrategy checks the chosen strategy and its shadows: their names, parameters and
// inputs, and whether the strategy fits the unit. It constructs each strategy once, since
// only that checks the parameters. Index 0 of the loop is --strategy, the others are
// --shadow; a strategy that was not named is the default and needs no check.
func checkStrategy(cfg crawler.Config) error {
	if cfg.TGraph != "" {
		if _, err := readTGraph(cfg.TGraph); err != nil {
			return err
		}
	}
	needs, err := crawler.NeedsOf(cfg)
	if err != nil {
		return usage("%w", err)
	}
	for i, spec := range append([]string{cfg.Settings.Strategy}, cfg.Shadows...) {
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
			return usage("%s: %w%s; see dowse help strategies %s", flag, err, missingInput(known, name, cfg), name)
		}
	}
	if chosen := cfg.Settings.Strategy; chosen != "" && cfg.Unit != "" && (cfg.Unit == crawler.UnitSite) != crawler.ForSites(chosen) {
		return usage("--unit %s does not go with --strategy %s; --strategy site:key=value,... is for sites, the others are for pages", cfg.Unit, chosen)
	}
	return nil
}

// checkCost returns an error for --until pprs where a crawl looks for pages: it would never
// end that crawl. dir is the collection that is changed or resumed, "" for a new crawl.
func checkCost(dir string, cfg crawler.Config) error {
	cost := cfg.Settings.Limits.Dry.PPRS
	if cost == 0 {
		return nil
	}
	if dir == "" {
		if cfg.Unit == crawler.UnitSite || crawler.ForSites(cfg.Settings.Strategy) || cfg.Topic != nil && crawler.ForSites(cfg.Topic.Strategy) {
			return nil
		}
		return usage("--until pprs>%g: pprs counts whole sites; add --unit site", cost)
	}
	kept, err := collection.ReadSettings(dir)
	if err != nil {
		return inCollection(err)
	}
	if !crawler.ForSites(kept.Strategy) {
		return usage("--until pprs>%g: pprs counts whole sites, and %s is a crawl for pages; use recall or gain", cost, dir)
	}
	return nil
}

// seeds returns the seeds of --seed, where - reads stdin, and of the file of --seeds, in
// this order, each with a scheme. They are read before anything is written, and checked by
// check.
func (c *crawlFlags) seeds(w *world) ([]string, error) {
	list, err := c.rawSeeds(w)
	for i, s := range list {
		list[i] = withScheme(s)
	}
	return list, err
}

// rawSeeds returns the seeds as they were typed.
func (c *crawlFlags) rawSeeds(w *world) (list []string, err error) {
	for _, s := range c.Seed {
		if s != "-" {
			list = append(list, s)
			continue
		}
		more, err := lines(bufio.NewScanner(plain.Unmarked(w.in)))
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
	more, err := lines(bufio.NewScanner(plain.Unmarked(f)))
	if err != nil {
		return nil, usage("--seeds %s: %w", c.Seeds, err)
	}
	return append(list, more...), nil
}

// lines returns the lines that are neither empty nor comments, without spaces around.
func lines(sc *bufio.Scanner) (list []string, err error) {
	for sc.Scan() {
		if s := strings.TrimSpace(sc.Text()); s != "" && !strings.HasPrefix(s, "#") {
			list = append(list, s)
		}
	}
	return list, sc.Err()
}

// opening returns the line that is printed when the collection is open.
func (j *job) opening() string {
	if j.resume {
		return fmt.Sprintf("resuming %s", j.dir)
	}
	return fmt.Sprintf("new collection %s, topic %q", j.dir, printable(j.cfg.Topic.Gist()))
}

// plan carries out --dry-run: it prints what a crawl would do, or returns the error with
// which the crawl would fail. For a new crawl these are topic, strategy and seeds; for
// one that exists the settings that would change:
//
//	would resume reefs.dowse
//	would change pages 500 → 1000
func (c *crawlCmd) plan(w *world, j *job) error {
	changes, err := c.rehearse(j)
	if err != nil {
		return frozenUsage(err)
	}
	if j.resume {
		fmt.Fprintf(w.out, "would resume %s\n", j.dir)
		for _, s := range changes {
			fmt.Fprintf(w.out, "would change %s\n", oneLine(s))
		}
		return nil
	}
	t := j.cfg.Topic
	fmt.Fprintf(w.out, "would crawl into %s\ntopic     %s\nstrategy  %s\nseeds\n", j.dir, printable(t.Gist()), orDefault(j.cfg.Settings.Strategy, t.PreferredStrategy(), strategy.Default))
	for _, s := range append(j.cfg.Seeds, t.Seeds...) {
		fmt.Fprintf(w.out, "  %s\n", oneLine(s))
	}
	if t.SeedsFrom != "" {
		fmt.Fprintf(w.out, "  from %s\n", t.SeedsFrom)
	}
	planLimits(w, j.cfg.Settings)
	return nil
}

// planLimits prints when a crawl would end, and how it would treat hosts.
func planLimits(w *world, s settings.Settings) {
	var limits []string
	for _, f := range settings.Fields() {
		if f.Group == "much" && f.Given(&s) {
			limits = append(limits, f.Flag+" "+f.Text(&s))
		}
	}
	fmt.Fprintf(w.out, "limits    %s\n", orDefault(strings.Join(limits, ", "), "none: it runs until nothing is left"))
	set := s.Resolved()
	fmt.Fprintf(w.out, "polite    %v between requests to a host; robots.txt is obeyed\n", set.Delay)
}

// rehearse returns what a crawl would change in a collection that exists, or the error
// with which it would be refused. It writes nothing. A demo web is not served for it; the
// dialer only has to be there, so that no contact is asked for.
func (c *crawlCmd) rehearse(j *job) (changes []string, err error) {
	if !j.resume {
		if c.Demo {
			if _, err := ownTopic(&j.cfg); err != nil {
				return nil, err
			}
		}
		return crawler.Rehearse(j.dir, j.cfg)
	}
	s, err := collection.ReadSettings(j.dir)
	if err != nil {
		return nil, inCollection(err)
	}
	cfg := j.cfg
	if s.Demo != nil { // a synthetic web brings its own connections
		cfg.Dial = (&net.Dialer{}).DialContext
	}
	changes, err = crawler.Rehearse(j.dir, cfg)
	return changes, inCollection(err)
}

// orDefault returns the first string that is not empty.
func orDefault(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// drive opens the collection, crawls until a limit or a signal ends it, and prints the
// live screen and the summary. All commands that crawl end here: crawl, demo, and the
// demo of a town. extra is what the demo adds to screen and summary; it may be nil.
//
// The order is: open, opening line, notices of the collection (damage that was repaired),
// notes of the crawl (settings that changed, inputs that are not used), the crawl itself,
// messages that waited, what could not be read, summary, exit code. The crawl is
// announced to the signal handler only when it is open: before that, Ctrl-C may end the
// process immediately, since nothing has begun that would have to be finished.
//
// A reader of --print that goes away ends the crawl, as a closed pipe ends other
// programs; what was crawled is kept.
//
// With --serve the dashboard is open from then on until the crawl has ended and its collection
// is closed; on a terminal, and if the crawl was paused from the dashboard, until Ctrl-C.
func (c *crawlFlags) drive(w *world, dir string, cfg crawler.Config, extra *extras) error {
	stay := func() {}
	defer func() { stay() }() // last, when the collection is closed
	scr := newScreen(w, c.Quiet, c.NoProgress, extra)
	log, err := openLog(c.Log, c.LogFormat)
	if err != nil {
		return err
	}
	defer log.close()
	if log != nil && !w.isTTY {
		w.ends.onHangup(log.file.reopen)
	}
	notify := newNotifier(w.env)
	cfg.Tick = func(st crawl.Status) {
		scr.tick(st)
		log.tick(st)
		notify.alive()
	}
	late := &messages{out: w.err, hold: w.isTTY && !c.Quiet}
	cfg.Say = late.judgeLine
	without := false // the missing dictionary was named
	cfg.Trained = func(m collection.Model) {
		switch {
		case c.Quiet || m.Undo || m.Contrast == 0 && !m.Refused:
		case m.Refused:
			late.add(refused(m))
		default:
			late.add(taught(m, dir))
			if m.Grown > 0 && cfg.WordNet == "" && c.WordNet == "" && cfg.Demo == nil && !without {
				late.add([]string{"note: " + withoutWordNet})
				without = true
			}
		}
	}
	cfg.Changed = func(r crawler.SetRecord) {
		log.changed(r)
		if c.Quiet {
			return
		}
		var lines []string
		for _, l := range setLines(r) {
			lines = append(lines, "set: "+l)
		}
		late.add(lines)
	}
	// An error of opening means something else for a new crawl, where flags or topic are
	// wrong, than for a collection that exists.
	known := collection.IsCollection(dir)
	cfg.Agreed = w.consent(c.Trust).keep
	cr, err := crawler.OpenContext(w.ctx, dir, cfg)
	if err != nil && cfg.Cluster != nil {
		cfg.Cluster.Abandon(plain.Error(err))
	}
	if err != nil && known {
		return inCollection(frozenUsage(err))
	}
	if err != nil {
		return err
	}
	w.spare = reserve(spare) // --memory may have lowered the limit
	if c.opening != "" && !c.Quiet {
		fmt.Fprintln(w.err, c.opening)
	}
	for _, n := range c.kept {
		if !c.Quiet {
			fmt.Fprintf(w.err, "note: %s\n", oneLine(n))
		}
	}
	defer w.ends.finish()()
	defer cr.Close()
	running, pause := context.WithCancel(w.ctx)
	defer pause()
	if stay, err = c.Serve.begin(w, dir, c.Quiet, pause, late); err != nil {
		stay = func() {}
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
	if !c.Quiet && endless(cr.Collection.Settings.Limits) {
		fmt.Fprintln(w.err, "note: no limit is set (--pages, --time, --until): it ends when nothing is left")
	}
	// From here on the crawl runs. The callback is called for every page, by the
	// goroutine of the crawl; returning false ends it gently.
	notes := len(cr.Notes)
	stopIndex := w.followIndex(dir, cr)
	scr.begin(cr)
	before := cr.Status()
	log.began(dir, before, cr.Notes)
	notify.send("READY=1")
	stream := newPrinter(w, c.Print)
	var cut cutPages
	cr.Run(running, w.abort, func(p *crawler.Page) bool {
		scr.page(p)
		cut.add(p)
		stream.page(p)
		return stream.err == nil
	})
	notify.send("STOPPING=1")
	log.ended(cr.StopReason(), cr.Status(), cr.Err())
	scr.end()
	stopIndex()
	late.release()
	c.noteSinks(w, dir, cr, cr.Notes[notes:])
	for _, p := range cr.Collection.Unread.Problems {
		p.Do = remedy(dir, p)
		fmt.Fprintf(w.err, "dowse: %s: %s\n", dir, printable(p.String()))
	}
	err = c.conclude(w, dir, cr, before, extra, cut)
	if u := &cr.Collection.Unread; err == nil && u.Count() > 0 {
		err = &exitError{exitCollection, fmt.Errorf("%s is damaged: %s could not be read; all else is there. Rebuild it with dowse collection salvage %s -o NEW", dir, some(u.Count(), "part"), shellWord(dir))}
	}
	if stream.err == nil || err != nil && cr.Err() != nil {
		return err
	}
	return &exitError{exitInterrupted, fmt.Errorf("--print: %w\nthe crawl was stopped; the same command resumes, and dowse pages %s --on lists what was found", stream.err, shellWord(dir))}
}

// endless reports whether no limit ends a crawl.
func endless(l settings.Limits) bool {
	return l.Pages == 0 && l.OnTopic == 0 && l.Bytes == 0 && l.Time == 0 && l.Dry == settings.Dry{}
}

// conclude prints the summary and chooses the exit code. An error of the crawl comes
// first, then an abort, then the stop reason. A crawl that visited everything it could and
// has pages without an answer exits with 4, like one whose hosts do not answer; one that
// fetched pages and found none on topic exits with 6.
//
// A limit that was reached is success (0), because the user set it. Everything after
// which the same command continues usefully is 3 or 4, so that a script can run the
// command again until it returns 0.
func (c *crawlFlags) conclude(w *world, dir string, cr *crawler.Crawler, before crawl.Status, extra *extras, cut cutPages) error {
	s := cr.Status()
	if !c.Quiet && !errors.Is(cr.Err(), cluster.ErrFenced) {
		summary(w, dir, cr, before, s, extra, cut)
	}
	if c.JSON {
		if err := json.NewEncoder(w.out).Encode(statusOf(cr.Collection, s)); err != nil {
			return err
		}
	}
	if err := cr.Err(); errors.Is(err, cluster.ErrFenced) {
		return clusterError(cluster.ErrFenced)
	} else if errors.Is(err, durable.ErrGone) {
		return &exitError{exitCollection, fmt.Errorf("%w; the crawl was stopped. If it was moved, continue it under its new name: dowse crawl NEW-NAME. If it was deleted, restore it from a backup, or start again", err)}
	} else if errors.Is(err, durable.ErrNotPlain) {
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
	case why == dowse.StopExhausted && withoutAnswer(cr.Collection.Reasons()) > 0:
		return pagesNotReached(dir, withoutAnswer(cr.Collection.Reasons()))
	case s.OnTopic == 0:
		return &exitError{exitNothing, fmt.Errorf("finished with nothing on topic; see the nearest pages: dowse pages %[1]s --sort score; why one is not: dowse why %[1]s %[2]s", shellWord(dir), firstSeed(cr))}
	}
	return nil
}

// forbidden reports whether a rule of a robots.txt that was read excluded a URL. A host
// whose robots.txt cannot be fetched excludes everything too, but that is a problem of
// the network, which has another exit code and another remedy. Only the first 1000 URLs
// are looked at: seeds come first, and the question is asked only if no page was fetched.
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
