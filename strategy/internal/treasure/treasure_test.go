package treasure_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/text"
	"dowse/internal/tgraph"
	"dowse/judge"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/strategy/internal/treasure"
	"dowse/strategy/strategytest"
)

// goldenLink is a link as the vectors write it down.
type goldenLink struct {
	ID, Anchor, Around, Ish, Sh, Mh string
}

func (l goldenLink) text() tgraph.LinkText {
	return tgraph.LinkText{Main: l.Mh, Sub: l.Sh, Under: l.Ish, Anchor: l.Anchor, Around: l.Around}
}

// page is a page with the link in it, in its block under its headings.
func (l goldenLink) page() *dowse.Page { return linkingPage(l.text()) }

var goldenStop []string

// goldenAnalyzer has the stop words of the vectors.
func goldenAnalyzer(t *testing.T) *text.Analyzer {
	t.Helper()
	for _, g := range vectors(t, "treasure") {
		if g.Name == "d_number" {
			goldenStop = decode[struct{ Stop []string }](t, g.Input).Stop
		}
	}
	return text.NewAnalyzer(text.Options{Stop: goldenStop})
}

func TestGoldenTreasure(t *testing.T) {
	runGolden(t, "treasure", map[string]func(*testing.T, goldenCase){
		"d_number":           goldenDNumbers,
		"anchor_impact_flip": goldenFlip,
		"osm_priority":       goldenPriorities,
		"build_bottom_up":    goldenBottomUp,
		"aging_queue":        goldenAging,
		"starvation_bound":   goldenStarvation,
		"seed_table3_sum":    goldenTable3,
	})
}

type goldenClass struct {
	Votes  map[string]float64
	Phases []struct {
		Totals map[string]float64
		Kept   []string
	}
	Final   []string
	OnTopic bool `json:"on_topic"`
}

// classes makes the classification of the vectors.
func classes(t *testing.T) *judge.Digits {
	t.Helper()
	for _, g := range vectors(t, "treasure") {
		if g.Name != "d_number" {
			continue
		}
		in := decode[struct {
			DDC     []judge.Code
			Desired []string
		}](t, g.Input)
		j, err := judge.Dewey{Codes: in.DDC, Desired: in.Desired}.New()
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	t.Fatal("the vectors have no classification")
	return nil
}

func goldenDNumbers(t *testing.T, g goldenCase) {
	in := decode[struct{ Links []goldenLink }](t, g.Input)
	want := decode[struct{ Links []goldenClass }](t, g.Expected).Links
	for i, l := range in.Links {
		checkClass(t, l, 1.4, want[i])
	}
}

func goldenFlip(t *testing.T, g goldenCase) {
	in := decode[struct{ Link goldenLink }](t, g.Input)
	for impact, want := range decode[map[string]goldenClass](t, g.Expected) {
		var x float64
		if _, err := fmt.Sscan(impact, &x); err != nil {
			t.Fatal(err)
		}
		checkClass(t, in.Link, x, want)
	}
}

// checkClass predicts the class of a link from its page, as the strategy does.
func checkClass(t *testing.T, l goldenLink, impact float64, want goldenClass) {
	t.Helper()
	s := &treasure.Treasure{TGraph: tides(), Classes: classes(t), Analyzer: goldenAnalyzer(t), Anchor: impact}
	p := l.page()
	got := s.Classify(&p.Document, &p.Links[0].Mention)
	if !slices.Equal(got.Codes, want.Final) || got.OnTopic != want.OnTopic {
		t.Errorf("%s at %v: class %v, on topic %v; want %v, %v", l.ID, impact, got.Codes, got.OnTopic, want.Final, want.OnTopic)
	}
	sameBallots(t, l.ID+" votes", got.Votes, want.Votes)
	if len(got.Phases) != len(want.Phases) {
		t.Fatalf("%s: %d phases, want %d", l.ID, len(got.Phases), len(want.Phases))
	}
	for i, ph := range got.Phases {
		sameBallots(t, fmt.Sprint(l.ID, " phase ", i), ph.Totals, want.Phases[i].Totals)
		if !slices.Equal(ph.Kept, want.Phases[i].Kept) {
			t.Errorf("%s phase %d: kept %v, want %v", l.ID, i, ph.Kept, want.Phases[i].Kept)
		}
	}
	lead := s.Follow(p)[0]
	if off := lead.Priority == 0.01 && strings.Contains(lead.Because[0].What, "class"); off == want.OnTopic {
		t.Errorf("%s: %+v, though on topic is %v", l.ID, lead, want.OnTopic)
	}
}

func sameBallots(t *testing.T, what string, got []judge.Ballot, want map[string]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
	for _, b := range got {
		equal(t, what+" "+b.Code, b.Weight, want[b.Code])
	}
}

func goldenPriorities(t *testing.T, g goldenCase) {
	in := decode[struct {
		Nodes []struct {
			goldenLink
			URL   dowse.URL
			Level int
			DC    string
			Dest  []string
		}
		Links []goldenLink
	}](t, g.Input)
	want := decode[struct {
		Rows []struct {
			ID           string
			Threshold    float64 `json:"osm_threshold"`
			Select       string
			Node         *string
			Priority     float64
			Similarities map[string]map[string]float64
		}
	}](t, g.Expected).Rows
	graph := &tgraph.Graph{Depth: 3}
	for _, n := range in.Nodes {
		n.Around = n.DC
		graph.Nodes = append(graph.Nodes, tgraph.Node{ID: n.ID, URL: n.URL, Level: n.Level, LinkText: n.text(), To: n.Dest})
	}
	links := map[string]goldenLink{}
	for _, l := range in.Links {
		links[l.ID] = l
	}
	for _, row := range want {
		s := &treasure.Treasure{
			TGraph: graph, Analyzer: goldenAnalyzer(t), OSM: row.Threshold, Select: strings.TrimSuffix(row.Select, "_level"),
		}
		what := fmt.Sprint(row.ID, " ", row.Threshold, " ", row.Select)
		for id, sims := range s.Similarities(links[row.ID].text()) {
			for part, name := range []string{"ish", "sh", "mh", "dc", "osm"} {
				equal(t, what+" "+id+" "+name, sims[part], row.Similarities[id][name])
			}
		}
		p := links[row.ID].page()
		p.Links[0].Context = 1 // whatever its class
		node, like := s.Picked(&p.Document, &p.Links[0].Mention)
		if row.Node == nil && node != "" || row.Node != nil && node != *row.Node {
			t.Errorf("%s: like %q, want %v", what, node, row.Node)
		}
		if node != "" {
			equal(t, what+" similarity on the page", like, row.Similarities[node]["osm"])
		}
		equal(t, what, s.Follow(p)[0].Priority, row.Priority)
	}
}

func goldenBottomUp(t *testing.T, g goldenCase) {
	in := decode[struct {
		Backlinks map[dowse.URL][]dowse.URL
		Targets   []dowse.URL
	}](t, g.Input)
	want := decode[struct {
		Nodes []struct {
			URL     dowse.URL
			Level   int
			LinksTo dowse.URL `json:"links_to"`
		}
	}](t, g.Expected).Nodes
	graph, err := tgraph.Builder{Depth: int(g.Params["depth"].(float64))}.Build(in.Targets, waysBack(in.Backlinks))
	if err != nil {
		t.Fatal(err)
	}
	if len(graph.Nodes) != len(want) {
		t.Fatalf("%d nodes, want %d", len(graph.Nodes), len(want))
	}
	for i, n := range graph.Nodes {
		if n.URL != want[i].URL || n.Level != want[i].Level || n.LinksTo != want[i].LinksTo {
			t.Errorf("node %d: %s at level %d to %s, want %+v", i, n.URL, n.Level, n.LinksTo, want[i])
		}
	}
}

// goldenAging plays insertions and pops on a real frontier, as the crawl applies
// what the strategy returns.
func goldenAging(t *testing.T, g goldenCase) {
	in := decode[struct {
		Ops []struct {
			Op       string
			URL      dowse.URL
			Priority float64
		}
	}](t, g.Input)
	want := decode[struct {
		Results []struct {
			State    map[dowse.URL]float64
			Popped   dowse.URL
			Priority float64
		}
	}](t, g.Expected).Results
	s := &treasure.Treasure{TGraph: tides(), Aging: g.Params["factor"].(float64), Every: int(g.Params["every"].(float64))}
	f := frontier.New(frontier.Config{})
	for i, op := range in.Ops {
		if op.Op == "pop" {
			id, _, ok := f.Next(time.Time{})
			if !ok || f.URL(id) != want[i].Popped || !near(f.Priority(id), want[i].Priority) {
				t.Errorf("pop %d: %s at %v, want %s at %v", i, f.URL(id), f.Priority(id), want[i].Popped, want[i].Priority)
			}
			f.Settle(id, dowse.Visited)
			f.Release(f.Host(id), time.Time{}, time.Time{})
			continue
		}
		for _, l := range s.Insert(dowse.Lead{URL: op.URL, Priority: op.Priority, Merge: dowse.Max}) {
			apply(f, l)
		}
		for u, p := range want[i].State {
			id, _ := f.Find(u)
			if f.State(id) != dowse.Waiting || !near(f.Priority(id), p) {
				t.Errorf("after insertion %d %s is at %v, want %v", i, u, f.Priority(id), p)
			}
		}
	}
}

func apply(f *frontier.Frontier, l dowse.Lead) {
	if l.Kind == dowse.Raise {
		f.Raise(l.Priority, l.Cap, l.Visited)
		return
	}
	id, _ := f.See(l.URL, string(l.URL))
	f.SetPriority(id, l.Priority, l.Merge)
	f.Queue(id)
}

// goldenStarvation counts the insertions after which what is off topic has risen to
// the top.
func goldenStarvation(t *testing.T, g goldenCase) {
	in := decode[struct {
		Unrelated float64
		Factor    []float64
		Every     int
	}](t, g.Input)
	want := decode[struct{ Insertions []int }](t, g.Expected)
	for i, factor := range in.Factor {
		s := &treasure.Treasure{TGraph: tides(), Aging: factor, Every: in.Every}
		f := frontier.New(frontier.Config{})
		low, n := frontier.ID(0), 0
		apply(f, dowse.Lead{URL: "low", Priority: in.Unrelated})
		for ; f.Priority(low) < 1-1e-9; n++ {
			for _, l := range s.Insert(dowse.Lead{URL: "other", Priority: 1, Merge: dowse.Max}) {
				apply(f, l)
			}
		}
		if n != want.Insertions[i] {
			t.Errorf("by %v: at the top after %d insertions, want %d", factor, n, want.Insertions[i])
		}
	}
}

// goldenTable3 builds a T-Graph with as many links to a page as the paper had.
func goldenTable3(t *testing.T, g goldenCase) {
	in := decode[struct {
		Counts []int `json:"node_counts"`
	}](t, g.Input)
	want := decode[struct{ URLs, Nodes int }](t, g.Expected)
	back := waysBack{}
	var targets []dowse.URL
	for i := range slices.Max(in.Counts) {
		targets = append(targets, dowse.URL(fmt.Sprint("t", i)))
		for k, n := range in.Counts {
			if i < n {
				back[targets[i]] = append(back[targets[i]], dowse.URL(fmt.Sprint("p", k)))
			}
		}
	}
	graph, err := tgraph.Builder{}.Build(targets, back)
	if err != nil {
		t.Fatal(err)
	}
	pages, nodes := graph.Levels()
	if pages[1] != want.URLs || nodes[1] != want.Nodes {
		t.Errorf("%d pages and %d nodes, want %d and %d", pages[1], nodes[1], want.URLs, want.Nodes)
	}
}

func TestTreasureAges(t *testing.T) {
	s := &treasure.Treasure{TGraph: tides(), Every: 3}
	leads := s.Start([]dowse.URL{"a", "b", "c", "d"})
	if len(leads) != 5 || leads[3].Kind != dowse.Raise || leads[3].Cap != 1 || leads[3].Priority != 0.05 {
		t.Errorf("after the third insertion all rise: %+v", leads)
	}
	p := page("p", 1, 1, "x", "y")
	p.Links[1].Target.State = dowse.Visited
	if leads := s.Follow(p); len(leads) != 1 {
		t.Errorf("a visited page is queued, or counts: %+v", leads)
	}
	if leads := s.Follow(page("q", 1, 1, "x")); len(leads) != 2 || leads[1].Kind != dowse.Raise {
		t.Errorf("a URL that waits counts as an insertion: %+v", leads)
	}
}

func TestTreasureOfSeveralMentions(t *testing.T) {
	s := &treasure.Treasure{TGraph: tides(), NoTargets: true}
	p := linkingPage(tgraph.LinkText{Anchor: "kelp", Around: "news of the sea"})
	p.Links[0].Context = 1
	if l := s.Follow(p)[0]; l.Priority != 0.5 || l.Because[0].What != "like n2, 2 clicks from a target" {
		t.Errorf("%+v", l)
	}
	p.Links[0].More = []dowse.Mention{{Anchor: "tide pool", Context: 0.9, Above: [3]int32{-1, 7, -1}}}
	if l := s.Follow(p)[0]; l.Priority != 1 || l.Because[0].What != "like n1, 1 click from a target" {
		t.Errorf("%+v", l)
	}
	p.Links[0].Context, p.Links[0].More[0].Context = 0.4, math.NaN()
	if l := s.Follow(p)[0]; l.Priority != 0.01 || l.Because[0].What != "its words are off topic" {
		t.Errorf("%+v", l)
	}
}

// TestTreasureWithoutText follows a page that was taken down: its places in the text
// lead nowhere.
func TestTreasureWithoutText(t *testing.T) {
	s := &treasure.Treasure{TGraph: tides()}
	p := linkingPage(tgraph.LinkText{Anchor: "tide pool", Around: "where crabs live", Main: "Shores"})
	p.Text, p.Words, p.Headings = "", nil, nil
	p.Links[0].Context = 1
	if l := s.Follow(p)[0]; l.Priority != 1 {
		t.Errorf("the anchor is still there: %+v", l)
	}
}

func TestFittedWeights(t *testing.T) {
	x := [][4]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
	for _, row := range []struct {
		y    []float64
		want [4]float64
	}{
		{[]float64{.1, .2, .3, .4}, [4]float64{.1, .2, .3, .4}}, // on the simplex already
		{[]float64{1, 1, 1, 1}, [4]float64{.25, .25, .25, .25}},
		{[]float64{9, 0, 0, 0}, [4]float64{1, 0, 0, 0}},
		{[]float64{.5, .5, -1, -1}, [4]float64{.5, .5, 0, 0}},
		{[]float64{.9, .5, -1, -1}, [4]float64{.7, .3, 0, 0}},
	} {
		got := treasure.FitWeights(x, row.y)
		for i := range got {
			equal(t, fmt.Sprint(row.y, " part ", i), got[i], row.want[i])
		}
	}
	if got := treasure.FitWeights(nil, nil); got != [4]float64{.25, .25, .25, .25} {
		t.Errorf("without examples: %v", got)
	}
}

// TestFittedWeightsOfGraph fits on a T-Graph in which only main headings distinguish levels.
func TestFittedWeightsOfGraph(t *testing.T) {
	g := &tgraph.Graph{Depth: 2}
	for i := range 12 {
		level := i % 3
		g.Nodes = append(g.Nodes, tgraph.Node{
			ID: fmt.Sprint("n", i), URL: dowse.URL(fmt.Sprint("u", i)), Level: level,
			LinkText: tgraph.LinkText{Main: fmt.Sprint("level", level), Anchor: "more", Around: fmt.Sprint("words", i%4), Sub: fmt.Sprint("noise", i%5)},
		})
	}
	w := (&treasure.Treasure{TGraph: g, Weights: "fitted"}).OSMWeights()
	sum := w[0] + w[1] + w[2] + w[3]
	if !near(sum, 1) || w[2] < w[1] || w[2] < w[0] || slices.Min(w[:]) < 0 {
		t.Errorf("weights %v", w)
	}
}

func TestTreasureNeeds(t *testing.T) {
	for _, name := range []string{"treasure", "context-graph"} {
		if _, err := strategy.New(name); err == nil || !strings.Contains(err.Error(), "it needs a T-Graph") {
			t.Errorf("%s: error %v, want how to make a T-Graph", name, err)
		}
		i := slices.IndexFunc(strategy.All(), func(d strategy.Description) bool { return d.Name == name })
		if needs := strategy.All()[i].Needs; !slices.Equal(needs, []string{"a T-Graph"}) {
			t.Errorf("%s needs %v", name, needs)
		}
	}
	bare := tides()
	bare.Pages = nil
	if _, err := strategy.NewWith("context-graph", input.Inputs{TGraph: bare}); err == nil || !strings.Contains(err.Error(), "no texts") {
		t.Errorf("a T-Graph without texts: %v", err)
	}
	for spec, want := range map[string]string{
		"treasure:select=nearest": "want lowest, best or all",
		"treasure:weights=half":   "want equal or fitted",
		"treasure:every=-3":       "want 1 or more",
		"treasure:aging=-0.5":     "want 0 to 1",
		"context-graph:terms=-1":  "want 1 or more",
	} {
		if _, err := strategy.NewWith(spec, input.Inputs{TGraph: tides()}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", spec, err, want)
		}
	}
}

// TestTreasureOfOtherGraph refuses to go on with another T-Graph.
func TestTreasureOfOtherGraph(t *testing.T) {
	saved, err := (&treasure.Treasure{TGraph: tides()}).Save()
	if err != nil {
		t.Fatal(err)
	}
	other := tides()
	other.Nodes[1].Anchor = "rock pool"
	if err := (&treasure.Treasure{TGraph: other}).Load(saved); err == nil || !strings.Contains(err.Error(), "another T-Graph") {
		t.Errorf("loading with another T-Graph: %v", err)
	}
	if err := (&treasure.Treasure{TGraph: tides()}).Load(saved); err != nil {
		t.Error(err)
	}
}

func TestConformanceOfTGraphs(t *testing.T) {
	for _, spec := range []string{
		"treasure", "treasure:every=3,aging=0.3", "treasure:select=best,weights=fitted,no-targets=true,wanted=0.1", "treasure:select=all,importance=2,wanted=0.1", "treasure:update=5,wanted=0.1,select=best", "context-graph:slack=2",
	} {
		t.Run(spec, func(t *testing.T) {
			strategytest.Run(t, func() dowse.Strategy {
				s, err := strategy.NewWith(spec, input.Inputs{TGraph: tides()})
				if err != nil {
					t.Fatal(err)
				}
				return s
			})
		})
	}
	t.Run("treasure with classes", func(t *testing.T) {
		j, err := judge.Dewey{Codes: []judge.Code{{Code: "551", Label: "tides and kelp"}, {Code: "796", Label: "sport news"}}, Desired: []string{"551"}}.New()
		if err != nil {
			t.Fatal(err)
		}
		strategytest.Run(t, func() dowse.Strategy { return &treasure.Treasure{TGraph: tides(), Classes: j} })
	})
}

// TestEdgeCasesOfTGraphs is the part of the matrix of edge cases for the strategies
// that know a T-Graph.
func TestEdgeCasesOfTGraphs(t *testing.T) {
	crawler := func() dowse.Strategy { return &treasure.Treasure{TGraph: tides()} }
	graph := func() dowse.Strategy { return &treasure.ContextGraph{TGraph: tides(), Slack: 9} }
	good := tlink{To: "a", Context: 1, Anchor: "tide pool"}
	web := toy{
		"s": {Text: "kelp news sport", Links: []tlink{{To: "s"}, {To: "b"}, good, {To: "b"}, {To: "c"}}},
		"a": {Redirect: "c"},
		"b": {Text: "crab", Fails: dowse.FailHTTP},
		"c": {Text: "tide pool crab kelp pool tide", Links: []tlink{{To: "s"}, {To: "b"}, {To: "d", Context: 1, Anchor: "tide pool"}}},
		"d": {},
	}
	for _, row := range []struct {
		name    string
		s       func() dowse.Strategy
		web     toy
		visits  int
		visited string
		has     map[dowse.URL]float64
	}{
		{"treasure, no links", crawler, deadEnd, 9, "s", nil},
		{"treasure, duplicate", crawler, web, 1, "s", map[dowse.URL]float64{"a": 1, "b": 0.01, "c": 0.01}},
		{"treasure, all zero", crawler, zero, 9, "s a b", nil},
		{"treasure, redirect", crawler, web, 2, "s a", map[dowse.URL]float64{"c": 1}},
		{"treasure, failure", crawler, web, 9, "s a c d b", nil},
		{"context graph, no links", graph, deadEnd, 9, "s", nil},
		{"context graph, all zero", graph, zero, 9, "s a b", nil},
		{"context graph, failure", graph, web, 9, "s b a c d", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, order := stroll(t, row.s(), row.web, row.visits, "s")
			if got := strings.Trim(fmt.Sprint(order), "[]"); got != row.visited {
				t.Errorf("visited %s, want %s", got, row.visited)
			}
			for u, want := range row.has {
				equal(t, string(u), known(c, u).Priority, want)
			}
		})
	}
}

// BenchmarkTreasure follows pages of 40 links, each in a block of 40 words under
// three headings, with a T-Graph of 50 and of 1,000 nodes.
func BenchmarkTreasure(b *testing.B) {
	j, err := judge.Dewey{}.New()
	if err != nil {
		b.Fatal(err)
	}
	for _, nodes := range []int{50, 1000} {
		for _, s := range []struct {
			name string
			s    dowse.Strategy
		}{
			{"judge", &treasure.Treasure{TGraph: manyNodes(nodes)}},
			{"classes", &treasure.Treasure{TGraph: manyNodes(nodes), Classes: j}},
			{"context-graph", &treasure.ContextGraph{TGraph: manyNodes(nodes)}},
		} {
			b.Run(fmt.Sprint(s.name, "/", nodes), func(b *testing.B) {
				p := fortyLinks()
				s.s.Follow(p)
				b.ReportAllocs()
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				began := clock()
				for b.Loop() {
					s.s.Follow(p)
				}
				b.ReportMetric((clock()-began).Seconds()*1e6/float64(b.N), "cpu-µs")
			})
		}
	}
}
