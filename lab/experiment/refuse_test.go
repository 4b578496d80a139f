package experiment

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/internal/lab/measure"
)

// TestRefused checks that values of the right form that make no sense are refused with
// their place, the cause, and what to write instead.
func TestRefused(t *testing.T) {
	const head, pages, town = "dowse: lab/v1\nname: x\n", "strategies: [random]\n", "web: {town: {sites: 100}}\nstrategies:\n"
	for _, test := range []struct{ text, at, problem, fix string }{
		{"dowse: lab/v1\nname: Über\n" + pages, "2:7", `"Über" is not a valid name`, "lower case"},
		{"dowse: lab/v1\nname: ../x\n" + pages, "2:7", `"../x"`, "lower case"},
		{head + pages + "web: {demo: {pages: 10}}\n", "4:21", "10 pages", "1,000 to 1,000,000"},
		{head + pages + "web: [demo, {demo: {pages: 2000000}}]\n", "4:28", "2000000 pages", "1,000,000"},
		{head + pages + "web: {demo: {pages: 2000}, hubs: h.warc.gz}\n", "4:34", "hubs of its own", "recorded web"},
		{head + pages + "web: {demo: {pages: 2000}, path: a.warc.gz}\n", "4:6", "either synthetic or recorded", "demo"},
		{head + pages + "web: [demo, demo]\n", "4:13", "two webs are named demo", "{demo: {seed: 2}}"},
		{head + pages + "web: [{demo: {seeds: [3, 3]}}]\n", "4:7", "two webs are named demo-3", "leave one of them out"},
		{head + pages + "web: [{path: a/wiki.warc.gz}, {path: b/wiki.web}]\n", "4:31", "two webs are named wiki", "name:"},
		{head + pages + "web: [demo, {town: {sites: 100}}]\n", "4:6", "towns and other webs", "one experiment for sites"},
		{head + pages + "tests: {alpha: 1}\n", "4:16", "1 is not a level of significance", "0.05"},
		{head + pages + "tests: {alpha: -0.5}\n", "4:16", "-0.5", "between 0 and 1"},
		{head + pages + "tests: {test: anova}\n", "4:15", `"anova"`, "wilcoxon"},
		{head + pages + "tests: {paired_over: pages}\n", "4:22", `"pages"`, "topics"},
		{head + pages + "time: {latency: -1s}\n", "4:", "negative duration", "500ms"},
		{head + pages + "time: {workers: 0}\n", "4:17", "0 is out of range", "leave it out"},
		{head + pages + "seeds: {from: nowhere}\n", "4:15", `"nowhere"`, "training"},
		{head + pages + "training: {from: thin air}\n", "4:18", `"thin air"`, "web"},
		{head + pages + "budget: {clock: wall}\n", "4:17", `"wall"`, "simulated"},
		{head + "strategies:\n  - {name: random, best: 101}\n", "4:26", "the best of 101 crawls", "1 to 100"},
		{head + "strategies:\n  - {name: random, best: -1}\n", "4:26", "the best of -1 crawls", "1 to 100"},
		{head + "strategies:\n  - {name: random, seeds: any}\n", "4:27", `"any"`, "training"},
		{head + "strategies:\n  - {name: collaborative, trace: noon}\n", "4:34", `"noon"`, "early"},
		{head + "strategies:\n  - {name: random, confidence: literal}\n", "4:", "site crawls only", "leave it out"},
		{head + "strategies:\n  - {name: otie, params: {a: []}}\n", "4:", "parameter a of otie has no value", "give one"},
		{head + "strategies:\n  - {name: otie, params: {a: [0.5, 0.5]}}\n", "4:", "two strategies have the label", "another label"},
		{head + town + "  - random\n", "5:5", "random looks for pages", "site"},
		{head + town + "  - oracle\n", "5:5", "oracle looks for pages", "site-oracle"},
		{head + town + "  - sit\n", "5:5", `unknown strategy "sit"`, `"site"`},
		{head + "strategies: [site-pages]\n", "3:14", "site-pages looks for whole sites", "town"},
		{head + "strategies: [site]\nweb: {town: {sites: 5}}\n", "4:21", "a town of 5 sites", "100 to 1,000,000"},
		{head + "strategies: [site]\nweb: {town: {sites: 100, find: -1}}\n", "4:32", "-1 is out of range", "leave it out"},
		{head + "strategies: [site]\nweb: {town: {recorded: [a.warc], topic: Top/A, sites: 100}}\n", "4:", "that were recorded", "leave sites and local out"},
		{head + "strategies: [site]\nweb: {town: {sites: 100, labels: a.tsv}}\n", "4:", "labels of its own", "recorded"},
		{head + town + "  - {name: site, best: 3}\n", "5:", "page crawls only", "leave them out"},
		{head + town + "  - {name: site, confidence: exact}\n", "5:", `"exact"`, "invlog"},
		{head + pages + "measures: [harvest@end, harvest@]\n", "4:", "harvest@", ""},
		{head + pages + "checks: [{claim: a, expect: random.harvest > otie.harvest}]\n", "4:", "otie", ""},
	} {
		_, err := Parse([]byte(test.text), "x.yaml")
		var e *fileError
		if !errors.As(err, &e) {
			t.Errorf("%q: %v, want an error with its place", test.text, err)
			continue
		}
		if !strings.HasPrefix(e.Error(), "x.yaml:"+test.at) || !strings.Contains(e.Problem, test.problem) || !strings.Contains(e.Fix, test.fix) || e.Fix == "" {
			t.Errorf("%q:\n got %v\nwant %s … %s … %s", test.text, e, test.at, test.problem, test.fix)
		}
	}
}

// TestMeasuresWithoutAValue: a file whose measures or claims can have no value is refused with the
// place; the same experiment with another budget, as -n gives it, is not.
func TestMeasuresWithoutAValue(t *testing.T) {
	const head = "dowse: lab/v1\nname: x\nbudget: {pages: 100}\nstrategies: [random]\n"
	for _, test := range []struct{ text, at, problem string }{
		{"measures: [harvest@500]\n", "5:12", "after the end of the crawls (100 pages)"},
		{"measures: [auc_rel]\n", "5:12", "the oracle, which does not take part"},
		{"measures: [pprs]\n", "5:12", "applies to site crawls"},
		{"checks: [{claim: a, expect: random.harvest@500 > 0.1}]\n", "5:", "after the end of the crawls"},
	} {
		file := filepath.Join(t.TempDir(), "x.yaml")
		if err := os.WriteFile(file, []byte(head+test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, err := Load(file)
		var e *fileError
		if !errors.As(err, &e) || !strings.HasPrefix(e.Error(), file+":"+test.at) || !strings.Contains(e.Problem, test.problem) || e.Fix == "" {
			t.Errorf("%q: %v, want %s … %s", test.text, err, test.at, test.problem)
		}
		if _, err := Parse([]byte(head+test.text), "x.yaml"); err != nil {
			t.Errorf("%q: changed after it was read: %v", test.text, err)
		}
	}
}

// TestShortages: topics with fewer links, seeds or listed pages than asked for are counted.
func TestShortages(t *testing.T) {
	var s shortages
	for _, has := range []int{64, 12, 30, 64} {
		s.count("labelled links", 64, has)
	}
	s.count("seeds", 3, 3)
	s.count("listed seeds", 10, 1)
	want := []string{"labelled links: 12 to 30 instead of 64 on 2 of 4 topics", "listed seeds: 1 instead of 10 on 1 of 4 topics"}
	if got := s.sentences(4); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTooManyVariants checks that a small file cannot ask for a million crawls, and that it
// is refused before they are listed in memory.
func TestTooManyVariants(t *testing.T) {
	values := "[" + strings.TrimSuffix(strings.Repeat("0.5, 0.6, 0.7, 0.8, 0.9, ", 20), ", ") + "]"
	_, err := Parse([]byte("dowse: lab/v1\nname: x\nstrategies:\n  - {name: otie, params: {a: "+values+", d: "+values+", beta: "+values+"}}\n"), "x.yaml")
	var e *fileError
	if !errors.As(err, &e) || !strings.Contains(e.Problem, "at most 1000") {
		t.Errorf("a hundred values of three parameters: %v, want an error that names the limit", err)
	}
	if n := len((Strategy{Name: "otie", Params: map[string]paramValues{"a": make(paramValues, 5000), "d": make(paramValues, 5000)}}).variants()); n > 3000 {
		t.Errorf("%d variants were listed", n)
	}
}

// TestVariantLabels checks the names of strategies in tables: the whole specification, or
// a label of their own with those parameters that vary.
func TestVariantLabels(t *testing.T) {
	for _, c := range []struct {
		s    Strategy
		want []string // "spec | label"
	}{
		{Strategy{Name: "otie"}, []string{"otie | otie"}},
		{Strategy{Name: "otie", Label: "cash"}, []string{"otie | cash"}},
		{Strategy{Name: "otie", Params: map[string]paramValues{"d": {"3"}}}, []string{"otie:d=3 | otie:d=3"}},
		{Strategy{Name: "otie", Label: "cash", Params: map[string]paramValues{"d": {"3"}, "a": {"1", "2"}}}, []string{"otie:a=1,d=3 | cash a=1", "otie:a=2,d=3 | cash a=2"}},
		{Strategy{Name: "otie", Params: map[string]paramValues{"d": {"1", "3"}, "a": {"1", "2"}}}, []string{
			"otie:a=1,d=1 | otie:a=1,d=1", "otie:a=1,d=3 | otie:a=1,d=3", "otie:a=2,d=1 | otie:a=2,d=1", "otie:a=2,d=3 | otie:a=2,d=3"}},
	} {
		var got []string
		for _, v := range c.s.variants() {
			got = append(got, v.Spec+" | "+v.Label)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v:\n got %q\nwant %q", c.s, got, c.want)
		}
	}
}

// TestRelocate checks that relative paths of an experiment follow its file, and that
// absolute ones and "web" stay.
func TestRelocate(t *testing.T) {
	x := &Experiment{Topics: Topics{From: "topics.txt"}, Web: Webs{{Paths: []string{"a.warc.gz", "/b.warc.gz"}, Hubs: "h", Labels: "l.tsv", Traces: []string{"t.log"}}, {Demo: &Demo{}}}}
	x.Relocate("sub")
	w := x.Web[0]
	if want := []string{filepath.Join("sub", "a.warc.gz"), "/b.warc.gz"}; !slices.Equal(w.Paths, want) {
		t.Errorf("paths %q, want %q", w.Paths, want)
	}
	if w.Hubs != filepath.Join("sub", "h") || w.Labels != filepath.Join("sub", "l.tsv") || w.Traces[0] != filepath.Join("sub", "t.log") || x.Topics.From != filepath.Join("sub", "topics.txt") {
		t.Errorf("%+v, topics from %s", w, x.Topics.From)
	}
	if x.Web[1].Hubs != "" || x.Web[1].Labels != "" {
		t.Errorf("a web without files got some: %+v", x.Web[1])
	}
	x = &Experiment{Topics: Topics{From: "web"}}
	if x.Relocate("sub"); x.Topics.From != "web" {
		t.Errorf("topics from %q, want those of the web", x.Topics.From)
	}
}

// TestKeys checks which changes of an experiment make its crawls anew: those that decide
// what a crawl does, not those that are for readers.
func TestKeys(t *testing.T) {
	x := Experiment{Name: "x", Title: "t", Judge: "logistic", Budget: Budget{Pages: 100}, Seeds: Seeds{From: "training", Sets: 2}}
	key := keyOf(x.rules())
	for what, change := range map[string]func(x *Experiment){
		"title":      func(x *Experiment) { x.Title, x.About, x.Note = "other", "words", "for readers" },
		"name":       func(x *Experiment) { x.Name = "y" },
		"measures":   func(x *Experiment) { x.Measures, x.Checks = []string{"auc"}, []Check{{"a", "b"}} },
		"sets":       func(x *Experiment) { x.Seeds.Sets = 5 },
		"strategies": func(x *Experiment) { x.Strategies = []Strategy{{Name: "otie"}} },
	} {
		y := x
		if change(&y); keyOf(y.rules()) != key {
			t.Errorf("another %s makes all crawls anew", what)
		}
	}
	for what, change := range map[string]func(x *Experiment){
		"judge":  func(x *Experiment) { x.Judge = "svm" },
		"budget": func(x *Experiment) { x.Budget.Pages = 200 },
		"seed":   func(x *Experiment) { x.Seeds.Rng = 1 },
		"round":  func(x *Experiment) { x.Round = 50 },
		"graph":  func(x *Experiment) { x.TGraph.Depth = 2 },
	} {
		y := x
		if change(&y); keyOf(y.rules()) == key {
			t.Errorf("another %s keeps the names of crawls that did something else", what)
		}
	}
	if len(key) != 16 {
		t.Errorf("key %q, want 16 digits", key)
	}
}

// TestRandomNumbersByPurpose checks that equal purposes draw equal numbers, that others
// draw others, and that parts of a purpose cannot run into each other.
func TestRandomNumbersByPurpose(t *testing.T) {
	draw := func(r *rand.Rand) uint64 { return r.Uint64() }
	once, again := draw(newRand(1, "seeds", "web", "Top/A")), draw(newRand(1, "seeds", "web", "Top/A"))
	if once != again {
		t.Errorf("the same purpose draws %x, then %x", once, again)
	}
	seen := map[uint64]string{}
	for name, r := range map[string]*rand.Rand{
		"plain": newRand(1, "seeds", "web", "Top/A"), "other seed": newRand(2, "seeds", "web", "Top/A"), "other topic": newRand(1, "seeds", "web", "Top/B"),
		"other purpose": newRand(1, "training", "web", "Top/A"), "joined": newRand(1, "seedsweb", "Top/A"), "split": newRand(1, "seeds", "we", "bTop/A"),
	} {
		n := draw(r)
		if was, ok := seen[n]; ok {
			t.Errorf("%s and %s draw the same numbers", name, was)
		}
		seen[n] = name
	}
}

// TestReadTopics checks files of topics: comments and blank lines are ignored, a missing
// and an empty file are refused with what to write.
func TestReadTopics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "topics.txt")
	if err := os.WriteFile(path, []byte("\ufeffTop/A\r\n# two\n\n Top/B \n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := readTopics(path); err != nil || !slices.Equal(got, []string{"Top/A", "Top/B"}) {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.WriteFile(path, []byte("# none\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readTopics(path); err == nil || !strings.Contains(err.Error(), "one topic per line") {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := readTopics(path + ".none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// TestOrigins checks which link a trail names for a page: of the links that were known at
// its visit the one with the highest score, and none that was found later.
func TestOrigins(t *testing.T) {
	o := origins{taken: map[dowse.URL]origin{}}
	page := func(id frontier.ID, u dowse.URL, links ...crawl.Decision) *crawl.Entry {
		e := &crawl.Entry{Kind: crawl.EntryPage, ID: id, Page: &dowse.Page{URL: u, Outcome: dowse.Fetched}, Links: links}
		for range links {
			e.Found = append(e.Found, dowse.Link{Mention: dowse.Mention{}, More: []dowse.Mention{{}, {Anchor: "from " + string(u)}}})
		}
		return e
	}
	o.record(page(0, "seed", crawl.Decision{Target: 2, Offered: 0.3}, crawl.Decision{Target: 1, Offered: 1}))
	o.record(page(1, "better", crawl.Decision{Target: 2, Offered: 0.9}))
	o.record(page(3, "equal", crawl.Decision{Target: 2, Offered: 0.9}, crawl.Decision{Target: 4, Offered: 1, Reason: dowse.SkipTypeMIME}))
	o.record(page(2, "goal"))
	o.record(page(5, "late", crawl.Decision{Target: 2, Offered: 9}))
	o.record(page(4, "refused"))
	steps := measure.StepsOf(measure.Step{URL: "seed", Seed: true}, measure.Step{URL: "better"}, measure.Step{URL: "goal"}, measure.Step{URL: "refused"})
	o.writeTo(&steps)
	var got []string
	for _, s := range steps.All() {
		got = append(got, string(s.URL)+" < "+string(s.From)+" "+s.Anchor)
	}
	want := []string{"seed <  ", "better < seed from seed", "goal < better from better", "refused <  "}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("origins\n%q, want\n%q", got, want)
	}
}
