package report

import (
	"io"
	"strings"
)

// A File is one of the files of a report: its name relative to the folder of the
// run, with slashes, and a function that writes it.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// Files selects the forms of a report.
type Files struct {
	HTML, CSV, LaTeX, TREC, Markdown bool
	Figures                          string // formats of figures as files, with commas between them; "" for none
}

// Files returns the files of a report, in a fixed order.
func (r *Report) Files(which Files) (list []File) {
	text := func(name string, of func() string) File {
		return File{name, func(w io.Writer) error { _, err := io.WriteString(w, of()); return err }}
	}
	if which.HTML {
		list = append(list, File{"report.html", r.HTML})
	}
	if which.CSV {
		list = append(list, File{"results.csv", r.ResultsCSV}, File{"summary.csv", r.SummaryCSV}, File{"stats.csv", r.StatsCSV})
	}
	if which.LaTeX {
		list = append(list, text("table.tex", r.LaTeX))
	}
	if which.Markdown {
		list = append(list, text("table.md", r.Markdown))
	}
	if which.Figures != "" {
		list = append(list, r.figureFiles(strings.Split(which.Figures, ","))...)
	}
	if which.TREC {
		list = append(append(list, r.trecFiles()...), File{"ir_metadata.yaml", r.Metadata})
	}
	return list
}
