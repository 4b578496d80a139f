package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"time"

	"dowse"
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

// pageLine is a page as scripts see it.
type pageLine struct {
	URL      dowse.URL `json:"url"`
	Score    float64   `json:"score"`
	Title    string    `json:"title"`
	Verdict  string    `json:"verdict"`
	Language string    `json:"language,omitempty"`
	Fetched  time.Time `json:"fetched"`
	Because  string    `json:"because"`
}

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
	json.NewEncoder(out).Encode(pageLine{pg.URL, pg.Relevance, pg.Title, "on", pg.Language, pg.Fetch.At, pg.Why})
}
