package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	reports "dowse/internal/lab/report"
	"dowse/lab/experiment"
)

// labResultsCmd writes one Markdown document on many runs, such as docs/results.md. For
// each run it has what the paper did and claims, what was measured here, and the command
// that repeats it.
type labResultsCmd struct {
	Runs []string `arg:"" name:"run" help:"Folders of runs, or folders that contain runs."`
	Out  string   `short:"o" placeholder:"FILE" help:"File to write (default: stdout)."`

	left []reports.LeftOut // experiments that were not run
}

func (labResultsCmd) Help() string {
	return `Example:
  dowse lab results runs -o docs/results.md

Writes one document on many runs: for each what the paper did, the table, what it
claims and what was measured, and the command; sorted by web, and on each by the
names of experiments. Titles name the web, hubs, and seeds that are not the
experiment's own. Titles and notes of experiments that come with dowse are those
of this version.`
}

// Run writes the document. Titles and notes of built-in experiments are taken from this
// version of the program, not from the run, so that corrected texts need no new run. The
// figures always come from the run.
func (c *labResultsCmd) Run(w *world) error {
	var list []reports.Part
	dirs, err := runsIn(c.Runs)
	if err != nil {
		return err
	}
	for _, dir := range dirs {
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

// resultsFile is the name of the document that lab run all writes next to the runs.
const resultsFile = "results.md"

// runsIn replaces folders that contain runs by those runs, sorted by name. A folder is a
// run if it has the experiment's file. Only folders directly below are
// searched.
func runsIn(list []string) (dirs []string, err error) {
	for _, path := range list {
		if _, err := os.Stat(filepath.Join(path, "experiment.yaml")); err == nil || !isFolder(path) {
			if filepath.Base(path) != resultsFile { // lab run all writes it next to the runs
				dirs = append(dirs, path)
			}
			continue
		}
		files, err := filepath.Glob(filepath.Join(path, "*", "experiment.yaml"))
		if err != nil || len(files) == 0 {
			return nil, usage("there is no run in %s", path)
		}
		for _, f := range files {
			dirs = append(dirs, filepath.Dir(f))
		}
	}
	return dirs, nil
}

// isFolder reports whether a path is a folder.
func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
