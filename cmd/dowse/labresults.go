package main

import (
	"fmt"
	"io"
	"path/filepath"

	"dowse/lab/experiment"
	reports "dowse/lab/report"
)

type labResultsCmd struct {
	Runs []string `arg:"" name:"run" help:"Folders of runs. Webs are told in the order in which they come here."`
	Out  string   `short:"o" placeholder:"FILE" help:"File to write; otherwise it is printed."`

	left []reports.LeftOut // experiments that were not run
}

func (labResultsCmd) Help() string {
	return `Example:
  dowse lab results runs/* -o docs/results.md

Writes one document on many runs: for each what the paper did, the table, what it
claims beside what was seen, and the command; web after web, and on each by the
names of experiments. Titles tell the web, hubs, and seeds that are not the
experiment's own. Titles and notes of experiments that come with dowse are those
of this version.`
}

// Run writes the results of runs down.
func (c *labResultsCmd) Run(w *world) error {
	var list []reports.Part
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
		part := rep.Part()
		part.Run = filepath.ToSlash(dir)
		list = append(list, part)
	}
	text := reports.Results(list, c.left)
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
