package main

import (
	"fmt"

	"dowse/lab/experiment"
	"dowse/strategy"
)

type labReplayCmd struct {
	Dir      string `arg:"" name:"collection" help:"Collection of a crawl."`
	Strategy string `short:"s" required:"" placeholder:"NAME,…" help:"Strategies to try."`
	Pages    int    `short:"n" placeholder:"N" help:"So many visits; by default as many as the collection has pages."`
	JSON     bool   `help:"As JSON."`
	labFlags
}

func (labReplayCmd) Help() string {
	return `Example:
  dowse lab replay reefs.dowse --strategy otie,shark

Lets other strategies go over what the crawl recorded, from its seeds and with its
judge. What they wanted and the crawl never visited is not known; the first row is
the collection's own strategy, the share in "recorded" tells how far to trust it.`
}

// Run replays a collection.
func (c *labReplayCmd) Run(w *world) error {
	cache, err := c.cache()
	if err != nil {
		return err
	}
	bar := newLabBar(w, c.JSON)
	list, err := experiment.Replay(w.ctx, c.Dir, strategy.Split(c.Strategy), c.Pages, experiment.Options{Cache: cache, Progress: bar.show})
	bar.end()
	if err != nil {
		return usage("%w", err)
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
		fmt.Fprintf(w.out, " %-24s %7s %9s %9s %8.3f\n", oneLine(r.Strategy), count(r.Wanted), percent(r.Recorded, r.Wanted), count(r.OnTopic), r.Harvest())
	}
	for _, r := range list[1:] {
		fmt.Fprintf(w.out, "%s: %s of the links it wanted were recorded\n", oneLine(r.Strategy), percent(r.Recorded, r.Wanted))
	}
	return nil
}
