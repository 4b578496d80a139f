package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"dowse"
	"dowse/internal/lab/measure"
)

// paths returns an input of three strategies on six topics, 1,200 pages each: good finds its
// 100 targets first, late finds them after page 300, and short is good but ends after 150
// pages. again makes the same crawls as late.
func paths() Input {
	in := Input{Name: "paths", Runs: measure.Runs{Budget: 1200}, Measures: []measure.Measure{measure.MustParse("harvest@end"), measure.MustParse("recall@end")}}
	for topic := range 6 {
		for _, c := range []struct {
			name          string
			pages, begins int
		}{{"good", 1200, 1 + topic}, {"late", 1200, 300 + topic}, {"short", 150, topic}, {"again", 1200, 300 + topic}} {
			t := measure.Trail{Strategy: c.name, Topic: fmt.Sprint("topic ", topic), Targets: 100, Pages: 5000, Relevant: 100}
			for i := range c.pages {
				on := i >= c.begins && i < c.begins+100
				t.Steps.Append(measure.Step{URL: dowse.URL(fmt.Sprintf("http://h/%d-%d", c.begins, i)), Host: "h", Relevant: on})
			}
			in.Runs.Trails = append(in.Runs.Trails, t)
		}
	}
	return in
}

func reported(t *testing.T, in Input) *Report {
	t.Helper()
	r, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEarlyAreasLead: every form for readers begins with the area at early budgets, as far
// as the crawls reach, whatever the experiment measures.
func TestEarlyAreasLead(t *testing.T) {
	r := reported(t, paths())
	var page strings.Builder
	if err := r.HTML(&page); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"text": r.Text(0), "markdown": r.Markdown(), "page": page.String()} {
		at := 0
		for _, want := range []string{"auc@100", "auc@300", "auc@500", "auc@1000", "harvest@end"} {
			next := strings.Index(text[at:], want)
			if next < 0 {
				t.Fatalf("%s: %s is missing or not in its place:\n%.2000s", name, want, text)
			}
			at += next
		}
		if strings.Contains(text, "auc@2000") {
			t.Errorf("%s: an area after the end of the crawls", name)
		}
	}
	in := paths()
	in.Asked = true
	if text := reported(t, in).Text(0); strings.Contains(text, "auc@") {
		t.Errorf("measures that were not asked for:\n%s", text)
	}
}

// TestNoBoldForEarlyEnds: a crawl of 150 pages has the best harvest of the pages it fetched,
// but is not comparable at the end; after 100 pages it is.
func TestNoBoldForEarlyEnds(t *testing.T) {
	r := reported(t, paths())
	text := r.Markdown()
	for _, want := range []string{`(?m)^\| c \| short \| \*\*0\.\d+\*\*`, `\| short \| 0\.667† \|`, `\| good \| \*\*0\.083\*\*`, "† ended before that page"} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if regexp.MustCompile(`\*\*0\.667`).MatchString(text) {
		t.Errorf("bold for a crawl that ended early:\n%s", text)
	}
}

// TestSameCrawlsAreNamed: settings that made no difference are reported as one crawl.
func TestSameCrawlsAreNamed(t *testing.T) {
	r := reported(t, paths())
	const want = "late and again were the same crawl on every topic"
	if !strings.Contains(r.Text(0), want) || !strings.Contains(r.Markdown(), want) {
		t.Errorf("%q is not in\n%s", want, r.Text(0))
	}
	if strings.Contains(r.Text(0), "good and") {
		t.Errorf("different crawls are called the same:\n%s", r.Text(0))
	}
}

// TestSameVisitsWithOtherVerdicts: strategies that read the same pages and judge them in
// different ways can be compared by their verdicts; the report does not deny it.
func TestSameVisitsWithOtherVerdicts(t *testing.T) {
	for name, change := range map[string]func(*measure.Trail){
		"sites": func(t *measure.Trail) { t.Sites = []measure.SiteStep{{Site: "h", Verdict: true}} },
		"pages": func(t *measure.Trail) {
			var s measure.Steps
			for _, step := range t.Steps.All() {
				step.OnTopic = true
				s.Append(step)
			}
			t.Steps = s
		},
	} {
		in := paths()
		for i := range in.Runs.Trails {
			if in.Runs.Trails[i].Strategy == "again" {
				change(&in.Runs.Trails[i])
			}
		}
		text := reported(t, in).Text(0)
		if !strings.Contains(text, "late and again visited the same pages in the same order on every topic, and judged them in different ways") || strings.Contains(text, "means anything") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// TestMeasuresOfSomeTopics: where pages are listed for one topic of six, the report states that the
// figures are of one topic, and a claim by it is undecided.
func TestMeasuresOfSomeTopics(t *testing.T) {
	in := paths()
	in.Measures = append(in.Measures, measure.MustParse("recall_listed@end"))
	in.Claims = []Claim{{"listed", "good.recall_listed@end > short.recall_listed@end"}}
	for i := range in.Runs.Trails {
		if t := &in.Runs.Trails[i]; t.Topic == "topic 2" {
			t.Listed = 2
		}
	}
	text := strings.ReplaceAll(reported(t, in).Markdown(), "\\", "")
	if !strings.Contains(text, "recall_listed@end has values on 1 of 6 topics only") || strings.Contains(text, "harvest@end has values") || !strings.Contains(text, "| listed | **undecided** |") {
		t.Errorf("want a note on one topic of six, and an undecided claim:\n%s", text)
	}
}

// TestTablesFitTerminals: no line of a report of twenty strategies is wider than the
// terminal, and every figure is still there.
func TestTablesFitTerminals(t *testing.T) {
	r := crowd(t, 20)
	pairs := func(columns int) string {
		text, err := r.Pairs(func(a, b string) bool { return a < b }, columns)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	whole := regexp.MustCompile(`\d\.\d{3}`).FindAllString(r.Text(0), -1)
	for _, columns := range []int{120, 80, 40} {
		for name, text := range map[string]string{"table": r.Text(columns), "pairs": pairs(columns)} {
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
					t.Errorf("%s at %d columns: a line of %d: %q", name, columns, n, line)
				}
			}
		}
		if figures := regexp.MustCompile(`\d\.\d{3}`).FindAllString(r.Text(columns), -1); len(figures) != len(whole) {
			t.Errorf("%d figures at %d columns, want %d", len(figures), columns, len(whole))
		}
	}
}

// TestFirstTenthCanBeRead: on the axis of pages the first tenth of a crawl of 1,200 pages
// takes at least a third of the width, and short crawls keep a linear axis.
func TestFirstTenthCanBeRead(t *testing.T) {
	r := reported(t, paths())
	plot := r.curves(measure.MustParse("recall"), "target recall", 0, wide, wideHeight)
	f := plot.frame(plot.styled(), 10)
	if tenth := (f.x(120) - f.left) / (f.right - f.left); tenth < 1./3 {
		t.Errorf("the first tenth takes %.2f of the axis", tenth)
	}
	points := plot.Lines[0].Points
	if points[0].X != firstPage || points[len(points)-1].X != 1200 {
		t.Errorf("curves from %g to %g", points[0].X, points[len(points)-1].X)
	}
	in := paths()
	in.Runs.Budget = 40
	if at, begin := reported(t, in).pageGrid(10, 0); begin != 0 || at[len(at)-1] != 40 {
		t.Errorf("a crawl of 40 pages: axis from %g, points %v", begin, at)
	}
}
