package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A paperFigure is a figure of a report as a file: its drawing, its data, and how pgfplots
// draws the data.
type paperFigure struct {
	name    string // of the files, without a suffix
	drawing string // SVG for the page
	head    []string
	rows    [][]string
	tex     func(data string) string // data is the name of the file with the data
}

// figureFiles returns each figure in the given formats, with its data next to it as CSV.
func (r *Report) figureFiles(formats []string) (list []File) {
	for _, f := range r.paperFigures() {
		if len(f.rows) == 0 {
			continue
		}
		for _, format := range formats {
			list = append(list, File{"figures/" + f.name + "." + format, func(w io.Writer) error { return f.write(w, format) }})
		}
		list = append(list, File{"figures/" + f.name + ".csv", f.data})
	}
	return list
}

// write writes the figure in one format.
func (f *paperFigure) write(w io.Writer, format string) error {
	if format == "tex" {
		_, err := io.WriteString(w, f.tex(f.name+".csv"))
		return err
	}
	v, err := readDrawing(f.drawing)
	if err != nil {
		return err
	}
	if format == "svg" {
		_, err = io.WriteString(w, v.svg())
		return err
	}
	data, err := v.pdf()
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// data writes the figure's data as CSV.
func (f *paperFigure) data(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(f.head); err != nil {
		return err
	}
	return c.WriteAll(f.rows)
}

// paperFigures returns the figures of the report that are for papers: the ranking, a plot
// of each measure over pages, the differences of the best strategy from the median by
// topic, and harvest against how much of the web is on the topic.
func (r *Report) paperFigures() []paperFigure {
	list := []paperFigure{r.paperRanking()}
	for _, c := range append([]curveKind{r.harvest()}, r.curveKinds()...) {
		list = append(list, r.paperCurves(c))
	}
	return append(list, r.paperDifferences())
}

// paperCurves is a plot of a measure over pages.
func (r *Report) paperCurves(c curveKind) paperFigure {
	plot := r.curves(c.kind(), c.name, c.from, 640, 400)
	f := paperFigure{name: strings.ReplaceAll(c.measure, "/", "-"), drawing: plot.inline(), head: []string{"pages"}}
	for i, l := range plot.Lines {
		f.head = append(f.head, l.Name, l.Name+" low", l.Name+" high")
		for k, p := range l.Points {
			if i == 0 {
				f.rows = append(f.rows, []string{exact(p.X)})
			}
			if k < len(f.rows) {
				f.rows[k] = append(f.rows[k], exact(p.Y), exact(p.Lo), exact(p.Hi))
			}
		}
	}
	f.tex = func(data string) string { return plot.tex(data) }
	return f
}

// exact returns a number as data; "nan", which pgfplots leaves out, if there is none.
func exact(v float64) string {
	if !shown(v) {
		return "nan"
	}
	return strconv.FormatFloat(v, 'g', 8, 64)
}

// paperRanking is the ranking of the strategies by the leading measure.
func (r *Report) paperRanking() paperFigure {
	m := r.lead()
	f := paperFigure{name: "ranking", drawing: r.ranking(m, rankWide), head: []string{"strategy", "place", "value", "below", "above"}}
	names := slices.Concat(r.bounds, r.rivals)
	for i, name := range names {
		fig := r.table[cell{name, m}]
		f.rows = append(f.rows, []string{name, strconv.Itoa(len(names) - i), exact(fig.centre), exact(fig.centre - fig.lo), exact(fig.hi - fig.centre)})
	}
	f.tex = func(data string) string { return texBars(data, names, "value", m.Title(), true) }
	return f
}

// paperDifferences is the bar chart of the best strategy against the median.
func (r *Report) paperDifferences() paperFigure {
	m := r.lead()
	if len(r.rivals) == 0 {
		return paperFigure{}
	}
	c := r.differences(m, r.rivals[0])
	f := paperFigure{name: "differences", drawing: string(c.figure().SVG), head: []string{"topic", "place", "difference"}}
	var topics []string
	for i, b := range c.bars {
		topics = append(topics, b.topic)
		f.rows = append(f.rows, []string{b.topic, strconv.Itoa(len(c.bars) - i), exact(b.diff)})
	}
	f.tex = func(data string) string {
		return texBars(data, topics, "difference", fmt.Sprintf("%s of %s, less the median", m, r.rivals[0]), false)
	}
	return f
}

// texHead begins a file for pgfplots. The file is read by \input in a document that loads
// pgfplots.
func texHead(b *strings.Builder) {
	b.WriteString("% \\usepackage{pgfplots}\n% \\pgfplotsset{compat=1.16}\n")
	b.WriteString("% The data is looked for where the document is, and in the folder figures; \\newcommand{\\dowsefigures}{FOLDER} names another.\n")
	b.WriteString("\\providecommand{\\dowsefigures}{figures}\n")
	for i, c := range palette {
		fmt.Fprintf(b, "\\definecolor{dowse%d}{HTML}{%s}\n", i, strings.ToUpper(strings.TrimPrefix(c.light, "#")))
	}
	fmt.Fprintf(b, "\\definecolor{dowsegrey}{HTML}{%s}\n", strings.ToUpper(strings.TrimPrefix(muted.light, "#")))
}

// texColour is the colour of a style in a file for pgfplots.
func texColour(style int) string {
	if style < 0 {
		return "dowsegrey"
	}
	return "dowse" + strconv.Itoa(style%len(palette))
}

// texDash is the dash pattern of a style in a file for pgfplots.
func texDash(style int) string {
	if style < 0 {
		return "densely dashed"
	}
	return []string{"solid", "dashed", "dotted", "dash dot"}[style%len(dashes)]
}

// tex returns the plot for pgfplots, which reads the data from a file. Columns of the data
// are pages, then the mean of each curve and the ends of its band. The legend is below the
// axis: next to it, the figure would be wider than the column of text.
func (p Plot) tex(data string) string {
	var b strings.Builder
	texHead(&b)
	axis := "axis"
	if p.LogFrom > 0 {
		axis = "semilogxaxis"
	}
	fmt.Fprintf(&b, "\\begin{tikzpicture}\n\\begin{%s}[width=\\linewidth, height=.62\\linewidth, xlabel={%s}, ylabel={%s}, ymin=0, grid=major, grid style={gray!20}, legend style={at={(0.5,-0.2)}, anchor=north, draw=none, font=\\small}, legend columns=2, legend cell align=left]\n",
		axis, latex("pages fetched"), latex(p.Y))
	for i, l := range p.styled() {
		style := []string{texColour(l.Style), "thick", "mark=none"}
		style = append(style, texDash(l.Style))
		if l.Thin {
			style = []string{"dowsegrey", "thin", "mark=none", "opacity=.4", "forget plot"}
		}
		fmt.Fprintf(&b, "\\addplot[%s] table[search path={.,\\dowsefigures}, col sep=comma, x index=0, y index=%d] {%s};\n", strings.Join(style, ", "), 3*i+1, data)
		if !l.Thin {
			fmt.Fprintf(&b, "\\addlegendentry{%s}\n", latex(clean(l.Name, longName)))
		}
	}
	fmt.Fprintf(&b, "\\end{%s}\n\\end{tikzpicture}\n", axis)
	return b.String()
}

// texBars returns a chart with one bar or, with intervals, one mark per name, for pgfplots.
// Names are from the top down; the data numbers their places from the bottom up.
func texBars(data string, names []string, column, title string, intervals bool) string {
	var b strings.Builder
	texHead(&b)
	var places, labels []string
	for i, n := range slices.Backward(names) {
		places = append(places, strconv.Itoa(len(names)-i))
		labels = append(labels, "{"+latex(clean(n, longName))+"}")
	}
	kind, plot := "xbar, bar width=6pt, extra x ticks={0}, extra x tick labels={}, enlarge x limits={0.05}, bar shift=0pt", "fill=dowse0, draw=none"
	table := fmt.Sprintf("x=%s, y=place", column)
	if intervals {
		kind, plot = "only marks", "dowse0, mark=*, error bars/.cd, x dir=both, x explicit"
		table += ", x error plus=above, x error minus=below"
	}
	fmt.Fprintf(&b, "\\begin{tikzpicture}\n\\begin{axis}[%s, width=.8\\linewidth, height=%.1fcm, xlabel={%s}, ytick={%s}, yticklabels={%s}, xmajorgrids, grid style={gray!20}, scaled x ticks=false, x tick label style={/pgf/number format/fixed, /pgf/number format/precision=4}]\n",
		kind, 2+0.5*float64(len(names)), latex(title), strings.Join(places, ","), strings.Join(labels, ","))
	if !intervals { // the axis includes 0, from which bars begin
		b.WriteString("\\addplot[forget plot, draw=none] coordinates {(0,1)};\n")
	}
	fmt.Fprintf(&b, "\\addplot[%s] table[search path={.,\\dowsefigures}, col sep=comma, %s] {%s};\n\\end{axis}\n\\end{tikzpicture}\n", plot, table, data)
	return b.String()
}
