package crawler_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/judge"
	"dowse/settings"
	"dowse/topic"
)

var (
	growTopics = flag.String("grow", "", "measure judges that grow from words on Wikispeedia: the topics to take, tune or report")
	growPages  = flag.Int("grow-pages", 300, "pages to a crawl from words")
	growSeeds  = flag.String("grow-seeds", "topic", "where a crawl from words begins: topic or generic")
	growDict   = flag.String("grow-wordnet", "", "WordNet directory for crawls from words; none by default")
	growSkip   = flag.Int("grow-skip", 0, "leave out this many topics from the first on")
	growFrom   = flag.String("grow-from", "words", "what states a topic: words, its name, or examples, ten of its pages")
	growOnly   = flag.Int("grow-only", 0, "take only this many topics; 0 means all")
)

// TestGrowQuality measures topics of which only the name is known, or ten pages. The judge
// that the crawl begins with and the model in use after a crawl from three pages rate all
// pages. It prints means over the topics, for examples also without these pages, and the
// reliability of the grown judges.
func TestGrowQuality(t *testing.T) {
	if *growTopics == "" {
		t.Skip("not asked for: -grow=tune or -grow=report")
	}
	w := openWiki(t)
	list, err := os.ReadFile(filepath.Join(w.dir, "wikispeedia.topics."+*growTopics+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(w.urls)
	pages := map[dowse.URL]*dowse.Page{}
	for _, u := range w.urls {
		pages[u] = w.page(t, u)
	}
	topics := strings.Fields(string(list))[*growSkip:]
	if *growOnly > 0 {
		topics = topics[:*growOnly]
	}
	var words, grown, apart []judge.Quality
	var ratings []judge.Rating
	for _, name := range topics {
		before, after := w.fromWords(t, name)
		words = append(words, judge.Measure(w.ratings(pages, before, name), judge.Threshold))
		rated := w.ratings(pages, after, name)
		apart = append(apart, judge.Measure(w.withoutExamples(rated, name), judge.Threshold))
		ratings = append(ratings, rated...)
		grown = append(grown, judge.Measure(rated, judge.Threshold))
		x, y := words[len(words)-1], grown[len(grown)-1]
		t.Logf("%-45s AP %.3f to %.3f, F1 %.3f to %.3f, called %d to %d of %d", name, x.AveragePrecision, y.AveragePrecision, x.F1, y.F1, called(x), called(y), y.Relevant)
	}
	fmt.Println("| judge | F1 | precision | recall | average precision | Brier | ECE |\n|---|---|---|---|---|---|---|")
	for _, row := range []struct {
		name string
		list []judge.Quality
	}{{*growFrom, words}, {fmt.Sprintf("grown in %d pages", *growPages), grown}, {"the same, without examples", apart}} {
		q := meanQuality(row.list)
		fmt.Printf("| %s | %.3f | %.3f | %.3f | %.3f | %.4f | %.4f |\n", row.name, q.F1, q.Precision, q.Recall, q.AveragePrecision, q.Brier, q.ECE)
	}
	fmt.Println("| relevance | pages | mean relevance | share on topic |\n|---|---|---|---|")
	for _, b := range judge.Measure(ratings, judge.Threshold).Reliability {
		fmt.Printf("| %.1f–%.1f | %d | %.3f | %.3f |\n", b.From, b.To, b.Examples, b.Relevance, b.Relevant)
	}
}

// called returns how many examples were called relevant.
func called(q judge.Quality) (n int) {
	for _, b := range q.Reliability {
		if b.From >= judge.Threshold {
			n += b.Examples
		}
	}
	return n
}

func meanQuality(list []judge.Quality) (mean judge.Quality) {
	n := float64(len(list))
	for _, q := range list {
		mean.F1 += q.F1 / n
		mean.Precision += q.Precision / n
		mean.Recall += q.Recall / n
		mean.AveragePrecision += q.AveragePrecision / n
		mean.Brier += q.Brier / n
		mean.ECE += q.ECE / n
	}
	return mean
}

// ratings rates all pages for a topic.
func (w *wiki) ratings(pages map[dowse.URL]*dowse.Page, j dowse.Judge, name string) (list []judge.Rating) {
	for _, u := range w.urls {
		list = append(list, judge.Rating{Relevance: j.Judge(pages[u]).Relevance, Relevant: w.on(u, name)})
	}
	return list
}

// withoutExamples returns the ratings of the pages that are no examples.
func (w *wiki) withoutExamples(list []judge.Rating, name string) (rest []judge.Rating) {
	var on []dowse.URL
	if *growFrom == "examples" {
		on, _ = w.training(name)
	}
	for i, u := range w.urls {
		if !slices.Contains(on, u) {
			rest = append(rest, list[i])
		}
	}
	return rest
}

// wordsOf returns the name of a topic as a person would type it.
func wordsOf(name string) string {
	return strings.ToLower(strings.ReplaceAll(name[strings.LastIndex(name, "/")+1:], "_", " "))
}

// fromWords crawls for a topic, stated by its name or by ten examples, from three pages, and
// returns the judges of its beginning and of its end.
func (w *wiki) fromWords(t *testing.T, name string) (before, after dowse.Judge) {
	t.Helper()
	cfg := crawler.Config{
		Topic: &topic.Topic{Name: "x", Words: []string{wordsOf(name)}}, Transport: w.web, WordNet: *growDict, Seeds: w.threeSeeds(name),
		Settings: settings.Settings{Key: 7, Limits: settings.Limits{Pages: *growPages}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
		Trained: func(m collection.Model) {
			t.Logf("%s: %s of the first %d: %d up, %d down, %d verdicts changed; %s", name, m.Model, m.Seen, m.Grown, m.Contrast, m.Verdicts, m.Error)
		},
	}
	if *growFrom == "examples" {
		on, _ := w.training(name)
		cfg.Topic = &topic.Topic{Name: "x", Like: likes(len(on), strs(on))}
	}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	n, on := 0, 0
	for p := range c.Crawl(t.Context()) {
		if n++; w.on(p.URL, name) {
			on++
		}
	}
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	t.Logf("%s: %d of %d pages on topic", name, on, n)
	first, err := crawler.JudgeOf(dir, collection.FirstModel)
	if err != nil {
		t.Fatal(err)
	}
	last, err := crawler.JudgeOf(dir, c.Collection.Crawl.Model())
	if err != nil {
		t.Fatal(err)
	}
	return first, last
}

// threeSeeds draws pages on a topic, or any others, to begin with.
func (w *wiki) threeSeeds(name string) (seeds []string) {
	rng := rand.New(rand.NewPCG(uint64(len(name)), 1))
	for _, i := range rng.Perm(len(w.urls)) {
		if w.on(w.urls[i], name) == (*growSeeds == "topic") && len(seeds) < 3 {
			seeds = append(seeds, string(w.urls[i]))
		}
	}
	return seeds
}
