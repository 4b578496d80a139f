package collection_test

import (
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/settings"
	"dowse/topic"
)

// A waveringWeb is a web whose owners change their minds: its pages have other wishes on the second day.
type waveringWeb struct{ day atomic.Int64 }

func (w *waveringWeb) now() time.Time {
	return time.Now().Add(time.Duration(w.day.Load()) * 40 * 24 * time.Hour)
}

// waverings are the paths of the pages, with the header that their answers have on each day and whether
// their text changes.
var waverings = []struct {
	path    string
	headers [2]string
	changes bool
}{
	{"/", [2]string{"", ""}, false},
	{"/later", [2]string{"", "X-Robots-Tag: noarchive"}, false},
	{"/later304", [2]string{"", "X-Robots-Tag: noarchive"}, false},
	{"/tdmlater", [2]string{"", "Tdm-Reservation: 1"}, false},
	{"/until", [2]string{"X-Robots-Tag: noarchive", ""}, false},
	{"/earlier", [2]string{"X-Robots-Tag: noarchive", ""}, true},
}

func (w *waveringWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: 404, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Request: r, ProtoMajor: 1, ProtoMinor: 1}
	body, day := "", w.day.Load()
	for i, p := range waverings {
		if r.URL.Path != p.path || r.URL.Host != "reef.test" {
			continue
		}
		answer.StatusCode = 200
		if name, value, ok := strings.Cut(p.headers[day], ": "); ok {
			answer.Header.Set(name, value)
		}
		answer.Header.Set("Etag", `"one"`)
		text := strings.Repeat(fmt.Sprintf("The coral reef number %d of %s has its own corals, and divers count them. ", i, strings.Repeat("x", i+1)), 9)
		if p.changes {
			text += fmt.Sprintf("On day %d secretword%d was written.", day, day)
		}
		body = "<title>Coral reef</title><p>" + text
		for _, q := range waverings {
			body += fmt.Sprintf(`<p><a href="%s">coral reef</a>`, q.path)
		}
		if strings.HasSuffix(p.path, "304") && r.Header.Get("If-None-Match") != "" {
			answer.StatusCode, body = 304, ""
		}
	}
	answer.Body = io.NopCloser(strings.NewReader(body))
	return answer, nil
}

// crawl crawls the web on its present day.
func (w *waveringWeb) crawl(t *testing.T, dir string, sink ...string) {
	t.Helper()
	c, err := crawler.Open(dir, crawler.Config{
		Topic: &topic.Topic{Name: "reef", Words: []string{"coral reef"}}, Seeds: []string{"http://reef.test/"}, Consent: crawler.Agree,
		Settings: settings.Settings{
			Order: settings.Order{Strategy: "breadth-first", Refresh: "7d"}, Identity: settings.Identity{Agent: "reefbot", Contact: "https://example.org/bot"},
			Politeness: settings.Politeness{Delay: -1, InFlight: 1}, Sinks: sink, SinkWait: time.Minute,
		}, Transport: w, Clock: w.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestWishesOfToday checks that the wishes of the last answer count, although the text has not changed: in an
// export, in a sink, and in an archive, which has no earlier version that was not to be archived either.
func TestWishesOfToday(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "out.jsonl")
	w := &waveringWeb{}
	crawlDir := filepath.Join(dir, "reef.dowse")
	w.crawl(t, crawlDir, "jsonl:"+file)
	listed := func() string {
		c := open(t, crawlDir, true)
		defer c.Close()
		name, _ := export(t, c, "list.jsonl", collection.ExportOptions{Text: "all", Distinct: "none", Respect: []string{"noarchive", "tdm"}})
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return paths(t, data)
	}
	if got, want := listed(), " later later304 tdmlater"; got != want {
		t.Errorf("on the first day %q, want %q", got, want)
	}
	w.day.Store(1)
	w.crawl(t, crawlDir)
	if got, want := listed(), " until earlier"; got != want {
		t.Errorf("on the second day %q, want %q", got, want)
	}
	lines, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]string{}
	for _, l := range jsonLines(t, lines) {
		last[strings.TrimPrefix(l["url"].(string), "http://reef.test")] = l["op"].(string)
	}
	if got := fmt.Sprint(last); got != "map[/:put /earlier:put /later:delete /later304:delete /tdmlater:put /until:put]" {
		t.Errorf("the sink has %s", got)
	}
	c := open(t, crawlDir, true)
	defer c.Close()
	out, _ := export(t, c, "all.wacz", collection.ExportOptions{})
	packed := allRecords(t, out)
	for text, want := range map[string]bool{"secretword0": false, "secretword1": true, "number 1 of": false, "number 2 of": false, "number 3 of": true, "number 4 of": true} {
		if got := strings.Contains(packed, text); got != want {
			t.Errorf("%q is in the archive: %v, want %v", text, got, want)
		}
	}
	if !archiveHas(t, out, "number 4 of") {
		t.Error("a page that may be archived now has no content")
	}
	if out, _ := export(t, c, "all.warc.gz", collection.ExportOptions{All: true}); !archiveHas(t, out, "number 4 of") || archiveHas(t, out, "number 1 of") {
		t.Error("the WARC file lacks a page, or has one that is not to be archived")
	}
	for p, err := range c.Pages(collection.Filter{}) {
		if err != nil || p.Fetch.Status != 200 {
			t.Errorf("%s has the status %d", p.URL, p.Fetch.Status)
		}
	}
}

// allRecords returns the contents of all WARC files of a WACZ, unpacked.
func allRecords(t *testing.T, path string) string {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var b strings.Builder
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, ".warc.gz") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		unzipped, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&b, unzipped); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	return b.String()
}

// A longWeb has one page of more text than is read.
type longWeb struct{}

func (longWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	body := "<title>Coral reef</title>"
	if r.URL.Path == "/" {
		for i := range 2500 {
			body += fmt.Sprintf("<p>Paragraph %d of the coral reef. %s", i, strings.Repeat("Corals and divers and fish. ", 18))
		}
	}
	status := 200
	if r.URL.Path == "/robots.txt" {
		status = 404
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"text/html"}}, Request: r, ProtoMajor: 1, ProtoMinor: 1, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// TestLongText checks that the record of a page and the data card show that a text is not complete.
func TestLongText(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "long.dowse")
	c, err := crawler.Open(dir, crawler.Config{
		Words: []string{"coral reef"}, Seeds: []string{"http://reef.test/"}, Transport: longWeb{},
		Settings: settings.Settings{Politeness: settings.Politeness{Delay: settings.None}, Identity: settings.Identity{Contact: "https://example.org/bot"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		t.Fatal(err)
	}
	col := open(t, dir, true)
	defer col.Close()
	name, _ := export(t, col, "long.jsonl", collection.ExportOptions{Text: "all", All: true})
	lines, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	card, err := os.ReadFile(name + ".card.md")
	if err != nil {
		t.Fatal(err)
	}
	if l := jsonLines(t, lines); len(l) != 1 || l[0]["cut"] != "text" || !strings.Contains(string(card), "| pages whose text is not complete (`truncated`, `cut`) | 1 |") {
		t.Errorf("%d pages; the card is\n%s", len(l), card)
	}
}
