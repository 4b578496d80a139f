package archive

import (
	"strings"

	"dowse/internal/plain"
)

// A Field is a named value: of a record's header, or of a block of the type
// application/warc-fields.
type Field struct{ Name, Value string }

// Fields are in the order of the record; names may repeat.
type Fields []Field

// Value returns the first value of that name, "" for none. Names are compared
// without regard to case.
func (f Fields) Value(name string) string {
	for i := range f {
		if strings.EqualFold(f[i].Name, name) {
			return f[i].Value
		}
	}
	return ""
}

// maxValue bounds a value that is written, so that no foreign text makes a
// header which readers refuse.
const maxValue = 16 << 10

// appendField writes one line that is a field of exactly that name, whatever
// bytes the value holds: line breaks and other control bytes become spaces.
func appendField(dst []byte, name, value string) []byte {
	dst = appendName(dst, name)
	dst = append(dst, ": "...)
	dst = appendText(dst, value, maxValue)
	return append(dst, "\r\n"...)
}

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

func appendText(dst []byte, value string, limit int) []byte {
	value = strings.ToValidUTF8(plain.Cut(strings.TrimSpace(value), limit), "\ufffd")
	start := len(dst)
	dst = append(dst, value...)
	blankControls(dst[start:])
	return dst
}

func blankControls(b []byte) {
	for i, c := range b {
		if c < ' ' || c == 0x7f {
			b[i] = ' '
		}
	}
}

// appendURL writes a URL as ASCII without a space, a control byte or a bracket:
// what canonical form already promises, and what a header has to hold.
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

// isToken reports whether c may stand in a field's name (RFC 9110, 5.6.2).
func isToken(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}
