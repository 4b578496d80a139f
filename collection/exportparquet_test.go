package collection

import (
	"bytes"
	"io"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestParquetBounds shows that the index of a column of texts keeps some bytes of its bounds and not the texts, as the
// writer of the library does, which holds the indexes of all row groups until the file is closed.
func TestParquetBounds(t *testing.T) {
	sink, err := newParquetSink(&exporter{}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	column, ok := sink.(*parquetSink).w.Schema().Lookup("text")
	if !ok {
		t.Fatal("no column of texts")
	}
	index := column.Node.Type().NewColumnIndexer(parquet.DefaultColumnIndexSizeLimit)
	long := bytes.Repeat([]byte("reef "), 20_000)
	for range 3 {
		index.IndexPage(1, 0, parquet.ByteArrayValue(long), parquet.ByteArrayValue(long))
	}
	got := index.ColumnIndex()
	if len(got.MinValues) != 3 || len(got.MaxValues) != 3 || !bytes.HasPrefix(long, got.MinValues[0]) {
		t.Fatalf("bounds %q to %q", got.MinValues, got.MaxValues)
	}
	for _, v := range append(got.MinValues, got.MaxValues...) {
		if cap(v) > 100 {
			t.Errorf("a bound keeps %d bytes, want at most 100", cap(v))
		}
	}
}
