package strategy

import (
	"math"
	"slices"

	"dowse"
	"dowse/text"
)

// The four parts in which a link is compared with a node.
const (
	partUnder  = iota // immediate sub-headings
	partSub           // sub-headings
	partMain          // main headings
	partData          // text around, with the anchor
	osmParts          // how many there are
	osmMatches = 64   // room for the matches of a link at first
)

// osm is the overall similarity measure between links and the nodes of a T-Graph
// (Seyfi and Patel 2015): the mean of four cosines of stemmed term counts, in which
// a word of the anchor counts more than others. An index from terms to nodes makes
// the cost of a link that of the nodes which share words with it.
//
// It reads one page at a time: see [osm.turn].
type osm struct {
	nodes   []TNode
	impact  float64 // of the anchor's words
	weights [osmParts]float64
	index   [osmParts][][]posting // by term

	glossary
	bag  termBag
	sims []float64 // by node, of the part at hand
	hits []int32   // nodes with such

	heads  [partMain + 1]map[int32][]match // by heading of the page
	total  []float64                       // by node, of the link at hand
	around []match
	found  []int32 // nodes with such
}

// posting is a node that has a term, and its weight there: the count, scaled so that
// the node's vector has length 1.
type posting struct {
	node   int32
	weight float64
}

// match is a node with words in common.
type match struct {
	node int32
	sim  float64
}

func newOSM(g *TGraph, a *text.Analyzer, impact float64, skipTargets bool) *osm {
	o := &osm{impact: impact, glossary: glossary{analyzer: a, known: map[string]int32{}, other: map[string]int32{}, titles: map[int32][]int32{}}}
	for i := range o.weights {
		o.weights[i] = 1.0 / osmParts
	}
	for i := range o.heads {
		o.heads[i] = map[int32][]match{}
	}
	for _, n := range g.Nodes {
		if n.Level > 0 || !skipTargets {
			o.nodes = append(o.nodes, n)
		}
	}
	o.sims, o.total = make([]float64, len(o.nodes)), make([]float64, len(o.nodes))
	for i := range o.nodes {
		o.enter(int32(i), &o.nodes[i].LinkText)
	}
	return o
}

// enter puts a node into the index.
func (o *osm) enter(node int32, t *LinkText) {
	for part := range osmParts {
		o.learning = true
		o.fill(part, t)
		o.learning = false
		norm := o.bag.norm()
		for _, id := range o.bag.ids {
			for int(id) >= len(o.index[part]) {
				o.index[part] = append(o.index[part], nil)
			}
			o.index[part][id] = append(o.index[part][id], posting{node, o.bag.count[id] / norm})
		}
		o.bag.clear()
	}
}

// fill puts the words of one part of a text into the bag.
func (o *osm) fill(part int, t *LinkText) {
	switch part {
	case partUnder:
		o.put(t.Under, 1)
	case partSub:
		o.put(t.Sub, 1)
	case partMain:
		o.put(t.Main, 1)
	case partData:
		o.put(t.Around, 1)
		o.put(t.Anchor, o.impact)
	}
}

func (o *osm) put(s string, weight float64) {
	for _, id := range o.read(s) {
		o.bag.add(id, weight)
	}
}

// turn begins with another page.
func (o *osm) turn(d *dowse.Document) {
	o.glossary.turn(d)
	for i := range o.heads {
		clear(o.heads[i])
	}
}

// match compares the bag with the nodes, in one part, and empties it.
func (o *osm) match(dst []match, part int) []match {
	norm := o.bag.norm()
	for _, id := range o.bag.ids {
		if int(id) >= len(o.index[part]) {
			continue
		}
		count := o.bag.count[id]
		for _, p := range o.index[part][id] {
			if o.sims[p.node] == 0 {
				o.hits = append(o.hits, p.node)
			}
			o.sims[p.node] += float64(count * p.weight)
		}
	}
	o.bag.clear()
	for _, n := range o.hits {
		dst = append(dst, match{n, o.sims[n] / norm})
		o.sims[n] = 0
	}
	o.hits = o.hits[:0]
	return dst
}

// compare leaves in total, for the nodes in found, how similar the link is.
func (o *osm) compare(d *dowse.Document, m *dowse.Mention) {
	for _, n := range o.found {
		o.total[n] = 0
	}
	o.found = o.found[:0]
	o.add(partUnder, o.heading(d, partUnder, m.Above[2]))
	o.add(partSub, o.heading(d, partSub, m.Above[1]))
	o.add(partMain, o.heading(d, partMain, m.Above[0]))
	before, after := around(d, m)
	o.words(before, 1)
	o.words(after, 1)
	o.anchor(d, m)
	o.around = o.match(o.around[:0], partData)
	o.add(partData, o.around)
}

func (o *osm) add(part int, list []match) {
	for _, m := range list {
		if o.total[m.node] == 0 {
			o.found = append(o.found, m.node)
		}
		o.total[m.node] += float64(o.weights[part] * m.sim)
	}
}

// heading returns the nodes that are like a heading of the page. Links share those.
func (o *osm) heading(d *dowse.Document, part int, i int32) []match {
	if i < 0 || int(i) >= len(d.Headings) {
		return nil
	}
	list, ok := o.heads[part][i]
	if !ok {
		o.title(d, i)
		list = o.match(make([]match, 0, osmMatches), part)
		o.heads[part][i] = list
	}
	return list
}

// title puts the words of a heading of the page into the bag.
func (o *osm) title(d *dowse.Document, i int32) {
	for _, id := range o.headed(d, i) {
		o.bag.add(id, 1)
	}
}

func (o *osm) words(s dowse.Span, weight float64) {
	for i := s.Start; i < s.End; i++ {
		for _, id := range o.word(i) {
			o.bag.add(id, weight)
		}
	}
}

func (o *osm) anchor(d *dowse.Document, m *dowse.Mention) {
	if at := within(d, m.At); at.Len() > 0 {
		o.words(at, o.impact)
		return
	}
	o.put(m.Anchor, o.impact)
}

// pick chooses a node among those of at least a similarity: of the lowest level the
// most similar, or, with best, the most similar and of these the lowest. It returns
// -1 if there is none.
func (o *osm) pick(least float64, best bool) int32 {
	chosen := int32(-1)
	for _, n := range o.found {
		if o.total[n] >= least && (chosen < 0 || o.better(n, chosen, best)) {
			chosen = n
		}
	}
	return chosen
}

func (o *osm) better(a, b int32, best bool) bool {
	la, lb, sa, sb := o.nodes[a].Level, o.nodes[b].Level, o.total[a], o.total[b]
	switch {
	case best && sa != sb:
		return sa > sb
	case la != lb:
		return la < lb
	case sa != sb:
		return sa > sb
	}
	return a < b
}

// similarities returns, by node, how similar a text is in each part.
func (o *osm) similarities(t *LinkText) [][osmParts]float64 {
	list := make([][osmParts]float64, len(o.nodes))
	o.turn(&dowse.Document{})
	o.each(t, func(part int, m match) { list[m.node][part] = m.sim })
	return list
}

// each tells of all nodes that have words in common with a text.
func (o *osm) each(t *LinkText, do func(part int, m match)) {
	for part := range osmParts {
		o.fill(part, t)
		o.around = o.match(o.around[:0], part)
		for _, m := range o.around {
			do(part, m)
		}
	}
}

// A termBag counts terms by their numbers.
type termBag struct {
	ids   []int32 // in order of first meeting, so that sums always give the same bits
	count []float64
}

func (b *termBag) add(id int32, weight float64) {
	if int(id) >= len(b.count) {
		b.count = append(b.count, make([]float64, int(id)+1-len(b.count)+len(b.count)/2)...)
	}
	if b.count[id] == 0 {
		b.ids = append(b.ids, id)
	}
	b.count[id] += weight
}

func (b *termBag) norm() float64 {
	sum := 0.0
	for _, id := range b.ids {
		sum += float64(b.count[id] * b.count[id])
	}
	return math.Sqrt(sum)
}

func (b *termBag) clear() {
	for _, id := range b.ids {
		b.count[id] = 0
	}
	b.ids = b.ids[:0]
}

// A glossary numbers terms: those of the nodes for good, others while a page is
// read. Every word of a page is looked up once, however many links it stands by.
type glossary struct {
	analyzer *text.Analyzer
	known    map[string]int32
	learning bool
	terms    []string // by number

	page   *dowse.Document
	other  map[string]int32
	titles map[int32][]int32 // by heading of the page
	spans  []dowse.Span      // by word of the page: of ids; End 0 for one not looked up
	ids    []int32
	line   []int32
	raw    []string
}

func (g *glossary) turn(d *dowse.Document) {
	g.page = d
	clear(g.other)
	clear(g.titles)
	clear(g.spans)
	g.terms, g.ids = g.terms[:len(g.known)], append(g.ids[:0], 0)
	if n := len(d.Words); n > len(g.spans) {
		g.spans = make([]dowse.Span, n+n/2)
	}
}

// word returns the numbers of the terms of a word of the page.
func (g *glossary) word(i int32) []int32 {
	s := &g.spans[i]
	if s.End == 0 {
		s.Start = int32(len(g.ids))
		g.raw = g.analyzer.AppendTerms(g.raw[:0], g.page.Text, g.page.Words[i:i+1])
		for _, t := range g.raw {
			g.ids = append(g.ids, g.number(t))
		}
		s.End = int32(len(g.ids))
	}
	return g.ids[s.Start:s.End]
}

// headed returns the numbers of the terms of a heading of the page.
func (g *glossary) headed(d *dowse.Document, i int32) []int32 {
	if i < 0 || int(i) >= len(d.Headings) {
		return nil
	}
	ids, ok := g.titles[i]
	if !ok {
		ids = slices.Clone(g.read(d.Headings[i].Text))
		g.titles[i] = ids
	}
	return ids
}

// read returns the numbers of the terms of a text, until it is called again.
func (g *glossary) read(s string) []int32 {
	g.line = g.line[:0]
	for _, t := range g.analyzer.Terms(s) {
		g.line = append(g.line, g.number(t))
	}
	return g.line
}

func (g *glossary) number(term string) int32 {
	if id, ok := g.known[term]; ok {
		return id
	}
	id, ok := g.other[term]
	if ok {
		return id
	}
	id = int32(len(g.terms))
	g.terms = append(g.terms, term)
	if g.learning {
		g.known[term] = id
	} else {
		g.other[term] = id
	}
	return id
}
