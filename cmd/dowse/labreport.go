package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"dowse/internal/lab/measure"
	reports "dowse/internal/lab/report"
	"dowse/lab/experiment"
)

// labReportCmd writes reports on a finished run in several formats. Without a format flag
// it writes report.html: one page with figures that needs no network. The others are for
// papers and other programs: CSV, LaTeX, TREC files, Markdown, and figures as files. The
// table is always printed too.
type labReportCmd struct {
	Dir      string   `arg:"" name:"run" help:"Folder of a run."`
	HTML     bool     `name:"html" help:"Write report.html, one page with figures (the default)."`
	CSV      bool     `name:"csv" help:"Write results.csv, summary.csv and stats.csv."`
	LaTeX    bool     `name:"latex" help:"Write table.tex, for booktabs."`
	TREC     bool     `name:"trec" help:"Write qrels and runs for trec_eval, with ir_metadata.yaml."`
	Markdown bool     `name:"md" help:"Write table.md."`
	Figures  []string `name:"figures" placeholder:"FORMATS" enum:"svg,pdf,tex" help:"Write figures/, each with its data: svg, pdf, tex."`
	Out      string   `short:"o" placeholder:"DIR" help:"Folder to write to (default: the run's own)."`
	JSON     bool     `name:"json" help:"Print the table as JSON."`
	Measures []string `short:"m" placeholder:"M" help:"Other measures (e.g. harvest@500,recall@end)."`
	assertFlags
}

func (labReportCmd) Help() string {
	return `Examples:
  dowse lab report runs/demo                    its table, and report.html
  dowse lab report runs/demo --csv --latex      files for a paper
  dowse lab report runs/demo --figures svg,pdf,tex
  dowse lab report runs/demo -m recall@10%,auc  by other measures
  dowse lab report runs/demo --assert 'otie.recall > opic.recall, p < .05'

The page holds all it shows, needs no network and prints well. Figures as files
are vector drawings in light colours, text as text; tex is for pgfplots. With --assert the
exit code is 8 unless every claim holds; see dowse help claims.`
}

// Run writes the files, prints the table, and checks the claims of --assert last, so that
// the report exists when a claim fails and shows why.
func (c *labReportCmd) Run(w *world) error {
	in, err := openRun(c.Dir)
	if err != nil {
		return err
	}
	claims, err := c.ask(&in, c.Measures)
	if err != nil {
		return err
	}
	rep, err := reports.New(in)
	if err != nil {
		return usage("%w", err)
	}
	which := reports.Files{HTML: c.HTML, CSV: c.CSV, LaTeX: c.LaTeX, TREC: c.TREC, Markdown: c.Markdown, Figures: strings.Join(c.Figures, ",")}
	if which == (reports.Files{}) {
		which.HTML = true
	}
	dir := c.Out
	if dir == "" {
		dir = c.Dir
	}
	written, err := writeFiles(dir, rep.Files(which))
	if err != nil {
		return err
	}
	if err := printReport(w, rep, c.JSON); err != nil {
		return err
	}
	fmt.Fprintf(w.err, "wrote %s\n", strings.Join(written, ", "))
	return hold(w, in, claims, false)
}

// openRun reads a run from its folder and returns what a report needs. Everything comes
// from the folder: neither the web nor the collection of the run has to be there.
func openRun(dir string) (reports.Input, error) {
	r, m, err := experiment.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return reports.Input{}, usage("%s is not the folder of a run: %w; dowse lab run makes one", dir, err)
	}
	if err != nil {
		return reports.Input{}, usage("%s: %w", dir, err)
	}
	return inputOf(r, m.Command, m.Version)
}

// orMeasures parses the measures of a flag; without any it returns otherwise, which are the
// measures of the experiment itself.
func orMeasures(names []string, otherwise []measure.Measure) (list []measure.Measure, err error) {
	for _, n := range names {
		m, err := measure.Parse(n)
		if err != nil {
			return nil, usage("--measures %q, %w", n, err)
		}
		list = append(list, m)
	}
	if len(list) == 0 {
		return otherwise, nil
	}
	return list, nil
}

// writeFiles writes the files of a report and returns the paths to print. A folder with
// several files, such as trec/, is printed once.
func writeFiles(dir string, files []reports.File) (written []string, err error) {
	folders := map[string]bool{}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := writeReport(path, f.Write); err != nil {
			return written, err
		}
		folder, _, below := strings.Cut(f.Name, "/")
		if below && folders[folder] {
			continue
		}
		folders[folder] = below
		if below {
			path = filepath.Join(dir, folder) + string(filepath.Separator)
		}
		written = append(written, path)
	}
	return written, nil
}

// A reportJSON is the output of lab report --json, and with the pairs that of lab compare --json.
type reportJSON struct {
	Table  []reports.Row  `json:"table"`
	Claims []claimJSON    `json:"claims"`
	Pairs  []reports.Pair `json:"pairs,omitempty"`
}

// A claimJSON is a claim of the experiment with its outcome and the figures behind it.
type claimJSON struct {
	Says    string          `json:"says,omitempty"`
	Expect  string          `json:"expect"`
	Outcome measure.Outcome `json:"outcome"`
	Figures []string        `json:"figures"`
}

// printReport prints the table and the claims of a report, as text or as one JSON object.
// A claim is printed with its outcome, its words, the expression that was checked, and
// the figures behind it, each on a line:
//
//	holds: pages on topic link to pages on topic
//	  otie.recall@end > breadth-first.recall@end
func printReport(w *world, rep *reports.Report, asJSON bool) error {
	if asJSON {
		return jsonLine(w.out, jsonOf(rep))
	}
	columns := columnsOf(w.out)
	fmt.Fprint(w.out, rep.Text(columns))
	for _, v := range rep.Verdicts {
		fmt.Fprintln(w.out)
		printWrapped(w, " ", columns, fmt.Sprintf("%s: %s", v.Outcome, oneLine(v.Says)))
		printWrapped(w, "   ", columns, oneLine(v.Expect))
		printWrapped(w, "   ", columns, strings.Join(v.Figures, "; "))
	}
	return nil
}

// jsonOf returns a report as one JSON object.
func jsonOf(rep *reports.Report) reportJSON {
	out := reportJSON{Table: rep.Rows(), Claims: []claimJSON{}}
	for _, v := range rep.Verdicts {
		out.Claims = append(out.Claims, claimJSON{v.Says, v.Expect, v.Outcome, v.Figures})
	}
	return out
}

// printWrapped prints a text with an indent, in lines that fit the terminal; 0 columns
// mean that the output is none, and the text stays one line.
func printWrapped(w *world, indent string, columns int, text string) {
	lines := []string{text}
	if columns > 0 {
		lines = wrap(text, max(columns-len(indent), 10))
	}
	for _, line := range lines {
		fmt.Fprintln(w.out, indent+line)
	}
}
