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

// csvFields are the columns of a .csv that names none.
var csvFields = []string{
	"url", "title", "host", "relevance", "verdict", "lang", "fetched", "status", "size", "depth", "parent",
	"anchor", "priority", "because", "near", "warc", "offset",
}

// ExportFields lists the facts that .jsonl and .csv can hold.
func ExportFields() []string { return facts.Names(true) }

// fieldsOf returns the fields of a list: those asked for, or nil for all that a
// page has.
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

// line returns the JSON object of a page.
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

// read adds to a row what the page says, if the export asks for any of it.
func (x *exporter) read(row *Row) {
	if !x.opt.Text && !slices.ContainsFunc(x.fields, func(name string) bool { return facts.Named(name).Document }) {
		return
	}
	doc, err := x.c.DocumentOf(row)
	if err != nil && !errors.Is(err, ErrErased) {
		x.c.unreadPage(row.URL, err)
	}
	if doc == nil {
		return
	}
	page := *row.Page
	page.Document = *doc
	page.Title, page.Language = row.Title, row.Language // as they were when the page was judged
	row.Page = &page
}

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

// cells returns a page as a row of a table. Reasons and lists become lines of text.
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

// cell writes a JSON value as a spreadsheet takes it.
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

// harmless keeps a spreadsheet from taking a text for a formula.
func harmless(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
