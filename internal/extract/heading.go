package extract

import (
	"strings"

	"golang.org/x/net/html/atom"

	"dowse"
)

// A mark is a heading of the page, as byte offsets of the text; end is -1 while
// it is open.
type mark struct {
	level      int
	start, end int32
}

// openHeading notes that a heading begins here. Headings beyond the limit are
// ignored.
func (p *pass) openHeading(t tag) {
	if len(p.headings) >= p.opt.Headings || p.inert > 0 {
		return
	}
	at := int32(p.text.len())
	p.headings = append(p.headings, mark{level: levelOf(t), start: at, end: -1})
}

// levelOf returns the level of a heading element, 1 to 6.
func levelOf(t tag) int {
	switch atom.Atom(t) {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4:
		return 4
	case atom.H5:
		return 5
	}
	return 6
}

// closeHeading ends the innermost open heading. It looks at a few only, because
// headings are hardly ever nested.
func (p *pass) closeHeading() {
	for i := len(p.headings) - 1; i >= 0 && i >= len(p.headings)-8; i-- {
		if p.headings[i].end < 0 {
			p.headings[i].end = int32(p.text.len())
			return
		}
	}
}

// placeHeadings sets the document's headings, those with text. above[n] are the
// indexes of the headings that apply after the first n headings of the page:
// the last h1, the last h2 below it, and the last deeper one below that; -1 for
// none.
//
// A link below <h2>Fish</h2> in a page <h1>Reefs</h1> has both headings above it;
// the next h2 replaces the first, the next h1 both.
func (p *pass) placeHeadings() (above [][3]int32) {
	none := [3]int32{-1, -1, -1}
	above = append(make([][3]int32, 0, len(p.headings)+1), none)
	now := none
	if n := len(p.headings); n > 0 {
		p.doc.Headings = make([]dowse.Heading, 0, n)
	}
	for _, h := range p.headings {
		if text := p.headingText(h); text != "" {
			i := int32(len(p.doc.Headings))
			at := firstEndingAfter(p.doc.Words, h.start)
			p.doc.Headings = append(p.doc.Headings, dowse.Heading{Level: h.level, Text: text, At: at})
			rank := min(h.level, 3) - 1
			now[rank] = i
			copy(now[rank+1:], none[:])
		}
		above = append(above, now)
	}
	if len(p.doc.Headings) == 0 {
		p.doc.Headings = nil
	}
	return above
}

// headingText returns the text of a heading on one line. A heading that was
// never closed extends to the end of the page, and the limit cuts it.
//
// Line breaks in a heading become spaces.
func (p *pass) headingText(h mark) string {
	if h.end < h.start {
		h.end = int32(len(p.doc.Text))
	}
	s := firstRunes(strings.TrimLeft(p.doc.Text[h.start:h.end], " \n"), p.opt.Anchor)
	return strings.ReplaceAll(s, "\n", " ")
}
