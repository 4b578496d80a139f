package maintext

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"dowse"
	"dowse/internal/extract"
)

// A Text is the own text of a page.
type Text struct {
	page *Page
	keep []bool
}

// Rest returns what is on the page and not in the text: the frame, if the text is
// that of [Page.Main].
func (t *Text) Rest() *Text {
	rest := &Text{page: t.page, keep: make([]bool, len(t.keep))}
	for i, keep := range t.keep {
		rest.keep[i] = !keep
	}
	return rest
}

// Plain returns the text, blocks separated by line breaks. The cells of a row of a table are separated by tabs, and
// preformatted text has its lines as they are written.
func (t *Text) Plain() string {
	size := 0
	for i, keep := range t.keep {
		if keep {
			size += t.page.blocks[i].end - t.page.blocks[i].start + 1
		}
	}
	var b strings.Builder
	b.Grow(size)
	var last tableCell
	for i, keep := range t.keep {
		if !keep {
			continue
		}
		x := &t.page.blocks[i]
		switch {
		case b.Len() == 0:
		case x.table.row > 0 && x.table.row == last.row && x.table.cell == last.cell:
			b.WriteByte(' ')
		case x.table.row > 0 && x.table.row == last.row:
			b.WriteString(strings.Repeat("\t", max(1, x.table.column-last.column)))
		default:
			b.WriteByte('\n')
		}
		if x.in.has(markPre) && x.table.row == 0 {
			b.WriteString(t.page.preformatted(x))
		} else {
			b.WriteString(t.page.text(x))
		}
		last = x.table
	}
	return b.String()
}

// text returns the text of a block.
func (p *Page) text(b *block) string { return p.doc.Text[b.start:b.end] }

// Markdown returns the text as CommonMark: headings, lists with their numbers and levels, and preformatted
// text with its lines, links with their targets. Tables of data are written as GitHub does (GFM), with their first row as
// the head. Characters of the page that would be markup are
// escaped, so a page cannot add HTML, images or links that it does not have.
func (t *Text) Markdown() string {
	w := markdownWriter{page: t.page, links: t.page.linkPlaces()}
	for i := 0; i < len(t.keep); i++ {
		switch x := &t.page.blocks[i]; {
		case !t.keep[i]:
		case x.table.row > 0:
			i = w.writeTable(t, i) - 1
		default:
			w.write(x)
		}
	}
	if w.b.Len() > 0 {
		w.b.WriteByte('\n')
	}
	return w.b.String()
}

// A markdownWriter writes blocks as Markdown.
type markdownWriter struct {
	page   *Page
	b      strings.Builder
	links  []linkPlace
	item   int   // the item of the last block; 0 if that was in none
	widths []int // of the markers of the items around the last block
}

// write writes a block.
func (w *markdownWriter) write(x *block) {
	switch {
	case x.in.has(markPre):
		w.leaveList()
		writeFenced(&w.b, w.page.preformatted(x))
		return
	case x.level > 0:
		w.leaveList()
		w.b.WriteString(strings.Repeat("#", x.level) + " ")
	case x.in.has(markItem):
		w.beginItem(x.item)
	default:
		w.leaveList()
	}
	w.links = w.page.writeLinked(&w.b, x, w.links)
}

// writeTable writes the rows of the table that a block is in, and returns the number of the first block after
// them.
func (w *markdownWriter) writeTable(t *Text, first int) (next int) {
	w.leaveList()
	blocks := t.page.blocks
	for next = first; next < len(blocks) && blocks[next].table.row > 0 && blocks[next].table.table == blocks[first].table.table; next++ {
	}
	most := 0
	for i := first; i < next; i++ {
		if t.keep[i] {
			most = max(most, blocks[i].table.column)
		}
	}
	var last tableCell
	isHead := true
	endRow := func() {
		w.b.WriteString(" |")
		if isHead {
			w.b.WriteString(strings.Repeat(" |", most-last.column) + "\n|" + strings.Repeat(" --- |", most))
		}
		isHead = false
	}
	for i := first; i < next; i++ {
		x := &blocks[i]
		if !t.keep[i] {
			continue
		}
		switch {
		case x.table.row != last.row:
			if last.row > 0 {
				endRow()
				w.b.WriteByte('\n')
			}
			w.b.WriteString(strings.Repeat("| ", x.table.column))
		case x.table.cell != last.cell:
			w.b.WriteString(strings.Repeat(" |", max(1, x.table.column-last.column)) + " ")
		default:
			w.b.WriteByte(' ')
		}
		var cell strings.Builder
		w.links = w.page.writeLinked(&cell, x, w.links)
		w.b.WriteString(strings.ReplaceAll(cell.String(), "\\\n", " "))
		last = x.table
	}
	endRow()
	return next
}

// leaveList begins a block that is in no list.
func (w *markdownWriter) leaveList() {
	if w.b.Len() > 0 {
		w.b.WriteString("\n\n")
	}
	w.item, w.widths = 0, w.widths[:0]
}

// beginItem begins a block in an item of a list: with the marker of the item, or below the block before it
// if that is of the same item.
func (w *markdownWriter) beginItem(x item) {
	if x.id == w.item && w.item != 0 {
		w.b.WriteString("\n\n" + w.indent())
		return
	}
	switch {
	case w.b.Len() > 0 && w.item != 0:
		w.b.WriteByte('\n')
	case w.b.Len() > 0:
		w.b.WriteString("\n\n")
	}
	// Items around this one without a text of their own have no marker, and count for nothing.
	w.widths = w.widths[:min(len(w.widths), max(x.depth-1, 0))]
	w.b.WriteString(w.indent())
	marker := "- "
	if x.ordered {
		marker = strconv.Itoa(x.number) + ". "
	}
	w.b.WriteString(marker)
	w.item, w.widths = x.id, append(w.widths, len(marker))
}

// indent returns the spaces before what belongs to the open items.
func (w *markdownWriter) indent() string {
	n := 0
	for _, width := range w.widths {
		n += width
	}
	return strings.Repeat(" ", n)
}

// preformatted returns the text of a block as it is written in the page, or with its lines joined if that is not
// known or has fewer lines: the lines of some pages are elements.
func (p *Page) preformatted(x *block) string {
	text := p.text(x)
	i, _ := slices.BinarySearchFunc(p.pres, x.end, func(w written, end int) int { return w.end - end }) // they are in order
	if i == len(p.pres) || p.pres[i].start > x.start || strings.Count(p.pres[i].text, "\n") < strings.Count(text, "\n") {
		return text
	}
	lines := strings.Split(strings.ReplaceAll(p.pres[i].text, "\r\n", "\n"), "\n")
	for k, line := range lines {
		lines[k] = strings.TrimRight(strings.Map(printedRune, line), " \t")
	}
	for len(lines) > 1 && lines[0] == "" {
		lines = lines[1:]
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// printedRune returns a character of preformatted text, a space for one that could move the cursor of a terminal,
// or -1 for one that changes the direction of writing.
func printedRune(r rune) rune {
	switch {
	case r == '\t':
		return r
	case unicode.IsControl(r):
		return ' '
	case extract.IsUnshown(r):
		return -1
	}
	return r
}

// A linkPlace is a link as a range of the text.
type linkPlace struct {
	start, end int
	url        dowse.URL
}

// linkPlaces returns all links with a text, in the order of the text.
func (p *Page) linkPlaces() (list []linkPlace) {
	add := func(m *dowse.Mention, u dowse.URL) {
		if m.At.Len() > 0 && int(m.At.End) <= len(p.doc.Words) {
			list = append(list, linkPlace{int(p.doc.Words[m.At.Start].Start), int(p.doc.Words[m.At.End-1].End), u})
		}
	}
	for i := range p.doc.Links {
		l := &p.doc.Links[i]
		add(&l.Mention, l.URL)
		for k := range l.More {
			add(&l.More[k], l.URL)
		}
	}
	slices.SortStableFunc(list, func(a, b linkPlace) int { return a.start - b.start })
	return list
}

// writeLinked writes a block with its links and returns the links after it. A link
// that extends beyond the block, or begins in another one, is written as text.
func (p *Page) writeLinked(b *strings.Builder, x *block, links []linkPlace) []linkPlace {
	at := x.start
	first := true
	for len(links) > 0 && links[0].start < x.end {
		l := links[0]
		links = links[1:]
		if l.start < at || l.end > x.end || strings.Contains(p.doc.Text[l.start:l.end], "\n") {
			continue
		}
		writeEscaped(b, p.doc.Text[at:l.start], first && x.level == 0)
		b.WriteByte('[')
		writeEscaped(b, p.doc.Text[l.start:l.end], false)
		b.WriteString("](" + markdownURL(string(l.url)) + ")")
		at, first = l.end, false
	}
	writeEscaped(b, p.doc.Text[at:x.end], first && x.level == 0)
	return links
}

// markdownURL returns a URL as the target of a link: without what would end it.
func markdownURL(u string) string {
	return strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20", "\n", "%0A", "\\", "%5C").Replace(u)
}

// writeEscaped writes a text whose characters have no meaning in Markdown. A line
// break becomes a hard one. begins reports whether the text begins a line, where more
// characters have a meaning.
func writeEscaped(b *strings.Builder, s string, begins bool) {
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteString("\\\n")
		}
		if begins || i > 0 {
			line = escapeStart(b, line)
		}
		for k := range len(line) {
			if strings.IndexByte("\\`*_[]<>&~|$", line[k]) >= 0 || line[k] == '!' && k+1 < len(line) && line[k+1] == '[' {
				b.WriteByte('\\')
			}
			b.WriteByte(line[k])
		}
	}
}

// escapeStart writes what would begin a heading, an item, a rule or a quotation at the
// start of a line, escaped, and returns the rest of the line.
func escapeStart(b *strings.Builder, line string) string {
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	switch {
	case line == "":
	case strings.IndexByte("#+-=:", line[0]) >= 0:
		b.WriteString("\\" + line[:1])
		return line[1:]
	case digits > 0 && digits < len(line) && (line[digits] == '.' || line[digits] == ')'):
		b.WriteString(line[:digits] + "\\" + line[digits:digits+1])
		return line[digits+1:]
	}
	return line
}

// writeFenced writes preformatted text between fences that are longer than any run of
// backquotes in it.
func writeFenced(b *strings.Builder, s string) {
	longest, run := 0, 0
	for i := range len(s) {
		if run++; s[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", max(3, longest+1))
	b.WriteString(fence + "\n" + s + "\n" + fence)
}
