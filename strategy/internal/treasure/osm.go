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

// The four parts in which a link is compared with a node: ISH, SH, MH and DC in the paper.
const (
	partUnder = iota // immediate sub-headings
	partSub          // sub-headings
	partMain         // main headings
	partData         // text around, with the anchor
	osmParts         // how many there are
)

// osm is the overall similarity measure between a link and the nodes of a T-Graph (Seyfi
// and Patel 2015; SPEC C.7): the mean of four cosines of stemmed term counts, in which a
// word of the anchor counts 1.4. A part that is empty on either side contributes 0, and the
// divisor stays 4.
//
// An inverted index from terms to nodes, one per level and part, makes the cost of a link
// that of the nodes that share words with it. If the node nearest to a target is wanted,
// levels above the first one with a similar node are not searched. The contribution of
// headings is computed once for all links below the same headings.
//
// An osm reads one page at a time, see [osm.turn], and must not be used concurrently.
type osm struct {
	nodes   []tgraph.Node // by level, then those that were added
	impact  float64       // of the anchor's words
	weights [osmParts]float64
	levels  []level

	termNumbers
	bag  termBag
	sims []float64 // by node, of the part at hand
	hits []int32   // nodes with such

	byHeadings map[[3]int32]*headingMatch // by the headings above a link
	current    *headingMatch              // the one whose sums are in above
	above      []float64                  // by node: weighted similarity of the headings
	around     []match
}

// A level is the inverted index over the nodes of one level.
type level struct {
	index [osmParts][][]posting // by term
}

// A posting is a node that has a term, and the weight of the term there: its count, scaled
// so that the node's vector has length 1. A cosine is then a sum of products divided by the
// length of the link's vector.
type posting struct {
	node   int32
	weight float64
}

// A match is a node that shares words with the text at hand, and their similarity.
type match struct {
	node int32
	sim  float64
}

// A headingMatch is what the headings above a link contribute to its similarity with the
// nodes.
type headingMatch struct {
	matches []match // nodes that are like them, and how much of the whole that is
	best    []match // by level: the one that is most like them; node -1 for none
}

// newOSM builds the index over the nodes of a T-Graph. Impact is the weight of a word of an
// anchor. SkipTargets leaves out the nodes of level 0.
func newOSM(g *tgraph.Graph, a *text.Analyzer, impact float64, skipTargets bool) *osm {
	o := &osm{impact: impact, termNumbers: termNumbers{analyzer: a, known: map[string]int32{}, other: map[string]int32{}, titles: map[int32][]int32{}}}
	for i := range o.weights {
		o.weights[i] = 1.0 / osmParts
	}
	o.byHeadings = map[[3]int32]*headingMatch{}
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
		o.addToIndex(int32(i), &o.nodes[i].LinkText)
	}
	return o
}

// addToIndex adds a node to the index. Its terms get numbers that stay valid.
func (o *osm) addToIndex(node int32, t *tgraph.LinkText) {
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

// put adds the terms of a text to the bag, with a weight.
func (o *osm) put(s string, weight float64) {
	for _, id := range o.read(s) {
		o.bag.add(id, weight)
	}
}

// turn begins a new page: what was computed for headings and words of the last one is
// dropped.
func (o *osm) turn(d *dowse.Document) {
	o.termNumbers.turn(d)
	clear(o.byHeadings)
	o.useHeadings(nil)
}

// match appends the nodes of a level that share words with the bag in one part, with the
// cosine. Norm is the length of the bag's vector. The cost is the number of postings of the
// bag's terms.
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

// matchAll is match for all levels; it empties the bag.
func (o *osm) matchAll(dst []match, part int) []match {
	norm := o.bag.norm()
	for i := range o.levels {
		dst = o.match(dst, &o.levels[i], part, norm)
	}
	o.bag.clear()
	return dst
}

// nearest returns the node that a link resembles, with a similarity of at least least: the
// most similar one of the lowest level or, with best, the most similar one of all and among
// equals that of the lowest level. It returns -1 if there is none.
func (o *osm) nearest(d *dowse.Document, m *dowse.Mention, least float64, best bool) (node int32, like float64) {
	o.useHeadings(o.matchHeadings(d, m.Above))
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

// all returns the mean nearness of all nodes that a link resembles with a similarity of at
// least least, weighted by similarity (SPEC G), with the most similar node and its
// similarity. It returns -1 if there is none.
func (o *osm) all(d *dowse.Document, m *dowse.Mention, least float64) (node int32, like, mean float64) {
	o.useHeadings(o.matchHeadings(d, m.Above))
	before, after := linktext.Around(d, m)
	o.words(before, 1)
	o.words(after, 1)
	o.anchor(d, m)
	norm := o.bag.norm()
	node = -1
	sum, weights := 0.0, 0.0
	count := func(n int32, sim float64) {
		if sim < least {
			return
		}
		sum += float64(sim * nearness(o.nodes[n].Level))
		weights += sim
		if node < 0 || sim > like {
			node, like = n, sim
		}
	}
	o.around = o.around[:0]
	for i := range o.levels {
		o.around = o.match(o.around, &o.levels[i], partData, norm)
	}
	for _, m := range o.around {
		count(m.node, o.above[m.node]+float64(o.weights[partData]*m.sim))
		o.sims[m.node] = 1 // counted
	}
	for _, m := range o.current.matches {
		if o.sims[m.node] == 0 {
			count(m.node, m.sim)
		}
	}
	for _, m := range o.around {
		o.sims[m.node] = 0
	}
	o.bag.clear()
	if node < 0 {
		return -1, 0, 0
	}
	return node, like, sum / weights
}

// add adds nodes to the index while the crawl runs. The numbers of terms that are in no
// node are dropped first, since a term of a node keeps its number for the whole crawl.
func (o *osm) add(nodes ...tgraph.Node) {
	o.useHeadings(nil)
	clear(o.byHeadings)
	o.termNumbers.forget()
	for _, n := range nodes {
		for n.Level >= len(o.levels) {
			o.levels = append(o.levels, level{})
		}
		o.nodes = append(o.nodes, n)
		o.sims, o.above = append(o.sims, 0), append(o.above, 0)
		o.addToIndex(int32(len(o.nodes)-1), &n.LinkText)
	}
}

// nearestAt returns the node of a level that is most similar to the link at hand, the first
// of equals; -1 if none shares a word. A node that matches the headings only is a candidate
// by what its headings contribute.
func (o *osm) nearestAt(at int, norm float64) (node int32, like float64) {
	head := o.current.best[at]
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

// useHeadings makes s the current contribution of headings. The sums by node are kept in an
// array that is filled and cleared entry by entry, since few nodes match.
func (o *osm) useHeadings(s *headingMatch) {
	if s == o.current {
		return
	}
	if o.current != nil {
		for _, m := range o.current.matches {
			o.above[m.node] = 0
		}
	}
	if o.current = s; s != nil {
		for _, m := range s.matches {
			o.above[m.node] = m.sim
		}
	}
}

// matchHeadings returns what headings contribute to the similarity with each node, and the
// best node of each level by headings alone. It is computed once per page for the same
// three headings: the hundred links of a list share them, and a link then costs its own
// words only.
func (o *osm) matchHeadings(d *dowse.Document, above [3]int32) *headingMatch {
	if s, ok := o.byHeadings[above]; ok {
		return s
	}
	o.useHeadings(nil)
	s := &headingMatch{best: make([]match, len(o.levels))}
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
	o.byHeadings[above] = s
	return s
}

// title adds the terms of a heading of the page to the bag.
func (o *osm) title(d *dowse.Document, i int32) {
	for _, id := range o.headed(d, i) {
		o.bag.add(id, 1)
	}
}

// words adds the terms of a range of the page's words to the bag, with a weight.
func (o *osm) words(s dowse.Span, weight float64) {
	for i := s.Start; i < s.End; i++ {
		for _, id := range o.word(i) {
			o.bag.add(id, weight)
		}
	}
}

// anchor adds the terms of a link's anchor to the bag: from the page's words, or for the
// alternative text of an image from the anchor itself.
func (o *osm) anchor(d *dowse.Document, m *dowse.Mention) {
	if at := linktext.Within(d, m.At); at.Len() > 0 {
		o.words(at, o.impact)
		return
	}
	o.put(m.Anchor, o.impact)
}

// each calls do for every node and part in which the node shares words with a text.
func (o *osm) each(t *tgraph.LinkText, do func(part int, m match)) {
	for part := range osmParts {
		o.fill(part, t)
		o.around = o.matchAll(o.around[:0], part)
		for _, m := range o.around {
			do(part, m)
		}
	}
}

// A termBag counts terms by their numbers. Counts are in an array by number, so that adding
// a term is one access; clearing touches only what was used.
type termBag struct {
	ids   []int32 // in order of first meeting, so that sums always give the same bits
	count []float64
}

// add adds an occurrence of a term with a weight.
func (b *termBag) add(id int32, weight float64) {
	if int(id) >= len(b.count) {
		b.count = append(b.count, make([]float64, int(id)+1-len(b.count)+len(b.count)/2)...)
	}
	if b.count[id] == 0 {
		b.ids = append(b.ids, id)
	}
	b.count[id] += weight
}

// norm returns the Euclidean length of the vector of counts.
func (b *termBag) norm() float64 {
	sum := 0.0
	for _, id := range b.ids {
		sum += float64(b.count[id] * b.count[id])
	}
	return math.Sqrt(sum)
}

// clear empties the bag, at a cost that depends on its terms only.
func (b *termBag) clear() {
	for _, id := range b.ids {
		b.count[id] = 0
	}
	b.ids = b.ids[:0]
}

// maxOther bounds the terms that are on pages but in no node. Beyond it their numbers are
// dropped with the next page.
const maxOther = 1 << 15 // terms that no node has, numbered at a time

// termNumbers numbers terms: those of the nodes for the whole crawl, others for some pages.
// Every word of a page is looked up once, however many links have it in their text.
type termNumbers struct {
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

// turn begins a new page.
func (g *termNumbers) turn(d *dowse.Document) {
	g.page = d
	if !g.book.Ready() || len(g.other) > maxOther {
		g.forget()
	}
	clear(g.titles)
	clear(g.spans)
	g.ids = append(g.ids[:0], 0)
	if n := len(d.Words); n > len(g.spans) {
		g.spans = make([]dowse.Span, n+n/2)
	}
}

// forget drops the numbers of terms that are in no node. What was looked up of the page at
// hand is not valid afterwards.
func (g *termNumbers) forget() {
	clear(g.other)
	g.book.Reset()
	g.terms = g.terms[:len(g.known)]
}

// word returns the numbers of the terms of a word of the page, from the second time on
// without looking the word up.
func (g *termNumbers) word(i int32) []int32 {
	s := &g.spans[i]
	if s.End == 0 {
		s.Start = int32(len(g.ids))
		g.look(g.page.Words[i])
		s.End = int32(len(g.ids))
	}
	return g.ids[s.Start:s.End]
}

// look appends the numbers of a word's terms to ids, from the book if the word is in it.
func (g *termNumbers) look(w dowse.Span) {
	h := g.book.Hash(g.page.Text, int(w.Start), g.analyzer.WordEnd(g.page.Text, w))
	id, kind := g.book.Find(h)
	if kind != book.Unknown {
		if kind == book.IsTerm {
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

// headed returns the numbers of the terms of a heading of the page, cached for the page.
func (g *termNumbers) headed(d *dowse.Document, i int32) []int32 {
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

// read returns the numbers of the terms of a text. The list is valid until the next call.
func (g *termNumbers) read(s string) []int32 {
	g.line = g.line[:0]
	for _, t := range g.analyzer.Terms(s) {
		g.line = append(g.line, g.number(t))
	}
	return g.line
}

// number returns the number of a term, a new one if it has none. While nodes are read
// (learning) the number is permanent.
func (g *termNumbers) number(term string) int32 {
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
