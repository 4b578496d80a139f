package treasure_test

import (
	"math"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/tgraph"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/strategy/internal/treasure"
)

// priorityOf follows a page with one link of a text and returns its lead.
func priorityOf(t *testing.T, s dowse.Strategy, text tgraph.LinkText) dowse.Lead {
	t.Helper()
	p := linkingPage(text)
	p.Links[0].Context = 1
	leads := s.Follow(p)
	if len(leads) == 0 {
		t.Fatal("a link gave no lead")
	}
	return leads[0]
}

// TestAllSimilarNodes compares the priority from all similar nodes with the formula, computed
// from the similarities themselves.
func TestAllSimilarNodes(t *testing.T) {
	link := tgraph.LinkText{Main: "Tide", Anchor: "tide pool", Around: "crab kelp on the shore"}
	s := &treasure.Treasure{TGraph: tides(), Select: "all", OSM: 0.05}
	sum, weights, nodes := 0.0, 0.0, 0
	level := map[string]int{}
	for _, n := range tides().Nodes {
		level[n.ID] = n.Level
	}
	for id, sims := range s.Similarities(link) {
		if sims[4] >= 0.05 {
			sum += sims[4] / float64(max(level[id], 1))
			weights += sims[4]
			nodes++
		}
	}
	if nodes < 2 {
		t.Fatalf("%d similar nodes: the mean of one shows nothing", nodes)
	}
	if got, want := priorityOf(t, s, link).Priority, sum/weights; math.Abs(got-want) > 1e-12 {
		t.Errorf("priority %v, want %v of %d nodes", got, want, nodes)
	}
	if got := priorityOf(t, s, tgraph.LinkText{Anchor: "sport"}).Priority; got != 0.01 {
		t.Errorf("a link like no node has %v, want 0.01", got)
	}
}

// TestImportanceOfTargets checks that of two links that are alike the one with more cash
// comes first, that priorities stay below 1, and that cash adds up in notes.
func TestImportanceOfTargets(t *testing.T) {
	s := &treasure.Treasure{TGraph: tides(), Important: 1}
	s.Start([]dowse.URL{"s", "t"})
	text := tgraph.LinkText{Anchor: "tide pool"}
	rich, poor := linkingPage(text), linkingPage(text)
	rich.Lead.Note, poor.Lead.Note = "0.5", "0.1"
	rich.Links[0].Context, poor.Links[0].Context = 1, 1
	a, b := s.Follow(rich)[0], s.Follow(poor)[0]
	if !(a.Priority > b.Priority && a.Priority <= 1 && b.Priority > 0) {
		t.Errorf("priorities %v and %v, want the first larger and both in (0, 1]", a.Priority, b.Priority)
	}
	poor.Links[0].Target = dowse.Target{State: dowse.Waiting, Note: a.Note}
	if again := s.Follow(poor)[0]; again.Note != "0.6" || again.Priority <= a.Priority {
		t.Errorf("a second link to the target: note %q and priority %v, want 0.6 and more than %v", again.Note, again.Priority, a.Priority)
	}
}

// clicked is a trace in which one page was accessed nine times and another once.
type clicked struct{ input.Trace }

func (clicked) Pages() int { return 2 }

func (clicked) Page(u dowse.URL) (uint32, bool) {
	switch u {
	case "x":
		return 0, true
	case "y":
		return 1, true
	}
	return 0, false
}

func (clicked) Visits(page uint32) int { return []int{9, 1}[page] }

// TestClicks checks that accesses of people raise a link, and that clicks need a trace.
func TestClicks(t *testing.T) {
	if _, err := strategy.NewWith("treasure:clicks=1", input.Inputs{TGraph: tides()}); err == nil || !strings.Contains(err.Error(), "trace") {
		t.Errorf("clicks without a trace: %v, want an error about it", err)
	}
	s, err := strategy.NewWith("treasure:clicks=1", input.Inputs{TGraph: tides(), Trace: clicked{}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[dowse.URL]float64{}
	for _, u := range []dowse.URL{"x", "y", "z"} {
		p := linkingPage(tgraph.LinkText{Anchor: "tide pool"})
		p.Links[0].URL, p.Links[0].Context = u, 1
		got[u] = s.Follow(p)[0].Priority
	}
	if want := (1 + math.Log(2)/math.Log(10)) / 2; got["x"] != 1 || math.Abs(got["y"]-want) > 1e-12 || got["z"] != 0.5 {
		t.Errorf("priorities %v, want x 1, y %v, z 0.5", got, want)
	}
}

// TestUpdatedTGraph lets a crawl meet a page on topic and a page that links to it. Links
// with the words of either are then rated by the nodes that were added, also after saving
// and loading; more nodes than allowed are not added.
func TestUpdatedTGraph(t *testing.T) {
	s := &treasure.Treasure{TGraph: tides(), Update: 1}
	words := tgraph.LinkText{Main: "Barnacles", Anchor: "limpet survey"}
	if got := priorityOf(t, s, words).Priority; got != 0.01 {
		t.Fatalf("before: %v, want 0.01", got)
	}
	way := linkingPage(words)
	way.URL, way.Outcome = "hub", dowse.Fetched
	way.Links[0].URL, way.Links[0].Target = "limpets", dowse.Target{State: dowse.Visited, OnTopic: true}
	s.Follow(way)
	lead := priorityOf(t, s, words)
	if lead.Priority != 1 || !strings.Contains(lead.Because[0].What, "1 click from a target") {
		t.Errorf("after a page that links to a target: %+v, want priority 1 by a node of level 1", lead)
	}
	other := linkingPage(tgraph.LinkText{Anchor: "walrus census"})
	other.URL, other.Links[0].Target = "second", way.Links[0].Target
	s.Follow(other)
	if got := priorityOf(t, s, tgraph.LinkText{Anchor: "walrus census"}).Priority; got != 0.01 {
		t.Errorf("a second node of the level was added: %v", got)
	}
	saved, err := s.Save()
	if err != nil {
		t.Fatal(err)
	}
	loaded := &treasure.Treasure{TGraph: tides(), Update: 1}
	if err := loaded.Load(saved); err != nil {
		t.Fatal(err)
	}
	if got := priorityOf(t, loaded, words); got.Priority != 1 || got.Because[1] != lead.Because[1] {
		t.Errorf("after loading: %+v, want %+v", got, lead)
	}
	if err := loaded.Load([]byte(strings.Replace(string(saved), `"level":1`, `"level":9`, 1))); err == nil {
		t.Error("a node of level 9 in a T-Graph of depth 3 was loaded")
	}
}
