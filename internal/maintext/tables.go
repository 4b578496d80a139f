package maintext

import "dowse/internal/repeats"

// setPlace sets where a block is in the innermost table around it. Tables around that one have tables in them, which
// are added to layout.
func (b *block) setPlace(open []openRegion, layout map[int]bool) map[int]bool {
	innermost := func(mark uint8) (number int) {
		size := 0
		for _, r := range open {
			if n := r.end - r.start; r.mark == mark && (number == 0 || n < size) {
				number, size = r.number, n
			}
		}
		return number
	}
	b.table = place{innermost(markTable), innermost(markRow), innermost(markCell)}
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
	last                                place
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
			b.table = place{}
		}
	}
}

// setHashes sets the hashes by which blocks of templates are found. Headings and the cells of tables are told
// apart by their numbers: "Chapter 1" and "Chapter 2" are no template, and neither are the years of a table.
func (p *Page) setHashes() {
	for i := range p.blocks {
		b := &p.blocks[i]
		if b.level > 0 || b.table.table > 0 {
			b.hash = repeats.ExactHash(p.text(b))
		} else {
			b.hash = repeats.Hash(p.text(b))
		}
	}
}
