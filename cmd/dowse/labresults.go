package main

import (
	"fmt"
	"io"

	"dowse/lab/experiment"
	reports "dowse/lab/report"
)

type labResultsCmd struct {
	Runs []string `arg:"" name:"run" help:"Folders of runs, in the order in which they are to be told."`
	Out  string   `short:"o" placeholder:"FILE" help:"File to write; otherwise it is printed."`
}

func (labResultsCmd) Help() string {
	return `Example:
  dowse lab results runs/* -o docs/results.md

Writes one document on many runs: for each what the paper did, the table, what it
claims beside what was seen, and the command. Titles and notes of experiments that
come with dowse are those of this version.`
}

// Run writes the results of runs down.
func (c *labResultsCmd) Run(w *world) error {
	var list []*reports.Report
	for _, dir := range c.Runs {
		in, err := openRun(dir)
		if err != nil {
			return err
		}
		if x, _, err := experiment.ByName(in.Name); err == nil {
			in.Title, in.About, in.Paper, in.Note = x.Title, x.About, x.Paper, x.Note
		}
		rep, err := reports.New(in)
		if err != nil {
			return usage("%s: %w", dir, err)
		}
		list = append(list, rep)
	}
	text := reports.Results(list)
	if c.Out == "" {
		_, err := io.WriteString(w.out, text)
		return err
	}
	if err := writeReport(c.Out, func(out io.Writer) error { _, err := io.WriteString(out, text); return err }); err != nil {
		return err
	}
	fmt.Fprintf(w.err, "wrote %s: %s\n", c.Out, some(len(list), "experiment"))
	return nil
}
