package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"dowse/collection"
)

// A formatPiece of a format is a text, or the name of a field.
type formatPiece struct {
	text  string
	field string // "" for a text
}

// pageFields lists the fields of a page. The text is not one: it is not in the
// books, and comes with export.
func pageFields() []string {
	return slices.DeleteFunc(collection.ExportFields(), func(f string) bool { return f == "text" })
}

// parseFormat makes a printer of a format such as {url}\t{host}, a line to a page.
func parseFormat(format string) (rowPrinter, error) {
	pieces, err := piecesOf(format)
	if err != nil {
		return nil, usage("--format: %w", err)
	}
	return func(out io.Writer, row *collection.Row) error {
		fields, err := fieldsOf(row)
		if err != nil {
			return err
		}
		var b strings.Builder
		for _, p := range pieces {
			b.WriteString(p.text)
			if p.field != "" {
				b.WriteString(oneLine(plainValue(fields[p.field])))
			}
		}
		_, err = fmt.Fprintln(out, b.String())
		return err
	}, nil
}

// piecesOf cuts a format at its fields.
func piecesOf(format string) (list []formatPiece, err error) {
	for rest := format; rest != ""; {
		text, after, ok := strings.Cut(rest, "{")
		list = append(list, formatPiece{text: unescape(text)})
		if !ok {
			break
		}
		name, more, closed := strings.Cut(after, "}")
		if !closed {
			return nil, fmt.Errorf("%q: a { without its }", format)
		}
		if known := pageFields(); !slices.Contains(known, name) {
			return nil, fmt.Errorf("no field is called %q; there are %s", name, strings.Join(known, " "))
		}
		list = append(list, formatPiece{field: name})
		rest = more
	}
	return list, nil
}

func unescape(s string) string {
	return strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\\`, `\`).Replace(s)
}

// fieldsOf returns the fields of a page by the names that JSON has for them.
func fieldsOf(row *collection.Row) (fields map[string]json.RawMessage, err error) {
	data, err := json.Marshal(row)
	if err != nil {
		return nil, err
	}
	return fields, json.Unmarshal(data, &fields)
}

// plainValue writes a value of JSON as text: a string without quotes, nothing for
// what is absent.
func plainValue(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
