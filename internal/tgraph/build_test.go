package tgraph_test

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/tgraph"
)

// TestLevelIsLeastDistance builds a graph in which a page links to a target and to a page
// one click away, and pages link back to lower levels: only links that lead exactly one
// level down are nodes.
func TestLevelIsLeastDistance(t *testing.T) {
	back := waysBack{
		"t":    {"near", "both"},
		"near": {"both", "far", "t"}, // both is one click away already, t is the target
		"far":  {"near"},
	}
	g, err := tgraph.Builder{}.Build([]dowse.URL{"t"}, back)
	if err != nil {
		t.Fatal(err)
	}
	level := map[dowse.URL]int{}
	for _, p := range g.Pages {
		level[p.URL] = p.Level
	}
	if want := map[dowse.URL]int{"t": 0, "near": 1, "both": 1, "far": 2}; !reflect.DeepEqual(level, want) {
		t.Errorf("levels %v, want %v", level, want)
	}
	for _, n := range g.Nodes[1:] {
		if level[n.LinksTo] != level[n.URL]-1 {
			t.Errorf("node %s leads from %s to %s, which is not one level down", n.ID, n.URL, n.LinksTo)
		}
	}
	if len(g.Nodes) != 4 {
		t.Errorf("%d nodes, want 4: the target and three links", len(g.Nodes))
	}
}

// broken is a web whose archive cannot be read.
type broken struct {
	waysBack
	linking, document error
}

func (b broken) Linking(u dowse.URL) ([]dowse.URL, error) {
	if b.linking != nil {
		return nil, b.linking
	}
	return b.waysBack.Linking(u)
}

func (b broken) Document(dowse.URL) (*dowse.Document, error) { return nil, b.document }

// TestBuildReturnsErrors checks that a graph is never built from half of the back-links.
func TestBuildReturnsErrors(t *testing.T) {
	unreadable := errors.New("unreadable")
	for what, b := range map[string]broken{
		"back-links": {linking: unreadable},
		"documents":  {document: unreadable},
	} {
		if g, err := (tgraph.Builder{}).Build([]dowse.URL{"t"}, b); !errors.Is(err, unreadable) || g != nil {
			t.Errorf("%s: %v, %v; want the error and no graph", what, g, err)
		}
	}
}

// TestUnknownDocuments checks that pages of which no text is known are part of the graph.
func TestUnknownDocuments(t *testing.T) {
	g, err := tgraph.Builder{}.Build([]dowse.URL{"t"}, waysBack{"t": {"a"}})
	if err != nil || len(g.Nodes) != 2 || len(g.Pages) != 2 {
		t.Fatalf("%+v, %v; want two nodes on two pages", g, err)
	}
	if (g.Nodes[1].LinkText != tgraph.LinkText{}) || g.Pages[1].Text != "" {
		t.Errorf("a page without a document has the text %+v", g.Nodes[1])
	}
}

// TestMentionWithWords checks that of several mentions of a target the first with an
// anchor text becomes the node: an image before it has none.
func TestMentionWithWords(t *testing.T) {
	d := documentWith("Shores", tgraph.LinkText{Anchor: "tide pool"}, "t")
	image := dowse.Mention{Above: [3]int32{-1, -1, -1}}
	words := d.Links[0].Mention
	d.Links[0].Mention, d.Links[0].More = image, []dowse.Mention{image, words}
	g, err := tgraph.Builder{}.Build([]dowse.URL{"t"}, tinyWeb{"a": d})
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Nodes[1].Anchor; got != "tide pool" {
		t.Errorf("anchor %q, want that of the mention with words", got)
	}
}

// TestTextOfTarget checks the node of a target page: headings by level, the title where
// there is no main heading, and bounds on both.
func TestTextOfTarget(t *testing.T) {
	d := &dowse.Document{Title: "The title", Text: strings.Repeat("word ", 500)}
	d.Words = dowse.Words(d.Text)
	d.Headings = []dowse.Heading{{Level: 2, Text: "Sub one"}, {Level: 4, Text: "Deep"}, {Level: 2, Text: strings.Repeat("more ", 100)}}
	got := tgraph.TextOfTarget(d)
	if got.Main != "The title" || got.Under != "Deep" || !strings.HasPrefix(got.Sub, "Sub one more") {
		t.Errorf("headings %q, %q, %q", got.Main, got.Sub, got.Under)
	}
	if n := len(strings.Fields(got.Sub)); n != 30 {
		t.Errorf("%d words of headings, want 30", n)
	}
	if n := len(strings.Fields(got.Around)); n != 200 {
		t.Errorf("%d words of text, want 200", n)
	}
	d.Headings = append(d.Headings, dowse.Heading{Level: 1, Text: "Main"})
	if got := tgraph.TextOfTarget(d).Main; got != "Main" {
		t.Errorf("main heading %q, want that of the page", got)
	}
}

// TestLinkAfterTakedown checks that a link whose page has lost its text has an anchor and
// nothing else.
func TestLinkAfterTakedown(t *testing.T) {
	d := documentWith("Shores", tgraph.LinkText{Main: "Shores", Anchor: "tide pool", Around: "guide"}, "t")
	d.Text, d.Words, d.Headings = "", nil, nil
	if got, want := tgraph.TextAt(d, &d.Links[0].Mention), (tgraph.LinkText{Anchor: "tide pool"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestFingerprint checks that equal graphs have equal fingerprints, and that a change of
// any part is seen.
func TestFingerprint(t *testing.T) {
	was := tides().Fingerprint()
	if tides().Fingerprint() != was {
		t.Error("two equal graphs differ")
	}
	for what, change := range map[string]func(g *tgraph.Graph){
		"language": func(g *tgraph.Graph) { g.Language = "tr" },
		"depth":    func(g *tgraph.Graph) { g.Depth++ },
		"text":     func(g *tgraph.Graph) { g.Pages[1].Text += "." },
		"anchor":   func(g *tgraph.Graph) { g.Nodes[1].Anchor = "rock pool" },
		"level":    func(g *tgraph.Graph) { g.Nodes[2].Level = 3 },
	} {
		g := tides()
		if change(g); g.Fingerprint() == was {
			t.Errorf("another %s has the same fingerprint", what)
		}
	}
}

// TestReadNamesTheCause checks that a refused file is refused for a stated reason, with
// the node it is about.
func TestReadNamesTheCause(t *testing.T) {
	for file, cause := range map[string]string{
		`{"format":"dowse-tgraph/9"}`:                                                            `"dowse-tgraph/9"`,
		`{"format":"dowse-tgraph/1"}`:                                                            "no nodes",
		`{"format":"dowse-tgraph/1","nodes":[{"id":"a"},{"id":"a"}]}`:                            `node 1: "a"`,
		`{"format":"dowse-tgraph/1","nodes":[{"id":"b","level":101}]}`:                           "0 to 100",
		`{"format":"dowse-tgraph/1","nodes":[{"id":"a","level":1,"to":["x"]}]}`:                  `node a: it leads to "x"`,
		`{"format":"dowse-tgraph/1","nodes":[{"id":"a"}],"pages":[{"url":"u.test","level":-3}]}`: "page u.test: level -3",
	} {
		if _, err := tgraph.Read(strings.NewReader(file)); err == nil || !strings.Contains(err.Error(), cause) {
			t.Errorf("%s: error %v, want one with %s", file, err, cause)
		}
	}
}

// TestLargeGraphIsDrawnInPart draws a level of 40 pages: 14 are drawn, the picture states
// how many are not, and each target keeps a page that leads to it.
func TestLargeGraphIsDrawnInPart(t *testing.T) {
	back := waysBack{}
	for i := range 39 {
		back["popular"] = append(back["popular"], dowse.URL(fmt.Sprintf("http://p%02d.test/", i)))
	}
	back["lonely"] = []dowse.URL{"http://only.test/"}
	g, err := tgraph.Builder{Depth: 1}.Build([]dowse.URL{"popular", "lonely"}, back)
	if err != nil {
		t.Fatal(err)
	}
	svg := string(g.SVG())
	if boxes := strings.Count(svg, "<g>"); boxes != 2+14 {
		t.Errorf("%d boxes, want 2 targets and 14 pages", boxes)
	}
	for _, text := range []string{"and 26 pages more", "40 links on 40 pages lead to 2 targets", "http://only.test/"} {
		if !strings.Contains(svg, text) {
			t.Errorf("the picture lacks %q", text)
		}
	}
	for _, size := range regexp.MustCompile(` y="(-\d+)"`).FindAllString(svg, 1) {
		t.Errorf("something is drawn above the picture: %s", size)
	}
}

// waysDown is a web by its links.
type waysDown map[dowse.URL][]dowse.URL

func (w waysDown) Document(u dowse.URL) (*dowse.Document, error) {
	links, ok := w[u]
	if !ok {
		return nil, nil
	}
	d := &dowse.Document{Title: string(u)}
	for _, to := range links {
		d.Links = append(d.Links, dowse.Link{URL: to, Mention: dowse.Mention{Anchor: "to " + string(to)}})
	}
	return d, nil
}

// TestBuildDown walks from a portal: only what was read on the way is part of the T-Graph,
// with the levels and bounds of one that is built upwards.
func TestBuildDown(t *testing.T) {
	web := waysDown{
		"portal":  {"section", "other", "missing"},
		"section": {"list", "portal"}, "other": {"far"}, "list": {"t1", "t2"}, "far": {}, "t1": {"t3"}, "t2": {},
		"unseen": {"t1"},
	}
	walk := tgraph.Walk{
		Roots: []dowse.URL{"portal"}, Document: web.Document,
		Target: func(u dowse.URL, _ *dowse.Document) bool { return strings.HasPrefix(string(u), "t") },
	}
	g, err := tgraph.Builder{}.BuildDown(walk)
	if err != nil {
		t.Fatal(err)
	}
	level := map[dowse.URL]int{}
	for _, p := range g.Pages {
		level[p.URL] = p.Level
	}
	if want := map[dowse.URL]int{"t1": 0, "t2": 0, "t3": 0, "list": 1, "section": 2, "portal": 3}; !reflect.DeepEqual(level, want) {
		t.Errorf("levels %v, want %v", level, want)
	}
	for _, n := range g.Nodes {
		if n.Level > 0 && n.Anchor != "to "+string(n.LinksTo) {
			t.Errorf("node %s has the anchor %q", n.ID, n.Anchor)
		}
	}
	walk.Pages = 3
	if _, err := (tgraph.Builder{}).BuildDown(walk); !errors.Is(err, tgraph.ErrWalk) {
		t.Errorf("a walk that ends before the targets: %v, want %v", err, tgraph.ErrWalk)
	}
	walk.Document = func(dowse.URL) (*dowse.Document, error) { return nil, fmt.Errorf("broken") }
	if _, err := (tgraph.Builder{}).BuildDown(walk); err == nil || errors.Is(err, tgraph.ErrWalk) {
		t.Errorf("an archive that cannot be read: %v", err)
	}
}
