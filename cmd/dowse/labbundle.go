package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"dowse/internal/durable"
	"dowse/internal/plain"
	"dowse/lab/experiment"
)

// labBundleCmd writes a run with everything that it was made of into one file, so that
// another person can verify it without access to this machine.
type labBundleCmd struct {
	Dir   string `arg:"" name:"run" help:"Folder of a run."`
	Out   string `short:"o" placeholder:"FILE" help:"File to write (default: NAME.zip)."`
	Force bool   `help:"Overwrite an existing file."`
}

func (labBundleCmd) Help() string {
	return `Examples:
  dowse lab bundle runs/demo -o demo.zip
  dowse lab verify demo.zip               on any machine, in any folder

The file has the experiment, the manifest with versions and hashes, one trail per
crawl, and the files that the experiment names: webs, labels, access logs, topics.
Synthetic webs are generated again. Check that you may pass on what it contains.`
}

// Run writes the bundle. An existing file is replaced only with --force.
func (c *labBundleCmd) Run(w *world) error {
	out := c.Out
	if out == "" {
		out = filepath.Base(filepath.Clean(c.Dir)) + ".zip"
	}
	if _, err := os.Lstat(out); err == nil && !c.Force {
		return usage("%s: file exists; use --force to overwrite it", out)
	}
	err := durable.Replace(out, func(to io.Writer) error { return experiment.Bundle(to, c.Dir) })
	if errors.Is(err, fs.ErrNotExist) {
		return usage("%s is not a run of dowse lab run, or a file that it was made of is gone: %w", c.Dir, err)
	}
	if err != nil {
		return usage("%w", err)
	}
	size := int64(0)
	if info, err := os.Stat(out); err == nil {
		size = info.Size()
	}
	fmt.Fprintf(w.err, "%s: %s; verify it with: dowse lab verify %s\n", out, plain.Bytes(size), shellWord(out))
	return nil
}
