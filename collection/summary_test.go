package collection_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dowse/collection"
	"dowse/internal/archive"
)

var views = []string{"pages/pages.jsonl", "pages/extraPages.jsonl", "log/crawl.log", "indexes/index.cdxj", "README.md", "state/summary.json"}

func readViews(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range views {
		all[name] = string(readAll(t, filepath.Join(dir, name)))
	}
	return all
}

func sameViews(t *testing.T, got, want map[string]string) {
	t.Helper()
	for _, name := range views {
		if got[name] != want[name] {
			t.Errorf("%s differs: %d bytes, want %d", name, len(got[name]), len(want[name]))
		}
	}
}

// The crawl stopped twice; what it wrote in two goes is what one go writes.
func TestSummariseInPiecesEqualsAtOnce(t *testing.T) {
	dir := copied(t)
	pieces := readViews(t, dir)
	for _, name := range views {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	c := open(t, dir, false)
	if err := c.Summarise(); err != nil {
		t.Fatal(err)
	}
	sameViews(t, readViews(t, dir), pieces)
	st := c.Crawl.Status()
	if n := strings.Count(pieces["pages/pages.jsonl"], "\n"); n != st.OnTopic+1 {
		t.Errorf("%d lines of pages on topic, want %d", n, st.OnTopic+1)
	}
	if n := strings.Count(pieces["pages/extraPages.jsonl"], "\n"); n != st.Fetched-st.OnTopic+1 {
		t.Errorf("%d lines of other pages, want %d", n, st.Fetched-st.OnTopic+1)
	}
}

// What a crash tore is mended: a torn line, a file that is gone or too short.
func TestSummariseMends(t *testing.T) {
	want := readViews(t, madeDir(t))
	for name, damage := range map[string]func(dir string) error{
		"torn line": func(dir string) error {
			f, err := os.OpenFile(filepath.Join(dir, "pages/pages.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString(`{"id":"12`)
			return err
		},
		"gone":      func(dir string) error { return os.Remove(filepath.Join(dir, "pages/extraPages.jsonl")) },
		"too short": func(dir string) error { return os.Truncate(filepath.Join(dir, "log/crawl.log"), 100) },
		"no memory": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "state/summary.json"), []byte("{"), 0o644)
		},
		"a flipped name":   func(dir string) error { return rewrite(dir, "pages/extra", "piges/extra") },
		"no files":         func(dir string) error { return rewrite(dir, `(?s)"files": \{.*?\}`, `"files": {}`) },
		"a flipped number": func(dir string) error { return rewrite(dir, `"journal": \d`, `"journal": 0`) },
		"a flipped index":  func(dir string) error { return rewrite(dir, `"indexed": \d`, `"indexed": 9`) },
		"no index":         func(dir string) error { return os.Remove(filepath.Join(dir, "indexes/index.cdxj")) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t)
			if err := damage(dir); err != nil {
				t.Fatal(err)
			}
			if err := open(t, dir, false).Summarise(); err != nil {
				t.Fatal(err)
			}
			sameViews(t, readViews(t, dir), want)
		})
	}
}

// rewrite changes a place of the summary.
func rewrite(dir, pattern, with string) error {
	name := filepath.Join(dir, "state/summary.json")
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	changed := regexp.MustCompile(pattern).ReplaceAll(old, []byte(with))
	if string(changed) == string(old) {
		return fmt.Errorf("%s is not in %s", pattern, old)
	}
	return os.WriteFile(name, changed, 0o644)
}

func TestViews(t *testing.T) {
	dir := madeDir(t)
	c := open(t, dir, true)
	all := readViews(t, dir)
	for _, line := range strings.Split(strings.TrimSpace(all["log/crawl.log"]), "\n") {
		if n := len(strings.Fields(line)); n != 12 {
			t.Errorf("%d columns in %q", n, line)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(all["indexes/index.cdxj"]), "\n") {
		if _, err := archive.ParseCapture(line); err != nil {
			t.Errorf("%v: %q", err, line)
		}
	}
	pages := jsonLines(t, []byte(all["pages/pages.jsonl"]))
	if pages[0]["format"] != "json-pages-1.0" {
		t.Errorf("header %v", pages[0])
	}
	for i, row := range list(t, c, collection.Filter{On: true}) {
		if pages[i+1]["url"] != string(row.URL) || pages[i+1]["title"] != row.Title || pages[i+1]["why"] == "" {
			t.Errorf("line %v, row %+v", pages[i+1], row)
		}
	}
	for _, want := range []string{"pools", "| pages fetched | 120 |", "link-context", "https://example.org/bot", "harvest"} {
		if !strings.Contains(all["README.md"], want) {
			t.Errorf("the data card does not contain %q:\n%s", want, all["README.md"])
		}
	}
	if err := c.Summarise(); err == nil {
		t.Error("a collection that is only read was written to")
	}
}
