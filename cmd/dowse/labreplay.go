package main

import (
	"fmt"
	"strings"

	"dowse/crawler"
	"dowse/lab/experiment"
	"dowse/strategy"
)

// labReplayCmd estimates how other strategies would have done on a collection of the
// user. It replays what the crawl recorded, so it can only follow links whose targets
// were visited; the column recorded states how many of the wanted pages these were. A
// strategy that goes where the crawl went looks better than it is, which is why the
// column is printed first.
type labReplayCmd struct {
	Dir      string `arg:"" name:"collection" help:"Collection of a crawl."`
	Strategy string `short:"s" required:"" placeholder:"NAME,…" help:"Strategies to try."`
	TGraph   string `name:"tgraph" placeholder:"FILE" help:"Use another T-Graph than the collection's."`
	Trace    string `placeholder:"FILE" help:"Use another access log than the collection's."`
	Site     string `name:"trace-site" placeholder:"URL" help:"Site of a log whose lines have paths without a host."`
	Train    string `placeholder:"FILE" help:"Use other training links than the collection's."`
	Classes  string `placeholder:"FILE" help:"Use another classification than the collection's."`
	Pages    int    `short:"n" placeholder:"N" help:"Visits to make (default: the pages of the collection)."`
	JSON     bool   `help:"Print JSON."`
	labFlags
}

func (labReplayCmd) Help() string {
	return `Examples:
  dowse lab replay reefs.dowse --strategy otie,shark
  dowse lab replay reefs.dowse -s collaborative --trace access.log
  dowse tgraph build --from earlier.dowse -o reefs.tgraph.json
  dowse lab replay reefs.dowse -s treasure --tgraph reefs.tgraph.json

Simulates other strategies on what the crawl recorded, from its seeds and with its
judge. What they wanted and the crawl never visited is not known; the first row is
the collection's own strategy; the share in "recorded" shows how reliable it is.
What the collection keeps for its own strategy (T-Graph, trace) others get too.`
}

// missing returns how to give the first strategy that lacks an input what it needs, ""
// if none does.
func (c *labReplayCmd) missing(files crawler.Config) string {
	for _, spec := range strategy.Split(c.Strategy) {
		name, _, _ := strings.Cut(spec, ":")
		if hint := missingInput(strategy.All(), name, files); hint != "" {
			return hint
		}
	}
	return ""
}

// Run replays the collection with its own strategy and with each of the named ones. The
// column "recorded" is the share of wanted pages that the crawl had visited; a low share
// makes the harvest rate unreliable.
func (c *labReplayCmd) Run(w *world) error {
	cache, err := c.cache()
	if err != nil {
		return err
	}
	files := crawler.Config{TGraph: c.TGraph, Trace: c.Trace, TraceSite: c.Site, Links: c.Train, Classes: c.Classes}
	if c.Trace != "" {
		if files.Salt, err = userSalt(w.env); err != nil {
			return err
		}
	}
	bar := newLabBar(w, c.JSON)
	list, err := experiment.Replay{
		Strategies: strategy.Split(c.Strategy), Visits: c.Pages,
		Files: files,
	}.Run(w.ctx, c.Dir, experiment.Options{Cache: cache, Progress: bar.show})
	bar.end()
	if err != nil {
		return usage("%w%s", err, c.missing(files))
	}
	if c.JSON {
		for _, r := range list {
			if err := jsonLine(w.out, r); err != nil {
				return err
			}
		}
		return nil
	}
	fmt.Fprintf(w.out, " %-24s %7s %9s %9s %8s\n", "strategy", "visits", "recorded", "on topic", "harvest")
	for _, r := range list {
		fmt.Fprintf(w.out, " %-24s %7s %9s %9s %8.3f\n", oneLine(r.Strategy), count(r.Wanted), percent(r.Recorded, r.Wanted), count(r.OnTopic), float64(r.OnTopic)/float64(max(r.Pages, 1)))
	}
	for _, r := range list[1:] {
		fmt.Fprintf(w.out, "%s: %s of the links it wanted were recorded\n", oneLine(r.Strategy), percent(r.Recorded, r.Wanted))
	}
	return nil
}
