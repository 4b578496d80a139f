package directory

import (
	"bytes"
	"errors"
	"io"
)

// scanLabels reads one URL and topic per line. A first line that names the
// columns gives their order; without it the URL comes first. Lines that begin
// with # are comments.
//
// Further columns are ignored.
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

// labelColumns are the indexes of the columns.
type labelColumns struct{ url, topic int }

// labelHead parses the line that names the columns; ok is false if it is not
// one.
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

// cut returns the entry in a line; ok is false if it has too few columns.
func (c labelColumns) cut(line []byte) (r *raw, ok bool) {
	fields := bytes.Split(line, []byte("\t"))
	if len(fields) <= max(c.url, c.topic) {
		return nil, false
	}
	return &raw{url: bytes.TrimSpace(fields[c.url]), path: fields[c.topic]}, true
}
