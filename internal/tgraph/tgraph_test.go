package tgraph_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/tgraph"
	"dowse/strategy"
	"dowse/strategy/input"
)

// tinyWeb is a small web in which pages link to each other in context.
type tinyWeb map[dowse.URL]*dowse.Document

func (s tinyWeb) Document(u dowse.URL) (*dowse.Document, error) { return s[u], nil }

func (s tinyWeb) Linking(to dowse.URL) (list []dowse.URL, err error) {
	for _, u := range []dowse.URL{"t", "a", "b", "c", "d"} {
		if d := s[u]; d != nil {
			for _, l := range d.Links {
				if l.URL == to {
					list = append(list, u)
				}
			}
		}
	}
	return list, nil
}

// documentWith makes a document with a link in it.
func documentWith(title string, t tgraph.LinkText, to dowse.URL) *dowse.Document {
	d := linkingPage(t).Document
	d.Title = title
	d.Links[0].URL = to
	return &d
}

func coastWeb() tinyWeb {
	return tinyWeb{
		"t": documentWith("Tide pools", tgraph.LinkText{Main: "Tide pools", Sub: "Crabs", Around: "live in pools"}, "elsewhere"),
		"a": documentWith("Shores", tgraph.LinkText{Main: "Shores", Sub: "Walks", Anchor: "tide pool", Around: "guide for families"}, "t"),
		"b": documentWith("Coast", tgraph.LinkText{Main: "Coast", Under: "Trips", Anchor: "shores", Around: "to walk"}, "a"),
		"c": documentWith("Again", tgraph.LinkText{Anchor: "pools"}, "t"),
		"d": documentWith("Far", tgraph.LinkText{Anchor: "coast"}, "b"),
	}
}

func TestBuildTGraph(t *testing.T) {
	g, err := tgraph.Builder{Depth: 2}.Build([]dowse.URL{"t", "t"}, coastWeb())
	if err != nil {
		t.Fatal(err)
	}
	want := []tgraph.Node{
		{ID: "n0", URL: "t", LinkText: tgraph.LinkText{Main: "Tide pools", Sub: "Crabs", Around: "before the block live in pools"}},
		{ID: "n1", URL: "a", Level: 1, LinksTo: "t", To: []string{"n0"}, LinkText: tgraph.LinkText{Main: "Shores", Sub: "Walks", Anchor: "tide pool", Around: "guide for families"}},
		{ID: "n2", URL: "c", Level: 1, LinksTo: "t", To: []string{"n0"}, LinkText: tgraph.LinkText{Anchor: "pools"}},
		{ID: "n3", URL: "b", Level: 2, LinksTo: "a", To: []string{"n1"}, LinkText: tgraph.LinkText{Main: "Coast", Under: "Trips", Anchor: "shores", Around: "to walk"}},
	}
	if !reflect.DeepEqual(g.Nodes, want) {
		t.Errorf("nodes\n%+v, want\n%+v", g.Nodes, want)
	}
	if p := g.Pages[1]; p.Title != "Shores" || p.Level != 1 || !strings.Contains(p.Text, "tide pool guide") {
		t.Errorf("page %+v", p)
	}
}

func TestBuildTGraphBounded(t *testing.T) {
	back := waysBack{}
	for i := range 1000 {
		back["t"] = append(back["t"], dowse.URL(fmt.Sprint("a", i)))
		for k := range 30 { // many pages have many links to the level below
			u := dowse.URL(fmt.Sprint("a", i))
			back[u] = append(back[u], dowse.URL(fmt.Sprint("b", k)))
		}
	}
	g, err := tgraph.Builder{PerLevel: 50, PerPage: 3}.Build([]dowse.URL{"t"}, back)
	if err != nil {
		t.Fatal(err)
	}
	pages, nodes := g.Levels()
	if !reflect.DeepEqual(nodes, []int{1, 50, 50}) || !reflect.DeepEqual(pages, []int{1, 50, 30}) {
		t.Errorf("nodes by level: %v, pages %v", nodes, pages)
	}
	count := map[dowse.URL]int{}
	for _, n := range g.Nodes {
		if count[n.URL]++; count[n.URL] > 3 {
			t.Fatalf("%s has more than 3 nodes", n.URL)
		}
	}
}

// TestBuildTGraphTakesTurns checks that a target with hundreds of back-links leaves room
// for another, and that a level has as many pages as it may, also where a few of them
// have all its links.
func TestBuildTGraphTakesTurns(t *testing.T) {
	back := waysBack{"few": {"f1", "f2"}}
	for i := range 400 {
		back["many"] = append(back["many"], dowse.URL(fmt.Sprint("m", i)))
	}
	for i := range 40 {
		for k := range 10 {
			back[dowse.URL(fmt.Sprint("m", i))] = append(back[dowse.URL(fmt.Sprint("m", i))], dowse.URL(fmt.Sprint("hub", k)))
		}
		back["f1"] = append(back["f1"], dowse.URL(fmt.Sprint("p", i)))
	}
	g, err := tgraph.Builder{PerLevel: 50, Depth: 2}.Build([]dowse.URL{"many", "few"}, back)
	if err != nil {
		t.Fatal(err)
	}
	to := map[dowse.URL]int{}
	for _, n := range g.Nodes {
		to[n.LinksTo]++
	}
	if to["few"] != 2 || to["many"] != 48 {
		t.Errorf("%d links to the one target, %d to the other", to["many"], to["few"])
	}
	if pages, nodes := g.Levels(); pages[2] != 50 || nodes[2] != 50 {
		t.Errorf("%d pages and %d links two clicks away, want 50 of each", pages[2], nodes[2])
	}
	again, err := tgraph.Read(written(t, g))
	if err != nil || len(again.Nodes) != len(g.Nodes) {
		t.Errorf("read again: %v", err)
	}
}

func written(t *testing.T, g *tgraph.Graph) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	if err := g.Write(&b); err != nil {
		t.Fatal(err)
	}
	return &b
}

func TestBuildTGraphRefuses(t *testing.T) {
	if _, err := (tgraph.Builder{}).Build(nil, waysBack{}); !errors.Is(err, tgraph.ErrTargets) {
		t.Errorf("no targets: %v", err)
	}
	if _, err := (tgraph.Builder{Depth: 1000}).Build([]dowse.URL{"t"}, waysBack{}); err == nil {
		t.Error("a depth of 1000 was taken")
	}
}

func TestTGraphFile(t *testing.T) {
	g, err := tgraph.Builder{Language: "en"}.Build([]dowse.URL{"t"}, coastWeb())
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := g.Write(&file); err != nil {
		t.Fatal(err)
	}
	again, err := tgraph.Read(&file)
	if err != nil || !reflect.DeepEqual(g, again) {
		t.Errorf("read back: %+v, %v", again, err)
	}
}

func TestReadTGraphRefuses(t *testing.T) {
	for what, file := range map[string]string{
		"nothing":        ``,
		"other format":   `{"format":"dowse-tgraph/9","nodes":[{"id":"a"}]}`,
		"no nodes":       `{"format":"dowse-tgraph/1"}`,
		"same name":      `{"format":"dowse-tgraph/1","nodes":[{"id":"a"},{"id":"a"}]}`,
		"no name":        `{"format":"dowse-tgraph/1","nodes":[{"level":1}]}`,
		"level":          `{"format":"dowse-tgraph/1","nodes":[{"id":"a","level":-1}]}`,
		"to nowhere":     `{"format":"dowse-tgraph/1","nodes":[{"id":"a","level":1,"to":["b"]}]}`,
		"two levels":     `{"format":"dowse-tgraph/1","nodes":[{"id":"a"},{"id":"b","level":2,"to":["a"]}]}`,
		"level of page":  `{"format":"dowse-tgraph/1","nodes":[{"id":"a"}],"pages":[{"url":"u","level":500}]}`,
		"not an object":  `[1,2]`,
		"nodes are text": `{"format":"dowse-tgraph/1","nodes":"a"}`,
	} {
		if _, err := tgraph.Read(strings.NewReader(file)); err == nil {
			t.Errorf("%s was read", what)
		}
	}
}

// FuzzReadTGraph reads whatever it is given: what is taken can be written, drawn and
// followed.
func FuzzReadTGraph(f *testing.F) {
	var file bytes.Buffer
	if err := tides().Write(&file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add([]byte(`{"format":"dowse-tgraph/1","nodes":[{"id":"a","level":99,"links_to":"x","main":"\u0000<svg>"}],"pages":[{"url":"\n","level":3}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := tgraph.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		if err := g.Write(&bytes.Buffer{}); err != nil {
			t.Error(err)
		}
		g.SVG()
		for _, name := range []string{"treasure:weights=fitted", "context-graph"} {
			if s, err := strategy.NewWith(name, input.Inputs{TGraph: g}); err == nil {
				s.Follow(fortyLinks())
			}
		}
	})
}

func TestTGraphSVG(t *testing.T) {
	g, err := tgraph.Builder{}.Build([]dowse.URL{"t"}, coastWeb())
	if err != nil {
		t.Fatal(err)
	}
	g.Pages[0].Title = `<script>"x"&`
	svg := string(g.SVG())
	for _, s := range []string{"<svg ", "targets", "1 click", "3 clicks", "tide pool", "&lt;script&gt;", "</svg>"} {
		if !strings.Contains(svg, s) {
			t.Errorf("the picture lacks %q", s)
		}
	}
	if strings.Contains(svg, "<script") {
		t.Error("the picture runs scripts")
	}
	if svg != string(g.SVG()) {
		t.Error("two pictures differ")
	}
	if name := os.Getenv("TGRAPH_SVG"); name != "" {
		if err := os.WriteFile(name, []byte(svg), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
