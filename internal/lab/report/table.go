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
	"dowse/internal/plain"
)

// Letters of rows, plain and as superscripts. There is no superscript q in
// Unicode.
var (
	rowLetters    = []rune("abcdefghijklmnoprstuvwxyz")
	raisedLetters = []rune("ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
	raisedDigits  = []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
)

// rowID returns the id of the i-th row: a letter, followed by a number from the
// 26th row on.
func rowID(i int) string {
	id := string(rowLetters[i%len(rowLetters)])
	if n := i / len(rowLetters); n > 0 {
		id += strconv.Itoa(n)
	}
	return id
}

// byID orders ids as rowID assigns them.
func byID(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// place reverses rowID: it returns the number of the row with an id.
func place(id string) int {
	n, _ := strconv.Atoi(id[1:]) // "" for the first rows
	return slices.Index(rowLetters, rune(id[0])) + n*len(rowLetters)
}

// longRun is the number of consecutive ids from which they are written as a
// range.
const longRun = 5

// idRuns formats ids, in order, so that many stay readable: abc, then e–t. dash
// is written within a range, gap on both sides of one.
func idRuns(ids []string, dash, gap string) string {
	var b strings.Builder
	afterRange := false
	for i := 0; i < len(ids); {
		j := i + 1
		// ids[i:j] is the longest run of consecutive rows from i on.
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

// raised formats ids as Unicode superscripts, which a terminal and Markdown
// show without markup.
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

// rows returns the strategies in the order of tables: as they were given, the
// oracle last.
func (r *Report) rows() []string { return append(r.in.Runs.Rivals(), r.bounds...) }

// value formats a figure in its measure's unit: shares with three decimals,
// large numbers with thousands, "–" for a value that does not exist or is
// infinite.
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

// change formats a difference with its sign.
func change(m measure.Measure, v float64) string {
	s := strings.Replace(value(m, v), "-", "−", 1)
	if v > 0 && s != "–" {
		return "+" + s
	}
	return s
}

// p formats a p-value.
func p(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v < 0.001:
		return "<0.001"
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// showsError reports whether the standard error of a figure is shown: in the
// leading column and in those of early areas, if it exists.
func (r *Report) showsError(m measure.Measure, f figure) bool {
	return (m == r.lead() || slices.Contains(r.early, m)) && f.se > 0 && !math.IsNaN(f.se) && !math.IsInf(f.se, 0)
}

// Text returns the tables for a terminal of a number of columns, with superscript
// letters and a legend; 0 columns mean any number. A table that is too wide
// continues below itself with its other columns.
func (r *Report) Text(columns int) string {
	var b strings.Builder
	for i, ms := range r.tables() {
		if i > 0 {
			b.WriteString("\n")
		}
		if title := r.tableTitle(ms); title != "" {
			b.WriteString(wrapped(" "+title, columns))
		}
		b.WriteString(r.textTable(ms, columns))
	}
	b.WriteString(wrapped(r.legend()+r.errorLegend()+r.endedLegend(), columns))
	for _, note := range append(r.sameNotes(), r.valuelessNotes()...) {
		b.WriteString(wrapped(" "+note, columns))
	}
	return b.String()
}

// wrapped breaks a text that begins with a space into lines of at most a number of
// columns, each of which begins with a space; 0 columns mean any number.
func wrapped(text string, columns int) string {
	if columns <= 0 {
		return text + "\n"
	}
	return " " + strings.Join(plain.Wrap(strings.TrimSpace(text), max(columns-1, 10)), "\n ") + "\n"
}

// textTable returns one table as text. Names are cut where a terminal is narrow.
func (r *Report) textTable(ms []measure.Measure, columns int) string {
	long := 40
	if columns > 0 {
		long = min(long, max(columns/3, 12))
	}
	lines := [][]string{append([]string{"#", "strategy"}, columnNames(ms)...)}
	for _, name := range r.rows() {
		line := []string{r.ids[name], clean(name, long)}
		for _, m := range ms {
			line = append(line, r.textFigure(m, r.table[cell{name, m}]))
		}
		lines = append(lines, line)
	}
	var parts []string
	for _, part := range folded(lines, 2, columns) {
		parts = append(parts, aligned(part))
	}
	return strings.Join(parts, "\n")
}

// textFigure formats a figure with its letters, mark and error.
func (r *Report) textFigure(m measure.Measure, f figure) string {
	text := value(m, f.centre) + raised(f.beats)
	if f.ended {
		text += endedMark
	}
	if r.showsError(m, f) {
		text += " ±" + value(m, f.se)
	}
	return text
}

// folded splits a table into parts that fit into a number of columns, each of which
// repeats the first fields of its lines. A part has at least one further field, so
// that a very narrow terminal may still be too narrow.
func folded(lines [][]string, first, columns int) (parts [][][]string) {
	used := 0
	for i := range first {
		used += columnWidth(lines, i)
	}
	for from := first; from < len(lines[0]); {
		to, room := from+1, used+columnWidth(lines, from)
		for to < len(lines[0]) && (columns <= 0 || room+columnWidth(lines, to) <= columns) {
			room += columnWidth(lines, to)
			to++
		}
		var part [][]string
		for _, l := range lines {
			part = append(part, slices.Concat(l[:first], l[from:to]))
		}
		parts, from = append(parts, part), to
	}
	return parts
}

// columnWidth returns the characters that aligned uses for a column.
func columnWidth(lines [][]string, i int) (n int) {
	for _, l := range lines {
		n = max(n, utf8.RuneCountInString(l[i]))
	}
	return n + 1 + number(i > 0)
}

// columnNames returns the measures as they are written in experiments.
func columnNames(ms []measure.Measure) (names []string) {
	for _, m := range ms {
		names = append(names, m.String())
	}
	return names
}

// aligned pads columns to equal width, in characters.
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

// number returns 1 for true and 0 for false.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// legend explains the letters; with too few topics for a test there are none,
// and it states why.
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

// errorLegend explains the ± if any table has one. The leading measure may have none, where all
// topics have the same value, next to early areas that have it.
func (r *Report) errorLegend() string {
	for at, f := range r.table {
		if r.showsError(at.measure, f) {
			return "; ± standard error"
		}
	}
	return ""
}

// hasRanges reports whether any letters are written as a range.
func (r *Report) hasRanges() bool {
	for _, f := range r.table {
		if strings.Contains(idRuns(f.beats, "–", ""), "–") {
			return true
		}
	}
	return false
}

// topics returns the number of topics, on which the number of pairs depends.
func (r *Report) topics() int { return len(r.in.Runs.Topics()) }

// Markdown returns the tables and the outcomes of the claims, for a document.
// Every text is escaped, so that a strategy's label cannot break the table.
func (r *Report) Markdown() string {
	var b strings.Builder
	for i, ms := range r.tables() {
		if i > 0 {
			b.WriteString("\n")
		}
		if title := r.tableTitle(ms); title != "" {
			fmt.Fprintf(&b, "%s:\n\n", title)
		}
		r.markdownTable(&b, ms)
	}
	fmt.Fprintf(&b, "\n%s. **Bold**: best but for the oracle.%s\n", capital(strings.TrimSpace(r.legend()+r.errorLegend()+r.endedLegend())), markdown(r.kinds()))
	for _, note := range append(r.sameNotes(), r.valuelessNotes()...) {
		fmt.Fprintf(&b, "\n%s\n", markdown(note))
	}
	if len(r.Verdicts) > 0 {
		b.WriteString("\n| claim | outcome | seen |\n|---|---|---|\n")
		for _, v := range r.Verdicts {
			fmt.Fprintf(&b, "| %s | **%s** | %s |\n", markdown(cmp.Or(v.Says, v.Expect)), v.Outcome, markdown(strings.Join(v.Figures, "; ")))
		}
	}
	return b.String()
}

// markdownTable writes one table.
func (r *Report) markdownTable(b *strings.Builder, ms []measure.Measure) {
	fmt.Fprintf(b, "| # | strategy | %s |\n|---|---|%s\n", strings.Join(columnNames(ms), " | "), strings.Repeat("--:|", len(ms)))
	for _, name := range r.rows() {
		fmt.Fprintf(b, "| %s | %s |", r.ids[name], markdown(name))
		for _, m := range ms {
			f := r.table[cell{name, m}]
			text := r.textFigure(m, f)
			if bare := value(m, f.centre); f.best {
				text = "**" + bare + "**" + strings.TrimPrefix(text, bare)
			}
			fmt.Fprintf(b, " %s |", text)
		}
		b.WriteString("\n")
	}
}

// capital returns s with its first letter, which is ASCII, in upper case.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// markdown escapes a text so that it stays plain text in a Markdown table.
func markdown(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "&", "&amp;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`).Replace(clean(s, longText))
}

// LaTeX returns the table with booktabs: the best in bold, letters as
// superscripts, the test in the caption. A figure occupies two columns, so that
// digits are aligned whatever letters follow; a table wider than the text is
// scaled down. If it would become too small, only the leading column keeps its
// letters.
func (r *Report) LaTeX() string {
	var b strings.Builder
	// Letters make a table wide: with 20 strategies a cell can have 19 of them.
	crowded := r.latexWidth() > latexRoom
	b.WriteString("% needs \\usepackage{booktabs,graphicx}\n\\begin{table}\n\\centering\n")
	fmt.Fprintf(&b, "\\caption{%s}\n\\label{tab:%s}\n", latex(r.caption()+r.latexNotes(crowded)), slug(r.in.Name))
	b.WriteString("\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n")
	fmt.Fprintf(&b, "\\begin{tabular}{ll%s}\n\\toprule\n & strategy", strings.Repeat("r@{}l", len(r.measures)))
	for _, m := range r.measures {
		fmt.Fprintf(&b, " & \\multicolumn{2}{c}{%s}", latexHead(m))
	}
	b.WriteString(" \\\\\n\\midrule\n")
	for i, name := range r.rows() {
		if i > 0 && i == len(r.rivals) {
			b.WriteString("\\midrule\n")
		}
		fmt.Fprintf(&b, "%s & %s", r.ids[name], latex(name))
		for _, m := range r.measures {
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

// latexHead formats the name of a measure with its place on a second line.
func latexHead(m measure.Measure) string {
	head, place, ok := strings.Cut(m.String(), "@")
	if !ok {
		return latex(head)
	}
	return `\shortstack{` + latex(head) + `\\@` + latex(place) + "}"
}

// latexFigure formats a figure and, in the next column, its letters and error.
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

// latexRoom is the width of a table, in characters, that fits the text of an
// article when scaled down by at most a third.
const latexRoom = 130

// latexWidth estimates the width of the table in characters, with letters.
func (r *Report) latexWidth() (n int) {
	names := 0
	for _, name := range r.rows() {
		names = max(names, utf8.RuneCountInString(clean(name, longText)))
	}
	for _, m := range r.measures {
		most := 0
		for _, name := range r.rows() {
			most = max(most, 8+utf8.RuneCountInString(idRuns(r.table[cell{name, m}].beats, "–", ""))*2/3)
		}
		n += most
	}
	return n + names
}

// latexNotes explains ± and missing letters in the caption.
func (r *Report) latexNotes(crowded bool) (text string) {
	if slices.ContainsFunc(r.rivals, func(name string) bool { return r.showsError(r.lead(), r.table[cell{name, r.lead()}]) }) {
		text = " ± is the standard error over topics."
	}
	if crowded && r.topics() >= measure.MinPairs {
		text += fmt.Sprintf(" There is room for letters at %s only; stats.csv compares all pairs by all measures.", r.lead())
	}
	return text
}

// caption describes what a table shows and what its letters and bold figures
// mean.
func (r *Report) caption() string {
	runs := &r.in.Runs
	text := fmt.Sprintf("%s: means over %d topics", cmp.Or(clean(r.in.Name, 200), "Strategies"), r.topics())
	if n := runs.SeedSets(); n > 1 {
		text += fmt.Sprintf(" × %d seed sets", n)
	}
	text += fmt.Sprintf(", %s pages per crawl%s.", grouped(float64(runs.Pages())), r.medians())
	if r.topics() < measure.MinPairs {
		return text + " The best figure is bold; topics are too few for tests."
	}
	return text + fmt.Sprintf(" The best figure is bold; letters mark figures that are significantly better than those of the named rows (%s).", r.in.Tests.Describe())
}

// kinds explains columns that are not means or not shares.
func (r *Report) kinds() (text string) {
	for _, m := range r.measures {
		switch unit := m.Kind().Unit; {
		case m.Median():
			text += fmt.Sprintf(" %s: medians of %s, – where most topics never get there.", m, unit)
		case unit == "s" || unit == "µs" || unit == "bytes":
			text += fmt.Sprintf(" %s: in %s.", m, unit)
		}
	}
	return text
}

// medians names the first measure that is summarised by medians.
func (r *Report) medians() string {
	for _, m := range r.measures {
		if m.Median() {
			return "; of " + m.String() + " medians, – where most topics never get there"
		}
	}
	return ""
}

// latex escapes a text for LaTeX, including characters that common fonts lack in
// text mode.
func latex(s string) string {
	return strings.NewReplacer(
		`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "×", `$\times$`, "–", "--",
		"±", `$\pm$`, "−", "$-$", "…", `\ldots{}`, "|", `\textbar{}`, `"`, "''", "µ", `$\mu$`, "·", `$\cdot$`, "≥", `$\ge$`, "≤", `$\le$`, "→", `$\to$`,
	).Replace(clean(s, longText))
}

// slug turns a text into a name for a file, a label and a TREC field: letters,
// digits and - . _ = only, not empty and without a leading dot. Different texts
// may give the same slug; see unique.
func slug(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._=", r) {
			return r
		}
		return '_'
	}, clean(s, 80))
	return cmp.Or(strings.TrimLeft(s, "."), "_")
}
