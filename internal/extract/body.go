package extract

import (
	"golang.org/x/net/html/atom"
)

// startInBody reads a start tag in the body.
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
		// Only tables have these.
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

// startFrameset replaces a body in which nothing is to be seen.
func (p *pass) startFrameset() {
	if p.noFrames || p.inert > 0 {
		return
	}
	p.open.popTo(0, p)
	p.link.forget()
	p.mode = framesetMode
}

// startOther reads the start tags that have rules of their own.
func (p *pass) startOther(e *element) {
	switch e.atom() {
	case atom.P:
		p.closeParagraph()
	case atom.Form:
		if p.form && p.inert == 0 {
			return
		}
		p.form = p.form || p.inert == 0
		p.closeParagraph()
	case atom.Li:
		p.closeItem(atom.Li, atom.Li)
	case atom.Dd, atom.Dt:
		p.closeItem(atom.Dd, atom.Dt)
	case atom.Button:
		p.noFrames = true
		if i := p.open.find(atom.Button, scope); i >= 0 {
			p.open.popTo(i, p)
		}
	case atom.A:
		p.closeFormat(e.tag, marker)
	case atom.Nobr:
		p.closeFormat(e.tag, scope)
	case atom.Table:
		p.startTable(e)
		return
	case atom.Hr:
		p.noFrames = true
		p.closeParagraph()
		p.closeOptions(0)
	case atom.Area, atom.Br, atom.Embed, atom.Img, atom.Image, atom.Keygen, atom.Wbr, atom.Applet, atom.Marquee, atom.Object:
		p.noFrames = true
	case atom.Input:
		p.noFrames = p.noFrames || !eq(e.attr.typ, "hidden")
		p.endSelect()
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
	case atom.Rb, atom.Rtc:
		p.closeRuby(0)
	case atom.Rp, atom.Rt:
		p.closeRuby(tag(atom.Rtc))
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

// closeParagraph ends an open p.
func (p *pass) closeParagraph() {
	if i := p.open.find(atom.P, buttonScope); i >= 0 {
		p.open.popTo(i, p)
	}
}

// closeItem ends an open item of a list, one of the two given.
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

// closeOptions ends open options, unless they are called but, and reports
// whether a select is open.
func (p *pass) closeOptions(but tag) bool {
	if p.open.find(atom.Select, scope) < 0 {
		return false
	}
	p.open.popImplied(but, p)
	return true
}

// endSelect ends an open select and reports whether there was one.
func (p *pass) endSelect() bool {
	i := p.open.find(atom.Select, scope)
	if i < 0 {
		return false
	}
	p.open.popTo(i, p)
	return true
}

func (p *pass) closeRuby(but tag) {
	if p.open.find(atom.Ruby, scope) >= 0 {
		p.open.popImplied(but, p)
	}
}

// closeFormat ends a formatting element. Blocks that began in it stay open.
func (p *pass) closeFormat(t tag, ends kind) {
	i := p.open.findFunc(ends, func(f *frame) bool { return f.tag == t })
	if i < 0 {
		return
	}
	for j := i + 1; j < len(p.open.frames); j++ {
		p.open.work--
		if p.open.frames[j].kind&special != 0 {
			p.open.remove(i)
			return
		}
	}
	p.open.popTo(i, p)
}

// endInBody reads an end tag in the body.
func (p *pass) endInBody(t tag) {
	k, a := t.kind(), atom.Atom(t)
	switch {
	case a == atom.Body || a == atom.Html:
	case a == atom.P:
		p.endParagraph()
	case a == atom.Li:
		p.endScoped(t, listScope)
	case a == atom.Form:
		p.endForm()
	case a == atom.Br:
		p.insert(impliedElement(atom.Br))
	case a == atom.Dd || a == atom.Dt || a == atom.Button || a == atom.Select ||
		k&closesP != 0 || k&marker != 0 && k&tablePart == 0:
		p.endScoped(t, scope)
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

// endParagraph ends a paragraph; where none is open, an empty one stands there.
func (p *pass) endParagraph() {
	if i := p.open.find(atom.P, buttonScope); i >= 0 {
		p.open.popTo(i, p)
		return
	}
	p.separate(tag(atom.P), block)
}

func (p *pass) endScoped(t tag, ends kind) {
	if i := p.open.find(atom.Atom(t), ends); i >= 0 {
		p.open.popTo(i, p)
	}
}

// endForm ends a form. Elements that are open in it stay open.
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
	p.open.remove(i)
	p.separate(f.tag, f.kind)
}

// endAny ends the innermost t, unless a special element is open in it.
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
