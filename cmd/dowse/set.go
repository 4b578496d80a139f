package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/operations"
	"dowse/settings"
)

// setCmd changes settings of a crawl that exists, also while it runs in another process. The
// flags are those of crawl, from the same table; variables and config files have no say, since
// a change is what was typed and nothing else.
type setCmd struct {
	Dir string `arg:"" help:"Collection."`

	settings.Scope
	settings.Limits
	settings.Politeness
	Threshold float64  `group:"order" rare:"" type:"share" shown:"0.5" placeholder:"X" help:"Relevance from which a page is on topic."`
	Block     []string `group:"where" sep:"none" placeholder:"HOST" help:"Never ask this host (or HOST:PORT); repeatable."`
	Drop      []string `group:"where" sep:"none" placeholder:"VALUE" help:"Remove this include, exclude or block; repeatable."`

	Wait time.Duration `default:"1m" placeholder:"DUR" help:"Wait this long for the change to be made."`
	JSON bool          `help:"Print JSON."`
}

func (setCmd) Help() string {
	return `Examples:
  dowse set reefs.dowse --exclude '/shop/' --block ads.example.org
  dowse set reefs.dowse --drop '/shop/'           takes the exclusion back
  dowse set reefs.dowse --delay 2s --pages 5000
  dowse set reefs.dowse --pages 0                 no limit any more
  dowse set reefs.dowse                           settings and changes so far

A running crawl makes the change within a second; otherwise it is made here.
URLs that a narrower scope leaves out (--exclude, --block, --scope, a first
--include) are not fetched from then on, and leave the queue bit by bit; that is
taken back as quickly. Another threshold applies from now on, also to pages that
were rated. If the scope becomes wider than it was at first, all pages and links
are decided again, and a running crawl pauses for that. A host that rests
finishes its rest first. Every change is in the journal and in
log/settings.jsonl, and the next one can undo it.`
}

// Run asks for the change and waits until it is made. Without flags it lists the settings and the
// changes that were made.
func (c *setCmd) Run(w *world) error {
	if !collection.IsCollection(c.Dir) {
		return usage("%s is not a collection", c.Dir)
	}
	want := crawler.Wanted{Reset: w.reset("set"), Drop: c.Drop, By: os.Getenv("USER"), Agreed: w.consent(false).keep}
	want.Settings = settings.Settings{Scope: c.Scope, Limits: c.Limits, Politeness: c.Politeness, Order: settings.Order{Threshold: c.Threshold}}
	want.Settings.Block = c.Block
	changed := crawler.Config{Settings: want.Settings}
	if err := checkSettings(changed); err != nil {
		return err
	}
	if err := checkCost(c.Dir, changed); err != nil {
		return err
	}
	// A value that is the default is a change, too, if the collection has another.
	given := func(f settings.Field) bool { return f.Given(&want.Settings) }
	if !slices.ContainsFunc(settings.Fields(), given) && !resets(want) {
		return c.history(w)
	}
	ctx, cancel := context.WithTimeout(w.ctx, c.Wait)
	defer cancel()
	r, err := crawler.Set(ctx, c.Dir, want)
	switch {
	case w.ctx.Err() != nil:
		return &exitError{exitInterrupted, errors.New("interrupted; the change is made when the crawl gets to it")}
	case errors.Is(err, context.DeadlineExceeded):
		return &exitError{exitAssertion, fmt.Errorf("not made within %v: another process works on %s and does not get to it now; it is made as soon as it does", c.Wait, c.Dir)}
	case err != nil:
		return inCollection(frozenUsage(wrongSetting(err)))
	}
	return c.print(w, r)
}

// resets reports whether a change returns settings to their defaults or removes entries.
func resets(w crawler.Wanted) bool {
	lists := len(w.Settings.Include) + len(w.Settings.Exclude) + len(w.Settings.Block) // an empty text drops what is there
	return len(w.Reset)+len(w.Drop)+lists > 0
}

// print prints what a change changed.
func (c *setCmd) print(w *world, r crawler.SetRecord) error {
	if c.JSON {
		return json.NewEncoder(w.out).Encode(r)
	}
	if len(r.Changes)+len(r.Notes) == 0 {
		fmt.Fprintln(w.err, "nothing to change: it is so already")
	}
	for _, x := range r.Changes {
		fmt.Fprintf(w.err, "changed: %s\n", oneLine(x))
	}
	for _, x := range r.Notes {
		fmt.Fprintf(w.err, "note: %s\n", oneLine(x))
	}
	return nil
}

// history lists the settings in effect, then the changes that were made, oldest first; as JSON the
// changes only.
func (c *setCmd) history(w *world) error {
	list, err := crawler.SetRecords(c.Dir)
	if err != nil {
		return inCollection(err)
	}
	if !c.JSON {
		if err := c.listSettings(w); err != nil {
			return err
		}
	}
	for _, r := range list {
		if c.JSON {
			if err := json.NewEncoder(w.out).Encode(r); err != nil {
				return err
			}
			continue
		}
		for _, line := range setLines(r) {
			fmt.Fprintln(w.out, line)
		}
	}
	if len(list) == 0 && !c.JSON {
		fmt.Fprintln(w.err, "nothing was changed so far; give a flag, see dowse set --help")
	}
	return nil
}

// listSettings prints the settings that can be changed, with those that have their default in brackets, then those
// that were set when the crawl was created.
func (c *setCmd) listSettings(w *world) error {
	s, err := collection.ReadSettings(c.Dir)
	if err != nil {
		return inCollection(err)
	}
	var open, fixed []string
	for _, v := range operations.SettingsOf(&s.Settings) {
		switch {
		case v.Change && v.Value == "":
			open = append(open, fmt.Sprintf(" %-14s (%s)", v.Name, orDefault(oneLine(v.Default), "none")))
		case v.Change:
			open = append(open, fmt.Sprintf(" %-14s %s", v.Name, oneLine(v.Value)))
		case v.Value != "":
			fixed = append(fixed, fmt.Sprintf(" %-14s %s", v.Name, oneLine(v.Value)))
		}
		if v.Name == "exclude" { // block is no setting of crawl, so it is not in the table
			open = append(open, fmt.Sprintf(" %-14s %s", "block", orDefault(oneLine(strings.Join(s.Block, ", ")), "(none)")))
		}
	}
	fmt.Fprintln(w.out, "can be changed (defaults in brackets)")
	fmt.Fprintln(w.out, strings.Join(open, "\n"))
	if len(fixed) > 0 {
		fmt.Fprintf(w.out, "set when it was created\n%s\n", strings.Join(fixed, "\n"))
	}
	return nil
}

// setLines returns a change as lines for a person, each with its time.
func setLines(r crawler.SetRecord) (lines []string) {
	if r.Error != "" {
		return []string{fmt.Sprintf("%s refused: %s", clock(r.At), oneLine(r.Error))}
	}
	for _, x := range r.Changes {
		lines = append(lines, fmt.Sprintf("%s %s", clock(r.At), oneLine(x)))
	}
	return lines
}
