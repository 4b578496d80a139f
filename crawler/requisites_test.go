package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"dowse"
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
	mu       sync.Mutex
	asked    map[string]int
	answered func(url string) // if set, called before each answer
}

func (w *tinyWeb) RoundTrip(req *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.asked[req.URL.String()]++
	w.mu.Unlock()
	if w.answered != nil {
		w.answered(req.URL.String())
	}
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
	_, err := crawlTinyUntil(t.Context(), dir, w)
	return err
}

// crawlTinyUntil is crawlTiny until the context ends. It returns why the run stopped.
func crawlTinyUntil(ctx context.Context, dir string, w *tinyWeb) (dowse.StopReason, error) {
	c, err := crawler.Open(dir, crawler.Config{
		Topic: topic.FromWords([]string{"coral", "reef"}), Seeds: []string{"http://a.test/"}, Transport: w,
		Settings: settings.Settings{Politeness: settings.Politeness{Delay: -1}, Requisites: settings.Requisites{WithRequisites: true}},
	})
	if err != nil {
		return "", err
	}
	for range c.Crawl(ctx) {
	}
	return c.StopReason(), errors.Join(c.Err(), c.Close())
}

// TestRequisitesAfterAPause pauses a run while it asks for each requisite in turn. The run is then a
// pause, although all pages were visited before, and the next one asks for all that is missing, also
// for what a style sheet names that the first run has kept.
func TestRequisitesAfterAPause(t *testing.T) {
	want := []string{"http://a.test/1.png", "http://cdn.test/bg.png", "http://cdn.test/x.css", "http://img.test/2.png", "http://img.test/3.png"}
	for _, last := range append(slices.Clone(want), "http://cdn.test/robots.txt", "http://img.test/robots.txt") {
		dir, w := filepath.Join(t.TempDir(), "x.dowse"), &tinyWeb{asked: map[string]int{}}
		ctx, pause := context.WithCancel(t.Context())
		w.answered = func(url string) {
			if url == last {
				pause()
			}
		}
		if why, err := crawlTinyUntil(ctx, dir, w); err != nil || why != dowse.StopSignal {
			t.Errorf("paused at %s: stopped for %q, %v", last, why, err)
		}
		pause()
		w.answered = nil
		if why, err := crawlTinyUntil(t.Context(), dir, w); err != nil || why != dowse.StopExhausted {
			t.Errorf("paused at %s, then resumed: stopped for %q, %v", last, why, err)
		}
		var got []string
		for l, err := range requisite.Lines(dir) {
			if err != nil {
				t.Fatal(err)
			}
			if l.File != "" {
				got = append(got, string(l.URL))
			} else if l.Left != "" {
				t.Errorf("paused at %s: %s was left: %s", last, l.URL, l.Left)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("paused at %s: %v", last, got)
		}
	}
}

// TestRequisitesAfterFaults fails each write of the requisites in turn. After the next run the
// collection is as if nothing had failed: every requisite is there once, and nothing else.
func TestRequisitesAfterFaults(t *testing.T) {
	sameGoroutines(t)
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

// TestRequisitesLimit crawls pages that share a style sheet, with a limit that what each page names itself
// just fits in. The images of all pages are fetched, also of pages that come after the style sheet is known, and
// what the style sheet names is counted as left out.
func TestRequisitesLimit(t *testing.T) {
	const pages = 40 // more than are served together
	web := answerer(func(u *url.URL) (kind, body string) {
		switch {
		case u.Path == "/x.css":
			return "text/css", "p { background: url(bg1.png) } b { background: url(bg2.png) }"
		case strings.HasSuffix(u.Path, ".png"):
			return "image/png", "PNG" + u.Path
		case u.Path == "/robots.txt":
			return "", ""
		}
		links := ""
		for i := range pages {
			links += fmt.Sprintf(`<a href="/%d">coral reef</a> `, i)
		}
		return "text/html", fmt.Sprintf(`<title>Coral reef</title><body>coral reef %[2]s<link rel=stylesheet href=/x.css><img src=/i%[1]s-1.png><img src=/i%[1]s-2.png>`, u.Path[1:], links)
	})
	dir := filepath.Join(t.TempDir(), "x.dowse")
	c, err := crawler.Open(dir, crawler.Config{
		Topic: topic.FromWords([]string{"coral", "reef"}), Seeds: []string{"http://a.test/0"}, Transport: web,
		Settings: settings.Settings{Politeness: settings.Politeness{Delay: -1}, Requisites: settings.Requisites{WithRequisites: true, PerPage: 3}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(t.Context()) {
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		t.Fatal(err)
	}
	totals, err := requisite.TotalsOf(dir)
	if err != nil || totals.Pages != pages || totals.Kept != 1+2*pages || totals.Left != 2 {
		t.Errorf("%v: %+v, want %d kept and 2 left", err, totals, 1+2*pages)
	}
}

// An answerer is a transport that answers with what it returns, and with status 404 if that has no type.
type answerer func(u *url.URL) (kind, body string)

func (a answerer) RoundTrip(req *http.Request) (*http.Response, error) {
	kind, body := a(req.URL)
	status := http.StatusOK
	if kind == "" {
		status = http.StatusNotFound
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {kind}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}, nil
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

// A wishfulWeb is a tinyWeb with wishes in the headers of some answers.
type wishfulWeb struct {
	tinyWeb
	wishes map[string]string // X-Robots-Tag by URL
}

func (w *wishfulWeb) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.tinyWeb.RoundTrip(req)
	if wish := w.wishes[req.URL.String()]; err == nil && wish != "" {
		resp.Header.Set("X-Robots-Tag", wish)
	}
	return resp, err
}

// TestWishesOfRequisites checks that a WACZ has no requisite whose own answer asks not to be archived, and none that only
// a page needs which is left out.
func TestWishesOfRequisites(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x.dowse")
	c, err := crawler.Open(dir, crawler.Config{
		Topic: topic.FromWords([]string{"coral", "reef"}), Seeds: []string{"http://a.test/"},
		Transport: &wishfulWeb{tinyWeb{asked: map[string]int{}}, map[string]string{"http://img.test/2.png": "noarchive", "http://img.test/3.png": "otherbot: noarchive", "http://cdn.test/x.css": "noai"}},
		Settings:  settings.Settings{Politeness: settings.Politeness{Delay: -1}, Requisites: settings.Requisites{WithRequisites: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(t.Context()) {
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		t.Fatal(err)
	}
	const two, three, sheet = "http://img.test/2.png", "http://img.test/3.png", "http://cdn.test/x.css"
	for name, x := range map[string]struct {
		opt  collection.ExportOptions
		want []string // of two, three and sheet
	}{
		"whole":     {collection.ExportOptions{}, []string{three, sheet}},
		"chosen":    {collection.ExportOptions{On: true, Where: "url_suffix(/b)"}, []string{three, sheet}},
		"ai":        {collection.ExportOptions{Respect: []string{"ai"}}, []string{two, three}},
		"no wishes": {collection.ExportOptions{Respect: []string{"none"}}, []string{two, three, sheet}},
	} {
		if got := requisitesIn(t, viewed(t, dir), x.opt, two, three, sheet); !slices.Equal(got, x.want) {
			t.Errorf("%s: the archive has %v, want %v", name, got, x.want)
		}
	}
	record := func(u, kind, body string, fields ...string) string {
		return warcRecord("1.1", "response", u, "2020-01-01T00:00:00Z", answer(kind, body, fields...))
	}
	_, private := imported(t, writeTo(t, "x.warc",
		record("http://a.test/", "text/html", "<p>coral reef <img src=/own.png><img src=/shared.png>", "X-Robots-Tag: noarchive")+
			record("http://a.test/b", "text/html", "<p>coral reef <img src=/shared.png>")+
			record("http://a.test/own.png", "image/png", "PNG")+record("http://a.test/shared.png", "image/png", "PNG")+record("http://a.test/loose.png", "image/png", "PNG")))
	const own, shared, loose = "http://a.test/own.png", "http://a.test/shared.png", "http://a.test/loose.png"
	if got := requisitesIn(t, private, collection.ExportOptions{}, own, shared, loose); !slices.Equal(got, []string{shared, loose}) {
		t.Errorf("the archive has %v, want what is not of the page that is left out alone", got)
	}
}

// requisitesIn returns those of some URLs that a WACZ of a collection has.
func requisitesIn(t *testing.T, c *crawler.Crawler, opt collection.ExportOptions, urls ...string) (list []string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "x.wacz")
	if _, err := c.Collection.Export(t.Context(), out, opt); err != nil {
		t.Fatal(err)
	}
	web, err := archive.OpenWeb(out)
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	for _, u := range urls {
		if slices.Contains(slices.Collect(web.URLs()), dowse.URL(u)) {
			list = append(list, u)
		}
	}
	return list
}
