package maintext

import (
	"strconv"

	"golang.org/x/net/html/atom"

	"dowse/internal/extract"
	"dowse/internal/repeats"
)

// maxColumns is how many columns of a table are told apart. What is beyond them is in the last one.
const maxColumns = 50

// A columnReader numbers the columns of tables that have no tables in them.
type columnReader struct {
	columns map[int]int     // columns of cells, by the place in the text where the cell begins
	last    int             // column of the row that is being read
	below   [maxColumns]int // rows that the columns are still taken for by cells of rows above
}

// open notes an element that is opened.
func (r *columnReader) open(e extract.Element) {
	switch e.Name {
	case atom.Table:
		*r = columnReader{columns: r.columns}
	case atom.Tr:
		r.last = 0
		for i := range r.below {
			r.below[i] = max(0, r.below[i]-1)
		}
	case atom.Td, atom.Th:
		at := min(r.last, maxColumns-1)
		for at < maxColumns-1 && r.below[at] > 0 {
			at++
		}
		if r.columns == nil {
			r.columns = map[int]int{}
		}
		r.columns[e.At] = at + 1
		r.last = min(at+spanOf(e.Columns), maxColumns)
		if rows := spanOf(e.Rows); rows > 1 {
			for i := at; i < r.last; i++ {
				r.below[i] = rows
			}
		}
	}
}

// spanOf returns how many rows or columns a cell takes.
func spanOf(attribute []byte) int {
	n, err := strconv.Atoi(string(attribute[:min(len(attribute), 8)]))
	if err != nil {
		return 1
	}
	return min(max(n, 1), 1000)
}

// setPlace sets where a block is in the innermost table around it. Tables around that one have tables in them, which
// are added to layout.
func (b *block) setPlace(open []openRegion, columns map[int]int, layout map[int]bool) map[int]bool {
	innermost := func(mark uint8) (at openRegion) {
		for _, r := range open {
			if r.mark == mark && (at.number == 0 || r.end-r.start < at.end-at.start) {
				at = r
			}
		}
		return at
	}
	cell := innermost(markCell)
	b.table = tableCell{innermost(markTable).number, innermost(markRow).number, cell.number, max(columns[cell.start], 1)}
	for _, r := range open {
		if r.mark == markTable && r.number != b.table.table {
			if layout == nil {
				layout = map[int]bool{}
			}
			layout[r.number] = true
		}
	}
	return layout
}

// The bounds of a table of data. What is beyond them is a table for the layout of the page, or a list of links.
const (
	minCells    = 4
	minRows     = 2
	wordsOfCell = 15 // in the mean
	wordsOfLine = 60 // of a cell
)

// A tableSize is what is known of a table.
type tableSize struct {
	cells, rows, words, linked, longest int
	last                                tableCell
}

// isData reports whether the cells of a table belong together.
func (t *tableSize) isData() bool {
	return t.cells >= minCells && t.rows >= minRows && t.words <= wordsOfCell*t.cells && t.longest <= wordsOfLine && 2*t.linked <= t.words
}

// setTables removes the places of blocks that are in tables for the layout.
func (p *Page) setTables(layout map[int]bool) {
	var sizes map[int]*tableSize
	for i := range p.blocks {
		b := &p.blocks[i]
		if b.table.table == 0 || b.words == 0 {
			continue
		}
		if sizes == nil {
			sizes = map[int]*tableSize{}
		}
		t := sizes[b.table.table]
		if t == nil {
			t = &tableSize{}
			sizes[b.table.table] = t
		}
		if b.table.cell != t.last.cell {
			t.cells++
		}
		if b.table.row != t.last.row {
			t.rows++
		}
		t.words, t.linked, t.longest, t.last = t.words+b.words, t.linked+b.linked, max(t.longest, b.words), b.table
	}
	for i := range p.blocks {
		b := &p.blocks[i]
		if t := sizes[b.table.table]; t == nil || layout[b.table.table] || b.level > 0 || !t.isData() {
			b.table = tableCell{}
		}
	}
}

// headingHash returns the hash of a heading that is no link. It differs from those of other blocks with its text.
func headingHash(text string) uint64 { return ^repeats.ExactHash(text) }

// setHashes sets the hashes by which blocks of templates are found. Headings and the cells of tables are told
// apart by their numbers: "Chapter 1" and "Chapter 2" are no template, and neither are the years of a table.
// A heading that is no link counts for itself: menus and lists of articles repeat the titles of pages, and the title
// above its own text is no part of the template for that.
func (p *Page) setHashes() {
	for i := range p.blocks {
		b := &p.blocks[i]
		if b.level > 0 && b.linked == 0 {
			b.hash = headingHash(p.text(b))
		} else if b.level > 0 || b.table.table > 0 {
			b.hash = repeats.ExactHash(p.text(b))
		} else {
			b.hash = repeats.Hash(p.text(b))
		}
	}
}
