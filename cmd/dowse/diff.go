package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/internal/worddiff"
)

// diffCmd shows which words were added to a page and removed from it between two of its versions. The
// texts are those of the archive, extracted by today's program.
type diffCmd struct {
	Dir  string `arg:"" help:"Collection."`
	URL  string `arg:"" help:"Page; any spelling of the URL will do."`
	From *int   `placeholder:"N" help:"Version to begin with, 1 the first."`
	To   *int   `placeholder:"N" help:"Version to end with."`
	JSON bool   `help:"Print JSON."`
}

func (diffCmd) Help() string {
	return `Examples:
  dowse diff reefs.dowse example.org/reefs
  dowse diff reefs.dowse example.org/reefs --from 1
  dowse diff reefs.dowse example.org/reefs --json | jq '.added, .removed'

Compares the last two versions of a page, word by word; words removed begin with
a minus, words added with a plus. dowse why DIR URL lists the versions.`
}

// A wordDiff is the JSON object of a comparison.
type wordDiff struct {
	URL      dowse.URL `json:"url"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Versions int       `json:"versions"`
	Added    []string  `json:"added"`   // runs of words
	Removed  []string  `json:"removed"` // runs of words
}

// Run compares two versions and prints the difference.
func (c *diffCmd) Run(w *world) error {
	cr, err := w.view(c.Dir)
	if err != nil {
		return err
	}
	defer cr.Close()
	col := cr.Collection
	u, err := knownURL(col, c.URL)
	if err != nil {
		return err
	}
	list, err := col.Versions(u)
	if err != nil {
		return err
	}
	from, to, err := c.chosen(list)
	if err != nil {
		return err
	}
	old, err := versionText(col, from)
	if err != nil {
		return err
	}
	new, err := versionText(col, to)
	if err != nil {
		return err
	}
	return c.print(w.out, &wordDiff{URL: u, From: from.At, To: to.At, Versions: len(list)}, worddiff.Of(old, new))
}

// chosen returns the versions to compare: the last two unless flags name others.
func (c *diffCmd) chosen(list []collection.Version) (from, to collection.Version, err error) {
	n := len(list)
	if n < 2 {
		return from, to, usage("%s has %s; a comparison needs two. dowse crawl %s --refresh 7d asks for pages again", c.URL, some(n, "version"), shellWord(c.Dir))
	}
	end := orNumber(c.To, n)
	begin := orNumber(c.From, max(end-1, 1))
	if begin < 1 || end > n || begin >= end {
		return from, to, usage("versions %d and %d of %s: want two of 1 to %d, the earlier first", begin, end, c.URL, n)
	}
	return list[begin-1], list[end-1], nil
}

// orNumber returns a number, or another one if it was not given.
func orNumber(n *int, other int) int {
	if n == nil {
		return other
	}
	return *n
}

// versionText returns the text of a version. A page that was taken down, or whose archive is not there, is an error
// that the user can understand.
func versionText(col *collection.Collection, v collection.Version) (string, error) {
	text, err := col.VersionText(v)
	if errors.Is(err, collection.ErrNotKept) || errors.Is(err, collection.ErrErased) {
		return "", usage("the version of %s is not in the archive", v.At.Local().Format("2006-01-02 15:04:05"))
	}
	return text, err
}

// contextWords is how many words are printed before and after a change.
const contextWords = 6

// print prints the difference: as JSON, or as lines of words with a few that did not change around
// them.
func (c *diffCmd) print(out io.Writer, d *wordDiff, runs []worddiff.Run) error {
	added, removed := 0, 0
	d.Added, d.Removed = []string{}, []string{}
	for _, r := range runs {
		switch r.Op {
		case worddiff.Added:
			added += len(r.Words)
			d.Added = append(d.Added, strings.Join(r.Words, " "))
		case worddiff.Removed:
			removed += len(r.Words)
			d.Removed = append(d.Removed, strings.Join(r.Words, " "))
		}
	}
	if c.JSON {
		return jsonLine(out, d)
	}
	fmt.Fprintf(out, "%s\n%s to %s: %s added, %s removed\n\n", oneLine(string(d.URL)),
		d.From.Local().Format("2006-01-02 15:04:05"), d.To.Local().Format("2006-01-02 15:04:05"), some(added, "word"), some(removed, "word"))
	for i, r := range runs {
		for _, line := range runLines(r, i == 0, i == len(runs)-1) {
			if _, err := fmt.Fprintln(out, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// runLines returns the lines of a run: words that did not change are shown where they border on words that
// did.
func runLines(r worddiff.Run, first, last bool) []string {
	words := r.Words
	if r.Op == worddiff.Same && len(words) > 2*contextWords {
		head, tail := words[:contextWords], words[len(words)-contextWords:]
		switch {
		case first && last:
			return nil
		case first:
			words = append([]string{"…"}, tail...)
		case last:
			words = append(head[:len(head):len(head)], "…")
		default:
			words = append(append(head[:len(head):len(head)], "…"), tail...)
		}
	}
	mark := map[worddiff.Op]string{worddiff.Same: "  ", worddiff.Removed: "- ", worddiff.Added: "+ "}[r.Op]
	lines := wrap(oneLine(strings.Join(words, " ")), 76)
	for i := range lines {
		lines[i] = mark + lines[i]
	}
	return lines
}
