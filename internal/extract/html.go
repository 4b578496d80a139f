package extract

import (
	"sync"

	"golang.org/x/net/html/atom"

	"dowse"
	"dowse/weburl"
)

// Options are the limits of a page, and what the caller wants to learn. The
// zero value is meant for crawling; a limit of zero means its default. The
// defaults are far above what pages for people need.
type Options struct {
	Agents []string // product tokens whose meta elements are read like "robots", in lower case; default none

	Tokens   int // tags and texts; default 2,000,000
	Depth    int // open elements, deeper ones count as siblings; default 512, as in browsers
	Links    int // distinct targets of links; default 10,000
	Mentions int // links, several per target; default 20,000
	Headings int // default 1,000
	Text     int // bytes of text; default 1 MiB
	Word     int // bytes of a run without spaces, the rest of which is dropped; default 4,096
	Field    int // characters of title, description and keywords each; default 1,000
	Anchor   int // characters of an anchor or a heading; default 300
	Href     int // bytes of a reference, longer ones are dropped; default 2,048
	Hrefs    int // bytes of all references, plus 64 for each; default 2 MiB
	Work     int // open elements compared to find what a tag closes; default 50,000,000

	KeepSelf bool              // keep links of the page to itself
	OnHref   func(href string) // if set, called with each href of a and area as written
	OnDrop   func(href string) // if set, called with each reference that is not http(s) or too long
	OnFeed   func(u dowse.URL) // if set, called with each feed that a link element offers for the page

	// Mark, if set, is called for each element that is opened, and OnMarked when an
	// element that got a mark other than 0 is closed, with the part of the text in
	// it. OnText, if set, is called with each text as it is written, with its white space,
	// and with how many bytes of text are before it; a br is a line break. These are for
	// readers that need the structure of a page; a crawl does not. With Mark, elements that
	// their style attribute hides are read as those with the attribute hidden.
	Mark     func(Element) uint8
	OnMarked func(mark uint8, start, end int)
	OnText   func(at int, text []byte)
}

// An Element is what [Options].Mark sees of an element. Its attributes are valid
// only during the call, and empty where the element has none.
type Element struct {
	Name            atom.Atom // 0 for an element that HTML does not know
	Class, ID, Role []byte
	Start           []byte // the first number of a list
	Columns, Rows   []byte // how many of a table a cell takes
	Link            bool   // it has an href
	At              int    // bytes of text before it
}

// The limits that Document.Cut names.
const (
	CutTokens = "tokens" // the rest of the page was not read
	CutWork   = "work"   // the rest of the page was not read
	CutText   = "text"   // later text is missing; links are there
	CutLinks  = "links"  // later links are missing; text is there
)

// withDefaults returns o with every limit that is not positive replaced by its
// default.
func (o Options) withDefaults() Options {
	for _, d := range []struct {
		field *int
		value int
	}{
		{&o.Tokens, 2_000_000}, {&o.Depth, 512}, {&o.Links, 10_000}, {&o.Mentions, 20_000},
		{&o.Headings, 1_000}, {&o.Text, 1 << 20}, {&o.Word, 4_096}, {&o.Field, 1_000},
		{&o.Anchor, 300}, {&o.Href, 2_048}, {&o.Hrefs, 2 << 20}, {&o.Work, 50_000_000},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	return o
}

// HTML reads a page that was found at url. The body is UTF-8, as [Decode]
// returns it; it is not kept. Whatever the body contains, time and memory are
// bounded by the options and there is a document: its field Cut names the first
// limit that was reached. HTML is safe for concurrent use.
//
// There is one link per target, resolved against url or the page's base,
// without those to the page itself. Links are the targets of a, area, frame and
// iframe, of link rel=next, prev and alternate in another language, and of a
// meta refresh. The caller sets Sketch, and Window and Target of links.
func HTML(body []byte, url dowse.URL, opt Options) *dowse.Document {
	p := newPass(body, url, opt.withDefaults())
	defer p.release()
	p.run()
	return p.document()
}

// A pass is the state of reading one page.
type pass struct {
	opt  Options
	doc  dowse.Document
	src  source
	tag  element // the last start tag; reused, so that attributes are not allocated
	self dowse.URL
	base *weburl.Base

	text     prose
	open     stack
	meta     metadata
	kept     kept
	link     links
	headings []mark
	scratch  []byte // a buffer that fieldBytes reuses

	raw      tag  // the element whose raw text comes next; 0 for none
	mode     mode // the insertion mode
	form     bool // a form is open
	noFrames bool // the page shows something, so a frameset is ignored
	based    bool // a base was seen
	hrefs    int  // bytes of references so far, see Options.Hrefs
	hidden   int  // number of open elements that are not shown
	inert    int  // number of open templates, whose content does not count

	// Text between the cells of a table is shown before the table ("foster
	// parenting"). These record where the text before the table ended, and its
	// gap.
	// For <table><tr>b<td>c</table> browsers show "b" above the table, so the
	// text must be "b", then "c".
	fosterAt  int
	fosterGap byte
}

// passes pools the buffers that a pass works in and no document shares.
var passes = sync.Pool{New: func() any {
	return &pass{open: stack{frames: make([]frame, 0, 32)}, link: links{index: map[dowse.URL]int32{}}}
}}

// maxKept is the size, in bytes, above which a buffer is not pooled: one huge
// page should not occupy memory for ever.
const maxKept = 1 << 17

// newPass returns a pass over body with pooled buffers.
func newPass(body []byte, url dowse.URL, opt Options) *pass {
	p := passes.Get().(*pass)
	*p = pass{
		opt: opt, self: url,
		text:     prose{buf: p.text.buf[:0], max: opt.Text, word: opt.Word},
		open:     stack{frames: p.open.frames[:0], max: opt.Depth, work: opt.Work},
		link:     links{index: p.link.index, mentions: p.link.mentions[:0], open: p.link.open[:0], current: -1},
		headings: p.headings[:0], scratch: p.scratch[:0], kept: p.kept.reset(),
	}
	p.base, _ = weburl.NewBase(string(url))
	p.src.body = body
	p.tag.attr = attributes{styled: opt.Mark != nil}
	p.link.targets = make([]dowse.Link, 0, 48)
	return p
}

// release returns the buffers to the pool, without references to the page.
func (p *pass) release() {
	if cap(p.text.buf) > maxKept || len(p.link.index) > 1000 || cap(p.link.mentions) > 1000 || cap(p.headings) > 1000 || cap(p.kept.buf) > maxKept {
		return
	}
	clear(p.link.index)
	clear(p.link.mentions)
	*p = pass{
		text: prose{buf: p.text.buf}, open: stack{frames: p.open.frames}, headings: p.headings, scratch: p.scratch, kept: p.kept,
		link: links{index: p.link.index, mentions: p.link.mentions, open: p.link.open},
	}
	passes.Put(p)
}

// run reads the page to its end, or until the limit of tokens or work is
// reached.
//
// Both limits are checked per token, so that no single token can exceed them by
// much.
func (p *pass) run() {
	for n := 0; ; n++ {
		if n == p.opt.Tokens {
			p.cut(CutTokens)
			return
		}
		if p.open.work < 0 {
			p.cut(CutWork)
			return
		}
		switch p.src.read(&p.tag.attr, p.open.foreign()) {
		case textToken:
			p.textToken()
		case startTag:
			p.startToken()
		case endTag:
			p.endToken()
		case pageEnd:
			return
		}
	}
}

// cut records which limit was reached first.
func (p *pass) cut(budget string) {
	if p.doc.Cut == "" {
		p.doc.Cut = budget
	}
}

// document ends the pass: it closes what is open and converts offsets of the
// text to indexes of words.
//
// The text is copied once, to a string that all spans of the document refer to.
func (p *pass) document() *dowse.Document {
	// The end of the page closes everything that is still open.
	p.open.popTo(0, p)
	p.closeAnchor()
	p.link.endBlocks(0, p.text.len())
	if p.text.full {
		p.cut(CutText)
	}
	p.doc.Text = string(p.text.buf)
	p.doc.Words = dowse.AppendWords(make([]dowse.Span, 0, len(p.doc.Text)/5+8), p.doc.Text, 0)
	above := p.placeHeadings()
	p.placeLinks(above)
	p.describe()
	doc := p.doc
	return &doc
}
