package main

import (
	"fmt"

	"dowse/crawler"
)

// collectionMergeCmd makes one collection of several.
type collectionMergeCmd struct {
	Dirs  []string `arg:"" name:"dir" help:"Collections. Nothing in them is changed."`
	Out   string   `short:"o" required:"" placeholder:"DIR" help:"Directory of the new collection."`
	Topic string   `placeholder:"FILE" help:"Topic of the new collection, if it is to be crawled further."`
	JSON  bool     `help:"Print JSON."`
	trustFlag
}

func (collectionMergeCmd) Help() string {
	return `Examples:
  dowse collection merge reefs.dowse kelp.dowse -o sea.dowse
  dowse collection merge part1.dowse part2.dowse part3.dowse -o all.dowse
  dowse collection merge a.dowse b.dowse --topic sea.topic.yaml -o sea.dowse
  dowse search sea.dowse "sea urchin"

Makes one collection of several crawls. Each page is there once; of versions
that differ the newest counts, and dowse why lists the others. A page is on
topic if one of the crawls found it on its topic; dowse why shows the verdict of
each, and the collection and the record that the page comes from. What was taken
down in one of them stays so.

If the crawls have one topic, it is that of the new collection, and the labels
come with it. Topics of words alone become one topic with all words. Otherwise
give --topic FILE.`
}

// Run makes the collection. It exits with 7 if something could not be read; the new collection then
// holds the rest.
func (c *collectionMergeCmd) Run(w *world) error {
	cfg, err := topicConfig(w, c.Topic, nil, c.Trust)
	if err != nil {
		return err
	}
	p := &progress{w: w}
	cfg.Progress = p.show
	s, err := crawler.Merge(w.ctx, c.Dirs, c.Out, cfg)
	p.clear()
	if err != nil {
		return madeError(err, c.Out)
	}
	return reportMade(w, s, c.JSON, fmt.Sprintf("%s: %s from %s, %s on topic", c.Out, some(s.Pages, "page"), some(len(c.Dirs), "collection"), count(s.OnTopic)))
}
