package archive

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dowse"
)

func TestCopy(t *testing.T) {
	path, places := written(t, 6)
	out := filepath.Join(t.TempDir(), "some.warc.gz")
	f, err := os.Create(out)
	check(t, err)
	n, err := Copy(f, filepath.Dir(path), []dowse.Place{places[4], places[1]}, options(), nil)
	check(t, err)
	check(t, f.Close())
	if n != 6 {
		t.Errorf("%d records copied, want 6", n)
	}
	recs, _ := readFile(t, out)
	if kinds(recs) != "warcinfo request metadata response request metadata response" {
		t.Error(kinds(recs))
	}
	if recs[3].Target() != "http://example.org/page/1" || recs[6].Target() != "http://example.org/page/4" {
		t.Errorf("%s, %s", recs[3].Target(), recs[6].Target())
	}
	sound(t, out)
	foreignReaders(t, out, 7)
}

// TestCopyFromOthers copies from files that order and compress otherwise.
func TestCopyFromOthers(t *testing.T) {
	for name, companions := range map[string]int{"iipc-IAH-urls-wget.warc": 2, "ukwa-govuk1.warc.gz": 3, "cc-whirlwind.warc.gz": 3} {
		b := sample(t, filepath.Join(sampleDir, name))
		var place dowse.Place
		for rec, err := range Records(bytes.NewReader(b)) {
			check(t, err)
			if rec.Type() == "response" && rec.isHTTP() {
				place = dowse.Place{File: name, Offset: rec.Offset}
				break
			}
		}
		out := filepath.Join(t.TempDir(), "some.warc.gz")
		f, err := os.Create(out)
		check(t, err)
		n, err := Copy(f, sampleDir, []dowse.Place{place}, options(), nil)
		check(t, err)
		check(t, f.Close())
		if n != companions {
			t.Errorf("%s: %d records, want %d", name, n, companions)
		}
		sound(t, out)
	}
}

func TestCopyOfNothing(t *testing.T) {
	path, places := written(t, 2)
	dir := filepath.Dir(path)
	var b bytes.Buffer
	if n, err := Copy(&b, dir, nil, options(), nil); n != 0 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	for _, p := range []dowse.Place{{File: "none.warc.gz"}, {File: places[0].File, Offset: places[0].Offset + 1}, {File: "../" + places[0].File + "x"}} {
		if _, err := Copy(&b, dir, []dowse.Place{p}, options(), nil); err == nil {
			t.Errorf("%v was copied", p)
		}
	}
}

func TestErase(t *testing.T) {
	path, places := written(t, 6)
	before, err := os.ReadFile(path)
	check(t, err)
	n, err := Erase(path, noon.Add(time.Hour), places[1].Offset, places[2].Offset, places[4].Offset)
	check(t, err)
	if n != 9 {
		t.Errorf("%d records erased, want 9", n)
	}
	after, err := os.ReadFile(path)
	check(t, err)
	if len(after) != len(before) {
		t.Fatalf("%d bytes, there were %d", len(after), len(before))
	}
	recs, blocks := readFile(t, path)
	gone := 0
	for i, rec := range recs {
		if rec.Type() == "metadata" && strings.HasPrefix(blocks[i], "erased ") {
			gone++
		}
	}
	const left = 1 + 3*3 + 2 // neighbours share a blank
	if len(recs) != left || gone != 2 {
		t.Errorf("%d records, %d blanks", len(recs), gone)
	}
	sound(t, path)
	foreignReaders(t, path, left)
	web, err := OpenWeb(path)
	check(t, err)
	defer web.Close()
	for i, p := range places {
		got := fetched(t, web, string(page(i, 1).URL))
		if erased := i == 1 || i == 2 || i == 4; erased != strings.HasPrefix(got, "404") {
			t.Errorf("page %d: %.60q", i, got)
		} else if !erased {
			if now, _ := web.Place(page(i, 1).URL); now.Offset != p.Offset {
				t.Errorf("page %d moved from %d to %d", i, p.Offset, now.Offset)
			}
		}
	}
	if _, err := os.Stat(path + ".tmp"); err == nil {
		t.Error("a temporary file is left")
	}
}

func TestEraseRefuses(t *testing.T) {
	path, places := written(t, 2)
	before, _ := os.ReadFile(path)
	if n, err := Erase(path, noon); n != 0 || err != nil {
		t.Errorf("nothing: %d %v", n, err)
	}
	if _, err := Erase(path, noon, places[0].Offset+1); err == nil {
		t.Error("erased where no record is")
	}
	small := filepath.Join(t.TempDir(), "small.warc")
	check(t, os.WriteFile(small, []byte("WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"), 0o666))
	if _, err := Erase(small, noon, 0); !errors.Is(err, ErrSmall) {
		t.Errorf("a small record: %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file changed")
	}
}

// TestBlanks makes blanks of all lengths near those where the number of stored
// blocks or digits changes.
func TestBlanks(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	for _, around := range []int{400, 65_540, 65_558, 131_098, 10_000_000} {
		for n := around - 30; n < around+30; n++ {
			b, err := zippedBlank(n, noon, 7)
			check(t, err)
			if len(b) != n {
				t.Fatalf("blank of %d bytes has %d", n, len(b))
			}
			if n%7 != 0 && n > 1e6 {
				continue
			}
			recs, _, err := read(bytes.NewReader(b))
			if err != nil || len(recs) != 1 || recs[0].ended != 4 {
				t.Fatalf("blank of %d bytes: %d records, %v", n, len(recs), err)
			}
		}
	}
}

// TestShortestFitsABlank: what Encode writes can always be erased.
func TestShortestFitsABlank(t *testing.T) {
	e := Encode(nil, &Exchange{URL: "a:b", At: noon, ResponseHead: []byte("HTTP/1.1 200 OK")})
	if _, err := zippedBlank(e.Length, noon, 1e9); err != nil {
		t.Errorf("%d bytes: %v", e.Length, err)
	}
}
