// Package tgraph builds, stores and draws T-Graphs: the links that lead, click by click,
// from the web at large to pages that somebody knows (Seyfi and Patel 2015, after the
// context graphs of Diligenti et al. 2000; SPEC C.7). The strategies of package treasure
// compare what they meet with them.
//
// # Idea
//
// A link several clicks from a target seldom has words of the topic, so that a judge rates
// it low. But links that lead to the same kind of page resemble each other: a heading
// "Faculty" above a list, an anchor "Publications". A T-Graph records what such links look
// like at each distance, from a few known targets and an archive that is read backwards,
// from a page to those that link to it.
//
// # Cost
//
// Building reads each page of the graph once; the number of pages and nodes is bounded per
// level and per page, so that a target with a million back-links costs no more than one
// with a few hundred. A graph of the default size is a file of some hundred kilobytes.
package tgraph

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"

	"dowse"
)

// A Graph is a T-Graph: the links that lead to target pages, by the number of clicks (Seyfi
// and Patel 2015). Level 0 are the targets. A node of level n is a link on a page that is n
// clicks away, to a page of level n−1. The Treasure-Crawler compares links with its nodes,
// the context-graph crawler compares pages with its pages. A Graph must not be changed
// while a strategy uses it; it may then be read concurrently. The JSON names are the file
// format dowse-tgraph/1.
type Graph struct {
	Format   string `json:"format"`
	Language string `json:"language,omitempty"` // of stems and stop words, BCP 47; "" means English
	Depth    int    `json:"depth"`              // the highest level that was looked for
	Pages    []Page `json:"pages"`              // by level
	Nodes    []Node `json:"nodes"`              // by level
}

// A Page is a page of a T-Graph.
type Page struct {
	URL   dowse.URL `json:"url"`
	Level int       `json:"level"` // the least number of clicks to a target
	Title string    `json:"title,omitempty"`
	Text  string    `json:"text,omitempty"` // its first words
}

// A Node is a link of a T-Graph, or a target. A page with several links towards the level
// below has several nodes.
type Node struct {
	ID       string    `json:"id"`
	URL      dowse.URL `json:"url"` // the page with the link
	Level    int       `json:"level"`
	LinksTo  dowse.URL `json:"links_to,omitempty"` // the page of the level below; "" for a target
	LinkText           // the text at the link
	To       []string  `json:"to,omitempty"` // the nodes of that page: where one gets from here
}

// Backlinks knows which pages link to a page, and their text: an archive or a collection,
// read backwards. A [Builder] calls both methods from one goroutine.
type Backlinks interface {
	// Linking returns the pages that link to a page, each once, in an order that does
	// not change.
	Linking(to dowse.URL) ([]dowse.URL, error)
	// Document returns the content of a page, nil if it is not known.
	Document(u dowse.URL) (*dowse.Document, error)
}

// A Builder makes T-Graphs backwards: from the targets to the pages that link to them, and
// on to those that link to these. Its fields bound the work and the size of the result,
// whatever the web looks like. The zero value has the bounds of the papers.
type Builder struct {
	Depth    int    // highest level; 0 means 3, Seyfi and Patel 2015
	PerLevel int    // nodes of a level, and pages of a level; 0 means 300, as Diligenti et al. 2000
	PerPage  int    // nodes of a page; 0 means 20
	Words    int    // kept of a page's text; 0 means 1,000
	Language string // of the pages; "" means English
}

// The file format, and the bounds on files of others: beyond them reading and drawing a
// T-Graph would take too long.
const (
	format   = "dowse-tgraph/1"
	maxLevel = 100
	maxNodes = 100_000
	maxFile  = 1 << 28 // bytes of a file
)

// ErrTargets is returned by Build if there is no target.
var ErrTargets = errors.New("no target pages")

// Build returns the T-Graph of the links that lead to targets. The level of a page is the
// least number of clicks from it to a target, and a link that does not lead exactly one
// level down is no node. If there are more links than the bounds allow, the pages of the
// level below take turns, so that each gets its first links. The same back-links give the
// same graph. Build calls Document once per page of the graph.
func (b Builder) Build(targets []dowse.URL, from Backlinks) (*Graph, error) {
	if len(targets) == 0 {
		return nil, fmt.Errorf("tgraph: build T-Graph: %w", ErrTargets)
	}
	depth := cmp.Or(b.Depth, 3)
	if depth < 1 || depth > maxLevel {
		return nil, fmt.Errorf("tgraph: build T-Graph: depth %d: want 1 to %d", depth, maxLevel)
	}
	m := &construction{Builder: b, from: from, level: map[dowse.URL]int{}, nodes: map[dowse.URL][]string{}}
	m.g = &Graph{Format: format, Language: b.Language, Depth: depth}
	layer, err := m.targets(targets)
	for d := 1; d <= depth && err == nil; d++ {
		layer, err = m.above(layer, d)
	}
	if err != nil {
		return nil, fmt.Errorf("tgraph: build T-Graph: %w", err)
	}
	return m.g, nil
}

// construction is a T-Graph that is being built.
type construction struct {
	Builder
	from  Backlinks
	g     *Graph
	level map[dowse.URL]int
	nodes map[dowse.URL][]string // by page: the nodes on it
}

// targets adds level 0, each target once, and returns its pages. A target whose text is not
// known is a node without text, which no link resembles.
func (m *construction) targets(list []dowse.URL) (layer []dowse.URL, err error) {
	for _, u := range list {
		if _, twice := m.level[u]; twice || len(layer) >= cmp.Or(m.PerLevel, 300) {
			continue
		}
		d, err := m.from.Document(u)
		if err != nil {
			return nil, err
		}
		text := LinkText{}
		if d != nil {
			text = TextOfTarget(d)
		}
		m.page(u, 0, d)
		m.node(Node{URL: u, LinkText: text})
		layer = append(layer, u)
	}
	return layer, nil
}

// above adds the level of the pages that link to a layer, and returns these pages. A page
// is read when its first link is added, and kept only while its level is built.
func (m *construction) above(layer []dowse.URL, level int) (next []dowse.URL, err error) {
	parents := make([][]dowse.URL, len(layer))
	for i, child := range layer {
		if parents[i], err = m.from.Linking(child); err != nil {
			return nil, err
		}
	}
	docs := map[dowse.URL]*dowse.Document{}
	for _, w := range m.ways(parents) {
		u := parents[w.child][w.parent]
		if _, known := m.level[u]; !known {
			if docs[u], err = m.from.Document(u); err != nil {
				return nil, err
			}
			m.page(u, level, docs[u])
			next = append(next, u)
		}
		if w.node {
			m.link(u, layer[w.child], level, docs[u])
		}
	}
	return next, nil
}

// A way is a link to a page of a layer, given by indices: a node of the graph or, if its
// page has enough nodes already, only a reason to include its page.
type way struct {
	child, parent int
	node          bool
}

// ways chooses the links to a layer that are kept, and returns them in the order of the
// pages they lead to. These pages take turns: in each turn every page of the layer gets its
// next back-link, until both bounds are reached, that on links and that on pages. Otherwise
// the first pages, which may have hundreds of back-links, would leave no room for the
// others. A link whose page has enough nodes is no node, but its page may still be added.
func (m *construction) ways(parents [][]dowse.URL) (list []way) {
	most, links := cmp.Or(m.PerLevel, 300), 0
	pages := map[dowse.URL]int{} // links on those that are chosen
	for turn, more := 0, true; more; turn++ {
		more = false
		for child := range parents {
			if turn >= len(parents[child]) || links >= most && len(pages) >= most {
				continue
			}
			more = true
			u := parents[child][turn]
			on, chosen := pages[u]
			if _, below := m.level[u]; below || !chosen && len(pages) >= most {
				continue
			}
			w := way{child, turn, links < most && on < cmp.Or(m.PerPage, 20)}
			if w.node {
				links++
				on++
			}
			if pages[u] = on; w.node || !chosen {
				list = append(list, w)
			}
		}
	}
	slices.SortFunc(list, func(a, b way) int { return cmp.Or(cmp.Compare(a.child, b.child), cmp.Compare(a.parent, b.parent)) })
	return list
}

// page adds a page with its first words, which the context-graph crawler is trained on.
func (m *construction) page(u dowse.URL, level int, d *dowse.Document) {
	m.level[u] = level
	p := Page{URL: u, Level: level}
	if d != nil {
		p.Title = d.Title
		p.Text = textOf(d, dowse.Span{End: int32(min(cmp.Or(m.Words, 1000), len(d.Words)))})
	}
	m.g.Pages = append(m.g.Pages, p)
}

// link adds the node of a link to a page of the level below. It leads to all nodes of that
// page: in the paper, DIC.
func (m *construction) link(u, child dowse.URL, level int, d *dowse.Document) {
	n := Node{URL: u, Level: level, LinksTo: child, To: m.nodes[child]}
	if d != nil {
		if at := mentionOf(d, child); at != nil {
			n.LinkText = TextAt(d, at)
		}
	}
	m.node(n)
}

// mentionOf returns the first mention of a target on a page that has an anchor text, or the
// first mention if none has; nil if the page does not link to the target.
func mentionOf(d *dowse.Document, target dowse.URL) *dowse.Mention {
	i := slices.IndexFunc(d.Links, func(l dowse.Link) bool { return l.URL == target })
	if i < 0 {
		return nil
	}
	l := &d.Links[i]
	if l.Anchor != "" {
		return &l.Mention
	}
	for k := range l.More {
		if l.More[k].Anchor != "" {
			return &l.More[k]
		}
	}
	return &l.Mention
}

// node adds a node, numbered in the order of its discovery.
func (m *construction) node(n Node) {
	n.ID = "n" + strconv.Itoa(len(m.g.Nodes))
	m.g.Nodes = append(m.g.Nodes, n)
	m.nodes[n.URL] = append(m.nodes[n.URL], n.ID)
}

// Levels returns the numbers of pages and nodes of each level, level 0 first.
func (g *Graph) Levels() (pages, nodes []int) {
	top := 0
	for _, p := range g.Pages {
		top = max(top, p.Level)
	}
	for _, n := range g.Nodes {
		top = max(top, n.Level)
	}
	pages, nodes = make([]int, top+1), make([]int, top+1)
	for _, p := range g.Pages {
		pages[p.Level]++
	}
	for _, n := range g.Nodes {
		nodes[n.Level]++
	}
	return pages, nodes
}

// Write writes the T-Graph as JSON. Equal T-Graphs give equal bytes.
func (g *Graph) Write(w io.Writer) error {
	out := *g
	out.Format = format
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	if err := e.Encode(&out); err != nil {
		return fmt.Errorf("tgraph: write T-Graph: %w", err)
	}
	return nil
}

// Read reads what Write wrote. It refuses what cannot be a T-Graph, and files of more than
// 256 MiB, so that everything it returns can be followed and drawn.
func Read(r io.Reader) (*Graph, error) {
	g := &Graph{}
	if err := json.NewDecoder(io.LimitReader(r, maxFile)).Decode(g); err != nil {
		return nil, fmt.Errorf("tgraph: read T-Graph: %w", err)
	}
	if g.Format != format {
		return nil, fmt.Errorf("tgraph: read T-Graph: the format is %q, not %q", g.Format, format)
	}
	if err := g.check(); err != nil {
		return nil, fmt.Errorf("tgraph: read T-Graph: %w", err)
	}
	return g, nil
}

// check returns the first inconsistency: no nodes, too many, a name that is missing or used
// twice, a level out of range, or an edge that does not lead exactly one level down.
func (g *Graph) check() error {
	if len(g.Nodes) == 0 {
		return errors.New("it has no nodes")
	}
	if len(g.Nodes) > maxNodes || len(g.Pages) > maxNodes {
		return fmt.Errorf("%d nodes and %d pages; %d are the limit", len(g.Nodes), len(g.Pages), maxNodes)
	}
	levels := make(map[string]int, len(g.Nodes))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if _, twice := levels[n.ID]; twice || n.ID == "" || n.Level < 0 || n.Level > maxLevel {
			return fmt.Errorf("node %d: %q of level %d: want a name of its own and a level of 0 to %d", i, n.ID, n.Level, maxLevel)
		}
		levels[n.ID] = n.Level
	}
	for i := range g.Nodes {
		for _, to := range g.Nodes[i].To {
			if l, ok := levels[to]; !ok || l != g.Nodes[i].Level-1 {
				return fmt.Errorf("node %s: it leads to %q, which is no node of the level below", g.Nodes[i].ID, to)
			}
		}
	}
	for i := range g.Pages {
		if l := g.Pages[i].Level; l < 0 || l > maxLevel {
			return fmt.Errorf("page %s: level %d: want 0 to %d", g.Pages[i].URL, l, maxLevel)
		}
	}
	return nil
}

// Fingerprint returns a hash of the T-Graph's file. Strategies save it, to refuse another
// T-Graph when a crawl is continued. It is no protection against forgery.
func (g *Graph) Fingerprint() uint64 {
	h := fnv.New64a()
	if err := g.Write(h); err != nil {
		return 0
	}
	return h.Sum64()
}

// Clicks returns a number of clicks in words.
func Clicks(n int) string { return howMany(n, "click") }
