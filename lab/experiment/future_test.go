package experiment

import (
	"errors"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/internal/tgraph"
)

// TestTopDownInputs prepares a strategy that counts clicks, with a T-Graph that is built
// top-down: it gets a trace although its defaults need none, and a T-Graph that no label
// was used for.
func TestTopDownInputs(t *testing.T) {
	sequential(t)
	text := changed("limit: 3", "limit: 1", "strategies: [breadth-first, random, link-context, oracle]",
		"session_gap: 10m\nstrategies:\n  - {name: treasure, params: {clicks: 1}, tgraph: down}\n  - {name: treasure, label: up}")
	_, task, p, _ := prepared1(t, text)
	v := task.x.Variants()
	down, up := task.needsOf(p, v[0]), task.needsOf(p, v[1])
	if down.Trace == nil || down.TGraph == nil || down.TGraph != p.down || up.TGraph == p.down || up.TGraph == nil {
		t.Fatalf("inputs: trace %v, T-Graph of its own %v", down.Trace != nil, down.TGraph == p.down && up.TGraph != p.down)
	}
	for _, page := range down.TGraph.Pages {
		i, ok := task.source.web.Find(page.URL)
		if page.Level == 0 && (!ok || p.judged.Relevance(i) < p.onTopic && !p.train[i]) {
			t.Errorf("%s is a target, and neither a training page nor on topic by the judge", page.URL)
		}
	}
	// A walk that ends before the targets goes through the whole web.
	walk, builder := task.walk(p), tgraph.Builder{}
	walk.Pages = 1
	if _, err := builder.BuildDown(walk); !errors.Is(err, tgraph.ErrWalk) {
		t.Fatalf("a walk of one page: %v", err)
	}
	if g, err := task.buildDown(builder, walk); err != nil || len(g.Pages) == 0 {
		t.Errorf("the walk did not go on: %v", err)
	}
	walk.Target = func(dowse.URL, *dowse.Document) bool { return false }
	if _, err := task.buildDown(builder, walk); !errors.Is(err, tgraph.ErrWalk) {
		t.Errorf("a web without targets: %v", err)
	}
	if gap, err := task.x.sessionGap(); err != nil || gap != 10*time.Minute {
		t.Errorf("session gap %v, %v", gap, err)
	}
}

// TestFutureSettingsAreChecked spoils settings of experiments.
func TestFutureSettingsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		small + "session_gap: soon\n":                             `session_gap "soon" is not a pause`,
		small + "session_gap: -5m\n":                              `session_gap "-5m" is not a pause`,
		changed("random,", "{name: treasure, tgraph: sideways},"): `unknown value "sideways"`,
		"dowse: lab/v1\nname: t\nweb: {town: {sites: 200}}\npredicate: word(half)\nstrategies: [site]\n":                               "word(half) applies to page crawls only",
		"dowse: lab/v1\nname: t\nweb: {town: {sites: 200}}\nstrategies: [{name: site, params: {order: hub}}]\n":                        "order=hub",
		"dowse: lab/v1\nname: t\nweb: {town: {sites: 200}}\nstrategies: [{name: site, tgraph: down}]\n":                                "apply to page crawls only",
		changed("random,", "{name: collaborative, params: {user-factors: people}},", "link-context", "{name: otie, params: {hub: 2}}"): "want 0 to 1",
	} {
		if _, err := Parse([]byte(text), "x.yaml"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// TestPagesInTowns looks for pages in a town: those that count are of sites on topic, on the
// topic themselves, and have the word.
func TestPagesInTowns(t *testing.T) {
	sequential(t)
	r := ran(t, "dowse: lab/v1\nname: t\nweb: {town: {sites: 200, find: 5, seeds: [1]}}\npredicate: keyword(tide)\nbudget: {pages: 200}\n"+
		"strategies: [{name: site, label: plain}, {name: site, label: scan, params: {scan: 10}}, site-pages]\n", Options{})
	found := map[string]int{}
	for i := range r.Trails {
		trail := &r.Trails[i]
		for _, s := range trail.Steps.All() {
			if s.Relevant {
				found[trail.Label]++
			}
		}
		if trail.Steps.Len() == 0 {
			t.Errorf("%s fetched nothing", trail.Label)
		}
	}
	if found["scan"] <= found["plain"] {
		t.Errorf("found %v, want more with the second stage", found)
	}
}
