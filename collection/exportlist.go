package collection

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"dowse"
)

// exportRow is a page as .jsonl has it.
type exportRow struct {
	*Row
	Text string `json:"text,omitempty"`
}

// csvFields are the columns of a .csv that names none.
var csvFields = []string{
	"url", "title", "host", "relevance", "verdict", "language", "fetched", "status", "bytes", "depth", "parent",
	"anchor", "priority", "because", "near", "warc", "offset",
}

// ExportFields lists the fields that .jsonl and .csv can have.
func ExportFields() []string {
	var names []string
	row := reflect.TypeFor[Row]()
	for i := range row.NumField() {
		if name, _, _ := strings.Cut(row.Field(i).Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return append(names, "text")
}

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

// line makes the JSON object of a page.
func (x *exporter) line(row *Row) ([]byte, error) {
	r := exportRow{Row: row}
	if x.opt.Text || slices.Contains(x.fields, "text") {
		doc, err := x.c.Document(row.page)
		if err != nil && !errors.Is(err, ErrErased) {
			x.c.unreadPage(row.URL, err)
		}
		if doc != nil {
			r.Text = doc.Text
		}
	}
	line, err := encode(r)
	if err != nil || x.fields == nil {
		return line, err
	}
	return selected(line, x.fields)
}

// encode is json.Marshal without escapes that only HTML needs.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// selected keeps some fields of an object, in their order; what is absent is null.
func selected(line []byte, fields []string) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(line, &all); err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for i, f := range fields {
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "%q:", f)
		if v, ok := all[f]; ok {
			out = append(out, v...)
		} else {
			out = append(out, "null"...)
		}
	}
	return append(out, '}'), nil
}

func (x *exporter) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(x.fields); err != nil {
		return err
	}
	err := x.pages(x.filter(), func(row *Row) error {
		line, err := x.line(row)
		if err != nil {
			return err
		}
		x.n++
		cells, err := x.cells(row, line)
		if err != nil {
			return err
		}
		return out.Write(cells)
	})
	out.Flush()
	return errors.Join(err, out.Error())
}

func (x *exporter) cells(row *Row, line []byte) ([]string, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(line, &all); err != nil {
		return nil, err
	}
	cells := make([]string, len(x.fields))
	for i, f := range x.fields {
		cells[i] = cell(all[f])
		if f == "because" {
			cells[i] = harmless(ReasonLine(row.page.Verdict.Because, 10))
		}
		if f == "licences" {
			cells[i] = harmless(joinURLs(row.Licences))
		}
	}
	return cells, nil
}

func joinURLs(list []dowse.URL) string {
	s := make([]string, len(list))
	for i, u := range list {
		s[i] = string(u)
	}
	return strings.Join(s, " ")
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
