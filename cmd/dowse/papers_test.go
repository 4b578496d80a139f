package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCountsOfSitesAgree compares the numbers of sites that the summary of a crawl, status, the
// table of sites and the picture show. Start sites count in none of them as found, and the table
// marks them.
func TestCountsOfSitesAgree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "town.dowse")
	_, _, summary := capture(t, "demo", "--sites", "150", "--pages", "150", "-o", dir)
	counts := func(text, pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("no %s in:\n%s", pattern, text)
		}
		return strings.Join(m[1:], " judged, on topic: ")
	}
	want := counts(summary, `sites: (\d+) judged, (\d+) on topic`)
	if want == "0 judged, on topic: 0" {
		t.Fatalf("nothing was judged:\n%s", summary)
	}
	status := command(t, exitOK, "status", dir)
	if got := counts(status, `sites +(\d+) judged, (\d+) on topic`); got != want {
		t.Errorf("status has %s, the summary %s", got, want)
	}
	picture := filepath.Join(t.TempDir(), "sites.svg")
	command(t, exitOK, "export", dir, picture)
	svg, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if got := counts(string(svg), `sites: (\d+) judged, (\d+) of them on topic`); got != want {
		t.Errorf("the picture has %s, the summary %s", got, want)
	}
	judged, on := 0, 0
	for line := range strings.Lines(command(t, exitOK, "sites", dir)) {
		start := strings.Contains(line, " start ")
		switch {
		case strings.Contains(line, " irrelevant ") && !start:
			judged++
		case strings.Contains(line, " relevant ") && !start:
			judged++
			on++
		}
	}
	if got := fmt.Sprintf("%d judged, on topic: %d", judged, on); got != want {
		t.Errorf("the table has %s, the summary %s", got, want)
	}
}

// TestTurkishURLWords crawls a Turkish site: a URL is written in ASCII (agac), the topic is
// not (ağaç), and why shows that the words of the URL count.
func TestTurkishURLWords(t *testing.T) {
	pages := map[string]string{
		"/":                `<a href="/haber-bir.html">buraya</a> <a href="/agac-cicek.html">buraya</a>`,
		"/haber-bir.html":  `Haber`,
		"/agac-cicek.html": `Yuva`,
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<html lang="tr"><title>Orman</title><p>Çiçek ve ağaç. %s`, body)
	}))
	defer site.Close()
	for _, words := range []string{"words: [ağaç, çiçek]\nlanguages: [tr]", "words: [ağaç, çiçek]"} {
		t.Run(words, func(t *testing.T) {
			folder := t.TempDir()
			file, dir := filepath.Join(folder, "orman.topic.yaml"), filepath.Join(folder, "orman.dowse")
			topic := fmt.Sprintf("dowse: topic/v1\nname: orman\n%s\nfollow: {strategy: lsfc}\nseeds: [%s/]\n", words, site.URL)
			if err := os.WriteFile(file, []byte(topic), 0o600); err != nil {
				t.Fatal(err)
			}
			if code, out, errs := capture(t, "crawl", file, "-o", dir, "--allow-net", "127.0.0.1", "--delay", "0s", "--pages", "1", "-q"); code != exitOK && code != exitNothing {
				t.Fatalf("crawl: code %d\n%s%s", code, out, errs)
			}
			turkish := strings.Contains(words, "[tr]")
			for path, want := range map[string]bool{"/agac-cicek.html": turkish, "/haber-bir.html": false} {
				why := command(t, exitOK, "why", dir, site.URL+path)
				if got := strings.Contains(why, "words of the URL"); got != want {
					t.Errorf("%s: words of the URL count: %v, want %v\n%s", path, got, want, why)
				}
			}
		})
	}
}
