package collection

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"dowse/internal/durable"
	"dowse/internal/facts"
)

// csvFields are the default columns of a .csv.
var csvFields = []string{
	"url", "title", "host", "relevance", "verdict", "lang", "fetched", "status", "size", "depth", "parent",
	"anchor", "priority", "because", "near", "warc", "offset",
}

// ExportFields returns the names of the facts that lists of pages can hold.
func ExportFields() []string { return facts.Names(true) }

// fieldsOf returns the fields of a list: those asked for, or nil for all that a
// page has. Formats without fields give nil. An unknown field is an error that
// lists the known ones.
func fieldsOf(format string, opt ExportOptions) ([]string, error) {
	if format != "jsonl" && format != "csv" && format != "parquet" {
		return nil, nil
	}
	known := ExportFields()
	for i, f := range opt.Fields {
		if !slices.Contains(known, f) {
			return nil, wrong("no field is called %q; there are %s", f, strings.Join(known, " "))
		}
		if slices.Contains(opt.Fields[:i], f) {
			return nil, wrong("fields: %s is named twice; name it once", f)
		}
	}
	fields := slices.Clone(opt.Fields)
	withText := opt.Text == textMain || opt.Text == textAll
	if len(fields) == 0 && format == "csv" {
		fields = slices.Clone(csvFields)
		if withText {
			fields = append(fields, "licence", "robots_flags")
			fields = append(fields, textFacts...)
		}
	}
	if withText && len(fields) > 0 && !slices.Contains(fields, "text") {
		fields = append(fields, "text")
	}
	return fields, nil
}

// A listSink writes a list of pages.
type listSink interface {
	// prepare makes of a page what add writes. It may be called from several goroutines.
	prepare(c *exportedPage) error
	// add writes a page and returns how many bytes of data it is, before compression.
	add(c *exportedPage) (int, error)
	// close ends the list. It does not close the writer.
	close() error
}

// writeList writes a list of pages, as one file or as several, with its data card.
func (x *exporter) writeList(format exportFormat, pack string) error {
	if x.out == "-" {
		if x.opt.Shard > 0 {
			return wrong("shard: several files can't be written to standard output")
		}
		return toStdout(x.opt.Stdout, func(w io.Writer) error { return x.writeOne(w, format, pack) })
	}
	if x.opt.Shard > 0 {
		return x.writeShards(format, pack)
	}
	if err := cmp.Or(x.outFree(), x.cardsFree(x.out)); err != nil {
		return err
	}
	if err := toFile(x.out, x.opt.Force, func(w io.Writer) error { return x.writeOne(w, format, pack) }); err != nil {
		return err
	}
	if !isRegular(x.out) {
		return nil // a pipe or a device has no place next to it
	}
	err := x.writeCards(x.out+cardMarkdown, x.out+cardJSON, []string{filepath.Base(x.out)})
	if err != nil {
		// A list without its card is not complete, and would be in the way of the next attempt.
		dir, name := durable.Split(x.out)
		for _, suffix := range []string{"", cardMarkdown, cardJSON} {
			_ = dir.RemoveAll(name + suffix) // the error that matters is that of the card
		}
	}
	return err
}

// isRegular reports whether a path is that of a file.
func isRegular(path string) bool {
	dir, name := durable.Split(path)
	info, err := dir.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

// writeOne writes the whole list to w.
func (x *exporter) writeOne(w io.Writer, format exportFormat, pack string) error {
	return packed(w, pack, func(w io.Writer) error {
		sink, err := format.list(x, w)
		if err != nil {
			return err
		}
		err = x.selected(sink.prepare, func(c *exportedPage) error {
			_, err := sink.add(c)
			return err
		})
		if err != nil {
			return err
		}
		return sink.close()
	})
}

// jsonlSink writes one JSON object per page and line.
type jsonlSink struct {
	x *exporter
	w io.Writer
}

func newJSONLSink(x *exporter, w io.Writer) (listSink, error) { return &jsonlSink{x, w}, nil }

func (s *jsonlSink) prepare(c *exportedPage) error {
	line, err := s.x.line(c.row)
	c.prepared = append(line, '\n')
	return err
}

func (s *jsonlSink) add(c *exportedPage) (int, error) { return s.w.Write(c.prepared.([]byte)) }

func (s *jsonlSink) close() error { return nil }

// textFacts are the facts that go with the text of a page.
var textFacts = []string{"use_flags", "lang_score", "token_count", "text"}

// line returns the JSON object of a page with the selected fields.
func (x *exporter) line(row *Row) ([]byte, error) {
	if x.fields != nil {
		return row.Select(x.fields)
	}
	if x.opt.Text != none {
		return row.With(textFacts...)
	}
	return row.MarshalJSON()
}

// csvSink writes a header and one row per page.
type csvSink struct {
	x   *exporter
	out *csv.Writer
}

func newCSVSink(x *exporter, w io.Writer) (listSink, error) {
	s := &csvSink{x, csv.NewWriter(w)}
	return s, s.out.Write(x.fields)
}

func (s *csvSink) prepare(c *exportedPage) error {
	cells, err := s.x.cells(c.row)
	c.prepared = cells
	return err
}

func (s *csvSink) add(c *exportedPage) (n int, err error) {
	cells := c.prepared.([]string)
	for _, cell := range cells {
		n += len(cell) + 1
	}
	return n, s.out.Write(cells)
}

func (s *csvSink) close() error {
	s.out.Flush()
	return s.out.Error()
}

// cells returns a page as a row of a table. Reasons and lists become one line of
// text each.
func (x *exporter) cells(row *Row) ([]string, error) {
	cells := make([]string, len(x.fields))
	for i, name := range x.fields {
		switch v := facts.Named(name).Value(row).(type) {
		case []Cause:
			cells[i] = harmless(ReasonLine(row.Page.Verdict.Because, 10))
		case []string:
			cells[i] = harmless(strings.Join(v, " "))
		default:
			raw, err := facts.Named(name).JSON(row)
			if err != nil {
				return nil, err
			}
			cells[i] = cell(raw)
		}
	}
	return cells, nil
}

// cell returns a JSON value as the text of a spreadsheet cell; null is empty.
func cell(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return harmless(s)
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// harmless returns a text that spreadsheets do not evaluate as a formula: one that
// begins with =, +, -, @, their full-width forms, a tab, a carriage return or a line
// feed is preceded by an apostrophe. Titles and anchors come from the web. So that
// readers can undo it, the same is done with a text of apostrophes before such a
// character: they remove one apostrophe from each cell that begins with one or more of
// them and then such a character.
func harmless(s string) string {
	rest := strings.TrimLeft(s, "'")
	if first, _ := utf8.DecodeRuneInString(rest); rest != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + s
	}
	return s
}
