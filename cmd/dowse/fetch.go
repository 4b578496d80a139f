package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"dowse"
	"dowse/crawler"
	"dowse/internal/facts"
	"dowse/weburl"
)

// fetchCmd fetches one page as the crawler would and shows what came of it, without a
// collection. It uses the crawler's own fetcher, with the same identity, politeness,
// limits and parsing, so that it answers why a crawl did or did not get a page:
//
//	http://kelp.demo/
//	 outcome   fetched
//	 answer    200 text/html, 12.0 KB in 16 ms, 12.1 KB on the wire, from 127.0.0.1
//	 robots    allowed (rule: none)
//	           robots.txt answered with 200, 43 B
//	 title     Kelp: intertidal life
//	 page      1140 words, 37 links, charset utf-8, language en
//
// With --text and --links stdout has only these, for pipes, and the rest is on stderr.
type fetchCmd struct {
	URL    string `arg:"" help:"Page to fetch."`
	Follow bool   `help:"Follow redirects, up to 10."`
	// What is shown besides outcome and facts.
	Robots  bool `help:"Show what robots.txt says, and the rule that decided."`
	Headers bool `help:"Show the response header."`
	Text    bool `help:"Print only the text on stdout, the rest on stderr."`
	Links   bool `help:"Print only the links on stdout, the rest on stderr."`
	JSON    bool `help:"Print JSON."`
	askFlags
}

func (fetchCmd) Help() string {
	return `Examples:
  dowse fetch https://example.org/reefs
  dowse fetch https://example.org/ --follow --text
  dowse fetch http://127.0.0.1:8080/ --allow-net 127.0.0.1 --links --json

One request, exactly as the crawler would make it: robots.txt is asked and
obeyed, a redirect is shown and not followed.`
}

// maxRedirects is the number of redirects that commands other than crawl follow.
const maxRedirects = 10

// Run fetches the page and prints it. The exit code follows the outcome of the last
// request: 5 if it was refused, 4 if there was no usable answer. The result is printed in
// every case: why a page could not be fetched is what the command is for.
func (c *fetchCmd) Run(w *world) error {
	u, err := weburl.Parse(withScheme(c.URL))
	if err != nil {
		return usage("%q: %w", c.URL, err)
	}
	// The dialer would refuse a private address too, but its error does not name the flag.
	if !c.Demo {
		if err := privateHosts([]string{c.URL}, c.AllowNet); err != nil {
			return err
		}
	}
	cfg, end, err := c.ask(w)
	if err != nil {
		return err
	}
	defer end()
	f, err := crawler.NewFetcher(cfg)
	if err != nil {
		return usage("%w", err)
	}
	defer f.Close()
	redirects := 0
	if c.Follow {
		redirects = maxRedirects
	}
	hops, err := f.Follow(w.ctx, u, redirects)
	if w.ctx.Err() != nil {
		return &exitError{exitInterrupted, errors.New("interrupted")}
	}
	if err != nil {
		return err
	}
	if err := c.print(w, hops); err != nil {
		return err
	}
	return outcomeError(hops[len(hops)-1].Page)
}

// print prints the requests, one block per redirect that was followed and one for the
// page. With --text or --links stdout has only these, and the facts go to stderr, so that
// fetch URL --text can be piped into another program.
func (c *fetchCmd) print(w *world, hops []*crawler.Hop) error {
	if c.JSON {
		return json.NewEncoder(w.out).Encode(c.answer(hops))
	}
	facts := w.out
	if c.Text || c.Links {
		facts = w.err // stdout has what was asked for, and no more
	}
	for _, h := range hops {
		c.hop(facts, h)
	}
	last := hops[len(hops)-1]
	if c.Text && last.Page.Outcome == dowse.Fetched {
		fmt.Fprintln(w.out, printable(last.Page.Text))
	}
	if c.Links && last.Page.Outcome == dowse.Fetched {
		if c.Text {
			fmt.Fprintln(w.out)
		}
		for _, l := range last.Page.Links {
			fmt.Fprintf(w.out, "%s\t%s\n", oneLine(string(l.URL)), oneLine(l.Anchor))
		}
	}
	return nil
}

// outcomeError returns the exit code for a page that was not fetched, nil for one that
// was. A page that was received and left out, such as a PDF, is no failure: the command
// did what it was asked to.
func outcomeError(p *dowse.Page) error {
	switch p.Outcome {
	case dowse.Fetched, dowse.Redirected, dowse.Skipped, dowse.Listed:
		if p.Reason == dowse.SkipPrivateIP {
			return &exitError{exitForbidden, privateError(weburl.Hostname(p.URL), p.Fetch.Address)}
		}
		return nil
	case dowse.Refused:
		return &exitError{code: exitForbidden}
	}
	return &exitError{code: exitNetwork}
}

// hop prints one request and its result.
func (c *fetchCmd) hop(out io.Writer, h *crawler.Hop) {
	p := h.Page
	fmt.Fprintln(out, oneLine(string(p.URL)))
	field(out, "outcome", outcomeLine(p))
	if h.Response != nil && h.Response.Location != "" {
		field(out, "to", oneLine(string(h.Response.Location)))
	}
	if p.Fetch.Status != 0 {
		field(out, "answer", answerLine(p))
	}
	if c.Robots || p.Outcome == dowse.Refused {
		robotsLines(out, h)
	}
	if p.Outcome == dowse.Fetched {
		field(out, "title", oneLine(orDefault(p.Title, "(none)")))
		field(out, "page", pageFacts(p))
	}
	if c.Headers && h.Response != nil && h.Response.ResponseHead != nil {
		fmt.Fprintln(out)
		fmt.Fprintln(out, strings.TrimSpace(printable(strings.ReplaceAll(string(h.Response.ResponseHead), "\r\n", "\n"))))
	}
}

// field prints a name and a value in the columns of a [sheet].
func field(out io.Writer, name, value string) { fmt.Fprintf(out, " %-9s %s\n", name, value) }

// outcomeLine returns the outcome of a request with its reason and detail.
func outcomeLine(p *dowse.Page) string {
	s := p.Outcome.String()
	if p.Reason != "" {
		s += ": " + string(p.Reason)
	}
	if p.Detail != "" {
		s += " (" + oneLine(p.Detail) + ")"
	}
	return s
}

// answerLine returns status, type, size, duration and address of an answer. The size on
// the wire is shown if it differs: compressed answers are smaller, headers add to it.
func answerLine(p *dowse.Page) string {
	f := p.Fetch
	s := fmt.Sprintf("%d %s, %s in %d ms", f.Status, oneLine(f.Type), bytesText(f.Bytes), f.Took.Milliseconds())
	if f.Wire > 0 && f.Wire != f.Bytes {
		s += fmt.Sprintf(", %s on the wire", bytesText(f.Wire))
	}
	if f.Address.IsValid() {
		s += ", from " + f.Address.String()
	}
	switch {
	case f.Truncated && f.Bytes == 0:
		s += ", content not kept"
	case f.Truncated:
		s += ", cut"
	}
	return s
}

// pageFacts returns what was extracted from a page, in one line.
func pageFacts(p *dowse.Page) string {
	s := fmt.Sprintf("%d words, %d links, charset %s", len(p.Words), len(p.Links), orDefault(p.Fetch.Charset, "unknown"))
	if p.Language != "" {
		s += ", language " + oneLine(p.Language)
	}
	for _, m := range []struct {
		on   bool
		name string
	}{{p.NoFollow, "nofollow"}, {p.NoIndex, "noindex"}, {p.NoArchive, "noarchive"}} {
		if m.on {
			s += ", " + m.name
		}
	}
	return s
}

// robotsLines prints whether robots.txt allows the page, the rule that decides, and what
// else the file states: its status and size, a delay that it asks for, and sitemaps. It
// is printed for every page that robots.txt forbids, also without --robots.
func robotsLines(out io.Writer, h *crawler.Hop) {
	verdict := "allowed"
	if h.Page.Outcome == dowse.Refused || h.Response == nil {
		verdict = "forbidden"
	}
	field(out, "robots", fmt.Sprintf("%s (rule: %s)", verdict, oneLine(orDefault(h.Rule, "none"))))
	r := h.Robots
	s := "no answer"
	if r.Status != 0 {
		s = fmt.Sprintf("answered with %d, %s", r.Status, bytesText(int64(len(r.Body))))
	}
	if r.Delay > 0 {
		s += fmt.Sprintf(", asks for %v between requests", r.Delay)
	}
	field(out, "", "robots.txt "+s)
	for _, u := range r.Sitemaps {
		field(out, "", "sitemap "+oneLine(string(u)))
	}
}

// A fetchAnswer is the output of fetch --json. Headers, text and links are present if
// their flags were given, since they can be long. Members have the names of the facts of
// a page (dowse schema page) where there is such a fact.
type fetchAnswer struct {
	URL      dowse.URL     `json:"url"`
	Outcome  string        `json:"outcome"`
	Reason   dowse.Reason  `json:"reason,omitempty"`
	Detail   string        `json:"detail,omitempty"`
	Status   int           `json:"status"`
	Type     string        `json:"mime,omitempty"`
	Charset  string        `json:"charset,omitempty"`
	Bytes    int64         `json:"size"`
	Wire     int64         `json:"wire"`
	Cut      bool          `json:"truncated"`
	Took     facts.Seconds `json:"took"`
	Address  string        `json:"address,omitempty"`
	Location dowse.URL     `json:"location,omitempty"`
	Robots   robotsAnswer  `json:"robots"`
	Title    string        `json:"title,omitempty"`
	Language string        `json:"lang,omitempty"`
	Words    int           `json:"words"`
	Hops     []hopAnswer   `json:"redirects,omitempty"` // on the way
	Headers  http.Header   `json:"headers,omitempty"`
	Text     string        `json:"text,omitempty"`
	Links    []linkAnswer  `json:"links,omitempty"`
}

// A robotsAnswer is what robots.txt states about the page.
type robotsAnswer struct {
	Allowed  bool          `json:"allowed"`
	Rule     string        `json:"rule"`
	Status   int           `json:"status"`
	Delay    facts.Seconds `json:"crawl_delay"`
	Sitemaps []dowse.URL   `json:"sitemaps,omitempty"`
}

// A hopAnswer is a redirect that was followed.
type hopAnswer struct {
	URL      dowse.URL `json:"url"`
	Status   int       `json:"status"`
	Location dowse.URL `json:"location"`
}

// A linkAnswer is a link on the page.
type linkAnswer struct {
	URL      dowse.URL `json:"url"`
	Anchor   string    `json:"anchor"`
	NoFollow bool      `json:"nofollow,omitempty"`
}

// answer returns the last request with the redirects before it, for JSON.
func (c *fetchCmd) answer(hops []*crawler.Hop) *fetchAnswer {
	h := hops[len(hops)-1]
	p := h.Page
	a := &fetchAnswer{
		URL: p.URL, Outcome: p.Outcome.String(), Reason: p.Reason, Detail: p.Detail, Status: p.Fetch.Status,
		Type: p.Fetch.Type, Charset: p.Fetch.Charset, Bytes: p.Fetch.Bytes, Wire: p.Fetch.Wire, Cut: p.Fetch.Truncated,
		Took: facts.Seconds(p.Fetch.Took), Title: p.Title, Language: p.Language, Words: len(p.Words),
		Robots: robotsAnswer{h.Response != nil, h.Rule, h.Robots.Status, facts.Seconds(h.Robots.Delay), h.Robots.Sitemaps},
	}
	if p.Fetch.Address.IsValid() {
		a.Address = p.Fetch.Address.String()
	}
	for _, h := range hops[:len(hops)-1] {
		a.Hops = append(a.Hops, hopAnswer{h.Page.URL, h.Page.Fetch.Status, h.Response.Location})
	}
	c.details(a, h)
	return a
}

// details adds header, text and links if they were asked for.
func (c *fetchCmd) details(a *fetchAnswer, h *crawler.Hop) {
	if h.Response != nil {
		a.Location = h.Response.Location
		if c.Headers {
			a.Headers = h.Response.Header
		}
	}
	if h.Page.Outcome != dowse.Fetched {
		return
	}
	if c.Text {
		a.Text = h.Page.Text
	}
	if c.Links {
		a.Links = slices.Grow(a.Links, len(h.Page.Links))
		for _, l := range h.Page.Links {
			a.Links = append(a.Links, linkAnswer{l.URL, l.Anchor, l.NoFollow})
		}
	}
}
