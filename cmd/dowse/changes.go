package main

import (
	"bufio"
	"fmt"

	"dowse/collection"
)

// changesCmd prints the change feed of a collection: what was found new, changed, gone or moved, in the
// order in which it was found. It reads the journal from its beginning, since only what came before
// shows whether a visit was the first.
type changesCmd struct {
	Dir   string `arg:"" help:"Collection."`
	Since moment `placeholder:"WHEN" help:"Print only changes found since (e.g. 2h, 7d, 2026-11-15)."`
	All   bool   `help:"Print changes of pages off topic, too."`
	JSON  bool   `help:"Print JSON, one line per change."`
}

func (changesCmd) Help() string {
	return `Examples:
  dowse changes reefs.dowse --since 7d
  dowse changes reefs.dowse --since 24h --json | jq -r .url
  dowse crawl reefs.dowse --refresh 7d     find out what has changed

Prints when a page was found new, changed, gone (404 or 410 three times in a
row) or moved (redirected for good), oldest first. Pages are asked again only
by crawls with --refresh. See dowse diff for what has changed on a page.`
}

// Run prints the events as they are read.
func (c *changesCmd) Run(w *world) error {
	cr, err := w.view(c.Dir)
	if err != nil {
		return err
	}
	defer cr.Close()
	out := bufio.NewWriter(w.out)
	n := 0
	for x, err := range cr.Collection.Changes(c.Since.Time, c.All) {
		if err != nil {
			return err
		}
		if w.ctx.Err() != nil {
			return &exitError{code: exitInterrupted, err: out.Flush()}
		}
		n++
		if err := c.print(out, x); err != nil {
			return err
		}
	}
	if w.isTTY || n == 0 {
		defer fmt.Fprintln(w.err, some(n, "change"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return passedOver(w, c.Dir, &cr.Collection.Unread)
}

// print prints one event: as JSON, or as a line of time, kind, URL and title.
func (c *changesCmd) print(out *bufio.Writer, x *collection.Change) error {
	if c.JSON {
		return jsonLine(out, x)
	}
	about := oneLine(x.Title)
	if x.To != "" {
		about = "to " + oneLine(string(x.To))
	}
	_, err := fmt.Fprintf(out, "%s  %-7s  %s  %s\n", x.At.Local().Format("2006-01-02 15:04"), x.What, oneLine(string(x.URL)), about)
	return err
}
