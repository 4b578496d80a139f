package crawler_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/lab/report"
	"dowse/judge"
)

var calibrationSVG = flag.String("calibration-svg", "", "file for the reliability diagrams")

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
