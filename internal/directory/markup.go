package directory

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxTag is the length that a tag may have, in bytes.
const maxTag = 1 << 14

// markup cuts the RDF of the Open Directory Project into tags and the text
// before each. An XML parser would refuse these dumps, so it expects little: no
// declarations, no nesting, no valid UTF-8. A tag in which another one begins
// is broken, counted and skipped, and reading continues with the other one.
type markup struct {
	in   *bufio.Reader
	dirt *Dirt
	text []byte // before the tag, unchanged, cut at maxText bytes
	tag  []byte // without < and >
}

func newMarkup(r io.Reader, dirt *Dirt) *markup {
	return &markup{in: bufio.NewReaderSize(r, 1<<16), dirt: dirt}
}

// next reads up to the end of the next tag. At the end of the file it returns
// io.EOF.
func (m *markup) next() error {
	m.text = m.text[:0]
	for {
		if err := m.until('<'); err != nil {
			return err
		}
		done, err := m.readTag()
		if done || err != nil {
			return err
		}
	}
}

// until appends everything before the mark to the text, and reads the mark.
func (m *markup) until(mark byte) error {
	for {
		part, err := m.in.ReadSlice(mark)
		keep := part
		if err == nil {
			keep = part[:len(part)-1]
		}
		m.text = append(m.text, keep[:min(len(keep), maxText-len(m.text))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// readTag reads a tag after its "<". done is false if what it read is not a
// tag.
func (m *markup) readTag() (done bool, err error) {
	m.tag = m.tag[:0]
	quote := byte(0)
	for {
		c, err := m.in.ReadByte()
		if err != nil {
			m.dirt.Broken++
			return false, err
		}
		switch {
		case c == '<': // another tag begins, so this one is broken
			m.dirt.Broken++
			m.tag, quote = m.tag[:0], 0
			continue
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\'') && bytes.IndexByte(m.tag, '=') >= 0:
			quote = c
		case quote == 0 && c == '>':
			return true, nil
		}
		if len(m.tag) == maxTag {
			m.dirt.Long++
			return false, nil
		}
		if m.tag = append(m.tag, c); c == '-' && string(m.tag) == "!--" {
			return false, m.comment()
		}
	}
}

// comment skips to the end of a comment.
func (m *markup) comment() error {
	dashes := 0
	for {
		c, err := m.in.ReadByte()
		switch {
		case err != nil:
			m.dirt.Broken++
			return err
		case c == '>' && dashes >= 2:
			return nil
		case c == '-':
			dashes++
		default:
			dashes = 0
		}
	}
}

// name returns the name of the tag, with a slash before it for an end tag.
func (m *markup) name() []byte {
	if i := bytes.IndexAny(m.tag, " \t\r\n"); i >= 0 {
		return m.tag[:i]
	}
	return bytes.TrimSuffix(m.tag, []byte("/"))
}

// empty reports whether the tag is both start and end tag.
func (m *markup) empty() bool { return bytes.HasSuffix(m.tag, []byte("/")) }

// attribute returns the value of an attribute, unchanged; ok is false if it is
// missing.
func (m *markup) attribute(name string) (value []byte, ok bool) {
	rest := m.tag[len(m.name()):]
	for {
		rest = bytes.TrimLeft(rest, " \t\r\n")
		key, after, ok := bytes.Cut(rest, []byte("="))
		after = bytes.TrimLeft(after, " \t\r\n")
		if !ok || len(after) == 0 || after[0] != '"' && after[0] != '\'' {
			return nil, false
		}
		end := bytes.IndexByte(after[1:], after[0])
		if end < 0 {
			return nil, false
		}
		if string(bytes.TrimSpace(key)) == name {
			return after[1 : end+1], true
		}
		rest = after[end+2:]
	}
}
