package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/facts"
	"dowse/internal/outside"
	"dowse/topic"
)

type judgeCmd struct {
	Topic     string   `arg:"" help:"Topic file, collection (its topic), or words in quotes."`
	What      []string `arg:"" optional:"" name:"url|file|-" help:"URLs, HTML, WARC, JSONL or lists of URLs; - reads stdin."`
	Plain     bool     `help:"Print a table, for people."`
	JSON      bool     `help:"Print JSON, one line per page (the default)."`
	Threshold float64  `placeholder:"X" shown:"0.5" help:"Relevance from which a page is on topic."`
	askFlags
}

func (judgeCmd) Help() string {
	return `Examples:
  dowse judge reefs.topic.yaml page.html --plain
  dowse judge "coral bleaching" https://example.org/reefs
  cat urls.txt | dowse judge reefs.topic.yaml -
  dowse judge reefs.dowse other.warc.gz | jq -r 'select(.verdict=="on").url'

Prints one line of JSON per page: url, relevance, verdict (on, off, or unsure near
the threshold), title, because; dowse schema page lists all. A file may be HTML, WARC (every page in it), JSONL
with {"url","html"} or {"url","title","text"} to a line, or a URL to a line; a
collection stands for its archive. URLs are fetched as a crawl would: robots.txt
is obeyed, and on the public web --contact is required. The program or service
that a topic names is asked only after --trust, once for each topic.`
}

// A pageRater judges pages that are not part of a crawl.
type pageRater struct {
	topic     *topic.Topic
	speller   *topic.Speller
	judge     dowse.Judge
	threshold float64
	fetcher   *crawler.Fetcher
	outside   *outside.Judge // that the topic names; nil for none
	ends      []func()       // what is to be closed
}

// Run rates pages.
func (c *judgeCmd) Run(w *world) error {
	if len(c.What) == 0 {
		return usage("nothing to judge: give URLs or files, or - for stdin")
	}
	if c.Threshold < 0 || c.Threshold > 1 {
		return usage("--threshold %g: want a relevance from 0 to 1", c.Threshold)
	}
	b, end, err := c.bench(w)
	if err != nil {
		return err
	}
	defer end()
	p := &docket{pageRater: b, world: w, plain: c.Plain && !c.JSON}
	err = p.run(c.What)
	b.consulted(w)
	return err
}

// consulted tells of an outside judge that did not always answer: the topic's own
// verdict stands for those pages.
func (b *pageRater) consulted(w *world) {
	if b.outside == nil {
		return
	}
	if c := crawler.ConsultedOf(b.outside); c.Wanted > c.Answered+c.Known {
		for _, l := range consultedLines(c) {
			fmt.Fprintln(w.err, l)
		}
	}
}

// bench makes ready to judge, and returns what ends it.
func (c *judgeCmd) bench(w *world) (*pageRater, func(), error) {
	b := &pageRater{}
	if err := c.furnish(w, b); err != nil {
		b.close()
		return nil, nil, err
	}
	return b, b.close, nil
}

func (c *judgeCmd) furnish(w *world, b *pageRater) error {
	cfg, hangUp, err := c.ask(w)
	if err != nil {
		return err
	}
	b.ends = append(b.ends, hangUp)
	cfg.Say = (&heard{out: w.err}).say
	var m *topic.Material
	if b.topic, b.threshold, m, err = material(w, c.Topic, cfg); err != nil {
		return err
	}
	b.speller = b.topic.Speller()
	if c.Threshold > 0 {
		b.threshold = c.Threshold
	}
	if err := b.seat(w, c, m, cfg); err != nil {
		return err
	}
	cfg.Judge, cfg.Topic = b.judge, b.topic
	if b.fetcher, err = crawler.NewFetcher(cfg); err != nil {
		return usage("%w", err)
	}
	b.ends = append(b.ends, b.fetcher.Close)
	return nil
}

// seat makes the judge, and puts the one that the topic names beside it. A collection is
// judged by as its crawl does now, with what labels and pages that were seen taught.
func (b *pageRater) seat(w *world, c *judgeCmd, m *topic.Material, cfg crawler.Config) error {
	what := c.Topic
	j, err := b.topic.NewJudge(m)
	if err == nil && collection.IsCollection(what) {
		j, err = crawler.JudgeOf(what, "")
	}
	if err != nil {
		return usage("%w", err)
	}
	b.judge = j
	if b.topic.Outside == nil {
		return nil
	}
	if may, err := w.consent(c.Trust).mayAsk(what, b.topic); err != nil || !may {
		return err
	}
	o, err := crawler.Outside(b.topic, j, "", cfg)
	if err != nil {
		return err
	}
	b.judge, b.outside = o, o
	b.ends = append(b.ends, func() { o.Close() })
	return nil
}

// close ends what was begun, the last first.
func (b *pageRater) close() {
	for _, end := range slices.Backward(b.ends) {
		end()
	}
}

// rate returns a page that was judged as it is printed, under the name that the user gave it.
func (b *pageRater) rate(name string, p *dowse.Page) *facts.Row {
	named := *p
	named.URL = dowse.URL(name)
	row := &facts.Row{Page: &named, Apart: true, Judged: true, Threshold: b.threshold, Spell: b.speller.SpellOf(p.Verdict, p).Word}
	if !b.topic.AcceptsLanguage(p.Language) {
		row.Left = dowse.SkipLang
	}
	return row
}

// A docket is a run of judge: cases come in, are judged beside each other, and are
// printed in the order in which they came.
type docket struct {
	*pageRater
	*world
	plain bool

	judged, refused, failed int
}

// A hearing judges one page. A nil line means that the page did not come: the text
// says why.
type hearing func(ctx context.Context) (line *facts.Row, outcome dowse.Outcome, why string, err error)

type ruling struct {
	line    *facts.Row
	outcome dowse.Outcome
	why     string
	err     error
}

// atOnce is how many pages are judged at once: as many as it takes for hosts to be
// asked beside each other.
var atOnce = max(16, 2*runtime.GOMAXPROCS(0))

// run judges everything the arguments name. The reader of the arguments is not
// waited for when the run ends early: it may be waiting for a person to type.
func (d *docket) run(args []string) error {
	ctx, cancel := context.WithCancel(d.ctx)
	defer cancel()
	queue := make(chan chan ruling, atOnce)
	source := make(chan error, 1)
	go func() {
		defer close(queue)
		source <- d.cases(args, func(h hearing) bool { return d.hear(ctx, queue, h) })
	}()
	if err := d.print(queue); err != nil {
		return err
	}
	return errors.Join(<-source, d.verdict())
}

// hear starts a hearing; the queue keeps the order, and bounds how many there are.
func (d *docket) hear(ctx context.Context, queue chan<- chan ruling, h hearing) bool {
	done := make(chan ruling, 1)
	select {
	case queue <- done:
	case <-ctx.Done():
		return false
	}
	go func() {
		var r ruling
		r.line, r.outcome, r.why, r.err = h(ctx)
		done <- r
	}()
	return true
}

// print takes the rulings in order, until there are no more or one is an error.
func (d *docket) print(queue <-chan chan ruling) error {
	for {
		select {
		case done, ok := <-queue:
			if !ok {
				return nil
			}
			if err := d.settle(<-done); err != nil {
				return err
			}
		case <-d.ctx.Done():
			return &exitError{exitInterrupted, errors.New("interrupted")}
		}
	}
}

func (d *docket) settle(r ruling) error {
	switch {
	case errors.Is(r.err, context.Canceled):
		return &exitError{exitInterrupted, errors.New("interrupted")}
	case r.err != nil:
		return r.err
	case r.line == nil:
		d.absent(r)
		return nil
	}
	d.judged++
	return d.write(d.out, r.line)
}

func (d *docket) absent(r ruling) {
	d.failed++
	if r.outcome == dowse.Refused {
		d.refused++
	}
	fmt.Fprintf(d.err, "dowse: %s\n", oneLine(r.why))
}

func (d *docket) write(out io.Writer, line *facts.Row) error {
	if !d.plain {
		return jsonLine(out, line)
	}
	n := columnsOf(d.out)
	_, err := fmt.Fprintf(out, "%.3f %-6s %-33s %s\n", line.Relevance(), line.Verdict(), clip(oneLine(line.Title), 33, n), clipMiddle(oneLine(string(line.URL)), max(n-46, 20), n))
	return err
}

// verdict chooses the exit code when not a single page could be judged.
func (d *docket) verdict() error {
	switch {
	case d.judged > 0 || d.failed == 0:
		return nil
	case d.refused == d.failed:
		return &exitError{code: exitForbidden}
	}
	return &exitError{code: exitNetwork}
}
