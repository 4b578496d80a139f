package requisite

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"dowse"
)

// InCSS returns the URLs that a style sheet names: further sheets, images and fonts, at most most
// of them.
func InCSS(sheet []byte, u dowse.URL, most int) []dowse.URL {
	f := &finder{base: string(u), most: most, seen: map[dowse.URL]bool{u: true}}
	f.css(string(sheet))
	return f.list
}

// css adds what a style sheet names: in url(), in @import and in image-set(), where an image is a text.
// Comments, other texts and the names of namespaces are passed over.
func (f *finder) css(s string) {
	r := &cssReader{f: f, s: s}
	for r.i < len(s) && len(f.list) < f.most {
		r.token()
	}
}

// Bounds on what a style sheet may cost.
const (
	maxCSSValue = 1 << 13 // bytes of a URL
	maxCSSDepth = 64      // functions in each other
)

// A cssReader reads the tokens of a style sheet, as far as URLs depend on them.
type cssReader struct {
	f     *finder
	s     string
	i     int      // what is next
	rule  string   // the rule of which the head is being read, as "@import"; "" for none
	calls []string // the functions around this place, in lower case
}

// token reads a token.
func (r *cssReader) token() {
	switch c := r.s[r.i]; {
	case strings.HasPrefix(r.s[r.i:], "/*"):
		r.comment()
	case c == '"' || c == '\'':
		r.found(r.text())
	case c == '@' || isNameByte(c) || c == '\\':
		r.name()
	default:
		r.mark(c)
		r.i++
	}
}

// comment passes over a comment; one without an end is the rest of the sheet.
func (r *cssReader) comment() {
	end := strings.Index(r.s[r.i+2:], "*/")
	if end < 0 {
		r.i = len(r.s)
		return
	}
	r.i += end + 4
}

// mark notes what a character ends.
func (r *cssReader) mark(c byte) {
	switch {
	case c == '(' && len(r.calls) < maxCSSDepth:
		r.calls = append(r.calls, "")
	case c == ')' && len(r.calls) > 0:
		r.calls = r.calls[:len(r.calls)-1]
	case c == ';' || c == '{' || c == '}':
		r.rule, r.calls = "", r.calls[:0]
	}
}

// found adds a text if it is a URL where it is written.
func (r *cssReader) found(value string, ok bool) {
	if !ok {
		return
	}
	switch {
	case r.rule == "@import" && len(r.calls) == 0:
		r.f.add(value)
		r.rule = "" // what follows are conditions
	case len(r.calls) > 0 && strings.HasSuffix(r.calls[len(r.calls)-1], "image-set"):
		r.f.add(value)
	}
}

// name reads a name: of a rule, of a function, or any other.
func (r *cssReader) name() {
	start := r.i
	var b strings.Builder
	if r.s[r.i] == '@' {
		b.WriteByte('@')
		r.i++
	}
	for r.i < len(r.s) && b.Len() < maxCSSValue {
		if c := r.s[r.i]; isNameByte(c) {
			b.WriteByte(c)
			r.i++
		} else if c == '\\' && r.i+1 < len(r.s) && r.s[r.i+1] != '\n' {
			b.WriteString(r.escape())
		} else {
			break
		}
	}
	if r.i == start { // a backslash that begins nothing
		r.i++
		return
	}
	name := strings.ToLower(b.String())
	switch {
	case name[0] == '@':
		r.rule = name
	case r.i == len(r.s) || r.s[r.i] != '(':
	case name == "url":
		r.i++
		r.url()
	case len(r.calls) < maxCSSDepth:
		r.i++
		r.calls = append(r.calls, name)
	}
}

// url reads what follows "url(".
func (r *cssReader) url() {
	r.space()
	var value string
	ok := true
	if r.i < len(r.s) && (r.s[r.i] == '"' || r.s[r.i] == '\'') {
		value, ok = r.text()
		r.space()
	} else {
		value = r.until(" \t\r\n\f)")
		r.space()
	}
	if r.i == len(r.s) || !ok {
		return
	}
	if r.s[r.i] != ')' { // not a URL after all: the rest of it means nothing
		r.until(")")
		return
	}
	r.i++
	if r.rule != "@namespace" {
		r.f.add(value)
	}
	if r.rule == "@import" {
		r.rule = ""
	}
}

// text reads a text in quotes. It reports false for one that a line break or the end of the sheet breaks off.
func (r *cssReader) text() (value string, ok bool) {
	quote := r.s[r.i]
	r.i++
	value = r.until(string(quote) + "\n")
	if r.i == len(r.s) {
		return value, false
	}
	r.i++
	return value, r.s[r.i-1] == quote
}

// until reads up to one of the bytes of end, with escapes undone, and returns what precedes it. Of a
// value that is too long the rest is dropped.
func (r *cssReader) until(end string) string {
	var b strings.Builder
	for r.i < len(r.s) && strings.IndexByte(end, r.s[r.i]) < 0 {
		piece := r.s[r.i : r.i+1]
		if r.s[r.i] == '\\' {
			piece = r.escape()
		} else {
			r.i++
		}
		if b.Len() < maxCSSValue {
			b.WriteString(piece)
		}
	}
	return b.String()
}

// escape reads a backslash with what it stands for: up to six hexadecimal digits and one space are a
// character, a line break is nothing, and anything else is itself.
func (r *cssReader) escape() string {
	r.i++
	if r.i == len(r.s) {
		return ""
	}
	n := 0
	for n < 6 && r.i+n < len(r.s) && isHexByte(r.s[r.i+n]) {
		n++
	}
	if n == 0 {
		_, size := utf8.DecodeRuneInString(r.s[r.i:])
		r.i += size
		return strings.TrimSuffix(r.s[r.i-size:r.i], "\n")
	}
	code, _ := strconv.ParseUint(r.s[r.i:r.i+n], 16, 32)
	r.i += n
	if r.i < len(r.s) && strings.IndexByte(" \t\r\n\f", r.s[r.i]) >= 0 {
		r.i++
	}
	return string(rune(code)) // U+FFFD for what is no character
}

// space passes over white space.
func (r *cssReader) space() {
	for r.i < len(r.s) && strings.IndexByte(" \t\r\n\f", r.s[r.i]) >= 0 {
		r.i++
	}
}

func isNameByte(c byte) bool {
	return c == '-' || c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isHexByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
