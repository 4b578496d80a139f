package archive

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dowse"
)

// odd answers, and their index lines are not obvious.
var oddHeads = []string{
	"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n",
	"HTTP/1.1 404 Not Found\r\ncontent-type:  TEXT/Plain \r\nContent-Type: text/html\r\n\r\n",
	"HTTP/1.0 301 Moved\r\nLocation: /x\r\n\r\n",
	"HTTP/2 204\r\n\r\n",
	"nonsense\r\nContent-Type: \"quoted\\\"\r\n\r\n",
	"HTTP/1.1 200 \xff\r\nContent-Type: text/h\xe9tml\r\nbroken line\r\n folded\r\n\r\n",
	"",
}

// TestFreshIsTheIndex appends to an archive in two sittings and over several files.
// The lines of the writer, merged into the old index, equal an index of the files.
func TestFreshIsTheIndex(t *testing.T) {
	dir := t.TempDir()
	index := ""
	for sitting := range 2 {
		w, err := OpenWriter(dir, Options{MaxBytes: 4000})
		if err != nil {
			t.Fatal(err)
		}
		fillArchive(t, w, sitting)
		fresh, ok := w.Unindexed()
		if size, err := filesSize(dir); !ok || err != nil || fresh.Size != size || (fresh.Since == 0) != (sitting == 0) {
			t.Fatalf("sitting %d: %d to %d bytes, %v; the files have %d, %v", sitting, fresh.Since, fresh.Size, ok, size, err)
		}
		var b strings.Builder
		if err := MergeIndex(&b, index, fresh.Lines); err != nil {
			t.Fatal(err)
		}
		index = b.String()
		w.Indexed()
		if left, _ := w.Unindexed(); len(left.Lines) > 0 || left.Since != fresh.Size {
			t.Errorf("after Indexed there are still %d lines since %d", len(left.Lines), left.Since)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	var want strings.Builder
	if err := Index(&want, paths...); err != nil {
		t.Fatal(err)
	}
	if len(paths) < 3 || index != want.String() {
		t.Errorf("%d files; the index is\n%s\nwant\n%s", len(paths), index, want.String())
	}
}

func fillArchive(t *testing.T, w *Writer, sitting int) {
	t.Helper()
	for i, head := range oddHeads {
		ex := &Exchange{
			URL: dowse.URL(fmt.Sprintf("https://www.example.org/b/%d/%d?z=1&a=%%20", i, sitting)), Address: netip.MustParseAddr("192.0.2.1"),
			At: time.Date(2024, 5, 6, 7, 8, 9, 123456789, time.UTC), RequestHead: []byte("GET / HTTP/1.1\r\n\r\n"),
			ResponseHead: []byte(head), Payload: []byte(strings.Repeat("payload", 99*i)),
		}
		enc := Encode(nil, ex)
		for _, e := range []Encoded{enc, EncodeRevisit(nil, ex, enc.Original)} {
			if _, err := w.Append(e); err != nil {
				t.Fatal(err)
			}
		}
	}
}
