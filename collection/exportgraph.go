package collection

import (
	"cmp"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"dowse/crawl"
	"dowse/internal/facts"
	"dowse/internal/frontier"
	"dowse/internal/plain"
	"dowse/internal/site"
	"dowse/weburl"
)

// The values of ExportOptions.Graph.
const (
	graphHosts = "hosts"
	graphPages = "pages"
)

// A graphNode is a host or a page of a graph.
type graphNode struct {
	id        uint32
	name      string // a host, or a URL
	title     string // of a page
	host      string // of a page
	pages     int    // of a host: those that were fetched
	onTopic   int    // of a host: those on topic; of a page 1 or 0
	relevance float64
	best      float64 // of a host: the largest relevance of a page
	depth     int     // of a page
	fetched   bool
	sum       float64 // of a host: of the relevance of its pages
}

// A graphEdge is the links from one node to another.
type graphEdge struct {
	from, to  uint32
	pages     int     // that have such a link
	relevance float64 // mean of these pages
}

// A linkGraph is the hosts or pages of a crawl with the links between them.
// Nodes are in memory, at some hundred bytes each; edges between pages are read from
// the journal as they are written.
type linkGraph struct {
	x     *exporter
	kind  string
	nodes map[uint32]*graphNode
	order []uint32
}

// newLinkGraph reads the nodes of the graph: hosts or pages that were fetched; with On
// only those on topic, with All also those that are only known.
func (x *exporter) newLinkGraph() (*linkGraph, error) {
	g := &linkGraph{x: x, kind: cmp.Or(x.opt.Graph, graphHosts), nodes: map[uint32]*graphNode{}}
	for e, err := range x.c.Journal.Visits(0) {
		if err != nil {
			if err = x.c.passOver(err); err != nil {
				return nil, err
			}
			continue
		}
		if x.ctx.Err() != nil {
			return nil, x.ctx.Err()
		}
		if x.c.isPage(e) && !x.c.misnamed(e.ID) {
			g.addPage(e)
		}
	}
	if x.opt.All {
		g.addKnown()
	}
	if x.opt.On {
		maps.DeleteFunc(g.nodes, func(_ uint32, n *graphNode) bool { return n.onTopic == 0 })
	}
	g.order = slices.Sorted(maps.Keys(g.nodes))
	for _, n := range g.nodes {
		if g.kind == graphHosts && n.pages > 0 {
			n.relevance = n.sum / float64(n.pages)
		}
	}
	x.n = len(g.order)
	return g, nil
}

// nodeOf returns the number of the node that a URL belongs to.
func (g *linkGraph) nodeOf(id frontier.ID) uint32 {
	if g.kind == graphPages {
		return uint32(id)
	}
	return uint32(g.x.c.Crawl.Frontier().Host(id))
}

// node returns the node that a URL belongs to, and makes it if it is new.
func (g *linkGraph) node(id frontier.ID) *graphNode {
	key := g.nodeOf(id)
	n := g.nodes[key]
	if n == nil {
		n = &graphNode{id: key}
		if g.kind == graphPages {
			u := g.x.c.URL(id)
			n.name, n.host = string(u), weburl.Hostname(u)
		} else {
			fr := g.x.c.Crawl.Frontier()
			n.name = fr.HostName(fr.Host(id))
		}
		g.nodes[key] = n
	}
	return n
}

// addPage adds a page that was fetched.
func (g *linkGraph) addPage(e *crawl.Entry) {
	n := g.node(e.ID)
	relevance := facts.Finite(e.Page.Verdict.Relevance)
	n.fetched = true
	n.pages++
	n.sum += relevance
	n.best = max(n.best, relevance)
	if e.Page.Verdict.Relevance >= g.x.c.Threshold() {
		n.onTopic++
	}
	if g.kind == graphPages {
		n.title, n.relevance, n.depth = e.Page.Title, relevance, e.Page.Depth
	}
}

// addKnown adds all URLs that the crawl knows, but for those that were taken down.
func (g *linkGraph) addKnown() {
	fr := g.x.c.Crawl.Frontier()
	for id := range frontier.ID(fr.Len()) {
		if !g.x.c.forgotten(id) {
			g.node(id)
		}
	}
}

// edges calls do for the links between nodes: of pages in the order of fetching, of hosts
// in the order of their numbers. Links of a node to itself are left out.
func (g *linkGraph) edges(do func(graphEdge) error) error {
	var between map[[2]uint32]*graphEdge
	if g.kind == graphHosts {
		between = map[[2]uint32]*graphEdge{}
	}
	for e, err := range g.x.c.Journal.Scan(0, nil) {
		if err != nil {
			continue // recorded when the nodes were read
		}
		if g.x.ctx.Err() != nil {
			return g.x.ctx.Err()
		}
		if !g.x.c.isPage(e) {
			continue
		}
		if err := g.linksOf(e, between, do); err != nil {
			return err
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(between), func(a, b [2]uint32) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	}) {
		x := between[key]
		x.relevance /= float64(x.pages)
		if err := do(*x); err != nil {
			return err
		}
	}
	return nil
}

// linksOf calls do for the links of one page, or adds them to those between hosts.
func (g *linkGraph) linksOf(e *crawl.Entry, between map[[2]uint32]*graphEdge, do func(graphEdge) error) error {
	from := g.nodeOf(e.ID)
	if g.nodes[from] == nil {
		return nil
	}
	relevance := facts.Finite(e.Page.Verdict.Relevance)
	seen := map[uint32]bool{from: true}
	for i := range e.Links {
		target := e.Links[i].Target
		if g.x.c.forgotten(target) {
			continue
		}
		to := g.nodeOf(target)
		if seen[to] || g.nodes[to] == nil {
			continue
		}
		seen[to] = true
		if between == nil {
			if err := do(graphEdge{from, to, 1, relevance}); err != nil {
				return err
			}
			continue
		}
		key := [2]uint32{from, to}
		if between[key] == nil {
			between[key] = &graphEdge{from: from, to: to}
		}
		between[key].pages++
		between[key].relevance += relevance
	}
	return nil
}

// A graphAttribute is an attribute of nodes in graph files.
type graphAttribute struct {
	name, kind string // kind as GraphML names it
	value      func(n *graphNode) string
}

// attributes returns the attributes of the nodes.
func (g *linkGraph) attributes() []graphAttribute {
	list := []graphAttribute{
		{"relevance", "double", func(n *graphNode) string { return decimal(n.relevance) }},
		{"on_topic", "int", func(n *graphNode) string { return strconv.Itoa(n.onTopic) }},
		{"fetched", "boolean", func(n *graphNode) string { return strconv.FormatBool(n.fetched) }},
	}
	if g.kind == graphHosts {
		return append(list,
			graphAttribute{"pages", "int", func(n *graphNode) string { return strconv.Itoa(n.pages) }},
			graphAttribute{"best_relevance", "double", func(n *graphNode) string { return decimal(n.best) }})
	}
	return append(list,
		graphAttribute{"url", "string", func(n *graphNode) string { return n.name }},
		graphAttribute{"title", "string", func(n *graphNode) string { return n.title }},
		graphAttribute{"host", "string", func(n *graphNode) string { return n.host }},
		graphAttribute{"depth", "int", func(n *graphNode) string { return strconv.Itoa(n.depth) }})
}

// labelLength is how many characters of a title are written next to a node.
const labelLength = 50

// label returns what a picture shows of a node: the host, or the title of a page. URLs are too long to be
// read in a picture; they are an attribute.
func (g *linkGraph) label(n *graphNode) string {
	if g.kind == graphHosts || n.title == "" {
		return n.name
	}
	return plain.Fit(n.title, labelLength)
}

// tooltip returns what a drawing shows of a node on request.
func (g *linkGraph) tooltip(n *graphNode) string {
	if g.kind == graphHosts {
		return fmt.Sprintf("relevance %.3f, %d of %s on topic", n.relevance, n.onTopic, plain.Some(n.pages, "page"))
	}
	return fmt.Sprintf("relevance %.3f, %s", n.relevance, n.name)
}

// size returns the diameter of a node in a picture: a host is larger the more of its pages were fetched.
func (g *linkGraph) size(n *graphNode) float64 {
	if g.kind == graphHosts {
		return 6 + 5*math.Log2(1+float64(n.pages))
	}
	return 6 + 8*n.relevance
}

// colour returns the colour of a node in a picture: grey if it is not relevant, the greener the more it is.
func (n *graphNode) colour() (red, green, blue int) {
	at := func(low, high float64) int { return int(math.Round(low + (high-low)*min(max(n.relevance, 0), 1))) }
	return at(190, 10), at(190, 140), at(190, 120)
}

// decimal returns a number with six digits.
func decimal(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }

// isSiteGraph reports whether the export is of the graph of sites, which only a crawl for
// sites has. An unknown kind of graph is an error.
func (x *exporter) isSiteGraph() (bool, error) {
	switch x.opt.Graph {
	case graphHosts, graphPages:
		return false, nil
	case "":
		_, err := x.c.siteCrawler()
		return err == nil, nil
	case "sites":
		return true, nil
	}
	return false, wrong("graph: %q is unknown; want hosts, pages or sites", x.opt.Graph)
}

// writeGraph writes the graph of sites by bySite, or one of hosts or pages by byLink.
func (x *exporter) writeGraph(w io.Writer, bySite func(g *site.Graph) error, byLink func(g *linkGraph, w *graphLines) error) error {
	ofSites, err := x.isSiteGraph()
	if err != nil {
		return err
	}
	if ofSites {
		return x.graph(bySite)
	}
	g, err := x.newLinkGraph()
	if err != nil {
		return err
	}
	l := &graphLines{w: w}
	if err := byLink(g, l); err != nil {
		return err
	}
	return l.err
}

// A graphLines writes lines until one fails, and keeps the error.
type graphLines struct {
	w   io.Writer
	err error
}

func (l *graphLines) add(format string, args ...any) error {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format+"\n", args...)
	}
	return l.err
}

// inXML returns a text for XML, without characters that XML does not allow.
func inXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writing to a builder can't fail
	return b.String()
}

// gexf writes the graph in the format of Gephi (GEXF 1.3).
func (x *exporter) gexf(w io.Writer) error {
	return x.writeGraph(w, func(g *site.Graph) error { return g.GEXF(w) }, func(g *linkGraph, l *graphLines) error {
		types := map[string]string{"int": "integer"}
		l.add(`<?xml version="1.0" encoding="UTF-8"?>`)
		l.add(`<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3"><graph defaultedgetype="directed"><attributes class="node">`)
		attributes := g.attributes()
		for i, a := range attributes {
			l.add(`<attribute id="%d" title="%s" type="%s"/>`, i, a.name, cmp.Or(types[a.kind], a.kind))
		}
		l.add(`</attributes><attributes class="edge"><attribute id="0" title="relevance" type="double"/></attributes><nodes>`)
		for _, id := range g.order {
			n := g.nodes[id]
			l.add(`<node id="%d" label="%s"><attvalues>`, id, inXML(g.label(n)))
			for i, a := range attributes {
				l.add(`<attvalue for="%d" value="%s"/>`, i, inXML(a.value(n)))
			}
			red, green, blue := n.colour()
			l.add(`</attvalues><viz:color r="%d" g="%d" b="%d"/><viz:size value="%s"/></node>`, red, green, blue, decimal(g.size(n)))
		}
		l.add(`</nodes><edges>`)
		count := 0
		err := g.edges(func(e graphEdge) error {
			count++
			return l.add(`<edge id="%d" source="%d" target="%d" weight="%d"><attvalues><attvalue for="0" value="%s"/></attvalues></edge>`, count, e.from, e.to, e.pages, decimal(e.relevance))
		})
		l.add(`</edges></graph></gexf>`)
		return err
	})
}

// graphml writes the graph as GraphML.
func (x *exporter) graphml(w io.Writer) error {
	return x.writeGraph(w, func(g *site.Graph) error { return g.GraphML(w) }, func(g *linkGraph, l *graphLines) error {
		l.add(`<?xml version="1.0" encoding="UTF-8"?>`)
		l.add(`<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="name" for="node" attr.name="name" attr.type="string"/>`)
		attributes := g.attributes()
		for _, a := range attributes {
			l.add(`<key id="%s" for="node" attr.name="%s" attr.type="%s"/>`, a.name, a.name, a.kind)
		}
		l.add(`<key id="weight" for="edge" attr.name="weight" attr.type="int"/><key id="linking" for="edge" attr.name="relevance" attr.type="double"/>`)
		l.add(`<graph edgedefault="directed">`)
		for _, id := range g.order {
			n := g.nodes[id]
			l.add(`<node id="n%d"><data key="name">%s</data>`, id, inXML(n.name))
			for _, a := range attributes {
				l.add(`<data key="%s">%s</data>`, a.name, inXML(a.value(n)))
			}
			l.add(`</node>`)
		}
		err := g.edges(func(e graphEdge) error {
			return l.add(`<edge source="n%d" target="n%d"><data key="weight">%d</data><data key="linking">%s</data></edge>`, e.from, e.to, e.pages, decimal(e.relevance))
		})
		l.add(`</graph></graphml>`)
		return err
	})
}

// dot writes the graph in the format of Graphviz. Nodes with pages on topic have a colour.
func (x *exporter) dot(w io.Writer) error {
	return x.writeGraph(w, func(g *site.Graph) error { return g.DOT(w) }, func(g *linkGraph, l *graphLines) error {
		l.add("digraph %s {", g.kind)
		l.add(`  graph [outputorder=edgesfirst];`) // the names of nodes are above the links
		l.add(`  edge [color="#00000033", arrowsize=0.6];`)
		l.add(`  node [shape=box, style=filled, fillcolor="#e6e6e6"];`)
		for _, id := range g.order {
			n := g.nodes[id]
			colour := ""
			if n.onTopic > 0 {
				colour = `, fillcolor="#8fc9c0"`
			}
			l.add("  n%d [label=%s, tooltip=%s%s];", id, inDOT(g.label(n)), inDOT(g.tooltip(n)), colour)
		}
		err := g.edges(func(e graphEdge) error { return l.add("  n%d -> n%d [weight=%d];", e.from, e.to, e.pages) })
		l.add("}")
		return err
	})
}

// inDOT returns a string of DOT, in which only quotes and backslashes have a meaning.
func inDOT(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ").Replace(s) + `"`
}

// edgesCSV writes one row per link between two nodes, with the relevance of both.
func (x *exporter) edgesCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"source", "target", "pages", "relevance", "source_relevance", "target_relevance"}) // the error is that of Flush
	err := x.writeGraph(w, func(g *site.Graph) error {
		for _, e := range g.Edges {
			from, to := &g.Nodes[e.From], &g.Nodes[e.To]
			_ = out.Write([]string{harmless(from.Name), harmless(to.Name), strconv.Itoa(e.Pages), decimal(e.Weight), decimal(from.Confidence), decimal(to.Confidence)})
		}
		return nil
	}, func(g *linkGraph, _ *graphLines) error {
		return g.edges(func(e graphEdge) error {
			from, to := g.nodes[e.from], g.nodes[e.to]
			return out.Write([]string{harmless(from.name), harmless(to.name), strconv.Itoa(e.pages), decimal(e.relevance), decimal(from.relevance), decimal(to.relevance)})
		})
	})
	out.Flush()
	return cmp.Or(err, out.Error())
}
