package maintext

import "slices"

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
	for i := range blocks {
		c.repeated[i] = c.template.has(blocks[i].hash)
	}
	trusted := c.trustedMarks()
	candidates := make([]int, 0, len(blocks))
	for i := range blocks {
		if blocks[i].words > 0 && !c.repeated[i] && !framed(blocks[i].in, trusted) {
			candidates = append(candidates, i)
		}
	}
	if own := c.ownBlocks(candidates); own != nil {
		c.keepOwn(own)
	} else {
		c.keepDense(candidates)
		c.trim(candidates)
	}
	c.settleHeadings()
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

// keepOwn keeps blocks of the own part of a page, but for runs of links, which
// lead to other pages.
func (c *chooser) keepOwn(own []int) {
	for k, i := range own {
		c.keep[i] = c.density(own, k) <= 0.5 || c.density(own, k-1) <= 0.5 && c.density(own, k+1) <= 0.5 && c.page.blocks[i].words > 3
	}
}

// density returns the share of links of the k-th of some blocks; 1 before the
// first and after the last.
func (c *chooser) density(list []int, k int) float64 {
	if k < 0 || k >= len(list) {
		return 1
	}
	return c.page.blocks[list[k]].density()
}

// words returns the number of words of the k-th of some blocks, 0 outside of them.
func (c *chooser) words(list []int, k int) int {
	if k < 0 || k >= len(list) {
		return 0
	}
	return c.page.blocks[list[k]].words
}

// keepDense keeps blocks by their words and links and those of their neighbours. It
// is the decision tree of Kohlschütter, Fankhauser and Nejdl, "Boilerplate
// Detection using Shallow Text Features" (2010), algorithm 2.
func (c *chooser) keepDense(list []int) {
	for k, i := range list {
		words, next := c.words(list, k), c.words(list, k+1)
		switch {
		case c.density(list, k) > 0.333333:
		case c.page.blocks[i].in.has(markPre):
			c.keep[i] = true
		case k > 0 && c.density(list, k-1) > 0.555556:
			c.keep[i] = words > 40 || next > 17
		case words > 16:
			c.keep[i] = true
		default:
			c.keep[i] = next > 15 || c.words(list, k-1) > 4
		}
	}
}

// longBlock is how many words a block needs to be the first or the last of a text
// that no element encloses.
const longBlock = 12

// trim drops the short blocks before the first long one and after the last: what is
// above and below a text are dates, names and notices. A page without a long block is
// left as it is.
func (c *chooser) trim(list []int) {
	isLong := func(i int) bool { return c.keep[i] && c.page.blocks[i].words >= longBlock }
	first, last := slices.IndexFunc(list, isLong), len(list)-1
	if first < 0 {
		return
	}
	for ; !isLong(list[last]); last-- {
		c.keep[list[last]] = false
	}
	for _, i := range list[:first] {
		c.keep[i] = false
	}
}

// settleHeadings decides about headings by what follows: a heading is kept if the
// next block that is no heading is. A heading at the end of main or an article has no
// such block, and is kept if the last block before it that is no heading is kept. One that
// repeats on many pages, such as "References", also needs kept text before it, so that the
// name of the site at the top is not taken for one.
func (c *chooser) settleHeadings() {
	blocks := c.page.blocks
	const own = elements(1<<markMain | 1<<markOwn)
	next, around := false, elements(0) // whether the next block is kept, and the elements for own text that it is in
	for i := len(blocks) - 1; i >= 0; i-- {
		in := blocks[i].in & own
		if blocks[i].level == 0 {
			next, around = c.keep[i], in
			continue
		}
		keep := next
		if in != 0 && around == 0 && !c.repeated[i] {
			keep = c.keptBefore(i)
		}
		c.keep[i] = keep && !framed(blocks[i].in, 1<<markFrame|1<<markControl)
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
