package extract

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// mode is the insertion mode: it selects the rules for the next tag. The rules
// are those of the HTML standard's tree construction, as far as they decide
// which tags and texts count and which elements are open. Modes that make no
// difference to that are merged.
type mode uint8

// The insertion modes. In headMode nothing of the body has been seen.
const (
	headMode mode = iota
	bodyMode
	tableMode
	tbodyMode
	rowMode
	cellMode
	captionMode
	colgroupMode
	framesetMode
)

// betweenCells reports whether text here belongs in front of the table.
func (m mode) betweenCells() bool { return m == tableMode || m == tbodyMode || m == rowMode }

// An element is a start tag.
type element struct {
	tag    tag
	kind   kind
	closed bool // written as <x/>
	attr   attributes
}

func (e *element) atom() atom.Atom { return atom.Atom(e.tag) }

// impliedElement returns an element whose tag the page does not contain.
func impliedElement(a atom.Atom) *element {
	return &element{tag: tag(a), kind: tag(a).kind()}
}

// startToken handles the start tag that was just read. If raw text follows, the
// tokenizer is set to read it.
func (p *pass) startToken() {
	e := &p.tag
	e.tag, e.kind = p.src.tag()
	e.closed = p.src.closed
	p.raw = 0
	p.start(e)
	p.src.next = p.raw
}

// start handles a start tag as HTML or as foreign content.
func (p *pass) start(e *element) {
	if p.open.foreign() && !p.integrates(e.tag) {
		p.startForeign(e)
		return
	}
	p.startHTML(e)
}

// startHTML handles a start tag by the rules of the mode.
func (p *pass) startHTML(e *element) {
	again := true
	for again {
		switch p.mode {
		case headMode:
			again = p.startInHead(e)
		case tableMode:
			again = p.startInTable(e)
		case tbodyMode:
			again = p.startInTbody(e)
		case rowMode:
			again = p.startInRow(e)
		case cellMode:
			again = p.startInCell(e)
		case captionMode:
			again = p.startInCaption(e)
		case colgroupMode:
			again = p.startInColgroup(e)
		case framesetMode:
			p.startInFrameset(e)
			return
		default:
			p.startInBody(e)
			return
		}
	}
}

// startInHead handles a tag in the head. It returns true if the tag belongs to
// the body, which then begins.
func (p *pass) startInHead(e *element) (again bool) {
	switch a := e.atom(); {
	case a == atom.Noscript || a == atom.Head:
		return false
	case e.kind&inHead != 0:
		p.startMeta(e)
		return false
	case a == atom.Frameset:
		p.mode = framesetMode
		return false
	case a == atom.Body:
		p.noFrames = true
	}
	p.mode = bodyMode
	return true
}

// startMeta handles a tag that belongs in a head, wherever it occurs.
func (p *pass) startMeta(e *element) {
	switch {
	case e.atom() == atom.Html:
		p.note(e)
	case e.kind&rawText != 0:
		p.insertRaw(e)
	case e.atom() == atom.Template:
		p.insert(e)
		p.mode = bodyMode
	default:
		p.insert(e)
	}
}

// startInFrameset handles a start tag in a frameset, which contains only frames
// and noframes.
func (p *pass) startInFrameset(e *element) {
	switch e.atom() {
	case atom.Noframes:
		p.insertRaw(e)
	case atom.Frame:
		p.insert(e)
	}
}

// insert opens an element. A void element is complete with its tag.
func (p *pass) insert(e *element) {
	p.note(e)
	p.separate(e.tag, e.kind)
	if e.tag == tag(atom.Br) {
		p.written(lineBreak)
	}
	if e.kind&void != 0 {
		return
	}
	p.open.push(frame{tag: e.tag, kind: e.kind, hidden: e.attr.isHidden(), marked: p.markOf(e)}, p)
}

// markOf returns the mark that the caller gives an element, 0 for none.
func (p *pass) markOf(e *element) uint8 {
	if p.opt.Mark == nil {
		return 0
	}
	name := e.atom()
	if e.tag>>31 != 0 {
		name = 0
	}
	return p.opt.Mark(Element{Name: name, Class: e.attr.class, ID: e.attr.id, Role: e.attr.role, Start: e.attr.start, Columns: e.attr.colspan, Rows: e.attr.rowspan, Link: e.attr.href != nil, At: p.text.len()})
}

// endMark reports the end of an element that has a mark.
func (p *pass) endMark(f *frame) {
	if f.marked != 0 && p.opt.OnMarked != nil {
		p.opt.OnMarked(f.marked, int(f.at), p.text.len())
	}
}

// insertRaw opens an element whose content is text until its end tag.
func (p *pass) insertRaw(e *element) {
	p.note(e)
	p.separate(e.tag, e.kind)
	p.raw = e.tag
	p.meta.data = e.atom() == atom.Script && eq(e.attr.typ, "application/ld+json")
}

// opened updates the state of the pass for an element that was opened. A link
// that is open around a marker, such as a table cell, is set aside until the
// marker is closed, so that links in the marker do not end it.
func (p *pass) opened(f *frame) {
	if f.kind&heading != 0 && f.space == inHTML {
		p.openHeading(f.tag)
	}
	if f.kind&marker != 0 {
		f.anchor, p.link.current = p.link.current, -1
	}
	if f.hidden {
		p.hidden++
	}
	p.count(f, 1)
}

// closed updates the state of the pass for an element that was closed.
func (p *pass) closed(f *frame) {
	p.separate(f.tag, f.kind)
	if f.kind&block != 0 {
		p.link.endBlocks(int(f.mark), p.text.len())
	}
	if f.kind&heading != 0 && f.space == inHTML {
		p.closeHeading()
	}
	if f.kind&marker != 0 {
		p.closeAnchor()
		p.link.current = f.anchor
	}
	if f.hidden {
		p.hidden--
	}
	p.endMark(f)
	p.count(f, -1)
}

// count adds n to the number of open paragraphs or templates.
func (p *pass) count(f *frame, n int) {
	if f.space != inHTML {
		return
	}
	switch atom.Atom(f.tag) {
	case atom.P:
		p.open.paras += n
	case atom.Template:
		p.inert += n
	}
}

// separate separates the text on both sides of a tag, as the element asks.
//
// A block begins and ends a line, so that words of neighbouring cells and
// paragraphs do not run together. Inline elements separate nothing: a<b>b</b> is
// one word.
func (p *pass) separate(t tag, k kind) {
	if k&(block|apart) == 0 || p.inert > 0 {
		return
	}
	// A block between the cells of a table separates the text before the table,
	// not that of the cells.
	before := p.mode.betweenCells() && k&tablePart == 0 && t != tag(atom.Table)
	if before {
		p.beforeTable()
	}
	if k&block != 0 {
		p.text.line()
	} else {
		p.text.space()
	}
	if before {
		p.backInTable()
	}
}

// textToken handles text. White space alone does not end the head.
func (p *pass) textToken() {
	text := p.src.text()
	if p.raw != 0 {
		p.rawToken(text)
		return
	}
	if p.open.foreign() {
		p.foreignText(text)
		return
	}
	if p.mode == framesetMode {
		return
	}
	if isBlank(text) {
		p.blankText()
		return
	}
	p.leaveHead()
	p.noFrames = p.noFrames || len(bytes.Trim(text, " \t\r\n\f\x00")) > 0
	p.show(text)
}

// blankText handles text that is only white space, which separates words in
// some modes.
func (p *pass) blankText() {
	if p.inert == 0 && (p.mode == bodyMode || p.mode == cellMode || p.mode == captionMode) {
		p.text.space()
	}
}

// leaveHead ends what cannot contain text: the head, and the columns of a
// table.
func (p *pass) leaveHead() {
	switch p.mode {
	case headMode:
		p.mode = bodyMode
	case colgroupMode:
		p.endColgroup()
	}
}

func isBlank(s []byte) bool {
	for _, c := range s {
		if !isSpace(c) {
			return false
		}
	}
	return true
}

// rawToken handles the content of an element that contains only text.
func (p *pass) rawToken(text []byte) {
	switch atom.Atom(p.raw) {
	case atom.Title:
		p.title(text)
	case atom.Script:
		if p.meta.data && p.inert == 0 {
			p.readJSONLD(text)
		}
	case atom.Textarea, atom.Xmp, atom.Plaintext:
		p.show(text)
	}
}

// show adds text to what can be seen on the page. Hidden text counts as
// alternative text of a link.
//
// Three cases are not text of the page: templates, which scripts use; hidden
// elements; and text between the cells of a table, which belongs before it.
func (p *pass) show(text []byte) {
	switch {
	case p.inert > 0:
	case p.hidden > 0:
		p.addAlt(text)
	case p.mode.betweenCells():
		p.beforeTable()
		p.text.add(text)
		p.backInTable()
	default:
		p.written(text)
		p.text.add(text)
	}
}

// lineBreak is what OnText is called with for a br.
var lineBreak = []byte("\n")

// written calls OnText with a text that is shown.
func (p *pass) written(text []byte) {
	if p.opt.OnText != nil && p.hidden == 0 && p.inert == 0 {
		p.opt.OnText(p.text.len(), text)
	}
}

// beforeTable and backInTable enclose text that is between the cells of a table
// and therefore shown before it: it continues where the text before the table
// ended, unless cells were shown since.
func (p *pass) beforeTable() {
	if p.text.len() == p.fosterAt {
		p.text.gap = p.fosterGap
	} else {
		p.text.line()
	}
}

// backInTable records where text before the table would continue.
func (p *pass) backInTable() {
	p.fosterAt, p.fosterGap = p.text.len(), p.text.gap
	p.text.line()
}

// endToken handles the end tag that was just read.
func (p *pass) endToken() {
	t, k := p.src.tag()
	switch {
	case p.raw != 0:
		p.separate(t, k)
		p.raw = 0
	case p.open.over > 0:
		p.open.over--
		p.separate(t, k)
		p.endAnchor(t)
	case p.open.foreign():
		p.endForeign(t)
	default:
		p.endHTML(t)
	}
}

// endHTML handles an end tag by the rules of the mode.
func (p *pass) endHTML(t tag) {
	if atom.Atom(t) == atom.Template {
		p.endTemplate()
		return
	}
	again := true
	for again {
		switch p.mode {
		case headMode:
			again = p.endInHead(t)
		case tableMode:
			again = p.endInTable(t)
		case tbodyMode:
			again = p.endInTbody(t)
		case rowMode:
			again = p.endInRow(t)
		case cellMode:
			again = p.endInCell(t)
		case captionMode:
			again = p.endInCaption(t)
		case colgroupMode:
			again = p.endInColgroup(t)
		case framesetMode:
			return
		default:
			p.endInBody(t)
			return
		}
	}
}

// endInHead lets the body begin if an end tag implies it.
func (p *pass) endInHead(t tag) (again bool) {
	switch atom.Atom(t) {
	case atom.Br:
		p.mode = bodyMode
		return true
	case atom.Body, atom.Html:
		p.mode = bodyMode
	}
	return false
}

// endTemplate closes the innermost template with everything in it.
func (p *pass) endTemplate() {
	i := p.open.find(atom.Template, 0)
	if i < 0 {
		return
	}
	m := p.open.frames[i].mode
	p.open.popTo(i, p)
	p.mode = m
}

// resetMode sets the mode that fits the open elements.
func (p *pass) resetMode() {
	for i := len(p.open.frames) - 1; i >= 0; i-- {
		f := &p.open.frames[i]
		p.open.work--
		if f.space != inHTML {
			continue
		}
		switch atom.Atom(f.tag) {
		case atom.Td, atom.Th:
			p.mode = cellMode
		case atom.Tr:
			p.mode = rowMode
		case atom.Tbody, atom.Thead, atom.Tfoot:
			p.mode = tbodyMode
		case atom.Caption:
			p.mode = captionMode
		case atom.Colgroup:
			p.mode = colgroupMode
		case atom.Table:
			p.mode = tableMode
		case atom.Template:
			p.mode = bodyMode
		default:
			continue
		}
		return
	}
	p.mode = bodyMode
}
