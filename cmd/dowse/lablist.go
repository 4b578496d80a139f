package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dowse/internal/dashboard"
	"dowse/lab/experiment"
)

// labListCmd lists the built-in experiments, which reproduce figures and tables of
// papers. One experiment can cover several figures; each of them is a name to run it by.
type labListCmd struct {
	Dirs []string `arg:"" optional:"" name:"folder" help:"List the runs in these folders instead of experiments."`
	JSON bool     `help:"Print JSON."`
}

func (labListCmd) Help() string {
	return `Examples:
  dowse lab list           experiments that can be run
  dowse lab list .         runs in this folder, and in runs/

Figures and tables are named by paper: 000 Wang et al. 2009, 001 Taylan et al.
2011, 002 Seyfi and Patel 2015, 003 Ester et al. 2004, 004 Aggarwal 2004. All run
on synthetic webs; dowse lab run NAME --web FILE runs one on a recorded web.`
}

// A listedExperiment is an experiment in the output of lab list --json.
type listedExperiment struct {
	Name       string   `json:"name"`
	Rows       []string `json:"rows,omitempty"`
	Title      string   `json:"title"`
	Paper      string   `json:"paper,omitempty"`
	Strategies int      `json:"strategies"`
	Claims     int      `json:"claims"`
}

// Run prints one entry per built-in experiment, with the names under which it can be
// run.
func (c *labListCmd) Run(w *world) error {
	if len(c.Dirs) > 0 {
		return c.runs(w)
	}
	for _, x := range experiment.Shipped() {
		if c.JSON {
			l := listedExperiment{x.Name, x.Rows, x.Title, x.Paper, len(x.Variants()), len(x.Checks)}
			if err := jsonLine(w.out, l); err != nil {
				return err
			}
			continue
		}
		row(w.out, x.Name, fmt.Sprintf("%s (%s, %s)", x.Title, some(len(x.Variants()), "strategy"), some(len(x.Checks), "claim")))
		if len(x.Rows) > 0 {
			row(w.out, "", "also "+strings.Join(x.Rows, ", "))
		}
	}
	return nil
}

// A listedRun is a run in the output of lab list FOLDER --json.
type listedRun struct {
	Name string    `json:"name"`
	Dir  string    `json:"dir"`
	Made time.Time `json:"made"`
}

// runs prints one line per run in the folders: its name, when it was made, its folder.
func (c *labListCmd) runs(w *world) error {
	for _, dir := range c.Dirs {
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			return usage("%s is no folder; give one with runs of dowse lab run", dir)
		}
	}
	found := dashboard.LabRuns(c.Dirs)
	for _, name := range slices.Sorted(maps.Keys(found)) {
		dir := found[name]
		var made time.Time
		if st, err := os.Stat(filepath.Join(dir, "manifest.yaml")); err == nil {
			made = st.ModTime()
		}
		if c.JSON {
			if err := jsonLine(w.out, listedRun{name, dir, made.UTC()}); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w.out, "%-24s %s  %s\n", oneLine(name), made.Format("2006-01-02 15:04"), oneLine(dir))
	}
	if len(found) == 0 && !c.JSON {
		fmt.Fprintln(w.err, "no run here yet; dowse lab run demo -o runs/demo makes one")
	}
	return nil
}
