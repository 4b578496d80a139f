package archive

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"dowse"
)

// TestRecoverAtEveryByte cuts a file at each byte of its last exchange, as a
// crash may, and opens it again: by what the journal knows, and by reading.
func TestRecoverAtEveryByte(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	path, places := written(t, 3)
	whole, err := os.ReadFile(path)
	check(t, err)
	name := filepath.Base(path)
	committed := places[1]
	base := int(committed.Offset + committed.Length)
	recs, _ := readFile(t, path)

	for n := base; n <= len(whole); n++ {
		end, err := soundEnd(bytes.NewReader(whole[:n]))
		if check(t, err); int(end) != lastEnd(recs, n) {
			t.Fatalf("cut at %d: sound to %d, want %d", n, end, lastEnd(recs, n))
		}
		if n%23 != 0 && n != base && n != len(whole) { // syncing takes its time
			continue
		}
		dir := t.TempDir()
		torn := filepath.Join(dir, name)

		check(t, os.WriteFile(torn, whole[:n], 0o666))
		cuts, err := Recover(dir, committed)
		check(t, err)
		if n == base && len(cuts) != 0 || n > base && (len(cuts) != 1 || cuts[0].Bytes != int64(n-base)) {
			t.Fatalf("cut at %d: %v", n, cuts)
		}
		if b, _ := os.ReadFile(torn); len(b) != base {
			t.Fatalf("cut at %d: %d bytes left, want %d", n, len(b), base)
		}

		check(t, os.WriteFile(torn, whole[:n], 0o666))
		_, err = Recover(dir, dowse.Place{})
		check(t, err)
		if b, _ := os.ReadFile(torn); len(b) != int(end) {
			t.Fatalf("cut at %d: %d bytes left, want %d", n, len(b), end)
		}
		goOn(t, dir, torn)
	}
}

// lastEnd is where the last record ends that is whole in the first n bytes.
func lastEnd(recs []*Record, n int) (end int) {
	for _, r := range recs {
		size, _ := r.Size()
		if e := int(r.Offset + size); e <= n {
			end = e
		}
	}
	return end
}

func goOn(t *testing.T, dir, path string) {
	t.Helper()
	w, err := OpenWriter(dir, options())
	check(t, err)
	p, err := w.Append(Encode(nil, page(7, 900)))
	check(t, err)
	check(t, w.Close())
	if p.File != filepath.Base(path) {
		t.Errorf("went on in %s", p.File)
	}
	sound(t, path)
}

func TestRecoverTails(t *testing.T) {
	path, places := written(t, 2)
	whole, err := os.ReadFile(path)
	check(t, err)
	zeros := make([]byte, 5000)
	for what, tail := range map[string][]byte{
		"zeros":   zeros,
		"text":    []byte("WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 99\r\n\r\nabc"),
		"garbage": html(3, 400),
		"gzip":    {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255},
		"nothing": nil,
	} {
		check(t, os.WriteFile(path, append(whole[:len(whole):len(whole)], tail...), 0o666))
		cuts, err := Recover(filepath.Dir(path), dowse.Place{})
		if err != nil || len(cuts) > 1 || len(cuts) == 1 && cuts[0].Bytes != int64(len(tail)) {
			t.Errorf("%s: %v %v", what, cuts, err)
		}
		if b, _ := os.ReadFile(path); len(b) != len(whole) {
			t.Errorf("%s: %d bytes left of %d", what, len(b), len(whole))
		}
	}
	check(t, os.WriteFile(path, whole[:len(whole)-9], 0o666))
	if _, err := Recover(filepath.Dir(path), places[1]); !errors.Is(err, ErrMissing) {
		t.Errorf("a file that lost committed bytes: %v", err)
	}
	if _, err := Recover(filepath.Dir(path), dowse.Place{File: "no.warc.gz", Length: 1}); !errors.Is(err, ErrMissing) {
		t.Errorf("a file that is gone: %v", err)
	}
}

func TestRecoverRemovesLaterFiles(t *testing.T) {
	dir := t.TempDir()
	opt := options()
	opt.MaxBytes = 3000
	w, err := OpenWriter(dir, opt)
	check(t, err)
	var places []dowse.Place
	for i := range 6 {
		p, err := w.Append(Encode(nil, page(i, 4000)))
		check(t, err)
		places = append(places, p)
	}
	check(t, w.Close())
	check(t, os.WriteFile(filepath.Join(dir, "OTHER.warc.gz"), []byte("not ours"), 0o666))
	check(t, os.WriteFile(filepath.Join(dir, places[0].File+".tmp"), []byte("left over"), 0o666))
	cuts, err := Recover(dir, places[2])
	check(t, err)
	left, err := Files(dir)
	check(t, err)
	if len(left) != 4 || filepath.Base(left[0]) != "OTHER.warc.gz" {
		t.Errorf("left: %q, cuts: %v", left, cuts)
	}
	for _, c := range cuts {
		if c.Size != 0 || c.String() == "" {
			t.Errorf("%v", c)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, places[0].File+".tmp")); err == nil {
		t.Error("the temporary file is still there")
	}
	if cuts, err := Recover(filepath.Join(dir, "none"), dowse.Place{}); err != nil || cuts != nil {
		t.Errorf("a folder that is not there: %v %v", cuts, err)
	}
}
