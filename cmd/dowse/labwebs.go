package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"dowse/internal/lab/web"
)

// labWebsCmd describes webs: their size, links, labels and topics. It answers, before an
// experiment is run, whether a web is fit for one: whether its links resolve, how much of
// it can be reached, and whether pages of a topic link to each other.
type labWebsCmd struct {
	Webs   []string `arg:"" optional:"" name:"web" help:"demo, WARC, WACZ, collection or web (default: list them)."`
	Hubs   string   `placeholder:"FILE" help:"Hub pages to add."`
	Labels string   `placeholder:"FILE" help:"Labels: URL and topic, one per line."`
	Topic  []string `sep:"none" placeholder:"TOPIC" help:"Topics to show (default: the largest)."`
	Top    int      `default:"10" placeholder:"N" help:"Number of topics to show."`
	Pages  int      `default:"2400" placeholder:"N" help:"Pages of a synthetic web."`
	Rng    uint64   `placeholder:"N" help:"Random seed of a synthetic web."`
	JSON   bool     `help:"Print JSON."`
	labFlags
}

func (labWebsCmd) Help() string {
	return `Examples:
  dowse lab webs                          list the known webs
  dowse lab webs demo                     the synthetic web
  dowse lab webs campus                   one like that of universities
  dowse lab webs wikispeedia.warc.gz      a recorded one, with its labels file
  dowse lab webs reefs.web --topic Top/reefs

Local is the share of a topic's links that lead to pages on the topic; chance is
what it would be if links went anywhere.`
}

// Run describes the named webs, or lists the known ones.
func (c *labWebsCmd) Run(w *world) error {
	if len(c.Webs) == 0 {
		return c.list(w)
	}
	for _, name := range c.Webs {
		if err := c.inspect(w, name); err != nil {
			return err
		}
	}
	return nil
}

// list prints the webs that can be named: the synthetic one, those in ./webs and the
// current folder, and those in the cache from earlier runs. A web in the cache is parsed
// already and opens immediately.
func (c *labWebsCmd) list(w *world) error {
	cache, err := c.cache()
	if err != nil {
		return err
	}
	known := append(web.Known("webs", "."), web.Cached(cache)...)
	known = append([]web.KnownWeb{
		{Name: "demo", What: "the built-in demo web, at any size and seed"},
		{Name: "campus", What: "a built-in web like that of universities, at any size and seed"},
	}, known...)
	for _, k := range known {
		if c.JSON {
			if err := jsonLine(w.out, k); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w.out, "%-36s %s\n", oneLine(k.Name), oneLine(k.What))
	}
	return nil
}

// inspect opens one web, parsing it if the cache does not have it, and prints its survey:
// pages, hosts, links that lead to a page of the web, pages that can be reached, and the
// topics with the most labelled pages.
func (c *labWebsCmd) inspect(w *world, name string) error {
	src := web.Source{Paths: []string{name}, Labels: c.Labels}
	switch name {
	case "campus":
		src = web.Source{Demo: &web.Synthetic{Pages: c.Pages, Seed: c.Rng, Campus: true}}
	case "demo":
		if err := demoSize("--pages", c.Pages); err != nil {
			return err
		}
		src = web.Source{Demo: &web.Synthetic{Pages: c.Pages, Seed: c.Rng}}
	}
	src.Hubs = c.Hubs
	cache, err := c.cache()
	if err != nil {
		return err
	}
	labels, err := src.LoadLabels()
	if err != nil {
		return usage("%w", err)
	}
	if err := c.known(labels, name); err != nil {
		return err
	}
	bar := newLabBar(w, c.JSON)
	wb, err := web.Open(w.ctx, src, web.Options{Cache: cache, Progress: bar.reading})
	bar.end()
	if err != nil {
		return usage("%w", err)
	}
	defer wb.Close()
	s, err := wb.Survey(labels, c.topics(labels))
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(w.out).Encode(struct {
			Name   string `json:"name"`
			SHA256 string `json:"sha256"`
			*web.Survey
		}{wb.Name, wb.SHA256, s})
	}
	printSurvey(w, wb, s)
	return nil
}

// mostNear is how many topics are named that a person may have meant.
const mostNear = 5

// known returns an error for a topic to show that no page is labelled with: its line would be of zeros, as if
// the topic had been looked for and nothing of it found.
func (c *labWebsCmd) known(labels *web.Labels, name string) error {
	if len(c.Topic) == 0 {
		return nil
	}
	if labels == nil {
		return usage("--topic: %s has no labels, and so no topics; give --labels FILE", oneLine(name))
	}
	for _, t := range c.Topic {
		if len(labels.On(t)) > 0 {
			continue
		}
		near := labels.Near(t, mostNear)
		if len(near) == 0 {
			return usage("--topic: unknown topic %q; no page of %s is labelled", oneLine(t), oneLine(name))
		}
		return usage("--topic: unknown topic %q; the nearest: %s", oneLine(t), oneLine(strings.Join(near, ", ")))
	}
	return nil
}

// topics returns the topics to show: the named ones, or those with the most pages. A web
// without labels has none.
func (c *labWebsCmd) topics(labels *web.Labels) []string {
	if len(c.Topic) > 0 || labels == nil {
		return c.Topic
	}
	return labels.Largest(c.Top)
}

// printSurvey prints a survey for people: size, links, labels, and one line per topic.
// Locality is the share of a topic's links that lead to its pages, and chance the share
// that random links would have. A topic whose locality is near chance cannot be found by
// following links, whatever the strategy.
func printSurvey(w *world, wb *web.Web, s *web.Survey) {
	sh := &sheet{}
	sh.add(fmt.Sprintf("%s  %s…", oneLine(wb.Name), wb.SHA256[:16]))
	sh.field("pages", "%s on %s, %.1f MB; %s with redirects, lists and files", count(s.Pages), some(s.Hosts, "host"), float64(s.Bytes)/1e6, some(s.Answers, "answer"))
	sh.field("links", "%s, of which %s (%s) lead to a page", count(s.Links), count(s.Resolving), percent(s.Resolving, s.Links))
	sh.field("reach", "%s (%s) from the page with the most links", some(s.Reachable, "page"), percent(s.Reachable, s.Pages))
	sh.field("orphans", "%s (%s): no page links to them", some(s.Orphans, "page"), percent(s.Orphans, s.Pages))
	sh.field("labels", "%s (%s)%s", some(s.Labelled, "page"), percent(s.Labelled, s.Pages), labelsElsewhere(s.Elsewhere, s.Unread))
	if len(s.Topics) > 0 {
		sh.add(fmt.Sprintf(" %7s %6s %7s %7s  %s", "pages", "local", "chance", "linked", "topic"))
	}
	for _, t := range s.Topics {
		sh.add(fmt.Sprintf(" %7s %6.3f %7.3f %7s  %s", count(t.Pages), t.Locality, t.Chance, count(t.Linked), oneLine(t.Topic)))
	}
	fmt.Fprintln(w.out, strings.Join(sh.lines, "\n"))
}

// percent returns n as a percentage of a number; 0 % if that number is 0.
func percent(n, of int) string { return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(max(of, 1))) }

// labRecordCmd makes a recorded web, on which experiments can run repeatedly, from a
// collection or an archive. Without labels of people the verdicts of the collection's own
// judge are the labels; the help explains what that means for comparisons.
type labRecordCmd struct {
	Src    string `arg:"" help:"Collection, WARC or WACZ file, or demo."`
	Web    string `arg:"" help:"Folder to make, as reefs.web."`
	Labels string `placeholder:"FILE" help:"Labels: URL and topic, one per line."`
	Pages  int    `default:"2400" placeholder:"N" help:"Pages of a synthetic web."`
	Rng    uint64 `placeholder:"N" help:"Random seed of a synthetic web."`
}

func (labRecordCmd) Help() string {
	return `Examples:
  dowse lab record reefs.dowse reefs.web
  dowse lab record crawl.warc.gz crawl.web --labels crawl.tsv
  dowse lab record demo made.web --pages 5000

The web has the archives, their index and the labels. Without labels, those pages
of a collection are labelled that its judge found on topic: that is no truth, and
measures on it favour strategies that go where the crawl went.`
}

// Run makes the web and prints what it contains, and the command to look at it with. All
// of that goes to stderr: the result is the folder.
func (c *labRecordCmd) Run(w *world) error {
	r, err := c.record(w)
	if err != nil {
		return usage("%w", err)
	}
	fmt.Fprintf(w.err, "%s: %s", c.Web, some(len(r.Files), "archive"))
	if r.From != "" {
		fmt.Fprintf(w.err, ", %s labelled by %s", some(r.Labels, "page"), r.From)
	}
	fmt.Fprintf(w.err, "\nNext: dowse lab webs %s\n", shellWord(c.Web))
	return nil
}

// record makes the web from a collection or archive, or by crawling the synthetic web
// completely.
func (c *labRecordCmd) record(w *world) (*web.Recording, error) {
	if c.Src != "demo" {
		return web.Record(c.Src, c.Web, c.Labels)
	}
	if err := demoSize("--pages", c.Pages); err != nil {
		return nil, err
	}
	bar := newLabBar(w, false)
	defer bar.end()
	return web.RecordSynthetic(w.ctx, web.Synthetic{Pages: c.Pages, Seed: c.Rng}, c.Web, bar.reading)
}

// labelsElsewhere returns a note on labels whose URLs are not in the web and on entries of a
// directory that cannot be read; "" if there are none.
func labelsElsewhere(n, unread int) (note string) {
	if n > 0 {
		note = fmt.Sprintf("; %s of URLs not in it", some(n, "label"))
	}
	if unread > 0 {
		note += fmt.Sprintf("; %s of the directory unreadable", some(unread, "entry"))
	}
	return note
}
