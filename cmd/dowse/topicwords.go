package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"dowse"
	"dowse/crawler"
	"dowse/internal/outside"
	"dowse/judge"
)

// topicWordsCmd makes a table of weighted topic words from search results or from files.
// It is the topic of one line of research, and a way to find words for a topic file: the
// table lists what pages on the topic say most.
type topicWordsCmd struct {
	Words   []string `arg:"" optional:"" help:"What to search for."`
	Search  string   `placeholder:"URL" help:"SearXNG-compatible service to ask; needed for a search."`
	From    []string `sep:"none" placeholder:"FILE" help:"HTML file on topic, instead of a search; repeatable."`
	Results int      `short:"n" default:"10" placeholder:"N" help:"Results of the search to read."`
	Top     int      `default:"15" placeholder:"N" help:"Words of the table."`
	Lang    string   `default:"en" placeholder:"LANG" help:"Language, for stems and stop words."`
	Prefix  int      `placeholder:"N" help:"Cut words to their first N letters instead of stemming."`
	Model   string   `placeholder:"FILE" help:"Also write the table as a judge, for model: in a topic file."`
	JSON    bool     `help:"Print JSON."`
	askFlags
}

func (topicWordsCmd) Help() string {
	return `Examples:
  dowse topic words --search https://searx.example.org coral bleaching
  dowse topic words --from a.html --from b.html
  dowse topic words --from a.html --model reefs.json   and judge by the table
  dowse topic words --search http://127.0.0.1:8888 reefs --json | jq '.pages'

Makes the table of topic words of Taylan et al. 2011: what the first results of a
search say most, weighted by how many of them say it. Words are stems, the weightiest
has 1. The pages are fetched as a crawl would: robots.txt is obeyed, and on the
public web --contact is required. They make good seeds too.`
}

// A wordsAnswer is the output of topic words --json: the words with their weights, and
// the pages that they come from, which make good seeds.
type wordsAnswer struct {
	Words []judge.TopicWord `json:"words"`
	Pages []wordsPage       `json:"pages"`
}

// A wordsPage is a page that the words come from.
type wordsPage struct {
	URL   string `json:"url"` // or file
	Title string `json:"title"`
}

// Run prints the table and, with --model, writes it as a judge. The table is on stdout,
// one word per line with its weight, and how many pages it comes from on stderr:
//
//	1.000  reef
//	0.857  bleach
//	0.714  coral
func (c *topicWordsCmd) Run(w *world) error {
	pages, err := c.pages(w)
	if err != nil {
		return err
	}
	var examples []judge.Example
	var answer wordsAnswer
	for _, p := range pages {
		examples = append(examples, judge.Example{Page: p.page, Relevant: true})
		answer.Pages = append(answer.Pages, wordsPage{p.name, p.page.Title})
	}
	answer.Words = c.table().TopicWords(examples)
	if len(answer.Words) == 0 {
		return &exitError{exitNothing, errors.New("the pages have no words")}
	}
	if c.Model != "" {
		m, err := c.table().Of(answer.Words)
		if err != nil {
			return err
		}
		if err := saveModel(w, m, c.Model); err != nil {
			return err
		}
	}
	if c.JSON {
		return jsonLine(w.out, answer)
	}
	for _, t := range answer.Words {
		fmt.Fprintf(w.out, "%.3f  %s\n", t.Weight, oneLine(t.Term))
	}
	fmt.Fprintf(w.err, "from %s\n", some(len(pages), "page"))
	return nil
}

// table returns the method that weights words, as the flags describe it.
func (c *topicWordsCmd) table() judge.Table {
	return judge.Table{Language: c.Lang, Prefix: c.Prefix, Words: c.Top}
}

// A namedPage is a page and the name that it is listed under.
type namedPage struct {
	name string
	page *dowse.Page
}

// pages checks the flags and returns the pages that the table is made from: files, or the
// first results of a search. A search service is never contacted unless it is named.
func (c *topicWordsCmd) pages(w *world) ([]namedPage, error) {
	switch {
	case c.Top < 1 || c.Results < 1:
		return nil, usage("--top and --results: at least 1")
	case len(c.From) > 0 && c.Search != "":
		return nil, usage("--search and --from: one of them")
	case len(c.From) > 0:
		return readPages(c.From)
	case c.Search == "":
		return nil, usage("no pages to read: name a search service with --search URL, or files with --from FILE")
	case len(c.Words) == 0:
		return nil, usage("nothing to search for: give words")
	}
	return c.found(w)
}

// readPages reads HTML files, each up to maxCase bytes.
func readPages(files []string) (list []namedPage, err error) {
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, usage("--from: %w", err)
		}
		body, err := io.ReadAll(io.LimitReader(f, maxCase))
		f.Close()
		if err != nil {
			return nil, usage("--from %s: %w", name, err)
		}
		list = append(list, namedPage{name, crawler.HTMLPage(name, body, "")})
	}
	return list, nil
}

// found searches and fetches the results. A page that cannot be fetched is reported and
// left out: search results are often gone or closed to crawlers, and the others are
// enough.
func (c *topicWordsCmd) found(w *world) (list []namedPage, err error) {
	f, err := crawler.NewFetcher(c.config())
	if err != nil {
		return nil, usage("%w", err)
	}
	defer f.Close()
	search := outside.Search{URL: c.Search, Timeout: c.Timeout, Agent: f.UserAgent()}
	results, err := search.Results(w.ctx, strings.Join(c.Words, " "), c.Results)
	if err != nil {
		return nil, &exitError{exitNetwork, err}
	}
	for _, r := range results {
		hops, err := f.Follow(w.ctx, r.URL, maxRedirects)
		if w.ctx.Err() != nil {
			return nil, &exitError{exitInterrupted, errors.New("interrupted")}
		}
		if err != nil {
			return nil, err
		}
		p := hops[len(hops)-1].Page
		if p.Outcome != dowse.Fetched {
			fmt.Fprintf(w.err, "dowse: %s: %s\n", oneLine(string(p.URL)), outcomeLine(p))
			continue
		}
		list = append(list, namedPage{string(p.URL), p})
	}
	if len(list) == 0 {
		return nil, &exitError{exitNothing, fmt.Errorf("of %s none could be read", some(len(results), "result"))}
	}
	return list, nil
}
