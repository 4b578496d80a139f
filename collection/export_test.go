package collection_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dowse"
	"dowse/collection"
	"dowse/internal/archive"
)

func export(t testing.TB, c *collection.Collection, name string, opt collection.ExportOptions) (string, int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	n, err := c.Export(context.Background(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	left = slices.DeleteFunc(left, func(name string) bool { return name == path || name == path+".card.md" || name == path+".card.json" })
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	return path, n
}

// unpacked reads a file, unpacked if its suffix is that of gzip or zstd.
func unpacked(t testing.TB, path string) []byte {
	t.Helper()
	b := readAll(t, path)
	var r io.Reader = bytes.NewReader(b)
	var err error
	switch filepath.Ext(path) {
	case ".gz":
		r, err = gzip.NewReader(r)
	case ".zst":
		r, err = zstd.NewReader(r)
	}
	if err == nil {
		b, err = io.ReadAll(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func jsonLines(t testing.TB, b []byte) (lines []map[string]any) {
	t.Helper()
	s := bufio.NewScanner(bytes.NewReader(b))
	s.Buffer(nil, 16<<20)
	for s.Scan() {
		var m map[string]any
		if err := json.Unmarshal(s.Bytes(), &m); err != nil {
			t.Fatalf("%v in %.200s", err, s.Bytes())
		}
		lines = append(lines, m)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestExportJSONL(t *testing.T) {
	sequential(t)
	c := open(t, madeDir(t), true)
	st := c.Crawl.Status()
	for name, want := range map[string]struct {
		opt   collection.ExportOptions
		lines int
	}{
		"a.jsonl":     {collection.ExportOptions{}, st.OnTopic},
		"a.jsonl.gz":  {collection.ExportOptions{All: true}, st.Fetched},
		"a.jsonl.zst": {collection.ExportOptions{All: true, Text: "all", Distinct: "none"}, st.Fetched},
		"b.jsonl":     {collection.ExportOptions{Fields: []string{"title", "url", "text"}, Distinct: "none"}, st.OnTopic},
	} {
		path, n := export(t, c, name, want.opt)
		lines := jsonLines(t, unpacked(t, path))
		if len(lines) != want.lines || n != want.lines {
			t.Errorf("%s: %d lines, a count of %d, want %d", name, len(lines), n, want.lines)
		}
		for _, l := range lines {
			if text, ok := l["text"].(string); (want.opt.Text != "" || name == "b.jsonl") != (ok && len(text) > 100) {
				t.Errorf("%s: text %.50q", name, text)
			}
			if name == "b.jsonl" && len(l) != 3 || l["url"] == nil || l["title"] == nil {
				t.Errorf("%s: %v", name, l)
			}
		}
	}
	if _, err := c.Export(context.Background(), filepath.Join(t.TempDir(), "a.jsonl"), collection.ExportOptions{Fields: []string{"beauty"}}); err == nil {
		t.Error("a field that is none was taken")
	}
}

func TestExportCSV(t *testing.T) {
	sequential(t)
	c := open(t, madeDir(t), true)
	path, n := export(t, c, "a.csv.gz", collection.ExportOptions{All: true, Text: "all", Distinct: "none"})
	rows, err := csv.NewReader(bytes.NewReader(unpacked(t, path))).ReadAll()
	if err != nil || len(rows) != n+1 || n != madePages {
		t.Fatalf("%v: %d rows, %d pages", err, len(rows), n)
	}
	for _, row := range rows {
		for i, cell := range row {
			if cell != "" && strings.ContainsRune("=+@\t\r", rune(cell[0])) {
				t.Errorf("column %s begins a formula: %.50q", rows[0][i], cell)
			}
		}
	}
}

func TestExportStdout(t *testing.T) {
	c := open(t, madeDir(t), true)
	var b bytes.Buffer
	n, err := c.Export(context.Background(), "-", collection.ExportOptions{Format: "csv", Stdout: &b, Fields: []string{"url"}})
	if err != nil || strings.Count(b.String(), "\n") != n+1 {
		t.Errorf("%v: %d pages in %q", err, n, b.String())
	}
}

func TestExportWARC(t *testing.T) {
	c := open(t, madeDir(t), true)
	path, n := export(t, c, "on.warc.gz", collection.ExportOptions{On: true})
	r, err := archive.Verify(path)
	if err != nil || !r.OK() {
		t.Fatalf("%v %v", err, r.Problems)
	}
	web, err := archive.OpenWeb(path)
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	recorded := map[dowse.URL]bool{}
	for u := range web.URLs() {
		recorded[u] = true
	}
	rows := list(t, c, collection.Filter{On: true})
	for _, row := range rows {
		if !recorded[row.URL] {
			t.Errorf("%s is missing", row.URL)
		}
	}
	if n != len(rows) || r.Types["response"]+r.Types["revisit"] < n {
		t.Errorf("%d pages, %d rows, %v records", n, len(rows), r.Types)
	}
}

func TestExportWACZ(t *testing.T) {
	c := open(t, madeDir(t), true)
	st := c.Crawl.Status()
	for name, want := range map[string]struct {
		opt   collection.ExportOptions
		pages int
	}{
		"all.wacz":   {collection.ExportOptions{}, st.Fetched},
		"on.wacz":    {collection.ExportOptions{On: true}, st.OnTopic},
		"since.wacz": {collection.ExportOptions{Since: time.Now().Add(time.Hour)}, 0},
	} {
		path, n := export(t, c, name, want.opt)
		p, err := archive.VerifyWACZ(path)
		if err != nil || !p.OK() || n != want.pages {
			t.Errorf("%s: %v, %d pages, want %d: %+v", name, err, n, want.pages, p)
			continue
		}
		paths := ""
		for _, r := range p.Resources {
			paths += r.Path + " "
		}
		for _, part := range []string{"pages/pages.jsonl", "topic.yaml", "crawl.yaml", "indexes/index.cdx.gz", "indexes/index.idx", ".warc.gz"} {
			if !strings.Contains(paths, part) {
				t.Errorf("%s: no %s in %s", name, part, paths)
			}
		}
		if strings.Contains(paths, "extraPages") == want.opt.On {
			t.Errorf("%s: extra pages in %s", name, paths)
		}
	}
}

// The same collection gives the same archives, whenever they are written.
func TestArchivesAreReproducible(t *testing.T) {
	c := open(t, madeDir(t), true)
	for _, name := range []string{"a.wacz", "a.warc.gz", "on.wacz"} {
		opt := collection.ExportOptions{On: name == "on.wacz"}
		first, _ := export(t, c, name, opt)
		was, err := os.ReadFile(first)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond) // archives have times in milliseconds
		second, _ := export(t, c, name, opt)
		if is, err := os.ReadFile(second); err != nil || !bytes.Equal(is, was) {
			t.Errorf("%s: %v; other bytes at another time", name, err)
		}
	}
}

// TestWACZKeepsSecrets checks that a WACZ does not hold what would show whether a given
// URL was taken down, nor a path of this machine.
func TestWACZKeepsSecrets(t *testing.T) {
	c := open(t, madeDir(t), true)
	c.Settings.Forgotten, c.Settings.TopicDir = []string{"00112233445566778899aabbccddeeff"}, "/home/someone/topics"
	path, _ := export(t, c, "a.wacz", collection.ExportOptions{})
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open("crawl.yaml")
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if err != nil || !strings.Contains(string(data), "strategy: ") {
		t.Fatalf("%v: %s", err, data)
	}
	for _, secret := range []string{fmt.Sprint(c.Settings.Key), "00112233", "someone"} {
		if strings.Contains(string(data), secret) {
			t.Errorf("crawl.yaml holds %s:\n%s", secret, data)
		}
	}
}

// Every known URL has an event, and why answers for each URL of an event.
func TestExportDecisions(t *testing.T) {
	sequential(t)
	c := open(t, madeDir(t), true)
	path, n := export(t, c, "a.decisions.jsonl.zst", collection.ExportOptions{})
	lines := jsonLines(t, unpacked(t, path))
	if len(lines) != n {
		t.Errorf("%d lines, a count of %d", len(lines), n)
	}
	events := map[string]int{}
	named := map[dowse.URL]bool{}
	for _, l := range lines {
		event := l["event"].(string)
		events[event]++
		u := dowse.URL(l["url"].(string))
		if !named[u] && event != collection.EventRobots {
			if _, err := c.Why(u); err != nil {
				t.Errorf("%v", err)
			}
		}
		named[u] = true
		if event == collection.EventSkipped && l["reason"] == nil {
			t.Errorf("skipped without a reason: %v", l)
		}
	}
	for id := range c.Crawl.Frontier().Len() {
		if u := c.URL(idOf(id)); !named[u] {
			t.Errorf("no event is about %s", u)
		}
	}
	if events[collection.EventFetched] != madePages || events[collection.EventJudged] != madePages {
		t.Errorf("events %v", events)
	}
}

func TestExportRefuses(t *testing.T) {
	c := open(t, madeDir(t), true)
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if _, err := c.Export(ctx, path, collection.ExportOptions{}); !errors.Is(err, collection.ErrExists) || string(readAll(t, path)) != "mine" {
		t.Errorf("a file was replaced: %v", err)
	}
	if _, err := c.Export(ctx, path, collection.ExportOptions{Force: true}); err != nil || len(readAll(t, path)) < 100 {
		t.Errorf("a file was not replaced: %v", err)
	}
	_, err := c.Export(ctx, filepath.Join(dir, "a.docx"), collection.ExportOptions{})
	if !errors.Is(err, collection.ErrSuffix) || !strings.Contains(err.Error(), ".wacz") || !strings.Contains(err.Error(), ".jsonl") {
		t.Errorf("an unknown suffix: %v", err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.Export(stopped, filepath.Join(dir, "b.jsonl"), collection.ExportOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("an export that was interrupted: %v", err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 3 { // a.jsonl and its card
		t.Errorf("left behind: %v", names)
	}
}

// TestProgressOfALimit: an export with a limit reports how much of the limit it has, not how few of all pages it
// has looked at.
func TestProgressOfALimit(t *testing.T) {
	sequential(t)
	c := open(t, madeDir(t), true)
	ends := map[int]int{} // the totals that were reported, with how far each came
	n, err := c.Export(t.Context(), filepath.Join(t.TempDir(), "a.jsonl"), collection.ExportOptions{
		All: true, Limit: 40, Progress: func(done, total int) { ends[total] = max(ends[total], done) },
	})
	if err != nil || n != 40 {
		t.Fatalf("%d pages, %v; want 40", n, err)
	}
	if len(ends) != 1 || ends[40] == 0 {
		t.Errorf("progress by total: %v, want parts of 40", ends)
	}
}
