package collection

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dowse/internal/facts"
)

// csvFields are the default columns of a .csv.
var csvFields = []string{
	"url", "title", "host", "relevance", "verdict", "lang", "fetched", "status", "size", "depth", "parent",
	"anchor", "priority", "because", "near", "warc", "offset",
}

// ExportFields returns the names of the facts that .jsonl and .csv can hold.
func ExportFields() []string { return facts.Names(true) }

// fieldsOf returns the fields of a list: those asked for, or nil for all that a
// page has. Formats without fields give nil. An unknown field is an error that
// lists the known ones.
func fieldsOf(format string, opt ExportOptions) ([]string, error) {
	if format != "jsonl" && format != "csv" {
		return nil, nil
	}
	known := ExportFields()
	for _, f := range opt.Fields {
		if !slices.Contains(known, f) {
			return nil, fmt.Errorf("no field is called %q; there are %s", f, strings.Join(known, " "))
		}
	}
	fields := slices.Clone(opt.Fields)
	if len(fields) == 0 && format == "csv" {
		fields = slices.Clone(csvFields)
	}
	if opt.Text && len(fields) > 0 && !slices.Contains(fields, "text") {
		fields = append(fields, "text")
	}
	return fields, nil
}

// jsonl writes one JSON object per page and line.
func (x *exporter) jsonl(w io.Writer) error {
	return x.pages(x.filter(), func(row *Row) error {
		line, err := x.line(row)
		if err != nil {
			return err
		}
		x.n++
		_, err = w.Write(append(line, '\n'))
		return err
	})
}

// line returns the JSON object of a page with the selected fields.
func (x *exporter) line(row *Row) ([]byte, error) {
	x.read(row)
	if x.fields != nil {
		return row.Select(x.fields)
	}
	if x.opt.Text {
		return row.With("text")
	}
	return row.MarshalJSON()
}

// read replaces the page of a row by a copy with its document, if the export
// asks for any fact of the document. Title and language stay those of the visit.
// A page that can't be read is recorded in Unread and keeps its row, without
// these facts; one that was erased is not a problem.
func (x *exporter) read(row *Row) {
	if !x.opt.Text && !slices.ContainsFunc(x.fields, func(name string) bool { return facts.Named(name).Document }) {
		return
	}
	doc, err := x.c.DocumentOf(row)
	if err != nil && !errors.Is(err, ErrErased) {
		x.c.unreadPage(row.URL, err)
	}
	if doc == nil {
		row.Unread = true
		return
	}
	page := *row.Page
	page.Document = *doc
	page.Title, page.Language = row.Title, row.Language // as they were when the page was judged
	row.Page = &page
}

// csv writes a header and one row per page.
func (x *exporter) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(x.fields); err != nil {
		return err
	}
	err := x.pages(x.filter(), func(row *Row) error {
		x.read(row)
		x.n++
		cells, err := x.cells(row)
		if err != nil {
			return err
		}
		return out.Write(cells)
	})
	out.Flush()
	return errors.Join(err, out.Error())
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

// harmless returns a text that spreadsheets do not evaluate as a formula: a
// leading =, +, -, @, tab or carriage return is preceded by an apostrophe.
// Titles and anchors come from the web.
func harmless(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
