package crawler_test

import (
	"path/filepath"
	"testing"

	"dowse/collection"
	"dowse/crawler"
	"dowse/judge"
	"dowse/settings"
	"dowse/topic"
)

// TestLabelsOfUnsurePages labels the ten pages of the default queue truthfully, on real
// text: a crawl of Wikispeedia for "astronomy", "planets" and "solar system". Most of these
// pages are off topic or doubtful, and nothing about the share of all pages on topic
// follows from them. A judge that concluded it called nearly all pages relevant. Now the
// verdicts on the other pages become no worse, with and without growth from the words.
func TestLabelsOfUnsurePages(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines of its own")
	}
	w := openWiki(t)
	for _, contrast := range []string{crawler.ContrastEveryday, crawler.ContrastSeen} {
		t.Run(contrast, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "astro.dowse")
			w.crawlAstronomy(t, dir, contrast)
			w.labelUnsure(t, dir, 10)
			before := w.verdictsOn(t, dir) // not trained yet
			m, err := crawler.Retrain(dir, "")
			if err != nil {
				t.Fatal(err)
			}
			after := w.verdictsOn(t, dir)
			x, y := judge.Measure(before, judge.Threshold), judge.Measure(after, judge.Threshold)
			t.Logf("%s: called %d, then %d of %d pages, %d on topic; F1 %.3f, then %.3f; average precision %.3f, then %.3f; %s",
				m.Model, called(x), called(y), y.Examples, y.Relevant, x.F1, y.F1, x.AveragePrecision, y.AveragePrecision, m.Error)
			if y.F1 < x.F1-0.01 || y.AveragePrecision < x.AveragePrecision-0.01 {
				t.Errorf("ten truthful labels took F1 from %.3f to %.3f and average precision from %.3f to %.3f", x.F1, y.F1, x.AveragePrecision, y.AveragePrecision)
			}
			if called(y) > 2*called(x) {
				t.Errorf("%d of %d pages are called relevant after ten labels, and %d were before", called(y), y.Examples, called(x))
			}
		})
	}
}

// astronomy is the editors' name of the topic.
const astronomy = "Top/Science/Physics/Space_Astronomy"

func (w *wiki) crawlAstronomy(t *testing.T, dir, contrast string) {
	t.Helper()
	c, err := crawler.Open(dir, crawler.Config{
		Topic: &topic.Topic{Name: "astro", Words: []string{"astronomy", "planets", "solar system"}}, Transport: w.web, Seeds: w.threeSeeds(astronomy),
		Settings: settings.Settings{Key: 7, Contrast: contrast, Limits: settings.Limits{Pages: 130}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range c.Crawl(t.Context()) {
	}
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
}

// verdictsOn returns the verdicts on the pages of a collection that have no label, by the
// editors' labels.
func (w *wiki) verdictsOn(t *testing.T, dir string) (list []judge.Rating) {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	labels, err := collection.ReadLabels(dir)
	if err != nil {
		t.Fatal(err)
	}
	labelled := labels.Standing()
	for row, err := range c.Collection.Pages(collection.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := labelled[row.URL]; !ok {
			list = append(list, judge.Rating{Relevance: row.Relevance(), Relevant: w.on(row.URL, astronomy)})
		}
	}
	return list
}

// labelUnsure labels the first pages of the default queue as the editors do.
func (w *wiki) labelUnsure(t *testing.T, dir string, n int) {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	rows, err := c.Collection.Queue(collection.QueueUnsure, &collection.Labels{}, n)
	if err != nil {
		t.Fatal(err)
	}
	var lines []collection.Label
	for _, row := range rows {
		lines = append(lines, collection.Label{URL: row.URL, Label: labelName(w.on(row.URL, astronomy))})
	}
	if err := collection.AppendLabels(dir, append(lines, collection.Label{Do: collection.DoTrain})...); err != nil {
		t.Fatal(err)
	}
}

// labelName returns the label of a page.
func labelName(on bool) string {
	if on {
		return collection.LabelOn
	}
	return collection.LabelOff
}
