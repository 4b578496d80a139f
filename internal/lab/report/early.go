package report

import (
	"fmt"
	"slices"
	"strings"

	"dowse/internal/lab/measure"
)

// earlyBudgets are the numbers of pages after which every report shows the area
// under target recall first. Most crawls of people are short, and over a long crawl
// of a small web all strategies find nearly everything.
var earlyBudgets = []int{100, 300, 500, 1000, 2000}

// earlyMeasures returns the area under target recall at the early budgets that the
// crawls reach: relative to the oracle's if there is one. Crawls for sites have
// none, nor have crawls without known targets.
func (r *Report) earlyMeasures() (list []measure.Measure) {
	if r.in.Asked || r.bySites() || !slices.ContainsFunc(r.in.Runs.Trails, func(t measure.Trail) bool { return t.Targets > 0 }) {
		return nil
	}
	kind := "auc"
	if len(r.bounds) > 0 {
		kind = "auc_rel"
	}
	for _, pages := range earlyBudgets {
		if pages <= r.in.Runs.Pages() {
			list = append(list, measure.MustParse(fmt.Sprintf("%s@%d", kind, pages)))
		}
	}
	return list
}

// tables returns the columns of the tables that readers see: the early areas, and
// the measures of the experiment that are not among them.
func (r *Report) tables() (tables [][]measure.Measure) {
	if len(r.early) > 0 {
		tables = append(tables, r.early)
	}
	rest := slices.DeleteFunc(slices.Clone(r.measures), func(m measure.Measure) bool { return slices.Contains(r.early, m) })
	for part := range slices.Chunk(rest, mostColumns) {
		tables = append(tables, part)
	}
	return tables
}

// mostColumns is the number of measures that fit next to each other on a page.
const mostColumns = 7

// tableTitle says what a table shows; "" for the measures of the experiment, which
// its columns name.
func (r *Report) tableTitle(ms []measure.Measure) string {
	if len(r.early) == 0 || ms[0] != r.early[0] {
		return ""
	}
	return capital(ms[0].Kind().Title) + ", over the first pages"
}

// complete reports whether all crawls of a strategy reached the place at which a
// measure is taken. A figure of one that ended before is not comparable: its
// harvest is that of fewer pages. Crawls for sites end when they have found enough.
func (r *Report) complete(name string, m measure.Measure) bool {
	place := m.Place(r.in.Runs.Pages())
	return r.bySites() || !slices.ContainsFunc(r.in.Runs.Of(name), func(t *measure.Trail) bool { return t.Steps.Len() < place })
}

// endedMark follows figures of a strategy some of whose crawls ended early.
const endedMark = "†"

// endedLegend explains the mark if a figure of the tables has it.
func (r *Report) endedLegend() string {
	for _, ms := range r.tables() {
		for _, m := range ms {
			for _, name := range r.rows() {
				if r.table[cell{name, m}].ended {
					return "; " + endedMark + " ended before that page in some crawls, so never the best"
				}
			}
		}
	}
	return ""
}

// sameCrawls returns the groups of strategies that visited the same pages in the
// same order on all topics and seeds: their settings made no difference.
func (r *Report) sameCrawls() (groups [][]string) {
	taken := map[string]bool{}
	names := r.in.Runs.Rivals()
	for i, name := range names {
		if taken[name] {
			continue
		}
		group := []string{name}
		for _, other := range names[i+1:] {
			if !taken[other] && r.same(name, other) {
				group, taken[other] = append(group, other), true
			}
		}
		if len(group) > 1 {
			groups = append(groups, group)
		}
	}
	return groups
}

// same reports whether two strategies made the same crawls.
func (r *Report) same(a, b string) bool {
	x, y := r.in.Runs.Of(a), r.in.Runs.Of(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].Topic != y[i].Topic || x[i].SeedSet != y[i].SeedSet || x[i].Steps.Len() == 0 || !x[i].Steps.SameURLs(&y[i].Steps) {
			return false
		}
	}
	return true
}

// judgedAlike reports whether two strategies that made the same crawls also have the
// same verdicts on pages and sites.
func (r *Report) judgedAlike(a, b string) bool {
	x, y := r.in.Runs.Of(a), r.in.Runs.Of(b)
	for i := range x {
		if !slices.Equal(x[i].Sites, y[i].Sites) || !x[i].Steps.SameVerdicts(&y[i].Steps) {
			return false
		}
	}
	return true
}

// sameNotes states which strategies made the same crawls. Where they judged what they
// read in different ways, as the homepage classifier does, figures on verdicts differ
// for a reason, and the note states that.
func (r *Report) sameNotes() (list []string) {
	for _, group := range r.sameCrawls() {
		var names []string
		alike := true
		for _, name := range group {
			names = append(names, clean(name, 60))
			alike = alike && r.judgedAlike(group[0], name)
		}
		who := strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
		if alike {
			list = append(list, who+" were the same crawl on every topic: they visited the same pages in the same order, so no comparison between them means anything.")
		} else {
			list = append(list, who+" visited the same pages in the same order on every topic, and judged them in different ways: what differs between them is the verdicts.")
		}
	}
	return list
}
