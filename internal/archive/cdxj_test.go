package archive

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/internal/shareddata"
)

func TestIndex(t *testing.T) {
	dir := t.TempDir()
	w, err := OpenWriter(dir, options())
	check(t, err)
	var first Encoded
	for i, u := range []dowse.URL{"http://www.example.org/b?x=1", "http://example.org/a", "https://sub.example.org/"} {
		ex := page(i, 100)
		ex.URL = u
		e := Encode(nil, ex)
		_, err := w.Append(e)
		check(t, err)
		if i == 0 {
			first = e
		}
	}
	again := page(0, 100)
	again.URL, again.At = "http://example.org/a", noon.Add(time.Hour)
	_, err = w.Append(EncodeRevisit(nil, again, first.Original))
	check(t, err)
	check(t, w.Close())

	var b bytes.Buffer
	check(t, Index(&b, filepath.Join(dir, w.name)))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 4 || !slices.IsSorted(lines) {
		t.Fatalf("lines: %q", lines)
	}
	want := `org,example)/a 20261115120001 {"url":"http://example.org/a","digest":"sha1:`
	if !strings.HasPrefix(lines[0], want) {
		t.Errorf("got %s\nwant %s…", lines[0], want)
	}
	var keys []string
	for _, line := range lines {
		c, err := ParseCapture(line)
		check(t, err)
		if c.String() != line {
			t.Errorf("read and written again:\n%s\n%s", c, line)
		}
		keys = append(keys, c.Key+" "+c.MIME)
		rec, err := At(filepath.Join(dir, c.Place.File), c.Place.Offset)
		check(t, err)
		if size, err := rec.Size(); err != nil || size != c.Place.Length || rec.Target() != c.URL || c.Status != 200 {
			t.Errorf("%s: %d %v %s", line, size, err, rec.Target())
		}
		rec.Close()
	}
	if got := strings.Join(keys, "\n"); got != "org,example)/a text/html\norg,example)/a warc/revisit\norg,example)/b?x=1 text/html\norg,example,sub)/ text/html" {
		t.Errorf("keys:\n%s", got)
	}
}

func TestIndexOfSamples(t *testing.T) {
	paths, err := filepath.Glob(shareddata.Path(t, "data", "warc") + "/*")
	check(t, err)
	var b bytes.Buffer
	check(t, Index(&b, paths...))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if !slices.IsSorted(lines) {
		t.Error("the lines are not sorted")
	}
	for _, line := range lines {
		c, err := ParseCapture(line)
		if err != nil || c.Place.Length == 0 {
			t.Errorf("%s: %v", line, err)
		}
	}
	t.Logf("%d captures", len(lines))
}

func TestIndexRefusesOneMember(t *testing.T) {
	path := suiteDir + "/example-bad-non-chunked.warc.gz"
	sample(t, path)
	if err := Index(&bytes.Buffer{}, path); err == nil || !strings.Contains(err.Error(), "share one gzip member") {
		t.Errorf("error: %v", err)
	}
}

func TestParseCapture(t *testing.T) {
	pywb := `com,example)/ 20170306040206 {"url": "http://example.com/", "mime": "text/html", "status": "200", "digest": "G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK", "length": "1228", "offset": "784", "filename": "example.warc.gz"}`
	c, err := ParseCapture(pywb)
	check(t, err)
	if c.Status != 200 || c.Place != (dowse.Place{File: "example.warc.gz", Offset: 784, Length: 1228}) || !c.At.Equal(time.Date(2017, 3, 6, 4, 2, 6, 0, time.UTC)) {
		t.Errorf("%+v", c)
	}
	numbers := `com,example)/ 20170306040206123 {"url":"http://example.com/","status":200,"offset":784,"length":1228,"filename":"x"}`
	if c, err = ParseCapture(numbers); err != nil || c.Status != 200 || c.Place.Offset != 784 || c.At.Nanosecond() != 123e6 {
		t.Errorf("%+v %v", c, err)
	}
	for _, line := range []string{"", " ", "a", "a b", "a 2017 {}", "!meta 20170306040206 {}", "a 20170306040206 {", "a 20170306040206 []",
		`a 20170306040206 {"offset":"x"}`, `a 20170306040206 {"offset":-1}`, `a 20170306040206 {"status":"99999"}`, `a 20170306040206 {"offset":[1]}`} {
		if _, err := ParseCapture(line); err == nil {
			t.Errorf("%q was read", line)
		}
	}
}
