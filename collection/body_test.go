package collection_test

import (
	"os"
	"path/filepath"
	"testing"

	"dowse"
	"dowse/collection"
)

// TestFlippedBitsAreFound flips bits all over the records of some pages, one at a time. No
// page with a flipped bit may pass for what the server sent: reading it is an error, and an
// export of texts counts exactly that page as unread.
func TestFlippedBitsAreFound(t *testing.T) {
	dir := copied(t)
	rows := list(t, open(t, dir, true), collection.Filter{})
	for _, row := range rows[:min(len(rows), 4)] {
		place := row.Fetch.Archive
		path := filepath.Join(dir, "archive", place.File)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for part := 1; part < 8; part++ {
			b := append([]byte(nil), whole...)
			b[place.Offset+place.Length*int64(part)/8] ^= 1 << part
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
			c := open(t, dir, true)
			if _, _, err := c.Body(&dowse.Page{URL: row.URL, Fetch: dowse.Fetch{Archive: place}}); err == nil {
				t.Errorf("%s: a bit flipped %d/8 into its record was not found", row.URL, part)
			}
		}
		c := open(t, dir, true)
		n, err := c.Export(t.Context(), filepath.Join(t.TempDir(), "x.jsonl"), collection.ExportOptions{All: true, Text: "all", Distinct: "none"})
		if err != nil || n != len(rows) || c.Unread.Count() != 1 || c.Unread.Problems[0].Place != string(row.URL) {
			t.Errorf("export: %d pages of %d, unread %+v, %v; want %s alone unread", n, len(rows), c.Unread.Problems, err, row.URL)
		}
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
