// Package report turns the crawls of an experiment into what a paper needs: one
// page with figures, tables, files of figures, and what others check them with.
//
// Everything is made of an [Input], and the same input gives the same bytes. What
// comes from a web (URLs, topics, names) is text wherever it is written.
package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dowse"
	"dowse/internal/lab/measure"
)

// An Input is an experiment that was run.
type Input struct {
	Name    string            // of the experiment
	Title   string            // for people, in a line; "" for none
	About   string            // what is compared, for people
	Paper   string            // which figure or table of which paper it is after, and what that says
	Note    string            // what was found where claims do not hold; "" for nothing
	Setup   []Fact            // topics, training, seeds, budget, judge
	Web     []Fact            // pages, hosts, links
	Place   string            // the web, as titles name it
	How     string            // how it was run otherwise than it says itself: with hubs, generic seeds; "" for not at all
	SHA256  string            // of the web; of several, all of them
	SHA256s map[string]string // of the web of each topic, where there are several
	RNG     uint64
	Command string // that makes the run again
	Version []Fact // of the program and what it ran on

	Runs     measure.Runs
	Measures []measure.Measure // the first leads: figures are ordered by it, unless it is the machine's time; harvest@end, recall@end, auc, hosts_on, pages_to_recall if empty
	Tests    measure.Tests
	Claims   []Claim
	Cite     []Citation

	// Relevant are the pages of each topic in the web. Without them the TREC files
	// know only those that some crawl found.
	Relevant map[string][]dowse.URL
}

// sha256 is that of a topic's web.
func (in *Input) sha256(topic string) string { return cmp.Or(in.SHA256s[topic], in.SHA256) }

// A Fact is a line of the set-up.
type Fact struct{ Name, Value string }

// A Claim is what a paper says, and the expression that checks it.
type Claim struct{ Says, Expect string }

// A Citation is a work to cite.
type Citation struct{ Text, BibTeX string }

// A Report is an experiment, measured: the figures from which all forms of it are
// written.
type Report struct {
	in       Input
	rivals   []string // best first
	bounds   []string
	named    []string          // the rivals that figures name and give a colour
	ids      map[string]string // letters of the rivals, in the order they were given
	table    map[cell]figure
	tests    map[measure.Measure][]measure.Comparison
	Verdicts []Verdict // on the claims, in their order
}

// A Verdict is what the runs say to a claim.
type Verdict struct {
	Claim
	measure.Verdict
}

type cell struct {
	strategy string
	measure  measure.Measure
}

// A figure is a strategy's over all topics.
type figure struct {
	centre, se float64
	lo, hi     float64 // 95 % bootstrap interval
	best       bool
	beats      []string // ids of the rows that it is significantly better than
}

// DefaultMeasures are shown where an experiment names none.
func DefaultMeasures() (list []measure.Measure) {
	for _, m := range []string{"harvest@end", "recall@end", "auc", "hosts_on", "pages_to_recall@0.5"} {
		list = append(list, measure.MustParse(m))
	}
	return list
}

// New measures an experiment. It fails for tests that there are not, claims that
// can't be read, and where no strategy was run.
func New(in Input) (*Report, error) {
	if len(in.Runs.Rivals()) == 0 {
		return nil, fmt.Errorf("report: %s has no crawls of a strategy", cmp.Or(in.Name, "the run"))
	}
	if len(in.Measures) == 0 {
		in.Measures = DefaultMeasures()
	}
	tests, err := in.Tests.OrDefault()
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	in.Tests = tests
	r := &Report{in: in, table: map[cell]figure{}, tests: map[measure.Measure][]measure.Comparison{}, ids: map[string]string{}}
	r.rank()
	for _, m := range in.Measures {
		if r.tests[m], err = measure.Compare(&r.in.Runs, m, tests); err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		r.column(m)
	}
	return r, r.judge()
}

// lead is the measure that the strategies are ordered by: the first that is the same
// for everybody who runs the experiment.
func (r *Report) lead() measure.Measure {
	i := slices.IndexFunc(r.in.Measures, func(m measure.Measure) bool { return !m.Kind().Clock })
	return r.in.Measures[max(i, 0)]
}

// rank orders the strategies by the leading measure, best first, and gives out ids.
func (r *Report) rank() {
	r.rivals = r.in.Runs.Rivals()
	for i, n := range r.rivals {
		r.ids[n] = rowID(i)
	}
	values := map[string]float64{}
	for _, n := range r.rivals {
		values[n] = r.lead().Centre(r.in.Runs.ByTopic(r.lead(), n))
	}
	slices.SortStableFunc(r.rivals, func(a, b string) int { return -compareBetter(r.lead(), values[a], values[b]) })
	r.bounds = slices.DeleteFunc(r.in.Runs.Strategies(), func(n string) bool { return !r.in.Runs.IsOracle(n) })
	r.named = r.focus()
}

// compareBetter orders figures by which is better; what has none is worst.
func compareBetter(m measure.Measure, a, b float64) int {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return cmp.Compare(a, b) // cmp has what is no number below all
	case m.Kind().Lower:
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// column computes the figures of one measure.
func (r *Report) column(m measure.Measure) {
	best := math.NaN()
	for _, name := range append(slices.Clone(r.rivals), r.bounds...) {
		values := slices.DeleteFunc(r.in.Runs.ByTopic(m, name), math.IsNaN)
		f := figure{centre: m.Centre(values)}
		_, f.se = measure.MeanSE(values)
		f.lo, f.hi = measure.Bootstrap{Of: m.Centre, Rounds: r.in.Tests.Rounds, Seed: r.in.Tests.Seed}.Interval(values)
		for _, c := range r.against(m, name) {
			if c.Better(r.in.Tests.Alpha) {
				f.beats = append(f.beats, r.ids[c.B])
			}
		}
		slices.SortFunc(f.beats, byID)
		if !r.in.Runs.IsOracle(name) && compareBetter(m, f.centre, best) > 0 {
			best = f.centre
		}
		r.table[cell{name, m}] = f
	}
	for _, name := range r.rivals {
		f := r.table[cell{name, m}]
		f.best = shown(f.centre) && same(f.centre, best) && len(r.rivals) > 1
		r.table[cell{name, m}] = f
	}
}

// same tells whether two means are the same but for the order in which they were summed up.
func same(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-12*math.Abs(b) }

// against returns the comparisons of a strategy with the others, seen from it.
func (r *Report) against(m measure.Measure, name string) (list []measure.Comparison) {
	for _, c := range r.tests[m] {
		switch {
		case c.A == name:
			list = append(list, c)
		case c.B == name && c.Test == measure.WilcoxonTest:
			list = append(list, c.Swapped())
		}
	}
	return list
}

// between returns the comparison of two strategies, seen from the first.
func (r *Report) between(m measure.Measure, a, b string) (measure.Comparison, bool) {
	list := r.against(m, a)
	i := slices.IndexFunc(list, func(c measure.Comparison) bool { return c.B == b })
	if i < 0 {
		return measure.Comparison{}, false
	}
	return list[i], true
}

func (r *Report) judge() error {
	for _, c := range r.in.Claims {
		claim, err := measure.ParseClaim(c.Expect)
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		v, err := claim.Check(&r.in.Runs, r.in.Tests)
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		r.Verdicts = append(r.Verdicts, Verdict{c, v})
	}
	return nil
}

// strategies returns all, best first, the oracle last.
func (r *Report) strategies() []string { return append(slices.Clone(r.rivals), r.bounds...) }
