package crawler_test

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/extract"
	"dowse/internal/judgetest"
	"dowse/judge"
	"dowse/settings"
	"dowse/topic"
)

var contrastTopics = flag.Int("contrast-topics", 0, "measure what judges without negatives are trained against, on this many tuning topics of Wikispeedia")

// TestContrastQuality measures judges that know ten pages on topic and no others: against
// everyday texts, against pages seen in a crawl for the topic, and, to compare, against
// twenty others that are known. Pages that any of them was trained on are left out. It
// prints means over the topics.
func TestContrastQuality(t *testing.T) {
	if *contrastTopics == 0 {
		t.Skip("not asked for: -contrast-topics=10")
	}
	w := openWiki(t)
	list, err := os.ReadFile(filepath.Join(w.dir, "wikispeedia.topics.tune.txt"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(w.urls)
	pages := map[dowse.URL]*dowse.Page{}
	for _, u := range w.urls {
		pages[u] = w.page(t, u)
	}
	names := []string{"everyday texts", "pages seen, of the first 100", "pages seen, of the first 400", "20 others"}
	sums := make([]judge.Quality, len(names))
	topics := strings.Fields(string(list))[:*contrastTopics]
	for _, name := range topics {
		for i, q := range w.contrasts(t, pages, name) {
			n := float64(len(topics))
			sums[i].F1 += q.F1 / n
			sums[i].Precision += q.Precision / n
			sums[i].Recall += q.Recall / n
			sums[i].AveragePrecision += q.AveragePrecision / n
			sums[i].Brier += q.Brier / n
		}
	}
	fmt.Println("| trained against | F1 | precision | recall | average precision | Brier |\n|---|---|---|---|---|---|")
	for i, q := range sums {
		fmt.Printf("| %s | %.3f | %.3f | %.3f | %.3f | %.4f |\n", names[i], q.F1, q.Precision, q.Recall, q.AveragePrecision, q.Brier)
	}
}

// page reads a page of the recorded web.
func (w *wiki) page(t *testing.T, u dowse.URL) *dowse.Page {
	t.Helper()
	r, err := (&http.Client{Transport: w.web}).Get(string(u))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	p := &dowse.Page{URL: u, Document: *extract.HTML(body, u, extract.Options{})}
	p.Links = nil
	return p
}

// contrasts measures the judges of one topic.
func (w *wiki) contrasts(t *testing.T, pages map[dowse.URL]*dowse.Page, name string) (list []judge.Quality) {
	t.Helper()
	var all []judge.Example
	for _, u := range w.urls {
		all = append(all, judge.Example{Page: pages[u], Relevant: w.on(u, name)})
	}
	seed := uint64(len(name))
	for _, c := range name {
		seed = seed*31 + uint64(c)
	}
	train, rest := judgetest.Draw(all, 10, rand.New(rand.NewPCG(seed, 0)))
	on := slices.DeleteFunc(slices.Clone(train), func(e judge.Example) bool { return !e.Relevant })
	kinds := []*topic.Material{{Examples: on}, w.seen(t, on, 100), w.seen(t, on, 400), {Examples: train}}
	taken := map[dowse.URL]bool{}
	for _, m := range kinds {
		wrong := 0
		for _, e := range m.Contrast {
			taken[e.Page.URL] = true
			if w.on(e.Page.URL, name) {
				wrong++
			}
		}
		if len(m.Contrast) > 0 {
			t.Logf("%s: %d pages seen, %d of them on topic", name, len(m.Contrast), wrong)
		}
	}
	for _, m := range kinds {
		j, err := (&topic.Topic{Name: "x"}).NewJudge(m)
		if err != nil {
			t.Fatal(err)
		}
		var ratings []judge.Rating
		for _, e := range rest {
			if !taken[e.Page.URL] {
				ratings = append(ratings, judge.Rating{Relevance: j.Judge(e.Page).Relevance, Relevant: e.Relevant})
			}
		}
		list = append(list, judge.Measure(ratings, judge.Threshold))
	}
	return list
}

// seen crawls for pages like the examples, which are its seeds, and returns what the
// judge would be trained on after that number of pages.
func (w *wiki) seen(t *testing.T, on []judge.Example, pages int) *topic.Material {
	t.Helper()
	cfg := crawler.Config{
		Topic: &topic.Topic{Name: "x"}, Transport: w.web, Settings: settings.Settings{Key: 7, Contrast: crawler.ContrastEveryday, Limits: settings.Limits{Pages: pages}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
	}
	for _, e := range on {
		cfg.Topic.Like = append(cfg.Topic.Like, topic.Source{URL: string(e.Page.URL)})
		cfg.Seeds = append(cfg.Seeds, string(e.Page.URL))
	}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(t.Context()) {
	}
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	c.Close()
	cfg.Contrast = crawler.ContrastSeen
	cfg.Trained = func(made collection.Model) { t.Logf("%d pages seen: refused: %v %s", pages, made.Refused, made.Error) }
	if c, err = crawler.Open(dir, cfg); err != nil {
		t.Fatal(err)
	}
	c.Close()
	m := &topic.Material{Examples: on}
	if err := crawler.Contrast(t.Context(), dir, m); err != nil {
		t.Fatal(err)
	}
	if c, err = crawler.Open(dir, cfg); err != nil { // goes on, and trains its own
		t.Fatal(err)
	}
	defer c.Close()
	for range c.Crawl(t.Context()) {
	}
	return m
}
