package experiment

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dowse/internal/lab/measure"
)

// TestShipped reads all experiments that come with dowse: each has a description, and claims
// only what its own strategies can bear out.
func TestShipped(t *testing.T) {
	sequential(t)
	rows := map[string]bool{}
	for _, x := range Shipped() {
		if x.Title == "" || x.Name != "demo" && x.Paper == "" || len(x.Checks) == 0 {
			t.Errorf("%s has no description, or claims nothing", x.Name)
		}
		var runs measure.Runs
		for _, v := range x.Variants() {
			runs.Trails = append(runs.Trails, measure.Trail{Strategy: v.Spec, Label: v.Label})
		}
		for _, k := range x.Checks {
			c, err := measure.ParseClaim(k.Expect)
			if err != nil {
				t.Fatal(err)
			}
			if missing := c.Unknown(&runs); len(missing) > 0 {
				t.Errorf("%s: %s names %q, which it does not run", x.Name, k.Expect, missing)
			}
		}
		for _, name := range append(slices.Clone(x.Rows), x.Name) {
			if rows[name] {
				t.Errorf("%s is given by two experiments", name)
			}
			rows[name] = true
			if got, _, err := ByName(name); err != nil || got.Name != x.Name {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, key := range x.Cite {
			if w := works()[key]; !strings.Contains(w.BibTeX, "{"+key+",") || w.Text == "" {
				t.Errorf("%s: %+v", key, w)
			}
		}
	}
	for _, name := range strings.Fields("000-f2 000-f3 000-t2 001-f2 001-f3 002-f3 002-f4 002-f5 002-f6 002-f7 002-f8 002-f9 002-f10 003-t2 003-f6 003-f7 003-single 004-f2 004-f3 004-f4 004-f5 004-f6 004-f7 first-truth") {
		if !rows[name] {
			t.Errorf("no experiment gives %s", name)
		}
	}
}

func TestOn(t *testing.T) {
	for name, skips := range map[string]bool{"000-f3": false, "000-t2": true, "003-f6": true, "004-f4": false} {
		x, _, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		if why := x.On(Web{Paths: []string{"w.warc.gz"}}); (why != "") != skips {
			t.Errorf("%s on a recorded web: %q", name, why)
		}
		if !skips && (x.Web[0].Paths[0] != "w.warc.gz" || x.Budget.Pages != x.Recorded.Pages) {
			t.Errorf("%s: %+v", name, x)
		}
	}
}

const learning = `dowse: lab/v1
name: learning
web: {demo: {pages: 1000}}
topics: [Top/Nature/Coast/Tide_Pools]
predicate: word(half)
training: {positives: 5, negatives: 10}
seeds: {per_topic: 2, rng: 3}
budget: {pages: 60}
strategies:
  - {name: combined, label: cold, trace: late}
  - {name: combined, label: warm, trace: late, learn: early}
  - {name: intelligent, label: best, best: 3}
  - intelligent
  - {name: breadth-first, label: generic, seeds: generic}
  - breadth-first
  - {name: nb, label: no learning}
`

// TestLearning starts a crawl with what another has learnt, takes the best of three, and
// begins elsewhere. The predicate is a topic and a word that half of its pages have.
func TestLearning(t *testing.T) {
	sequential(t)
	r := ran(t, learning, Options{})
	of := func(label string) measure.Trail { return r.byLabel(label)[0] }
	cold, warm := of("cold"), of("warm")
	if slices.EqualFunc(stepsOf(&cold), stepsOf(&warm), func(a, b measure.Step) bool { return a.URL == b.URL }) {
		t.Error("what was learnt changes nothing")
	}
	best, one := of("best"), of("intelligent")
	if harvest(&best) < harvest(&one) {
		t.Errorf("the best of three has a harvest of %v, the first alone %v", harvest(&best), harvest(&one))
	}
	if g, b := of("generic"), of("breadth-first"); g.Steps.Relevant(1) != 0 || b.Steps.Relevant(1) != 1 {
		t.Error("seeds are not those that the experiment names")
	}
	whole := ran(t, strings.Replace(learning, "predicate: word(half)\n", "", 1), Options{})
	all, half := whole.Trails[0].Relevant, cold.Relevant
	if share := float64(half) / float64(all); share < 0.35 || share > 0.65 {
		t.Errorf("%d of %d pages have the word", half, all)
	}
	links := 0
	breadth := of("breadth-first")
	for _, s := range breadth.Steps.All() {
		if s.Seed != (s.From == "") && !s.Seed {
			t.Errorf("nothing led to %s", s.URL)
		}
		links += len(s.Anchor)
	}
	if links == 0 {
		t.Error("no link has an anchor")
	}
	if _, err := Run(t.Context(), parsed(t, strings.Replace(learning, "name: combined, label: warm", "name: opic, label: warm", 1)), Options{Cache: cache}); err == nil || !strings.Contains(err.Error(), "does not learn") {
		t.Errorf("opic learns: %v", err)
	}
}

const towns = `dowse: lab/v1
name: towns
web: {town: {sites: 200, seeds: [1], find: 8}}
budget: {pages: 2000}
strategies:
  - {name: site, label: sure, params: {p_threshold: 0.9}}
  - homepages
  - site-pages
  - {name: site, label: literal, confidence: literal}
measures: [site_f@end, pprs@end, pages_per_site@end, sites_by_one@end]
`

// TestTowns looks for whole sites in towns, with several workers and then with one: the same
// bytes, and sites with truth and verdict.
func TestTowns(t *testing.T) {
	dir := t.TempDir()
	text := towns
	if testing.Short() { // the race detector makes it slow
		text = strings.NewReplacer("find: 8", "find: 3", "pages: 2000", "pages: 300", "  - {name: site, label: literal, confidence: literal}\n", "").Replace(text)
	}
	r := ran(t, text, Options{Dir: dir, Jobs: 4})
	if len(r.Trails) != len(r.Experiment.Strategies) || r.Webs[0].Hosts < 150 || len(r.Relevant["town-1"]) == 0 {
		t.Fatalf("%d crawls on %+v", len(r.Trails), r.Webs)
	}
	for _, trail := range r.Trails {
		found := 0
		for _, s := range trail.Sites {
			if s.Relevant && s.Verdict {
				found++
			}
		}
		if len(trail.Sites) < 3 || found == 0 || trail.Steps.Len() < len(trail.Sites) {
			t.Errorf("%s on %s: %d of %d sites found, %d pages", trail.Label, trail.Topic, found, len(trail.Sites), trail.Steps.Len())
		}
	}
	if testing.Short() {
		return
	}
	if v, err := Verify(t.Context(), dir, Options{Cache: cache, Jobs: 1}); err != nil || len(v.Differences) > 0 {
		t.Errorf("Verify: %+v, %v; want no differences", v, err)
	}
}

// TestWrongOptions checks the errors for keys of a strategy other than parameters.
func TestWrongOptions(t *testing.T) {
	for text, want := range map[string]string{
		strings.Replace(learning, "learn: early", "learn: erly", 1):                              `unknown value "erly"; did you mean "early"?`,
		strings.Replace(learning, "best: 3", "best: 300", 1):                                     "use 1 to 100",
		strings.Replace(towns, "confidence: literal", "confidence: printed", 1):                  `unknown value "printed"`,
		strings.Replace(learning, "best: 3", "confidence: literal", 1):                           "confidence applies to site crawls only",
		strings.Replace(towns, "homepages", "otie", 1):                                           "otie looks for pages",
		strings.Replace(towns, "label: sure", "label: sure, best: 2", 1):                         "apply to page crawls only",
		strings.Replace(towns, "budget:", "cite: [wang2008]\nbudget:", 1):                        `did you mean "wang2009"`,
		strings.Replace(towns, "web: {town: {sites: 200", "web: {path: x, town: {sites: 200", 1): "a web is either synthetic or recorded",
	} {
		if _, err := Parse([]byte(text), "x.yaml"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// TestExampleExperiments: the experiments among the examples can be read.
func TestExampleExperiments(t *testing.T) {
	files, err := filepath.Glob("../../docs/examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, path := range files {
		if strings.HasSuffix(path, ".topic.yaml") {
			continue
		}
		if _, _, err := Load(path); err != nil {
			t.Error(err)
		}
		read++
	}
	if read == 0 {
		t.Error("there are none")
	}
}

// byLabel returns the trails of one strategy.
func (r *Results) byLabel(label string) (list []measure.Trail) {
	return slices.DeleteFunc(slices.Clone(r.Trails), func(t measure.Trail) bool { return t.Label != label })
}
