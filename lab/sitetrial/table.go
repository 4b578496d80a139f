package sitetrial

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
)

// A Row is a crawler in the table: its scores on one town after another.
type Row struct {
	Crawler string
	Scores  []Score
}

// A Table compares crawlers over several towns.
type Table struct {
	Config Config
	Seeds  []uint64
	Rows   []Row // sites 0.7, sites 0.9, homepages, page crawler by all pages, by homepages
}

// The rows of a table.
const (
	RowSoft = iota
	RowSure
	RowHomepages
	RowPages
	RowPageHomes
)

// Compare lets all crawlers look for sites in the towns of several seeds. tell hears of
// each town as it is done; it may be nil.
func Compare(ctx context.Context, c Config, seeds []uint64, tell func(done int)) (*Table, error) {
	t := &Table{Config: c.withDefaults(), Seeds: seeds, Rows: make([]Row, RowPageHomes+1)}
	for i, seed := range seeds {
		c.Seed = seed
		scores, err := compareOne(ctx, c)
		if err != nil {
			return nil, err
		}
		for k, s := range scores {
			t.Rows[k].Crawler = s.Crawler
			t.Rows[k].Scores = append(t.Rows[k].Scores, s)
		}
		if tell != nil {
			tell(i + 1)
		}
	}
	return t, nil
}

func compareOne(ctx context.Context, c Config) (list []Score, err error) {
	t, err := New(c)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	soft, err := t.Crawl(ctx, 0.7)
	if err != nil {
		return nil, err
	}
	sure, err := t.Crawl(ctx, 0.9)
	if err != nil {
		return nil, err
	}
	pages, homes, err := t.PageCrawl(ctx)
	return []Score{soft, sure, t.Homepages(sure), pages, homes}, err
}

// An Estimate is a mean over towns, and the half-width of its 95% confidence interval.
type Estimate struct{ Mean, Half float64 }

func (e Estimate) String() string { return fmt.Sprintf("%.2f ± %.2f", e.Mean, e.Half) }

// Estimate returns the mean of a measure over the towns.
func (r *Row) Estimate(measure func(*Score) float64) Estimate {
	var values []float64
	for i := range r.Scores {
		values = append(values, measure(&r.Scores[i]))
	}
	return EstimateOf(values)
}

// EstimateOf returns the mean of values and its interval by Student's t.
func EstimateOf(values []float64) Estimate {
	n := float64(len(values))
	var e Estimate
	for _, v := range values {
		e.Mean += v / n
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - e.Mean) * (v - e.Mean)
	}
	if len(values) > 1 {
		e.Half = student95(len(values)-1) * math.Sqrt(squares/(n-1)/n)
	}
	return e
}

// student95 is the 97.5% quantile of Student's t.
func student95(freedom int) float64 {
	table := []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086}
	if freedom <= len(table) {
		return table[freedom-1]
	}
	return 1.96 + 2.4/float64(freedom)
}

// The measures of a table.
func f1(s *Score) float64        { _, _, f := s.Verdicts(); return f }
func precision(s *Score) float64 { p, _, _ := s.Verdicts(); return p }
func recall(s *Score) float64    { _, r, _ := s.Verdicts(); return r }
func pprs(s *Score) float64      { called, _ := s.PPRS(); return called }
func truePPRS(s *Score) float64  { _, truly := s.PPRS(); return truly }
func harvest(s *Score) float64   { return s.Harvest() }
func judged(s *Score) float64    { return s.Judged }
func forLinks(s *Score) float64  { return s.ForLinks }
func byOne(s *Score) float64     { return s.ByOne }

// A Goal is a claim about the table: the mean of the differences between two crawlers,
// town by town, is above 0.
type Goal struct {
	Claim  string
	Margin Estimate // how much more than what it is to exceed
	Holds  bool     // the mean does
	Sure   bool     // the whole interval does
}

func goal(claim string, margin Estimate) Goal {
	return Goal{claim, margin, margin.Mean > 0, margin.Mean-margin.Half > 0}
}

// Goals checks what the crawler is for.
func (t *Table) Goals() []Goal {
	return []Goal{
		t.more("F of the site crawler (0.9) > F of the homepage classifier", RowSure, RowHomepages, f1),
		t.more("pprs(0.9) > pprs(0.7)", RowSure, RowSoft, pprs),
		t.more("pprs(page crawler) > pprs(0.9)", RowPages, RowSure, pprs),
		t.atMost("pages until a site is judged at 0.9: at most 8", RowSure, judged, 8),
	}
}

func (t *Table) more(claim string, a, b int, of func(*Score) float64) Goal {
	var differences []float64
	for i := range t.Rows[a].Scores {
		differences = append(differences, of(&t.Rows[a].Scores[i])-of(&t.Rows[b].Scores[i]))
	}
	return goal(claim, EstimateOf(differences))
}

func (t *Table) atMost(claim string, a int, of func(*Score) float64, most float64) Goal {
	e := t.Rows[a].Estimate(of)
	e.Mean = most - e.Mean
	return goal(claim, e)
}

// Write prints the table and the goals, as Markdown.
func (t *Table) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d towns of %d sites (seeds %d to %d), until %d sites are called relevant; mean ± 95%% interval\n\n",
		len(t.Seeds), t.Config.Sites, t.Seeds[0], t.Seeds[len(t.Seeds)-1], t.Config.Find)
	b.WriteString("| crawler | F | precision | recall | pprs | pprs, true | harvest | pages to judge | more for links | judged by one page |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
	for i := range t.Rows {
		r := &t.Rows[i]
		fmt.Fprintf(&b, "| %s ", r.Crawler)
		for k, of := range []func(*Score) float64{f1, precision, recall, pprs, truePPRS, harvest, judged, forLinks, byOne} {
			if i == RowHomepages && (k == 3 || k == 4) || i < RowHomepages && k == 8 {
				b.WriteString("| – ")
				continue
			}
			fmt.Fprintf(&b, "| %s ", r.Estimate(of))
		}
		b.WriteString("|\n")
	}
	b.WriteString("\n| goal | margin | the mean holds | the whole interval does |\n|---|---|---|---|\n")
	yes := map[bool]string{true: "yes", false: "no"}
	for _, g := range t.Goals() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", g.Claim, g.Margin, yes[g.Holds], yes[g.Sure])
	}
	_, err := io.WriteString(w, b.String())
	return err
}
