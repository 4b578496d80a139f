package crawler_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/crawler"
	"dowse/topic"
)

// Examples that can't be had are mistakes in the topic's file: place, cause, what to do.
func TestMissingExamplesHaveAPlace(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	defer gone.Close()
	const head = "dowse: topic/v1\nname: reefs\nwords: [coral reef]\n"
	for _, tt := range []struct {
		name, file   string
		line, column int
		problem, fix string // parts of what it says
	}{
		{"file", head + "like:\n  - text: a reef\n  - file: nowhere/*.html\n", 6, 5, "like: file nowhere/*.html: no file matches", "folder of the topic file"},
		{"file in unlike", head + "unlike: [{text: bread}, {file: none.html}]\n", 4, 25, "unlike: file none.html", "folder of the topic file"},
		{"the same file in both", head + "like: [{file: a.html}]\nunlike: [{file: none.html}]\n", 5, 10, "unlike: file none.html", "correct the name"},
		{"WARC", head + "like:\n  - {warc: none.warc.gz}\n", 5, 5, "like: warc none.warc.gz: open", "correct the name"},
		{"not a WARC", head + "like: [{warc: a.html}]\n", 4, 8, "like: warc a.html: a.html: archive: record at offset 0", ".warc.gz"},
		{"a WARC without pages", head + "like: [{warc: empty.warc, match: /x/}]\n", 4, 8, "no page in it", "match:"},
		{"collection", head + "like: [{collection: none.dowse}]\n", 4, 8, "not a collection", "crawl.yaml"},
		{"URL", head + "like:\n- URL/gone\n", 5, 3, "/gone: no page in it", "browser"},
		{"URL among others", head + "like:\n- {file: a.html}\n- {url: URL/gone}\n", 6, 3, "404", "name another page"},
		{"site", head + "like: [{site: URL/}]\n", 4, 8, "like: site", "name another site"},
		{"category", head + "category:\n  directory: none.rdf\n  path: A/B\n", 5, 3, "category: A/B of none.rdf", "directory: and path:"},
		{"model", head + "model: none.json\n", 4, 8, "model: none.json: open", "models/m0001.json"},
		{"not a model", head + "model: {file: a.html}\n", 4, 8, "model: a.html:", "models/m0001.json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "reefs.yaml")
			for name, text := range map[string]string{
				"reefs.yaml": strings.ReplaceAll(tt.file, "URL", gone.URL), "a.html": "<title>Reefs</title><p>coral reef", "empty.warc": "",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			to, err := topic.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = crawler.Gather(t.Context(), to, local)
			var e *topic.SourceError
			if !errors.As(err, &e) || e.At == nil {
				t.Fatalf("%v: want an error with a place", err)
			}
			if e.At.File != path || e.At.Line != tt.line || e.At.Column != tt.column {
				t.Errorf("%v: want it at %d:%d", e, tt.line, tt.column)
			}
			if !strings.Contains(e.At.Problem, tt.problem) || !strings.Contains(e.At.Fix, tt.fix) || !strings.HasPrefix(e.Error(), path+":") {
				t.Errorf("%v: want %q and %q", e, tt.problem, tt.fix)
			}
		})
	}
}

// A topic that is no file has no place, and without an identity its file is not to blame.
func TestMissingExamplesWithoutAPlace(t *testing.T) {
	to := &topic.Topic{Name: "x", Like: []topic.Source{{File: "none.html"}}}
	_, err := crawler.Gather(t.Context(), to, local)
	if err == nil || !strings.HasPrefix(err.Error(), "topic: x: file none.html: ") {
		t.Error(err)
	}
	to.Like = []topic.Source{{URL: "http://reefs.example/"}}
	_, err = crawler.Gather(t.Context(), to, crawler.Config{})
	var e *topic.SourceError
	if !errors.Is(err, crawler.ErrIdentity) || errors.As(err, &e) {
		t.Error(err)
	}
}
