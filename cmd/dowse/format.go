package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"dowse/collection"
	"dowse/internal/facts"
)

// A formatPiece is a part of a format of pages --format: literal text or the name of a
// field.
type formatPiece struct {
	text  string
	field string // "" for a text
}

// pageFields lists the facts of a page that a format can name: those that do not need its
// text, which only an export reads. Listing thousands of pages stays quick that way.
func pageFields() []string { return facts.Names(false) }

// parseFormat returns a printer for a format such as {url}\t{host}. The format is parsed
// once, before the first page, so that a wrong field is an error and not an empty column.
// It prints one line per page; line breaks and control characters in values are escaped,
// so that columns stay columns.
func parseFormat(format string) (rowPrinter, error) {
	pieces, err := piecesOf(format)
	if err != nil {
		return nil, usage("--format: %w", err)
	}
	return func(out io.Writer, row *collection.Row) error {
		var b strings.Builder
		for _, p := range pieces {
			b.WriteString(p.text)
			if p.field == "" {
				continue
			}
			value, err := facts.Named(p.field).JSON(row)
			if err != nil {
				return err
			}
			b.WriteString(oneLine(plainValue(value)))
		}
		_, err = fmt.Fprintln(out, b.String())
		return err
	}, nil
}

// piecesOf splits a format into text and fields. An unknown field or an open brace is an
// error.
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
			return nil, fmt.Errorf("unknown field %q; want one of %s", name, strings.Join(known, " "))
		}
		list = append(list, formatPiece{field: name})
		rest = more
	}
	return list, nil
}

// unescape replaces \t, \n and \\ in the literal text of a format.
func unescape(s string) string {
	return strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\\`, `\`).Replace(s)
}

// plainValue returns a JSON value as text: a string without quotes, "" for an absent
// value, and everything else as JSON.
func plainValue(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
