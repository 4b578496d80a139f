// Package report turns the crawls of an experiment into what a paper needs: a
// page with figures and tables, files of numbers, and files with which others can
// check them.
//
// [New] measures an [Input] once and keeps every figure in a [Report]. All output
// forms read these figures, so a number is the same in the HTML page, the
// terminal, LaTeX, Markdown, CSV and the TREC files. [Report.Files] lists the
// files; [Results] joins the parts of many experiments into one document; [Plot]
// and [Intervals] serve callers that draw without an experiment.
//
// How the parts fit: doc.go ranks and tests; table.go, csv.go, trec.go and
// metadata.go write text forms; html.go fills the template; plot.go, figures.go,
// ranking.go, singles.go and heat.go draw. Drawings are SVG written by hand,
// inline, and styled by one sheet (style.go) with a light and a dark colour per
// line. Each is drawn twice, for wide and for narrow screens.
//
// Invariants:
//
//   - The same input gives the same bytes: no clock, no map order, no random
//     numbers.
//   - The page needs no script, no font and no network, so that it can be
//     archived with the run.
//   - Text that comes from a web (URLs, topics, anchors) or from a user is
//     untrusted: it passes clean, and escape, markdown, latex or html/template,
//     before it is written. It is never interpreted and never breaks a layout.
//   - A line in a figure differs from the others in dashes and shape as well as
//     in colour.
//
// Measuring costs less than a second for a run of some hundred crawls; drawing
// costs little.
package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/lab/measure"
)

// An Input is a finished experiment: its description, its crawls, and how to
// measure them. Texts are untrusted, see the package comment. It must not be
// changed after [New].
type Input struct {
	Name  string // of the experiment
	Title string // one line for readers; "" for none
	About string // what is compared, for readers
	// The figure or table of a paper that it repeats, and what that shows.
	Paper string
	Note  string // what was found where claims do not hold; "" for none
	Setup []Fact // topics, training, seeds, budget, judge
	Web   []Fact // pages, hosts, links
	Place string // name of the web in titles
	// How the run differs from the experiment's own settings: with hubs, generic
	// seeds; "" if it does not.
	How     string
	SHA256  string            // of the web, or of all webs together
	SHA256s map[string]string // by topic, of its web, if there are several webs
	RNG     uint64            // random seed
	Command string            // with which the run can be repeated
	// TopicsNamed is set if a file names the topics. Sections list them then: the command can be
	// repeated only by who knows what the file has.
	TopicsNamed bool
	Version     []Fact // of the program and its platform
	// What each process spent that made crawls of the run, the earliest first.
	Efforts []Effort

	Runs measure.Runs
	// Columns; strategies are ranked by the first one that is reproducible;
	// default DefaultMeasures.
	Measures []measure.Measure
	// The measures were asked for one by one, so that nothing else is shown.
	Asked  bool
	Tests  measure.Tests
	Claims []Claim
	Cite   []Citation

	// Relevant lists the relevant pages of each topic in the web. Without it the
	// TREC files contain only those that some crawl found, and no recall can be
	// computed from them. Trained are the training pages among them, Listed those
	// that a directory lists.
	Relevant, Trained, Listed map[string][]dowse.URL
}

// sha256 returns the hash of a topic's web.
func (in *Input) sha256(topic string) string { return cmp.Or(in.SHA256s[topic], in.SHA256) }

// A Fact is a line of the set-up: a name and its value.
type Fact struct{ Name, Value string }

// A Claim is a statement of a paper, and the expression that checks it
// ([measure.Claim]).
type Claim struct{ Says, Expect string }

// A Citation is a work to cite.
type Citation struct{ Text, BibTeX string }

// A Report is an experiment with all its figures, from which every form is
// written. It does not change after [New].
type Report struct {
	in       Input
	rivals   []string          // best first
	bounds   []string          // the oracle, if it was run
	named    []string          // the rivals that figures name and colour, see focus
	ids      map[string]string // by rival, the letter of its row
	measures []measure.Measure // the experiment's, without those that have no value on this web
	early    []measure.Measure // area under target recall at early budgets
	table    map[cell]figure
	tests    map[measure.Measure][]measure.Comparison
	Verdicts []Verdict // of the claims, in their order
}

// A Verdict is a claim with its outcome.
type Verdict struct {
	Claim
	measure.Verdict
}

// A cell is a place in the table.
type cell struct {
	strategy string
	measure  measure.Measure
}

// A figure is the value of a cell: one measure of one strategy over all topics.
// The centre is the mean over topics of the means over seed sets, or the median
// for measures that can be infinite.
type figure struct {
	centre, se float64
	lo, hi     float64 // 95 % confidence interval
	best       bool
	ended      bool     // some crawls ended before the place of the measure
	beats      []string // ids of the rows than which it is significantly better
}

// DefaultMeasures are the columns of an experiment that names none.
func DefaultMeasures() (list []measure.Measure) {
	for _, m := range []string{"auc", "recall@end", "harvest@end", "hosts_on", "pages_to_recall@0.5"} {
		list = append(list, measure.MustParse(m))
	}
	return list
}

// New measures an experiment: the ranking, one table cell per strategy and
// measure, all pairwise tests, and the claims. It returns an error for unknown
// tests, for claims that cannot be parsed, and if no strategy was run.
func New(in Input) (*Report, error) {
	if len(in.Runs.Rivals()) == 0 {
		return nil, fmt.Errorf("report: %s: no crawls of a strategy", cmp.Or(in.Name, "the run"))
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
	r.measures = r.withValues()
	r.rank()
	r.early = r.earlyMeasures()
	for _, m := range slices.Concat(in.Measures, r.early) {
		if r.tests[m] != nil {
			continue
		}
		if r.tests[m], err = measure.Compare(&r.in.Runs, m, tests); err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		r.column(m)
	}
	return r, r.judge()
}

// lead returns the measure by which strategies are ranked: the first one that is
// reproducible. Ranking by processor time would order the same run differently
// each time.
func (r *Report) lead() measure.Measure {
	i := slices.IndexFunc(r.measures, func(m measure.Measure) bool { return !m.Kind().Clock })
	return r.measures[max(i, 0)]
}

// withValues returns the measures of the experiment that have a value for some strategy; all of
// them if none has. One may have none on another web than the experiment's own, such as recall of
// listed targets where no page is listed: its column would be empty, and a ranking by it
// would be the order in which strategies were given.
func (r *Report) withValues() []measure.Measure {
	list := slices.DeleteFunc(slices.Clone(r.in.Measures), func(m measure.Measure) bool {
		return !slices.ContainsFunc(r.in.Runs.Rivals(), func(name string) bool { return !math.IsNaN(m.Centre(r.in.Runs.ByTopic(m, name))) })
	})
	if len(list) == 0 {
		return r.in.Measures
	}
	return list
}

// valuelessNotes names the measures of the experiment that are not in the tables, and those
// whose figures are means over a part of the topics.
func (r *Report) valuelessNotes() (notes []string) {
	var without []string
	for _, m := range r.in.Measures {
		n, all := r.topicsWith(m), len(r.in.Runs.Topics())
		switch {
		case !slices.Contains(r.measures, m):
			without = append(without, m.String())
		case n < all:
			notes = append(notes, fmt.Sprintf("%s has values on %d of %d topics only: its figures are of these.", m, n, all))
		}
	}
	if len(without) > 0 {
		notes = append(notes, "Without a value on these topics, and so not in the tables: "+strings.Join(without, ", ")+".")
	}
	return notes
}

// topicsWith returns the number of topics on which some strategy has a value of a measure.
func (r *Report) topicsWith(m measure.Measure) (n int) {
	has := make([]bool, len(r.in.Runs.Topics()))
	for _, name := range r.in.Runs.Rivals() {
		for i, v := range r.in.Runs.ByTopic(m, name) {
			has[i] = has[i] || !math.IsNaN(v)
		}
	}
	for _, yes := range has {
		if yes {
			n++
		}
	}
	return n
}

// rank orders the strategies by the leading measure, best first, and assigns
// ids in the order in which they were given, so that a row keeps its letter
// when the ranking changes. Equal strategies keep the order of the experiment.
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

// compareBetter is positive if a is better than b by the measure; a value that
// does not exist is worse than any other.
func compareBetter(m measure.Measure, a, b float64) int {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return cmp.Compare(a, b) // cmp orders NaN below all numbers
	case m.Kind().Lower:
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// column computes the figures of one measure for all strategies and marks the
// best one. Topics without a value are left out of the mean. The oracle is
// measured but cannot be best, nor can a strategy whose crawls ended early. Several strategies are marked if their means are
// equal, none if there is only one strategy.
func (r *Report) column(m measure.Measure) {
	best := math.NaN()
	for _, name := range append(slices.Clone(r.rivals), r.bounds...) {
		values := slices.DeleteFunc(r.in.Runs.ByTopic(m, name), math.IsNaN)
		f := figure{centre: m.Centre(values), ended: !r.complete(name, m)}
		_, f.se = measure.MeanSE(values)
		f.lo, f.hi = m.Interval(values)
		for _, c := range r.against(m, name) {
			if c.Better(r.in.Tests.Alpha) {
				f.beats = append(f.beats, r.ids[c.B])
			}
		}
		slices.SortFunc(f.beats, byID)
		if !r.in.Runs.IsOracle(name) && !f.ended && compareBetter(m, f.centre, best) > 0 {
			best = f.centre
		}
		r.table[cell{name, m}] = f
	}
	for _, name := range r.rivals {
		f := r.table[cell{name, m}]
		f.best = !f.ended && shown(f.centre) && same(f.centre, best) && len(r.rivals) > 1
		r.table[cell{name, m}] = f
	}
}

// same reports whether two means are equal up to the order of summation: sums
// over topics in another order may differ in the last digits.
func same(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-12*math.Abs(b) }

// against returns the comparisons of a strategy with the others, from its point
// of view. Only two-tailed tests can be swapped; the t-test is one-tailed and
// has a comparison per direction.
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

// between returns the comparison of two strategies from the point of view of the
// first.
func (r *Report) between(m measure.Measure, a, b string) (measure.Comparison, bool) {
	list := r.against(m, a)
	i := slices.IndexFunc(list, func(c measure.Comparison) bool { return c.B == b })
	if i < 0 {
		return measure.Comparison{}, false
	}
	return list[i], true
}

// judge checks the claims against the runs, with the tests of the experiment.
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

// strategies returns all strategies, best first, the oracle last.
func (r *Report) strategies() []string { return append(slices.Clone(r.rivals), r.bounds...) }
