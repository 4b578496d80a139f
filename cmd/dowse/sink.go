package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/operations"
	"dowse/internal/sink"
)

// sinkCmd sends to the sinks of a collection what they have not received. A crawl does that
// itself while it runs, so the command is for what is left: after a sink was away, after a
// takedown, or for a sink that is named only now.
type sinkCmd struct {
	Dir  string        `arg:"" help:"Collection."`
	URL  []string      `arg:"" optional:"" name:"url" help:"Sinks (default: those of the collection)."`
	Wait time.Duration `default:"1m" placeholder:"DUR" help:"Give up when no sink accepts anything for this long."`
	JSON bool          `help:"Print how far each sink is as JSON."`
	trustFlag
}

func (sinkCmd) Help() string {
	return `Examples:
  dowse sink reefs.dowse
  dowse sink reefs.dowse jsonl:reefs.jsonl
  dowse sink reefs.dowse opensearch+https://search.example:9200/reefs
  dowse sink reefs.dowse 'https://example.org/in#pages=all&text=none'

Sends what the sinks of a collection (crawl --sink) have not received: pages,
changed verdicts and deletions. How far each sink is, is kept in the collection,
so the command continues where the crawl or an earlier command ended, also after
a kill. The exit code is 3 if something could not be sent.

A sink that is named here is not added to the settings of the collection. See
dowse help sinks for the names of sinks and for what they receive.`
}

// Run sends until every sink has everything, or until none accepts anything any more. The
// user must have agreed to the sinks of a collection; sinks that were typed need no consent.
func (c *sinkCmd) Run(w *world) error {
	if !collection.IsCollection(c.Dir) {
		return usage("%s is not a collection", c.Dir)
	}
	names, err := c.names(w)
	if err != nil {
		return err
	}
	specs, err := sink.ParseAll(names)
	if err != nil {
		return usage("%w", err)
	}
	cr, err := w.view(c.Dir)
	if err != nil {
		return err
	}
	defer cr.Close()
	col := cr.Collection
	feeds, err := sink.Start(c.Dir, specs, col.Journal.End(), sink.Options{Getenv: w.env, Stdout: w.out, Agent: "dowse/" + crawler.Version})
	if errors.Is(err, sink.ErrBusy) {
		return &exitError{exitCollection, fmt.Errorf("%s: %w; dowse status %s shows how far its sinks are", c.Dir, err, shellWord(c.Dir))}
	}
	if err != nil {
		return inCollection(err)
	}
	feeds.Finish(w.ctx, col, 0, max(c.Wait, time.Millisecond), nil)
	return c.conclude(w, sink.Lags(col, specs, time.Now()))
}

// names returns the sinks to send to. Those of the collection need the consent of the user.
func (c *sinkCmd) names(w *world) (list []string, err error) {
	if len(c.URL) > 0 {
		for _, text := range c.URL {
			list = append(list, sink.Absolute(text))
		}
		return list, nil
	}
	s, err := collection.ReadSettings(c.Dir)
	if err != nil {
		return nil, inCollection(err)
	}
	if len(s.Sinks) == 0 {
		return nil, usage("%s has no sinks: name one (dowse sink %s jsonl:FILE), or crawl with --sink", c.Dir, shellWord(c.Dir))
	}
	return s.Sinks, w.consent(c.Trust).allow(c.Dir, crawler.SinkActs(s.Sinks))
}

// conclude prints how far the sinks are, and returns an error if one lacks something.
func (c *sinkCmd) conclude(w *world, lags []sink.Lag) error {
	behind := false
	for _, l := range lags {
		behind = behind || l.Pages > 0
		if c.JSON {
			if err := jsonLine(w.out, l); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(w.err, oneLine(sinkLine(l)))
	}
	switch {
	case w.ctx.Err() != nil:
		return &exitError{exitInterrupted, errors.New("interrupted; the same command continues")}
	case behind:
		return &exitError{exitInterrupted, errors.New("not everything could be sent; the same command continues")}
	}
	return nil
}

// sinkLine returns how far a sink is, in words.
func sinkLine(l sink.Lag) string {
	line := fmt.Sprintf("%s: %s sent", l.Sink, count(l.Sent))
	switch {
	case l.Pages > 0:
		atLeast := map[bool]string{true: "at least "}[l.More]
		line += fmt.Sprintf(", %s%s behind (%s)", atLeast, count(l.Pages), time.Duration(l.Seconds*float64(time.Second)).Round(time.Second))
	default:
		line += ", nothing is missing"
	}
	if l.Refused > 0 {
		line += fmt.Sprintf(", %s refused (%s)", count(l.Refused), l.Refusal)
	}
	if l.Error != "" {
		line += "; last attempt: " + l.Error
	}
	return line
}

// sinkLines returns the lines of status on sinks.
func sinkLines(lags []sink.Lag) (lines []string) {
	for i, l := range lags {
		for k, part := range wrap(oneLine(sinkLine(l)), columns80-11) {
			lines = append(lines, fmt.Sprintf(" %-9s %s", head(i+k, "sinks"), part))
		}
	}
	return lines
}

// sinkWarnings returns what a monitor should know of sinks: those that fail, or refused records.
func sinkWarnings(lags []sink.Lag) (list []string) {
	for _, l := range lags {
		if l.Error != "" && l.Pages > 0 || l.Refused > 0 {
			list = append(list, oneLine("sink "+sinkLine(l)))
		}
	}
	return list
}

// sinks returns the sinks that were typed, with absolute paths, since they are stored.
func (c *crawlFlags) sinks() (list []string, err error) {
	for _, text := range c.Settings.Sinks {
		if text == "" {
			continue // it removes the sinks of a collection
		}
		s, err := sink.Parse(text)
		if err != nil {
			return nil, usage("--sink: %w", err)
		}
		if s.IsOutput() && (c.Print != "" || c.JSON) {
			return nil, usage("--sink jsonl:- and --print or --json both write to stdout; leave one out")
		}
		list = append(list, sink.Absolute(text))
	}
	if _, err := sink.ParseAll(list); err != nil {
		return nil, usage("--sink: %w", err)
	}
	return list, nil
}

// noteSinks prints what came up while pages were sent, and which sinks lack something after the
// crawl. With -q it prints only that pages are missing in a sink, which is an error: no other
// output and no exit code shows it.
func (c *crawlFlags) noteSinks(w *world, dir string, cr *crawler.Crawler, notes []string) {
	for _, n := range notes {
		fmt.Fprintf(w.err, "note: %s\n", oneLine(n))
	}
	behind := false
	for _, l := range operations.LagsOf(cr.Collection) {
		if l.Pages > 0 || l.Refused > 0 {
			fmt.Fprintf(w.err, "note: sink %s\n", oneLine(sinkLine(l)))
			behind = behind || l.Pages > 0
		}
	}
	if behind {
		fmt.Fprintf(w.err, "note: dowse sink %s sends the rest\n", shellWord(dir))
	}
}

// printSinks prints dowse help sinks.
func printSinks(w *world) error {
	_, err := w.out.Write([]byte(strings.TrimPrefix(sinksHelp, "\n")))
	return err
}

const sinksHelp = `
A sink receives pages while they are crawled. dowse crawl --sink URL adds one;
the flag can be repeated, and changes at a resume.

  jsonl:FILE                          lines at the end of a file; jsonl:- stdout
  https://HOST/PATH                   POST of NDJSON, also http://
  opensearch+https://HOST/INDEX       bulk API, also opensearch+http://
  nats://HOST/SUBJECT                 JetStream, also nats+tls://

Options follow a #, joined by &:

  pages=all          all fetched pages; default those on topic
  text=all|none      all text, or none; default main, the page's own text
  respect=tdm,ai     wishes of owners to keep; default noarchive for texts
  template=none      OpenSearch: put no index template

A record is the object of a page (dowse schema page) that begins with event,
the id of the record; key, the id of the page; op, put; and version, which
grows. A page that was taken down, or is not on topic any more, comes as op
delete (dowse schema sink). Records are sent at least once, after the page is
on disk: one that is sent again has the same event. A page that changed, and a
verdict that changed, is sent again with a higher version.

A sink that is away does not slow the crawl down. dowse status shows how far
each is, and dowse sink DIR sends the rest later.

Credentials are no part of the URL. DOWSE_SINK_AUTH has one for all sinks
(user:password, Bearer TOKEN, for NATS creds:FILE), or DOWSE_SINK_AUTH_FILE
names a file with lines of the beginning of a URL, a space and the credential.
They are kept nowhere else. Certificates are checked, and redirects are not
followed.

Examples:
  dowse crawl reefs.topic.yaml --sink jsonl:reefs.jsonl
  dowse crawl reefs.dowse --sink opensearch+https://search.example:9200/reefs
  dowse crawl reefs.dowse --sink 'nats://127.0.0.1/crawl.pages#text=none'
  dowse crawl reefs.dowse --sink jsonl:- -q | jq -r .url
`
