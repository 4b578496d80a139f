package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/archive"
	"dowse/internal/facts"
	"dowse/internal/plain"
	"dowse/internal/rawpage"
	"dowse/weburl"
)

// The limits of what judge reads.
const (
	maxCase = 16 << 20 // bytes of a page
	maxLine = 32 << 20 // bytes of a line of JSONL
)

// eachPage passes every page that the arguments name to submit, in order, until submit
// returns false. An argument that cannot be read ends it with an error; the pages before
// it are still rated and printed.
func (d *ratingRun) eachPage(args []string, submit func(rating) bool) error {
	for _, a := range args {
		if err := d.pagesOf(a, submit); err != nil {
			return err
		}
	}
	return nil
}

// pagesOf passes on the pages of one argument: a URL, stdin, a collection or a file. A
// collection means the files of its archive, so its pages are judged as they were
// received and not as they were judged then.
func (d *ratingRun) pagesOf(arg string, submit func(rating) bool) error {
	if strings.Contains(arg, "://") {
		_, err := d.address(arg, submit)
		return err
	}
	if arg == "-" {
		return d.stream("-", d.in, submit)
	}
	if collection.IsCollection(arg) {
		files, err := archive.Files(filepath.Join(arg, "archive"))
		if err != nil {
			return err
		}
		return d.eachPage(files, submit)
	}
	f, err := os.Open(arg)
	if err != nil {
		return usage("judge: %w", err)
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.IsDir() {
		return usage("judge: %s is a directory, but not a collection", arg)
	}
	return d.stream(arg, f, submit)
}

// stream reads a file or stdin. Its first bytes decide the format: WARC, HTML, JSONL, or
// else a list of URLs. The suffix counts only for HTML, whose beginning may be anything;
// so the same bytes mean the same in a file and in a pipe.
func (d *ratingRun) stream(name string, r io.Reader, submit func(rating) bool) error {
	in := bufio.NewReaderSize(r, 1<<16)
	head, err := in.Peek(64)
	if err != nil && err != io.EOF {
		return usage("judge: %s: %w", name, err)
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte(plain.Mark)), " \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")), bytes.HasPrefix(head, []byte("WARC/")):
		return d.warc(name, in, submit)
	case isHTMLName(name), bytes.HasPrefix(text, []byte("<")):
		return d.html(name, in, submit) // of which the mark says the charset
	}
	lines := plain.Unmarked(in)
	if bytes.HasPrefix(text, []byte("{")) {
		return d.jsonl(name, lines, submit)
	}
	return d.list(name, lines, submit)
}

// isHTMLName reports whether a file's suffix is one of HTML.
func isHTMLName(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".html", ".htm", ".xhtml":
		return true
	}
	return false
}

// address passes on a page that is to be fetched. It reports whether more are wanted. The
// URL is parsed immediately, so that a list with a wrong line fails there and not in the
// midst of the output.
func (d *ratingRun) address(raw string, submit func(rating) bool) (more bool, err error) {
	u, err := weburl.Parse(raw)
	if err != nil {
		return false, usage("judge: %s is no URL: want an address such as https://example.org/, one to a line", printable(fmt.Sprintf("%q", fit(oneLine(raw), 50))))
	}
	return submit(func(ctx context.Context) (*facts.Row, dowse.Outcome, string, error) { return d.visit(ctx, raw, u) }), nil
}

// visit fetches and rates a page, following redirects as a crawl would over several
// visits. If it was not fetched, the row is nil and the text gives the cause.
func (d *ratingRun) visit(ctx context.Context, raw string, u dowse.URL) (*facts.Row, dowse.Outcome, string, error) {
	hops, err := d.fetcher.Follow(ctx, u, maxRedirects)
	if err != nil {
		return nil, 0, "", err
	}
	p := hops[len(hops)-1].Page
	if p.Outcome != dowse.Fetched {
		return nil, p.Outcome, string(p.URL) + ": " + outcomeLine(p), nil
	}
	line := d.rate(raw, p)
	if p.URL != u {
		line.Redirect = p.URL
	}
	return line, p.Outcome, "", nil
}

// list reads URLs, one per line. Empty lines and comments are skipped. Pages are passed on
// as their lines are read, so a pipe that is still being written is judged meanwhile.
func (d *ratingRun) list(name string, in io.Reader, submit func(rating) bool) error {
	sc := bufio.NewScanner(in)
	for sc.Scan() {
		s := strings.TrimSpace(sc.Text())
		if s == "" || strings.HasPrefix(s, "#") {
			continue
		}
		if more, err := d.address(s, submit); err != nil || !more {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return usage("judge: %s: %w", name, err)
	}
	return nil
}

// html reads a file that is one page. What is beyond maxCase bytes is ignored.
func (d *ratingRun) html(name string, in io.Reader, submit func(rating) bool) error {
	body, err := io.ReadAll(io.LimitReader(in, maxCase))
	if err != nil {
		return usage("judge: %s: %w", name, err)
	}
	submit(func(context.Context) (*facts.Row, dowse.Outcome, string, error) {
		return d.read(name, body, ""), dowse.Fetched, "", nil
	})
	return nil
}

// read extracts and rates the HTML of a page.
func (d *ratingRun) read(name string, body []byte, contentType string) *facts.Row {
	return d.rated(name, crawler.HTMLPage(name, body, contentType))
}

// rated judges an extracted page and returns its row.
func (d *ratingRun) rated(name string, p *dowse.Page) *facts.Row {
	p.Language = d.topic.LanguageOf(p)
	p.Verdict = d.judge.Judge(p)
	return d.rate(name, p)
}

// A caseLine is a page as a line of JSONL gives it: with html, which is extracted as in a
// crawl, or with title and text, which are judged as they are. Other members are ignored,
// so that the output of pages --json and of exports can be judged again.
type caseLine struct {
	URL         string  `json:"url"`
	HTML        *string `json:"html"`
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Text        *string `json:"text"`
	Lang        string  `json:"lang"`
	Language    string  `json:"language"` // the name of Lang before page/v1
}

// jsonl reads pages, one JSON object per line. The first line that cannot be read ends it
// with an error that has the line's number: later lines would most likely fail too.
func (d *ratingRun) jsonl(name string, in io.Reader, submit func(rating) bool) error {
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, maxLine)
	for n := 1; sc.Scan(); n++ {
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		var l caseLine
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			return usage("judge: %s:%d: %w", name, n, err)
		}
		if l.HTML == nil && l.Text == nil && l.Title == "" {
			return usage(`judge: %s:%d: want {"url","html"} or {"url","title","text"}`, name, n)
		}
		if !submit(func(context.Context) (*facts.Row, dowse.Outcome, string, error) { return d.written(&l), 0, "", nil }) {
			return nil
		}
	}
	if err := sc.Err(); err != nil {
		return usage("judge: %s: %w", name, err)
	}
	return nil
}

// written rates a page of JSONL.
func (d *ratingRun) written(l *caseLine) *facts.Row {
	if l.HTML != nil {
		return d.read(l.URL, []byte(*l.HTML), "text/html; charset=utf-8")
	}
	p := &dowse.Page{URL: dowse.URL(l.URL), Document: dowse.Document{
		Title: l.Title, Description: l.Description, Language: strings.ToLower(orDefault(l.Lang, l.Language)),
	}}
	if l.Text != nil {
		p.Text = *l.Text
	}
	p.Words = dowse.Words(p.Text)
	return d.rated(l.URL, p)
}

// warc reads every HTML page of a WARC file.
func (d *ratingRun) warc(name string, in io.Reader, submit func(rating) bool) error {
	for rec, err := range archive.Records(in) {
		if err != nil {
			return usage("judge: %s: %w", name, err)
		}
		h, err := d.record(rec)
		if err != nil {
			return usage("judge: %s: record at %d: %w", name, rec.Offset, err)
		}
		if h != nil && !submit(h) {
			return nil
		}
	}
	return nil
}

// record returns the page of a WARC record, nil if the record holds none.
func (d *ratingRun) record(rec *archive.Record) (rating, error) {
	raw, err := rawpage.FromRecord(rec)
	if raw == nil || err != nil {
		return nil, err
	}
	return func(context.Context) (*facts.Row, dowse.Outcome, string, error) {
		return d.rated(raw.URL, raw.Page()), 0, "", nil
	}, nil
}
