package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"dowse/internal/lab/measure"
	"dowse/internal/mistake"
	"dowse/internal/predicate"
	"dowse/internal/strictyaml"
	"dowse/judge"
	"dowse/strategy"
)

// A fileError is a problem in an experiment's file, with its place and what to
// do.
type fileError = mistake.Error

// maxFile is the most bytes that an experiment's file may have.
const maxFile = 128 << 10

// fixOther is the advice for a mistake of which nothing more is known.
const fixOther = "see docs/lab.md for an example"

// form bounds an experiment's file.
var form = strictyaml.Form{
	Bytes: maxFile, Line: 16 << 10, Brackets: 32, Dashes: 16, Indent: 200, Keys: 4000,
	FixLarge:  "put lists of topics into a file of their own",
	FixKeys:   "split the experiment into several",
	FixEmpty:  "begin with: dowse: " + schema,
	FixSecond: "write one experiment to a file",
	FixOther:  fixOther,
}

// Load reads an experiment's file, see [Parse]. It returns the file's text too, which a
// run keeps byte for byte. Measures and claims that have no value in the experiment as it is
// written, such as one after the end of its budget, are errors; they may lose their value later, by
// another budget or web.
func Load(path string, own ...strategy.Description) (*Experiment, []byte, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, nil, err
	}
	x, err := parse(data, &checker{file: path, own: own, written: true})
	return x, data, err
}

// loadOfRun reads the experiment of a run. Strategies that this program does not have are
// accepted, since a run of another program can be reported on.
func loadOfRun(path string) (*Experiment, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return parse(data, &checker{file: path, foreign: true})
}

// readFile reads an experiment's file, up to one byte more than one may have.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("experiment: read %s: %w", path, err)
	}
	return data, nil
}

// Parse reads an experiment; name is the name of the file in errors. It is
// strict: an unknown key, a repeated key, a value of the wrong type, or an
// unknown strategy is an error that names the line and column and suggests what
// to do. Defaults are filled in. Nothing that the file names (webs, topics,
// labels) is opened here. own are strategies of the program that calls it, as
// [strategy.Describe] makes them; the experiment may name them like the others.
func Parse(data []byte, name string, own ...strategy.Description) (*Experiment, error) {
	return parse(data, &checker{file: name, own: own})
}

// parse reads an experiment and checks it.
func parse(data []byte, c *checker) (*Experiment, error) {
	root, e := form.Parse(data, c.file)
	if e != nil {
		return nil, e
	}
	x := &Experiment{own: c.own}
	if e := form.Decode(root, c.file, x); e != nil {
		return nil, e
	}
	c.root = root
	c.experiment(x)
	if c.err != nil {
		return nil, c.err
	}
	return x, nil
}

// A checker finds what is wrong with the values of an experiment whose form is
// right. It reports the first problem only: later ones are often its
// consequences.
type checker struct {
	file    string
	root    ast.Node
	own     []strategy.Description // strategies of the calling program
	foreign bool                   // accept strategies that are not known
	written bool                   // measures and claims need a value, see [Load]
	err     error
}

// fail records the first problem, at the place of a YAML path; later calls do
// nothing.
func (c *checker) fail(path, problem, fix string) {
	if c.err != nil {
		return
	}
	e := &fileError{File: c.file, Line: 1, Column: 1, Problem: problem, Fix: fix}
	for ; len(path) > 1; path = above(path) {
		n := c.node(path)
		if n == nil { // a single web may be written without a list
			n = c.node(strings.Replace(path, "[0]", "", 1))
		}
		if n != nil {
			e.Line, e.Column = n.GetToken().Position.Line, n.GetToken().Position.Column
			break
		}
	}
	c.err = e
}

// node returns what the file has at a YAML path, nil if it has nothing there.
func (c *checker) node(path string) ast.Node {
	p, err := yaml.PathString(path)
	if err != nil {
		return nil
	}
	n, err := p.FilterNode(c.root)
	if err != nil || n == nil || n.GetToken() == nil {
		return nil
	}
	return n
}

// above returns the path of the parent. A problem is placed there if its own path
// does not exist: a missing key has no place.
func above(path string) string { return path[:max(strings.LastIndexAny(path, ".["), 0)] }

// plainName matches names of experiments, which become names of folders.
var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// experiment checks the whole file, from the top, and fills in defaults.
func (c *checker) experiment(x *Experiment) {
	switch {
	case x.Dowse != schema:
		c.fail("$.dowse", fmt.Sprintf("unknown schema %q", x.Dowse), "an experiment begins with: dowse: "+schema)
	case !plainName.MatchString(x.Name):
		c.fail("$.name", fmt.Sprintf("%q is not a valid name", x.Name), "use lower case letters, digits and hyphens")
	case len(x.Strategies) == 0:
		c.fail("$.strategies", "no strategies", "list what to compare, as [breadth-first, link-context]")
	}
	if len(x.Web) == 0 {
		x.Web = Webs{{Demo: &Demo{}}}
	}
	for i := range x.Web {
		c.web(fmt.Sprintf("$.web[%d]", i), &x.Web[i])
	}
	c.names(x.Web)
	if x.Sites() && slices.ContainsFunc(x.Web, func(w Web) bool { return w.Town == nil }) {
		c.fail("$.web", "towns and other webs in one experiment", "use one experiment for sites and another one for pages")
	}
	for i, key := range x.Cite {
		if _, ok := works()[key]; !ok {
			c.fail(fmt.Sprintf("$.cite[%d]", i), fmt.Sprintf("unknown work %q", key), mistake.Suggestion(key, slices.Sorted(maps.Keys(works()))))
		}
	}
	x.Judge = judge.KindName(x.Judge)
	c.among("$.judge", &x.Judge, append(judge.Trainable(), "words")...)
	if x.MeasuredBy != "" {
		x.MeasuredBy = judge.KindName(x.MeasuredBy)
		c.among("$.measured_by", &x.MeasuredBy, judge.Trainable()...)
	}
	c.among("$.training.from", &x.Training.From, "web", "topics")
	c.among("$.seeds.from", &x.Seeds.From, seedKinds...)
	c.among("$.budget.clock", &x.Budget.Clock, "simulated")
	c.among("$.tests.paired_over", &x.Tests.PairedOver, "topics", "runs")
	c.among("$.tests.test", &x.Tests.Test, "wilcoxon", "t")
	c.among("$.tests.adjust", &x.Tests.Adjust, "bh", "holm", "none")
	c.numbers(x)
	c.topics(&x.Topics)
	c.strategies(x)
	if _, err := x.sessionGap(); err != nil {
		c.fail("$.session_gap", err.Error(), "write one such as 10m or 1h")
	}
	if x.Predicate == halfWordPredicate && x.Sites() {
		c.fail("$.predicate", halfWordPredicate+" applies to page crawls only", "write a condition, as keyword(crab)")
	}
	if x.Predicate != "" && x.Predicate != halfWordPredicate {
		var err error
		if x.condition, err = predicate.ParseExpr(x.Predicate); err != nil {
			c.fail("$.predicate", err.Error(), "see docs/predicates.md for the predicates")
		}
	}
	for i, k := range x.Checks {
		c.check(fmt.Sprintf("$.checks[%d]", i), k, x.scope())
	}
	for i, text := range x.Measures {
		m, err := measure.Parse(text)
		if err == nil && c.written {
			err = x.scope().CheckMeasure(m, text)
		}
		if err != nil {
			c.mistake(fmt.Sprintf("$.measures[%d]", i), err)
		}
	}
}

// scope returns what measures and claims of the experiment may refer to. Crawls for sites have no
// fixed budget of pages.
func (x *Experiment) scope() measure.Scope {
	s := measure.Scope{Strategies: x.labels(), Pages: x.Budget.Pages, Sites: x.Sites()}
	if s.Sites {
		s.Pages = 0
	}
	for _, v := range x.Variants() {
		s.Oracle = s.Oracle || v.Spec == Oracle
	}
	return s
}

// check checks that the condition of a claim can be parsed and names only
// strategies that take part.
func (c *checker) check(path string, k Check, scope measure.Scope) {
	if k.Claim == "" || k.Expect == "" {
		c.fail(path, "a check without claim or expect", "give the claim, and the condition on measures that it means")
		return
	}
	claim, err := measure.ParseClaim(k.Expect)
	if err == nil {
		err = claim.CheckStrategies(scope.Strategies)
	}
	if err == nil && c.written {
		err = claim.CheckScope(scope)
	}
	if err != nil {
		c.mistake(path+".expect", err)
	}
}

// mistake records a problem in a claim or a measure, with its column in that
// text.
func (c *checker) mistake(path string, err error) {
	var m *measure.Mistake
	if !errors.As(err, &m) {
		c.fail(path, err.Error(), "see docs/measures.md for measures and claims")
		return
	}
	c.fail(path, fmt.Sprintf("column %d of %.80q: %s", m.Column, m.Text, m.Problem), m.Fix)
}

// labels returns the names of the strategies in tables.
func (x *Experiment) labels() (list []string) {
	for _, v := range x.Variants() {
		list = append(list, v.Label)
	}
	return list
}

// seedKinds are the values of seeds.from, the default first.
var seedKinds = []string{"training", "listed", "topic", "generic", "portals"}

// among checks that a value is one of the known ones; an empty value becomes the
// first of them, the default.
func (c *checker) among(path string, v *string, known ...string) {
	if *v = cmp.Or(*v, known[0]); !slices.Contains(known, *v) {
		c.fail(path, fmt.Sprintf("unknown value %q", *v), mistake.Suggestion(*v, known))
	}
}

// web checks one web, and moves Path into Paths.
func (c *checker) web(path string, w *Web) {
	if w.Path != "" {
		w.Paths = append([]string{w.Path}, w.Paths...)
		w.Path = ""
	}
	if w.kinds() != 1 {
		c.fail(path, "a web is either synthetic or recorded", "use demo, campus, or give the path of a WARC file, a collection or a recorded web")
	}
	if w.Demo != nil && w.Demo.Pages != 0 && (w.Demo.Pages < 1000 || w.Demo.Pages > 1_000_000) {
		c.fail(path+".demo.pages", fmt.Sprintf("a synthetic web of %d pages", w.Demo.Pages), "use 1,000 to 1,000,000 pages")
	}
	if w.Demo != nil && w.Demo.Sites != 0 && (w.Demo.Sites < 48 || w.Demo.Sites > 50_000) {
		c.fail(path+".demo.sites", fmt.Sprintf("a synthetic web of %d sites", w.Demo.Sites), "use 48 to 50,000 sites, or leave it out")
	}
	if w.Demo != nil && !(w.Demo.Boilerplate >= 0 && w.Demo.Boilerplate <= 0.9) {
		c.fail(path+".demo.boilerplate", fmt.Sprintf("boilerplate of %g", w.Demo.Boilerplate), "use a share from 0 to 0.9")
	}
	if w.Campus != nil && w.Campus.Boilerplate != 0 {
		c.fail(path+".campus.boilerplate", "a campus has no boilerplate", "use it with demo")
	}
	if w.Campus != nil && w.Campus.Pages != 0 && (w.Campus.Pages < 1000 || w.Campus.Pages > 100_000) {
		c.fail(path+".campus.pages", fmt.Sprintf("a campus of %d pages", w.Campus.Pages), "use 1,000 to 100,000 pages")
	}
	if w.Town != nil && (len(w.Town.Recorded) > 0) != (w.Town.Topic != "") {
		c.fail(path+".town", "a recorded town needs its files and the topic of its sites", "write recorded: [FILE.warc.gz] and topic: NAME")
	}
	c.town(path+".town", w.Town)
	if w.Hubs != "" && (w.Demo != nil || w.Campus != nil) {
		c.fail(path+".hubs", "the synthetic web has hubs of its own", "use hubs with a recorded web")
	}
	if made := w.Demo != nil || w.Campus != nil || w.Town != nil; made && !c.foreign {
		if w.Labels != "" {
			c.fail(path+".labels", "a synthetic web has labels of its own", "use labels with path")
		}
		if len(w.Traces) > 0 {
			c.fail(path+".traces", "a synthetic web has an access log of its own", "use traces with path")
		}
	}
}

// names checks that every web has a name of its own. Topics are distinguished by it in trails and tables: those
// of two webs with one name would be one topic that is crawled for twice.
func (c *checker) names(webs Webs) {
	if c.foreign {
		return
	}
	seen := map[string]bool{}
	for i, w := range webs {
		fix := "leave one of them out, or give one a name of its own with name:"
		if w.Demo != nil || w.Campus != nil {
			fix = "leave one of them out, or give one a random seed of its own, as {demo: {seed: 2}}"
		}
		for _, s := range sourcesOf(&Experiment{Web: Webs{w}}) {
			name := s.ShownName()
			if name != "" && seen[name] {
				c.fail(fmt.Sprintf("$.web[%d]", i), fmt.Sprintf("two webs are named %s", name), fix)
			}
			seen[name] = true
		}
	}
}

// town checks the numbers of a town, and that a recorded one has no settings of synthetic ones.
func (c *checker) town(path string, t *Town) {
	if t == nil {
		return
	}
	if t.Sites != 0 && (t.Sites < 100 || t.Sites > 1_000_000) {
		c.fail(path+".sites", fmt.Sprintf("a town of %d sites", t.Sites), "use 100 to 1,000,000 sites")
	}
	if t.Find < 0 {
		c.fail(path+".find", fmt.Sprintf("%d is out of range", t.Find), "use the number of sites after which a crawl ends, or leave it out")
	}
	if len(t.Recorded) > 0 && (t.Sites != 0 || t.Local) {
		c.fail(path, "a recorded town has the sites and links that were recorded", "leave sites and local out")
	}
	if len(t.Recorded) == 0 && t.Labels != "" {
		c.fail(path+".labels", "a synthetic town has labels of its own", "use labels with recorded")
	}
}

// kinds counts how many kinds of web the description names; it should be one.
func (w *Web) kinds() (n int) {
	for _, is := range []bool{w.Demo != nil, w.Campus != nil, w.Town != nil, len(w.Paths) > 0} {
		if is {
			n++
		}
	}
	return n
}

// Sites reports whether the experiment looks for whole sites, in synthetic towns.
func (x *Experiment) Sites() bool {
	return slices.ContainsFunc(x.Web, func(w Web) bool { return w.Town != nil })
}

// numbers fills in the defaults of numbers and checks their ranges. An explicit 0
// is refused where 0 is out of range, although the zero value otherwise means the
// default.
func (c *checker) numbers(x *Experiment) {
	x.Training.Positives = cmp.Or(x.Training.Positives, 10)
	x.Training.Negatives = cmp.Or(x.Training.Negatives, 2*x.Training.Positives)
	x.Seeds.PerTopic = cmp.Or(x.Seeds.PerTopic, 3)
	x.Seeds.Sets = cmp.Or(x.Seeds.Sets, 1)
	x.Budget.Pages = cmp.Or(x.Budget.Pages, 1000)
	x.Time.Workers = cmp.Or(x.Time.Workers, 1)
	x.Tests.Alpha = cmp.Or(x.Tests.Alpha, 0.05)
	for _, n := range []struct {
		path     string
		n        int
		min, max int
	}{
		{"$.training.positives", x.Training.Positives, 1, 100_000},
		{"$.training.negatives", x.Training.Negatives, 1, 100_000},
		{"$.training.links", x.Training.Links, 0, 100_000},
		{"$.training.listed", x.Training.Listed, 0, x.Training.Positives},
		{"$.seeds.per_topic", x.Seeds.PerTopic, 1, 10_000},
		{"$.seeds.sets", x.Seeds.Sets, 1, 1000},
		{"$.budget.pages", x.Budget.Pages, 1, 10_000_000},
		{"$.budget.per_site", x.Budget.PerSite, 0, 10_000_000},
		{"$.time.workers", x.Time.Workers, 1, 10_000},
		{"$.round", x.Round, 0, 10_000},
		{"$.topics.limit", x.Topics.Limit, 0, 100_000},
		{"$.topics.least", x.Topics.Least, 0, 10_000_000},
		{"$.tgraph.depth", x.TGraph.Depth, 0, 100},
		{"$.tgraph.per_level", x.TGraph.PerLevel, 0, 1_000_000},
	} {
		if text, whole := c.literal(n.path); !whole {
			c.fail(n.path, text+" is not a whole number", fmt.Sprintf("use %d to %d", n.min, n.max))
		} else if text == "0" && n.min > 0 {
			c.fail(n.path, "0 is out of range", fmt.Sprintf("use %d to %d, or leave it out", n.min, n.max))
		}
		if n.n < n.min || n.n > n.max {
			c.fail(n.path, fmt.Sprintf("%d is out of range", n.n), fmt.Sprintf("use %d to %d", n.min, n.max))
		}
	}
	if text, whole := c.literal("$.seeds.rng"); !whole {
		c.fail("$.seeds.rng", text+" is not a whole number", "use 0, 1, 2 and so on")
	}
	if x.Seeds.From == "training" && x.Seeds.PerTopic > x.Training.Positives {
		c.fail("$.seeds.per_topic", fmt.Sprintf("%d seeds of %d training pages", x.Seeds.PerTopic, x.Training.Positives), "use fewer seeds, or from: topic")
	}
	if x.Time.wrong != "" {
		c.fail("$.time."+x.Time.wrong, x.Time.wrong+" is not a duration", "use one such as 500ms or 5s")
	}
	if x.Time.Latency < 0 || x.Time.Delay < 0 {
		c.fail("$.time", "negative duration", "use durations such as 500ms or 5s")
	}
	given, _ := c.literal("$.tests.alpha")
	if zero, err := strconv.ParseFloat(given, 64); x.Tests.Alpha <= 0 || x.Tests.Alpha >= 1 || err == nil && zero == 0 {
		c.fail("$.tests.alpha", fmt.Sprintf("%s is not a level of significance", given), "use a number between 0 and 1, as 0.05")
	}
}

// topics checks a list of topics. An empty list would mean all topics of the web, and a topic that
// is listed twice would count twice in what is announced, but not in the tests.
func (c *checker) topics(t *Topics) {
	if c.err != nil || c.foreign {
		return
	}
	if n, ok := c.node("$.topics").(*ast.SequenceNode); ok && len(n.Values) == 0 {
		c.fail("$.topics", "the list of topics is empty", "list topics, or leave the key out for all topics of the web")
	}
	for i, name := range t.List {
		if slices.Contains(t.List[:i], name) {
			c.fail("$.topics", fmt.Sprintf("the topic %q is listed twice", name), "list it once")
		}
	}
}

// literal returns the text at a path, and false if it is a number with a
// fraction: the YAML parser silently converts 0.5 to an integer. A missing
// value is whole.
func (c *checker) literal(path string) (text string, whole bool) {
	if c.err != nil {
		return "", true
	}
	n := c.node(path)
	if n == nil {
		return "", true
	}
	return n.GetToken().Value, n.Type() != ast.FloatType
}

// strategies checks that all strategies exist, that they have the parameters
// they are given, that there are at most 1,000 variants, and that no two have
// the same name in tables.
func (c *checker) strategies(x *Experiment) {
	known := x.available()
	for _, d := range x.own {
		if slices.ContainsFunc(strategy.All(), func(o strategy.Description) bool { return o.Name == d.Name }) || d.Name == Oracle {
			c.fail("$.strategies", fmt.Sprintf("a strategy of the program is called %q, as one of dowse", d.Name), "give it another name")
		}
	}
	names := slices.Sorted(maps.Keys(known))
	for i, s := range x.Strategies {
		path := fmt.Sprintf("$.strategies[%d]", i)
		if !slices.Contains(names, s.Name) {
			if c.foreign {
				continue
			}
			c.unknown(path, s.Name, names, x.Sites())
			return
		}
		c.options(path, s, x.Sites())
		var params []string
		for _, p := range known[s.Name].Params {
			params = append(params, p.Name)
		}
		for _, key := range slices.Sorted(maps.Keys(s.Params)) {
			values := s.Params[key]
			if !slices.Contains(params, key) {
				c.fail(path, fmt.Sprintf("%s has no parameter %q", s.Name, key), mistake.Suggestion(key, params))
			}
			c.values(path, known[s.Name], key, values)
			if len(values) == 0 {
				c.fail(path, fmt.Sprintf("parameter %s of %s has no value", key, s.Name), "give one, or a list of them")
			}
		}
	}
	if n := len(x.Variants()); n > 1000 && c.err == nil {
		c.fail("$.strategies", fmt.Sprintf("%d strategies (want at most 1000)", n), "use fewer values of parameters")
	}
	labels := map[string]bool{}
	for _, v := range x.Variants() {
		if v.Label == Oracle && v.Spec != Oracle {
			c.fail("$.strategies", v.Spec+" has the label of the oracle", "give it another label")
		}
		if labels[v.Label] {
			c.fail("$.strategies", fmt.Sprintf("two strategies have the label %q", v.Label), "give one of them another label")
		}
		labels[v.Label] = true
	}
}

// values checks that a strategy accepts the values of a parameter.
func (c *checker) values(path string, d strategy.Description, key string, values paramValues) {
	if c.err != nil || d.Name == Oracle {
		return
	}
	for _, v := range values {
		if err := d.Check(key + "=" + v); err != nil {
			c.fail(path+".params."+key, d.Name+": "+err.Error(), "see docs/strategies.md for its parameters")
		}
	}
}

// available returns the strategies that the experiment may use by name: those
// that look for pages and the oracle, or those that look for sites.
func (x *Experiment) available() map[string]strategy.Description {
	known := map[string]strategy.Description{}
	if x.Sites() {
		for _, d := range siteStrategies() {
			known[d.Name] = d
		}
		return known
	}
	for _, d := range x.pageStrategies() {
		known[d.Name] = d
	}
	known[Oracle] = strategy.Description{Name: Oracle}
	return known
}

// unknown records a strategy that the experiment cannot use: one of crawls for pages in a town, one of
// crawls for sites elsewhere, or one that does not exist.
func (c *checker) unknown(path, name string, known []string, sites bool) {
	is := func(d strategy.Description) bool { return d.Name == name }
	switch {
	case sites && (name == Oracle || slices.ContainsFunc(strategy.All(), is)):
		c.fail(path, name+" looks for pages, and a town has sites", "use one of: "+strings.Join(known, ", "))
	case !sites && slices.ContainsFunc(siteStrategies(), is):
		c.fail(path, name+" looks for whole sites, which only towns have", "write web: {town: {sites: 2000}}, or use a strategy for pages")
	default:
		c.fail(path, fmt.Sprintf("unknown strategy %q", name), mistake.Suggestion(name, known))
	}
}

// pageStrategies returns the strategies for crawls of pages: those of dowse, and those of
// the program that runs the experiment.
func (x *Experiment) pageStrategies() []strategy.Description {
	return append(strategy.All(), x.own...)
}

// options checks the keys of a strategy other than its parameters: some apply
// to page crawls only, one to site crawls only.
func (c *checker) options(path string, s Strategy, sites bool) {
	if sites && (s.Seeds != "" || s.Best != 0 || s.Trace != "" || s.Learn != "" || s.Without != "" || s.TGraph != "" || s.Templates != "") {
		c.fail(path, "seeds, best, trace, learn, without, tgraph and templates apply to page crawls only", "leave them out in an experiment on towns")
	}
	if !sites && s.Confidence != "" {
		c.fail(path, "confidence applies to site crawls only", "leave it out in an experiment on pages")
	}
	for _, o := range []struct{ key, value, choices string }{
		{"seeds", s.Seeds, strings.Join(seedKinds, " ")}, {"trace", s.Trace, "early late"}, {"learn", s.Learn, "early late"}, {"without", s.Without, withoutLinks + " " + withoutClasses + " " + withoutVectors + " " + withoutKinds},
		{"tgraph", s.TGraph, upwards + " " + downwards}, {"templates", s.Templates, "judge links judge,links"}, {"confidence", s.Confidence, invlog + " " + literal},
	} {
		if o.value != "" && !slices.Contains(strings.Fields(o.choices), o.value) {
			c.fail(path+"."+o.key, fmt.Sprintf("unknown value %q", o.value), mistake.Suggestion(o.value, strings.Fields(o.choices)))
		}
	}
	if s.Best < 0 || s.Best > 100 {
		c.fail(path+".best", fmt.Sprintf("the best of %d crawls", s.Best), "use 1 to 100")
	}
}

// Variants lists the strategies with one value per parameter, in the order of the
// file.
func (x *Experiment) Variants() (list []Variant) {
	for _, s := range x.Strategies {
		list = append(list, s.variants()...)
	}
	return list
}

// variants returns one variant per combination of parameter values, in the
// order of the parameters' names. It stops at about 2,000, more than a file may
// have, so that a hostile file cannot exhaust memory before it is refused. A
// label of one's own is followed by the parameters that vary.
func (s Strategy) variants() []Variant {
	keys := slices.Sorted(maps.Keys(s.Params))
	list := []Variant{{Seeds: s.Seeds, Best: s.Best, Trace: s.Trace, Without: s.Without, TGraph: s.graph(), Learn: s.Learn, Confidence: s.Confidence, Templates: s.Templates}}
	several := false
	for _, k := range keys {
		var next []Variant
		several = several || len(s.Params[k]) > 1
		for _, v := range list {
			for _, value := range s.Params[k] {
				if len(next) <= 2000 {
					next = append(next, v.with(k, value, len(s.Params[k]) > 1))
				}
			}
		}
		list = next
	}
	for i, v := range list {
		switch {
		case s.Label != "" && several:
			v.Label = s.Label + " " + v.Label
		case s.Label != "":
			v.Label = s.Label
		default:
			v.Label = strings.TrimSuffix(s.Name+":"+v.Spec, ":")
		}
		v.Spec = strings.TrimSuffix(s.Name+":"+v.Spec, ":")
		list[i] = v
	}
	return list
}

// graph returns the T-Graph that the strategy is given, "" for the one that is built upwards,
// so that crawls from before there was a choice keep their names.
func (s Strategy) graph() string {
	if s.TGraph == upwards {
		return ""
	}
	return s.TGraph
}

// with adds a parameter to the specification, and to the label if its value
// varies.
func (v Variant) with(key, value string, varies bool) Variant {
	pair := key + "=" + value
	if varies {
		v.Label = strings.TrimPrefix(v.Label+" "+pair, " ")
	}
	v.Spec = strings.TrimPrefix(v.Spec+","+pair, ",")
	return v
}

// UnmarshalYAML accepts one web or a list of them.
func (w *Webs) UnmarshalYAML(decode func(any) error) error {
	var list []Web
	err := decode(&list)
	if err == nil {
		*w = list
		return nil
	}
	var items []any
	if decode(&items) == nil { // a list, and the mistake is in one of its webs
		return err
	}
	var one Web
	if err := decode(&one); err != nil {
		return err
	}
	*w = Webs{one}
	return nil
}

// UnmarshalYAML accepts "demo", "campus", a path, or a mapping.
func (w *Web) UnmarshalYAML(decode func(any) error) error {
	var s string
	switch err := decode(&s); {
	case err == nil && s == "demo":
		w.Demo = &Demo{}
		return nil
	case err == nil && s == "campus":
		w.Campus = &Demo{}
		return nil
	case err == nil:
		w.Path = s
		return nil
	}
	type plain Web
	return decode((*plain)(w))
}

// UnmarshalYAML accepts a list of topics or a mapping.
func (t *Topics) UnmarshalYAML(decode func(any) error) error {
	if decode(&t.List) == nil {
		return nil
	}
	type plain Topics
	return decode((*plain)(t))
}

// UnmarshalYAML reads durations in Go's notation, as 500ms. A value that is not
// one is recorded and reported later, with its place.
func (t *timing) UnmarshalYAML(decode func(any) error) error {
	var raw struct {
		Workers        int
		Latency, Delay string
	}
	if err := decode(&raw); err != nil {
		return err
	}
	t.Workers = raw.Workers
	for _, d := range []struct {
		name, text string
		to         *time.Duration
	}{{"latency", raw.Latency, &t.Latency}, {"delay", raw.Delay, &t.Delay}} {
		var err error
		if *d.to, err = time.ParseDuration(cmp.Or(d.text, "0s")); err != nil && t.wrong == "" {
			t.wrong = d.name
		}
	}
	return nil
}

// UnmarshalYAML accepts a name or a mapping.
func (s *Strategy) UnmarshalYAML(decode func(any) error) error {
	if decode(&s.Name) == nil {
		return nil
	}
	type plain Strategy
	return decode((*plain)(s))
}

// UnmarshalYAML accepts one value or a list of them. Values are kept as text,
// since a strategy parses its own parameters.
func (v *paramValues) UnmarshalYAML(decode func(any) error) error {
	var list []any
	if decode(&list) != nil {
		var one any
		if err := decode(&one); err != nil {
			return err
		}
		list = []any{one}
	}
	for _, x := range list {
		*v = append(*v, fmt.Sprint(x))
	}
	return nil
}

// Check checks an experiment that was changed in memory, as [Parse] does, and
// returns its text. Defaults are filled in as there. It writes the experiment
// as YAML and parses that, so that nothing can be run that could not be read
// from a file.
func (x *Experiment) Check() ([]byte, error) {
	text, err := yaml.Marshal(x)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	fresh, err := Parse(text, x.Name)
	if err != nil {
		return nil, err
	}
	*x = *fresh
	return text, nil
}

// Relocate makes the relative paths of the experiment absolute or relative to the
// current folder; they are given relative to base.
func (x *Experiment) Relocate(base string) {
	x.eachPath(func(path *string) {
		if !filepath.IsAbs(*path) {
			*path = filepath.Join(base, *path)
		}
	})
}

// eachPath calls do for every path of a file or folder that the experiment names.
func (x *Experiment) eachPath(do func(path *string)) {
	each := func(paths ...*string) {
		for _, p := range paths {
			if *p != "" {
				do(p)
			}
		}
	}
	list := func(paths []string) {
		for i := range paths {
			each(&paths[i])
		}
	}
	for i := range x.Web {
		w := &x.Web[i]
		each(&w.Hubs, &w.Labels)
		list(w.Paths)
		list(w.Traces)
		if w.Town != nil {
			each(&w.Town.Labels)
			list(w.Town.Recorded)
		}
	}
	if f := &x.Topics.From; *f != "web" {
		each(f)
	}
	if x.Classes != topicClasses {
		each(&x.Classes)
	}
	each(&x.Vectors, &x.WordNet)
}
