package extract

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// token is the kind of a token of a page.
type token uint8

// The kinds of tokens.
const (
	pageEnd token = iota
	textToken
	startTag
	endTag
	unread // a comment, a declaration, an instruction
)

// A source cuts a page into tokens, by the rules of the HTML standard's
// tokenizer. It only searches for the ends of tokens, mostly for the next "<",
// and copies nothing, which is most of what makes reading a page fast.
type source struct {
	body      []byte
	start, at int // the current token is body[start:at]

	next  tag  // the element whose raw text comes next, 0 for none
	raw   tag  // the element whose raw text the current token is, 0 for none
	cdata bool // the current token is a CDATA section

	name   [maxName]byte // of the current tag, in lower case
	length int           // of the name
	packed uint64        // the first eight bytes of the name, the first one lowest
	closed bool          // the current tag is written as <x/>
}

const (
	maxName  = 64      // bytes of a tag's name; the rest is ignored
	maxToken = 1 << 20 // bytes; longer texts come in parts, longer raw text is cut
)

// read reads the next token and stores the attributes of a start tag in attr.
// foreign reports whether CDATA sections are text.
func (s *source) read(attr *attributes, foreign bool) token {
	// After the start tag of a script, style, title and so on, everything up to
	// the matching end tag is one token of text.
	s.start, s.cdata = s.at, false
	s.raw, s.next = s.next, 0
	if s.raw != 0 {
		if s.at = s.rawEnd(); s.at > s.start {
			return textToken
		}
		s.raw = 0
	}
	if s.at = s.textEnd(); s.at > s.start {
		return textToken
	}
	if s.at == len(s.body) {
		return pageEnd
	}
	switch s.body[s.at+1] {
	case '/':
		return s.readEnd()
	case '!':
		return s.readDeclaration(foreign)
	case '?':
		s.at = s.after(">", s.at+2)
		return unread
	}
	if attr.any {
		*attr = attributes{styled: attr.styled}
	}
	return s.readTag(startTag, s.at+1, attr)
}

// textEnd returns where the text that begins here ends: at the next "<" that
// begins markup, or after maxToken bytes.
func (s *source) textEnd() int {
	for i := s.at; ; i++ {
		j := bytes.IndexByte(s.body[i:], '<')
		if j < 0 || i+j+1 == len(s.body) {
			i = len(s.body)
		} else {
			i += j
		}
		if i-s.at > maxToken {
			return s.at + len(truncate(s.body[s.at:i], maxToken))
		}
		if i == len(s.body) || beginsMarkup[s.body[i+1]] {
			return i
		}
	}
}

// beginsMarkup reports for each byte whether a "<" before it begins markup. A "<"
// before anything else is text.
var beginsMarkup = func() (t [256]bool) {
	for c := range t {
		t[c] = isLetter(byte(c)) || c == '/' || c == '!' || c == '?'
	}
	return t
}()

// readEnd reads what begins with "</". Without a letter after it, it is a
// comment.
func (s *source) readEnd() token {
	i := s.at + 2
	switch {
	// "</" at the very end of a page is text.
	case i == len(s.body):
		s.at = i
		return textToken
	case isLetter(s.body[i]):
		return s.readTag(endTag, i, nil)
	}
	s.at = s.after(">", i)
	return unread
}

// readTag reads a tag whose name begins at i. A tag that does not end is the
// end of the page.
func (s *source) readTag(kind token, i int, attr *attributes) token {
	rest := s.readName(s.body[i:])
	unquoted := false // the last attribute's value may end in "/"
	for n := 0; len(rest) > 0 && rest[0] != '>'; n++ {
		key, val, tail, ok := nextAttribute(rest)
		if rest = tail; !ok {
			unquoted = false
			break
		}
		unquoted = len(val) > 0
		if attr != nil && n < maxAttributes {
			attr.set(key, val)
		}
	}
	if len(rest) == 0 {
		s.at = len(s.body)
		return pageEnd
	}
	s.at = len(s.body) - len(rest) + 1
	s.closed = !unquoted && s.body[s.at-2] == '/'
	return kind
}

// readName stores the name with which b begins and returns what follows.
func (s *source) readName(b []byte) (rest []byte) {
	n, packed := 0, uint64(0)
	for i, c := range b {
		if endsName[c] {
			s.length, s.packed = n, packed
			return b[i:]
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if n < maxName {
			s.name[n] = c
			if n < 8 {
				packed |= uint64(c|zeroMark[c]) << (8 * n)
			}
			n++
		}
	}
	s.length, s.packed = n, packed
	return nil
}

// endsName reports for each byte whether it ends the name of a tag.
var endsName = [256]bool{' ': true, '\n': true, '\r': true, '\t': true, '\f': true, '/': true, '>': true}

// zeroMark has a byte for NUL that no name of an element has, so that a name with a NUL at its end is another one.
var zeroMark = [256]byte{0: 0xff}

// tag returns the name of the current tag, and the kind of the HTML element of that name. Nearly all names are found by
// their letters as one number.
func (s *source) tag() (tag, kind) {
	if s.length <= 8 {
		for i := shortSlot(s.packed); shortNames[i].name != 0; i = (i + 1) % len(shortNames) {
			if n := &shortNames[i]; n.name == s.packed {
				return n.tag, n.kind
			}
		}
	}
	t := tagOf(s.name[:s.length])
	return t, t.kind()
}

// readDeclaration reads what begins with "<!": a comment, a CDATA section in
// foreign content, or a declaration.
func (s *source) readDeclaration(foreign bool) token {
	rest := s.body[s.at+2:]
	switch {
	case bytes.HasPrefix(rest, []byte("--")):
		s.at = s.commentEnd(s.at + len("<!--"))
		return unread
	case foreign && bytes.HasPrefix(rest, []byte("[CDATA[")):
		s.at = s.after("]]>", s.at+len("<![CDATA["))
		s.cdata = true
		return textToken
	}
	s.at = s.after(">", s.at+2)
	return unread
}

// commentEnd returns where a comment whose content begins at from ends: after
// "-->", "--!>", or a ">" with at most one dash before it at the very
// beginning.
func (s *source) commentEnd(from int) int {
	for i := from; ; i++ {
		j := bytes.IndexByte(s.body[i:], '>')
		if j < 0 {
			return len(s.body)
		}
		i += j
		content := s.body[from:i]
		if len(content) == 0 || len(content) == 1 && content[0] == '-' ||
			bytes.HasSuffix(content, []byte("--")) || bytes.HasSuffix(content, []byte("--!")) {
			return i + 1
		}
	}
}

// after returns the index behind the first end at or after from, the end of the
// page if there is none.
func (s *source) after(end string, from int) int {
	i := bytes.Index(s.body[from:], []byte(end))
	if i < 0 {
		return len(s.body)
	}
	return from + i + len(end)
}

// rawEnd returns where raw text ends: at the end tag of its element.
func (s *source) rawEnd() int {
	switch atom.Atom(s.raw) {
	case atom.Plaintext:
		return len(s.body)
	case atom.Script:
		return s.scriptEnd()
	}
	name := s.raw.String()
	for i := s.at; ; i++ {
		if i = s.lessThan(i); i == len(s.body) || s.closes(i, name) {
			return i
		}
	}
}

// lessThan returns the index of the first "<" at or after from, the end of the
// page if there is none.
func (s *source) lessThan(from int) int {
	i := bytes.IndexByte(s.body[from:], '<')
	if i < 0 {
		return len(s.body)
	}
	return from + i
}

// closes reports whether an end tag of that name begins at i.
func (s *source) closes(i int, name string) bool {
	return i+1 < len(s.body) && s.body[i+1] == '/' && isName(s.body[i+2:], name)
}

// opens reports whether a start tag of that name begins at i.
func (s *source) opens(i int, name string) bool { return isName(s.body[i+1:], name) }

// isName reports whether b begins with the whole name of a tag.
func isName(b []byte, name string) bool {
	if len(b) <= len(name) || !eq(b[:len(name)], name) {
		return false
	}
	c := b[len(name)]
	return isSpace(c) || c == '/' || c == '>'
}

// scriptEnd returns where a script ends. Inside "<!--" a script may contain
// another script with its end tag (the "script data escaped" states of the
// standard).
func (s *source) scriptEnd() int {
	const script = "script"
	comment, inner := -1, false // end of the enclosing comment, or -1; whether a script in it is open
	for i := s.at; ; i++ {
		if i = s.lessThan(i); comment >= 0 && i >= comment {
			i, comment, inner = comment, -1, false
			i = s.lessThan(i)
		}
		switch {
		case i == len(s.body):
			return i
		case s.closes(i, script):
			if !inner {
				return i
			}
			inner = false
		case comment >= 0 && s.opens(i, script):
			inner = true
		case comment < 0 && bytes.HasPrefix(s.body[i:], []byte("<!--")):
			comment = s.after("-->", i+len("<!"))
		}
	}
}

// text returns the text of a text token. Line breaks are not normalised.
func (s *source) text() []byte {
	b := s.body[s.start:s.at]
	switch {
	case s.cdata:
		return bytes.TrimSuffix(b[len("<![CDATA["):], []byte("]]>"))
	case s.raw == 0:
		return unescaped(b)
	}
	b = truncate(b, maxToken)
	if bytes.IndexByte(b, 0) >= 0 {
		b = bytes.ReplaceAll(b, []byte{0}, []byte("\uFFFD"))
	}
	if a := atom.Atom(s.raw); a == atom.Title || a == atom.Textarea {
		b = unescaped(b)
	}
	return b
}

// unescaped returns b with its character references replaced.
func unescaped(b []byte) []byte {
	if bytes.IndexByte(b, '&') < 0 {
		return b
	}
	return []byte(html.UnescapeString(string(b)))
}
