package extract

import (
	"slices"

	"golang.org/x/net/html/atom"
)

// Each of the functions start… and end… in this file handles a tag by the rules
// of one insertion mode of the HTML standard ("in table", "in row", …). It
// reports whether the tag must be handled again, by the rules of the mode that
// is then set: a td directly in a table, for example, first opens a tbody and a
// tr.

// startTable opens a table and records where the text before it ends.
//
// A table between the cells of another one does not move the place: its text is
// shown before the outer table, too.
func (p *pass) startTable(e *element) {
	p.closeParagraph()
	p.noFrames = true
	if !p.mode.betweenCells() {
		p.fosterAt, p.fosterGap = p.text.len(), p.text.gap
	}
	p.insert(e)
	p.mode = tableMode
}

// clearTo closes elements until the innermost is one of a, or a template.
//
// The standard calls this "clear the stack back to a table context".
func (p *pass) clearTo(a ...atom.Atom) {
	for len(p.open.frames) > 0 {
		top := p.open.top()
		t := atom.Atom(top.tag)
		if top.space == inHTML && (t == atom.Template || slices.Contains(a, t)) {
			return
		}
		p.open.pop(p)
	}
}

func (p *pass) clearToTable() { p.clearTo(atom.Table) }
func (p *pass) clearToTbody() { p.clearTo(atom.Tbody, atom.Thead, atom.Tfoot) }
func (p *pass) clearToRow()   { p.clearTo(atom.Tr) }

// startInTable handles a start tag directly in a table. Missing tags are implied:
// a cell opens a row group and a row first. What is not part of a table is
// handled as in the body; its text is shown before the table.
func (p *pass) startInTable(e *element) (again bool) {
	switch e.atom() {
	case atom.Caption:
		p.clearToTable()
		p.insert(e)
		p.mode = captionMode
	case atom.Colgroup:
		p.clearToTable()
		p.insert(e)
		p.mode = colgroupMode
	case atom.Col:
		p.clearToTable()
		p.insert(impliedElement(atom.Colgroup))
		p.mode = colgroupMode
		return true
	case atom.Tbody, atom.Thead, atom.Tfoot:
		p.clearToTable()
		p.insert(e)
		p.mode = tbodyMode
	case atom.Td, atom.Th, atom.Tr:
		p.clearToTable()
		p.insert(impliedElement(atom.Tbody))
		p.mode = tbodyMode
		return true
	case atom.Table:
		return p.endTable()
	case atom.Form:
		p.form = p.form || p.inert == 0
	case atom.Input:
		if eq(e.attr.typ, "hidden") {
			return false
		}
		p.startInBody(e)
	default:
		p.startInBody(e)
	}
	return false
}

// endTable closes the table, and reports whether there was one.
func (p *pass) endTable() bool {
	i := p.open.find(atom.Table, tableScope)
	if i < 0 {
		return false
	}
	p.open.popTo(i, p)
	p.resetMode()
	return true
}

// endInTable handles an end tag directly in a table. End tags of parts that
// cannot be open here are ignored.
func (p *pass) endInTable(t tag) (again bool) {
	switch atom.Atom(t) {
	case atom.Table:
		p.endTable()
	case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
	default:
		p.endInBody(t)
	}
	return false
}

// startInTbody handles a start tag in a group of rows. The beginning of another
// group, or of something that only a table contains, closes it.
func (p *pass) startInTbody(e *element) (again bool) {
	switch e.atom() {
	case atom.Tr:
		p.clearToTbody()
		p.insert(e)
		p.mode = rowMode
		return false
	case atom.Th, atom.Td:
		p.clearToTbody()
		p.insert(impliedElement(atom.Tr))
		p.mode = rowMode
		return true
	case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead:
		return p.endTbody()
	}
	return p.startInTable(e)
}

// endTbody closes a group of rows and reports whether one was open.
func (p *pass) endTbody() bool {
	i := p.open.findFunc(tableScope, func(f *frame) bool {
		a := atom.Atom(f.tag)
		return a == atom.Tbody || a == atom.Thead || a == atom.Tfoot
	})
	if i < 0 {
		return false
	}
	p.open.popTo(i, p)
	p.mode = tableMode
	return true
}

// endInTbody handles an end tag in a group of rows.
func (p *pass) endInTbody(t tag) (again bool) {
	switch a := atom.Atom(t); a {
	case atom.Tbody, atom.Thead, atom.Tfoot:
		if p.open.find(a, tableScope) >= 0 {
			p.endTbody()
		}
	case atom.Table:
		return p.endTbody()
	case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Td, atom.Th, atom.Tr:
	default:
		return p.endInTable(t)
	}
	return false
}

// startInRow handles a start tag in a row. Another row, or the beginning of a
// larger part, closes it.
func (p *pass) startInRow(e *element) (again bool) {
	switch e.atom() {
	case atom.Th, atom.Td:
		p.clearToRow()
		p.insert(e)
		p.mode = cellMode
		return false
	case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr:
		return p.endRow()
	}
	return p.startInTable(e)
}

// endRow closes a row and reports whether one was open.
func (p *pass) endRow() bool {
	i := p.open.find(atom.Tr, tableScope)
	if i < 0 {
		return false
	}
	p.open.popTo(i, p)
	p.mode = tbodyMode
	return true
}

// endInRow handles an end tag in a row. The end of a larger part closes the row
// first.
func (p *pass) endInRow(t tag) (again bool) {
	switch a := atom.Atom(t); a {
	case atom.Tr:
		p.endRow()
	case atom.Table:
		return p.endRow()
	case atom.Tbody, atom.Thead, atom.Tfoot:
		return p.open.find(a, tableScope) >= 0 && p.endRow()
	case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Td, atom.Th:
	default:
		return p.endInTable(t)
	}
	return false
}

// startInCell handles a start tag in a cell. Another part of the table closes the
// cell; everything else is as in the body.
func (p *pass) startInCell(e *element) (again bool) {
	if e.kind&tablePart != 0 && e.atom() != atom.Frame && e.atom() != atom.Head {
		return p.endCell()
	}
	p.startInBody(e)
	return false
}

// endCell closes a cell and reports whether one was open.
func (p *pass) endCell() bool {
	i := p.open.findFunc(tableScope, func(f *frame) bool {
		return f.tag == tag(atom.Td) || f.tag == tag(atom.Th)
	})
	if i < 0 {
		return false
	}
	p.open.popTo(i, p)
	p.mode = rowMode
	return true
}

// endInCell handles an end tag in a cell. The end of a larger part that is open
// closes the cell first.
func (p *pass) endInCell(t tag) (again bool) {
	switch a := atom.Atom(t); a {
	case atom.Td, atom.Th:
		if p.open.find(a, tableScope) >= 0 {
			p.endCell()
		}
	case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html:
	case atom.Table:
		return p.open.find(a, tableScope) >= 0 && p.endCell()
	case atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr:
		return p.open.find(a, tableScope) >= 0 && p.endCell()
	default:
		p.endInBody(t)
	}
	return false
}

// startInCaption handles a start tag in a caption. A part of the table closes it.
func (p *pass) startInCaption(e *element) (again bool) {
	if e.kind&tablePart != 0 && e.atom() != atom.Frame && e.atom() != atom.Head {
		return p.endCaption()
	}
	p.startInBody(e)
	return false
}

// endCaption closes a caption and reports whether one was open.
func (p *pass) endCaption() bool {
	i := p.open.find(atom.Caption, tableScope)
	if i < 0 {
		return false
	}
	p.open.popTo(i, p)
	p.mode = tableMode
	return true
}

// endInCaption handles an end tag in a caption.
func (p *pass) endInCaption(t tag) (again bool) {
	switch atom.Atom(t) {
	case atom.Caption:
		p.endCaption()
	case atom.Table:
		return p.endCaption()
	case atom.Body, atom.Col, atom.Colgroup, atom.Html, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
	default:
		p.endInBody(t)
	}
	return false
}

// startInColgroup handles a start tag in a group of columns, which contains only
// col and template; anything else closes it.
func (p *pass) startInColgroup(e *element) (again bool) {
	switch e.atom() {
	case atom.Col:
		return false
	case atom.Template:
		p.startMeta(e)
		return false
	}
	p.endColgroup()
	return true
}

// endColgroup closes a group of columns.
func (p *pass) endColgroup() {
	if p.open.is(atom.Colgroup) {
		p.open.pop(p)
	}
	p.mode = tableMode
}

// endInColgroup handles an end tag in a group of columns.
func (p *pass) endInColgroup(t tag) (again bool) {
	switch atom.Atom(t) {
	case atom.Colgroup:
		p.endColgroup()
	case atom.Col:
	default:
		p.endColgroup()
		return true
	}
	return false
}
