package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/internal/operations"
)

// whyCmd explains what became of a URL and why. It answers for every URL that the crawl
// ever saw, also for those that were never fetched, since every decision of a crawl is in
// its journal with its reasons. Nothing is fetched or judged for it, and a running crawl
// is not disturbed.
//
// The screen is written by [account.show]; --path and --links print one part of it as a
// list, and --json everything.
type whyCmd struct {
	What  []string `arg:"" name:"dir|url" help:"Collection, if there is not exactly one here, and the URL."`
	Links bool     `help:"Show what became of each link on the page."`
	Path  bool     `help:"Show the pages from a seed to it, one per line."`
	JSON  bool     `help:"Print JSON."`
}

func (whyCmd) Help() string {
	return `Examples:
  dowse why reefs.dowse https://example.org/reefs
  dowse why example.org/reefs                in the only collection here
  dowse why reefs.dowse example.org/ --links
  dowse why reefs.dowse example.org/ --json | jq .judged.because
  dowse why sites.dowse example.org          a site, of a crawl for sites

Answers for every URL that the crawl ever saw, fetched or not: the verdict with
what each sign contributed and what would change it, why the link was chosen,
how it was found, how politely it was fetched; for others why they were
skipped. The scheme may be left out, and any spelling of the URL will do. In a crawl
for sites a host without a slash is a site: how it was chosen, judged and left.`
}

// An account is an explanation as why prints it, see [operations.Account], with what the
// screen needs. It is the schema reason/v1.
type account struct {
	*operations.Account
	dir   string
	demo  bool
	asked string // the URL as it was typed
}

// Run explains a page or, in a crawl for sites, a site. A host without a slash means a
// site there, example.org, and the page of its root with one, example.org/.
func (c *whyCmd) Run(w *world) error {
	dir, raw, err := c.arguments()
	if err != nil {
		return err
	}
	cr, err := w.view(dir)
	if err != nil {
		return err
	}
	defer cr.Close()
	if name, ok := cr.Collection.SiteName(raw); ok && !strings.Contains(raw, "/") {
		return c.story(w, cr.Collection, name)
	}
	a, err := c.account(cr.Collection, raw)
	if err != nil {
		return err
	}
	a.dir, a.asked = dir, raw
	a.Spell(cr.Collection, cr.Topic, !c.JSON)
	return c.print(w.out, cr.Collection, a)
}

// story explains a site of a crawl for sites.
func (c *whyCmd) story(w *world, col *collection.Collection, name string) error {
	if c.Links || c.Path {
		return usage("--links and --path are for pages; dowse why DIR URL, with the slash behind the host")
	}
	s, err := col.SiteWhy(name)
	if err != nil {
		return err
	}
	if c.JSON {
		return jsonLine(w.out, s)
	}
	printStory(w.out, s)
	return nil
}

// arguments returns the collection and the URL. The collection may be left out if there
// is exactly one in this directory, which is the usual case for a person who crawls one
// topic. A collection alone lacks the URL, and the error says how to find one.
func (c *whyCmd) arguments() (dir, raw string, err error) {
	switch {
	case len(c.What) == 2:
		return c.What[0], c.What[1], nil
	case len(c.What) > 2:
		return "", "", usage("one URL at a time; see dowse why --help")
	case collection.IsCollection(c.What[0]):
		return "", "", usage("the URL is missing: dowse why %s URL; dowse pages %s lists them", shellWord(c.What[0]), shellWord(c.What[0]))
	}
	dir, err = onlyCollection()
	return dir, c.What[0], err
}

// account collects the explanation of a URL, and its links only with --links.
func (c *whyCmd) account(col *collection.Collection, raw string) (*account, error) {
	u, err := knownURL(col, raw)
	if err != nil {
		return nil, err
	}
	x, err := operations.AccountOf(col, u, c.Links)
	if err != nil {
		return nil, err
	}
	return &account{Account: x, demo: col.Settings.Demo != nil}, nil
}

// print prints the explanation as JSON, as a path, as links or as a screen.
func (c *whyCmd) print(out io.Writer, col *collection.Collection, a *account) error {
	switch {
	case c.JSON:
		return jsonLine(out, a)
	case c.Path:
		return printPath(out, col, a.Explanation.Path)
	case c.Links:
		printLinks(out, a)
		return nil
	}
	s := sheetFor(out)
	a.show(s)
	s.print(out)
	return nil
}

// printPath prints the pages from a seed to the URL, with the verdict on each, as lines
// of number, verdict and URL. It shows where a crawl left the topic.
func printPath(out io.Writer, col *collection.Collection, path []dowse.URL) error {
	for i, u := range path {
		worth := "-" // a robots.txt that names a sitemap has no row
		if row, err := col.Row(u); err == nil {
			worth = worthOf(row)
		} else if !errors.Is(err, collection.ErrUnknown) {
			return err
		}
		fmt.Fprintf(out, "%3d  %-12s %s\n", i, worth, clipMiddle(oneLine(string(u)), columnsOf(out)-18, columnsOf(out)))
	}
	return nil
}

// worthOf returns in a word or two what became of a URL.
func worthOf(row *collection.Row) string {
	if row.Judged {
		return fmt.Sprintf("%.2f %s", row.Relevance(), row.Verdict())
	}
	if row.Reason != "" {
		return string(row.Reason)
	}
	return row.State.String()
}

// printLinks prints each link of the page with its priority and what became of it.
func printLinks(out io.Writer, a *account) {
	if len(a.All) == 0 {
		fmt.Fprintln(out, "no links: it was not fetched, or has none")
	}
	for _, l := range a.All {
		fate := l.Fate
		if l.Reason != "" {
			fate = string(l.Reason)
		}
		n := columnsOf(out)
		line := fmt.Sprintf("%.3f %-12s %-42s %s", l.Priority, clip(fate, 12, n), clipMiddle(oneLine(string(l.URL)), max(42, n/2), n), oneLine(l.Anchor))
		fmt.Fprintln(out, clip(line, n, n))
	}
}
