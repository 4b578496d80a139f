package crawler_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/internal/lab/report"
	"dowse/judge"
	"dowse/settings"
	"dowse/topic"
)

var (
	calibrationSVG  = flag.String("calibration-svg", "", "file for the reliability diagrams")
	calibrationWebs = flag.Int("calibration-webs", 0, "measure what a relevance means on this many synthetic webs, each of another topic")
)

// TestCalibration measures what a relevance means: of the pages that the judge in use after
// a crawl of 300 pages rates 0.5, half should be on topic. It prints the expected
// calibration error over all pages of the web and over those of the crawl, and how many
// pages are called relevant, for the topics of TestLabelQuality, with mean average precision
// and F1 of the topics.
func TestCalibration(t *testing.T) {
	if *labelTopics == "" {
		t.Skip("not asked for: -label-topics=tune")
	}
	x := newLabelling(t)
	fmt.Println("| topic from | pages | ECE of all topics together | mean ECE of a topic | called relevant | on topic | average precision | F1 |\n|---|---|---|---|---|---|---|---|")
	var plots []report.Plot
	for _, kind := range []string{"words", "examples"} {
		var all, fetched [][]judge.Rating
		for _, name := range x.topics {
			a, f := x.rated(t, name, kind)
			all, fetched = append(all, a), append(fetched, f)
		}
		plots = append(plots, report.Plot{
			Title: "topics from " + kind, X: "relevance", Y: "share on topic", Top: 1, Width: 520, Height: 420,
			Lines: []report.Line{
				reliabilityLine("all pages of the web", all), reliabilityLine("pages of the crawl", fetched),
				{Name: "calibrated", Bound: true, Bare: true, Points: []report.Point{{X: 0, Y: 0}, {X: 1, Y: 1, Lo: 1, Hi: 1}}},
			},
		})
		printCalibration(kind+" | all of the web", all)
		printCalibration(kind+" | of the crawl", fetched)
	}
	if *calibrationSVG != "" {
		if err := os.WriteFile(*calibrationSVG, report.Sheet("What a relevance means, after 300 pages", plots...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// rated rates all pages of the web, and those of a crawl, by the judge in use at its end.
func (x *labelling) rated(t *testing.T, name, kind string) (all, fetched []judge.Rating) {
	t.Helper()
	dir := x.crawled(t, name, kind)
	j, err := crawler.JudgeOf(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in := map[dowse.URL]bool{}
	for row, err := range c.Collection.Pages(collection.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		in[row.URL] = true
	}
	for _, u := range x.urls {
		r := judge.Rating{Relevance: j.Judge(x.pages[u]).Relevance, Relevant: x.on(u, name)}
		all = append(all, r)
		if in[u] {
			fetched = append(fetched, r)
		}
	}
	return all, fetched
}

// together returns the ratings of all topics as one list.
func together(list [][]judge.Rating) (all []judge.Rating) {
	for _, r := range list {
		all = append(all, r...)
	}
	return all
}

// reliabilityLine returns the share of pages on topic by their mean relevance.
func reliabilityLine(name string, list [][]judge.Rating) report.Line {
	line := report.Line{Name: name, Bare: true}
	for _, b := range judge.Measure(together(list), judge.Threshold).Reliability {
		line.Points = append(line.Points, report.Point{X: b.Relevance, Y: b.Relevant, Lo: b.Relevant, Hi: b.Relevant})
	}
	return line
}

// printCalibration prints a row of the table.
func printCalibration(head string, list [][]judge.Rating) {
	var each []judge.Quality
	least, most := len(list[0]), 0
	for _, r := range list {
		q := judge.Measure(r, judge.Threshold)
		each = append(each, q)
		least, most = min(least, called(q)), max(most, called(q))
	}
	q := judge.Measure(together(list), judge.Threshold)
	mean := meanQuality(each)
	fmt.Printf("| %s | %.3f | %.3f | %d (%d to %d per topic) | %d | %.3f | %.3f |\n", head, q.ECE, mean.ECE, called(q), least, most, q.Relevant, mean.AveragePrecision, mean.F1)
}

// TestCalibrationSynthetic measures the same on crawls of synthetic webs, where most pages of a
// crawl are on topic: topics stated by their name, and by all their words. Only pages of the
// crawls are rated.
func TestCalibrationSynthetic(t *testing.T) {
	if *calibrationWebs == 0 {
		t.Skip("not asked for: -calibration-webs=8")
	}
	fmt.Println("| topic from | pages | ECE of all topics together | mean ECE of a topic | called relevant | on topic | average precision | F1 |\n|---|---|---|---|---|---|---|---|")
	topics := demo.New(demo.Config{}).Topics()
	named := func(i int) []string { return []string{topics[i].Name} }
	stated := func(i int) []string { return topics[i].Words }
	for _, kind := range []struct {
		name  string
		words func(int) []string
	}{{"name", named}, {"all its words", stated}} {
		var list [][]judge.Rating
		for i := range *calibrationWebs {
			list = append(list, ratedSynthetic(t, topics[i%len(topics)].Name, kind.words(i%len(topics)), uint64(i/len(topics))))
			q := judge.Measure(list[i], judge.Threshold)
			t.Logf("%-14s %-25s ECE %.3f AP %.3f F1 %.3f, called %d of %d", kind.name, topics[i%len(topics)].Name, q.ECE, q.AveragePrecision, q.F1, called(q), q.Relevant)
		}
		printCalibration(kind.name+" | of the crawl", list)
	}
}

// ratedSynthetic crawls 300 pages of a synthetic web for a topic, and rates them by the judge in
// use at the end.
func ratedSynthetic(t *testing.T, name string, words []string, seed uint64) (list []judge.Rating) {
	t.Helper()
	web := demo.New(demo.Config{Topic: name, Latency: -1, SlowLatency: -1, Seed: seed})
	cfg := crawler.Config{
		Topic: &topic.Topic{Name: "x", Words: words}, Transport: web.RoundTripper(), Seeds: strs(web.Seeds(name, 2)),
		Settings: settings.Settings{Key: 3, Limits: settings.Limits{Pages: 300}, Scope: settings.Scope{Block: fickle(web)}, Politeness: settings.Politeness{Delay: -1, InFlight: 1}},
		Trained: func(m collection.Model) {
			t.Logf("%s: %s of the first %d: %d verdicts changed; %s", name, m.Model, m.Seen, m.Verdicts, m.Error)
		},
	}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range c.Crawl(t.Context()) {
	}
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	j, err := crawler.JudgeOf(dir, c.Collection.Crawl.Model())
	if err != nil {
		t.Fatal(err)
	}
	for u, p := range kept(t, c) {
		on, _ := web.Truth(u, name)
		list = append(list, judge.Rating{Relevance: j.Judge(p).Relevance, Relevant: on})
	}
	return list
}
