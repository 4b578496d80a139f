package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/strategy/treasure/tgraph"
)

// log writes the access log of the people of the made web.
func (c *demoCmd) log(w *world, d *made) error {
	err := durable.Replace(c.Log, func(f io.Writer) error { return d.web.WriteAccessLog(f, c.People) })
	if err != nil {
		return usage("demo: %w", err)
	}
	if !c.Quiet {
		fmt.Fprintf(w.err, "%s: what %s people read on this web\n", c.Log, count(c.People))
	}
	return nil
}

// tablePages are the columns of the table.
var tablePages = []int{200, 500, 1000}

// table simulates every strategy on several made webs and prints the true harvest of
// each. Those that learn from people get the access log, those that find their way by
// a T-Graph one from an earlier crawl, breadth-first.
func (c *demoCmd) table(w *world) error {
	tmp, err := os.MkdirTemp("", "dowse-demo-")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer os.RemoveAll(tmp)
	fmt.Fprintf(w.out, "| strategy | %d | %d | %d pages |\n|---|---|---|---|\n", tablePages[0], tablePages[1], tablePages[2])
	for _, d := range strategy.All() {
		row, err := c.tableRow(func(m *made) ([]float64, error) {
			needs, err := m.needs(w.ctx, filepath.Join(tmp, fmt.Sprint(m.mark.Seed)), c.People)
			if err != nil {
				return nil, err
			}
			return m.harvest(w.ctx, d.Name, tablePages[2], needs)
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(w.out, "| %s | %s |\n", d.Name, row)
	}
	row, err := c.tableRow(func(m *made) ([]float64, error) { return m.oracle(tablePages[2]), nil })
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "| oracle, which sees the answers | %s |\n", row)
	return nil
}

// tableRow measures on several webs and returns the means. A run that ended early counts
// with the harvest it ended with, and is told.
func (c *demoCmd) tableRow(measure func(*made) ([]float64, error)) (string, error) {
	runs, err := c.repeat(measure)
	if err != nil {
		return "", err
	}
	cells := make([]string, len(tablePages))
	for i, n := range tablePages {
		sum, early := 0.0, 0
		for _, r := range runs {
			if len(r) < n {
				early++
			}
			if len(r) > 0 {
				sum += r[min(n, len(r))-1]
			}
		}
		cells[i] = fmt.Sprintf("%.3f", sum/float64(len(runs)))
		if early > 0 {
			cells[i] += fmt.Sprintf(" (%d of %d ended before)", early, len(runs))
		}
	}
	return strings.Join(cells, " | "), nil
}

// earlierPages is how many pages the crawl has that a T-Graph is made from.
const earlierPages = 400

// needs makes what strategies may need, once for each web, in files below dir.
func (d *made) needs(ctx context.Context, dir string, people int) (n input.Inputs, err error) {
	cfg := crawler.Config{Topic: d.topic, TGraph: filepath.Join(dir, "tgraph.json"), Trace: filepath.Join(dir, "access.log")}
	if _, err := os.Stat(cfg.Trace); err == nil {
		return crawler.NeedsOf(cfg)
	}
	if err := d.earlier(ctx, filepath.Join(dir, "earlier.dowse")); err != nil {
		return n, err
	}
	if err := d.ways(ctx, filepath.Join(dir, "earlier.dowse"), cfg.TGraph); err != nil {
		return n, err
	}
	err = durable.Replace(cfg.Trace, func(f io.Writer) error { return d.web.WriteAccessLog(f, people) })
	if err != nil {
		return n, fmt.Errorf("demo: %w", err)
	}
	return crawler.NeedsOf(cfg)
}

// earlier crawls the web breadth-first.
func (d *made) earlier(ctx context.Context, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	cfg := d.config(earlierPages)
	cfg.StrategyName, cfg.Transport, cfg.Polite = "breadth-first", d.web.RoundTripper(), collection.Politeness{Delay: -1, InFlight: 1}
	cr, err := crawler.Open(dir, cfg)
	if err != nil {
		return err
	}
	for range cr.Crawl(ctx) {
	}
	return errors.Join(cr.Err(), cr.Close())
}

// ways builds the T-Graph of the best pages of a collection, as dowse tgraph build does.
func (d *made) ways(ctx context.Context, dir, out string) error {
	from, err := openBacklinks(ctx, []string{dir})
	if err != nil {
		return err
	}
	defer from.Close()
	targets, err := from.best(bestTargets)
	if err != nil {
		return err
	}
	g, err := tgraph.Builder{}.Build(targets, from)
	if err != nil {
		return err
	}
	return writeTGraph(out, g)
}
