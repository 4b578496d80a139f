package extract

import (
	"golang.org/x/net/html/atom"
)

// A tag is the name of an element: its atom, or for a name without one a hash
// with the highest bit set. Tags are compared instead of names. Two unknown
// names with the same hash would be taken for the same element, which does no
// harm: unknown elements have no rules.
type tag uint32

// tagOf returns the tag of a name in lower case. The hash is FNV-1a.
func tagOf(name []byte) tag {
	if a := atom.Lookup(name); a != 0 {
		return tag(a)
	}
	h := uint32(2166136261)
	for _, c := range name {
		h = (h ^ uint32(c)) * 16777619
	}
	return tag(h | 1<<31)
}

// String returns the name if it is an atom.
func (t tag) String() string {
	if t>>31 != 0 {
		return ""
	}
	return atom.Atom(t).String()
}

// kind is the set of properties that an element has in the rules of parsing and
// rendering.
type kind uint32

// The properties of elements.
const (
	block     kind = 1 << iota // on lines of its own
	apart                      // separated from the words around it by a space
	void                       // without content and end tag
	special                    // not closed by end tags of other elements
	implied                    // closed without an end tag
	format                     // formatting: a, b, font
	rawText                    // content is text, whatever it looks like
	heading                    // h1 to h6
	closesP                    // closes a paragraph, and is closed when in scope
	marker                     // open formatting and links are set aside in it
	inHead                     // allowed in the head
	tablePart                  // ignored outside of a table
	breakout                   // ends foreign content
	unseen                     // text is not shown

	// The elements at which the search for an open element stops.
	scope       // for most elements
	listScope   // for li
	buttonScope // for p
	tableScope  // for parts of a table

	integration // HTML is allowed in this foreign element
	mathText    // HTML is allowed in this element of MathML
)

// kinds is a sparse hash table with open addressing, because it is consulted
// for every tag. 512 slots for 150 elements keep the searches short.
var kinds = func() (t [512]struct {
	tag  tag
	kind kind
}) {
	add := func(k kind, names ...atom.Atom) {
		for _, a := range names {
			i := slot(tag(a))
			for t[i].tag != 0 && t[i].tag != tag(a) {
				i = (i + 1) % uint32(len(t))
			}
			t[i].tag = tag(a)
			t[i].kind |= k
		}
	}
	add(block|closesP|special, atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Details,
		atom.Dir, atom.Div, atom.Dl, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Hgroup,
		atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.Pre, atom.Listing, atom.Search, atom.Section, atom.Summary, atom.Ul)
	add(block|closesP, atom.Dialog)
	add(block|special, atom.P, atom.Li, atom.Dd, atom.Dt, atom.Form, atom.Table, atom.Caption, atom.Tbody, atom.Thead,
		atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Xmp, atom.Plaintext, atom.Html, atom.Body, atom.Frameset)
	add(block|heading|special, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6)
	add(block, atom.Legend, atom.Optgroup, atom.Option)
	add(apart, atom.Button, atom.Select, atom.Textarea, atom.Img, atom.Image, atom.Input, atom.Object, atom.Applet,
		atom.Marquee, atom.Iframe, atom.Embed, atom.Video, atom.Audio, atom.Canvas, atom.Rt, atom.Rp, atom.Rtc, atom.Rb,
		atom.Keygen, atom.Meter, atom.Progress)
	add(special, atom.Applet, atom.Area, atom.Base, atom.Basefont, atom.Bgsound, atom.Br, atom.Button, atom.Col, atom.Colgroup,
		atom.Embed, atom.Frame, atom.Head, atom.Hr, atom.Iframe, atom.Img, atom.Input, atom.Keygen, atom.Link,
		atom.Marquee, atom.Meta, atom.Noembed, atom.Noframes, atom.Noscript, atom.Object, atom.Param, atom.Script,
		atom.Select, atom.Source, atom.Style, atom.Template, atom.Textarea, atom.Title, atom.Track, atom.Wbr)
	add(void, atom.Area, atom.Base, atom.Basefont, atom.Bgsound, atom.Br, atom.Col, atom.Embed, atom.Frame, atom.Hr,
		atom.Image, atom.Img, atom.Input, atom.Keygen, atom.Link, atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr)
	add(block, atom.Br, atom.Hr)
	add(implied, atom.Dd, atom.Dt, atom.Li, atom.Optgroup, atom.Option, atom.P, atom.Rb, atom.Rp, atom.Rt, atom.Rtc)
	add(format, atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small,
		atom.Strike, atom.Strong, atom.Tt, atom.U)
	add(rawText, atom.Iframe, atom.Noembed, atom.Noframes, atom.Plaintext, atom.Script, atom.Style, atom.Textarea,
		atom.Title, atom.Xmp)
	add(marker, atom.Applet, atom.Caption, atom.Marquee, atom.Object, atom.Td, atom.Th, atom.Template)
	add(inHead, atom.Base, atom.Basefont, atom.Bgsound, atom.Head, atom.Html, atom.Link, atom.Meta, atom.Noframes,
		atom.Noscript, atom.Script, atom.Style, atom.Template, atom.Title)
	add(tablePart, atom.Caption, atom.Col, atom.Colgroup, atom.Frame, atom.Head, atom.Tbody, atom.Td, atom.Tfoot, atom.Th,
		atom.Thead, atom.Tr)
	add(breakout, atom.B, atom.Big, atom.Blockquote, atom.Body, atom.Br, atom.Center, atom.Code, atom.Dd, atom.Div, atom.Dl,
		atom.Dt, atom.Em, atom.Embed, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Hr, atom.I,
		atom.Img, atom.Li, atom.Listing, atom.Menu, atom.Meta, atom.Nobr, atom.Ol, atom.P, atom.Pre, atom.Ruby, atom.S,
		atom.Small, atom.Span, atom.Strong, atom.Strike, atom.Sub, atom.Sup, atom.Table, atom.Tt, atom.U, atom.Ul, atom.Var)
	add(unseen, atom.Script, atom.Style, atom.Title, atom.Iframe, atom.Noembed, atom.Noframes)
	all := scope | listScope | buttonScope
	add(all, atom.Applet, atom.Caption, atom.Td, atom.Th, atom.Marquee, atom.Object, atom.Select)
	add(all|tableScope, atom.Table, atom.Template, atom.Html)
	add(listScope, atom.Ol, atom.Ul)
	add(buttonScope, atom.Button)
	return t
}()

// slot returns the index in kinds at which the search for a tag begins: the 9
// highest bits of a multiplicative hash.
func slot(t tag) uint32 { return uint32(t) * 0x9E3779B1 >> 23 }

// kind returns the kind of an HTML element, 0 for an unknown one.
func (t tag) kind() kind {
	for i := slot(t); ; i = (i + 1) % uint32(len(kinds)) {
		switch kinds[i].tag {
		case t:
			return kinds[i].kind
		case 0:
			return 0
		}
	}
}

// shortNames are the elements that have a kind and a name of at most eight letters, by their letters as one number. It
// is a sparse hash table like kinds.
var shortNames = func() (t [512]struct {
	name uint64
	tag  tag
	kind kind
}) {
	for _, k := range kinds {
		name := k.tag.String()
		if k.tag == 0 || name == "" || len(name) > 8 {
			continue
		}
		packed := uint64(0)
		for n := range len(name) {
			packed |= uint64(name[n]) << (8 * n)
		}
		i := shortSlot(packed)
		for t[i].name != 0 {
			i = (i + 1) % len(t)
		}
		t[i].name, t[i].tag, t[i].kind = packed, k.tag, k.kind
	}
	return t
}()

// shortSlot returns the index in shortNames at which the search for a name begins.
func shortSlot(name uint64) int { return int(name * 0x9E3779B97F4A7C15 >> 55) }

// A space is the namespace of an element.
type space uint8

const (
	inHTML space = iota
	inSVG
	inMath
)

var svgText = tagOf([]byte("text"))

// foreignKind returns the kind of an element of SVG or MathML.
//
// Only the elements that matter to text and scope have a kind: text elements, and
// those in which HTML is allowed.
func foreignKind(t tag, s space) kind {
	const all = scope | listScope | buttonScope | special
	a := atom.Atom(t)
	switch {
	case s == inSVG && (a == atom.Svg || t == svgText):
		return apart
	case s == inSVG && (a == atom.Foreignobject || a == atom.Desc || a == atom.Title):
		return all | integration | apart
	case s == inMath && (a == atom.Mi || a == atom.Mo || a == atom.Mn || a == atom.Ms || a == atom.Mtext):
		return all | mathText
	case s == inMath && a == atom.AnnotationXml:
		return all
	}
	return 0
}
