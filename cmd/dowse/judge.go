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

// judgeCmd rates pages by a topic without crawling: URLs, files, archives or stdin. It
// prints one JSON object per page unless --plain is given, and stdin and stdout are
// streams, so that it fits into pipes of any length.
//
// It prepares a [pageRater] (topic, judge, fetcher), turns the arguments into pages
// (cases.go), and rates them concurrently in a [ratingRun] that prints in order.
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
with {"url","html"} or {"url","title","text"} per line, or one URL per line; a
collection means its archive. URLs are fetched as a crawl would: robots.txt
is obeyed, and on the public web --contact is required. The program or service
that a topic names is asked only after --trust, once for each topic.`
}

// A pageRater holds what is needed to judge pages that are not part of a crawl: the
// topic, its judge and a fetcher.
type pageRater struct {
	topic     *topic.Topic
	speller   *topic.Speller
	judge     dowse.Judge
	threshold float64
	fetcher   *crawler.Fetcher
	outside   *outside.Judge // that the topic names; nil for none
	ends      []func()       // what is to be closed
}

// Run rates all pages that the arguments name and prints them in that order. It fails
// only if no page at all could be judged.
func (c *judgeCmd) Run(w *world) error {
	if len(c.What) == 0 {
		return usage("nothing to judge: give URLs or files, or - for stdin")
	}
	if c.Threshold < 0 || c.Threshold > 1 {
		return usage("--threshold %g: want a relevance from 0 to 1", c.Threshold)
	}
	b, end, err := c.openRater(w)
	if err != nil {
		return err
	}
	defer end()
	p := &ratingRun{pageRater: b, world: w, plain: c.Plain && !c.JSON}
	err = p.run(c.What)
	b.consulted(w)
	return err
}

// consulted prints a line if an outside judge did not answer for some pages. For these
// the verdict of the topic's own judge counts.
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

// bench prepares the rater and returns a function that closes everything it opened.
func (c *judgeCmd) openRater(w *world) (*pageRater, func(), error) {
	b := &pageRater{}
	if err := c.fill(w, b); err != nil {
		b.close()
		return nil, nil, err
	}
	return b, b.close, nil
}

// fill fills the rater in order: configuration, topic with examples, judge, fetcher. Each
// step needs the ones before it: examples are fetched with the configuration, the judge
// is trained on them, and the fetcher judges what it fetches. What was opened before an
// error is in b.ends.
func (c *judgeCmd) fill(w *world, b *pageRater) error {
	cfg, end, err := c.ask(w)
	if err != nil {
		return err
	}
	b.ends = append(b.ends, end)
	cfg.Say = (&messages{out: w.err}).judgeLine
	var m *topic.Material
	if b.topic, b.threshold, m, err = material(w, c.Topic, cfg); err != nil {
		return err
	}
	b.speller = b.topic.Speller()
	if c.Threshold > 0 {
		b.threshold = c.Threshold
	}
	if err := b.setJudge(w, c, m, cfg); err != nil {
		return err
	}
	cfg.Judge, cfg.Topic = b.judge, b.topic
	if b.fetcher, err = crawler.NewFetcher(cfg); err != nil {
		return usage("%w", err)
	}
	b.ends = append(b.ends, b.fetcher.Close)
	return nil
}

// setJudge makes the judge. For a collection it is the judge as its crawl uses it now,
// trained on labels and seen pages, so that other pages are rated as the crawl would rate
// them. The outside judge of a topic is added only if the user agreed to it: it may run a
// program that the author of the topic chose.
func (b *pageRater) setJudge(w *world, c *judgeCmd, m *topic.Material, cfg crawler.Config) error {
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

// close closes what was opened, the last first.
func (b *pageRater) close() {
	for _, end := range slices.Backward(b.ends) {
		end()
	}
}

// rate returns a judged page as a row, under the name that the user gave it. A page in a
// language that the topic does not accept is marked as left out.
func (b *pageRater) rate(name string, p *dowse.Page) *facts.Row {
	named := *p
	named.URL = dowse.URL(name)
	row := &facts.Row{Page: &named, Apart: true, Judged: true, Threshold: b.threshold, Spell: b.speller.SpellOf(p.Verdict, p).Word}
	if !b.topic.AcceptsLanguage(p.Language) {
		row.Left = dowse.SkipLang
	}
	return row
}

// A ratingRun is one run of judge. Pages are read by one goroutine, judged by many, and
// printed by the caller in the order in which they were named. The queue holds a channel
// per page: its length bounds how many pages are judged concurrently, and reading the
// channels one after the other restores the order.
type ratingRun struct {
	*pageRater
	*world
	plain bool

	judged, refused, failed int
}

// A rating judges one page when it is called. A nil line means that the page could not be
// fetched; why gives the cause.
type rating func(ctx context.Context) (line *facts.Row, outcome dowse.Outcome, why string, err error)

// A ratedPage is the result of a rating.
type ratedPage struct {
	line    *facts.Row
	outcome dowse.Outcome
	why     string
	err     error
}

// concurrentPages is the number of pages that are judged concurrently. It exceeds the number of
// processors, since most of the time is spent waiting for hosts.
var concurrentPages = max(16, 2*runtime.GOMAXPROCS(0))

// run judges everything that the arguments name. When it ends early it does not wait for
// the goroutine that reads the arguments: that may be waiting for a person to type.
func (d *ratingRun) run(args []string) error {
	ctx, cancel := context.WithCancel(d.ctx)
	defer cancel()
	queue := make(chan chan ratedPage, concurrentPages)
	source := make(chan error, 1)
	go func() {
		defer close(queue)
		source <- d.eachPage(args, func(h rating) bool { return d.submit(ctx, queue, h) })
	}()
	// The caller prints while the goroutine reads. If printing ends early, cancel ends
	// the reading at the next page.
	if err := d.print(queue); err != nil {
		return err
	}
	return errors.Join(<-source, d.verdict())
}

// submit starts a rating. The queue keeps the order of the results and bounds how many
// ratings run concurrently. It returns false when the run has ended.
func (d *ratingRun) submit(ctx context.Context, queue chan<- chan ratedPage, h rating) bool {
	done := make(chan ratedPage, 1)
	select {
	case queue <- done:
	case <-ctx.Done():
		return false
	}
	go func() {
		var r ratedPage
		r.line, r.outcome, r.why, r.err = h(ctx)
		done <- r
	}()
	return true
}

// print prints the results in order until there are no more, one is an error, or the
// command is interrupted. A page that takes long holds back those after it; they are
// judged meanwhile.
func (d *ratingRun) print(queue <-chan chan ratedPage) error {
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

// settle prints one result, or counts a page that could not be fetched.
func (d *ratingRun) settle(r ratedPage) error {
	switch {
	case errors.Is(r.err, context.Canceled):
		return &exitError{exitInterrupted, errors.New("interrupted")}
	case r.err != nil:
		return r.err
	case r.line == nil:
		d.countFailed(r)
		return nil
	}
	d.judged++
	return d.write(d.out, r.line)
}

// countFailed counts and reports a page that could not be fetched. One page that fails
// does not end the run: the others were asked for too.
func (d *ratingRun) countFailed(r ratedPage) {
	d.failed++
	if r.outcome == dowse.Refused {
		d.refused++
	}
	fmt.Fprintf(d.err, "dowse: %s\n", oneLine(r.why))
}

// write prints one row, as JSON or as a line of a table.
func (d *ratingRun) write(out io.Writer, line *facts.Row) error {
	if !d.plain {
		return jsonLine(out, line)
	}
	n := columnsOf(d.out)
	_, err := fmt.Fprintf(out, "%.3f %-6s %-33s %s\n", line.Relevance(), line.Verdict(), clip(oneLine(line.Title), 33, n), clipMiddle(oneLine(string(line.URL)), max(n-46, 20), n))
	return err
}

// verdict returns the exit code if not a single page could be judged: 5 if all were
// refused, else 4. If some could be judged the command succeeded; each failure was
// reported on stderr.
func (d *ratingRun) verdict() error {
	switch {
	case d.judged > 0 || d.failed == 0:
		return nil
	case d.refused == d.failed:
		return &exitError{code: exitForbidden}
	}
	return &exitError{code: exitNetwork}
}
