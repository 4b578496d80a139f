package main

import (
	"errors"
	"fmt"

	"dowse/crawler"
)

// collectionSalvageCmd builds a new collection from what can be read of a damaged or
// older one, which it does not change: whatever goes wrong, the user still has what was
// there. The archive is the only part that is needed, since pages can be extracted and
// judged again from it; settings, seeds, labels and takedowns are taken over as far as
// they can be read.
type collectionSalvageCmd struct {
	Dir   string   `arg:"" help:"Directory of the collection. Nothing in it is changed."`
	Words []string `arg:"" optional:"" help:"Words to judge the pages by, if topic.yaml can't be read."`
	Out   string   `short:"o" required:"" placeholder:"NEW" help:"Directory of the new collection."`
	Topic string   `placeholder:"FILE" help:"Judge the pages by this topic file, not the collection's."`
	JSON  bool     `help:"Print JSON."`
	trustFlag
}

func (collectionSalvageCmd) Help() string {
	return `Examples:
  dowse collection salvage reefs.dowse -o rescued.dowse
  dowse collection salvage reefs.dowse -o rescued.dowse "coral reefs"
  dowse collection salvage old.dowse -o new.dowse --json | jq .pages

Builds a new collection from whatever can be read of a damaged one, or of one
that an older version wrote. The archive alone is enough: every answer that it
holds whole is kept as it is, with its date, and its page is extracted, judged
and followed again. A broken record costs that record. Settings come from
crawl.yaml, takedowns and seeds from the journal, as far as these can be read;
takedowns are also in crawl.yaml. Answers that had been cut off the archive and
were saved in state/uncommitted-*.warc.gz are taken over if no other is there.
Afterwards dowse crawl NEW continues where the old crawl stopped.

Exits with 0 if everything was read. Otherwise it exits with 7 and lists what
could not be read and where; the new collection holds the rest.`
}

// maxShown is the number of losses that are listed for people; JSON has all.
const maxShown = 20

// Run rebuilds the collection. It exits with 7 if something could not be read; the new
// collection then holds the rest and can be crawled. The new collection appears as a
// whole: until it is finished it has another name, and after an interruption that can be
// deleted.
func (c *collectionSalvageCmd) Run(w *world) error {
	cfg, err := topicConfig(w, c.Topic, c.Words, c.Trust)
	if err != nil {
		return err
	}
	p := &progress{w: w}
	cfg.Progress = p.show
	s, err := crawler.Salvage(w.ctx, c.Dir, c.Out, cfg)
	p.clear()
	switch {
	case errors.Is(err, crawler.ErrNoTopic):
		return usage("%w: dowse collection salvage %s -o %s WORDS, or --topic FILE", err, shellWord(c.Dir), shellWord(c.Out))
	case err != nil:
		return madeError(err, c.Out)
	}
	if c.JSON {
		err = jsonLine(w.out, s)
	} else {
		c.print(w, s)
	}
	if err == nil && s.Lost() > 0 {
		return &exitError{exitCollection, fmt.Errorf("%s: not all of it could be read; %s holds the rest", c.Dir, c.Out)}
	}
	return err
}

// print prints what was kept, lost, erased and dropped. Losses are listed with file,
// offset and length, so that another copy of the archive can be searched for exactly
// these; --json lists all of them.
func (c *collectionSalvageCmd) print(w *world, s *crawler.Salvaged) {
	t := &sheet{}
	t.add(oneLine(fmt.Sprintf("%s: %s from %s", c.Out, some(s.Pages, "page"), c.Dir)))
	t.field("archive", "%s kept as they were", some(s.Answers, "answer"))
	t.losses(s)
	if s.MissingAll > 0 {
		t.field("missing", "%s that the journal knows; they are fetched again", some(s.MissingAll, "page"))
	}
	if s.Erased+s.Forgotten > 0 {
		t.field("erased", "%s taken down before, %s stay so", some(s.Erased, "record"), some(s.Forgotten, "URL"))
	}
	if s.LeftOut > 0 {
		t.field("dropped", "%s without the page that they belong to", some(s.LeftOut, "record"))
	}
	if s.Labels > 0 {
		t.field("labels", "%s taken over", some(s.Labels, "label"))
	}
	for _, n := range s.Notes {
		t.text("note", n)
	}
	for _, l := range t.lines {
		fmt.Fprintln(w.out, l)
	}
}
