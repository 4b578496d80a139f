package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dowse"
)

// exchangesOf returns the exchanges of a file and what was lost.
func exchangesOf(t *testing.T, path string) (kept []*Kept, lost []Loss) {
	t.Helper()
	for k, err := range Exchanges(path, func(l Loss) { lost = append(lost, l) }) {
		check(t, err)
		kept = append(kept, k)
	}
	return kept, lost
}

// withRevisit writes a page, and the same page once more as a revisit of it.
func withRevisit(t *testing.T) (path string, first, second dowse.Place) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "archive")
	w, err := OpenWriter(dir, options())
	check(t, err)
	ex := page(0, 3000)
	ex.Address = netip.MustParseAddr("192.0.2.7")
	ex.Metadata = []Field{{Name: "relevance", Value: "0.5"}, {Name: "Title", Value: "Reefs"}}
	enc := Encode(nil, ex)
	first, err = w.Append(enc)
	check(t, err)
	enc.Original.Place = first
	again := page(1, 3000)
	again.Payload, again.Truncated, again.At, again.Address = ex.Payload, "length", noon.Add(time.Hour), netip.Addr{}
	second, err = w.Append(EncodeRevisit(nil, again, enc.Original))
	check(t, err)
	check(t, w.Close())
	paths, err := Files(dir)
	check(t, err)
	return paths[0], first, second
}

// An exchange has its response, with the request and the metadata that were written with it.
func TestExchanges(t *testing.T) {
	path, first, second := withRevisit(t)
	kept, lost := exchangesOf(t, path)
	if len(kept) != 2 || len(lost) != 0 {
		t.Fatalf("%d exchanges, %d losses: %v", len(kept), len(lost), lost)
	}
	k := kept[0]
	if k.Offset != first.Offset || k.Length != first.Length || k.IsRevisit() || k.Truncated() || k.Target() != "http://example.org/page/0" || !k.Date().Equal(noon) || len(k.With) != 2 {
		t.Errorf("%+v, want the page at %+v", k, first)
	}
	if k.Address() != netip.MustParseAddr("192.0.2.7") || k.Metadata("RELEVANCE") != "0.5" || k.Metadata("title") != "Reefs" || k.Metadata("none") != "" {
		t.Errorf("address %v, relevance %q", k.Address(), k.Metadata("relevance"))
	}
	r := kept[1]
	if r.Offset != second.Offset || !r.IsRevisit() || r.RefersTo() != k.ID() || !r.Truncated() || r.Address().IsValid() || r.ID() == k.ID() {
		t.Errorf("%+v, want a revisit of %s", r, k.ID())
	}
	for i, x := range kept {
		resp, err := x.Response(filepath.Dir(path), first)
		check(t, err)
		body, err := io.ReadAll(resp.Body)
		check(t, errors.Join(err, resp.Body.Close()))
		if string(body) != string(page(0, 3000).Payload) || resp.StatusCode != 200 {
			t.Errorf("exchange %d: status %d, %d bytes", i, resp.StatusCode, len(body))
		}
	}
	if _, err := r.Response(filepath.Dir(path), dowse.Place{File: "gone.warc.gz"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a revisit without its original: %v", err)
	}
	for k, err := range Exchanges(filepath.Join(t.TempDir(), "gone"), nil) {
		if k != nil || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("of a file that is not there: %v, %v", k, err)
		}
	}
	for range Exchanges(path, nil) {
		break // a caller may stop
	}
}

// Damage costs one exchange; what belonged to it is lost with it, and each loss is reported.
func TestExchangesAfterDamage(t *testing.T) {
	path, places := written(t, 3)
	data, err := os.ReadFile(path)
	check(t, err)
	data[places[1].Offset+places[1].Length/2] ^= 1
	check(t, os.WriteFile(path, data, 0o644))
	kept, lost := exchangesOf(t, path)
	if len(kept) != 2 || kept[0].Offset != places[0].Offset || kept[1].Offset != places[2].Offset {
		t.Errorf("%d exchanges", len(kept))
	}
	companions := 0
	for _, l := range lost {
		if errors.Is(l.Err, ErrCompanion) {
			companions++
		} else if l.Offset != places[1].Offset || l.Length != places[1].Length || l.Path != path {
			t.Errorf("lost %+v, want the record at %+v", l, places[1])
		}
	}
	if len(lost) != 3 || companions != 2 {
		t.Errorf("%d losses, %d of them requests and metadata, want 3 and 2", len(lost), companions)
	}
	if got := len(kept[1].With); got != 2 {
		t.Errorf("the exchange after the damage has %d companions, want its own 2", got)
	}
}

// What was erased is reported as erased, and is no damage. A file that ends with a request has
// lost its response.
func TestExchangesErasedAndTorn(t *testing.T) {
	path, places := written(t, 3)
	_, err := Erase(path, noon, places[0].Offset)
	check(t, err)
	data, err := os.ReadFile(path)
	check(t, err)
	check(t, os.WriteFile(path, data[:places[2].Offset], 0o644))
	kept, lost := exchangesOf(t, path)
	if len(kept) != 1 || kept[0].Offset != places[1].Offset {
		t.Errorf("%d exchanges", len(kept))
	}
	count := map[error]int{}
	for _, l := range lost {
		count[l.Err]++
	}
	if count[ErrErased] == 0 || count[ErrCompanion] != 2 || len(count) != 2 {
		t.Errorf("losses: %v", count)
	}
}

// An exchange is copied into another file as it is; a revisit gets the new place of its
// original, and nothing else of it changes.
func TestEncodedExchanges(t *testing.T) {
	path, first, _ := withRevisit(t)
	kept, _ := exchangesOf(t, path)
	dir := filepath.Join(t.TempDir(), "copy")
	w, err := OpenWriter(dir, options())
	check(t, err)
	_, err = w.Append(Encode(nil, page(7, 100))) // so that places differ
	check(t, err)
	moved := dowse.Place{}
	for _, k := range kept {
		e, err := k.Encoded(moved)
		check(t, err)
		if got := e.Bytes[e.Offset : e.Offset+e.Length]; len(got) != e.Length || e.Offset == 0 {
			t.Errorf("a record of %d bytes at %d of %d", e.Length, e.Offset, len(e.Bytes))
		}
		place, err := w.Append(e)
		check(t, err)
		if !k.IsRevisit() {
			moved = place
		}
	}
	check(t, w.Close())
	paths, err := Files(dir)
	check(t, err)
	sound(t, paths[0])
	copies, lost := exchangesOf(t, paths[0])
	if len(copies) != 3 || len(lost) != 0 || moved.Offset == first.Offset {
		t.Fatalf("%d exchanges, %d lost, at %d", len(copies), len(lost), moved.Offset)
	}
	for i, was := range kept {
		is := copies[i+1]
		if len(is.With) != len(was.With) || is.ID() != was.ID() {
			t.Errorf("%s has %d companions, want %d", is.Target(), len(is.With), len(was.With))
		}
		for _, f := range was.Header {
			if want := f.Value; is.Header.Value(f.Name) != want && f.Name != referenceFile && f.Name != referenceOffset {
				t.Errorf("%s: %s is %q, want %q", is.Target(), f.Name, is.Header.Value(f.Name), want)
			}
		}
	}
	if r := copies[2]; r.Header.Value(referenceFile) != moved.File || r.Header.Value(referenceOffset) != fmt.Sprint(moved.Offset) {
		t.Errorf("the revisit refers to %s, offset %s, want %+v", r.Header.Value(referenceFile), r.Header.Value(referenceOffset), moved)
	}
	resp, err := copies[2].Response(dir, moved)
	check(t, err)
	body, err := io.ReadAll(resp.Body)
	check(t, errors.Join(err, resp.Body.Close()))
	if !bytes.Equal(body, page(0, 3000).Payload) {
		t.Errorf("the copy of the revisit has %d bytes", len(body))
	}
	check(t, os.Remove(path))
	if _, err := kept[0].Encoded(moved); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a file that is gone: %v", err)
	}
}

// A tail is what follows a place: over several files, complete or torn, and never read further
// than it has to be.
func TestTailAfter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	opt := options()
	opt.MaxBytes = 5000
	w, err := OpenWriter(dir, opt)
	check(t, err)
	var places []dowse.Place
	for i := range 6 {
		p, err := w.Append(Encode(nil, page(i, 3000)))
		check(t, err)
		places = append(places, p)
	}
	check(t, w.Close())
	paths, err := Files(dir)
	check(t, err)
	if len(paths) < 2 {
		t.Fatalf("%d files", len(paths))
	}
	for i, last := range append([]dowse.Place{{}}, places...) {
		tail, err := TailAfter(dir, last, 100)
		check(t, err)
		if want := len(places) - i; tail.Exchanges != want || tail.Pages != want {
			t.Errorf("after %d pages: %d exchanges, %d pages, want %d", i, tail.Exchanges, tail.Pages, want)
		}
		records := 0
		for _, f := range tail.Files {
			records += f.Records
		}
		if records != 3*(len(places)-i) {
			t.Errorf("after %d pages: %d records, want %d", i, records, 3*(len(places)-i))
		}
		if (tail.Bytes == 0) != (i == len(places)) {
			t.Errorf("after %d pages: %d bytes", i, tail.Bytes)
		}
	}
	if tail, err := TailAfter(dir, dowse.Place{}, 2); err != nil || tail.Exchanges < 3 {
		t.Errorf("bounded by 2: %d exchanges, %v, want one more than the bound", tail.Exchanges, err)
	}
	if tail, err := TailAfter(filepath.Join(dir, "gone"), dowse.Place{}, 5); err != nil || tail.Bytes != 0 || len(tail.Files) != 0 {
		t.Errorf("of a folder that is not there: %+v, %v", tail, err)
	}
	f, err := os.OpenFile(paths[len(paths)-1], os.O_APPEND|os.O_WRONLY, 0)
	check(t, err)
	_, err = f.WriteString("half a record")
	check(t, errors.Join(err, f.Close()))
	if tail, err := TailAfter(dir, places[5], 5); err != nil || tail.Bytes != 13 || tail.Exchanges != 0 || len(tail.Files) != 1 || tail.Files[0].Records != 0 {
		t.Errorf("a torn end: %+v, %v", tail, err)
	}
}

// A file that is missing between others, and a record that the files do not reach, are found
// without reading.
func TestMissing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	opt := options()
	opt.MaxBytes = 3000
	w, err := OpenWriter(dir, opt)
	check(t, err)
	var last dowse.Place
	for i := range 4 {
		last, err = w.Append(Encode(nil, page(i, 4000)))
		check(t, err)
	}
	check(t, w.Close())
	paths, err := Files(dir)
	check(t, err)
	if len(paths) < 3 {
		t.Fatalf("%d files", len(paths))
	}
	if n, missing := MissingFile(dir); missing {
		t.Errorf("file %d is missing in a sound folder", n)
	}
	if _, missing := MissingFile(filepath.Join(dir, "gone")); missing {
		t.Error("a folder that is not there lacks a file")
	}
	for _, p := range []dowse.Place{{}, last} {
		if err := Reaches(dir, p); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for want, p := range map[string]dowse.Place{
		"no file other.warc.gz": {File: "other.warc.gz"},
		"bytes of":              {File: last.File, Offset: last.Offset, Length: last.Length + 1},
	} {
		if err := Reaches(dir, p); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", p, err, want)
		}
	}
	check(t, os.Remove(paths[1]))
	if n, missing := MissingFile(dir); !missing || n != 1 {
		t.Errorf("file %d is missing: %v, want file 1", n, missing)
	}
}

// What Recover removes is described with the file and the bytes.
func TestCutsInWords(t *testing.T) {
	for c, want := range map[Cut]string{
		{File: "a.warc.gz", Size: 10, Bytes: 5}: "cut 5 bytes off a.warc.gz: they were not committed",
		{File: "a.warc.gz", Bytes: 5}:           "removed a.warc.gz: its 5 bytes were not committed",
	} {
		if c.String() != want {
			t.Errorf("%q, want %q", c, want)
		}
	}
}

// Size reads a record to its end, where its checksum is: a body that was read without an error
// is known to be sound only then.
func TestSizeChecksTheChecksum(t *testing.T) {
	path, places := written(t, 1)
	data, err := os.ReadFile(path)
	check(t, err)
	data[places[0].Offset+places[0].Length-6] ^= 1 // in the checksum of the gzip member
	check(t, os.WriteFile(path, data, 0o644))
	rec, err := At(path, places[0].Offset)
	check(t, err)
	defer rec.Close()
	resp, err := rec.Response()
	check(t, err)
	if _, err := io.ReadAll(resp.Body); err != nil {
		t.Logf("the body itself is refused: %v", err)
	}
	var d *DamageError
	if _, err := rec.Size(); !errors.As(err, &d) || d.Offset != places[0].Offset {
		t.Errorf("%v, want a DamageError at %d", err, places[0].Offset)
	}
}
