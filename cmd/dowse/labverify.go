package main

import (
	"errors"
	"fmt"
	"io/fs"

	"dowse/lab/experiment"
)

// labVerifyCmd checks that a run is reproducible: the same experiment, on the same web
// and with the same program, must give the same crawls to the byte. A difference means
// that the web, the program or the files of the run have changed, and is listed by crawl.
type labVerifyCmd struct {
	Run_  string `arg:"" name:"run" help:"Folder of a run, or a bundle."`
	Jobs  int    `short:"j" placeholder:"N" help:"Concurrent crawls."`
	Quiet bool   `short:"q" help:"Print errors only."`
	labFlags
}

func (labVerifyCmd) Help() string {
	return `Examples:
  dowse lab verify runs/demo
  dowse lab verify demo.zip    a file of dowse lab bundle

Repeats every crawl of the run in memory and compares it with what is kept.
Exits with 8 if something differs.`
}

// Run repeats every crawl of a run in memory and compares the results with the kept
// ones. Differences are printed on stdout, and the exit code is then 8.
func (c *labVerifyCmd) Run(w *world) error {
	cache, err := c.cache()
	if err != nil {
		return err
	}
	bar := newLabBar(w, c.Quiet)
	d, err := experiment.Verify(w.ctx, c.Run_, experiment.Options{Cache: cache, Jobs: c.Jobs, Progress: bar.show})
	bar.end()
	if errors.Is(err, fs.ErrNotExist) {
		return usage("%s is not a run of dowse lab run: %w", c.Run_, err)
	}
	if err != nil && isFile(c.Run_) {
		return usage("%w", err)
	}
	if err != nil {
		return err
	}
	for _, line := range d.Differences {
		fmt.Fprintln(w.out, oneLine(line))
	}
	if len(d.Differences) > 0 {
		return &exitError{exitAssertion, errors.New(c.Run_ + ": " + some(len(d.Differences), "difference"))}
	}
	fmt.Fprintf(w.out, "%s: %s made again, all the same to the byte\n", c.Run_, some(d.Crawls, "crawl"))
	return nil
}
