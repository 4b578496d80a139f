package archive

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

func lines(pages ...PageLine) iter.Seq2[PageLine, error] {
	return func(yield func(PageLine, error) bool) {
		for _, p := range pages {
			if !yield(p, nil) {
				return
			}
		}
	}
}

func packed(t *testing.T) (*WACZ, []byte) {
	t.Helper()
	path, _ := written(t, 3)
	extra := filepath.Join(t.TempDir(), "topic.yaml")
	check(t, os.WriteFile(extra, []byte("words: [tide pool]\n"), 0o666))
	p := &WACZ{
		Archives: []string{path}, Title: "Tide pools", Created: noon,
		Pages: lines(PageLine{URL: "http://example.org/page/0", At: noon, Title: "A <b> & ☂", Relevance: 0.83, Why: "tide pool 0.41"},
			PageLine{URL: "http://example.org/page/1", At: noon, Relevance: 0.7, Parent: "http://example.org/page/0"}),
		ExtraPages: lines(PageLine{URL: "http://example.org/page/2", At: noon}),
		Files:      []PackedFile{{"topic/topic.yaml", extra}},
		Home:       PageLine{URL: "http://example.org/page/0", At: noon},
	}
	var b bytes.Buffer
	check(t, WriteWACZ(&b, *p))
	return p, b.Bytes()
}

func TestWACZ(t *testing.T) {
	p, b := packed(t)
	var again bytes.Buffer
	check(t, WriteWACZ(&again, *p))
	if !bytes.Equal(b, again.Bytes()) {
		t.Error("the same parts gave other bytes")
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	check(t, err)
	var names []string
	files := map[string]string{}
	for _, f := range z.File {
		names = append(names, f.Name)
		r, err := f.Open()
		check(t, err)
		text, err := io.ReadAll(r)
		check(t, err)
		files[f.Name] = string(text)
		if stored := f.Method == zip.Store; stored != (strings.HasPrefix(f.Name, "archive/") || strings.HasPrefix(f.Name, "indexes/")) {
			t.Errorf("%s: stored is %v", f.Name, stored)
		}
	}
	if got := strings.Join(names, " "); got != "archive/"+filepath.Base(p.Archives[0])+" indexes/index.cdx.gz indexes/index.idx pages/pages.jsonl pages/extraPages.jsonl topic/topic.yaml datapackage.json datapackage-digest.json" {
		t.Errorf("entries: %s", got)
	}
	wantPages := `{"format":"json-pages-1.0","id":"pages","title":"Pages"}
{"id":"d1c9","url":"http://example.org/page/0","ts":"2026-11-15T12:00:00.123Z","title":"A <b> & ☂","relevance":0.83,"why":"tide pool 0.41"}
`
	got := strings.Split(files["pages/pages.jsonl"], "\n")
	if want := strings.Split(wantPages, "\n"); got[0] != want[0] || len(got) != 4 || dropID(got[1]) != dropID(want[1]) {
		t.Errorf("pages: %s", files["pages/pages.jsonl"])
	}
	var d map[string]any
	check(t, json.Unmarshal([]byte(files["datapackage.json"]), &d))
	if d["profile"] != "data-package" || d["wacz_version"] != "1.1.1" || d["created"] != "2026-11-15T12:00:00.123Z" || len(d["resources"].([]any)) != 6 {
		t.Errorf("description: %s", files["datapackage.json"])
	}
	if h := d["home"].(map[string]any); h["url"] != "http://example.org/page/0" || h["ts"] != "2026-11-15T12:00:00.123Z" {
		t.Errorf("home: %v", h)
	}
}

// dropID leaves out what is only a hash, and undoes what json does to < and &.
func dropID(line string) string {
	_, rest, _ := strings.Cut(line, `,"url"`)
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(rest)
}

func TestVerifyWACZ(t *testing.T) {
	_, b := packed(t)
	path := filepath.Join(t.TempDir(), "x.wacz")
	check(t, os.WriteFile(path, b, 0o666))
	p, err := VerifyWACZ(path)
	check(t, err)
	if !p.OK() || p.Version != "1.1.1" || p.Title != "Tide pools" || len(p.Resources) != 6 {
		t.Errorf("%+v", p)
	}
	for what, change := range map[string]func(name, text string) (string, string, bool){
		"a changed page": func(n, s string) (string, string, bool) { return n, strings.Replace(s, "0.83", "0.99", 1), true },
		"a missing file": func(n, s string) (string, string, bool) { return n, s, n != "pages/extraPages.jsonl" },
		"a renamed file": func(n, s string) (string, string, bool) { return strings.Replace(n, "topic/", "other/", 1), s, true },
		"a longer file":  func(n, s string) (string, string, bool) { return n, strings.Replace(s, "words:", "words: ", 1), true },
		"a longer listing": func(n, s string) (string, string, bool) {
			return n, strings.Replace(s, "Tide pools", "Tide Pools", 1), true
		},
	} {
		check(t, os.WriteFile(path, rezipped(t, b, change), 0o666))
		p, err := VerifyWACZ(path)
		check(t, err)
		if p.OK() {
			t.Errorf("%s was not noticed", what)
		}
	}
	check(t, os.WriteFile(path, []byte("hello"), 0o666))
	if _, err := VerifyWACZ(path); err == nil {
		t.Error("a text was read as WACZ")
	}
}

func rezipped(t *testing.T, b []byte, change func(name, text string) (string, string, bool)) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	check(t, err)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range z.File {
		r, err := f.Open()
		check(t, err)
		text, err := io.ReadAll(r)
		check(t, err)
		name, s, keep := change(f.Name, string(text))
		if !keep {
			continue
		}
		e, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: f.Method})
		check(t, err)
		io.WriteString(e, s)
	}
	check(t, w.Close())
	return out.Bytes()
}

func TestWACZFails(t *testing.T) {
	path, _ := written(t, 1)
	broken := errors.New("no more pages")
	for what, p := range map[string]WACZ{
		"two of one name": {Archives: []string{path, path}},
		"no such file":    {Archives: []string{path + "x"}},
		"a way out":       {Files: []PackedFile{{"../../etc/passwd", path}}},
		"failing pages":   {Pages: func(yield func(PageLine, error) bool) { yield(PageLine{}, broken) }},
	} {
		if err := WriteWACZ(io.Discard, p); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// TestWACZReplays serves the pages of a WACZ from within it.
func TestWACZReplays(t *testing.T) {
	p, b := packed(t)
	path := filepath.Join(t.TempDir(), "x.wacz")
	check(t, os.WriteFile(path, b, 0o666))
	sameWeb(t, path, p.Archives[0])
	check(t, os.WriteFile(path, b[:len(b)/2], 0o666))
	if _, err := OpenWeb(path); err == nil {
		t.Error("half a WACZ was opened")
	}
}

// TestIndexBlocks checks that every line of an index of several blocks is in the block that the
// list of blocks names for it.
func TestIndexBlocks(t *testing.T) {
	var index strings.Builder
	for i := range 2*blockLines + 1 {
		fmt.Fprintf(&index, "org,example)/%04d 20261115120000 {\"url\":\"http://example.org/%d\"}\n", i, i)
	}
	var blocks, list bytes.Buffer
	check(t, writeBlocks(&blocks, &list, strings.NewReader(index.String())))
	lines := strings.Split(strings.TrimSpace(list.String()), "\n")
	if len(lines) != 4 {
		t.Fatalf("list:\n%s", &list)
	}
	var all strings.Builder
	for i, line := range lines[1:] {
		var b indexBlock
		first, object, _ := strings.Cut(line, " {")
		check(t, json.Unmarshal([]byte("{"+object), &b))
		z, err := gzip.NewReader(bytes.NewReader(blocks.Bytes()[b.Offset : b.Offset+int64(b.Length)]))
		check(t, err)
		text, err := io.ReadAll(z)
		check(t, err)
		if want := fmt.Sprintf("org,example)/%04d 20261115120000", i*blockLines); first != want || !strings.HasPrefix(string(text), want) {
			t.Errorf("block %d begins with %s, want %s", i, first, want)
		}
		all.Write(text)
	}
	if all.String() != index.String() {
		t.Error("the blocks together are another index")
	}
	check(t, writeBlocks(io.Discard, io.Discard, strings.NewReader("")))
}
