package crawler_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dowse"
	"dowse/crawler"
	"dowse/topic"
)

// bilingualSite has an English home page that links to a German and an English page, a
// folder with one page, and a PDF, to which the best words link. asked gets the paths that
// were requested; it may be nil.
func bilingualSite(t *testing.T, asked *[]string) *httptest.Server {
	t.Helper()
	var mu sync.Mutex
	pages := map[string]string{
		"/":        `<html lang=en><title>Coral</title><p><a href=/coral.pdf>coral reef coral reef</a> <a href=/de>Seite</a> <a href=/en>page</a> <a href=/reefs/1>one</a> coral reef`,
		"/de":      `<html lang=de><title>Korallen</title><p>coral coral, Korallen am Riff`,
		"/en":      `<html lang=en><title>Coral</title><p>coral coral of the reef`,
		"/reefs/1": `<html lang=en><title>Coral</title><p>coral coral one`,
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked != nil {
			mu.Lock()
			*asked = append(*asked, r.URL.Path)
			mu.Unlock()
		}
		switch body, ok := pages[r.URL.Path]; {
		case ok:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, body)
		case strings.HasSuffix(r.URL.Path, ".pdf"):
			w.Header().Set("Content-Type", "application/pdf")
			fmt.Fprint(w, "%PDF-1.4")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

// TestSeedInAnotherLanguage crawls for German pages from an English seed: the seed is off
// topic, its links are followed, and English pages that they lead to are left out. A later
// judgement of all pages leaves the seed off topic.
func TestSeedInAnotherLanguage(t *testing.T) {
	sameGoroutines(t)
	site := bilingualSite(t, nil)
	cfg := local
	cfg.Topic = topic.FromWords([]string{"coral"})
	cfg.Topic.Languages, cfg.Topic.Only = []string{"de"}, true
	cfg.Seeds = []string{site.URL + "/"}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	crawlAll(t, dir, cfg)
	check := func() {
		t.Helper()
		v, err := crawler.View(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		why, err := v.Collection.Why(dowse.URL(site.URL + "/"))
		if err != nil || why.Judged == nil || why.Judged.OnTopic || !strings.Contains(fmt.Sprint(why.Judged.Because), `a seed in "en"`) {
			t.Errorf("the seed: %+v, %v", why.Judged, err)
		}
		if why, err := v.Collection.Why(dowse.URL(site.URL + "/de")); err != nil || why.Judged == nil {
			t.Errorf("the German page: %+v, %v", why, err)
		}
		if got := v.Collection.Crawl.Reason(dowse.URL(site.URL + "/en")); got != dowse.SkipLang {
			t.Errorf("the English page: %q, want %q", got, dowse.SkipLang)
		}
	}
	check()
	cfg.Topic.Also = []string{"reef"} // another topic: all pages are judged again
	crawlAll(t, dir, cfg)
	check()
}

// TestSeedThatIncludeLeavesOut collects only a folder from a seed outside of it.
func TestSeedThatIncludeLeavesOut(t *testing.T) {
	site := bilingualSite(t, nil)
	cfg := local
	cfg.Words, cfg.Seeds = []string{"coral"}, []string{site.URL + "/"}
	cfg.Scope.Include = []string{"/reefs/"}
	cr, err := crawler.Open(filepath.Join(t.TempDir(), "x.dowse"), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer cr.Close()
	var got []string
	for p := range cr.Crawl(t.Context()) {
		got = append(got, strings.TrimPrefix(string(p.URL), site.URL))
	}
	if fmt.Sprint(got) != "[/ /reefs/1]" {
		t.Errorf("fetched %v, want the seed and what matches", got)
	}
	if !strings.Contains(fmt.Sprint(cr.Notes), "matches no pattern of include") {
		t.Errorf("notes %q do not name the seed", cr.Notes)
	}
}

// TestFilesComeLast crawls a page whose best link by its words is a PDF: it is requested
// after all pages.
func TestFilesComeLast(t *testing.T) {
	sameGoroutines(t)
	var asked []string
	site := bilingualSite(t, &asked)
	cfg := local
	cfg.Words, cfg.Seeds = []string{"coral reef"}, []string{site.URL + "/"}
	crawlAll(t, filepath.Join(t.TempDir(), "x.dowse"), cfg)
	if len(asked) != 6 || asked[5] != "/coral.pdf" {
		t.Errorf("asked for %v, want the PDF after robots.txt and four pages", asked)
	}
}
