package extract

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"dowse"
)

// A mention is one link on the page, as byte offsets of the text.
type mention struct {
	link       int32  // index of the target
	more       int32  // index among the target's further mentions, -1 for the first
	start, end int32  // the anchor text
	from, to   int32  // the block around it
	headings   int32  // number of headings that were opened before it
	alt        string // the anchor, if it has no text: alternative texts of images
}

// links are the links of the page that is being read.
//
// For each link the document records the anchor, the block around it and the
// headings above it, because judges of links read all three. While the page is
// read these are byte offsets, since words are known only at the end; a mention
// waits in open until the block around it is closed.
type links struct {
	targets  []dowse.Link        // one per URL, in order of first mention
	index    map[dowse.URL]int32 // into targets
	mentions []mention
	open     []int32 // mentions whose block has not ended, in order
	current  int32   // the mention whose anchor is open, -1 for none
	ended    int     // bytes of text at the last end tag of an anchor
}

// forget drops all links.
func (l *links) forget() {
	clear(l.index)
	l.targets, l.mentions, l.open, l.current = l.targets[:0], l.mentions[:0], l.open[:0], -1
}

// endBlocks ends the block of the open mentions with index mark and above, at a
// byte of the text.
func (l *links) endBlocks(mark, at int) {
	if mark >= len(l.open) {
		return
	}
	for _, i := range l.open[mark:] {
		l.mentions[i].to = int32(at)
	}
	l.open = l.open[:mark]
}

// addLink adds a link at the current place in the text and returns the index of
// its mention, -1 if it is not a link to follow. A target is nofollow only if
// all of its mentions are.
func (p *pass) addLink(href, rel []byte) int32 {
	if len(p.link.mentions) >= p.opt.Mentions || len(p.link.targets) >= p.opt.Links {
		p.cut(CutLinks)
		return -1
	}
	u, ok := p.resolve(href)
	if !ok || u == p.self && !p.opt.KeepSelf {
		return -1
	}
	i, known := p.link.index[u]
	if !known {
		i = int32(len(p.link.targets))
		p.link.index[u] = i
		p.link.targets = append(p.link.targets, dowse.Link{URL: u, NoFollow: true})
	}
	return p.addMention(i, known, isNoFollow(rel))
}

// addMention adds a mention of a target; again reports that the target has one
// already.
func (p *pass) addMention(target int32, again, noFollow bool) int32 {
	t := &p.link.targets[target]
	t.NoFollow = t.NoFollow && noFollow
	at := int32(p.text.len())
	m := mention{link: target, more: -1, start: at, end: at, from: p.open.blockStart(), headings: int32(len(p.headings))}
	if again {
		m.more = int32(len(t.More))
		t.More = append(t.More, dowse.Mention{})
	}
	n := int32(len(p.link.mentions))
	p.link.mentions = append(p.link.mentions, m)
	p.link.open = append(p.link.open, n)
	return n
}

// resolve returns the URL of a reference, as long as there is budget: unusual
// references are expensive to parse.
func (p *pass) resolve(href []byte) (dowse.URL, bool) {
	p.hrefs += min(len(href), p.opt.Href) + 64
	if p.hrefs > p.opt.Hrefs {
		p.cut(CutLinks)
		return "", false
	}
	s := string(truncate(href, p.opt.Href))
	if p.base != nil && len(s) == len(href) {
		if u, err := p.base.Resolve(s); err == nil {
			return u, true
		}
	}
	if p.opt.OnDrop != nil {
		p.opt.OnDrop(s)
	}
	return "", false
}

// isNoFollow reports whether the author of a link does not endorse it.
func isNoFollow(rel []byte) bool {
	return len(rel) > 0 && (hasToken(rel, "nofollow") || hasToken(rel, "ugc") || hasToken(rel, "sponsored"))
}

// openAnchor begins the link of an a element. Links without text between them
// are separated by a space, because menus are written like that.
func (p *pass) openAnchor(e *element) {
	touches := p.link.current >= 0 || p.link.ended == p.text.len()
	p.closeAnchor()
	if e.attr.href == nil {
		return
	}
	if touches && p.hidden == 0 {
		p.text.space()
	}
	p.sawHref(e.attr.href)
	p.link.current = p.addLink(e.attr.href, e.attr.rel)
	p.licence(e)
}

func (p *pass) sawHref(href []byte) {
	if p.opt.OnHref != nil {
		p.opt.OnHref(string(href))
	}
}

// endAnchor ends the open link if t is the end tag of an a element.
func (p *pass) endAnchor(t tag) {
	if t == tag(atom.A) {
		p.closeAnchor()
		p.link.ended = p.text.len()
	}
}

// closeAnchor ends the anchor text of the open link here.
func (p *pass) closeAnchor() {
	if p.link.current >= 0 {
		p.link.mentions[p.link.current].end = int32(p.text.len())
		p.link.current = -1
	}
}

// addAlt adds a text that is not shown, such as the alternative text of an
// image, to the open link.
func (p *pass) addAlt(text []byte) {
	if p.link.current < 0 {
		return
	}
	m := &p.link.mentions[p.link.current]
	if len(m.alt) >= 4*p.opt.Anchor {
		return
	}
	alt := p.field(text, p.opt.Anchor)
	if alt == "" {
		return
	}
	if m.alt != "" {
		alt = m.alt + " " + alt
	}
	m.alt = firstRunes(alt, p.opt.Anchor)
}

// addArea adds the link of an area or a frame, which has no text on the page.
//
// The alternative text of an area is its anchor.
func (p *pass) addArea(href, rel, alt []byte) {
	if i := p.addLink(href, rel); i >= 0 && len(alt) > 0 {
		p.link.mentions[i].alt = p.field(alt, p.opt.Anchor)
	}
}

// addRemote adds a link that has no place on the page, such as that of a link
// element.
func (p *pass) addRemote(href, rel []byte) {
	if i := p.addLink(href, rel); i >= 0 {
		m := &p.link.mentions[i]
		m.from, m.to = m.start, m.start
		p.link.open = p.link.open[:len(p.link.open)-1]
	}
}

// maxBlock is the number of words of a block that count on each side of a link.
const maxBlock = 50

// placeLinks converts the mentions to those of the document. above is what
// placeHeadings returned.
//
// Links are in the order in which their targets were first mentioned.
func (p *pass) placeLinks(above [][3]int32) {
	for i := range p.link.mentions {
		m := &p.link.mentions[i]
		t := &p.link.targets[m.link]
		d := &t.Mention
		if m.more >= 0 {
			d = &t.More[m.more]
		}
		*d = p.place(m)
		d.Above = above[m.headings]
	}
	p.doc.Links = p.link.targets
}

// place converts one mention. Anchor and block become ranges of words, and the
// block is cut to maxBlock words on each side. Only the first word is searched
// for: all other ends are a few words away from it.
func (p *pass) place(m *mention) dowse.Mention {
	d := dowse.Mention{Context: math.NaN()}
	start, end := p.anchorText(m, &d)
	words := p.doc.Words
	d.At.Start = firstEndingAfter(words, start)
	d.At.End = startingAt(words, d.At.Start, int32(len(words)), end)
	d.Block = dowse.Span{
		Start: endingAfter(words, d.At.Start, max(d.At.Start-maxBlock, 0), m.from),
		End:   startingAt(words, d.At.End, min(d.At.End+maxBlock, int32(len(words))), m.to),
	}
	return d
}

// anchorText sets the anchor and returns its section of the text.
func (p *pass) anchorText(m *mention, d *dowse.Mention) (start, end int32) {
	s := p.doc.Text[m.start:m.end]
	lead := len(s) - len(strings.TrimLeft(s, " \n"))
	s = firstRunes(s[lead:], p.opt.Anchor)
	if s == "" {
		d.Anchor = m.alt
		return m.start, m.start
	}
	start = m.start + int32(lead)
	if strings.IndexByte(s, '\n') < 0 {
		d.Anchor = s
	} else {
		d.Anchor = strings.ReplaceAll(s, "\n", " ")
	}
	return start, start + int32(len(s))
}

// firstEndingAfter returns the index of the first word that ends after a byte
// of the text.
func firstEndingAfter(words []dowse.Span, at int32) int32 {
	i, _ := slices.BinarySearchFunc(words, at, func(w dowse.Span, at int32) int { return int(w.End) - int(at) - 1 })
	return int32(i)
}

// endingAfter returns the index of the first word that ends after a byte of the
// text, but at most i and at least least.
func endingAfter(words []dowse.Span, i, least, at int32) int32 {
	for i > least && words[i-1].End > at {
		i--
	}
	return i
}

// startingAt returns the index of the first word that starts at or after a byte
// of the text, but at least i and at most most.
func startingAt(words []dowse.Span, i, most, at int32) int32 {
	for i < most && words[i].Start < at {
		i++
	}
	return i
}

// note reads what an element carries in addition to its text: links, images,
// declarations. In a template nothing counts.
func (p *pass) note(e *element) {
	if p.inert > 0 {
		return
	}
	switch e.atom() {
	case atom.A:
		p.openAnchor(e)
	case atom.Area:
		if e.attr.href != nil {
			p.sawHref(e.attr.href)
			p.addArea(e.attr.href, e.attr.rel, e.attr.alt)
		}
	case atom.Frame, atom.Iframe:
		if len(bytes.TrimSpace(e.attr.src)) > 0 {
			p.addArea(e.attr.src, nil, nil)
		}
	case atom.Img, atom.Image:
		p.addAlt(e.attr.alt)
		p.keepImage(e.attr.src)
	case atom.Base:
		p.rebase(e.attr.href)
	case atom.Link:
		p.readLink(e)
	case atom.Meta:
		p.readMeta(e)
	case atom.Html:
		p.readLang(e.attr.lang)
	}
	p.readItem(e)
}
