package maintext

import (
	"slices"
	"strconv"
	"strings"
)

// Main returns the page's own text: the blocks that are neither part of its frame
// nor of the template of its host. template may be nil. A page on which the rules
// leave nothing has no own text.
func (p *Page) Main(template *Template) *Text {
	c := chooser{page: p, template: template, keep: make([]bool, len(p.blocks)), repeated: make([]bool, len(p.blocks))}
	c.choose()
	return &Text{page: p, keep: c.keep}
}

// A chooser decides which blocks of a page are its own text.
type chooser struct {
	page     *Page
	template *Template
	keep     []bool
	repeated []bool // the block belongs to the template
}

// largeRegion is the share of the words of a page beyond which a region that looks
// like a part of the frame is none: some sites put all they have into an element
// with such a name.
const largeRegion = 0.6

// choose sets keep.
func (c *chooser) choose() {
	blocks := c.page.blocks
	if c.page.whole {
		for i := range blocks {
			c.keep[i] = blocks[i].words > 0
		}
		return
	}
	for i := range blocks {
		c.repeated[i] = c.template.has(blocks[i].hash)
	}
	c.settleTables()
	trusted := c.trustedMarks()
	candidates := make([]int, 0, len(blocks))
	for i := range blocks {
		if blocks[i].words > 0 && !c.repeated[i] && !framed(blocks[i].in, trusted) && !c.page.isLineNumbers(&blocks[i]) {
			candidates = append(candidates, i)
		}
	}
	if own := c.ownBlocks(candidates); own != nil {
		c.keepOwn(c.units(own))
	} else {
		units := c.units(candidates)
		c.keepDense(units)
		c.trim(units)
	}
	c.settleHeadings()
}

// isLineNumbers reports whether a block is preformatted and has only the numbers of lines, which some sites put beside
// a listing.
func (p *Page) isLineNumbers(b *block) bool {
	if !b.in.has(markPre) {
		return false
	}
	numbers := strings.Fields(p.text(b))
	for i, n := range numbers {
		if n != strconv.Itoa(i+1) {
			return false
		}
	}
	return len(numbers) > 1
}

// mostOfTable is the share of the cells of a table of data which repeat on other pages, from which on the table is
// part of the template.
const mostOfTable = 0.8

// settleTables decides about tables of data as wholes: the labels of a table, and words such as "yes", are on many
// pages, but belong to the values beside them.
func (c *chooser) settleTables() {
	if c.template.Len() == 0 {
		return
	}
	blocks := c.page.blocks
	for i := 0; i < len(blocks); {
		end, cells, repeated := i, 0, 0
		for ; end < len(blocks) && blocks[end].table.table == blocks[i].table.table; end++ {
			if blocks[end].words > 0 {
				cells++
			}
			if c.repeated[end] && blocks[end].words > 0 {
				repeated++
			}
		}
		if blocks[i].table.table > 0 && float64(repeated) < mostOfTable*float64(cells) {
			clear(c.repeated[i:end])
		}
		i = end
	}
}

// trustedMarks returns which marks of the frame are believed: those that do not
// cover most of the page's words.
func (c *chooser) trustedMarks() (trusted elements) {
	var words [markControl + 1]int
	all := 0
	for i, b := range c.page.blocks {
		if c.repeated[i] {
			continue
		}
		all += b.words
		for _, m := range frameMarks {
			if b.in.has(m) && (m != markHeader || !b.in.has(markMain) && !b.in.has(markOwn)) {
				words[m] += b.words
			}
		}
	}
	for _, m := range frameMarks {
		if float64(words[m]) <= largeRegion*float64(all) {
			trusted |= 1 << m
		}
	}
	return trusted
}

// frameMarks are the marks of parts that are left out.
var frameMarks = []uint8{markFrame, markHeader, markHint, markControl}

// framed reports whether a block is in a part of the frame. The header of an
// article belongs to the article.
func framed(in, trusted elements) bool {
	if in.has(markMain) || in.has(markOwn) {
		trusted &^= 1 << markHeader
	}
	return in&trusted&(1<<markFrame|1<<markHeader|1<<markHint|1<<markControl) != 0
}

// The least that an element for the own text of a page must hold to be believed.
const (
	ownWords  = 25
	ownShare  = 0.3 // of the words of the candidates
	mostOfOwn = 0.6 // share of its words that one article must have to be the only one
)

// ownBlocks returns the candidates that lie in main or article, nil if the page has
// no such element, or too little text in it. If one article has most of the words,
// the others are links to other pages; headings before it stay.
func (c *chooser) ownBlocks(candidates []int) (own []int) {
	blocks := c.page.blocks
	all, inside := 0, 0
	words := map[int]int{}
	for _, i := range candidates {
		b := &blocks[i]
		all += b.words
		if b.in.has(markMain) || b.in.has(markOwn) {
			own = append(own, i)
			inside += b.words
			words[b.own] += b.words
		}
	}
	if inside < ownWords || float64(inside) < ownShare*float64(all) {
		return nil
	}
	best := -1
	for id, n := range words {
		if id >= 0 && float64(n) > mostOfOwn*float64(inside) {
			best = id
		}
	}
	if best < 0 {
		return own
	}
	only := own[:0]
	begun := false
	for _, i := range own {
		mine := blocks[i].own == best
		if begun = begun || mine; mine || !begun && blocks[i].level == 1 {
			only = append(only, i)
		}
	}
	return only
}

// A unit is what is kept or left out together: a block, or the cells of a table of data.
type unit struct {
	blocks        []int
	words, linked int
	isTable       bool
}

// density returns the share of the words that are in links.
func (u *unit) density() float64 {
	if u.words == 0 {
		return 0
	}
	return float64(u.linked) / float64(u.words)
}

// units returns some blocks as units, in their order.
func (c *chooser) units(list []int) (units unitList) {
	table := 0
	for k, i := range list {
		b := &c.page.blocks[i]
		if b.table.table == 0 || b.table.table != table {
			units = append(units, unit{blocks: list[k:k:len(list)], isTable: b.table.table > 0})
		}
		table = b.table.table
		u := &units[len(units)-1]
		u.blocks, u.words, u.linked = u.blocks[:len(u.blocks)+1], u.words+b.words, u.linked+b.linked
	}
	return units
}

// A unitList is the units of a page that can be its own text. Outside of it are links.
type unitList []unit

// density returns the share of links of the k-th unit; 1 before the first and after the last.
func (l unitList) density(k int) float64 {
	if k < 0 || k >= len(l) {
		return 1
	}
	return l[k].density()
}

// words returns the number of words of the k-th unit, 0 outside of the list.
func (l unitList) words(k int) int {
	if k < 0 || k >= len(l) {
		return 0
	}
	return l[k].words
}

// set keeps or drops the blocks of a unit.
func (c *chooser) set(u *unit, keep bool) {
	for _, i := range u.blocks {
		c.keep[i] = keep
	}
}

// keepOwn keeps the own part of a page, but for runs of links, which lead to other pages.
func (c *chooser) keepOwn(own unitList) {
	for k := range own {
		c.set(&own[k], own.density(k) <= 0.5 || own.density(k-1) <= 0.5 && own.density(k+1) <= 0.5 && own[k].words > 3)
	}
}

// keepDense keeps blocks by their words and links and those of their neighbours. It
// is the decision tree of Kohlschütter, Fankhauser and Nejdl, "Boilerplate
// Detection using Shallow Text Features" (2010), algorithm 2. A table of data is
// one block.
func (c *chooser) keepDense(list unitList) {
	for k := range list {
		u, next := &list[k], list.words(k+1)
		switch {
		case !u.isTable && u.density() > 0.333333:
		case c.page.blocks[u.blocks[0]].in.has(markPre):
			c.set(u, true)
		case k > 0 && list.density(k-1) > 0.555556:
			c.set(u, u.words > 40 || next > 17)
		case u.words > 16:
			c.set(u, true)
		default:
			c.set(u, next > 15 || list.words(k-1) > 4)
		}
	}
}

// longBlock is how many words a block needs to be the first or the last of a text
// that no element encloses.
const longBlock = 12

// trim drops the short blocks before the first long one and after the last: what is
// above and below a text are dates, names and notices. A page without a long block is
// left as it is.
func (c *chooser) trim(list unitList) {
	isLong := func(u unit) bool { return c.keep[u.blocks[0]] && u.words >= longBlock }
	first, last := slices.IndexFunc(list, isLong), len(list)-1
	if first < 0 {
		return
	}
	for ; !isLong(list[last]); last-- {
		c.set(&list[last], false)
	}
	for k := range list[:first] {
		c.set(&list[k], false)
	}
}

// longNote is how many words a block between a heading and its text has at most: a date, a name, a caption.
const longNote = 12

// settleHeadings decides about headings by what follows: a heading is kept if the
// next block that is no heading is; notes and buttons between a title (h1) and its text do not
// count, within main or an article also if they are links. A heading at the end of main or an article has no
// such block, and is kept if the last block before it that is no heading is kept. One that
// repeats on many pages, such as "References", also needs kept text before it, so that the
// name of the site at the top is not taken for one.
func (c *chooser) settleHeadings() {
	blocks := c.page.blocks
	const own = elements(1<<markMain | 1<<markOwn)
	next, around := false, elements(0) // whether the next block is kept, and the elements for own text that it is in
	text := false                      // the same for the next block that is no note
	article := false                   // the same where notes may be links: a byline, buttons to share
	for i := len(blocks) - 1; i >= 0; i-- {
		b := &blocks[i]
		in := b.in & own
		if b.level == 0 {
			next, around = c.keep[i], in
			if isNote := b.words <= longNote && 2*b.linked <= b.words; c.keep[i] || !isNote {
				text = c.keep[i]
			}
			if isNote := b.words <= longNote && in != 0; c.keep[i] || !isNote {
				article = c.keep[i]
			}
			continue
		}
		keep := next || b.level == 1 && (text || article && in != 0)
		if in != 0 && around == 0 && !c.repeated[i] {
			keep = c.keptBefore(i)
		}
		c.keep[i] = keep && !framed(b.in, 1<<markFrame|1<<markControl)
	}
	before := false
	for i := range blocks {
		if blocks[i].level > 0 && c.repeated[i] && !before {
			c.keep[i] = false
		}
		before = before || c.keep[i] && blocks[i].level == 0
	}
}

// keptBefore reports whether the last block before a heading that is no heading is kept.
func (c *chooser) keptBefore(heading int) bool {
	for i := heading - 1; i >= 0; i-- {
		if c.page.blocks[i].level == 0 {
			return c.keep[i]
		}
	}
	return false
}

// All returns the whole text of the page, with its frame.
func (p *Page) All() *Text {
	t := &Text{page: p, keep: make([]bool, len(p.blocks))}
	for i := range t.keep {
		t.keep[i] = true
	}
	return t
}
