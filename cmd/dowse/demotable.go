package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/internal/lab/measure"
	reports "dowse/internal/lab/report"
	"dowse/lab/experiment"
	"dowse/strategy"
	"dowse/strategy/input"
)

// log writes the access log of simulated readers of the synthetic web. Strategies that
// learn from what people read can be tried with it; real logs are private.
func (c *demoCmd) log(w *world, d *demoWeb) error {
	err := durable.Replace(c.Log, func(f io.Writer) error { return d.web.WriteAccessLog(f, c.People) })
	if err != nil {
		return usage("demo: %w", err)
	}
	if !c.Quiet {
		fmt.Fprintf(w.err, "%s: what %s people read on this web\n", c.Log, count(c.People))
	}
	return nil
}

// compare simulates strategies on several synthetic webs, which differ in their random
// seeds: one web alone would show luck as well as skill. With needs, strategies also get
// a trace and a T-Graph; without, those that need them fail. The lab does the work
// (experiment.RunSynthetic); the demo only describes the webs.
func (c *demoCmd) compare(w *world, strategies []string, pages int, needs bool) (*measure.Runs, error) {
	var webs []func() (*experiment.SyntheticWeb, error)
	for i := range max(c.Webs, 1) {
		webs = append(webs, func() (*experiment.SyntheticWeb, error) {
			m, err := openDemoWeb(collection.Demo{Pages: c.Web, Seed: c.Rng + uint64(i)})
			if err != nil {
				return nil, err
			}
			web, err := m.lab(pages)
			if err == nil && needs {
				web.Needs, err = m.needs(w.ctx, web, c.People)
			}
			return web, err
		})
	}
	bar := newLabBar(w, c.Quiet)
	runs, err := experiment.RunSynthetic(w.ctx, strategies, webs, experiment.Options{Progress: bar.show})
	bar.end()
	if w.ctx.Err() != nil {
		return nil, &exitError{exitInterrupted, err}
	}
	return runs, err
}

// harvest is the measure that tables and curves of the demo show.
var harvest = measure.MustParse("harvest")

// curves simulates every strategy that needs no input files on several synthetic webs,
// and draws the mean true harvest rate of each as SVG: pages fetched to the right, share
// on topic upwards, with a band of one standard error. It is the picture of README.md.
func (c *demoCmd) curves(w *world) error {
	var names []string
	for _, d := range strategy.All() {
		if len(d.Needs) == 0 {
			names = append(names, d.Name)
		}
	}
	runs, err := c.compare(w, names, c.Pages, false)
	if err != nil {
		return err
	}
	plot := reports.Plot{Title: fmt.Sprintf("True harvest on %d demo webs of %d pages, topic %q", c.Webs, c.Web, demoTopic)}
	for _, name := range runs.Strategies() {
		line := reported(w, runs, name)
		line.Bound = runs.IsOracle(name)
		plot.Lines = append(plot.Lines, line)
	}
	if err := durable.WriteFile(c.Curves, plot.SVG()); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	fmt.Fprintf(w.err, "wrote %s: bands are one standard error over the webs\n", c.Curves)
	return nil
}

// reported averages the harvest rate of a strategy over the webs and prints the last
// value. Crawls that ended early, because the strategy found nothing worth following, are
// counted and left out of the mean: their harvest over the missing pages is unknown, and
// the last value would favour strategies that give up.
func reported(w *world, runs *measure.Runs, name string) reports.Line {
	trails := runs.Of(name)
	longest := 0
	for _, t := range trails {
		longest = max(longest, t.Steps.Len())
	}
	var whole [][]float64
	for _, t := range trails {
		if t.Steps.Len() == longest {
			whole = append(whole, harvests(runs, t))
		}
	}
	line := reports.Mean(name, whole)
	if n := len(line.Points); n > 0 {
		last := line.Points[n-1]
		fmt.Fprintf(w.err, "%-18s harvest %.3f ± %.3f after %d pages", name, last.Y, last.Hi-last.Y, n)
	}
	if early := len(trails) - len(whole); early > 0 {
		fmt.Fprintf(w.err, ", but ended early on %d of %d webs", early, len(trails))
		line.Name = fmt.Sprintf("%s (%d of %d)", name, len(whole), len(trails))
	}
	fmt.Fprintln(w.err)
	return line
}

// harvests returns the harvest rate of a crawl after each of its pages.
func harvests(runs *measure.Runs, t *measure.Trail) []float64 {
	at := harvest.Curve(runs, t)
	list := make([]float64, t.Steps.Len())
	for i := range list {
		list[i] = at(i + 1)
	}
	return list
}

// tablePages are the columns of the table, in pages.
var tablePages = []int{200, 500, 1000}

// table simulates every strategy on several synthetic webs and prints the true harvest
// rate of each as a Markdown table, for documents. Strategies that learn from readers get
// the access log, and those that use a T-Graph one from an earlier breadth-first crawl,
// as a user of these strategies would have them.
func (c *demoCmd) table(w *world) error {
	var names []string
	for _, d := range strategy.All() {
		names = append(names, d.Name)
	}
	runs, err := c.compare(w, names, tablePages[2], true)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "| strategy | %d | %d | %d pages |\n|---|---|---|---|\n", tablePages[0], tablePages[1], tablePages[2])
	for _, name := range runs.Strategies() {
		title := name
		if runs.IsOracle(name) {
			title += ", which sees the answers"
		}
		fmt.Fprintf(w.out, "| %s | %s |\n", title, tableRow(runs, name))
	}
	return nil
}

// tableRow returns the mean harvest rate of a strategy over the webs. A crawl that ended
// early counts with its last value, and the cell notes it.
func tableRow(runs *measure.Runs, name string) string {
	trails := runs.Of(name)
	cells := make([]string, len(tablePages))
	for i, n := range tablePages {
		sum, early := 0.0, 0
		for _, t := range trails {
			early += number(t.Steps.Len() < n)
			if last := min(n, t.Steps.Len()); last > 0 {
				sum += harvest.At(last).Of(runs, t)
			}
		}
		cells[i] = fmt.Sprintf("%.3f", sum/float64(len(trails)))
		if early > 0 {
			cells[i] += fmt.Sprintf(" (%d of %d ended before)", early, len(trails))
		}
	}
	return strings.Join(cells, " | ")
}

// needs returns the inputs that strategies may need on a synthetic web: words of the
// topic, the access log, and the T-Graph of an earlier crawl.
func (d *demoWeb) needs(ctx context.Context, web *experiment.SyntheticWeb, people int) (input.Inputs, error) {
	n, err := crawler.NeedsOf(crawler.Config{Topic: d.topic})
	if err == nil {
		n.Trace, err = web.Trace(people)
	}
	if err == nil {
		n.TGraph, err = web.TGraph(ctx)
	}
	return n, err
}
