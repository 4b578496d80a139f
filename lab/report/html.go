package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"dowse/lab/measure"
)

//go:embed report.html.tmpl
var pageText string

// A Figure is a drawing of a page, with the figures it was drawn from.
type Figure struct {
	Name  string
	Class string
	Note  string
	SVG   template.HTML
	Head  []string // of the table of figures
	Rows  [][]string

	plot Plot
	mean []Point
}

// drawn draws a tile: thin lines, and the mean on top, which has no name there.
func (f Figure) drawn() template.HTML {
	p := f.plot
	var b strings.Builder
	openSVG(&b, p.Width, p.Height, p.Title)
	lines := p.styled()
	fr := p.frame(lines, 8)
	p.axes(&b, fr)
	b.WriteString(fr.inside())
	for _, l := range lines {
		l.draw(&b, fr)
	}
	style := 0
	if len(lines) > 0 {
		style = lines[0].Style
	}
	mean := Line{Points: f.mean, Style: style}
	fmt.Fprintf(&b, `<path class="line %s" d="%s"/></svg></svg>`, class(style), mean.path(fr))
	return template.HTML(b.String())
}

// HTML writes the report as one page that needs nothing else: no script, no network.
func (r *Report) HTML(w io.Writer) error {
	t, err := template.New("report").Parse(pageText)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := t.Execute(w, r.page()); err != nil {
		return fmt.Errorf("report: write html: %w", err)
	}
	return nil
}

// A page is what the template shows.
type page struct {
	Input
	Style      template.CSS
	Headline   []template.HTML
	Verdicts   []shownVerdict
	Harvest    Figure
	Tiles      []Figure
	Curves     []Figure
	Columns    []string
	Table      []tableRow
	Caption    string
	Legend     string
	Notes      []string
	Difference Figure
	Others     []Figure
	Matrix     matrix
	Difficulty Figure
	Examples   []example
	Facts      []Fact
	BySites    bool // the crawls looked for whole sites
}

type shownVerdict struct {
	Says, Expect, Sign, Outcome, Class string
	Figures                            []string
}

type tableRow struct {
	ID, Name, Class string
	Bound           bool
	Cells           []tableCell
}

type tableCell struct {
	Value, Beats, Error, Title string
	Best                       bool
}

const longText = 5000 // characters of a text that is told as it was given

// shown returns the texts of the input as a page can show them.
func (in Input) shown() Input {
	in.Name, in.Title, in.About = clean(in.Name, 200), clean(in.Title, 200), clean(in.About, longText)
	in.Paper, in.Note = clean(in.Paper, longText), clean(in.Note, longText)
	in.Command = cleanLines(in.Command)
	cite := make([]Citation, len(in.Cite))
	for i, c := range in.Cite {
		cite[i] = Citation{clean(c.Text, longText), cleanLines(c.BibTeX)}
	}
	in.Cite = cite
	return in
}

func cleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = clean(l, longText)
	}
	return strings.Join(lines, "\n")
}

func (r *Report) page() page {
	harvest := measure.MustParse("harvest")
	p := page{
		Input: r.in.shown(), Style: template.CSS(sheet(":root")), Headline: r.headline(), Verdicts: r.verdicts(),
		Columns: columnNames(r.in.Measures), Table: r.tableRows(), Caption: r.caption(), Legend: strings.TrimSpace(r.legend()), Notes: r.notes(),
		Matrix: r.matrix(r.lead()), Examples: r.examples(), Facts: r.facts(),
	}
	if p.BySites = r.bySites(); p.BySites {
		harvest = measure.MustParse("website_harvest")
	}
	p.Harvest = r.figure(harvest, "harvest rate", wide, wideHeight)
	p.Tiles = r.tiles(harvest, "harvest rate")
	for _, c := range r.curveKinds() {
		p.Curves = append(p.Curves, r.figure(measure.MustParse(c.measure), c.name, half, halfHeight))
	}
	p.Difference = Figure{Name: clean(r.rivals[0], 60), Class: class(0), SVG: template.HTML(r.differences(r.lead(), r.rivals[0]))}
	for _, name := range r.rivals[1:] {
		p.Others = append(p.Others, Figure{Name: clean(name, 60), Class: class(r.style(name)), SVG: template.HTML(r.differences(r.lead(), name))})
	}
	p.Difficulty = Figure{SVG: template.HTML(r.difficulty(r.lead()))}
	return p
}

// bySites tells whether the crawls looked for whole sites.
func (r *Report) bySites() bool {
	return slices.ContainsFunc(r.in.Runs.Trails, func(t measure.Trail) bool { return len(t.Sites) > 0 })
}

// A curveKind is a measure that is drawn beside the harvest rate.
type curveKind struct{ measure, name string }

func (r *Report) curveKinds() []curveKind {
	if r.bySites() {
		return []curveKind{
			{"sites_on", "sites on topic that were found"}, {"pprs", "pages for each of them"},
			{"sites", "sites examined"}, {"site_f", "F of the verdicts on sites"},
		}
	}
	return []curveKind{
		{"recall", "target recall"}, {"window_harvest", "harvest rate of the last 200 pages"},
		{"hosts_on", "hosts with a page on topic"}, {"window_relevance", "relevance of the last 200 pages, as judged"},
	}
}

// figure draws curves, and tells a tenth of their points in a table.
func (r *Report) figure(m measure.Measure, y string, w, h int) Figure {
	plot := r.curves(m, y, w, h)
	f := Figure{Name: y, SVG: template.HTML(plot.inline()), Head: []string{"strategy"}}
	if plot.Top > 0 {
		f.Note = "What is far above the other curves, as the oracle's, is cut off."
	}
	if len(plot.Lines) == 0 {
		return f
	}
	points := plot.Lines[0].Points
	var at []int
	for i := 1; i <= 10; i++ {
		if k := len(points)*i/10 - 1; k >= 0 && !slices.Contains(at, k) {
			at = append(at, k)
			f.Head = append(f.Head, grouped(points[k].X))
		}
	}
	for _, l := range plot.Lines {
		row := []string{clean(l.Name, 60)}
		for _, k := range at {
			row = append(row, value(m, l.Points[k].Y))
		}
		f.Rows = append(f.Rows, row)
	}
	return f
}

// headline says in a sentence which strategy is best, by how much, and how sure that is.
func (r *Report) headline() (sentences []template.HTML) {
	m, best := r.lead(), r.rivals[0]
	f := r.table[cell{best, m}]
	strong := func(s string) string { return "<strong>" + escape(s, 60) + "</strong>" }
	first := fmt.Sprintf("%s has the best %s: %s", strong(best), escape(m.String(), 60), value(m, f.centre))
	if len(r.rivals) > 1 {
		if c, ok := r.between(m, best, r.rivals[1]); ok {
			first += fmt.Sprintf(", %s against %s (95&nbsp;%% interval %s to %s, %d topics)",
				change(m, c.Diff), strong(c.B), change(m, c.Lo), change(m, c.Hi), c.N)
			sentences = append(sentences, template.HTML(first+"."), template.HTML(r.sureness(c)))
		}
	}
	if len(sentences) == 0 {
		sentences = append(sentences, template.HTML(first+"."))
	}
	for _, b := range r.bounds {
		sentences = append(sentences, template.HTML(fmt.Sprintf("With the labels known, %s is reached: %s.", value(m, r.table[cell{b, m}].centre), escape(b, 60))))
	}
	return sentences
}

func (r *Report) sureness(c measure.Comparison) string {
	switch {
	case math.IsNaN(c.PAdj):
		return fmt.Sprintf("That is no more than a hint: %d topics are too few for a test.", c.N)
	case c.Better(r.in.Tests.Alpha):
		return fmt.Sprintf("The difference is significant (%s; p_adj %s, effect %s).", escape(r.in.Tests.Describe(), 80), equals(c.PAdj), effect(c.Effect))
	}
	return fmt.Sprintf("The difference may be chance (%s; p_adj %s, effect %s).", escape(r.in.Tests.Describe(), 80), equals(c.PAdj), effect(c.Effect))
}

func equals(v float64) string {
	if s := p(v); strings.HasPrefix(s, "<") {
		return "&lt; " + s[1:]
	}
	return "= " + p(v)
}

func effect(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	return strings.Replace(fmt.Sprintf("%+.2f", v), "-", "−", 1)
}

func (r *Report) verdicts() (list []shownVerdict) {
	signs := map[measure.Outcome]string{measure.Holds: "✓", measure.HoldsNot: "✗", measure.Undecided: "?"}
	classes := map[measure.Outcome]string{measure.Holds: "c0", measure.HoldsNot: "c1", measure.Undecided: "bound"}
	for _, v := range r.Verdicts {
		list = append(list, shownVerdict{clean(cmp.Or(v.Says, v.Expect), 500), clean(v.Expect, 500), signs[v.Outcome], string(v.Outcome), classes[v.Outcome], cleanAll(v.Figures)})
	}
	return list
}

func cleanAll(texts []string) (list []string) {
	for _, s := range texts {
		list = append(list, clean(s, longText))
	}
	return list
}

func (r *Report) tableRows() (rows []tableRow) {
	for _, name := range r.rows() {
		row := tableRow{ID: r.ids[name], Name: clean(name, 80), Class: class(r.style(name)), Bound: r.in.Runs.Bound(name)}
		for _, m := range r.in.Measures {
			f := r.table[cell{name, m}]
			c := tableCell{Value: value(m, f.centre), Beats: strings.Join(f.beats, ""), Best: f.best,
				Title: fmt.Sprintf("95 %% interval %s to %s", value(m, f.lo), value(m, f.hi))}
			if r.showsError(m, f) {
				c.Error = "±" + value(m, f.se)
			}
			row.Cells = append(row.Cells, c)
		}
		rows = append(rows, row)
	}
	return rows
}

// notes tells what a reader must know of the figures: crawls that ended early.
func (r *Report) notes() (list []string) {
	if r.bySites() { // such crawls end when they have found enough
		return nil
	}
	budget := r.in.Runs.Pages()
	for _, name := range r.strategies() {
		early, all := 0, 0
		for _, t := range r.in.Runs.Of(name) {
			all++
			early += number(t.Steps.Len() < budget)
		}
		if early > 0 {
			list = append(list, fmt.Sprintf("%s fetched fewer than %s pages in %d of %d crawls; curves count the missing pages as off topic.", clean(name, 60), grouped(float64(budget)), early, all))
		}
	}
	return list
}

// A matrix compares each strategy with each.
type matrix struct {
	Measure string
	Effect  string
	Names   []string
	Rows    []matrixRow
}

type matrixRow struct {
	Name  string
	Cells []matrixCell
}

type matrixCell struct {
	Effect, P, Diff, Class, Sign string
	Tint                         int // per cent
	Sure                         bool
}

func (r *Report) matrix(m measure.Measure) matrix {
	x := matrix{Measure: m.String(), Effect: "rank-biserial correlation"}
	if r.in.Tests.Test == measure.StudentTest {
		x.Effect = "Cohen's d_z"
	}
	for _, a := range r.rivals {
		x.Names = append(x.Names, clean(a, 40))
		row := matrixRow{Name: clean(a, 40)}
		for _, b := range r.rivals {
			c, ok := r.between(m, a, b)
			if !ok {
				row.Cells = append(row.Cells, matrixCell{})
				continue
			}
			row.Cells = append(row.Cells, r.matrixCell(m, c))
		}
		x.Rows = append(x.Rows, row)
	}
	return x
}

func (r *Report) matrixCell(m measure.Measure, c measure.Comparison) matrixCell {
	gain := c.Effect
	if m.Kind().Lower {
		gain = -gain
	}
	cell := matrixCell{Effect: effect(c.Effect), P: p(c.PAdj), Diff: change(m, c.Diff), Class: "c0", Sign: "▲", Sure: c.PAdj < r.in.Tests.Alpha}
	if gain < 0 {
		cell.Class, cell.Sign = "c1", "▼"
	}
	if gain == 0 || !cell.Sure {
		cell.Sign = "·"
	}
	cell.Tint = int(math.Round(22 * min(1, math.Abs(finite(gain)))))
	return cell
}

// facts are the lines of the set-up that the runs themselves tell.
func (r *Report) facts() []Fact {
	runs := &r.in.Runs
	list := []Fact{
		{"crawls", fmt.Sprintf("%d strategies × %d topics × %d seed sets, %s pages each", len(runs.Strategies()), r.topics(), runs.SeedSets(), grouped(float64(runs.Pages())))},
	}
	list = append(list, r.in.Setup...)
	list = append(list, r.in.Web...)
	if r.in.SHA256 != "" {
		list = append(list, Fact{"web sha256", r.in.SHA256})
	}
	list = append(list, Fact{"random numbers", fmt.Sprintf("begin with %d", r.in.RNG)},
		Fact{"what strategies see", "what a live crawler could know at that step: fetched pages as the judge rates them, and the links on them. Labels stay in the lab; only the oracle sees them, and it is no competitor."},
		Fact{"tests", fmt.Sprintf("%s; 95 %% intervals by bootstrap, %s samples", r.in.Tests.Describe(), grouped(float64(r.in.Tests.Rounds)))})
	list = append(list, r.in.Version...)
	for i, f := range list {
		list[i] = Fact{clean(f.Name, 200), clean(f.Value, longText)}
	}
	return list
}
