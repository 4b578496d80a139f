package extract

import (
	"sync"

	"dowse"
	"dowse/weburl"
)

// Options bound what a page may cost and say who reads it. The zero value is
// meant for crawling; every bound at zero takes its default.
type Options struct {
	Agent string // our token in meta robots beside "robots", in lower case; "" for none

	Tokens   int // tags and texts that are read; 2,000,000
	Depth    int // open elements that are followed; deeper ones count as siblings; 512, as browsers do
	Links    int // targets; 10,000
	Mentions int // links of a page, all targets together; 20,000
	Headings int // 1,000
	Text     int // bytes of text; 1 MiB
	Word     int // bytes of a run without spaces, the rest of it is left out; 4,096
	Field    int // characters of title, description and keywords each; 1,000
	Anchor   int // characters of an anchor or a heading; 300
	Href     int // bytes of a reference; 2,048: longer ones are dropped
	Hrefs    int // bytes of all references, each with 64 more for its handling; 2 MiB
	Work     int // elements looked at to find what a tag closes; 50,000,000

	KeepSelf bool              // keep the links of a page to itself
	OnHref   func(href string) // told of each href of a and area as it is written
	OnDrop   func(href string) // told of each reference that is no http(s) URL or too long
}

// The budgets that Document.Cut names.
const (
	CutTokens = "tokens" // the rest of the page was not read
	CutWork   = "work"   // the rest of the page was not read
	CutText   = "text"   // later text is missing; links are there
	CutLinks  = "links"  // later links are missing; text is there
)

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
// returns it; it is not kept. Whatever the body holds, time and memory are
// bounded by the options and there is a document: Cut names the first budget
// that ran out. HTML may be called from many goroutines.
//
// Links come one to a target, resolved against url or the page's base, without
// those to the page itself. They are the targets of a, area, frame and iframe,
// of link rel=next, prev and alternate in another language, and of a meta
// refresh. Sketch is left to the caller, as are Window and Target of links.
func HTML(body []byte, url dowse.URL, opt Options) *dowse.Document {
	p := newPass(body, url, opt.withDefaults())
	defer p.release()
	p.run()
	return p.document()
}

// A pass is one reading of a page.
type pass struct {
	opt  Options
	doc  dowse.Document
	src  source
	tag  element // the last start tag
	self dowse.URL
	base *weburl.Base

	text     prose
	open     stack
	meta     metadata
	kept     kept
	link     links
	headings []mark
	scratch  []byte // memory to work in, see field

	raw      tag  // the element whose text comes next, if that is raw text
	mode     mode // of insertion
	form     bool // a form is open
	noFrames bool // too late for a frameset
	based    bool // a base was seen
	hrefs    int  // bytes of references so far
	hidden   int  // open elements that are not shown
	inert    int  // open templates

	fosterAt  int  // bytes of text when a table was opened, or since shown before it
	fosterGap byte // what then stood before the next character
}

// passes keeps passes for reuse, with the memory that they work in and that no
// document shares.
var passes = sync.Pool{New: func() any {
	return &pass{open: stack{frames: make([]frame, 0, 32)}, link: links{index: map[dowse.URL]int32{}}}
}}

// maxKept is the size from which memory is not kept: what one huge page needed.
const maxKept = 1 << 17

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
	p.link.targets = make([]dowse.Link, 0, 48)
	return p
}

// release gives the pass back, without what it read.
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

func (p *pass) cut(budget string) {
	if p.doc.Cut == "" {
		p.doc.Cut = budget
	}
}

// document ends the pass: what is open is closed, and places in the text become
// places in the words.
func (p *pass) document() *dowse.Document {
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
