package directory

import (
	"bytes"
	"errors"
	"io"
)

// scanLabels reads a URL and a topic to a line. A first line that names the columns
// tells their order; without it the URL comes first.
func scanLabels(r io.Reader, s *sieve) error {
	in := newLines(r)
	columns := labelColumns{0, 1}
	first := true
	for {
		line, err := in.next(&s.dirt)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line = bytes.TrimPrefix(line, byteOrderMark)
		if len(bytes.TrimSpace(line)) == 0 || line[0] == '#' {
			continue
		}
		if head, ok := labelHead(line); first && ok {
			columns, first = head, false
			continue
		}
		first = false
		entry, ok := columns.cut(line)
		if !ok {
			s.dirt.Broken++
			continue
		}
		if !s.take(entry) {
			return nil
		}
	}
}

// labelColumns are the numbers of the columns.
type labelColumns struct{ url, topic int }

// labelHead reads the line that names the columns.
func labelHead(line []byte) (c labelColumns, ok bool) {
	c = labelColumns{-1, -1}
	for i, name := range bytes.Split(line, []byte("\t")) {
		switch string(bytes.ToLower(bytes.TrimSpace(name))) {
		case "url":
			c.url = i
		case "topic", "path", "category", "label":
			c.topic = i
		}
	}
	return c, c.url >= 0 && c.topic >= 0
}

// cut takes the entry out of a line.
func (c labelColumns) cut(line []byte) (*raw, bool) {
	fields := bytes.Split(line, []byte("\t"))
	if len(fields) <= max(c.url, c.topic) {
		return nil, false
	}
	return &raw{url: bytes.TrimSpace(fields[c.url]), path: fields[c.topic]}, true
}
