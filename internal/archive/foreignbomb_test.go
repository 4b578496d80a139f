package archive

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// zeros is a reader of n zero bytes.
func zeros(n int64) io.Reader { return io.LimitReader(zeroReader{}, n) }

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestForeignBombs checks that files which expand to much more than their size are given up, with
// what was found before.
func TestForeignBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	const free = 1 << 20
	head := func(length int64) string {
		return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:1>\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n", length)
	}
	var record bytes.Buffer
	z := gzip.NewWriter(&record)
	io.WriteString(z, head(1<<50))
	io.Copy(z, zeros(1<<20))
	z.Close()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	e, err := w.Create("archive/x.warc")
	check(t, err)
	io.Copy(e, zeros(20*free))
	check(t, w.Close())
	for name, data := range map[string][]byte{"record.warc.gz": record.Bytes(), "zip.wacz": packed.Bytes()} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		check(t, os.WriteFile(path, data, 0o666))
		lost := 0
		f := &Foreign{Lost: func(Loss) { lost++ }, MaxBody: 1 << 20, Temp: t.TempDir(), free: free}
		err := f.Add(path)
		check(t, f.Close())
		if err == nil || !errors.Is(err, errExpands) && lost == 0 {
			t.Errorf("%s: %v, %d lost", name, err, lost)
		}
	}
}

// TestForeignSearchIsBounded checks that a file full of what looks like records is read a bounded
// number of times.
func TestForeignSearchIsBounded(t *testing.T) {
	data := strings.Repeat("WARC/1.0\r\nContent-Length: 999999\r\n\r\n", 20_000)
	s := &partScanner{f: strings.NewReader(data), size: int64(len(data)), reader: NewReader(nil), bounded: true, left: 4 << 20, most: 1 << 30}
	lost := 0
	for range s.past(func(p *Part) { lost++ }) { // the first one is yielded before its damage shows
	}
	if lost != 1 || s.left < -2<<20 {
		t.Errorf("%d parts lost, %d bytes left", lost, s.left)
	}
}
