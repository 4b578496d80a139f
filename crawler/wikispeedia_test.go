package crawler_test

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
	"dowse/crawler"
	"dowse/internal/archive"
	"dowse/internal/extract"
	"dowse/internal/shareddata"
	"dowse/judge"
	"dowse/settings"
	"dowse/weburl"
)

var (
	wikiTopics = flag.Int("wiki-topics", 1, "tune topics to crawl Wikispeedia for")
	wikiPages  = flag.Int("wiki-pages", 60, "pages to a crawl of Wikispeedia")
)

// wiki is the recorded web of Wikispeedia with its labels, which only the test sees:
// judges get thirty training pages.
type wiki struct {
	dir    string
	web    *archive.Web
	topics map[dowse.URL][]string
	urls   []dowse.URL
}

func openWiki(t *testing.T) *wiki {
	t.Helper()
	dir := shareddata.Path(t, "webs")
	labels := shareddata.Read(t, "webs", "wikispeedia.labels.tsv")
	w := &wiki{dir: dir, topics: map[dowse.URL][]string{}}
	for line := range strings.Lines(string(labels)) {
		raw, topic, _ := strings.Cut(strings.TrimSpace(line), "\t")
		u, err := weburl.Parse(raw)
		if err != nil {
			continue // the heading
		}
		if w.topics[u] == nil {
			w.urls = append(w.urls, u)
		}
		w.topics[u] = append(w.topics[u], topic)
	}
	web, err := archive.OpenWeb(filepath.Join(dir, "wikispeedia.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	w.web = web
	t.Cleanup(func() { w.web.Close() })
	return w
}

func (w *wiki) on(u dowse.URL, topic string) bool {
	for _, t := range w.topics[u] {
		if t == topic || strings.HasPrefix(t, topic+"/") {
			return true
		}
	}
	return false
}

// share is the part of all pages that is on a topic.
func (w *wiki) share(topic string) float64 {
	n := 0
	for _, u := range w.urls {
		if w.on(u, topic) {
			n++
		}
	}
	return float64(n) / float64(len(w.urls))
}

// training returns ten pages on a topic and twenty others, spread over the web.
func (w *wiki) training(topic string) (on, off []dowse.URL) {
	var wanted, others []dowse.URL
	for _, u := range w.urls {
		if w.on(u, topic) {
			wanted = append(wanted, u)
		} else {
			others = append(others, u)
		}
	}
	for i := range 10 {
		on = append(on, wanted[i*len(wanted)/10])
	}
	for i := range 20 {
		off = append(off, others[i*len(others)/20])
	}
	return on, off
}

func (w *wiki) judge(t *testing.T, on, off []dowse.URL) dowse.Judge {
	t.Helper()
	var list []judge.Example
	for i, u := range append(on[:len(on):len(on)], off...) {
		r, err := (&http.Client{Transport: w.web}).Get(string(u))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		p := &dowse.Page{URL: u, Document: *extract.HTML(body, u, extract.Options{})}
		list = append(list, judge.Example{Page: p, Relevant: i < len(on)})
	}
	j, err := judge.SVM{}.Train(list)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// crawl returns the harvest, by the labels, at a quarter of the pages and at the end.
func (w *wiki) crawl(t *testing.T, dir, topic string, cfg crawler.Config) (early, late float64) {
	t.Helper()
	cfg.Trace = filepath.Join(w.dir, "wikispeedia.squid.log.gz")
	cfg.Transport, cfg.Pages, cfg.Politeness = w.web, *wikiPages, settings.Politeness{Delay: -1, InFlight: 1}
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	n, on := 0, 0
	for p := range c.Crawl(t.Context()) {
		if n++; w.on(p.URL, topic) {
			on++
		}
		if n == *wikiPages/4 {
			early = float64(on) / float64(n)
		}
	}
	if c.Err() != nil || n != *wikiPages {
		t.Errorf("%d pages, %v", n, c.Err())
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return early, float64(on) / float64(n)
}

// TestWikispeedia crawls a recorded web with the log of real people: links alone, people
// alone, both, and both, or links alone, with what an earlier crawl from other seeds has learnt. With
// -wiki-topics 4 -wiki-pages 200 -v it gives the last table of docs/strategies.md. Only tune
// topics are used.
func TestWikispeedia(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	w := openWiki(t)
	list, err := os.ReadFile(filepath.Join(w.dir, "wikispeedia.topics.tune.txt"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{"breadth-first", "link-context", "intelligent", "collaborative", "combined", "combined, other seeds", "combined, other seeds, learnt", "intelligent, other seeds", "intelligent, other seeds, learnt"}
	learntFrom := map[string]string{"combined": "4", "intelligent": "2"}
	sums, share := map[string][2]float64{}, 0.0
	topics := strings.Fields(string(list))[:*wikiTopics]
	for _, topic := range topics {
		on, off := w.training(topic)
		share += w.share(topic) / float64(len(topics))
		j := w.judge(t, on, off)
		dir := t.TempDir()
		for i, kind := range kinds {
			name, _, other := strings.Cut(kind, ",")
			cfg := crawler.Config{Judge: j, Settings: settings.Settings{Order: settings.Order{Strategy: name}}, Seeds: strs(on[:3])}
			if other {
				cfg.Seeds = strs(on[5:8])
			}
			if strings.HasSuffix(kind, "learnt") {
				cfg.LearnFrom = filepath.Join(dir, learntFrom[name])
			}
			early, late := w.crawl(t, filepath.Join(dir, fmt.Sprint(i)), topic, cfg)
			sums[kind] = [2]float64{sums[kind][0] + early, sums[kind][1] + late}
			t.Logf("%-40s %-30s %.3f %.3f", topic, kind, early, late)
		}
	}
	for _, kind := range kinds {
		t.Logf("| %s | %.3f | %.3f |", kind, sums[kind][0]/float64(len(topics)), sums[kind][1]/float64(len(topics)))
	}
	for _, kind := range kinds[2:] {
		if late := sums[kind][1] / float64(len(topics)); late < 3*share {
			t.Errorf("%s: harvest %.3f, and %.3f of all pages are on topic", kind, late, share)
		}
	}
}

func strs(list []dowse.URL) (out []string) {
	for _, u := range list {
		out = append(out, string(u))
	}
	return out
}
