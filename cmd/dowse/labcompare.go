package main

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"dowse/internal/lab/measure"
	reports "dowse/internal/lab/report"
)

// labCompareCmd compares strategies of one run, or the same strategies of several runs.
// The first is for choosing a strategy, the second for a change of the program: run
// before, change, run after, compare. With --assert it is a gate for builds.
type labCompareCmd struct {
	What     []string `arg:"" name:"run|strategy" help:"Two or more runs; or a run, and strategies of it."`
	Measures []string `short:"m" placeholder:"M" help:"Other measures (e.g. harvest@500,recall@end)."`
	JSON     bool     `name:"json" help:"Print the table and the tests as JSON."`
	assertFlags
}

func (labCompareCmd) Help() string {
	return `Examples:
  dowse lab compare runs/demo otie opic     two strategies of a run
  dowse lab compare runs/before runs/after  two runs of the same topics
  dowse lab compare runs/before runs/after \
    --assert 'after/otie.harvest >= before/otie.harvest, within .01'

Strategies of two runs are named RUN/STRATEGY where both have them. Topics are
paired by name. Prints the table, then for each pair the difference with its 95 %
interval, Wilcoxon's test and the one-tailed t, and both sizes of effect.`
}

// Run prints the table and, for each pair, the difference with its interval, tests and
// effect sizes. A difference is always shown with its interval, since a p-value alone
// does not say how large it is. Claims of --assert are checked last.
func (c *labCompareCmd) Run(w *world) error {
	in, err := c.input(w)
	if err != nil {
		return err
	}
	claims, err := c.ask(&in, c.Measures)
	if err != nil {
		return err
	}
	// The claims of the experiment belong to its report; here only those of --assert
	// count.
	in.Claims = nil
	rep, err := reports.New(in)
	if err != nil {
		return usage("%w", err)
	}
	if c.JSON {
		out := jsonOf(rep)
		if out.Pairs, err = rep.PairRows(c.wanted()); err != nil {
			return err
		}
		if err := jsonLine(w.out, out); err != nil {
			return err
		}
		return hold(w, in, claims, false)
	}
	if err := printReport(w, rep, false); err != nil {
		return err
	}
	pairs, err := rep.Pairs(c.wanted(), columnsOf(w.out))
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "\n%s", pairs)
	return hold(w, in, claims, false)
}

// wanted returns which pairs are compared: nil for all pairs of one run; for several runs
// the pairs of the same strategy. Comparing every strategy of one run with every strategy
// of another would answer questions that were not asked, and each comparison costs
// significance.
func (c *labCompareCmd) wanted() func(a, b string) bool {
	if !c.runs() {
		return nil
	}
	return func(a, b string) bool {
		return strings.Contains(a, "/") && path.Base(a) == path.Base(b)
	}
}

// runs reports whether several runs are compared, not strategies of one: the second
// argument is then a folder.
func (c *labCompareCmd) runs() bool {
	_, err := os.Stat(c.What[1])
	return err == nil
}

// input returns the runs to compare: some strategies of one run, or several runs merged.
func (c *labCompareCmd) input(w *world) (reports.Input, error) {
	first, err := openRun(c.What[0])
	switch {
	case err != nil:
		return first, err
	case len(c.What) == 1:
		return first, usage("nothing to compare %s with: name another run, or strategies of this one", c.What[0])
	}
	if !c.runs() {
		return chosen(first, c.What[1:])
	}
	return merged(w, first, c.What)
}

// chosen keeps the named strategies of a run, in the order in which they are named, and the
// oracle as the upper bound.
func chosen(in reports.Input, names []string) (reports.Input, error) {
	there := in.Runs.Strategies()
	for _, n := range names {
		if !slices.Contains(there, n) {
			return in, usage("%q is neither a run nor a strategy of the run; want one of %s", n, strings.Join(there, ", "))
		}
	}
	in.Runs.Budget = in.Runs.Pages()
	in.Runs.Trails = slices.DeleteFunc(slices.Clone(in.Runs.Trails), func(t measure.Trail) bool {
		return !slices.Contains(names, t.Name()) && !in.Runs.IsOracle(t.Name())
	})
	// Strategies are shown, and differences taken, in the order of their first crawls.
	place := func(t measure.Trail) int {
		if i := slices.Index(names, t.Name()); i >= 0 {
			return i
		}
		return len(names)
	}
	slices.SortStableFunc(in.Runs.Trails, func(a, b measure.Trail) int { return cmp.Compare(place(a), place(b)) })
	return in, nil
}

// merged puts several runs together. Strategies that occur in more than one run get the
// run's name in front, and topics are paired by name. Runs on different webs are compared
// with a warning: their topics may mean different pages.
func merged(w *world, all reports.Input, dirs []string) (reports.Input, error) {
	inputs := []reports.Input{all}
	for _, dir := range dirs[1:] {
		in, err := openRun(dir)
		if err != nil {
			return all, err
		}
		if in.SHA256 != all.SHA256 {
			fmt.Fprintf(w.err, "%s and %s are of different webs: topics are paired by their names alone\n", dirs[0], dir)
		}
		inputs = append(inputs, in)
	}
	names := map[string]int{}
	for _, in := range inputs {
		for _, n := range in.Runs.Strategies() {
			names[n]++
		}
	}
	all.Runs.Trails, all.Runs.Budget = nil, 0
	for i, in := range inputs {
		for _, t := range in.Runs.Trails {
			if names[t.Name()] > 1 {
				t.Label = runName(dirs, i) + "/" + t.Name()
			}
			all.Runs.Trails = append(all.Runs.Trails, t)
		}
		all.Runs.Budget = max(all.Runs.Budget, in.Runs.Pages())
	}
	return all, nil
}

// runName returns the name of a run's folder, or its whole path if another run's folder
// has the same name.
func runName(dirs []string, i int) string {
	base := filepath.Base(dirs[i])
	for k, d := range dirs {
		if k != i && filepath.Base(d) == base {
			return filepath.ToSlash(dirs[i])
		}
	}
	return base
}
