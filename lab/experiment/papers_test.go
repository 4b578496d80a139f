package experiment

import (
	"slices"
	"strings"
	"testing"

	"dowse/internal/lab/measure"
	"dowse/internal/lab/web"
)

// TestListedTruth: the home pages of the synthetic web are listed; the training pages have as
// many of them as asked for, seeds are among these, and the measures know how many are left.
func TestListedTruth(t *testing.T) {
	sequential(t)
	text := changed("{from: web, limit: 3}", "[Top/Nature/Coast/Tide_Pools, Top/Nature/Coast/Seabirds]", "{positives: 5, negatives: 10}", "{positives: 6, negatives: 12, listed: 2, from: topics}", "{per_topic: 2,", "{from: listed, per_topic: 2,", "sets: 2", "sets: 1")
	r := ran(t, text, Options{})
	for _, tr := range r.Trails {
		if tr.Topic != "Top/Nature/Coast/Tide_Pools" { // the other has one home page
			continue
		}
		listed := 0
		for _, u := range r.Relevant[tr.Topic] {
			if home := strings.Count(string(u), "/") == 3 && strings.HasSuffix(string(u), "/"); home != slices.Contains(r.Listed[tr.Topic], u) {
				t.Errorf("%s is a home page %v, but not listed as one", u, home)
			}
		}
		for _, u := range r.Trained[tr.Topic] {
			if slices.Contains(r.Listed[tr.Topic], u) {
				listed++
			}
		}
		if listed != 2 || tr.Listed != len(r.Listed[tr.Topic])-2 || tr.Targets != len(r.Relevant[tr.Topic])-6 {
			t.Errorf("%s: %d listed training pages of 2, %d of %d left, %d targets of %d", tr.Label, listed, tr.Listed, len(r.Listed[tr.Topic]), tr.Targets, len(r.Relevant[tr.Topic]))
		}
		for _, s := range tr.Steps.All() {
			if s.Seed && (!s.Listed || !s.Trained) {
				t.Errorf("seed %s is not a listed training page", s.URL)
			}
		}
	}
}

// TestMeasuredByAnother: the judge that measures changes the verdicts of the steps and no
// visit.
func TestMeasuredByAnother(t *testing.T) {
	sequential(t)
	one := changed("limit: 3", "limit: 1", "sets: 2", "sets: 1", "oracle]", "oracle]\njudge: svm")
	alone, voted := ran(t, one, Options{}), ran(t, one+"measured_by: vote\n", Options{})
	differ := false
	for i := range alone.Trails {
		a, b := stepsOf(&alone.Trails[i]), stepsOf(&voted.Trails[i])
		if !slices.EqualFunc(a, b, func(x, y measure.Step) bool { return x.URL == y.URL && x.At == y.At }) {
			t.Errorf("%s visits other pages where another judge measures", alone.Trails[i].Label)
		}
		differ = differ || !slices.EqualFunc(a, b, func(x, y measure.Step) bool { return x.Judged == y.Judged })
	}
	if !differ {
		t.Error("the vote rates every page as the SVM does")
	}
}

// TestLabelledLinks: strategies get as many links as asked for, of both kinds, with their
// anchors; their targets are training pages and no targets, and a variant may do without.
func TestLabelledLinks(t *testing.T) {
	text := changed("limit: 3", "limit: 1", "negatives: 10}", "negatives: 10, links: 8}", "[breadth-first, random, link-context, oracle]", "[nb, {name: nb, label: bare, without: links}]")
	r, task, p, seeds := prepared1(t, text)
	on := 0
	for _, l := range p.needs.Links {
		i, _ := task.source.web.Find(l.URL)
		if end, moved := task.source.graph.Alias(i); moved {
			i = end
		}
		if l.Relevant != p.wanted[i] || !p.train[i] {
			t.Errorf("%s: relevant %v, trained on %v", l.URL, p.wanted[i], p.train[i])
		}
		if l.Relevant {
			on++
		}
	}
	if len(p.needs.Links) != 8 || on != 4 {
		t.Errorf("%d links, %d of them to relevant pages; want 8 and 4", len(p.needs.Links), on)
	}
	v := r.x.Variants()
	if n := task.needsOf(p, v[1]); n.Links != nil {
		t.Errorf("a variant without links has %d", len(n.Links))
	}
	trail := task.trail(v[0], 0, p, seeds)
	if want := count(p.wanted) - len(task.draw.positives) - on; trail.Targets != want {
		t.Errorf("%d targets, want %d", trail.Targets, want)
	}
	if len(r.jobs[0].key) == 0 || r.jobs[0].key == r.jobs[1].key {
		t.Error("a crawl with links has the name of one without")
	}
}

// TestClassesOfTopics: every topic has a class of its own, below those of the paths that it
// is in, and the strategy is given the one of its topic.
func TestClassesOfTopics(t *testing.T) {
	text := changed("limit: 3", "limit: 1", "sets: 2", "sets: 1", "[breadth-first, random, link-context, oracle]", "[treasure, {name: treasure, label: bare, without: classes}]\nclasses: topics")
	_, task, p, _ := prepared1(t, text)
	codes := map[string]bool{}
	for topic, code := range task.classes.topics {
		if codes[code] {
			t.Errorf("%s shares the class %s", topic, code)
		}
		codes[code] = true
		if len(code) != strings.Count(topic, "/") {
			t.Errorf("%s has the class %q", topic, code)
		}
	}
	if len(codes) != 20 {
		t.Errorf("%d classes of topics, want 20", len(codes))
	}
	v := task.x.Variants()
	if got, want := task.specOf(v[0]), "treasure:codes="+task.classes.topics[task.topic]; got != want {
		t.Errorf("the strategy is %s, want %s", got, want)
	}
	if got := task.specOf(v[1]); got != "treasure" {
		t.Errorf("without classes it is %s", got)
	}
	if n := task.needsOf(p, v[0]); len(n.Classes) < 20 || n.TGraph == nil {
		t.Errorf("%d classes", len(n.Classes))
	}
}

// TestPortals: generic crawls may begin at portals, of which none is on topic.
func TestPortals(t *testing.T) {
	_, task, p, _ := prepared1(t, changed("limit: 3", "limit: 1", "{per_topic: 2,", "{from: portals, per_topic: 3,"))
	for _, i := range task.seeds(0, "") {
		host := string(task.source.web.URL(i))
		if p.wanted[i] || strings.Count(host, "/") != 3 {
			t.Errorf("%s is no portal", host)
		}
	}
	recorded := labelledWeb{web: task.source.web, graph: task.source.graph, labels: task.source.labels} // labels that were read from a file name no portals
	var file strings.Builder
	if err := recorded.labels.Write(&file); err != nil {
		t.Fatal(err)
	}
	var err error
	if recorded.labels, err = web.ReadLabels(strings.NewReader(file.String())); err != nil {
		t.Fatal(err)
	}
	task.source = &recorded
	list := task.portals()
	if len(list) != 20 {
		t.Fatalf("%d portals of a recorded web, want 20", len(list))
	}
	for i := 1; i < len(list); i++ {
		if a, b := len(task.source.graph.Out(list[i-1])), len(task.source.graph.Out(list[i])); a < b || p.wanted[list[i]] {
			t.Errorf("a portal with %d links after one with %d", b, a)
		}
	}
}

// TestRoundOfAVariant: a strategy that says how many leads are in a round is taken at its
// word; otherwise rounds are those of its paper.
func TestRoundOfAVariant(t *testing.T) {
	_, task, p, seeds := prepared1(t, changed("limit: 3", "limit: 1", "[breadth-first, random, link-context, oracle]", "[link-context, {name: link-context, label: ten, params: {round: 10}}, random]"))
	for i, want := range []int{50, 10, 0} {
		v := task.x.Variants()[i]
		s, err := task.strategy(v, p, seeds)
		if err != nil {
			t.Fatal(err)
		}
		if got := task.config(v, s, p).Round; got != want {
			t.Errorf("%s: %d leads to a round, want %d", v.Label, got, want)
		}
	}
}
