package crawler_test

import (
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/internal/requisite"
	"dowse/settings"
	"dowse/topic"
)

// tinyWeb is a web of two pages with requisites on several hosts.
type tinyWeb struct {
	mu    sync.Mutex
	asked map[string]int
}

func (w *tinyWeb) RoundTrip(req *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.asked[req.URL.String()]++
	w.mu.Unlock()
	kind, body, status := "text/html", "", http.StatusOK
	switch path := req.URL.Path; {
	case path == "/" || path == "/b":
		body = `<html><title>Coral reef</title><body>coral reef, coral reef <a href="/b">coral reef</a>
			<link rel=stylesheet href="http://cdn.test/x.css"><img src="/1.png"><img src="http://img.test/2.png"><img src="http://img.test/3.png"></body></html>`
	case strings.HasSuffix(path, ".css"):
		kind, body = "text/css", "p { background: url(bg.png) }"
	case strings.HasSuffix(path, ".png"):
		kind, body = "image/png", "PNG"+path
	default:
		status = http.StatusNotFound
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {kind}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}, nil
}

// crawlTiny runs the crawl of a tinyWeb in dir, with requisites.
func crawlTiny(t *testing.T, dir string, w *tinyWeb) error {
	t.Helper()
	c, err := crawler.Open(dir, crawler.Config{
		Topic: topic.FromWords([]string{"coral", "reef"}), Seeds: []string{"http://a.test/"}, Transport: w,
		Settings: settings.Settings{Politeness: settings.Politeness{Delay: -1}, Requisites: settings.Requisites{WithRequisites: true}},
	})
	if err != nil {
		return err
	}
	for range c.Crawl(t.Context()) {
	}
	return errors.Join(c.Err(), c.Close())
}

// TestRequisitesAfterFaults fails each write of the requisites in turn. After the next run the
// collection is as if nothing had failed: every requisite is there once, and nothing else.
func TestRequisitesAfterFaults(t *testing.T) {
	want := []string{"http://a.test/1.png", "http://cdn.test/bg.png", "http://cdn.test/x.css", "http://img.test/2.png", "http://img.test/3.png"}
	for n := 0; ; n++ {
		dir, w := filepath.Join(t.TempDir(), "x.dowse"), &tinyWeb{asked: map[string]int{}}
		left, failed := n, false
		end := durable.Inject(func(op durable.Op, path string) error {
			if !strings.Contains(filepath.ToSlash(path), "/"+requisite.Folder) || strings.HasSuffix(path, ".cdxj") {
				return nil
			}
			if left--; left == -1 || failed {
				failed = true
				return errors.New("injected")
			}
			return nil
		})
		err := crawlTiny(t, dir, w)
		end()
		if failed != (err != nil) && failed {
			t.Errorf("fault %d was not reported", n)
		}
		if err := crawlTiny(t, dir, w); err != nil {
			t.Fatalf("after fault %d: %v", n, err)
		}
		var got, records []string
		for l, err := range requisite.Lines(dir) {
			if err != nil {
				t.Fatal(err)
			}
			if l.File != "" {
				got = append(got, string(l.URL))
			}
		}
		files, err := requisite.Files(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			for rec, err := range archive.ReadableRecords(name, func(l archive.Loss) { t.Error(l) }) {
				if err != nil {
					t.Fatal(err)
				}
				if rec.Type() == "response" {
					records = append(records, rec.Target())
				}
			}
		}
		slices.Sort(got)
		slices.Sort(records)
		if !slices.Equal(got, want) || !slices.Equal(records, want) {
			t.Fatalf("after fault %d: ledger %v, records %v", n, got, records)
		}
		c := viewed(t, dir)
		if b := c.Status().Books; b.Fetched != 2 || b.Known != 2 {
			t.Fatalf("requisites are in the books: %+v", b)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if !failed {
			for u, times := range w.asked {
				if times != 1 {
					t.Errorf("%s was asked for %d times", u, times)
				}
			}
			if n < 8 {
				t.Errorf("only %d operations", n)
			}
			return
		}
	}
}

// A collection with requisites is copied with them.
func TestRequisitesAreCopied(t *testing.T) {
	dir, to := filepath.Join(t.TempDir(), "x.dowse"), filepath.Join(t.TempDir(), "y.dowse")
	if err := crawlTiny(t, dir, &tinyWeb{asked: map[string]int{}}); err != nil {
		t.Fatal(err)
	}
	c := viewed(t, dir)
	if _, err := c.Collection.CopyTo(to); err != nil {
		t.Fatal(err)
	}
	if totals, err := requisite.TotalsOf(to); err != nil || totals.Kept != 5 || totals.Pages != 2 {
		t.Errorf("%v: %+v", err, totals)
	}
	out := filepath.Join(t.TempDir(), "on.wacz")
	if _, err := c.Collection.Export(t.Context(), out, collection.ExportOptions{On: true, Where: "url_suffix(/b)"}); err != nil {
		t.Fatal(err)
	}
	web, err := archive.OpenWeb(out)
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	if web.Len() != 6 {
		t.Errorf("%v are in the WACZ of one page, want it and its requisites", slices.Collect(web.URLs()))
	}
}
