package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"dowse/internal/lab/measure"
)

// resultSteps is the approximate number of rows per crawl in results.csv.
const resultSteps = 20

// figureCSV formats a number for programs: all digits, and nothing for a value
// that does not exist. A recall that was never reached is Inf, as R and Python
// write it: left out, it would look like a topic that was not run, and flatter
// the strategy that failed on it.
func figureCSV(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case math.IsInf(v, 1):
		return "Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// writeCSV writes a header and rows; rows calls its argument once per row. The
// csv package remembers the first error, which is returned at the end. Texts
// from the web are quoted by that package and not cleaned: programs read these
// files, and a URL must be found in them as it is.
func writeCSV(w io.Writer, head []string, rows func(row func(...string))) error {
	c := csv.NewWriter(w)
	c.Write(head)
	rows(func(fields ...string) { c.Write(fields) })
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("report: write csv: %w", err)
	}
	return nil
}

// ResultsCSV writes every crawl at fixed steps, one row per step: tidy data for
// plotting.
func (r *Report) ResultsCSV(w io.Writer) error {
	head := []string{"experiment", "web_sha256", "topic", "strategy", "seed_set", "rng", "fetched", "on_topic", "harvest",
		"window_harvest", "recall", "hosts_on", "bytes", "sim_seconds"}
	runs := &r.in.Runs
	// All crawls have the same steps, so that rows of different crawls can be
	// joined.
	step := max(1, int(niceStep(float64(runs.Pages())/resultSteps)))
	var kinds []measure.Measure
	for _, m := range []string{"harvest", "window_harvest", "recall", "hosts_on", "bytes", "time"} {
		kinds = append(kinds, measure.MustParse(m))
	}
	return writeCSV(w, head, func(row func(...string)) {
		for i := range runs.Trails {
			t := &runs.Trails[i]
			before := []string{r.in.Name, r.in.sha256(t.Topic), t.Topic, t.Name(), strconv.Itoa(t.SeedSet), strconv.FormatUint(r.in.RNG, 10)}
			var curves []measure.Curve
			for _, m := range kinds {
				curves = append(curves, m.Curve(runs, t))
			}
			for _, k := range stepsOf(t.Steps.Len(), step) {
				fields := append(slices.Clone(before), strconv.Itoa(k), strconv.Itoa(t.Steps.Relevant(k)))
				for _, c := range curves {
					fields = append(fields, figureCSV(c(k)))
				}
				row(fields...)
			}
		}
	})
}

// stepsOf returns the multiples of step below n, and n, so that the end of
// every crawl has a row.
func stepsOf(n, step int) (at []int) {
	for k := step; k < n; k += step {
		at = append(at, k)
	}
	if n > 0 {
		at = append(at, n)
	}
	return at
}

// SummaryCSV writes one row per crawl: how it ended, and its measures. These
// are the values that the table's means are computed from.
func (r *Report) SummaryCSV(w io.Writer) error {
	head := append([]string{"experiment", "topic", "strategy", "seed_set", "fetched", "failed", "stopped"}, columnNames(r.in.Measures)...)
	runs := &r.in.Runs
	return writeCSV(w, head, func(row func(...string)) {
		for i := range runs.Trails {
			t := &runs.Trails[i]
			fields := []string{r.in.Name, t.Topic, t.Name(), strconv.Itoa(t.SeedSet), strconv.Itoa(t.Steps.Len()), strconv.Itoa(t.Failed), t.Stopped}
			for _, m := range r.in.Measures {
				fields = append(fields, figureCSV(m.Of(runs, t)))
			}
			row(fields...)
		}
	})
}

// StatsCSV writes the comparison of every pair of strategies by every measure,
// with both tests: Wilcoxon's, and the one-tailed t-test, which has one row per
// direction.
func (r *Report) StatsCSV(w io.Writer) error {
	head := []string{"measure", "a", "b", "n", "mean_a", "mean_b", "diff", "ci_lo", "ci_hi", "test", "p", "p_adj", "effect"}
	var list []measure.Comparison
	for _, m := range r.in.Measures {
		for _, test := range []string{measure.WilcoxonTest, measure.StudentTest} {
			more, err := r.tested(m, test)
			if err != nil {
				return err
			}
			list = append(list, more...)
		}
	}
	return writeCSV(w, head, func(row func(...string)) {
		for _, c := range list {
			fields := []string{c.Measure.String(), c.A, c.B, strconv.Itoa(c.N)}
			for _, v := range []float64{c.MeanA, c.MeanB, c.Diff, c.Lo, c.Hi} {
				fields = append(fields, figureCSV(v))
			}
			row(append(fields, c.Test, figureCSV(c.P), figureCSV(c.PAdj), figureCSV(c.Effect))...)
		}
	})
}
