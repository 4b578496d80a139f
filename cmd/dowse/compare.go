package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"dowse/internal/operations"
)

// compareCmd puts two to four collections next to each other.
type compareCmd struct {
	Dirs []string `arg:"" name:"dir" help:"Two to four collections, best of one topic."`
	JSON bool     `help:"Print JSON, with the harvest curves."`
}

func (compareCmd) Help() string {
	return `Examples:
  dowse compare reefs.dowse reefs-bfs.dowse
  dowse compare a.dowse b.dowse c.dowse --json | jq '.pairs[].both'

Harvests come with 95 % intervals by Wilson, their differences with Newcombe's.
Each collection is judged by its own judge, and pages of one crawl are not drawn
independently: the intervals are the least doubt there is. Pages on topic of
large collections are compared by samples.`
}

// Run prints the comparison.
func (c *compareCmd) Run(w *world) error {
	ops, ids, err := w.operationsOn(c.Dirs)
	if err != nil {
		return err
	}
	defer ops.Close()
	x, err := ops.Compare(w.ctx, ids)
	if err != nil {
		return operationsError(err)
	}
	if c.JSON {
		return jsonLine(w.out, x)
	}
	out := bufio.NewWriter(w.out)
	printComparison(out, x)
	return out.Flush()
}

// operationsOn returns the operations on collections, to read, and the names by which these know them.
func (w *world) operationsOn(dirs []string) (ops *operations.Operations, ids []string, err error) {
	for _, dir := range dirs {
		cr, err := w.view(dir) // with the errors and notes that every command has
		if err != nil {
			return nil, nil, err
		}
		cr.Close()
	}
	if ops, err = operations.New(operations.Config{Dirs: dirs, ReadOnly: true}); err != nil {
		return nil, nil, err
	}
	for _, dir := range dirs {
		id, err := ops.ID(dir)
		if err != nil {
			ops.Close()
			return nil, nil, operationsError(err)
		}
		ids = append(ids, id)
	}
	return ops, ids, nil
}

// operationsError separates errors that the user can correct from others.
func operationsError(err error) error {
	switch operations.KindOf(err) {
	case operations.Invalid, operations.NotFound, operations.TooLarge:
		return usage("%w", err)
	}
	return inCollection(err)
}

// letters are the names of the collections in a comparison.
const letters = "ABCD"

// printComparison prints a line per collection, what each two have in common, and the settings that differ:
//
//	   collection        strategy       fetched  on topic  harvest  95 %            hosts  on topic
//	A  tide-pools        auto               300       267    0.890  0.849 to 0.920     20        14
func printComparison(out io.Writer, x *operations.Comparison) {
	room, strategy := len("collection"), len("strategy")
	for _, c := range x.Collections {
		room, strategy = max(room, len([]rune(fit(oneLine(c.Name), 40)))), max(strategy, len(c.Strategy))
	}
	fmt.Fprintf(out, "   %-*s  %-*s  %8s  %8s  %7s  %-14s  %6s  %8s\n", room, "collection", strategy, "strategy", "fetched", "on topic", "harvest", "95 %", "hosts", "on topic")
	letter := map[string]string{}
	for i, c := range x.Collections {
		letter[c.ID] = letters[i : i+1]
		interval := "-"
		if c.Fetched > 0 {
			interval = fmt.Sprintf("%.3f to %.3f", c.Low, c.High)
		}
		fmt.Fprintf(out, "%s  %-*s  %-*s  %8s  %8s  %7.3f  %-14s  %6s  %8s\n", letter[c.ID], room, fit(oneLine(c.Name), 40), strategy, oneLine(c.Strategy), count(c.Fetched), count(c.OnTopic), c.Harvest, interval, count(c.Hosts), count(c.HostsOn))
	}
	for _, p := range x.Pairs {
		a, b := letter[p.A], letter[p.B]
		about := ""
		if p.Estimated {
			about = ", estimated from a sample"
		}
		fmt.Fprintf(out, "\n%s and %s: pages on topic%s\n", a, b, about)
		if d := p.Difference; d != nil {
			fmt.Fprintf(out, "  harvest  %+.3f [%+.3f, %+.3f]: %s\n", d.Harvest, d.Low, d.High, d.Words())
		}
		fmt.Fprintf(out, "  both     %s\n", count(p.Both))
		for _, side := range []struct {
			name  string
			count int
			urls  []string
		}{{a, p.OnlyA, p.InA}, {b, p.OnlyB, p.InB}} {
			fmt.Fprintf(out, "  only %s   %s\n", side.name, count(side.count))
			for _, u := range side.urls {
				fmt.Fprintf(out, "           %s\n", oneLine(u))
			}
		}
	}
	fmt.Fprint(out, "\nmost pages\n")
	for i, c := range x.Collections {
		var hosts []string
		for _, h := range c.Top[:min(len(c.Top), 6)] {
			hosts = append(hosts, fmt.Sprintf("%s %s", oneLine(h.Host), count(h.Pages)))
		}
		fmt.Fprintf(out, "  %s  %s\n", letters[i:i+1], strings.Join(hosts, ", "))
	}
	if len(x.Differ) == 0 {
		fmt.Fprint(out, "\nno setting differs\n")
		return
	}
	fmt.Fprint(out, "\nsettings that differ\n")
	for _, s := range x.Differ {
		values := slices.Clone(s.Values)
		for i := range values {
			values[i] = letters[i:i+1] + " " + orDefault(oneLine(values[i]), "default")
		}
		fmt.Fprintf(out, "  %s: %s\n", s.Setting, strings.Join(values, "; "))
	}
}
