package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/internal/durable"
	"dowse/internal/plain"
	"dowse/internal/tgraph"
	"dowse/weburl"
)

// tgraphCmd groups the commands on T-Graphs. A T-Graph holds the link paths to known
// pages: the links that lead to them, the links that lead to the pages with these links,
// and so on, by levels, each with its anchor and the headings above it.
//
//	1 click away: 44 links on 30 pages
//	  n10   "here" on http://oldpages.demo/links
//	        to http://oldpages.demo/reports/dog-whelks, under Links > Related pages
//
// The strategies treasure and context-graph compare links of a crawl with those of the
// T-Graph, and so recognise a link that leads to the topic in two or three steps.
type tgraphCmd struct {
	Build tgraphBuildCmd `cmd:"" help:"Build a T-Graph from target pages and back-links."`
	Show  tgraphShowCmd  `cmd:"" help:"Print a T-Graph by levels, or draw it."`
}

func (tgraphCmd) Help() string {
	return `Examples:
  dowse tgraph build --from reefs.dowse -o reefs.tgraph.json
  dowse tgraph show reefs.tgraph.json --svg reefs.svg
  dowse crawl reefs.topic.yaml --strategy treasure --tgraph reefs.tgraph.json

A T-Graph holds the link paths to known pages: which links lead there in one click,
in two, in three. The strategies treasure and context-graph rank links by it.`
}

// tgraphBuildCmd builds a T-Graph from target pages and the pages that link to them.
type tgraphBuildCmd struct {
	Targets []string `sep:"none" placeholder:"URL|FILE" help:"Target page, or a file with one URL per line; repeatable."`
	From    []string `required:"" sep:"none" placeholder:"DIR|FILE" help:"Back-links: collection, WARC, WACZ or .tsv; repeatable."`
	Down    []string `name:"top-down" sep:"none" placeholder:"URL|FILE" help:"Build top-down: follow links from these pages; repeatable."`
	Walk    int      `default:"1200" placeholder:"N" help:"Pages that --top-down reads, at most."`
	Out     string   `short:"o" default:"tgraph.json" placeholder:"FILE" help:"File to write."`
	// How large the T-Graph may become. Without bounds popular pages have so many
	// back-links that the first levels would be the whole web.
	Depth    int    `default:"3" help:"Clicks from a target, at most."`
	PerLevel int    `default:"300" placeholder:"N" help:"Links and pages per level, at most."`
	PerPage  int    `default:"20" placeholder:"N" help:"Links per page, at most."`
	Language string `default:"en" placeholder:"TAG" help:"Language of the pages, for stems."`
	Force    bool   `help:"Overwrite an existing file."`
}

func (tgraphBuildCmd) Help() string {
	return `Examples:
  dowse tgraph build --from reefs.dowse -o reefs.tgraph.json
  dowse tgraph build --targets https://example.org/reefs --from site.warc.gz
  dowse tgraph build --targets reefs.txt --from links.tsv
  dowse tgraph build --from reefs.dowse --top-down https://example.org/

Goes from the targets to the pages that link to them, on to those that link to
these, and so on. Without --targets the targets are the ten most relevant pages
of the collection. A .tsv file has one link per line: the linking page and its
target, and if you have them the anchor, the text around it, and the headings
of level 1, 2 and 3 above it, with tabs between; # begins a comment. With
--top-down it follows links from start pages and keeps what leads to targets.`
}

// bestTargets is the number of pages of a collection that serve as targets if none are
// named.
const bestTargets = 10

// Run builds the T-Graph and writes it. An existing file is replaced only with --force.
// Targets are read before the sources, which may take minutes, so that a misspelt target
// fails quickly.
func (c *tgraphBuildCmd) Run(w *world) error {
	if _, err := os.Lstat(c.Out); err == nil && !c.Force {
		return usage("%s: file exists; use --force to overwrite it", c.Out)
	}
	targets, err := urlsOf("--targets", c.Targets)
	if err != nil {
		return err
	}
	roots, err := urlsOf("--top-down", c.Down)
	if err != nil {
		return err
	}
	from, err := openBacklinks(w.ctx, c.From)
	if err != nil {
		return err
	}
	defer from.Close()
	if len(c.Targets) == 0 {
		if targets, err = from.best(bestTargets); err != nil {
			return err
		}
	}
	b := tgraph.Builder{Depth: c.Depth, PerLevel: c.PerLevel, PerPage: c.PerPage, Language: c.Language}
	g, err := c.build(b, targets, roots, from)
	if err != nil {
		return usage("tgraph: %w", err)
	}
	if err := writeTGraph(c.Out, g); err != nil {
		return err
	}
	return c.report(w, g)
}

// build builds the T-Graph backwards from the targets or, with roots, from these down to
// the targets.
func (c *tgraphBuildCmd) build(b tgraph.Builder, targets, roots []dowse.URL, from *backlinks) (*tgraph.Graph, error) {
	if len(roots) == 0 {
		return b.Build(targets, from)
	}
	wanted := map[dowse.URL]bool{}
	for _, u := range targets {
		wanted[u] = true
	}
	return b.BuildDown(tgraph.Walk{
		Roots: roots, Pages: c.Walk, Document: from.Document,
		Target: func(u dowse.URL, _ *dowse.Document) bool { return wanted[u] },
	})
}

// writeTGraph writes a T-Graph into a file.
func writeTGraph(path string, g *tgraph.Graph) error {
	if err := durable.Replace(path, g.Write); err != nil {
		return usage("tgraph: %w", err)
	}
	return nil
}

// report prints what the T-Graph contains. One without a link is of no use, and the exit
// code is then 6.
func (c *tgraphBuildCmd) report(w *world, g *tgraph.Graph) error {
	pages, nodes := g.Levels()
	for _, p := range g.Pages {
		if p.Level == 0 && p.Title == "" && p.Text == "" {
			fmt.Fprintf(w.err, "dowse: %s: its contents are not known\n", oneLine(string(p.URL)))
		}
	}
	if len(pages) == 1 {
		return &exitError{exitNothing, errors.New("no page links to the targets; give other targets, or more to look for back-links in")}
	}
	fmt.Fprintf(w.err, "%s: %s", c.Out, some(pages[0], "target"))
	for level := 1; level < len(pages); level++ {
		fmt.Fprintf(w.err, "; level %d: %s on %s", level, some(nodes[level], "link"), some(pages[level], "page"))
	}
	fmt.Fprintln(w.err)
	return nil
}

// urlsOf reads the URLs of a flag: URLs, and files with one URL per line.
func urlsOf(flag string, list []string) (urls []dowse.URL, err error) {
	for _, s := range list {
		raw := []string{s}
		if f, err := os.Open(s); err == nil {
			raw, err = lines(bufio.NewScanner(plain.Unmarked(f)))
			f.Close()
			if err != nil {
				return nil, usage("%s %s: %w", flag, s, err)
			}
		} else if !strings.Contains(s, "://") {
			return nil, usage("%s: %s is neither a URL nor a file", flag, s)
		}
		for _, s := range raw {
			u, err := weburl.Parse(s)
			if err != nil {
				return nil, usage("%s %q: %w", flag, s, err)
			}
			urls = append(urls, u)
		}
	}
	return urls, nil
}

// tgraphShowCmd prints a T-Graph by levels, or draws it.
type tgraphShowCmd struct {
	File string `arg:"" help:"T-Graph, as dowse tgraph build makes it."`
	SVG  string `name:"svg" placeholder:"OUT" help:"Draw it to a file."`
	Each int    `default:"10" placeholder:"N" help:"Links per level to print; 0 for all."`
}

func (tgraphShowCmd) Help() string {
	return `Examples:
  dowse tgraph show reefs.tgraph.json
  dowse tgraph show reefs.tgraph.json --svg reefs.svg`
}

// Run prints the T-Graph; with --svg it writes a picture instead.
func (c *tgraphShowCmd) Run(w *world) error {
	g, err := readTGraph(c.File)
	if err != nil {
		return err
	}
	if c.SVG != "" {
		if err := durable.WriteFile(c.SVG, g.SVG()); err != nil {
			return usage("tgraph: %w", err)
		}
		return nil
	}
	for _, l := range levelLines(g, c.Each) {
		fmt.Fprintln(w.out, l)
	}
	return nil
}

// readTGraph reads the T-Graph in a file.
func readTGraph(path string) (*tgraph.Graph, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("there is no T-Graph %s; dowse tgraph build makes one", path)
	}
	if err != nil {
		return nil, usage("tgraph: %w", err)
	}
	defer f.Close()
	g, err := tgraph.Read(f)
	if err != nil {
		return nil, usage("%s: %w", path, err)
	}
	return g, nil
}

// levelLines returns a T-Graph as text by levels, with at most each links per level; 0
// means all. Level 0 are the targets themselves, with their headings; level n are links
// from which a target is n clicks away.
func levelLines(g *tgraph.Graph, each int) (list []string) {
	pages, nodes := g.Levels()
	for level := range pages {
		list = append(list, levelName(level, pages[level], nodes[level]))
		shown := 0
		for i := range g.Nodes {
			if n := &g.Nodes[i]; n.Level == level && (each <= 0 || shown < each) {
				list = append(list, nodeLines(n)...)
				shown++
			}
		}
		if more := nodes[level] - shown; more > 0 {
			list = append(list, fmt.Sprintf("  and %s more", count(more)))
		}
	}
	return list
}

// levelName returns the heading of a level.
func levelName(level, pages, nodes int) string {
	if level == 0 {
		return some(pages, "target")
	}
	return fmt.Sprintf("\n%s away: %s on %s", some(level, "click"), some(nodes, "link"), some(pages, "page"))
}

// nodeLines returns a link with its page, target and headings.
func nodeLines(n *tgraph.Node) []string {
	if n.LinksTo == "" {
		return []string{oneLine(fmt.Sprintf("  %-5s %s", n.ID, n.URL)), "        " + oneLine(orDefault(n.Main, "no heading"))}
	}
	list := []string{oneLine(fmt.Sprintf("  %-5s %q on %s", n.ID, n.Anchor, n.URL))}
	under := strings.Join(nonEmpty(n.Main, n.Sub, n.Under), " > ")
	return append(list, "        "+oneLine(strings.Join(nonEmpty("to "+string(n.LinksTo), under), ", under ")))
}

// nonEmpty returns the strings that are not empty.
func nonEmpty(list ...string) (kept []string) {
	for _, s := range list {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// best returns the most relevant pages of the collection, which serve as targets if none
// are named; without a collection or without pages on topic it returns an error that asks
// for --targets.
func (b *backlinks) best(n int) (list []dowse.URL, err error) {
	if b.col == nil {
		return nil, usage("the targets are missing: name them with --targets")
	}
	for row, err := range b.col.Collection.Pages(collection.Filter{On: true, Sort: collection.ByScore, Limit: n}) {
		if err != nil {
			return nil, inCollection(err)
		}
		list = append(list, row.URL)
	}
	if len(list) == 0 {
		return nil, usage("no page of %s is on topic; name the targets with --targets", b.col.Collection.Dir)
	}
	return list, nil
}
