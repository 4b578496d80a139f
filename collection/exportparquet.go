package collection

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"reflect"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	parquetformat "github.com/parquet-go/parquet-go/format"

	"dowse"
	"dowse/internal/facts"
)

// A parquetColumn is a column of a .parquet. Its values are of the Go type, or nil where
// they are not known.
type parquetColumn struct {
	name string
	kind reflect.Type
	get  func(x *exporter, row *Row) any
}

// The Go types of columns. Pointers are columns that may be null.
var (
	parquetText = reflect.TypeFor[*string]()
	parquetList = reflect.TypeFor[[]string]()
	parquetInt  = reflect.TypeFor[*int64]()
	parquetReal = reflect.TypeFor[*float64]()
	parquetBool = reflect.TypeFor[*bool]()
)

// factColumn returns the column of a fact. Dates are texts (RFC 3339), as in
// other corpora; tables and reasons are JSON.
func factColumn(column, fact string) parquetColumn {
	f := facts.Named(fact)
	c := parquetColumn{name: column, kind: parquetText}
	switch f.Type {
	case facts.List:
		c.kind = parquetList
	case facts.Integer:
		c.kind = parquetInt
	case facts.Number, facts.Duration:
		c.kind = parquetReal
	case facts.Truth:
		c.kind = parquetBool
	}
	c.get = func(_ *exporter, row *Row) any {
		switch v := f.Value(row).(type) {
		case nil:
			return nil
		case string:
			if v == "" {
				return nil
			}
			return v
		case int:
			return int64(v)
		case float64:
			return facts.Finite(v)
		case time.Duration:
			return v.Seconds()
		case time.Time:
			return v.UTC().Format(time.RFC3339)
		case bool, []string:
			return v
		}
		raw, err := f.JSON(row)
		if err != nil || raw == nil {
			return nil
		}
		return string(raw)
	}
	return c
}

// parquetColumns returns the columns: those that FineWeb has, under its names and in its
// order, and then those of a crawl. With fields they are these alone.
func parquetColumns(fields []string) (list []parquetColumn) {
	for _, f := range fields {
		list = append(list, factColumn(f, f))
	}
	if len(list) > 0 {
		return list
	}
	return []parquetColumn{
		factColumn("text", "text"),
		{name: "id", kind: parquetText, get: func(_ *exporter, row *Row) any { return pageID(row.URL) }},
		{name: "dump", kind: parquetText, get: func(x *exporter, _ *Row) any { return x.c.Settings.Name }},
		factColumn("url", "url"),
		factColumn("date", "fetched"),
		factColumn("file_path", "warc"),
		factColumn("language", "lang"),
		factColumn("language_score", "lang_score"),
		factColumn("token_count", "token_count"),
		factColumn("score", "relevance"),
		factColumn("verdict", "verdict"),
		{name: "topic", kind: parquetText, get: func(x *exporter, _ *Row) any { return x.c.Settings.Name }},
		factColumn("parent_url", "parent"),
		factColumn("depth", "depth"),
		factColumn("host", "host"),
		factColumn("title", "title"),
		factColumn("licence", "licence"),
		factColumn("robots_flags", "robots_flags"),
		factColumn("use_flags", "use_flags"),
		factColumn("near", "near"),
		factColumn("published", "published"),
		factColumn("offset", "offset"),
		factColumn("length", "length"),
	}
}

// pageID returns an identifier of a page that depends on its URL alone.
func pageID(u dowse.URL) string {
	sum := sha256.Sum256([]byte(u))
	return hex.EncodeToString(sum[:16])
}

// The bounds of a row group, which is held in memory.
const (
	groupRows  = 20_000
	groupBytes = 16 << 20
)

// parquetSink writes one row per page. Columns are compressed with zstd.
type parquetSink struct {
	x       *exporter
	w       *parquet.GenericWriter[any]
	columns []parquetColumn
	row     reflect.Type // a struct with one field per column
	bytes   int          // of the row group
	rows    int
}

func newParquetSink(x *exporter, w io.Writer) (listSink, error) {
	s := &parquetSink{x: x, columns: parquetColumns(x.fields)}
	fields := make([]reflect.StructField, len(s.columns))
	for i, c := range s.columns {
		tag := c.name
		switch c.kind {
		case parquetList:
			tag += ",list"
		default:
			tag += ",optional"
		}
		fields[i] = reflect.StructField{
			Name: "F" + hex.EncodeToString([]byte{byte(i)}), Type: c.kind, Tag: reflect.StructTag(`parquet:` + quotedJSON(tag)),
		}
	}
	s.row = reflect.StructOf(fields)
	schema := parquet.SchemaOf(reflect.New(s.row).Interface())
	schema = parquet.NewSchema(schema.Name(), shortBounds{schema})
	// The name of the program is fixed, so that the bytes do not depend on its build.
	s.w = parquet.NewGenericWriter[any](w, schema, parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}), parquet.CreatedBy("dowse", "0.1", "0"))
	return s, nil
}

// shortBounds is a schema whose columns of texts keep little of their values until the file is closed. For the index at
// the end of the file, the writer keeps the first bytes of the least and the greatest value of every page, but as parts of
// the whole values, so that of a column of texts about a tenth would stay in memory.
type shortBounds struct{ parquet.Node }

// Fields returns the columns, those of texts with short bounds.
func (n shortBounds) Fields() []parquet.Field {
	fields := n.Node.Fields()
	for i, f := range fields {
		if f.Leaf() && f.Type().Kind() == parquet.ByteArray {
			fields[i] = shortField{f}
		}
	}
	return fields
}

// A shortField is a column of texts in a schema with short bounds.
type shortField struct{ parquet.Field }

func (f shortField) Type() parquet.Type { return shortType{f.Field.Type()} }

// A shortType is the type of such a column.
type shortType struct{ parquet.Type }

func (t shortType) NewColumnIndexer(limit int) parquet.ColumnIndexer {
	return shortIndexer{t.Type.NewColumnIndexer(limit)}
}

// A shortIndexer copies the bounds of an index.
type shortIndexer struct{ parquet.ColumnIndexer }

func (x shortIndexer) ColumnIndex() parquetformat.ColumnIndex {
	index := x.ColumnIndexer.ColumnIndex()
	for _, values := range [][][]byte{index.MinValues, index.MaxValues} {
		for i, v := range values {
			values[i] = bytes.Clone(v)
		}
	}
	return index
}

// quotedJSON returns a text as a JSON string, which is also a Go string.
func quotedJSON(s string) string {
	b, _ := json.Marshal(s) // a string can always be encoded
	return string(b)
}

func (s *parquetSink) prepare(c *exportedPage) error {
	row := reflect.New(s.row)
	for i, col := range s.columns {
		v := col.get(s.x, c.row)
		if v == nil {
			continue
		}
		field := row.Elem().Field(i)
		if col.kind == parquetList {
			field.Set(reflect.ValueOf(v))
			continue
		}
		field.Set(reflect.New(col.kind.Elem()))
		field.Elem().Set(reflect.ValueOf(v))
	}
	c.prepared = row.Interface()
	return nil
}

func (s *parquetSink) add(c *exportedPage) (int, error) {
	n := len(c.row.Text) + 500
	s.bytes, s.rows = s.bytes+n, s.rows+1
	if _, err := s.w.Write([]any{c.prepared}); err != nil {
		return 0, err
	}
	if s.bytes < groupBytes && s.rows < groupRows {
		return n, nil
	}
	s.bytes, s.rows = 0, 0
	return n, s.w.Flush()
}

func (s *parquetSink) close() error { return s.w.Close() }
