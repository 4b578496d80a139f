package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/internal/lab/measure"
	reports "dowse/internal/lab/report"
	"dowse/internal/lab/web"
	"dowse/lab/experiment"
)

// labRunCmd runs an experiment: strategies × topics × seed sets. Its flags replace parts
// of the experiment, such as the web or the budget; the run records the changed
// experiment, so that lab verify repeats what was run and not what the file says.
//
// Results are files of the run's folder. Each crawl is written when it ends, so that a
// run that was interrupted continues with the crawls that are missing; the report is
// written when all are there. The results do not depend on --jobs.
type labRunCmd struct {
	Experiment string `arg:"" help:"A file, a built-in experiment (dowse lab list), or all."`
	Out        string `short:"o" placeholder:"DIR" help:"Folder of the run, continued if unfinished (default: runs/NAME)."`
	Jobs       int    `short:"j" placeholder:"N" help:"Concurrent crawls (default: the number of processors)."`
	// What replaces parts of the experiment.
	Web    string   `placeholder:"PATH" help:"Use another web: demo, WARC, collection or recorded web."`
	Hubs   string   `placeholder:"FILE" help:"Add hub pages to --web; the most linked is a seed too."`
	Traces []string `placeholder:"FILE" help:"Access logs of --web."`
	Topics string   `placeholder:"FILE" help:"Use other topics: a file with one per line."`
	// Topics that the experiment does not draw from its web.
	Without string `placeholder:"FILE" help:"Leave out the topics of a file, such as those that were tuned on."`
	Vectors string `placeholder:"FILE" help:"Use word vectors: GloVe or word2vec as text, or wink JSON."`
	Wordnet string `placeholder:"DIR" help:"Let judges of words learn meanings from this WordNet directory."`
	Pages   *int   `short:"n" placeholder:"N" help:"Use another budget of pages."`
	Sets    *int   `placeholder:"N" help:"Use another number of seed sets."`
	From    string `name:"seeds" enum:",training,listed,topic,generic,portals" default:"" placeholder:"FROM" help:"Seeds: training, listed, topic, generic or portals."`
	Quiet   bool   `short:"q" help:"Print errors only."`
	labFlags
	assertFlags
}

func (labRunCmd) Help() string {
	return `Examples:
  dowse lab run demo -o runs/demo
  dowse lab run exp.yaml --jobs 2
  dowse lab run demo --web wiki.warc.gz --topics topics.txt -o runs/wiki
  dowse lab run 000-f3                    a figure of a paper
  dowse lab run all -o runs               all built-in ones; takes hours

  # exp.yaml
  dowse: lab/v1
  name: first
  web: demo                      # or a path, or {demo: {pages: 5000}}
  topics: {from: web, limit: 8}
  training: {positives: 10, negatives: 20}
  seeds: {from: training, per_topic: 3, sets: 2, rng: 1}
  budget: {pages: 1000}
  judge: logistic
  strategies:
    - breadth-first
    - {name: otie, params: {a: [0.5, 0.85]}}
    - oracle
  checks:
    - claim: pages on topic link to pages on topic
      expect: otie:a=0.85.recall@end > breadth-first.recall@end

The same experiment gives the same files, for any number of jobs. Each crawl is
kept as it ends: the same command continues after a Ctrl-C. With --assert the exit
code is 8 unless every claim holds; see dowse help claims.`
}

// labMemory is the memory that the garbage collector tries to stay below in the lab, in
// bytes.
const labMemory = 900 << 20

// Run runs one experiment into its folder, or all built-in ones. A run that was
// interrupted continues with the crawls that are missing.
func (c *labRunCmd) Run(w *world) error {
	if c.Experiment == "all" {
		if len(c.Assert) > 0 {
			return usage("--assert: cannot be used with all; name one experiment")
		}
		return c.runAll(w)
	}
	x, text, base, err := named(c.Experiment)
	if err != nil {
		return err
	}
	dir := c.Out
	if dir == "" {
		dir = filepath.Join("runs", x.Name)
	}
	skip, err := c.run(w, x, text, base, dir)
	if err == nil && skip != "" {
		err = usage("%s does not run on %s: %s", x.Name, c.Web, skip)
	}
	return err
}

// runAll runs every built-in experiment into a folder of its own and writes a document on
// all of them. Experiments that are not possible on the chosen web, for example because
// it has too few topics, are left out and listed with the reason; any other error ends
// it. A second call skips the experiments that are finished.
func (c *labRunCmd) runAll(w *world) error {
	base, err := os.Getwd()
	if err != nil {
		return err
	}
	all := c.Out
	if all == "" {
		all = "runs"
	}
	results := labResultsCmd{Out: filepath.Join(all, resultsFile)}
	list := experiment.Shipped()
	begun := time.Now()
	for i, x := range list {
		_, text, err := experiment.ByName(x.Name)
		if err != nil {
			return err
		}
		c.announce(w, i, list, begun)
		dir := filepath.Join(all, x.Name)
		one := *c
		one.Experiment = x.Name
		skip, err := one.run(w, x, text, base, dir)
		switch {
		case errors.Is(err, experiment.ErrTopics):
			skip = err.Error()
		case err != nil:
			return err
		}
		if skip != "" {
			fmt.Fprintf(w.err, "left out: %s\n", skip)
			results.left = append(results.left, reports.LeftOut{Name: x.Name, Why: skip})
			continue
		}
		results.Runs = append(results.Runs, dir)
	}
	if len(results.Runs) == 0 {
		return usage("none of the experiments makes sense on %s; see the reasons above", c.Web)
	}
	return results.Run(w)
}

// announce prints which of all experiments comes next, and how long the ones before took.
func (c *labRunCmd) announce(w *world, i int, list []*experiment.Experiment, begun time.Time) {
	if c.Quiet {
		return
	}
	took := ""
	if i > 0 {
		took = ", " + time.Since(begun).Round(time.Second).String() + " so far"
	}
	fmt.Fprintf(w.err, "\n%d of %d%s: %s  %s\n", i+1, len(list), took, list[i].Name, oneLine(list[i].Title))
}

// run runs one experiment into a folder and reports on it. skip is the reason if the
// experiment is not possible on the web that the command line names. The order is: apply
// flags, parse claims, crawl, report, check claims. Claims are parsed before the crawls,
// since a misspelt claim must not cost an hour.
func (c *labRunCmd) run(w *world, x *experiment.Experiment, text []byte, base, dir string) (skip string, err error) {
	if text, skip, err = c.change(x, text, base); err != nil || skip != "" {
		return skip, err
	}
	claims, err := c.claims(fieldOf(x))
	if err != nil {
		return "", err
	}
	cache, err := c.cache()
	if err != nil {
		return "", err
	}
	debug.SetMemoryLimit(labMemory)
	o := experiment.Options{Dir: dir, Base: base, Cache: cache, Jobs: c.Jobs, Version: labVersion(), Text: text, Command: c.command(dir)}
	bar := newLabBar(w, c.Quiet)
	o.Progress = bar.show
	o.Planned = func(s experiment.Size, webs []experiment.WebFacts) { bar.head(s, webs) }
	r, err := experiment.Run(w.ctx, x, o)
	bar.end()
	// What went wrong decides what the user can do: continue, make room, or correct the
	// experiment.
	if errors.Is(err, context.Canceled) {
		return "", &exitError{exitInterrupted, fmt.Errorf("ended early; the same command continues, results so far are in %s", dir)}
	}
	if crawler.DiskFull(err) {
		return "", fmt.Errorf("%w; make room, and the same command continues", err)
	}
	if errors.Is(err, experiment.ErrTopics) || errors.Is(err, experiment.ErrLabels) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, web.ErrCut) || errors.Is(err, experiment.ErrTaken) {
		return "", usage("%w", err)
	}
	if err != nil {
		return "", err
	}
	return "", c.report(w, dir, r, o, claims)
}

// change applies the flags to the experiment and returns its text, which is written anew
// if something changed. Relative paths of the file refer to base, those of flags to the
// current folder; Relocate makes both right for the folder of the run.
func (c *labRunCmd) change(x *experiment.Experiment, text []byte, base string) (_ []byte, skip string, err error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, "", err
	}
	changed := false
	// The paths of the file are made absolute first, so that paths of flags can be mixed
	// with them.
	x.Relocate(base)
	if err := c.checkRecorded(); err != nil {
		return nil, "", err
	}
	if c.Web != "" {
		web := experiment.Web{Hubs: c.Hubs, Traces: slices.Clone(c.Traces)}
		switch c.Web {
		case "demo":
			web.Demo = &experiment.Demo{}
		case "campus":
			web.Campus = &experiment.Demo{}
		default:
			web.Paths = []string{c.Web}
		}
		if skip := x.On(web); skip != "" {
			return nil, skip, nil
		}
		changed = true
	}
	if c.Topics != "" {
		x.Topics = experiment.Topics{From: c.Topics, Limit: x.Topics.Limit}
		changed = true
	}
	if c.Without != "" {
		if err := x.Topics.LeaveOut(c.Without); err != nil {
			return nil, "", usage("%w", err)
		}
		changed = true
	}
	for _, n := range []struct {
		flag string
		from *int
		to   *int
		most int
	}{{"--pages", c.Pages, &x.Budget.Pages, 10_000_000}, {"--sets", c.Sets, &x.Seeds.Sets, 1000}} {
		if n.from == nil {
			continue
		}
		if *n.from < 1 || *n.from > n.most {
			return nil, "", usage("%s: got %d, want 1 to %d; see dowse lab run --help", n.flag, *n.from, n.most)
		}
		*n.to, changed = *n.from, true
	}
	if c.Vectors != "" {
		x.Vectors, changed = c.Vectors, true
	}
	if c.Wordnet != "" {
		x.WordNet, changed = c.Wordnet, true
	}
	if c.From != "" {
		x.Seeds.From, changed = c.From, true
	}
	if !changed {
		return text, "", nil
	}
	x.Relocate(here)
	text, err = x.Check()
	return text, "", err
}

// checkRecorded refuses flags that belong to a recorded web if --web names none: they would have
// no effect.
func (c *labRunCmd) checkRecorded() error {
	if c.Web != "" && c.Web != "demo" && c.Web != "campus" {
		return nil
	}
	flag := ""
	switch {
	case c.Hubs != "":
		flag = "--hubs"
	case len(c.Traces) > 0:
		flag = "--traces"
	default:
		return nil
	}
	return usage("%s: is for a recorded web; name it with --web PATH", flag)
}

// command returns the command line that repeats the run, for its manifest. Flags that do
// not influence the results, such as --jobs and --quiet, are left out, so that two runs
// of the same experiment have the same manifest.
func (c *labRunCmd) command(dir string) string {
	parts := []string{"dowse lab run", shellWord(c.Experiment)}
	add := func(flag, value string) {
		if value != "" {
			parts = append(parts, "--"+flag, shellWord(value))
		}
	}
	add("web", c.Web)
	add("hubs", c.Hubs)
	for _, t := range c.Traces {
		add("traces", t)
	}
	add("topics", c.Topics)
	add("without", c.Without)
	add("vectors", c.Vectors)
	add("wordnet", c.Wordnet)
	add("seeds", c.From)
	if c.Pages != nil {
		add("pages", fmt.Sprint(*c.Pages))
	}
	if c.Sets != nil {
		add("sets", fmt.Sprint(*c.Sets))
	}
	return strings.Join(append(parts, "-o", shellWord(dir)), " ")
}

// report writes the files of a run, prints its table, and checks the claims. All formats
// are written: they are small compared with the trails, and a reader of the folder finds
// what they need without running lab report.
func (c *labRunCmd) report(w *world, dir string, r *experiment.Results, o experiment.Options, claims []*measure.Claim) error {
	in, err := inputOf(r, o.Command, o.Version)
	if err != nil {
		return err
	}
	rep, err := reports.New(in)
	if err != nil {
		return err
	}
	written, err := writeFiles(dir, rep.Files(reports.Files{HTML: true, CSV: true, LaTeX: true, TREC: true, Markdown: true}))
	if err != nil {
		return err
	}
	if !c.Quiet {
		if err := printReport(w, rep, false); err != nil {
			return err
		}
		fmt.Fprintf(w.err, "wrote %s\n", strings.Join(written, ", "))
	}
	return hold(w, in, claims, c.Quiet)
}

// writeReport replaces a file as a whole: if the command is interrupted or the disk is
// full, the file that was there stays. Devices such as /dev/stdout are written directly.
func writeReport(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	if err := durable.Replace(path, write); err != nil {
		return fmt.Errorf("lab: write %s: %w", path, err)
	}
	return nil
}

// inputOf turns the results of a run into the input of a report: setup, webs, measures,
// claims and citations. It is the only place that knows both packages, experiment, which
// ran the crawls, and report, which writes about them.
func inputOf(r *experiment.Results, command, version string) (reports.Input, error) {
	x := r.Experiment
	in := reports.Input{
		Name: x.Name, Title: x.Title, About: x.About, Paper: x.Paper, Note: x.Note, RNG: x.Seeds.Rng, Command: command,
		Relevant: r.Relevant, Trained: r.Trained, Listed: r.Listed,
		Runs:  measure.Runs{Trails: r.Trails, Budget: x.Budget.Pages},
		Tests: measure.Tests{Over: x.Tests.PairedOver, Test: x.Tests.Test, Adjust: x.Tests.Adjust, Alpha: x.Tests.Alpha},
		Setup: []reports.Fact{
			{Name: "training", Value: fmt.Sprintf("%d pages on topic, %d others (%s)", x.Training.Positives, x.Training.Negatives, x.Training.From)},
			{Name: "seeds", Value: fmt.Sprintf("%d from %s, %s", x.Seeds.PerTopic, seedsOf(r), some(x.Seeds.Sets, "set"))},
			{Name: "budget", Value: some(x.Budget.Pages, "page")},
			{Name: "judge", Value: judgesOf(x)},
			{Name: "visits", Value: visitsOf(x)},
		},
		Version: []reports.Fact{{Name: "dowse", Value: version}},
		SHA256s: map[string]string{},
	}
	in.Place, in.How = x.Setting(r.Webs)
	for _, e := range r.Efforts {
		in.Efforts = append(in.Efforts, reports.Effort{Version: e.Version, Begun: e.Begun, Elapsed: e.Elapsed, CPU: e.CPU, Memory: e.Memory})
	}
	in.TopicsNamed = x.Topics.From != "" && x.Topics.From != "web"
	if x.Sites() { // such crawls end when they have found enough
		in.Runs.Budget, in.Setup = 0, townSetup(x)
	}
	// Papers of the strategies and of the webs are cited.
	for _, work := range x.Cited(r.Webs) {
		in.Cite = append(in.Cite, reports.Citation{Text: work.Text, BibTeX: work.BibTeX})
	}
	for _, web := range r.Webs {
		in.SHA256 = strings.TrimPrefix(in.SHA256+" "+web.SHA256, " ")
		for _, topic := range append(web.Topics, "") { // a town is a topic by itself
			in.SHA256s[strings.TrimSuffix(web.Name+": "+topic, ": ")] = web.SHA256
		}
		value := fmt.Sprintf("%s on %s", some(web.Pages, "page"), some(web.Hosts, "host"))
		in.Web = append(in.Web, reports.Fact{Name: web.Name, Value: strings.Join(append([]string{value}, web.Short...), "; ")})
	}
	for _, text := range x.Measures {
		m, err := measure.Parse(text)
		if err != nil {
			return in, err
		}
		in.Measures = append(in.Measures, m)
	}
	for _, k := range x.Checks {
		in.Claims = append(in.Claims, reports.Claim{Says: k.Claim, Expect: k.Expect})
	}
	return in, nil
}

// seedsOf names what seeds were drawn from. Where the labels of a web list no page, seeds that
// should be listed pages were drawn from all training pages.
func seedsOf(r *experiment.Results) string {
	if r.Experiment.Seeds.From == "listed" && len(r.Listed) == 0 {
		return "training (no page is listed)"
	}
	return r.Experiment.Seeds.From
}

// judgesOf names the judge that steers, and the one that measures if it is another.
func judgesOf(x *experiment.Experiment) string {
	if x.MeasuredBy == "" || x.MeasuredBy == x.Judge {
		return x.Judge
	}
	return x.Judge + ", measured by " + x.MeasuredBy
}

// visitsOf describes the order and timing in which pages are visited: how many links are
// taken from the queue before it is ranked again, how many workers there are, and how
// long answers and pauses take in virtual time. Results depend on all of these.
func visitsOf(x *experiment.Experiment) string {
	text := "in rounds as the papers of the strategies state them"
	switch {
	case x.Round == 1:
		text = "one lead at a time"
	case x.Round > 1:
		text = fmt.Sprintf("in rounds of %d leads", x.Round)
	}
	text += ", " + some(x.Time.Workers, "worker")
	if x.Time.Latency > 0 {
		text += fmt.Sprintf(", %s to an answer", x.Time.Latency)
	}
	if x.Time.Delay > 0 {
		return text + fmt.Sprintf(", %s between visits to a host", x.Time.Delay)
	}
	return text + ", no delay between visits to a host"
}

// townSetup describes the setup of crawls for sites.
func townSetup(x *experiment.Experiment) []reports.Fact {
	return []reports.Fact{
		{Name: "training", Value: "30 sites on topic, 90 others, which do not count"},
		{Name: "seeds", Value: "the homepages of 5 of the training sites"},
		{Name: "budget", Value: "until enough sites are called relevant, or " + some(x.Budget.Pages, "page")},
		{Name: "judge", Value: "centroid, its error known by cross-validation"},
	}
}

// A labBar shows the progress of a run: a bar on a terminal, with the time that is left,
// and elsewhere a line every ten seconds.
//
//	███████████████████░░░░░░░░░░░ 412/600   1m10s left
type labBar struct {
	w         *world
	quiet     bool
	live      bool
	lastShown time.Time
	drawn     bool
}

// newLabBar returns a bar on stderr that shows nothing if quiet. TERM=dumb is treated
// like a pipe: it gets lines.
func newLabBar(w *world, quiet bool) *labBar {
	return &labBar{w: w, quiet: quiet, live: w.isTTY && w.env("TERM") != "dumb", lastShown: time.Now()}
}

// head prints the webs and the size of an experiment before its first crawl.
func (b *labBar) head(s experiment.Size, webs []experiment.WebFacts) {
	if b.quiet {
		return
	}
	b.end()
	for _, web := range webs {
		fmt.Fprintf(b.w.err, "web %s %s…  %s on %s%s\n", oneLine(web.Name), web.SHA256[:8], some(web.Pages, "page"), some(web.Hosts, "host"), labelsElsewhere(web.Elsewhere, web.Unread))
		for _, short := range web.Short {
			fmt.Fprintln(b.w.err, "note: "+short)
		}
	}
	fmt.Fprintln(b.w.err, labSize(s))
}

// show updates the bar at most ten times per second, or prints a line every ten seconds.
// The last update, when everything is done, is always shown.
func (b *labBar) show(p experiment.Progress) {
	every := lineEvery
	if b.live {
		every = 100 * time.Millisecond
	}
	if b.quiet || time.Since(b.lastShown) < every && p.Done < p.Total {
		return
	}
	b.lastShown = time.Now()
	const width = 30
	full := width * p.Done / max(p.Total, 1)
	line := fmt.Sprintf(" %s%s %s/%s", strings.Repeat("█", full), strings.Repeat("░", width-full), count(p.Done), count(p.Total))
	if !b.live {
		line = fmt.Sprintf("%s: %s/%s", p.Stage, count(p.Done), count(p.Total))
	}
	if p.Left > time.Second {
		line += "   " + p.Left.Round(time.Second).String() + " left"
	}
	if !b.live {
		fmt.Fprintln(b.w.err, line)
		return
	}
	fmt.Fprintf(b.w.err, "\r\x1b[K%s", line)
	b.drawn = true
}

// end removes the bar from the terminal.
func (b *labBar) end() {
	if b.drawn {
		fmt.Fprint(b.w.err, "\r\x1b[K")
		b.drawn = false
	}
}

// reading shows the progress of parsing a web for the first time.
func (b *labBar) reading(done, total int) {
	b.show(experiment.Progress{Stage: "reading the web", Done: done, Total: total})
}
