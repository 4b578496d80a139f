package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dowse/internal/lab/measure"
)

// A Column of a table of intervals is a measure with a heading.
type Column struct {
	Head    string
	Measure measure.Measure
	Not     []string // strategies to which the measure does not apply
}

// Intervals returns a Markdown table: one row per strategy, with the mean of
// each measure over topics and half the width of its 95 % interval by Student's
// t. It serves tables that are not about an experiment, such as those of dowse
// demo.
func Intervals(runs *measure.Runs, what string, columns []Column) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |", markdown(what))
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", markdown(c.Head))
	}
	fmt.Fprintf(&b, "\n|%s\n", strings.Repeat("---|", len(columns)+1))
	for _, name := range runs.Strategies() {
		fmt.Fprintf(&b, "| %s |", strings.ReplaceAll(markdown(name), `\_`, "_"))
		for _, c := range columns {
			text := "–"
			if !slices.Contains(c.Not, name) {
				text = interval(measure.TInterval(runs.ByTopic(c.Measure, name)))
			}
			fmt.Fprintf(&b, " %s |", text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Margins returns a Markdown table: one row per claim, with the margin by which
// it is exceeded, and whether the mean and the whole interval of the margin are
// above 0. A claim that cannot be parsed is an error.
func Margins(runs *measure.Runs, claims []Claim) (string, error) {
	var b strings.Builder
	b.WriteString("| goal | margin | the mean holds | the whole interval does |\n|---|---|---|---|\n")
	yes := map[bool]string{true: "yes", false: "no"}
	for _, c := range claims {
		parsed, err := measure.ParseClaim(c.Expect)
		if err != nil {
			return "", err
		}
		mean, half := measure.TInterval(parsed.Margins(runs, measure.Tests{}))
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", c.Says, interval(mean, half), yes[mean > 0], yes[mean-half > 0])
	}
	return b.String(), nil
}

// interval formats a mean and half the width of its interval; "–" if there is
// no mean.
func interval(mean, half float64) string {
	if math.IsNaN(mean) {
		return "–"
	}
	return fmt.Sprintf("%.2f ± %.2f", mean, half)
}
