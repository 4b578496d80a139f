package main

import (
	"bufio"
	"fmt"

	"dowse/crawler"
	"dowse/internal/frontier"
)

func idOf(i int) frontier.ID { return frontier.ID(i) }

// A printer streams on-topic pages to stdout.
type printer struct {
	w    *world
	kind string
	err  error // the first in writing; nothing is written after it
}

func newPrinter(w *world, kind string) *printer { return &printer{w: w, kind: kind} }

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
