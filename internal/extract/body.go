package extract

import (
	"golang.org/x/net/html/atom"
)

// startInBody handles a start tag by the rules of the mode "in body".
func (p *pass) startInBody(e *element) {
	a := e.atom()
	switch {
	case a == atom.Html || e.kind&inHead != 0 && a != atom.Noscript && a != atom.Head:
		p.startMeta(e)
	case a == atom.Body:
		p.note(e)
		p.noFrames = true
	case a == atom.Frameset:
		p.startFrameset()
	case e.kind&tablePart != 0:
		// Parts of a table are ignored outside of one.
	case e.kind&heading != 0:
		p.closeParagraph()
		if p.open.top().kind&heading != 0 {
			p.open.pop(p)
		}
		p.insert(e)
	case e.kind&closesP != 0:
		p.noFrames = p.noFrames || a == atom.Pre || a == atom.Listing
		p.closeParagraph()
		p.insert(e)
	default:
		p.startOther(e)
	}
}

// startFrameset replaces a body that shows nothing yet by a frameset. Links
// found so far are dropped with the body.
func (p *pass) startFrameset() {
	if p.noFrames || p.inert > 0 {
		return
	}
	p.open.popTo(0, p)
	p.link.forget()
	p.mode = framesetMode
}

// startOther handles the start tags that have a rule of their own in the mode
// "in body". noFrames is set where the standard clears its frameset-ok flag.
func (p *pass) startOther(e *element) {
	switch e.atom() {
	case atom.P:
		p.closeParagraph()
	// Forms are not nested: the second start tag is ignored.
	case atom.Form:
		if p.form && p.inert == 0 {
			return
		}
		p.form = p.form || p.inert == 0
		p.closeParagraph()
	// <li>one<li>two: the second closes the first, and so do dt and dd.
	case atom.Li:
		p.closeItem(atom.Li, atom.Li)
	case atom.Dd, atom.Dt:
		p.closeItem(atom.Dd, atom.Dt)
	// A button in a button closes the outer one.
	case atom.Button:
		p.noFrames = true
		if i := p.open.find(atom.Button, scope); i >= 0 {
			p.open.popTo(i, p)
		}
	// A link in a link closes the outer one, but not across a table cell.
	case atom.A:
		p.closeFormat(e.tag, marker)
	case atom.Nobr:
		p.closeFormat(e.tag, scope)
	case atom.Table:
		p.startTable(e)
		return
	// A rule closes a paragraph, and separates options of a select.
	case atom.Hr:
		p.noFrames = true
		p.closeParagraph()
		p.closeOptions(0)
	case atom.Area, atom.Br, atom.Embed, atom.Img, atom.Image, atom.Keygen, atom.Wbr, atom.Applet, atom.Marquee, atom.Object:
		p.noFrames = true
	// An input ends a select; a hidden one does not count as content.
	case atom.Input:
		p.noFrames = p.noFrames || !eq(e.attr.typ, "hidden")
		p.endSelect()
	// A second <select> is the end tag of the first.
	case atom.Select:
		p.noFrames = true
		if p.endSelect() {
			return
		}
	case atom.Option:
		if !p.closeOptions(tag(atom.Optgroup)) && p.open.is(atom.Option) {
			p.open.pop(p)
		}
	case atom.Optgroup:
		if !p.closeOptions(0) && p.open.is(atom.Option) {
			p.open.pop(p)
		}
	// Annotations of ruby need no end tags: <ruby>漢<rt>かん<rt>kan.
	case atom.Rb, atom.Rtc:
		p.closeRuby(0)
	case atom.Rp, atom.Rt:
		p.closeRuby(tag(atom.Rtc))
	// The content of these is text, whatever tags it contains.
	case atom.Xmp, atom.Plaintext:
		p.noFrames = true
		p.closeParagraph()
		p.insertRaw(e)
		return
	case atom.Textarea, atom.Iframe:
		p.noFrames = true
		p.insertRaw(e)
		return
	case atom.Noembed:
		p.insertRaw(e)
		return
	case atom.Svg:
		p.insertForeign(e, inSVG)
		return
	case atom.Math:
		p.insertForeign(e, inMath)
		return
	}
	p.insert(e)
}

// closeParagraph closes an open p, if there is one in button scope.
func (p *pass) closeParagraph() {
	if i := p.open.find(atom.P, buttonScope); i >= 0 {
		p.open.popTo(i, p)
	}
}

// closeItem closes an open item of a list, one of the two given, and a
// paragraph. It stops at a special element, except address, div and p.
//
// So the inner list of <ol><li>a<ol><li>b</ol><li>c</ol> does not close the item
// of the outer one.
func (p *pass) closeItem(a, b atom.Atom) {
	for i := len(p.open.frames) - 1; i >= 0; i-- {
		f := &p.open.frames[i]
		p.open.work--
		t := atom.Atom(f.tag)
		if f.space == inHTML && (t == a || t == b) {
			p.open.popTo(i, p)
			break
		}
		if f.kind&special != 0 && t != atom.Address && t != atom.Div && t != atom.P {
			break
		}
	}
	p.closeParagraph()
}

// closeOptions closes open options, unless they are called but, and reports
// whether a select is open.
func (p *pass) closeOptions(but tag) bool {
	if p.open.find(atom.Select, scope) < 0 {
		return false
	}
	p.open.popImplied(but, p)
	return true
}

// endSelect closes an open select and reports whether there was one.
func (p *pass) endSelect() bool {
	i := p.open.find(atom.Select, scope)
	if i < 0 {
		return false
	}
	p.open.popTo(i, p)
	return true
}

// closeRuby closes the annotations of an open ruby, unless they are called but.
func (p *pass) closeRuby(but tag) {
	if p.open.find(atom.Ruby, scope) >= 0 {
		p.open.popImplied(but, p)
	}
}

// closeFormat closes a formatting element. Blocks that began in it stay open.
// It replaces the standard's adoption agency algorithm: that moves elements in
// the tree, but which of them are open afterwards is the same.
//
// For <a>one<div>two</a>three</div> the link ends after "two", and the div stays
// open: the element is removed from the middle of the stack.
func (p *pass) closeFormat(t tag, ends kind) {
	i := p.open.findFunc(ends, func(f *frame) bool { return f.tag == t })
	if i < 0 {
		return
	}
	for j := i + 1; j < len(p.open.frames); j++ {
		p.open.work--
		if p.open.frames[j].kind&special != 0 {
			p.open.remove(i, p)
			return
		}
	}
	p.open.popTo(i, p)
}

// endInBody handles an end tag by the rules of the mode "in body".
func (p *pass) endInBody(t tag) {
	k, a := t.kind(), atom.Atom(t)
	switch {
	// Content after these end tags belongs to the body.
	case a == atom.Body || a == atom.Html:
	case a == atom.P:
		p.endParagraph()
	case a == atom.Li:
		p.endScoped(t, listScope)
	case a == atom.Form:
		p.endForm()
	// </br> is read as <br>.
	case a == atom.Br:
		p.insert(impliedElement(atom.Br))
	case a == atom.Dd || a == atom.Dt || a == atom.Button || a == atom.Select ||
		k&closesP != 0 || k&marker != 0 && k&tablePart == 0:
		p.endScoped(t, scope)
	// The end tag of any heading closes the open one: <h1>x</h2>.
	case k&heading != 0:
		i := p.open.findFunc(scope, func(f *frame) bool { return f.kind&heading != 0 })
		if i >= 0 {
			p.open.popTo(i, p)
		}
	case k&format != 0:
		p.endAnchor(t)
		p.closeFormat(t, scope)
	default:
		p.endAny(t)
	}
}

// endParagraph closes a paragraph. If none is open, the tag means an empty
// paragraph.
func (p *pass) endParagraph() {
	if i := p.open.find(atom.P, buttonScope); i >= 0 {
		p.open.popTo(i, p)
		return
	}
	p.separate(tag(atom.P), block)
}

// endScoped closes the innermost t unless an element of the kind ends is open
// in it.
func (p *pass) endScoped(t tag, ends kind) {
	if i := p.open.find(atom.Atom(t), ends); i >= 0 {
		p.open.popTo(i, p)
	}
}

// endForm closes a form. Elements that are open in it stay open.
func (p *pass) endForm() {
	p.form = p.form && p.inert > 0
	i := p.open.find(atom.Form, scope)
	if i < 0 {
		return
	}
	p.open.popImplied(0, p)
	if i == len(p.open.frames)-1 {
		p.open.pop(p)
		return
	}
	f := p.open.frames[i]
	p.open.remove(i, p)
	p.separate(f.tag, f.kind)
}

// endAny closes the innermost t, unless a special element is open in it.
func (p *pass) endAny(t tag) {
	for i := len(p.open.frames) - 1; i >= 0; i-- {
		f := &p.open.frames[i]
		p.open.work--
		if f.space == inHTML && f.tag == t {
			p.open.popTo(i, p)
			return
		}
		if f.kind&special != 0 {
			return
		}
	}
}
