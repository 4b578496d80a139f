package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"dowse/collection"
	"dowse/crawler"
	"dowse/settings"
)

// exportCmd writes pages of a collection into one file. The suffix of the file selects
// the format, so there is one command for all formats.
type exportCmd struct {
	Dir      string     `arg:"" help:"Collection."`
	Out      string     `arg:"" help:"File to write; its suffix selects the format; - for stdout."`
	On       bool       `help:"Export only pages on topic."`
	All      bool       `help:"Export all pages that were fetched."`
	Since    moment     `placeholder:"WHEN" help:"Export only pages fetched since (e.g. 2h, 3d, 2026-11-15)."`
	Changed  moment     `name:"changed-since" placeholder:"WHEN" help:"Export only pages that have changed since."`
	Where    condition  `placeholder:"EXPR" help:"Export only pages that meet a condition."`
	MinScore float64    `placeholder:"N" help:"Export only pages of at least this relevance."`
	Distinct string     `placeholder:"HOW" help:"Leave out duplicates: exact, near or none."`
	Respect  []string   `placeholder:"WISH" help:"Keep wishes of owners: noarchive, noindex, tdm, ai."`
	Limit    int        `placeholder:"N" help:"Export at most this many pages."`
	Sample   int        `placeholder:"N" help:"Export a sample of this many pages."`
	Text     exportText `placeholder:"main" help:"Include the text of pages: main, all or none."`
	Fields   []string   `placeholder:"NAME" help:"Fields of a list, in this order."`
	Shard    shardSize  `placeholder:"SIZE" help:"Begin a new file after this much data (e.g. 100MB)."`
	Graph    string     `placeholder:"OF" help:"Nodes of a graph: hosts, pages or sites."`
	Format   string     `placeholder:"SUFFIX" help:"Format, if the file name has no suffix; jsonl for stdout."`
	Force    bool       `help:"Overwrite an existing file."`
}

// An exportText is the value of --text: main if the flag has none. A value may follow
// after a space, since the three values are no names that files have.
type exportText string

// Decode implements kong.MapperValue for a flag whose value is optional.
func (t *exportText) Decode(ctx *kong.DecodeContext) error {
	*t = "main"
	next := ctx.Scan.Peek()
	switch {
	case slices.Contains([]string{"main", "all", "none"}, next.String()):
		*t = exportText(ctx.Scan.Pop().String())
	case next.Type == kong.FlagValueToken, next.IsValue() && !namesFile(next.String()):
		return fmt.Errorf("got %q, want main, all or none", next.String())
	}
	return nil
}

// namesFile reports whether an argument can be the collection or the file of an export: it is there, or it
// has a suffix or a folder.
func namesFile(arg string) bool {
	if _, err := os.Lstat(arg); err == nil {
		return true
	}
	return arg == "-" || strings.ContainsAny(arg, `./\`)
}

// IsBool lets the parser accept the flag without a value.
func (exportText) IsBool() bool { return true }

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
  dowse export reefs.dowse reefs.jsonl.zst --text main --all
  dowse export reefs.dowse reefs.parquet --where 'lang(en)' --shard 100MB
  dowse export reefs.dowse notes.md --min-score 0.8
  dowse export reefs.dowse hosts.gexf
  dowse export reefs.dowse new.csv --since 7d --fields url,title,relevance
  dowse export reefs.dowse changed.jsonl --changed-since 7d --text
  dowse export reefs.dowse - | jq -r .url

Formats:
` + formats.String() + `  * also compressed: .gz, .zst

Without --on and --all: the pages on topic; for .wacz the whole collection, with
the pages on topic first; for graphs what was fetched. A list of pages comes with a
data card (FILE.card.md, FILE.card.json). With --shard, an export that was
interrupted continues after its last complete file when the command is repeated;
an export to one file begins again.

Defaults: --text main for .md and .parquet, for other lists all if --fields names
text, otherwise none; --distinct near if there are texts; --respect noarchive for
texts and archives (--respect none: all).
--where takes an expression, 'page.words > 200', or {lang: en}, as in topics.

Fields:
` + indented(strings.Join(collection.ExportFields(), " "))
}

// A shardSize is the value of --shard, written as sizes of settings are: 100MB, 1GiB.
type shardSize int64

// UnmarshalText reads a size as the table of settings does.
func (s *shardSize) UnmarshalText(text []byte) error {
	f, _ := settings.ByFlag("bytes") // a setting of this kind
	n, err := f.Read(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a size; write 100MB or 1GiB", text)
	}
	if *s = shardSize(n.(int64)); *s <= 0 {
		return fmt.Errorf("got %q, want a size above 0", text)
	}
	return nil
}

// A condition is the value of --where. An empty one is a mistake, as of a script whose variable is not set: it would
// export everything.
type condition string

// UnmarshalText accepts a condition that is not empty.
func (c *condition) UnmarshalText(text []byte) error {
	if *c = condition(text); strings.TrimSpace(string(*c)) == "" {
		return errors.New("the condition is empty; leave the flag out to export all")
	}
	return nil
}

// exportGarbage is how much garbage an export may hold, in percent of what it needs: half of the usual, since texts of
// pages are garbage a moment after they were written.
const exportGarbage = 50

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
	bar := &progress{w: w}
	opt := c.options(w)
	opt.Progress = func(done, total int) { bar.show("pages", int64(done), int64(total)) }
	defer debug.SetGCPercent(debug.SetGCPercent(exportGarbage))
	n, err := cr.Collection.Export(w.ctx, c.Out, opt)
	bar.clear()
	if errors.Is(err, context.Canceled) && c.Shard > 0 {
		return &exitError{exitInterrupted, errors.New("interrupted; files that are complete stay, and the same command continues after them")}
	}
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
		dir, some(u.Count(), "part"), shellWord(dir))}
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
			return usage("%s", unknown("field", f, known))
		}
	}
	if c.Out == "-" && w.outTTY && (c.Format == "wacz" || c.Format == "parquet" || strings.HasSuffix(c.Format, "gz") || strings.HasSuffix(c.Format, "zst")) {
		return usage("%s: cannot be printed on a terminal; give a file or a pipe", c.Format)
	}
	return nil
}

// options returns the options of the export that the flags describe.
func (c *exportCmd) options(w *world) collection.ExportOptions {
	return collection.ExportOptions{
		Format: c.Format, On: c.On, All: c.All, Since: c.Since.Time, Changed: c.Changed.Time, Fields: c.Fields, Text: string(c.Text), Force: c.Force,
		Where: string(c.Where), MinScore: c.MinScore, Distinct: c.Distinct, Respect: c.Respect, Limit: c.Limit, Sample: c.Sample, Shard: int64(c.Shard), Graph: c.Graph,
		Stdout: w.out, Software: "dowse/" + crawler.Version,
	}
}

// siteExport and graphExport match the names of exports whose records are sites, or nodes
// of a graph, for the last line of the command.
var (
	siteExport  = regexp.MustCompile(`(sites\.(jsonl|csv)|svg)(\.gz|\.zst)?( |$)`)
	graphExport = regexp.MustCompile(`(gexf|graphml|dot|edges\.csv)(\.gz|\.zst)?( |$)`)
)

// done returns the last line: how much was written, and where.
func (c *exportCmd) done(n int) string {
	what := some(n, "page")
	switch name := c.Out + " " + c.Format; {
	case strings.Contains(name, "decisions.jsonl"):
		what = some(n, "decision")
	case siteExport.MatchString(name):
		what = some(n, "site")
	case graphExport.MatchString(name):
		what = some(n, "node")
	}
	st, err := os.Stat(c.Out)
	switch {
	case c.Out != "-" && c.Shard > 0:
		return fmt.Sprintf("%s: %s, in several files", c.Out, what)
	case c.Out == "-" || err != nil:
		return what
	case st.IsDir():
		return fmt.Sprintf("%s: %s", c.Out, what)
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
	case crawler.DiskFull(err):
		return &exitError{exitInterrupted, err}
	case errors.Is(err, collection.ErrNoSites), errors.Is(err, collection.ErrExists), errors.Is(err, collection.ErrInside), errors.Is(err, collection.ErrSuffix), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return usage("%w", err)
	}
	return err
}
