package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	reports "dowse/internal/lab/report"
	"dowse/lab/experiment"
)

// labResultsCmd writes one Markdown document on many runs, such as docs/results.md. For
// each run it has what the paper did and claims, what was measured here, and the command
// that repeats it.
type labResultsCmd struct {
	Runs []string `arg:"" name:"run" help:"Folders of runs, or folders that contain runs."`
	Out  string   `short:"o" placeholder:"FILE" help:"File to write (default: stdout)."`
	// What a person has to say about the runs, which no run can know: why outcomes changed.
	Preface string `placeholder:"FILE" help:"Markdown to put after the table of experiments."`
	Keep    string `placeholder:"FILE" help:"Keep sections of this document that no run replaces."`

	left []reports.LeftOut // experiments that were not run
}

func (labResultsCmd) Help() string {
	return `Examples:
  dowse lab results runs -o docs/results.md
  dowse lab results runs/made runs/wiki --preface notes.md
  dowse lab results runs/002-f9 --keep results.md -o results.md   one run again

Writes one document on many runs: for each what the paper did, the table, what it
claims and what was measured, and the command; sorted by web, and on each by the
names of experiments. Titles name the web, hubs, and seeds that are not the
experiment's own. Titles and notes of experiments that come with dowse are those
of this version. Each section names the program that made its crawls; the last
lists time and memory.`
}

// Run writes the document. Titles and notes of built-in experiments are taken from this
// version of the program, not from the run, so that corrected texts need no new run. The
// figures always come from the run.
func (c *labResultsCmd) Run(w *world) error {
	var list []reports.Part
	dirs, err := c.finished()
	if err != nil {
		return err
	}
	preface, err := c.preface()
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
	kept, err := c.kept()
	if err != nil {
		return err
	}
	all := reports.Merge(list, kept)
	text := reports.Results(all, c.left, preface)
	if c.Out == "" {
		_, err := io.WriteString(w.out, text)
		return err
	}
	if err := writeReport(c.Out, func(out io.Writer) error { _, err := io.WriteString(out, text); return err }); err != nil {
		return err
	}
	fmt.Fprintf(w.err, "wrote %s: %s", c.Out, some(len(list), "experiment"))
	if len(all) > len(list) {
		fmt.Fprintf(w.err, ", %s kept", some(len(all)-len(list), "section"))
	}
	fmt.Fprintln(w.err)
	return nil
}

// kept reads the sections of the document of --keep, none without one.
func (c *labResultsCmd) kept() ([]reports.Part, error) {
	if c.Keep == "" {
		return nil, nil
	}
	data, err := os.ReadFile(c.Keep)
	if err != nil {
		return nil, usage("--keep: %w", err)
	}
	parts := reports.Kept(string(data))
	if len(parts) == 0 {
		return nil, usage("--keep: %s has no section of an experiment; name a document that dowse lab results wrote", c.Keep)
	}
	return parts, nil
}

// preface reads the file of --preface, "" without one.
func (c *labResultsCmd) preface() (string, error) {
	if c.Preface == "" {
		return "", nil
	}
	data, err := os.ReadFile(c.Preface)
	if err != nil {
		return "", usage("--preface: %w", err)
	}
	return string(data), nil
}

// finished returns the runs to write about. A run that has not finished, in a folder of
// runs, is listed as left out; one that was named is an error later.
func (c *labResultsCmd) finished() (dirs []string, err error) {
	all, err := runsIn(c.Runs)
	for _, dir := range all {
		_, missing := os.Stat(filepath.Join(dir, "manifest.yaml"))
		if errors.Is(missing, fs.ErrNotExist) && !slices.Contains(c.Runs, dir) {
			c.left = append(c.left, reports.LeftOut{Name: filepath.Base(dir), Why: "its run has not finished"})
			continue
		}
		dirs = append(dirs, dir)
	}
	if err == nil && len(dirs) == 0 {
		err = usage("no run has finished in %s", strings.Join(c.Runs, ", "))
	}
	return dirs, err
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
