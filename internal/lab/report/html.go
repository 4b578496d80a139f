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

	"dowse/internal/lab/measure"
	"dowse/internal/plain"
)

//go:embed report.html.tmpl
var pageText string

// A Figure is a drawing of the page, with a table of the numbers behind it.
type Figure struct {
	Name   string
	Class  string
	Note   string
	SVG    template.HTML
	Narrow template.HTML // the same for narrow screens
	Head   []string      // header of the table
	Rows   [][]string

	plot Plot
	mean []Point
}

// drawn draws a tile: thin lines with the mean on top. The lines are drawn at
// the scale that all tiles of a page share.
func (f Figure) drawn() template.HTML {
	p := f.plot
	var b strings.Builder
	openSVG(&b, p.Width, p.Height, p.Title)
	lines := p.styled()
	fr := p.frame(lines, 8)
	p.axes(&b, fr)
	b.WriteString(fr.inside())
	drawLines(&b, fr, lines)
	style := 0
	if len(lines) > 0 {
		style = lines[0].Style
	}
	mean := Line{Points: f.mean, Style: style}
	fmt.Fprintf(&b, `<path class="line %s" d="%s"/></svg></svg>`, class(style), mean.path(fr))
	return template.HTML(b.String())
}

// HTML writes the report as one page that needs nothing else: no script, no
// network.
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

// A page is the data of the template. Everything that is computed is computed
// here, in Go; the template has conditions and loops only. Fields of type
// template.HTML hold drawings and sentences whose texts were escaped when they
// were made.
type page struct {
	Input
	Style       template.CSS
	Headline    []template.HTML
	Ranking     Figure
	Verdicts    []shownVerdict
	Harvest     Figure
	Lines       string // explains which curves are named, and what bands are
	Tiles       []Figure
	Curves      []Figure
	Singles     []Figure
	SinglesOf   string
	Tables      []shownTable
	Definitions []column
	Hosts       bool // the crawls saw several hosts
	Lead        string
	Caption     string
	Legend      string
	Notes       []string
	Difference  Figure
	Others      []Figure
	Heat        heat
	Matrix      matrix
	Difficulty  Figure
	Examples    []example
	Further     []example // those of strategies that figures do not name
	Facts       []Fact
	BySites     bool // the crawls looked for whole sites
}

// A shownVerdict is a Verdict as text for the page.
type shownVerdict struct {
	Says, Expect, Sign, Outcome, Class string
	Figures                            []string
}

// A column of the table is a measure.
type column struct{ Name, Kind, Doc string }

// columns returns the measures as columns, with their definitions.
func (r *Report) columns(ms []measure.Measure) (list []column) {
	for _, m := range ms {
		list = append(list, column{m.String(), m.Kind().Name, m.Kind().Doc})
	}
	return list
}

// definitions returns one column per kind of measure, for the glossary:
// harvest@500 and harvest@end are explained once.
func definitions(all []column) (list []column) {
	for _, c := range all {
		if !slices.ContainsFunc(list, func(have column) bool { return have.Kind == c.Kind }) {
			list = append(list, c)
		}
	}
	return list
}

// A shownTable is a table of the page. Early is the one of early areas, which is
// shown first.
type shownTable struct {
	Title   string
	Early   bool
	Columns []column
	Rows    []tableRow
}

// shownTables returns the tables of the page.
func (r *Report) shownTables() (list []shownTable) {
	for _, ms := range r.tables() {
		title := r.tableTitle(ms)
		list = append(list, shownTable{title, title != "", r.columns(ms), r.tableRows(ms)})
	}
	return list
}

// A tableRow is a strategy's row, and a tableCell one of its figures.
type tableRow struct {
	ID, Name, Class string
	Bound           bool
	Cells           []tableCell
}

// A tableCell is one figure: Beats are the letters of the rows it is better
// than, Title the interval that a browser shows on hovering.
type tableCell struct {
	Value, Beats, Error, Title string
	Ended                      string // mark of crawls that ended early
	Best                       bool
}

// longText bounds a text that is shown as it was given, in characters.
const longText = 5000

// shown returns a copy of the input with its texts cleaned for display: without
// control characters and cut to a bound. The template escapes them.
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

// cleanLines cleans a text line by line, so that its line breaks stay.
func cleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = clean(l, longText)
	}
	return strings.Join(lines, "\n")
}

// page computes everything that the template shows, in the order of the page.
// With many strategies parts of it are folded away: small plots, examples and
// differences of all but the best.
func (r *Report) page() page {
	p := page{
		Input: r.in.shown(), Style: template.CSS(sheet(":root")), Headline: r.headline(), Verdicts: r.verdicts(),
		Tables: r.shownTables(), Lead: r.lead().String(), Caption: r.caption(), Legend: capital(strings.TrimSpace(r.legend() + r.errorLegend() + r.endedLegend())), Notes: slices.Concat(r.notes(), r.sameNotes(), r.valuelessNotes()),
		Heat: r.heat(r.lead()), Matrix: r.matrix(r.lead()), Facts: r.facts(), BySites: r.bySites(), Lines: r.shownLines(),
	}
	p.Definitions, p.Hosts = definitions(r.columns(slices.Concat(r.tables()...))), r.severalHosts()
	p.Ranking = Figure{SVG: template.HTML(r.ranking(r.lead(), rankWide)), Narrow: template.HTML(r.ranking(r.lead(), rankNarrow)), Note: r.rankingNote()}
	harvest := r.harvest()
	p.Harvest = r.figure(harvest, wide, wideHeight)
	p.Tiles = r.tiles(harvest.kind(), harvest.name)
	kinds := r.curveKinds()
	for _, c := range kinds {
		p.Curves = append(p.Curves, r.figure(c, half, halfHeight))
	}
	// With few strategies the large figure shows every band; with more, each
	// strategy gets a small plot of its own.
	if len(r.rivals) > banded {
		p.SinglesOf, p.Singles = kinds[0].name, r.singles(kinds[0].kind(), kinds[0].name)
	}
	p.Examples = r.examples()
	if len(r.rivals) > fewRivals {
		p.Examples, p.Further = p.Examples[:bestOfMany], p.Examples[bestOfMany:]
	}
	// The best strategy's differences are shown; those of the others are folded
	// away.
	for i, name := range r.rivals {
		f := r.differences(r.lead(), name).figure()
		f.Name, f.Class = clean(name, 60), class(r.style(name))
		if i == 0 {
			p.Difference = f
		} else {
			p.Others = append(p.Others, f)
		}
	}
	p.Difficulty = r.difficulty(harvest.kind())
	return p
}

// bySites reports whether the crawls looked for whole sites.
func (r *Report) bySites() bool {
	return slices.ContainsFunc(r.in.Runs.Trails, func(t measure.Trail) bool { return len(t.Sites) > 0 })
}

// A curveKind is a measure that is plotted against pages, and how to read its
// curves.
type curveKind struct {
	measure, name, read string
	from                int // first page at which the measure means something
}

// kind returns the parsed measure; its text is a constant of this package.
func (c curveKind) kind() measure.Measure { return measure.MustParse(c.measure) }

// harvest returns the measure of the first and largest figure: the share of
// what was fetched that is relevant, by labels, not by the judge.
func (r *Report) harvest() curveKind {
	if r.bySites() {
		return curveKind{"website_harvest", "harvest rate", "Of the sites examined with the last 1,000 pages, the share that is on topic and was found; mean over towns. Higher is better.", 0}
	}
	return curveKind{"harvest", "harvest rate", "Of the pages fetched so far, the share that is on topic by its label; mean over topics. Higher is better; a curve falls where pages on topic run out.", 0}
}

// window is that of the windowed curves, in pages. If the budget allows, they
// begin when the window is full.
const window = 200

// curveKinds returns the measures of the smaller figures: those of sites for
// crawls that look for sites, otherwise recall, that of listed targets if the
// experiment measures it, what the crawl brings now,
// hosts if there are several, and what the crawl itself believes.
func (r *Report) curveKinds() []curveKind {
	if r.bySites() {
		return []curveKind{
			{"sites_on", "sites on topic that were found", "Steeper is better; a crawl that ended stays where it was.", 0},
			{"pprs", "pages for each of them", "Over the last 5,000 pages, whole sites only; lower is better.", 0},
			{"sites", "sites examined", "Those on topic and others; no measure of quality.", 0},
			{"site_f", "F of the verdicts on sites", "How well the verdicts on examined sites fit their labels; higher is better.", 0},
		}
	}
	from := 0
	if r.in.Runs.Pages() >= 2*window {
		from = window
	}
	list := []curveKind{
		{"recall", "target recall", "Of the topic's pages that the crawl did not begin with, the share that was fetched. Steeper is better.", 0},
		{"window_harvest", "harvest rate of the last 200 pages", "What the crawl brings now, not since its start: where it falls to 0 there is nothing left to find, or no way to it.", from},
	}
	if slices.ContainsFunc(r.measures, func(m measure.Measure) bool { return m.Kind().Name == "recall_listed" }) {
		list = slices.Insert(list, 1, curveKind{"recall_listed", "recall of listed targets", "Of the targets that a directory lists, as home pages, the share that was fetched.", 0})
	}
	if r.severalHosts() {
		list = append(list, curveKind{"hosts_on", "hosts with a page on topic", "Different hosts: a crawl that stays on one is low here, however high its harvest.", 0})
	}
	return append(list, curveKind{"window_relevance", "relevance of the last 200 pages, as judged", "What the crawl itself sees: the judge's rating, not the label.", from})
}

// severalHosts reports whether any crawl saw more than one host.
func (r *Report) severalHosts() bool {
	hosts := measure.MustParse("hosts")
	return slices.ContainsFunc(r.in.Runs.Trails, func(t measure.Trail) bool { return hosts.Of(&r.in.Runs, &t) > 1 })
}

// figure plots curves and puts ten of their points into the table below the
// plot, for readers who cannot see it or want the numbers.
func (r *Report) figure(c curveKind, w, h int) Figure {
	m := c.kind()
	plot := r.curves(m, c.name, c.from, w, h)
	f := Figure{Name: c.name, Note: c.read, SVG: template.HTML(plot.inline()), Narrow: template.HTML(plot.narrowed().inline()), Head: []string{"strategy"}}
	if plot.Top > 0 {
		f.Note += " What is far above the other curves, as the oracle's, is cut off."
	}
	if len(plot.Lines) == 0 {
		return f
	}
	// All lines have the same grid of pages, so the first one supplies the
	// header.
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

// headline states which strategy is best, by how much, how certain that is, and
// how many claims hold: what a reader should know who reads nothing else. All
// names in it are escaped here.
func (r *Report) headline() (sentences []template.HTML) {
	m, best := r.lead(), r.rivals[0]
	f := r.table[cell{best, m}]
	sentence := func(format string, args ...any) {
		sentences = append(sentences, template.HTML(fmt.Sprintf(format, args...)))
	}
	first := fmt.Sprintf("%s is best by %s (%s): %s", strong(best), escape(m.Title(), 90), escape(m.String(), 60), value(m, f.centre))
	if len(r.rivals) > 1 {
		if c, ok := r.between(m, best, r.rivals[1]); ok {
			first += fmt.Sprintf(", %s against %s, the next (95&nbsp;%% interval %s to %s, %s)",
				change(m, c.Diff), strong(c.B), change(m, c.Lo), change(m, c.Hi), plain.Some(c.N, "topic"))
			sentence("%s.", first)
			sentence("%s", r.sureness(c))
		}
	}
	if len(sentences) == 0 {
		sentence("%s.", first)
	}
	if rest := r.standing(m); rest != "" {
		sentence("%s", rest)
	}
	if len(r.Verdicts) > 0 {
		n := r.tally()
		sentence(`Of %s, %d hold, %d do not, %d are undecided.`, plain.Some(len(r.Verdicts), "claim"), n[measure.Holds], n[measure.HoldsNot], n[measure.Undecided])
	}
	return sentences
}

// strong returns an escaped name in bold, as HTML.
func strong(s string) string { return "<strong>" + escape(s, 60) + "</strong>" }

// sureness states how certain it is that the best is better than the next. With
// too few topics for a test it states that, instead of a p-value that could not
// be significant.
func (r *Report) sureness(c measure.Comparison) string {
	if math.IsNaN(c.PAdj) {
		return fmt.Sprintf("That is no more than a hint: %s too few for a test.", be(c.N, "topic"))
	}
	verdict := "The difference may be chance"
	if c.Better(r.in.Tests.Alpha) {
		verdict = "The difference is significant"
	}
	return fmt.Sprintf("%s (%s; %s %s, %s %s); it is better on %d of %s.", verdict, escape(r.in.Tests.Describe(), 80), r.pName(), equals(c.PAdj),
		r.effectName(), effect(c.Effect), c.Wins(), plain.Some(c.N, "topic"))
}

// pName returns the name of p-values, which depends on whether they are adjusted.
func (r *Report) pName() string {
	if r.in.Tests.Adjust == "none" {
		return "p"
	}
	return "p_adj"
}

// effectName returns the name of the effect size, which depends on the test.
func (r *Report) effectName() string {
	if r.in.Tests.Test == measure.StudentTest {
		return "Cohen's d_z"
	}
	return "rank-biserial correlation"
}

// standing states from which other strategies the best cannot be distinguished,
// and the figures of the oracle and the baselines, between which every result
// lies.
func (r *Report) standing(m measure.Measure) string {
	var alike, ends []string
	for _, name := range r.rivals[1:] {
		if c, ok := r.between(m, r.rivals[0], name); ok && !math.IsNaN(c.PAdj) && !c.Better(r.in.Tests.Alpha) {
			alike = append(alike, escape(name, 60))
		}
	}
	var text string
	switch n := len(r.rivals) - 1; {
	case r.topics() < measure.MinPairs || n < 2:
	case len(alike) == 0:
		text = fmt.Sprintf("It is significantly better than all %d others. ", n)
	case len(alike) == n:
		text = fmt.Sprintf("It is significantly better than none of the %d others. ", n)
	default:
		text = fmt.Sprintf("It is significantly better than %d of %d others, not than %s. ", n-len(alike), n, strings.Join(alike, ", "))
	}
	for _, b := range r.bounds {
		ends = append(ends, fmt.Sprintf("%s, which knows the labels, reaches %s", escape(b, 60), value(m, r.table[cell{b, m}].centre)))
	}
	for _, name := range r.rivals[1:] {
		if r.baseline(name) {
			ends = append(ends, fmt.Sprintf("%s %s", escape(name, 60), value(m, r.table[cell{name, m}].centre)))
		}
	}
	if len(ends) > 0 {
		text += "For comparison: " + strings.Join(ends, ", ") + "."
	}
	return strings.TrimSpace(text)
}

// rankingNote explains how to read the ranking. It explains why intervals may
// overlap although a difference is significant, which many readers take for a
// contradiction.
func (r *Report) rankingNote() string {
	text := fmt.Sprintf("Best first by %s; dots are %s over %s, bars 95 %% confidence intervals.", r.lead().Title(), r.centres(r.lead()), plain.Some(r.topics(), "topic"))
	if r.topics() < measure.MinPairs {
		return text + " Topics are too few for tests."
	}
	return text + fmt.Sprintf(" %s: of the best against this one (%s); what is not significant is bold. Intervals of two strategies may overlap where all topics agree: pairs are tested, topic by topic.", r.pName(), r.in.Tests.Describe())
}

// centres returns what the centre of a measure is called.
func (r *Report) centres(m measure.Measure) string {
	if m.Median() {
		return "medians"
	}
	return "means"
}

// be is some followed by is or are.
func be(n int, what string) string {
	if n == 1 {
		return plain.Some(n, what) + " is"
	}
	return plain.Some(n, what) + " are"
}

// equals formats a p-value with its sign of equality, as HTML.
func equals(v float64) string {
	if s := p(v); strings.HasPrefix(s, "<") {
		return "&lt; " + s[1:]
	}
	return "= " + p(v)
}

// effect formats an effect size with two decimals and its sign.
func effect(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	return strings.Replace(fmt.Sprintf("%+.2f", v), "-", "−", 1)
}

// verdicts returns the verdicts for the page. The sign and the word carry the
// outcome; the colour repeats it, for readers who can see it.
func (r *Report) verdicts() (list []shownVerdict) {
	signs := map[measure.Outcome]string{measure.Holds: "✓", measure.HoldsNot: "✗", measure.Undecided: "?"}
	classes := map[measure.Outcome]string{measure.Holds: "c0", measure.HoldsNot: "c1", measure.Undecided: "bound"}
	for _, v := range r.Verdicts {
		list = append(list, shownVerdict{clean(cmp.Or(v.Says, v.Expect), 500), clean(v.Expect, 500), signs[v.Outcome], string(v.Outcome), classes[v.Outcome], cleanAll(v.Figures)})
	}
	return list
}

// cleanAll cleans a list of texts.
func cleanAll(texts []string) (list []string) {
	for _, s := range texts {
		list = append(list, clean(s, longText))
	}
	return list
}

// tableRows returns the main table in the order of rows. The interval of a
// figure is in the title of its cell, where a browser shows it on hovering.
func (r *Report) tableRows(ms []measure.Measure) (rows []tableRow) {
	for _, name := range r.rows() {
		row := tableRow{ID: r.ids[name], Name: clean(name, 80), Class: class(r.style(name)), Bound: r.in.Runs.IsOracle(name)}
		for _, m := range ms {
			f := r.table[cell{name, m}]
			c := tableCell{Value: value(m, f.centre), Beats: idRuns(f.beats, "–", "\u2009"), Best: f.best,
				Title: fmt.Sprintf("95 %% interval %s to %s", value(m, f.lo), value(m, f.hi))}
			if f.ended {
				c.Ended = endedMark
			}
			if r.showsError(m, f) {
				c.Error = "±" + value(m, f.se)
			}
			row.Cells = append(row.Cells, c)
		}
		rows = append(rows, row)
	}
	return rows
}

// notes returns what a reader must know about the figures: which crawls ended
// early. Measures count the missing pages as off topic, so that a strategy
// cannot look better by ending. Site crawls end when they have found enough, so
// they have no notes.
func (r *Report) notes() (list []string) {
	if r.bySites() {
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

// A matrix compares every strategy with every other one.
type matrix struct {
	Measure string
	Effect  string
	P       string // name of the p-value
	// Too many strategies for both figures in every cell: effects above the
	// diagonal, p-values below.
	Wide  bool
	Names []string
	Rows  []matrixRow
}

// wideMatrix is the number of strategies from which a matrix is Wide.
const wideMatrix = 11

// A matrixRow holds the comparisons of one strategy with all others.
type matrixRow struct {
	ID, Name string
	Cells    []matrixCell
}

// A matrixCell is one comparison. Sign and Class give the direction, Tint the
// size of the effect, Sure whether it is significant.
type matrixCell struct {
	Effect, P, Diff, Class, Sign string
	Below                        bool // the diagonal
	Tint                         int  // per cent
	Sure                         bool
}

// matrix returns the comparisons of all pairs by one measure, in the order of
// rank. From eleven strategies on each comparison is shown once, with the
// effect above the diagonal and the p-value below.
func (r *Report) matrix(m measure.Measure) matrix {
	x := matrix{Measure: m.Title(), Effect: r.effectName(), P: map[string]string{"p": "p-value", "p_adj": "adjusted p-value"}[r.pName()], Wide: len(r.rivals) >= wideMatrix}
	for i, a := range r.rivals {
		head := clean(a, 40)
		if x.Wide {
			head = r.ids[a]
		}
		x.Names = append(x.Names, head)
		row := matrixRow{ID: r.ids[a], Name: clean(a, 40)}
		for k, b := range r.rivals {
			c, ok := r.between(m, a, b)
			if !ok {
				row.Cells = append(row.Cells, matrixCell{})
				continue
			}
			cell := r.matrixCell(m, c)
			cell.Below = k < i
			row.Cells = append(row.Cells, cell)
		}
		x.Rows = append(x.Rows, row)
	}
	return x
}

// matrixCell formats one comparison: the sign for the direction if it is
// significant, the shade for the size of the effect. For a measure of which
// less is better, the direction is turned.
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

// topicList names the topics with their numbers of relevant pages in the web,
// from which a reader sees how rare they are.
func (r *Report) topicList() string {
	short, pages := shortNames(r.in.Runs.Topics()), map[string]int{}
	for i := range r.in.Runs.Trails {
		t := &r.in.Runs.Trails[i]
		pages[t.Topic] = max(pages[t.Topic], t.Relevant)
	}
	var list []string
	for _, t := range r.in.Runs.Topics() {
		name := short[t]
		if pages[t] > 0 {
			name += fmt.Sprintf(" (%s)", plain.Some(pages[t], "page"))
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

// facts returns the set-up: what the runs themselves show, and the facts of the
// input. Together with the command they are what another needs to repeat the
// experiment.
func (r *Report) facts() []Fact {
	runs := &r.in.Runs
	list := []Fact{
		{"crawls", fmt.Sprintf("%s × %s × %s, %s each", plain.Some(len(runs.Strategies()), "strategy"), plain.Some(r.topics(), "topic"), plain.Some(runs.SeedSets(), "seed set"), plain.Some(runs.Pages(), "page"))},
	}
	list = append(list, r.in.Setup...)
	list = append(list, Fact{"topics", r.topicList()})
	list = append(list, r.in.Web...)
	if r.in.SHA256 != "" {
		list = append(list, Fact{"web sha256", r.in.SHA256})
	}
	list = append(list, Fact{"random numbers", fmt.Sprintf("begin with %d", r.in.RNG)},
		Fact{"what strategies see", "what a live crawler could know at that step: fetched pages as the judge rates them, and the links on them. Labels stay in the lab; only the oracle sees them, and it is no competitor."},
		Fact{"tests", r.in.Tests.Describe() + "; 95 % confidence intervals of means by Student's t, of medians by order statistics"})
	list = append(list, r.in.Version...)
	for i, f := range list {
		list[i] = Fact{clean(f.Name, 200), clean(f.Value, longText)}
	}
	return list
}
