package collection_test

import (
	"bytes"
	"context"
	"dowse/settings"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
)

// smallWeb answers with the pages of one host, by path.
type smallWeb map[string]string

func (w smallWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	body, ok := w[r.URL.Path]
	resp := &http.Response{
		StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
	if !ok {
		resp.StatusCode = 404
	}
	return resp, nil
}

func crawlSmall(t *testing.T, web smallWeb) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "small.dowse")
	c, err := crawler.Open(dir, crawler.Config{
		Words: []string{"barnacle"}, Seeds: []string{"http://small.test/"}, Settings: settings.Settings{Order: settings.Order{Strategy: "link-context"}, Identity: settings.Identity{Agent: "poolbot", Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
		Transport: web,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func page(title, links, text string) string {
	return fmt.Sprintf("<!doctype html><html><head><title>%s</title></head><body>%s<p>%s</p></body></html>", title, links, text)
}

// Titles and anchors of pages reach lists unchanged, and can't break out of their formats.
func TestHostileWords(t *testing.T) {
	formula := "=HYPERLINK(\"http://evil.test\",\"barnacle\")"
	web := smallWeb{
		"/":  page("barnacle \x1b[31m red\u202e", "<a href=/a>-1+cmd|' /C calc'!A0</a> <a href=/b>bad \xff\xfe bytes</a>", strings.Repeat("barnacle shell ", 50)),
		"/a": page(formula, "", strings.Repeat("barnacle rock ", 60)),
		"/b": page("\xff\xfe\xc0 barnacle", "", strings.Repeat("barnacle \xf0\x28 tide ", 60)),
	}
	c := open(t, crawlSmall(t, web), true)
	path, n := export(t, c, "a.jsonl", collection.ExportOptions{All: true, Text: "all", Distinct: "none"})
	lines := unpacked(t, path)
	if !utf8.Valid(lines) || len(jsonLines(t, lines)) != n || n != 3 {
		t.Errorf("%d pages, %q", n, lines)
	}
	path, _ = export(t, c, "a.csv", collection.ExportOptions{All: true})
	rows, err := csv.NewReader(bytes.NewReader(readAll(t, path))).ReadAll()
	if err != nil || !utf8.Valid(readAll(t, path)) {
		t.Fatal(err)
	}
	title, anchor := slices.Index(rows[0], "title"), slices.Index(rows[0], "anchor")
	for _, row := range rows[1:] {
		if strings.HasSuffix(row[0], "/a") && (row[title] != "'"+formula || row[anchor] != "'-1+cmd|' /C calc'!A0") {
			t.Errorf("title %q, anchor %q", row[title], row[anchor])
		}
	}
	if s := string(readAll(t, filepath.Join(c.Dir, "log/crawl.log"))); strings.ContainsAny(s, "\x1b\u202e") {
		t.Errorf("%q", s)
	}
	if v := verified(t, c); !v.OK() {
		t.Error(v.Problems)
	}
}

// A page that was kept as a reference has the body of its original, is exported
// with it and goes with it.
func TestCopies(t *testing.T) {
	twin := page("twin of barnacles", "", strings.Repeat("a barnacle on a rock at low tide ", 40))
	web := smallWeb{
		"/":      page("home", "<a href=/first>barnacle one</a> <a href=/second>barnacle two</a> <a href=/other>barnacle three</a>", strings.Repeat("barnacle shell ", 50)),
		"/first": twin, "/second": twin,
		"/other": page("other", "", strings.Repeat("barnacle zonation of the upper shore ", 30)),
	}
	dir := crawlSmall(t, web)
	c := open(t, dir, false)
	var places []string
	for _, row := range list(t, c, collection.Filter{}) {
		body, _, err := c.Body(&dowse.Page{URL: row.URL, Fetch: dowse.Fetch{Archive: row.Fetch.Archive}})
		if err != nil || string(body) != web[strings.TrimPrefix(string(row.URL), "http://small.test")] {
			t.Errorf("%s: %v, %.50q", row.URL, err, body)
		}
		places = append(places, fmt.Sprint(row.Fetch.Archive.Offset))
	}
	if len(places) != 4 {
		t.Fatalf("%d pages", len(places))
	}
	done, c := forget(t, c, "http://small.test/first")
	if !slices.Equal(done.Copies, []dowse.URL{"http://small.test/second"}) {
		t.Errorf("%+v", done)
	}
	if files := traces(t, dir, "twin of barnacles", ""); len(files) > 0 {
		t.Errorf("the title is still in %v", files)
	}
	if rows := list(t, c, collection.Filter{}); len(rows) != 2 {
		t.Errorf("%d pages are left", len(rows))
	}
	if v := verified(t, c); !v.OK() {
		t.Error(v.Problems)
	}
}
