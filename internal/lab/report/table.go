package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dowse/internal/lab/measure"
)

// Letters of rows, as themselves and raised; q can't be raised in Unicode.
var (
	rowLetters    = []rune("abcdefghijklmnoprstuvwxyz")
	raisedLetters = []rune("ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
	raisedDigits  = []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
)

// rowID names the i-th row: a letter, and with more rows than letters also a number.
func rowID(i int) string {
	id := string(rowLetters[i%len(rowLetters)])
	if n := i / len(rowLetters); n > 0 {
		id += strconv.Itoa(n)
	}
	return id
}

func byID(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// place is the row that an id names.
func place(id string) int {
	n, _ := strconv.Atoi(id[1:]) // none for the first rows
	return slices.Index(rowLetters, rune(id[0])) + n*len(rowLetters)
}

const longRun = 5 // so many ids in a row are written as a range

// idRuns writes ids, in their order, so that many stay readable: abc, then e to t. dash
// stands in a range, gap on both sides of one.
func idRuns(ids []string, dash, gap string) string {
	var b strings.Builder
	afterRange := false
	for i := 0; i < len(ids); {
		j := i + 1
		for j < len(ids) && place(ids[j]) == place(ids[i])+j-i {
			j++
		}
		isRange := j-i >= longRun
		if i > 0 && (isRange || afterRange) {
			b.WriteString(gap)
		}
		if isRange {
			b.WriteString(ids[i] + dash + ids[j-1])
		} else {
			b.WriteString(strings.Join(ids[i:j], ""))
		}
		i, afterRange = j, isRange
	}
	return b.String()
}

// raised writes ids as Unicode superscripts.
func raised(ids []string) string {
	var b strings.Builder
	for _, r := range idRuns(ids, "-", "") {
		if i := slices.Index(rowLetters, r); i >= 0 {
			b.WriteRune(raisedLetters[i])
		} else if r == '-' {
			b.WriteRune('⁻')
		} else {
			b.WriteRune(raisedDigits[r-'0'])
		}
	}
	return b.String()
}

// rows returns the strategies in the order of tables: as they were given, the oracle
// last.
func (r *Report) rows() []string { return append(r.in.Runs.Rivals(), r.bounds...) }

// value writes a figure in its measure's unit.
func value(m measure.Measure, v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case m.Kind().Unit == "share":
		return strconv.FormatFloat(v, 'f', 3, 64)
	case math.Abs(v) >= 100:
		return grouped(v)
	case m.Kind().Unit == "pages" && v == math.Trunc(v): // a median, as a rule
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}

// change writes a difference with its sign.
func change(m measure.Measure, v float64) string {
	s := strings.Replace(value(m, v), "-", "−", 1)
	if v > 0 && s != "–" {
		return "+" + s
	}
	return s
}

// p writes a p-value.
func p(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v < 0.001:
		return "<0.001"
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// showsError tells whether the ± of a figure is shown: in the leading column, if it is a mean.
func (r *Report) showsError(m measure.Measure, f figure) bool {
	return m == r.lead() && f.se > 0 && !math.IsNaN(f.se) && !math.IsInf(f.se, 0)
}

// Text writes the table for a terminal.
func (r *Report) Text() string {
	lines := [][]string{append([]string{"#", "strategy"}, columnNames(r.in.Measures)...)}
	for _, name := range r.rows() {
		line := []string{r.ids[name], clean(name, 40)}
		for _, m := range r.in.Measures {
			f := r.table[cell{name, m}]
			text := value(m, f.centre) + raised(f.beats)
			if r.showsError(m, f) {
				text += " ±" + value(m, f.se)
			}
			line = append(line, text)
		}
		lines = append(lines, line)
	}
	return aligned(lines) + r.legend() + r.errorLegend() + "\n"
}

func columnNames(ms []measure.Measure) (names []string) {
	for _, m := range ms {
		names = append(names, m.String())
	}
	return names
}

func aligned(lines [][]string) string {
	widths := map[int]int{}
	for _, l := range lines {
		for i, s := range l {
			widths[i] = max(widths[i], utf8.RuneCountInString(s))
		}
	}
	var b strings.Builder
	for _, l := range lines {
		line := ""
		for i, s := range l {
			line += " " + s + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(s)+number(i > 0))
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// legend tells what the letters mean.
func (r *Report) legend() string {
	n := r.topics()
	if n < measure.MinPairs {
		return fmt.Sprintf(" no letters: %s too few for a p-value", be(n, "topic"))
	}
	text := fmt.Sprintf(" letters: better than that row (%s, %d topics)", r.in.Tests.Describe(), n)
	if r.hasRanges() {
		text += "; a–f: than all from a to f"
	}
	return text
}

// errorLegend tells what stands behind ±, in the forms that have it.
func (r *Report) errorLegend() string {
	for _, name := range r.rivals {
		if r.showsError(r.lead(), r.table[cell{name, r.lead()}]) {
			return "; ± standard error"
		}
	}
	return ""
}

// hasRanges tells whether letters are so many anywhere that they are written as a range.
func (r *Report) hasRanges() bool {
	for _, f := range r.table {
		if strings.Contains(idRuns(f.beats, "–", ""), "–") {
			return true
		}
	}
	return false
}

func (r *Report) topics() int { return len(r.in.Runs.Topics()) }

// Markdown writes the table, and what the claims came to, for a document.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| # | strategy | %s |\n|---|---|%s\n", strings.Join(columnNames(r.in.Measures), " | "), strings.Repeat("--:|", len(r.in.Measures)))
	for _, name := range r.rows() {
		fmt.Fprintf(&b, "| %s | %s |", r.ids[name], markdown(name))
		for _, m := range r.in.Measures {
			f := r.table[cell{name, m}]
			text := value(m, f.centre)
			if f.best {
				text = "**" + text + "**"
			}
			text += raised(f.beats)
			if r.showsError(m, f) {
				text += " ±" + value(m, f.se)
			}
			fmt.Fprintf(&b, " %s |", text)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\n%s. **Bold**: best but for the oracle.%s\n", capital(strings.TrimSpace(r.legend()+r.errorLegend())), markdown(r.kinds()))
	if len(r.Verdicts) > 0 {
		b.WriteString("\n| claim | outcome | seen |\n|---|---|---|\n")
		for _, v := range r.Verdicts {
			fmt.Fprintf(&b, "| %s | **%s** | %s |\n", markdown(cmp.Or(v.Says, v.Expect)), v.Outcome, markdown(strings.Join(v.Figures, "; ")))
		}
	}
	return b.String()
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// markdown escapes a text so that it can't be more than text in a table.
func markdown(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "&", "&amp;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`).Replace(clean(s, longText))
}

// LaTeX writes the table with booktabs: best in bold, letters raised, the test in
// the caption. Figures have two columns, so that they stand below each other whatever
// letters they have; a table that is wider than the text is made smaller.
func (r *Report) LaTeX() string {
	var b strings.Builder
	crowded := r.latexWidth() > latexRoom
	b.WriteString("% needs \\usepackage{booktabs,graphicx}\n\\begin{table}\n\\centering\n")
	fmt.Fprintf(&b, "\\caption{%s}\n\\label{tab:%s}\n", latex(r.caption()+r.latexNotes(crowded)), slug(r.in.Name))
	b.WriteString("\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n")
	fmt.Fprintf(&b, "\\begin{tabular}{ll%s}\n\\toprule\n & strategy", strings.Repeat("r@{}l", len(r.in.Measures)))
	for _, m := range r.in.Measures {
		fmt.Fprintf(&b, " & \\multicolumn{2}{c}{%s}", latexHead(m))
	}
	b.WriteString(" \\\\\n\\midrule\n")
	for i, name := range r.rows() {
		if i > 0 && i == len(r.rivals) {
			b.WriteString("\\midrule\n")
		}
		fmt.Fprintf(&b, "%s & %s", r.ids[name], latex(name))
		for _, m := range r.in.Measures {
			f := r.table[cell{name, m}]
			if crowded && m != r.lead() {
				f.beats = nil
			}
			b.WriteString(" & " + r.latexFigure(m, f))
		}
		b.WriteString(" \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}}\n\\end{table}\n")
	return b.String()
}

// latexHead names a measure, its place in a line of its own.
func latexHead(m measure.Measure) string {
	head, place, ok := strings.Cut(m.String(), "@")
	if !ok {
		return latex(head)
	}
	return `\shortstack{` + latex(head) + `\\@` + latex(place) + "}"
}

// latexFigure writes a figure, and in a column of its own what stands behind it.
func (r *Report) latexFigure(m measure.Measure, f figure) string {
	text := strings.NewReplacer("–", "--", "−", "$-$").Replace(value(m, f.centre))
	if f.best {
		text = `\textbf{` + text + "}"
	}
	text += " & "
	if len(f.beats) > 0 {
		text += `\textsuperscript{` + idRuns(f.beats, "--", `\,`) + "}"
	}
	if r.showsError(m, f) {
		text += `\,{\footnotesize$\pm$` + value(m, f.se) + "}"
	}
	return text
}

// latexRoom is how many characters of a table are beside each other in the text of an
// article, made smaller by no more than a third.
const latexRoom = 130

// latexWidth is about how many characters wide the table is, letters and all.
func (r *Report) latexWidth() (n int) {
	names := 0
	for _, name := range r.rows() {
		names = max(names, utf8.RuneCountInString(clean(name, longText)))
	}
	for _, m := range r.in.Measures {
		most := 0
		for _, name := range r.rows() {
			most = max(most, 8+utf8.RuneCountInString(idRuns(r.table[cell{name, m}].beats, "–", ""))*2/3)
		}
		n += most
	}
	return n + names
}

// latexNotes tells in the caption what stands behind ±, and where letters are left out.
func (r *Report) latexNotes(crowded bool) (text string) {
	if r.errorLegend() != "" {
		text = " ± is the standard error over topics."
	}
	if crowded && r.topics() >= measure.MinPairs {
		text += fmt.Sprintf(" There is room for letters at %s alone; stats.csv compares all pairs by all measures.", r.lead())
	}
	return text
}

// caption says what a table shows and what its letters and bold figures mean.
func (r *Report) caption() string {
	runs := &r.in.Runs
	text := fmt.Sprintf("%s: means over %d topics", cmp.Or(clean(r.in.Name, 200), "Strategies"), r.topics())
	if n := runs.SeedSets(); n > 1 {
		text += fmt.Sprintf(" × %d seed sets", n)
	}
	text += fmt.Sprintf(", %s pages to a crawl%s.", grouped(float64(runs.Pages())), r.medians())
	if r.topics() < measure.MinPairs {
		return text + " The best figure is bold; topics are too few for tests."
	}
	return text + fmt.Sprintf(" The best figure is bold; letters mark figures that are significantly better than those of the named rows (%s).", r.in.Tests.Describe())
}

// kinds tells of columns that are no means or no shares what they are.
func (r *Report) kinds() (text string) {
	for _, m := range r.in.Measures {
		switch unit := m.Kind().Unit; {
		case m.Median():
			text += fmt.Sprintf(" %s: medians of %s, – where most topics never get there.", m, unit)
		case unit == "s" || unit == "µs" || unit == "bytes":
			text += fmt.Sprintf(" %s: in %s.", m, unit)
		}
	}
	return text
}

// medians names the measures that are summed up by medians, not means.
func (r *Report) medians() string {
	for _, m := range r.in.Measures {
		if m.Median() {
			return "; of " + m.String() + " medians, – where most topics never get there"
		}
	}
	return ""
}

// latex escapes a text.
func latex(s string) string {
	return strings.NewReplacer(
		`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "×", `$\times$`, "–", "--",
		"±", `$\pm$`, "−", "$-$", "…", `\ldots{}`, "|", `\textbar{}`, `"`, "''", "µ", `$\mu$`, "·", `$\cdot$`, "≥", `$\ge$`, "≤", `$\le$`, "→", `$\to$`,
	).Replace(clean(s, longText))
}

// slug makes a name fit for a file, a label and a TREC field: letters, digits and - . _
func slug(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._=", r) {
			return r
		}
		return '_'
	}, clean(s, 80))
	return cmp.Or(strings.TrimLeft(s, "."), "_")
}
