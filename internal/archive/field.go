package archive

import (
	"strings"

	"dowse/internal/plain"
)

// A Field is a named value of a record's header, or of a block of the type
// application/warc-fields.
type Field struct{ Name, Value string }

// Fields are in the order of the record. Names may repeat.
type Fields []Field

// Value returns the first value of that name, "" for none. Names are compared
// without case.
func (f Fields) Value(name string) string {
	for i := range f {
		if strings.EqualFold(f[i].Name, name) {
			return f[i].Value
		}
	}
	return ""
}

// maxValue bounds a value that is written, in bytes, so that text from outside
// cannot make a header that readers refuse.
const maxValue = 16 << 10

// appendField appends one line that is a field of exactly that name, whatever
// bytes the value contains: line breaks and other control bytes become spaces.
func appendField(dst []byte, name, value string) []byte {
	dst = appendName(dst, name)
	dst = append(dst, ": "...)
	dst = appendText(dst, value, maxValue)
	return append(dst, "\r\n"...)
}

// appendName appends a name; bytes that a name may not contain become hyphens.
func appendName(dst []byte, name string) []byte {
	if name == "" {
		return append(dst, "field"...)
	}
	for i := 0; i < len(name); i++ {
		if isToken(name[i]) {
			dst = append(dst, name[i])
		} else {
			dst = append(dst, '-')
		}
	}
	return dst
}

// appendText appends at most limit bytes of value as valid UTF-8 without
// control bytes.
func appendText(dst []byte, value string, limit int) []byte {
	value = strings.ToValidUTF8(plain.Cut(strings.TrimSpace(value), limit), "\ufffd")
	start := len(dst)
	dst = append(dst, value...)
	blankControls(dst[start:])
	return dst
}

// blankControls replaces control bytes, among them line breaks, by spaces.
func blankControls(b []byte) {
	for i, c := range b {
		if c < ' ' || c == 0x7f {
			b[i] = ' '
		}
	}
}

// appendURL appends a URL as ASCII without spaces, control bytes and angle
// brackets. Canonical URLs are already like that; URLs of other sources may not
// be, and would break a header.
func appendURL(dst []byte, u string) []byte {
	const hex = "0123456789ABCDEF"
	for i := 0; i < len(u); i++ {
		c := u[i]
		if c > ' ' && c < 0x7f && c != '<' && c != '>' {
			dst = append(dst, c)
			continue
		}
		dst = append(dst, '%', hex[c>>4], hex[c&15])
	}
	return dst
}

// isToken reports whether c may be part of a field's name (RFC 9110 5.6.2).
func isToken(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}
