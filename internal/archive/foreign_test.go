//go:build !race

package archive

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	ia "github.com/internetarchive/gowarc"
	nlnwa "github.com/nlnwa/gowarc/v2"
)

// foreignReaders reads a file with two libraries that know nothing of this one.
func foreignReaders(t *testing.T, path string, records int) {
	t.Helper()
	if n := readNLNWA(t, path); n != records {
		t.Errorf("nlnwa/gowarc finds %d records, want %d", n, records)
	}
	if n := readIA(t, path); n != records {
		t.Errorf("internetarchive/gowarc finds %d records, want %d", n, records)
	}
}

func readNLNWA(t *testing.T, path string) (n int) {
	t.Helper()
	r, err := nlnwa.NewWarcFileReader(path, 0,
		nlnwa.WithSyntaxErrorPolicy(nlnwa.ErrWarn), nlnwa.WithSpecViolationPolicy(nlnwa.ErrWarn),
		nlnwa.WithUnknownRecordTypePolicy(nlnwa.ErrWarn), nlnwa.WithBlockErrorPolicy(nlnwa.ErrWarn),
		nlnwa.WithAddMissingDigest(false), nlnwa.WithFixDigest(false), nlnwa.WithFixContentLength(false),
		nlnwa.WithAddMissingContentLength(false), nlnwa.WithFixSyntaxErrors(false), nlnwa.WithFixWarcFieldsBlockErrors(false))
	check(t, err)
	defer r.Close()
	for {
		rec, offset, validation, err := r.Next()
		if err == io.EOF {
			return n
		}
		check(t, err)
		n++
		if !validation.Valid() {
			t.Errorf("nlnwa/gowarc at %d: %v", offset, validation)
		}
		check(t, rec.Close())
	}
}

func readIA(t *testing.T, path string) (n int) {
	t.Helper()
	f, err := os.Open(path)
	check(t, err)
	defer f.Close()
	r, err := ia.NewReader(f)
	check(t, err)
	defer r.Close()
	for {
		rec, err := r.ReadRecord()
		if err == io.EOF {
			return n
		}
		check(t, err)
		n++
		want := rec.Header.Get("WARC-Block-Digest")
		sum, err := ia.GetDigest(rec.Content, ia.SHA1)
		check(t, err)
		if want != "" && want != sum {
			t.Errorf("internetarchive/gowarc: digest is %s, want %s", sum, want)
		}
		rec.Content.Close()
	}
}

func TestOthersReadOurs(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	dir := t.TempDir()
	w, err := OpenWriter(dir, options())
	check(t, err)
	records := 1
	for i := range 20 {
		ex := page(i, i*i*500)
		e := Encode(nil, ex)
		_, err := w.Append(e)
		check(t, err)
		ex.At = ex.At.Add(time.Hour)
		_, err = w.Append(EncodeRevisit(nil, ex, e.Original))
		check(t, err)
		records += 6
	}
	check(t, w.Close())
	foreignReaders(t, filepath.Join(dir, w.name), records)
	if r := sound(t, filepath.Join(dir, w.name)); r.Records != records || r.Types["revisit"] != 20 {
		t.Errorf("%d records, %v", r.Records, r.Types)
	}
}
