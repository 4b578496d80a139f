package main

import (
	"fmt"
	"strings"

	"dowse/lab/experiment"
)

// labListCmd lists the built-in experiments, which reproduce figures and tables of
// papers. One experiment can cover several figures; each of them is a name to run it by.
type labListCmd struct {
	JSON bool `help:"Print JSON."`
}

func (labListCmd) Help() string {
	return `Example:
  dowse lab list

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
