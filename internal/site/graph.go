package site

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Graph holds the sites that a crawl knows, and the links between them.
type Graph struct {
	Nodes []Site
	Edges []Edge
}

// An Edge is the links from one site to another, as the pages that were read
// have them.
type Edge struct {
	From, To int     // in Nodes
	Pages    int     // pages of From that have such a link
	Weight   float64 // worth of the link, see [Weight]
}

// Reduced returns the most important part of the graph, of at most n sites:
// start sites and those on topic, then those that were read, then those with
// the most links. Edges keep their order; those to a site that was left out are
// left out too.
func (g *Graph) Reduced(n int) *Graph {
	degree := make([]int, len(g.Nodes))
	for _, e := range g.Edges {
		degree[e.From]++
		degree[e.To]++
	}
	order := make([]int, len(g.Nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(importance(&g.Nodes[a]), importance(&g.Nodes[b])), cmp.Compare(degree[b], degree[a]))
	})
	place := make([]int, len(g.Nodes))
	small := &Graph{}
	for k, i := range order {
		if place[i] = -1; k < n {
			place[i] = k
			small.Nodes = append(small.Nodes, g.Nodes[i])
		}
	}
	for _, e := range g.Edges {
		if e.From, e.To = place[e.From], place[e.To]; e.From >= 0 && e.To >= 0 {
			small.Edges = append(small.Edges, e)
		}
	}
	return small
}

// importance orders sites by how much a reader wants to see of them; 0 is the
// most important.
func importance(s *Site) int {
	switch {
	case s.Start:
		return 0
	case s.Verdict == Relevant:
		return 1
	case s.Verdict == Irrelevant || s.Verdict == Reading:
		return 2
	case s.Verdict == None:
		return 3
	}
	return 4
}

// attributes returns what graph files contain of a site in addition to its
// name, in the order of attributeNames.
func (s *Site) attributes() []string {
	return []string{
		string(s.Verdict), strconv.FormatFloat(s.Confidence, 'g', 6, 64), strconv.Itoa(s.Pages), strconv.Itoa(s.Order),
		strconv.FormatBool(s.Start), string(s.Stop), string(s.Homepage),
	}
}

// attributeNames are the names and types of the attributes in the two XML
// formats.
var attributeNames = []struct{ name, gexf, graphml string }{
	{"verdict", "string", "string"}, {"confidence", "double", "double"}, {"pages", "integer", "int"}, {"order", "integer", "int"},
	{"start", "boolean", "boolean"}, {"stop", "string", "string"}, {"homepage", "string", "string"},
}

// escaped returns a text for XML; characters that XML does not allow are
// replaced.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writing to a builder can't fail
	return b.String()
}

// A lines writes lines until one fails, and keeps the error.
type lines struct {
	w   io.Writer
	err error
}

// add writes one line, unless an earlier one has failed.
func (l *lines) add(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format+"\n", args...)
	}
}

// appearance returns colour and size of a site in a picture: relevant sites are green, others grey, and a site is
// larger the more of its pages were read.
func appearance(s *Site) string {
	colour := `<viz:color r="190" g="190" b="190"/>`
	if s.Verdict == Relevant {
		colour = `<viz:color r="10" g="140" b="120"/>`
	}
	return fmt.Sprintf(`%s<viz:size value="%.4g"/>`, colour, 6+5*math.Log2(1+float64(s.Pages)))
}

// GEXF writes the graph in the format of Gephi (GEXF 1.3).
func (g *Graph) GEXF(w io.Writer) error {
	l := &lines{w: w}
	l.add(`<?xml version="1.0" encoding="UTF-8"?>`)
	l.add(`<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3"><graph defaultedgetype="directed"><attributes class="node">`)
	for i, a := range attributeNames {
		l.add(`<attribute id="%d" title="%s" type="%s"/>`, i, a.name, a.gexf)
	}
	l.add(`</attributes><attributes class="edge"><attribute id="0" title="pages" type="integer"/></attributes><nodes>`)
	for i := range g.Nodes {
		l.add(`<node id="%d" label="%s"><attvalues>`, i, escaped(g.Nodes[i].Name))
		for k, v := range g.Nodes[i].attributes() {
			l.add(`<attvalue for="%d" value="%s"/>`, k, escaped(v))
		}
		l.add(`</attvalues>%s</node>`, appearance(&g.Nodes[i]))
	}
	l.add(`</nodes><edges>`)
	for i, e := range g.Edges {
		l.add(`<edge id="%d" source="%d" target="%d" weight="%g"><attvalues><attvalue for="0" value="%d"/></attvalues></edge>`, i, e.From, e.To, e.Weight, e.Pages)
	}
	l.add(`</edges></graph></gexf>`)
	return l.err
}

// GraphML writes the graph as GraphML.
func (g *Graph) GraphML(w io.Writer) error {
	l := &lines{w: w}
	l.add(`<?xml version="1.0" encoding="UTF-8"?>`)
	l.add(`<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="site" for="node" attr.name="site" attr.type="string"/>`)
	for _, a := range attributeNames {
		l.add(`<key id="%s" for="node" attr.name="%s" attr.type="%s"/>`, a.name, a.name, a.graphml)
	}
	l.add(`<key id="weight" for="edge" attr.name="weight" attr.type="double"/><key id="linking" for="edge" attr.name="pages" attr.type="int"/>`)
	l.add(`<graph edgedefault="directed">`)
	for i := range g.Nodes {
		l.add(`<node id="n%d"><data key="site">%s</data>`, i, escaped(g.Nodes[i].Name))
		for k, v := range g.Nodes[i].attributes() {
			l.add(`<data key="%s">%s</data>`, attributeNames[k].name, escaped(v))
		}
		l.add(`</node>`)
	}
	for i, e := range g.Edges {
		l.add(`<edge id="e%d" source="n%d" target="n%d"><data key="weight">%g</data><data key="linking">%d</data></edge>`, i, e.From, e.To, e.Weight, e.Pages)
	}
	l.add(`</graph></graphml>`)
	return l.err
}

// DOT writes the graph in the format of Graphviz.
func (g *Graph) DOT(w io.Writer) error {
	l := &lines{w: w}
	l.add("digraph sites {")
	l.add(`  node [shape=box, style=filled, fillcolor="#e6e6e6"];`)
	for i := range g.Nodes {
		s := &g.Nodes[i]
		colour := ""
		if s.Verdict == Relevant {
			colour = `, fillcolor="#8fc9c0"`
		}
		l.add("  n%d [label=%s, tooltip=%s%s];", i, quoted(s.Name), quoted(fmt.Sprintf("%s %.3f, %d pages", s.Verdict, s.Confidence, s.Pages)), colour)
	}
	for _, e := range g.Edges {
		l.add("  n%d -> n%d [weight=%d];", e.From, e.To, e.Pages)
	}
	l.add("}")
	return l.err
}

// quoted returns a string of DOT, in which only quotes and backslashes have a
// meaning.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ").Replace(s) + `"`
}
