package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"dowse/internal/lab/measure"
)

// Pairs returns a table for a terminal: how strategies differ by each measure,
// with the interval of the difference, both tests and both effect sizes. Only
// pairs for which wanted returns true are included, all if it is nil; p-values
// are adjusted for all pairs in either case. A table that is wider than a number of
// columns continues below itself; 0 columns mean any number.
func (r *Report) Pairs(wanted func(a, b string) bool, columns int) (string, error) {
	lines := [][]string{{"measure", "a", "b", "n", "a−b", "95 % interval", "p wilcoxon", "p_adj", "rank-biserial", "p t, a better", "d_z"}}
	err := r.eachPair(wanted, func(m measure.Measure, ranks, means measure.Comparison) {
		lines = append(lines, pairLine(m, ranks, means))
	})
	if err != nil {
		return "", err
	}
	if columns > 0 && columns < leastForPairs {
		return pairList(lines, columns), nil
	}
	var parts []string
	for _, part := range folded(lines, 3, columns) {
		parts = append(parts, aligned(part))
	}
	return strings.Join(parts, "\n"), nil
}

// eachPair calls do for each pair that is wanted and each measure, with its comparisons by the two tests.
func (r *Report) eachPair(wanted func(a, b string) bool, do func(m measure.Measure, ranks, means measure.Comparison)) error {
	for _, m := range r.in.Measures {
		ranks, err := r.tested(m, measure.WilcoxonTest)
		if err != nil {
			return err
		}
		means, err := r.tested(m, measure.StudentTest)
		if err != nil {
			return err
		}
		for _, c := range ranks {
			for _, t := range means {
				if t.A == c.A && t.B == c.B && (wanted == nil || wanted(c.A, c.B)) {
					do(m, c, t)
				}
			}
		}
	}
	return nil
}

// A Pair is how two strategies differ by a measure, as JSON. Figures that do not exist are
// null: p-values of fewer pairs than a test needs.
type Pair struct {
	Measure      string   `json:"measure"`
	A            string   `json:"a"`
	B            string   `json:"b"`
	N            int      `json:"n"` // pairs of topics
	MeanA        *float64 `json:"mean_a"`
	MeanB        *float64 `json:"mean_b"`
	Diff         *float64 `json:"diff"` // a−b
	Lo           *float64 `json:"ci_lo"`
	Hi           *float64 `json:"ci_hi"`
	PWilcoxon    *float64 `json:"p_wilcoxon"`
	PAdj         *float64 `json:"p_adj"` // of p_wilcoxon
	RankBiserial *float64 `json:"rank_biserial"`
	PT           *float64 `json:"p_t"` // one-tailed, that a is better
	DZ           *float64 `json:"d_z"`
}

// PairRows returns the table of Pairs for programs.
func (r *Report) PairRows(wanted func(a, b string) bool) ([]Pair, error) {
	list := []Pair{}
	err := r.eachPair(wanted, func(m measure.Measure, ranks, means measure.Comparison) {
		list = append(list, Pair{
			m.String(), ranks.A, ranks.B, ranks.N, orNull(ranks.MeanA), orNull(ranks.MeanB), orNull(ranks.Diff), orNull(ranks.Lo), orNull(ranks.Hi),
			orNull(ranks.P), orNull(ranks.PAdj), orNull(ranks.Effect), orNull(means.P), orNull(means.Effect),
		})
	})
	return list, err
}

// leastForPairs is the number of columns that the table of pairs needs.
const leastForPairs = 72

// pairList returns the table of pairs as a list for narrow terminals: each pair with
// its figures below it.
func pairList(lines [][]string, columns int) string {
	var b strings.Builder
	for _, l := range lines[1:] {
		var figures []string
		for i, s := range l[3:] {
			figures = append(figures, lines[0][i+3]+" "+s)
		}
		b.WriteString(wrapped(fmt.Sprintf(" %s: %s − %s", l[0], l[1], l[2]), columns))
		b.WriteString(wrapped(" "+strings.Join(figures, ", "), columns) + "\n")
	}
	return b.String()
}

// tested returns the comparisons by a test, whichever the experiment's own is.
// Those of the experiment's own were computed by New.
func (r *Report) tested(m measure.Measure, test string) ([]measure.Comparison, error) {
	if r.in.Tests.Test == test {
		return r.tests[m], nil
	}
	other := r.in.Tests
	other.Test = test
	list, err := measure.Compare(&r.in.Runs, m, other)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return list, nil
}

// pairLine formats one pair; ranks and means are its comparisons by the two
// tests.
func pairLine(m measure.Measure, ranks, means measure.Comparison) []string {
	return []string{
		m.String(), clean(ranks.A, 40), clean(ranks.B, 40), strconv.Itoa(ranks.N), change(m, ranks.Diff),
		fmt.Sprintf("[%s, %s]", change(m, ranks.Lo), change(m, ranks.Hi)), p(ranks.P), p(ranks.PAdj), effect(ranks.Effect), p(means.P), effect(means.Effect),
	}
}

// A Row is a strategy's row of the table as JSON. Figures that do not exist are
// null.
type Row struct {
	ID       string   `json:"id,omitempty"` // letter of the row; none for the oracle
	Strategy string   `json:"strategy"`
	Oracle   bool     `json:"oracle,omitempty"`
	Figures  []Number `json:"figures"`
}

// A Number is one measure of a strategy.
type Number struct {
	Measure string   `json:"measure"`
	Value   *float64 `json:"value"`
	SE      *float64 `json:"se"`
	Lo      *float64 `json:"ci_lo"`
	Hi      *float64 `json:"ci_hi"`
	Beats   []string `json:"beats"` // ids of rows than which it is significantly better
}

// Rows returns the table for programs, in the order of Text.
func (r *Report) Rows() (rows []Row) {
	for _, name := range r.rows() {
		row := Row{ID: r.ids[name], Strategy: name, Oracle: r.in.Runs.IsOracle(name)}
		for _, m := range r.in.Measures {
			f := r.table[cell{name, m}]
			row.Figures = append(row.Figures, Number{m.String(), orNull(f.centre), orNull(f.se), orNull(f.lo), orNull(f.hi), append([]string{}, f.beats...)})
		}
		rows = append(rows, row)
	}
	return rows
}

// orNull returns nil for values that JSON can't represent.
func orNull(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
