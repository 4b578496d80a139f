package main

import "testing"

// TestLabCommand: what a report says to run again can be pasted into a shell.
func TestLabCommand(t *testing.T) {
	for _, c := range []struct {
		cmd  labRunCmd
		dir  string
		want string
	}{
		{labRunCmd{Experiment: "demo"}, "runs/demo", "dowse lab run demo -o runs/demo"},
		{labRunCmd{Experiment: "it's mine.yaml", Web: "../webs/a b.warc.gz", Pages: new(50)}, "run (1)", `dowse lab run 'it'\''s mine.yaml' --web '../webs/a b.warc.gz' --pages 50 -o 'run (1)'`},
		{labRunCmd{Experiment: "demo", Topics: "töne.txt", Traces: []string{"$HOME/x.log"}}, "d", `dowse lab run demo --traces '$HOME/x.log' --topics töne.txt -o d`},
	} {
		if got := c.cmd.command(c.dir); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
