package extract

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// insertForeign opens an element of SVG or MathML. Scripts and styles in it are
// hidden.
func (p *pass) insertForeign(e *element, s space) {
	p.note(e)
	k := foreignKind(e.tag, s)
	if e.atom() == atom.AnnotationXml && (eq(e.attr.encoding, "text/html") || eq(e.attr.encoding, "application/xhtml+xml")) {
		k |= integration
	}
	p.separate(e.tag, k)
	if e.closed {
		return
	}
	unread := e.atom() == atom.Script || e.atom() == atom.Style
	p.open.push(frame{tag: e.tag, kind: k, space: s, hidden: e.attr.isHidden() || unread}, p)
}

// integrates reports whether a start tag in foreign content is handled as HTML.
func (p *pass) integrates(t tag) bool {
	top, a := p.open.top(), atom.Atom(t)
	switch {
	case top.kind&integration != 0:
		return true
	case top.kind&mathText != 0:
		return a != atom.Mglyph && a != atom.Malignmark
	}
	return top.tag == tag(atom.AnnotationXml) && a == atom.Svg
}

// startForeign handles a start tag in foreign content. Some HTML elements end
// the foreign content, since pages often forget its end tag.
func (p *pass) startForeign(e *element) {
	if e.kind&breakout != 0 || e.atom() == atom.Font && e.attr.font {
		p.leaveForeign()
		p.startHTML(e)
		return
	}
	p.insertForeign(e, p.open.top().space)
}

// leaveForeign closes foreign elements up to one in which HTML is allowed.
func (p *pass) leaveForeign() {
	for p.open.foreign() && p.open.top().kind&(integration|mathText) == 0 {
		p.open.pop(p)
	}
}

// endForeign handles an end tag in foreign content.
//
// The end tag closes the innermost foreign element of that name; without one, it
// is handled as an end tag of HTML.
func (p *pass) endForeign(t tag) {
	if a := atom.Atom(t); a == atom.Br || a == atom.P {
		p.leaveForeign()
		p.endHTML(t)
		return
	}
	for i := len(p.open.frames) - 1; i >= 0 && p.open.frames[i].space != inHTML; i-- {
		p.open.work--
		if p.open.frames[i].tag == t {
			p.endAnchor(t)
			p.open.popTo(i, p)
			return
		}
	}
	p.endHTML(t)
}

// foreignText handles text in SVG or MathML, where a NUL is shown as a
// replacement character.
func (p *pass) foreignText(text []byte) {
	if p.open.top().kind&(integration|mathText) == 0 && bytes.IndexByte(text, 0) >= 0 {
		text = bytes.ReplaceAll(text, []byte{0}, []byte("\uFFFD"))
	}
	p.noFrames = p.noFrames || !isBlank(text)
	p.show(text)
}
