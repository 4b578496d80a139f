package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"dowse/crawler"
	"dowse/topic"
)

// collectionImportCmd makes a collection of what other programs recorded. Files and words share
// one list, because a shell expands *.warc.gz to any number of files: what names a file is one,
// and the rest are words.
type collectionImportCmd struct {
	Args  []string `arg:"" name:"file" help:"WARC and WACZ files, and words to judge the pages by."`
	Out   string   `short:"o" required:"" placeholder:"DIR" help:"Directory of the new collection."`
	Topic string   `placeholder:"FILE" help:"Judge the pages by this topic file."`
	JSON  bool     `help:"Print JSON."`
	trustFlag
}

func (collectionImportCmd) Help() string {
	return `Examples:
  dowse collection import old.warc.gz "coral reefs" -o old.dowse
  dowse collection import crawl.wacz --topic reefs.topic.yaml -o reefs.dowse
  dowse collection import *.warc.gz --topic reefs.topic.yaml -o reefs.dowse
  dowse crawl old.dowse --pages 500       continue from there

Reads WARC files of wget, Heritrix, Browsertrix and others (1.0, 1.1, compressed
or not) and the WARC files in WACZ files, and sends nothing. Every answer keeps
its date and content; its page is extracted, judged and followed as in a crawl,
so search, why, export and crawl work on the collection. dowse why shows the
file and the offset that a page comes from. Of a page that was recorded several
times the newest version counts; dowse why lists the others.

A record that can't be read is left out and listed with its place. Then the
exit status is 7, and the collection holds the rest.`
}

// Run makes the collection. It exits with 7 if something could not be read; the collection then
// holds the rest.
func (c *collectionImportCmd) Run(w *world) error {
	files, words := splitFiles(c.Args)
	if len(files) == 0 {
		if info, err := os.Stat(c.Args[0]); err == nil && info.IsDir() {
			return usage("%[1]s: a folder; give the WARC or WACZ files in it, as %[1]s/*.warc.gz", oneLine(strings.TrimSuffix(c.Args[0], "/")))
		}
		return usage("%s: no such file; give WARC or WACZ files", oneLine(c.Args[0]))
	}
	cfg, err := topicConfig(w, c.Topic, words, c.Trust)
	switch {
	case err != nil:
		return err
	case cfg.Topic == nil:
		return usage("the pages need a topic: give words, or --topic FILE")
	}
	p := &progress{w: w}
	cfg.Progress = p.show
	s, err := crawler.Import(w.ctx, files, c.Out, cfg)
	p.clear()
	if err != nil {
		return madeError(err, c.Out)
	}
	return reportMade(w, s, c.JSON, fmt.Sprintf("%s: %s from %s, %s on topic", c.Out, some(s.Pages, "page"), some(len(files), "file"), count(s.OnTopic)))
}

// splitFiles returns the arguments that name files, and the others.
func splitFiles(args []string) (files, words []string) {
	for _, a := range args {
		lower := strings.ToLower(a)
		if isFile(a) || strings.HasSuffix(lower, ".warc") || strings.HasSuffix(lower, ".warc.gz") || strings.HasSuffix(lower, ".wacz") {
			files = append(files, a)
		} else {
			words = append(words, a)
		}
	}
	return files, words
}

// topicConfig returns the topic to judge by, nil if none was given. A topic file needs the user's
// consent for what it reads, as in a crawl.
func topicConfig(w *world, file string, words []string, trust bool) (cfg crawler.SalvageConfig, err error) {
	switch {
	case file != "" && len(words) > 0:
		return cfg, usage("--topic or words, not both (%q names no file)", oneLine(words[0]))
	case file != "":
		if cfg.Topic, err = topic.Load(file); err == nil {
			err = w.consent(trust).allow(file, crawler.ReadActs(cfg.Topic))
		}
	case len(words) > 0:
		cfg.Topic = topic.FromWords(words)
	}
	return cfg, err
}

// madeError returns the error of a command that makes a new collection in out.
func madeError(err error, out string) error {
	switch {
	case errors.Is(err, context.Canceled):
		return &exitError{exitInterrupted, fmt.Errorf("interrupted; nothing of %s was kept", out)}
	case errors.Is(err, crawler.ErrPlace), errors.Is(err, crawler.ErrUnfinished), errors.Is(err, crawler.ErrNoTopic):
		return usage("%w", err)
	}
	return inCollection(err)
}

// reportMade prints what a new collection was made of. title is its first line. It returns an
// error if not everything could be read, or if answers have a date that is not their own.
func reportMade(w *world, s *crawler.Salvaged, asJSON bool, title string) error {
	var err error
	if asJSON {
		err = jsonLine(w.out, s)
	} else {
		printMade(w, s, title)
	}
	if err == nil && s.Lost() > 0 {
		return &exitError{exitCollection, fmt.Errorf("not everything could be read; %s holds the rest", s.Dir)}
	}
	if err == nil && s.UndatedAll > 0 {
		return &exitError{exitCollection, fmt.Errorf("%s without a valid date; %s has them with the date of the record before", some(s.UndatedAll, "answer"), s.Dir)}
	}
	return err
}

// printMade prints what was kept, lost and passed over.
func printMade(w *world, s *crawler.Salvaged, title string) {
	t := &sheet{}
	t.add(oneLine(title))
	t.field("archive", "%s, with dates and contents", some(s.Answers, "answer"))
	if s.Requisites > 0 {
		t.field("", "%s that are no pages: images, style sheets and the like", some(s.Requisites, "answer"))
	}
	t.losses(s)
	for _, what := range slices.Sorted(maps.Keys(s.Passed)) {
		t.field("passed", "%s: %s", what, count(s.Passed[what]))
	}
	if s.Erased+s.Forgotten > 0 {
		t.field("erased", "%s of pages that were taken down, %s stay so", some(s.Erased, "record"), some(s.Forgotten, "URL"))
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

// losses adds what could not be read, and the answers without a date, with their places.
func (t *sheet) losses(s *crawler.Salvaged) {
	if n := len(s.Unreadable) + s.More; n > 0 {
		t.field("lost", "%s can't be read", some(n, "part"))
	}
	for i, l := range s.Unreadable {
		if i == maxShown {
			t.field("", "and %s more", count(len(s.Unreadable)-i+s.More))
			break
		}
		t.text("", fmt.Sprintf("%s, offset %d, %s: %s", l.File, l.Offset, bytesText(l.Bytes), l.Why))
	}
	if s.UndatedAll > 0 {
		t.field("undated", "%s without a valid date", some(s.UndatedAll, "answer"))
	}
	for i, l := range s.Undated {
		if i == maxShown {
			t.field("", "and %s more", count(s.UndatedAll-i))
			break
		}
		t.text("", fmt.Sprintf("%s, offset %d: %s", l.File, l.Offset, l.Why))
	}
}
