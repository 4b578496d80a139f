package maintext

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"dowse"
	"dowse/internal/extract"
)

// A Page is a page whose text is cut into blocks.
type Page struct {
	doc    *dowse.Document
	blocks []block
	links  []dowse.Span // of bytes of the text
	pres   []written
	whole  bool // all of it is its own text: it was no HTML
}

// A written is preformatted text as it is written in the page, with the range of the text that it is.
type written struct {
	start, end int
	text       string
}

// A block is a paragraph, an item, a heading or a line of a page.
type block struct {
	start, end int // in the text
	words      int
	linked     int // words in links
	level      int // of a heading, 0 for other blocks
	hash       uint64
	in         elements
	own        int // index of the innermost article, -1 for none
	item       item
	table      tableCell // in a table of data
}

// A tableCell is where a block is in a table: numbers from 1; 0 for a block that is in none. Tables, rows and cells are
// numbered by their regions, columns in each row.
type tableCell struct{ table, row, cell, column int }

// elements are the elements that a block is in.
type elements uint16

func (p elements) has(mark uint8) bool { return p&(1<<mark) != 0 }

// A region is an element with a mark, as a range of the text.
type region struct {
	mark       uint8
	start, end int
}

// maxRegions is how many marked elements of a page are read. Later ones count as
// unmarked.
const maxRegions = 20_000

// Read reads a page that was found at url, as [extract.HTML] does, and cuts its
// text into blocks. Mark, OnMarked and OnText of the options are replaced.
func Read(body []byte, url dowse.URL, opt extract.Options) (*dowse.Document, *Page) {
	var regions []region
	var pre preReader
	var grid columnReader
	starts := map[int]int{} // the first numbers of lists, by the place where the list begins
	opt.Mark = func(e extract.Element) uint8 {
		mark := markOf(e)
		grid.open(e)
		switch {
		case mark == markPre:
			pre.open++
		case mark == markNumbered && len(e.Start) > 0:
			if n, err := strconv.ParseInt(string(e.Start), 10, 32); err == nil && n >= 0 {
				starts[e.At] = int(n)
			}
		}
		return mark
	}
	opt.OnText = pre.add
	opt.OnMarked = func(mark uint8, start, end int) {
		if mark == markPre {
			pre.close(start, end)
		}
		if end > start && len(regions) < maxRegions {
			regions = append(regions, region{mark, start, end})
		}
	}
	doc := extract.HTML(body, url, opt)
	p := newPage(doc, regions, grid.columns)
	p.setItems(regions, starts)
	p.pres, p.whole = pre.found, extract.IsOfText(body)
	return doc, p
}

// maxPre is how many bytes of preformatted text of a page are kept as they are written. What is beyond has
// its lines joined.
const maxPre = 1 << 20

// A preReader collects preformatted text as it is written.
type preReader struct {
	open  int // elements
	buf   []byte
	marks []preText
	found []written
}

// A preText is where a piece of preformatted text begins in the text of the page, and in the buffer.
type preText struct{ at, from int }

// add adds a text, if it is in a preformatted element.
func (r *preReader) add(at int, text []byte) {
	if r.open > 0 && len(r.buf)+len(text) <= maxPre {
		r.marks = append(r.marks, preText{at, len(r.buf)})
		r.buf = append(r.buf, text...)
	}
}

// close ends a preformatted element, which is a range of the text.
func (r *preReader) close(start, end int) {
	r.open = max(0, r.open-1)
	if r.open > 0 || end <= start {
		return
	}
	from, to := len(r.buf), len(r.buf)
	for i := len(r.marks) - 1; i >= 0 && r.marks[i].at >= start; i-- {
		from = r.marks[i].from
	}
	r.found = append(r.found, written{start, end, string(r.buf[from:to])})
	r.marks = r.marks[:0]
}

// newPage cuts the text of a document into blocks, and records for each which
// regions it is in. columns are those of the cells of tables, by the place where a cell
// begins.
func newPage(doc *dowse.Document, regions []region, columns map[int]int) *Page {
	p := &Page{doc: doc}
	var around []region // regions other than links
	for _, r := range regions {
		if r.mark == markLink {
			p.links = append(p.links, dowse.Span{Start: int32(r.start), End: int32(r.end)})
		} else {
			around = append(around, r)
		}
	}
	// Elements are reported when they end, so an outer one comes after those in it.
	slices.SortStableFunc(around, func(a, b region) int { return a.start - b.start })
	slices.SortStableFunc(p.links, func(a, b dowse.Span) int { return int(a.Start - b.Start) })
	layout := p.cut(around, columns)
	p.count()
	p.setLevels()
	p.setTables(layout)
	p.setHashes()
	return p
}

// An openRegion is a region around the place that is being looked at.
type openRegion struct {
	region
	number  int // of the region, from 1
	article int // number of an article, -1 for other regions
}

// cut makes the blocks: the lines of the text. Lines of one paragraph are one
// block. It returns the numbers of the tables that have tables in them.
func (p *Page) cut(around []region, columns map[int]int) (layout map[int]bool) {
	var open []openRegion
	next, articles := 0, 0
	text := p.doc.Text
	for start := 0; start < len(text); {
		end := start + strings.IndexByte(text[start:], '\n')
		if end < start {
			end = len(text)
		}
		open = slices.DeleteFunc(open, func(r openRegion) bool { return start >= r.end })
		for ; next < len(around) && around[next].start <= start; next++ {
			r := around[next]
			if start >= r.end {
				continue
			}
			o := openRegion{r, next + 1, -1}
			if r.mark == markOwn {
				o.article = articles
				articles++
			}
			open = append(open, o)
		}
		b := block{start: start, end: end, own: -1}
		for _, r := range open {
			b.in |= 1 << r.mark
			if r.article >= 0 {
				b.own = r.article
			}
			if (r.mark == markBlock || r.mark == markPre) && r.end > b.end {
				b.end = min(r.end, len(text))
			}
		}
		if b.in.has(markTable) {
			layout = b.setPlace(open, columns, layout)
		}
		p.blocks = append(p.blocks, b)
		start = b.end
		for start < len(text) && text[start] == '\n' {
			start++
		}
	}
	return layout
}

// count sets the words of the blocks, and those in links.
func (p *Page) count() {
	link, words := 0, p.doc.Words
	for i := range p.blocks {
		b := &p.blocks[i]
		for ; len(words) > 0 && int(words[0].Start) < b.end; words = words[1:] {
			at := words[0].Start
			for link < len(p.links) && p.links[link].End <= at {
				link++
			}
			n := wordsIn(p.doc.Text[at:words[0].End])
			b.words += n
			if link < len(p.links) && p.links[link].Start <= at {
				b.linked += n
			}
		}
	}
}

// How many characters of scripts without spaces a word has, in the mean.
const (
	hanOfWord  = 2 // Chinese and Japanese
	thaiOfWord = 5 // Thai, Lao, Khmer and Burmese
)

// wordsIn returns how many words a run of letters has: one, or in scripts without spaces, whose sentences are such
// runs, about as many as a reader finds in it.
func wordsIn(run string) int {
	first := 0
	for first < len(run) && run[first] < 0xe0 { // no such script has characters of fewer than three bytes
		first++
	}
	han, thai := 0, 0
	for _, r := range run[first:] {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			han++
		case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			thai++
		}
	}
	return max(1, han/hanOfWord+thai/thaiOfWord)
}

// setLevels sets the levels of the blocks that are headings.
func (p *Page) setLevels() {
	i := 0
	for _, h := range p.doc.Headings {
		if int(h.At) >= len(p.doc.Words) {
			return
		}
		at := int(p.doc.Words[h.At].Start)
		for i < len(p.blocks) && p.blocks[i].end <= at {
			i++
		}
		// A heading is a block of its own, so one with more words is a paragraph that the heading begins.
		if i < len(p.blocks) && p.blocks[i].level == 0 && p.blocks[i].end-p.blocks[i].start <= len(h.Text)+8 {
			p.blocks[i].level = h.Level
		}
	}
}
