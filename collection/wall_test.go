package collection_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/settings"
	"dowse/topic"
)

// A walledWeb has a page on a host whose robots.txt reserves training, one on a host that does not, and a challenge
// in place of a third.
type walledWeb struct{}

func (walledWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/html"}}, Request: r, ProtoMajor: 1, ProtoMinor: 1}
	text := "<title>Coral reef</title><p>" + strings.Repeat("The coral reef of "+r.URL.Host+" has its own corals and divers. ", 5)
	switch r.URL.Host + r.URL.Path {
	case "signals.test/robots.txt":
		answer.Header.Set("Content-Type", "text/plain")
		text = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n"
	case "open.test/robots.txt":
		answer.StatusCode, text = 404, ""
	case "open.test/":
		text += `<a href="/wall">coral reef wall</a> <a href="http://signals.test/">coral reef signals</a>`
	case "open.test/wall":
		answer.StatusCode, text = 403, "<title>Just a moment...</title>cdn-cgi/challenge-platform ray-id-of-a-person"
		answer.Header.Set("Cf-Mitigated", "challenge")
	}
	answer.Body, answer.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
	return answer, nil
}

// TestWallsAndSignals: a challenge leaves no record in the archive, and the collection is sound without it; what the
// robots.txt of a host reserves is a flag of its pages, and they are left out if that is asked for.
func TestWallsAndSignals(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "reef.dowse")
	c, err := crawler.Open(dir, crawler.Config{
		Topic: &topic.Topic{Name: "reef", Words: []string{"coral reef"}}, Seeds: []string{"http://open.test/"}, Transport: walledWeb{},
		Settings: settings.Settings{Identity: settings.Identity{Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(context.Background()) {
	}
	if got := c.Collection.Crawl.Reason("http://open.test/wall"); got != dowse.SkipChallenge {
		t.Errorf("the wall was %q, want a challenge", got)
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		records, err := io.ReadAll(z)
		if err != nil || strings.Contains(string(records), "ray-id-of-a-person") || strings.Contains(string(records), "open.test/wall\r\n") {
			t.Errorf("%s holds the challenge (%v)", name, err)
		}
		if !strings.Contains(string(records), "http://signals.test/\r\n") {
			t.Errorf("%s lacks the pages", name)
		}
	}
	v, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if r, err := v.Verify(nil); err != nil || len(r.Problems) > 0 {
		t.Errorf("verify: %+v, %v", r, err)
	}
	for respect, want := range map[string]int{"none": 2, "ai": 1, "tdm": 2, "all": 1} {
		out := filepath.Join(t.TempDir(), "a.jsonl")
		n, err := v.Collection.Export(t.Context(), out, collection.ExportOptions{All: true, Text: "main", Distinct: "none", Respect: []string{respect}})
		if err != nil || n != want {
			t.Errorf("respect %s: %d pages, want %d (%v)", respect, n, want, err)
		}
		if data := string(readAll(t, out)); respect == "none" && strings.Count(data, `"use_flags":["ai"]`) != 1 {
			t.Errorf("flags: %s", data)
		}
	}
}
