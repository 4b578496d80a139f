package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/lab/measure"
)

// byHand is the report on handInput: harvests of 10 pages on six topics, of which slow finds
// 1 or 2 and quick 5 to 9.
func byHand(t *testing.T, change func(in *Input)) *Report {
	t.Helper()
	in := handInput
	if change != nil {
		change(&in)
	}
	r, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestClaimsByHand evaluates claims on numbers that can be added up by hand: the mean
// difference of harvest is (41 − 9) / 60.
func TestClaimsByHand(t *testing.T) {
	claims := []Claim{
		{"quick is better", "quick.harvest@end > slow.harvest@end"},
		{"slow is better", "slow.harvest@end > quick.harvest@end"},
		{"significantly so", "quick.harvest@end > slow.harvest@end, p < .05"},
		{"twice as good", "quick.harvest@end > 2 * slow.harvest@end"},
		{"ten times as good", "quick.harvest@end > 10 * slow.harvest@end"},
		{"they are alike", "quick.harvest@end ~ slow.harvest@end, within .1"},
		{"above a number", "quick.harvest@end > 0.4"},
		{"of a strategy that was not run", "quick.harvest@end > online.harvest@end"},
	}
	r := byHand(t, func(in *Input) { in.Claims = claims })
	want := []measure.Outcome{measure.Holds, measure.HoldsNot, measure.Holds, measure.Holds, measure.HoldsNot, measure.HoldsNot, measure.Holds, measure.Undecided}
	for i, v := range r.Verdicts {
		if v.Outcome != want[i] || v.Claim != claims[i] {
			t.Errorf("%q (%s): %s %v, want %s", v.Says, v.Expect, v.Outcome, v.Figures, want[i])
		}
	}
	if len(r.Verdicts) != len(claims) {
		t.Fatalf("%d verdicts, want %d", len(r.Verdicts), len(claims))
	}
	if f := r.Verdicts[0].Figures; len(f) != 1 || !strings.Contains(f[0], "0.533") {
		t.Errorf("figures %v, want the difference 0.533", f)
	}
	if f := r.Verdicts[7].Figures; len(f) != 1 || !strings.Contains(f[0], "online") {
		t.Errorf("figures %v, want the strategy that was not run", f)
	}
	n := r.tally()
	if n[measure.Holds] != 4 || n[measure.HoldsNot] != 3 || n[measure.Undecided] != 1 {
		t.Errorf("tally %v", n)
	}
}

// TestMeasuresWithoutValues: a measure that has no value on any topic, as recall of listed targets
// where no page is listed, neither ranks strategies nor fills a column; a note names it.
func TestMeasuresWithoutValues(t *testing.T) {
	listed, harvest := measure.MustParse("recall_listed@100%"), measure.MustParse("harvest@end")
	r := byHand(t, func(in *Input) { in.Measures = []measure.Measure{listed, harvest} })
	if r.lead() != harvest || r.rivals[0] != "quick" {
		t.Errorf("%s ranks, and %s is first; want the harvest and quick", r.lead(), r.rivals[0])
	}
	for name, text := range map[string]string{"text": r.Text(0), "markdown": strings.ReplaceAll(r.Markdown(), "\\", "")} {
		if !strings.Contains(text, "not in the tables: recall_listed@100%.") || strings.Count(text, "recall_listed") != 1 {
			t.Errorf("%s: want recall_listed in one note and no column:\n%s", name, text)
		}
	}
	r = byHand(t, func(in *Input) { in.Measures = []measure.Measure{listed} })
	r.early = []measure.Measure{harvest} // as if the crawls were long enough for early areas
	r.column(harvest)
	if text := r.Text(0); !strings.Contains(text, " ±0.") || !strings.Contains(text, "± standard error") {
		t.Errorf("want ± in the early column, and its legend, where the leading measure has none:\n%s", text)
	}
	if r.lead() != listed {
		t.Errorf("%s ranks, where no measure has a value; want the first", r.lead())
	}
}

// TestBrokenReports checks that claims and tests that cannot be evaluated are errors, not
// claims that do not hold.
func TestBrokenReports(t *testing.T) {
	for what, change := range map[string]func(in *Input){
		"claim":      func(in *Input) { in.Claims = []Claim{{"x", "quick.harvest@end >"}} },
		"measure":    func(in *Input) { in.Claims = []Claim{{"x", "quick.beauty > slow.beauty"}} },
		"test":       func(in *Input) { in.Tests.Test = "anova" },
		"adjustment": func(in *Input) { in.Tests.Adjust = "wishful" },
	} {
		in := handInput
		change(&in)
		if _, err := New(in); err == nil || !strings.HasPrefix(err.Error(), "report: ") {
			t.Errorf("a wrong %s: %v, want an error of this package", what, err)
		}
	}
}

// TestFiguresByHand checks one cell completely: mean, standard error, interval, best mark
// and letters.
func TestFiguresByHand(t *testing.T) {
	r := byHand(t, nil)
	m := measure.MustParse("harvest@end")
	values := []float64{.5, .6, .6, .7, .8, .9}
	mean, se := measure.MeanSE(values)
	f := r.table[cell{"quick", m}]
	if math.Abs(f.centre-mean) > 1e-12 || math.Abs(f.se-se) > 1e-12 || !f.best || !slices.Equal(f.beats, []string{"a"}) {
		t.Errorf("%+v, want the mean %g ± %g, best, and better than a", f, mean, se)
	}
	if !(0.5 <= f.lo && f.lo < mean && mean < f.hi && f.hi <= 0.9) {
		t.Errorf("the interval %g to %g does not enclose the mean within the values", f.lo, f.hi)
	}
	if o := r.table[cell{"oracle", m}]; o.best || o.beats != nil {
		t.Errorf("the oracle competes: %+v", o)
	}
	if !slices.Equal(r.rivals, []string{"quick", "slow"}) || !slices.Equal(r.rows(), []string{"slow", "quick", "oracle"}) {
		t.Errorf("ranked %v, rows %v: want the best first, and rows as they were given", r.rivals, r.rows())
	}
}

// TestLessIsBetter checks the direction of a measure of which less is better, in ranking,
// marks and shades.
func TestLessIsBetter(t *testing.T) {
	m := measure.MustParse("pages_to_recall@0.1")
	r := byHand(t, func(in *Input) {
		in.Runs.Trails = slices.Clone(in.Runs.Trails)
		for i := range in.Runs.Trails {
			if t := &in.Runs.Trails[i]; t.Strategy == "slow" { // its first hit comes last
				var steps measure.Steps
				for k := range 10 {
					steps.Append(measure.Step{URL: dowse.URL(fmt.Sprint("s", k)), Relevant: k == 9})
				}
				t.Steps = steps
			}
		}
		in.Measures = []measure.Measure{m}
	})
	if r.rivals[0] != "quick" || !r.table[cell{"quick", m}].best || r.table[cell{"slow", m}].best {
		t.Errorf("ranked %v by %s: quick needs 1 page, slow 10", r.rivals, m)
	}
	cells := heatCells(m, []float64{1, 10}, 1, 10)
	if !cells[0].Best || cells[1].Best || cells[0].Tint <= cells[1].Tint {
		t.Errorf("cells %+v: fewer pages are better and darker", cells)
	}
	bars := r.differences(m, "slow")
	if len(bars.bars) != 6 || bars.bars[0].diff <= 0 {
		t.Errorf("bars %+v: slow needs more pages than the median on every topic", bars.bars)
	}
}

// TestSummaryAgreesWithTable computes the means of the table from summary.csv.
func TestSummaryAgreesWithTable(t *testing.T) {
	r := byHand(t, nil)
	rows, err := csv.NewReader(bytes.NewReader(written(t, r)["summary.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], "harvest@end")
	values := map[string][]float64{}
	for _, row := range rows[1:] {
		v, err := strconv.ParseFloat(row[at], 64)
		if err != nil {
			t.Fatal(err)
		}
		values[row[2]] = append(values[row[2]], v)
	}
	for name, list := range values {
		if got, want := measure.Mean(list), r.table[cell{name, r.in.Measures[0]}].centre; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: mean %g of summary.csv, %g in the table", name, got, want)
		}
	}
}

// TestResultsEndWithTheCrawl checks that the last row of each crawl in results.csv is its
// last page, also if that is no multiple of the step.
func TestResultsEndWithTheCrawl(t *testing.T) {
	for _, c := range []struct {
		n, step int
		want    []int
	}{{0, 5, nil}, {3, 5, []int{3}}, {10, 5, []int{5, 10}}, {11, 5, []int{5, 10, 11}}} {
		if got := stepsOf(c.n, c.step); !slices.Equal(got, c.want) {
			t.Errorf("%d pages in steps of %d: %v, want %v", c.n, c.step, got, c.want)
		}
	}
}

// TestPairs checks that a selection of pairs leaves the p-values of the others' number as
// they are: they are adjusted for all pairs.
func TestPairs(t *testing.T) {
	harvests := map[string][]int{"a": {1, 2, 1, 2, 1, 2}, "b": {3, 3, 4, 3, 4, 5}, "c": {5, 6, 6, 7, 8, 9}}
	r, err := New(hand(harvests, "a", "b", "c"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.Pairs(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	some, err := r.Pairs(func(a, b string) bool { return a == "a" && b == "c" }, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(all, "\n"); n != 1+2*3 {
		t.Errorf("%d lines, want a header and three pairs for each of two measures:\n%s", n, all)
	}
	for line := range strings.Lines(some) {
		if !strings.Contains(strings.Join(strings.Fields(all), " "), strings.Join(strings.Fields(line), " ")) {
			t.Errorf("%q is not in the table of all pairs", line)
		}
	}
	if n := strings.Count(some, "\n"); n != 1+2 {
		t.Errorf("%d lines of one pair:\n%s", n, some)
	}
	rows, err := r.PairRows(nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string // the same, row by row
	for i := range rows {
		x := &rows[i]
		or := func(v *float64) float64 {
			if v == nil {
				return math.NaN()
			}
			return *v
		}
		m := r.in.Measures[slices.IndexFunc(r.in.Measures, func(m measure.Measure) bool { return m.String() == x.Measure })]
		lines = append(lines, strings.Join(pairLine(m, measure.Comparison{A: x.A, B: x.B, N: x.N, Diff: or(x.Diff), Lo: or(x.Lo), Hi: or(x.Hi), P: or(x.PWilcoxon), PAdj: or(x.PAdj), Effect: or(x.RankBiserial)},
			measure.Comparison{P: or(x.PT), Effect: or(x.DZ)}), " "))
	}
	text := strings.Split(strings.TrimSuffix(all, "\n"), "\n")[1:]
	for i := range text {
		text[i] = strings.Join(strings.Fields(text[i]), " ")
	}
	if !slices.Equal(lines, text) {
		t.Errorf("rows for programs:\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(text, "\n"))
	}
}

// TestRowsAreJSON checks that rows can be marshalled although some figures do not exist.
func TestRowsAreJSON(t *testing.T) {
	b, err := json.Marshal(byHand(t, nil).Rows())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"id":"a","strategy":"slow"`, `"value":null`, `"beats":[]`, `"oracle":true`} {
		if !strings.Contains(string(b), part) {
			t.Errorf("no %s in %s", part, b)
		}
	}
}

// TestIntervals checks the tables of intervals and of margins on made numbers: Student's t
// for six topics is 2.571, the standard error of slow 0.02236.
func TestIntervals(t *testing.T) {
	runs := handInput.Runs
	columns := []Column{{Head: "harvest", Measure: measure.MustParse("harvest@end")}, {Head: "not | for slow", Measure: measure.MustParse("harvest@end"), Not: []string{"slow"}}}
	got := Intervals(&runs, "by_hand", columns)
	want := `| by\_hand | harvest | not \| for slow |
|---|---|---|
| slow | 0.15 ± 0.06 | – |
| quick | 0.68 ± 0.15 | 0.68 ± 0.15 |
| oracle | 0.90 ± 0.00 | 0.90 ± 0.00 |
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	margins, err := Margins(&runs, []Claim{
		{"quick above slow", "quick.harvest@end > slow.harvest@end"}, {"quick above oracle", "quick.harvest@end > oracle.harvest@end"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"| quick above slow | 0.53 ± 0.14 | yes | yes |", "| quick above oracle | -0.22 ± 0.15 | no | no |"} {
		if !strings.Contains(margins, row+"\n") {
			t.Errorf("no row %q in\n%s", row, margins)
		}
	}
	if _, err := Margins(&runs, []Claim{{"x", "nonsense"}}); err == nil {
		t.Error("a margin of nonsense")
	}
}

// TestPart checks that a section has the paper, the set-up, the command, the table and the
// note, and that no text of an experiment breaks the Markdown.
func TestPart(t *testing.T) {
	r := byHand(t, func(in *Input) {
		in.Title, in.Paper, in.About, in.Note, in.Place = "Two crawlers", "Fig. 3 | of *somebody*", "quick and slow", "slow is slow", "toy web"
		in.Command = "dowse lab run `x`"
		in.Claims = []Claim{{"quick is better", "quick.harvest@end > slow.harvest@end"}}
		in.Web = []Fact{{"w1", "1"}, {"w2", "2"}, {"w3", "3"}, {"w4", "4"}, {"w5", "5"}}
	})
	p := r.Part()
	for _, part := range []string{
		`*Paper.* Fig. 3 \| of \*somebody\*`, "*Here.* quick and slow", "`dowse lab run 'x'`", "w3: 3; and: 2 more.",
		"| b | quick | **0.683**", "| quick is better | **holds** |", "*Looked into.* slow is slow",
	} {
		if !strings.Contains(p.body, part) {
			t.Errorf("no %q in\n%s", part, p.body)
		}
	}
	if p.heading() != "by_hand on toy web: Two crawlers" || p.Tally[measure.Holds] != 1 {
		t.Errorf("heading %q, tally %v", p.heading(), p.Tally)
	}
}

// TestExamples checks which pages of a strategy are shown: those that no other strategy
// fetched on the same topic and seeds, relevant ones of different topics first.
func TestExamples(t *testing.T) {
	in := Input{Name: "examples"}
	add := func(name, topic string, steps ...measure.Step) {
		in.Runs.Trails = append(in.Runs.Trails, measure.Trail{Strategy: name, Topic: topic, Steps: measure.StepsOf(steps...), Targets: 3, Pages: 9, Relevant: 3})
	}
	page := func(u string, relevant bool) measure.Step {
		return measure.Step{URL: dowse.URL(u), Relevant: relevant, From: "from", Anchor: "anchor"}
	}
	seed := measure.Step{URL: "seed", Seed: true, Relevant: true}
	add("x", "t1", seed, page("both", true), page("off", false), page("one", true), page("two", true))
	add("y", "t1", seed, page("both", true))
	add("x", "t2", page("three", true), page("both", true))
	add("y", "t2", page("elsewhere", false))
	add("oracle", "t1", page("one", true))
	r, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.examples(), func(e example) bool { return e.Name == "x" })
	e := r.examples()[i]
	var urls []string
	for _, p := range e.Pages {
		urls = append(urls, p.Topic+" "+p.URL+" "+p.At)
	}
	if want := []string{"t1 one 4", "t2 three 1", "t1 two 5", "t2 both 2", "t1 off 3"}; !slices.Equal(urls, want) {
		t.Errorf("pages %v, want %v", urls, want)
	}
	if e.Relevant != 4 || e.Found() != "4 pages" || e.Pages[0].From != "from" || e.Pages[0].Anchor != "anchor" {
		t.Errorf("%+v", e)
	}
}

// TestEarlyEnds checks that a reader learns which crawls ended before the budget.
func TestEarlyEnds(t *testing.T) {
	r := byHand(t, func(in *Input) {
		in.Runs.Trails = slices.Clone(in.Runs.Trails)
		in.Runs.Trails[0].Steps = measure.StepsOf(measure.Step{URL: "only"})
	})
	notes := r.notes()
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "slow fetched fewer than 10 pages in 1 of 6 crawls") {
		t.Errorf("notes %q", notes)
	}
	if notes := byHand(t, nil).notes(); len(notes) != 0 {
		t.Errorf("notes %q although every crawl used its budget", notes)
	}
}

// TestAxis checks steps, ticks and their labels.
func TestAxis(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{{0, 1}, {-3, 1}, {math.NaN(), 1}, {0.03, 0.05}, {1, 1}, {1.1, 2}, {5.5, 10}, {200, 200}} {
		if got := niceStep(c.x); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("niceStep(%g) = %g, want %g", c.x, got, c.want)
		}
	}
	if got, want := ticks(-0.2, 1, 6), []float64{-0.2, 0, 0.2, 0.4, 0.6, 0.8, 1}; len(got) != len(want) {
		t.Errorf("ticks %v, want %v", got, want)
	} else if math.Signbit(got[1]) {
		t.Error("a tick is −0")
	}
	for _, c := range []struct {
		v, step float64
		want    string
	}{{0.5, 0.1, "0.5"}, {0.05, 0.01, "0.05"}, {1500, 500, "1,500"}, {-1500, 500, "−1,500"}, {0, 1, "0"}} {
		if got := tick(c.v, c.step); got != c.want {
			t.Errorf("%g at steps of %g is written %q, want %q", c.v, c.step, got, c.want)
		}
	}
	if got := thinned([]float64{1, 2, 5, 10, 20, 50}, 3); !slices.Equal(got, []float64{1, 5, 20}) {
		t.Errorf("thinned to 3: %v", got)
	}
	if got := logTicks(0.015, 0.3); len(got) != 4 || math.Abs(got[0]-0.02) > 1e-12 || math.Abs(got[3]-0.2) > 1e-12 {
		t.Errorf("ticks from 0.015 to 0.3: %v, want 0.02 0.05 0.1 0.2", got)
	}
}

// TestNumbersAsText checks how figures are written for people.
func TestNumbersAsText(t *testing.T) {
	share, pages := measure.MustParse("harvest@end"), measure.MustParse("pages_to_recall@0.5")
	for _, c := range []struct{ got, want string }{
		{value(share, 0.12345), "0.123"}, {value(share, math.NaN()), "–"}, {value(pages, math.Inf(1)), "–"}, {value(pages, 1234.4), "1,234"},
		{value(pages, 12), "12"}, {value(pages, 12.5), "12.5"}, {change(share, 0.5), "+0.500"}, {change(share, -0.5), "−0.500"}, {change(share, 0), "0.000"},
		{p(0.0004), "<0.001"}, {p(0.05), "0.050"}, {p(math.NaN()), "–"}, {equals(0.0004), "&lt; 0.001"}, {equals(0.2), "= 0.200"},
		{effect(-0.5), "−0.50"}, {effect(math.Inf(1)), "–"}, {be(1, "topic"), "1 topic is"}, {be(2, "topic"), "2 topics are"}, {words(5), "five"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestDocumentIsOneField checks that no URL breaks a line of a TREC file, and that two URLs
// never become one.
func TestDocumentIsOneField(t *testing.T) {
	if got, want := document("http://x.test/a b\té\x00"), "http://x.test/a%20b%09%C3%A9%00"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	used := map[string]bool{}
	for _, want := range []string{"n", "n-2", "n-3"} {
		if got := unique("n", used); got != want {
			t.Errorf("unique: %q, want %q", got, want)
		}
	}
	for given, want := range map[string]string{"otie:d=1": "otie_d=1", "..": "_", "": "_", "../../etc": "_.._etc", "é": "_"} {
		if got := slug(given); got != want {
			t.Errorf("slug(%q) = %q, want %q", given, got, want)
		}
	}
}
