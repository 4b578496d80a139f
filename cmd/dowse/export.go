package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"dowse/collection"
	"dowse/crawler"
)

// exportCmd writes pages of a collection into one file. The suffix of the file selects
// the format, so there is one command for all formats.
type exportCmd struct {
	Dir     string   `arg:"" help:"Collection."`
	Out     string   `arg:"" help:"File to write; its suffix selects the format; - for stdout."`
	On      bool     `help:"Export only pages on topic."`
	All     bool     `help:"Export all pages that were fetched."`
	Fields  []string `placeholder:"NAME" help:"Fields of .jsonl and .csv, in this order."`
	Text    bool     `help:"Include the text of pages in .jsonl and .csv."`
	Since   moment   `placeholder:"WHEN" help:"Export only pages fetched since (e.g. 2h, 3d, 2026-11-15)."`
	Changed moment   `name:"changed-since" placeholder:"WHEN" help:"Export only pages that have changed since."`
	Format  string   `placeholder:"SUFFIX" help:"Format, if the file name has no suffix; jsonl for stdout."`
	Force   bool     `help:"Overwrite an existing file."`
}

func (exportCmd) Help() string {
	var formats strings.Builder
	for _, f := range collection.ExportFormats() {
		suffix, packed := strings.CutSuffix(f.Suffix, "(.gz, .zst)")
		if packed {
			suffix += "*"
		}
		fmt.Fprintf(&formats, "  %-18s %s\n", suffix, f.About)
	}
	return `Examples:
  dowse export reefs.dowse reefs.wacz
  dowse export reefs.dowse reefs.jsonl.zst --text --all
  dowse export reefs.dowse new.csv --since 7d --fields url,title,relevance
  dowse export reefs.dowse changed.jsonl --changed-since 7d --text
  dowse export reefs.dowse - | jq -r .url

Formats:
` + formats.String() + `  * also compressed: .gz, .zst

Without --on and --all: the pages on topic; for .wacz the whole collection, with
the pages on topic first.

Fields:
` + indented(strings.Join(collection.ExportFields(), " "))
}

// Run writes the export. Pages that cannot be read are left out and listed, and the exit
// code is then 7; the file holds all others.
func (c *exportCmd) Run(w *world) error {
	if err := c.check(w); err != nil {
		return err
	}
	cr, err := w.view(c.Dir)
	if err != nil {
		return err
	}
	defer cr.Close()
	// Notices from before the export were shown when the collection was opened.
	before := len(cr.Collection.Notices)
	n, err := cr.Collection.Export(w.ctx, c.Out, c.options(w))
	if err != nil {
		return exportError(err)
	}
	for _, note := range cr.Collection.Notices[before:] {
		fmt.Fprintf(w.err, "note: %s\n", oneLine(note))
	}
	fmt.Fprintln(w.err, c.done(n))
	return passedOver(w, c.Dir, &cr.Collection.Unread)
}

// passedOver lists what could not be read, if anything, and returns an error for it: the
// output is there, and the exit code states that it is not complete. A damaged page must
// not cost the export of all others, and a script must not take the rest for all.
func passedOver(w *world, dir string, u *collection.Unread) error {
	if u.Count() == 0 {
		return nil
	}
	for i, p := range u.Problems {
		if i == maxShown {
			break
		}
		fmt.Fprintln(w.err, oneLine(fmt.Sprintf("left out: %s: %s", p.Place, p.What)))
	}
	return &exitError{exitCollection, fmt.Errorf("%s is damaged: %s could not be read and left out; all else is there. Rebuild it with dowse collection salvage %s -o NEW",
		dir, some(u.Count(), "part"), dir)}
}

// check finds wrong flags before the collection is opened, and keeps binary formats off a
// terminal, which they would garble.
func (c *exportCmd) check(w *world) error {
	if c.On && c.All {
		return usage("--on or --all, not both")
	}
	known := collection.ExportFields()
	for _, f := range c.Fields {
		if !slices.Contains(known, f) {
			return usage("unknown field %q; want one of %s", f, strings.Join(known, " "))
		}
	}
	if c.Out == "-" && w.outTTY && (c.Format == "wacz" || strings.HasSuffix(c.Format, "gz") || strings.HasSuffix(c.Format, "zst")) {
		return usage("%s: cannot be printed on a terminal; give a file or a pipe", c.Format)
	}
	return nil
}

// options returns the options of the export that the flags describe.
func (c *exportCmd) options(w *world) collection.ExportOptions {
	return collection.ExportOptions{
		Format: c.Format, On: c.On, All: c.All, Since: c.Since.Time, Changed: c.Changed.Time, Fields: c.Fields, Text: c.Text, Force: c.Force,
		Stdout: w.out, Software: "dowse/" + crawler.Version,
	}
}

// siteExport matches the names of exports whose records are sites, not pages, for the
// last line of the command.
var siteExport = regexp.MustCompile(`(sites\.(jsonl|csv)|gexf|graphml|dot|svg)(\.gz|\.zst)?( |$)`)

// done returns the last line: how much was written, and where.
func (c *exportCmd) done(n int) string {
	what := some(n, "page")
	switch name := c.Out + " " + c.Format; {
	case strings.Contains(name, "decisions.jsonl"):
		what = some(n, "decision")
	case siteExport.MatchString(name):
		what = some(n, "site")
	}
	st, err := os.Stat(c.Out)
	if c.Out == "-" || err != nil {
		return what
	}
	return fmt.Sprintf("%s: %s, %s", c.Out, what, bytesText(st.Size()))
}

// exportError separates errors that the user can correct, such as an unknown suffix or an
// existing file, from internal ones. An interrupted export leaves no file: it is written
// under another name and renamed at the end.
func exportError(err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return &exitError{exitInterrupted, errors.New("interrupted; nothing was written")}
	case errors.Is(err, collection.ErrNoSites), errors.Is(err, collection.ErrExists), errors.Is(err, collection.ErrInside), errors.Is(err, collection.ErrSuffix), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return usage("%w", err)
	}
	return err
}
