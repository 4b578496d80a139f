package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/operations"
	"dowse/internal/plain"
	"dowse/internal/search"
)

// searchCmd finds pages of one or several collections by their words.
type searchCmd struct {
	What     []string `arg:"" optional:"" name:"dir|query" help:"Collections, then the query."`
	All      bool     `help:"Search all pages, not only those on topic."`
	Similar  string   `placeholder:"URL" help:"Find pages similar to this one."`
	Top      int      `short:"n" default:"10" least:"1" placeholder:"N" help:"Print at most N."`
	Skip     int      `placeholder:"N" help:"Leave out the first N."`
	Facets   bool     `help:"Count pages by verdict, host, language and year."`
	NoUpdate bool     `help:"Search the index as it is, without new pages."`
	JSON     bool     `help:"Print JSON."`
}

func (searchCmd) Help() string {
	return `Examples:
  dowse search reefs.dowse coral bleaching
  dowse search reefs.dowse '"thermal stress" acropora -aquarium'
  dowse search reefs.dowse 'title:recovery host:example.org date:>=2024'
  dowse search reefs.dowse kelp.dowse 'sea urchins lang:en score:0.8'
  dowse search reefs.dowse --similar https://example.org/reefs
  dowse search reefs.dowse bleaching --json | jq -r '.hits[].page.url'

Finds pages that have all words, best first; if no page has them all, those with
some. Words match in all their forms. Near-duplicates are folded into one hit.

Queries:
  "two words"          a phrase
  -word -"two words"   must not occur; dowse search DIR -- -word coral
  title:word           in the title
  host:example.org     on this host or below; -host: to exclude
  lang:en,fr           in one of these languages
  date:2024            published then, or fetched; also >=2024-05, 2023..2024
  score:0.8            relevance at least; also <0.5, 0.3..0.7
  verdict:off          on, off, or unsure (near the threshold, on either side)

The index is in the folder search of the collection. It is made by the first
search, kept up to date by every search and by running crawls (dowse crawl --index
none: not by this one), and can be deleted.`
}

// Run searches. Collections are named first; whatever follows is the query. The index is brought
// up to date before, so that an answer has everything that the collections have; with --no-update
// a note reports what is missing.
func (c *searchCmd) Run(w *world) error {
	dirs, query, err := c.split(w.behind)
	if err != nil {
		return err
	}
	if query == "" && c.Similar == "" {
		return usage("nothing to search for: give words after the collection, or --similar URL")
	}
	switch {
	case c.Top < 1:
		return usage("--top: got %d, want at least 1; see dowse search --help", c.Top)
	case c.Skip < 0:
		return usage("--skip: got %d, want 0 or more; see dowse search --help", c.Skip)
	}
	cols, closeAll, err := w.viewAll(dirs)
	if err != nil {
		return err
	}
	defer closeAll()
	r := search.Request{Query: query, All: c.All, Limit: c.Top, Offset: c.Skip, Facets: c.Facets || c.JSON}
	if c.Similar != "" {
		if r.Similar, err = similarTo(cols, c.Similar); err != nil {
			return err
		}
	}
	key := searchKey(w.env)
	s, err := search.Open(w.ctx, cols, search.Options{Key: key, Progress: w.indexing()}, !c.NoUpdate)
	if err != nil {
		return searchError(err)
	}
	defer s.Close()
	for _, dir := range s.Temporary {
		fmt.Fprintf(w.err, "note: the index of %s could not be kept, so it was made for this search alone; %s\n", oneLine(dir), keepsIndex(w.env, key))
	}
	result, err := s.Search(w.ctx, r)
	if err != nil {
		return searchError(err)
	}
	return c.print(w, query, result)
}

// split separates the collections from the query. A first argument that looks like a directory must be a
// collection: a misspelt one must not become a word. Without any the collection in this directory
// is taken, if there is exactly one. behind are the arguments behind a --: they are words of the query, also if
// one of them is the name of a collection.
func (c *searchCmd) split(behind []string) (dirs []string, query string, err error) {
	rest := c.What
	for ; len(rest) > 0 && collection.IsCollection(rest[0]); rest = rest[1:] {
		if !slices.ContainsFunc(dirs, func(dir string) bool { return sameDir(dir, rest[0]) }) {
			dirs = append(dirs, rest[0])
		}
	}
	if len(rest) > 0 && looksLikeDir(rest[0]) {
		return nil, "", usage("%s is not a collection", rest[0])
	}
	if len(dirs) == 0 {
		dir, err := onlyCollection()
		if err != nil {
			return nil, "", err
		}
		dirs = []string{dir}
	}
	return dirs, strings.Join(slices.Concat(rest, behind), " "), nil
}

// sameDir reports whether two names are those of one directory, through links, too.
func sameDir(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// looksLikeDir reports whether an argument was meant as a directory.
func looksLikeDir(arg string) bool {
	if strings.HasSuffix(strings.TrimRight(arg, "/"), ".dowse") {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && info.IsDir() && strings.ContainsRune(arg, os.PathSeparator)
}

// viewAll opens collections for reading. The returned function closes them.
func (w *world) viewAll(dirs []string) (cols []*collection.Collection, closeAll func(), err error) {
	var open []*crawler.Crawler
	closeAll = func() {
		for _, cr := range open {
			cr.Close()
		}
	}
	for _, dir := range dirs {
		cr, err := w.view(dir)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		open, cols = append(open, cr), append(cols, cr.Collection)
	}
	return cols, closeAll, nil
}

// similarTo returns the URL that a user means, in the first collection that knows it.
func similarTo(cols []*collection.Collection, raw string) (u dowse.URL, err error) {
	for _, col := range cols {
		if u, err = knownURL(col, raw); err == nil {
			return u, nil
		}
	}
	return "", err
}

// searchError separates errors that the user can correct from others.
func searchError(err error) error {
	switch {
	case errors.Is(err, search.ErrQuery), errors.Is(err, collection.ErrNotKept), errors.Is(err, collection.ErrErased):
		return usage("%w", err)
	case errors.Is(err, context.Canceled):
		return &exitError{exitInterrupted, errors.New("interrupted; the same command continues")}
	case errors.Is(err, search.ErrBusy):
		return &exitError{exitCollection, err}
	}
	return inCollection(err)
}

// indexing returns the function that shows how far the index is: on a terminal one line that is
// replaced, elsewhere one line if it takes long.
func (w *world) indexing() func(done, all int) {
	said := false
	return func(done, all int) {
		switch {
		case w.isTTY && done > 0:
			fmt.Fprintf(w.err, "\rindexing %s of %s pages\x1b[K", count(done), count(max(done, all)))
			if done >= all {
				fmt.Fprint(w.err, "\r\x1b[K")
			}
		case !said && !w.isTTY && all > 2*done:
			said = true
			fmt.Fprintf(w.err, "indexing %s\n", some(all, "page"))
		}
	}
}

// keepsIndex returns what helps where an index could not be kept.
func keepsIndex(env func(string) string, key []byte) string {
	switch config := userConfig(env); {
	case key != nil:
		return "make the directory writable, or search a copy"
	case config == "":
		return "set HOME or XDG_CONFIG_HOME: the secret by which it is recognised is kept there"
	default:
		return oneLine("make " + filepath.Dir(config) + " writable: the secret by which it is recognised is kept there")
	}
}

// print prints an answer: pages on stdout, how many there are and what is missing on stderr.
func (c *searchCmd) print(w *world, query string, r *search.Result) error {
	if c.JSON {
		return jsonLine(w.out, operations.Found{Schema: operations.SearchSchema, Query: query, Result: r, Notes: r.Unclear})
	}
	out := bufio.NewWriter(w.out)
	for i := range r.Hits {
		if i > 0 {
			fmt.Fprintln(out)
		}
		printHit(out, w, &r.Hits[i])
	}
	if c.Facets {
		printFacets(out, r.Facets)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	c.printTotals(w, r)
	return nil
}

// printHit prints a page in three lines: verdict and title, URL, excerpt.
//
//	0.96 on     Mass [bleaching] 2024
//	            https://reefwatch.example/2024
//	            … under thermal stress, [bleaching] of Acropora …
func printHit(out io.Writer, w *world, h *search.Hit) {
	const indent = "            "
	colours := colouredOf(w.out)
	wide := orColumns(columnsOf(w.out)) - len(indent)
	title := marked(h.Title, colours)
	if len(h.Title) == 0 {
		title = "(no title)"
	}
	line := fmt.Sprintf("%.2f %-6s ", h.Page.Relevance(), h.Page.Verdict())
	fmt.Fprintln(out, tint(line, colours)+title)
	url := oneLine(string(h.Page.URL))
	if columnsOf(w.out) > 0 {
		url = fitMiddle(url, wide)
	}
	fmt.Fprintln(out, indent+url)
	if len(h.Snippet) > 0 {
		for _, l := range wrap(marked(h.Snippet, colours), wide) {
			fmt.Fprintln(out, indent+l)
		}
	}
	if n := len(h.Same); n > 0 {
		fmt.Fprintf(out, "%s(%s nearly the same)\n", indent, some(n, "more page"))
	}
}

// orColumns returns the columns of a terminal, 80 if there is none.
func orColumns(n int) int {
	if n == 0 {
		return columns80
	}
	return n
}

// The marks of words on a terminal with colours.
const (
	bold   = "\x1b[1m"
	noBold = "\x1b[22m"
)

// marked returns pieces as one line: the words of the query bold, or in brackets where there are no
// colours. The pieces are escaped first, so that a page can't write control characters.
func marked(pieces []search.Piece, colours bool) string {
	var b strings.Builder
	for _, p := range pieces {
		text := oneLine(p.Text)
		switch {
		case !p.Mark:
			b.WriteString(text)
		case colours:
			// Spaces end a mark, since a line may be broken there.
			b.WriteString(bold + strings.ReplaceAll(text, " ", noBold+" "+bold) + noBold)
		default:
			b.WriteString("[" + text + "]")
		}
	}
	return b.String()
}

// printFacets prints the counts of pages.
func printFacets(out io.Writer, list []search.Facet) {
	for _, f := range list {
		fmt.Fprintf(out, "\n%s\n", f.Name)
		for _, n := range f.Counts {
			fmt.Fprintf(out, "  %8s  %s\n", count(n.Pages), oneLine(orDefault(n.Value, "unknown")))
		}
	}
}

// printTotals prints how many pages match and what the answer lacks.
func (c *searchCmd) printTotals(w *world, r *search.Result) {
	if r.Some {
		fmt.Fprintln(w.err, "no page has all words; these have some of them")
	}
	line := some(r.Total, "page")
	if r.AtLeast {
		line = "at least " + line
	}
	if r.Total == 0 && !c.All {
		line += " on topic; --all searches all pages"
	}
	fmt.Fprintln(w.err, line)
	for _, note := range r.Unclear {
		fmt.Fprintf(w.err, "note: %s\n", oneLine(note))
	}
	if r.Lag.Pages > 0 {
		fmt.Fprintf(w.err, "note: the index lacks %s, fetched since %s\n", some(r.Lag.Pages, "page"), r.Lag.Since.Local().Format("2006-01-02 15:04:05"))
	}
	if r.Unread > 0 {
		fmt.Fprintf(w.err, "note: %s can't be read, because records of the archive are damaged; see dowse collection verify\n", some(r.Unread, "page"))
	}
}

// leastForIndex is how much memory, in bytes, the Go runtime must have for an index next to a crawl. It has it with
// --memory 250MB.
const leastForIndex = 187_000_000

// followIndex keeps the index of a collection up to date while it is crawled, unless its settings say
// none, or there is so little memory that a round would take what the crawl needs. The returned function ends that and waits for it. A problem of the index is a note and no more: the
// next search makes the index again.
func (w *world) followIndex(dir string, cr *crawler.Crawler) (stop func()) {
	if cr.Collection.Settings.Index == "none" || debug.SetMemoryLimit(-1) < leastForIndex {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.ctx))
	done := make(chan error, 1)
	go func() { done <- search.Follow(ctx, dir, func() []byte { return searchKey(w.env) }) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			fmt.Fprintf(w.err, "note: the search index was not kept up to date: %s\n", oneLine(plain.Error(err)))
		}
	}
}
