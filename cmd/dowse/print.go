package main

import (
	"bufio"
	"fmt"

	"dowse/crawler"
	"dowse/internal/frontier"
)

// idOf returns the number of a URL in the frontier as its ID.
func idOf(i int) frontier.ID { return frontier.ID(i) }

// A printer carries out crawl --print: it streams on-topic pages to stdout as they are
// found. It prints pages when they are judged, in the order of the crawl. A model that
// changes verdicts later does not take them back; dowse pages --on has the present ones.
type printer struct {
	w    *world
	kind string
	err  error // the first in writing; nothing is written after it
}

// newPrinter returns a printer of kind url or jsonl; "" prints nothing.
func newPrinter(w *world, kind string) *printer { return &printer{w: w, kind: kind} }

// page prints a page and flushes it immediately, so that a reader at the other end of a
// pipe gets it while the crawl runs.
func (p *printer) page(pg *crawler.Page) {
	if p.kind == "" || !pg.OnTopic || p.err != nil {
		return
	}
	out := bufio.NewWriter(p.w.out)
	defer func() { p.err = out.Flush() }()
	if p.kind == "url" {
		fmt.Fprintln(out, oneLine(string(pg.URL)))
		return
	}
	_ = jsonLine(out, pg.Row()) // a buffer: what fails is returned by Flush
}
