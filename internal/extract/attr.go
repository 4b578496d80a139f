package extract

import (
	"bytes"

	"golang.org/x/net/html"
)

// attributes are the attributes of a tag that this package uses. They are
// slices of the page where possible, and valid until the next token. nil means
// that the attribute is missing; an empty one is not nil.
type attributes struct {
	href, src, rel, hreflang, typ                   []byte // links
	alt, lang, content, datetime                    []byte
	name, property, httpEquiv                       []byte // meta
	itemtype, itemprop, typeof                      []byte // microdata, RDFa
	encoding                                        []byte // of annotation-xml
	class, id, role, style, start, colspan, rowspan []byte // read only if styled is set
	hidden, pubdate, font                           bool

	styled bool // those attributes are read, too
	any    bool // at least one is set, so the struct must be cleared before the next tag
}

// maxAttributes is how many attributes of a tag are read; the rest is skipped.
const maxAttributes = 256

// nextAttribute cuts the first attribute off b, the bytes of a tag after its
// name. ok is false at the end of the tag; rest then begins with ">", or is
// empty if the tag does not end. It follows the tokenizer of the HTML standard:
// a slash separates attributes, and a value may lack quotes.
func nextAttribute(b []byte) (key, val, rest []byte, ok bool) {
	i := 0
	for i < len(b) && (isSpace(b[i]) || b[i] == '/') {
		i++
	}
	if i >= len(b) || b[i] == '>' {
		return nil, nil, b[min(i, len(b)):], false
	}
	start := i
	for i++; i < len(b) && !isSpace(b[i]) && b[i] != '=' && b[i] != '/' && b[i] != '>'; i++ {
	}
	key, b = b[start:i], skipSpace(b[i:])
	if len(b) == 0 || b[0] != '=' {
		return key, b[:0], b, true
	}
	val, rest = attributeValue(skipSpace(b[1:]))
	return key, val, rest, true
}

// attributeValue cuts the value off b, which begins after the "=" and white
// space. A quoted value without its closing quote extends to the end of b.
func attributeValue(b []byte) (val, rest []byte) {
	if len(b) == 0 {
		return b, b
	}
	if q := b[0]; q == '"' || q == '\'' {
		end := bytes.IndexByte(b[1:], q)
		if end < 0 {
			return b[1:], nil
		}
		return b[1 : 1+end], b[end+2:]
	}
	i := 0
	for i < len(b) && !isSpace(b[i]) && b[i] != '>' {
		i++
	}
	return b[:i], b[i:]
}

func skipSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}

// isSpace reports whether c is ASCII white space in the sense of the HTML
// standard.
func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

// set stores an attribute that is used. If a name repeats, the first one
// counts.
func (a *attributes) set(key, val []byte) {
	// Most attributes of a page (class, style, data-…) are none of these, and
	// cost a comparison of lengths or one switch.
	field, flag := a.place(key)
	switch {
	case flag != nil:
		*flag, a.any = true, true
	case field != nil && *field == nil:
		*field, a.any = attributeText(val), true
	}
}

// place returns where an attribute is stored: as bytes or, if only its presence
// counts, as a flag. Both are nil for attributes that are not used.
func (a *attributes) place(key []byte) (field *[]byte, flag *bool) {
	var lower [12]byte
	if len(key) > len(lower) {
		return nil, nil
	}
	for i, c := range key {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	switch string(lower[:len(key)]) {
	case "href", "xlink:href":
		return &a.href, nil
	case "src":
		return &a.src, nil
	case "rel":
		return &a.rel, nil
	case "hreflang":
		return &a.hreflang, nil
	case "type":
		return &a.typ, nil
	case "alt":
		return &a.alt, nil
	case "lang", "xml:lang":
		return &a.lang, nil
	case "content":
		return &a.content, nil
	case "datetime":
		return &a.datetime, nil
	case "name":
		return &a.name, nil
	case "property":
		return &a.property, nil
	case "http-equiv":
		return &a.httpEquiv, nil
	case "itemtype":
		return &a.itemtype, nil
	case "itemprop":
		return &a.itemprop, nil
	case "typeof":
		return &a.typeof, nil
	case "encoding":
		return &a.encoding, nil
	case "hidden":
		return nil, &a.hidden
	case "pubdate":
		return nil, &a.pubdate
	case "color", "face", "size":
		return nil, &a.font
	}
	if a.styled {
		return a.styleOf(string(lower[:len(key)])), nil
	}
	return nil, nil
}

// styleOf is place for the attributes that only [Options].Mark sees.
func (a *attributes) styleOf(key string) *[]byte {
	switch key {
	case "class":
		return &a.class
	case "id":
		return &a.id
	case "role":
		return &a.role
	case "style":
		return &a.style
	case "start":
		return &a.start
	case "colspan":
		return &a.colspan
	case "rowspan":
		return &a.rowspan
	}
	return nil
}

// maxStyle is how many bytes of a style attribute are read.
const maxStyle = 1024

// isHidden reports whether the element is not shown: by the attribute hidden or, if styles are read, by its style
// attribute. Style sheets are not read.
func (a *attributes) isHidden() bool {
	if a.hidden || len(a.style) == 0 {
		return a.hidden
	}
	for rule := range bytes.SplitSeq(a.style[:min(len(a.style), maxStyle)], []byte(";")) {
		name, value, _ := bytes.Cut(rule, []byte(":"))
		value, _, _ = bytes.Cut(value, []byte("!")) // important
		name, value = bytes.TrimSpace(name), bytes.TrimSpace(value)
		if eq(name, "display") && eq(value, "none") || eq(name, "visibility") && eq(value, "hidden") {
			return true
		}
	}
	return false
}

// attributeText returns the text of an attribute written as val: references
// replaced, line breaks normalised. Mostly it is the same, and then it is not
// copied.
func attributeText(val []byte) []byte {
	if !bytes.ContainsAny(val, "&\r\x00") {
		return val[:len(val):len(val)]
	}
	val = truncate(val, maxToken)
	val = bytes.ReplaceAll(val, []byte("\r\n"), []byte("\n"))
	val = bytes.ReplaceAll(val, []byte("\r"), []byte("\n"))
	val = bytes.ReplaceAll(val, []byte{0}, []byte("\uFFFD"))
	text := make([]byte, 0, len(val))
	for {
		before, rest, found := bytes.Cut(val, []byte("&"))
		if text = append(text, before...); !found {
			return text
		}
		n := 0
		text, n = appendReference(text, rest)
		val = rest[n:]
	}
}

// appendReference appends what a character reference in an attribute means,
// where b begins after its "&", and returns how many bytes of b belong to it.
// In an attribute, a name without its semicolon is not a reference if "=" or a
// letter or digit follows, so that the parameters of a query survive:
// "?a=1&copy=2".
func appendReference(dst, b []byte) ([]byte, int) {
	if bytes.HasPrefix(b, []byte("amp;")) {
		return append(dst, '&'), len("amp;")
	}
	n := 0
	for n < len(b) && (isLetter(b[n]) || '0' <= b[n] && b[n] <= '9' || n == 0 && b[n] == '#') {
		n++
	}
	ended := n < len(b) && b[n] == ';'
	if ended {
		n++
	}
	as := html.UnescapeString("&" + string(b[:n]))
	if n == 0 || b[0] == '#' || isWhole(as, ended) && (ended || n == len(b) || b[n] != '=') {
		return append(dst, as...), n
	}
	return append(append(dst, '&'), b[:n]...), n
}

// isWhole reports whether the whole name of a reference was replaced, as
// opposed to a beginning of it that is also a name.
func isWhole(text string, ended bool) bool {
	last := text[len(text)-1]
	if ended {
		return last != ';' || len(text) == 1
	}
	return !isLetter(last) && (last < '0' || last > '9')
}

// eq reports whether b equals word, which is in lower case, without regard to
// case and to white space around b.
func eq(b []byte, word string) bool {
	if len(b) != len(word) {
		if b = bytes.TrimSpace(b); len(b) != len(word) {
			return false
		}
	}
	for i := range len(word) {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// hasToken reports whether word is one of the tokens in b.
func hasToken(b []byte, word string) bool {
	for t := range tokens(b) {
		if eq(t, word) {
			return true
		}
	}
	return false
}

// tokens yields the words of b, which are separated by white space or commas.
func tokens(b []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		start := -1
		for i := 0; i <= len(b); i++ {
			if i < len(b) && !isSpace(b[i]) && b[i] != ',' {
				if start < 0 {
					start = i
				}
				continue
			}
			if start >= 0 && !yield(b[start:i]) {
				return
			}
			start = -1
		}
	}
}
