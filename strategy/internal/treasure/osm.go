package treasure

import (
	"cmp"
	"math"
	"slices"

	"dowse"
	"dowse/internal/linktext"
	"dowse/internal/text"
	"dowse/internal/tgraph"
	"dowse/strategy/internal/book"
)

// The four parts in which a link is compared with a node.
const (
	partUnder = iota // immediate sub-headings
	partSub          // sub-headings
	partMain         // main headings
	partData         // text around, with the anchor
	osmParts         // how many there are
)

// osm is the overall similarity measure between links and the nodes of a T-Graph
// (Seyfi and Patel 2015): the mean of four cosines of stemmed term counts, in which
// a word of the anchor counts more than others.
//
// An index from terms to nodes, by level, makes the cost of a link that of the nodes
// which share words with it, and of the levels that have to be looked at: where the
// node nearest to a target is wanted, those above the first with a node that is like
// the link are not. What the headings above links say is worked out once for all
// links under them.
//
// It reads one page at a time: see [osm.turn].
type osm struct {
	nodes   []tgraph.Node // by level
	impact  float64       // of the anchor's words
	weights [osmParts]float64
	levels  []level

	glossary
	bag  termBag
	sims []float64 // by node, of the part at hand
	hits []int32   // nodes with such

	shades map[[3]int32]*shade // by the headings above a link
	under  *shade              // the one whose sums are in above
	above  []float64           // by node: what the headings say
	around []match
}

// A level is the nodes of one level, by their terms.
type level struct {
	index [osmParts][][]posting // by term
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

// A shade is what the headings above a link say of it.
type shade struct {
	matches []match // nodes that are like them, and how much of the whole that is
	best    []match // by level: the one that is most like them; node -1 for none
}

func newOSM(g *tgraph.Graph, a *text.Analyzer, impact float64, skipTargets bool) *osm {
	o := &osm{impact: impact, glossary: glossary{analyzer: a, known: map[string]int32{}, other: map[string]int32{}, titles: map[int32][]int32{}}}
	for i := range o.weights {
		o.weights[i] = 1.0 / osmParts
	}
	o.shades = map[[3]int32]*shade{}
	for _, n := range g.Nodes {
		if n.Level > 0 || !skipTargets {
			o.nodes = append(o.nodes, n)
		}
	}
	slices.SortStableFunc(o.nodes, func(a, b tgraph.Node) int { return cmp.Compare(a.Level, b.Level) })
	o.sims, o.above = make([]float64, len(o.nodes)), make([]float64, len(o.nodes))
	for i := range o.nodes {
		for o.nodes[i].Level >= len(o.levels) {
			o.levels = append(o.levels, level{})
		}
		o.enter(int32(i), &o.nodes[i].LinkText)
	}
	return o
}

// enter puts a node into the index.
func (o *osm) enter(node int32, t *tgraph.LinkText) {
	at := &o.levels[o.nodes[node].Level]
	for part := range osmParts {
		o.learning = true
		o.fill(part, t)
		o.learning = false
		norm := o.bag.norm()
		for _, id := range o.bag.ids {
			for int(id) >= len(at.index[part]) {
				at.index[part] = append(at.index[part], nil)
			}
			at.index[part][id] = append(at.index[part][id], posting{node, o.bag.count[id] / norm})
		}
		o.bag.clear()
	}
}

// fill puts the words of one part of a text into the bag.
func (o *osm) fill(part int, t *tgraph.LinkText) {
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
	clear(o.shades)
	o.shaded(nil)
}

// match compares the bag with the nodes of a level, in one part.
func (o *osm) match(dst []match, at *level, part int, norm float64) []match {
	index := at.index[part]
	for _, id := range o.bag.ids {
		if int(id) >= len(index) {
			continue
		}
		count := o.bag.count[id]
		for _, p := range index[id] {
			if o.sims[p.node] == 0 {
				o.hits = append(o.hits, p.node)
			}
			o.sims[p.node] += float64(count * p.weight)
		}
	}
	for _, n := range o.hits {
		dst = append(dst, match{n, o.sims[n] / norm})
		o.sims[n] = 0
	}
	o.hits = o.hits[:0]
	return dst
}

// matchAll compares the bag with the nodes of all levels, in one part, and empties it.
func (o *osm) matchAll(dst []match, part int) []match {
	norm := o.bag.norm()
	for i := range o.levels {
		dst = o.match(dst, &o.levels[i], part, norm)
	}
	o.bag.clear()
	return dst
}

// nearest returns the node that a link is like, at least so much, and how much: of the
// lowest level the most similar or, with best, the most similar and of these the
// lowest. It returns -1 if there is none.
func (o *osm) nearest(d *dowse.Document, m *dowse.Mention, least float64, best bool) (node int32, like float64) {
	o.shaded(o.shadeOf(d, m.Above))
	before, after := linktext.Around(d, m)
	o.words(before, 1)
	o.words(after, 1)
	o.anchor(d, m)
	norm := o.bag.norm()
	node = -1
	for i := range o.levels {
		if n, sim := o.nearestAt(i, norm); n >= 0 && sim >= least && (node < 0 || sim > like) {
			node, like = n, sim
		}
		if node >= 0 && !best {
			break
		}
	}
	o.bag.clear()
	return node, like
}

// nearestAt returns the node of a level that is most like the link at hand, the first
// of equals; -1 if none is.
func (o *osm) nearestAt(at int, norm float64) (node int32, like float64) {
	head := o.under.best[at]
	node, like = head.node, head.sim
	o.around = o.match(o.around[:0], &o.levels[at], partData, norm)
	for _, m := range o.around {
		sim := o.above[m.node] + float64(o.weights[partData]*m.sim)
		if node < 0 || sim > like || sim == like && m.node < node {
			node, like = m.node, sim
		}
	}
	return node, like
}

// shaded puts the sums of a shade in place of those of another.
func (o *osm) shaded(s *shade) {
	if s == o.under {
		return
	}
	if o.under != nil {
		for _, m := range o.under.matches {
			o.above[m.node] = 0
		}
	}
	if o.under = s; s != nil {
		for _, m := range s.matches {
			o.above[m.node] = m.sim
		}
	}
}

// shadeOf returns what some headings say.
func (o *osm) shadeOf(d *dowse.Document, above [3]int32) *shade {
	if s, ok := o.shades[above]; ok {
		return s
	}
	o.shaded(nil)
	s := &shade{best: make([]match, len(o.levels))}
	for i := range s.best {
		s.best[i].node = -1
	}
	for _, part := range [...]int{partUnder, partSub, partMain} {
		o.title(d, above[2-part])
		o.around = o.matchAll(o.around[:0], part)
		for _, m := range o.around {
			if o.above[m.node] == 0 {
				s.matches = append(s.matches, match{node: m.node})
			}
			o.above[m.node] += float64(o.weights[part] * m.sim)
		}
	}
	for i := range s.matches {
		m := &s.matches[i]
		m.sim, o.above[m.node] = o.above[m.node], 0
		if b := &s.best[o.nodes[m.node].Level]; b.node < 0 || m.sim > b.sim || m.sim == b.sim && m.node < b.node {
			*b = *m
		}
	}
	o.shades[above] = s
	return s
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
	if at := linktext.Within(d, m.At); at.Len() > 0 {
		o.words(at, o.impact)
		return
	}
	o.put(m.Anchor, o.impact)
}

// each tells of all nodes that have words in common with a text.
func (o *osm) each(t *tgraph.LinkText, do func(part int, m match)) {
	for part := range osmParts {
		o.fill(part, t)
		o.around = o.matchAll(o.around[:0], part)
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

const maxOther = 1 << 15 // terms that no node has, numbered at a time

// A glossary numbers terms: those of the nodes for good, others for some pages. Every
// word of a page is looked up once, however many links it stands by.
type glossary struct {
	analyzer *text.Analyzer
	known    map[string]int32
	learning bool
	terms    []string // by number

	page   *dowse.Document
	book   book.Book
	other  map[string]int32
	titles map[int32][]int32 // by heading of the page
	spans  []dowse.Span      // by word of the page: of ids; End 0 for one not looked up
	ids    []int32
	line   []int32
	raw    []string
}

func (g *glossary) turn(d *dowse.Document) {
	g.page = d
	if !g.book.Begun() || len(g.other) > maxOther {
		clear(g.other)
		g.book.Anew()
		g.terms = g.terms[:len(g.known)]
	}
	clear(g.titles)
	clear(g.spans)
	g.ids = append(g.ids[:0], 0)
	if n := len(d.Words); n > len(g.spans) {
		g.spans = make([]dowse.Span, n+n/2)
	}
}

// word returns the numbers of the terms of a word of the page.
func (g *glossary) word(i int32) []int32 {
	s := &g.spans[i]
	if s.End == 0 {
		s.Start = int32(len(g.ids))
		g.look(g.page.Words[i])
		s.End = int32(len(g.ids))
	}
	return g.ids[s.Start:s.End]
}

// look adds the numbers of the terms of a word to ids.
func (g *glossary) look(w dowse.Span) {
	h := g.book.Hash(g.page.Text, int(w.Start), g.analyzer.WordEnd(g.page.Text, w))
	id, says := g.book.Find(h)
	if says != book.Unknown {
		if says == book.IsTerm {
			g.ids = append(g.ids, int32(id))
		}
		return
	}
	g.raw = g.analyzer.AppendTerms(g.raw[:0], g.page.Text, []dowse.Span{w})
	for _, t := range g.raw {
		g.ids = append(g.ids, g.number(t))
	}
	switch len(g.raw) {
	case 0:
		g.book.Note(h, 0, book.IsNothing)
	case 1:
		g.book.Note(h, uint32(g.ids[len(g.ids)-1]), book.IsTerm)
	}
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
