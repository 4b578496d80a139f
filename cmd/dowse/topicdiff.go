package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/judge"
	"dowse/topic"
)

// topicDiffCmd compares two topics or two models of a crawl: lines, terms and, on a
// collection, verdicts. It shows the effect of an edit before a crawl is run again with
// it, and what labels have taught a judge:
//
//	m0000 and m0001
//	 the topics say the same
//
//	 terms: what they add to the log-odds of a page that has them
//	  -1.424  intertidal               +2.849 -> +1.424
//
//	 pages: 9 of 120 change sides
//	  0.69 -> 0.00 off  Links, Craville              lemarche.demo/links
type topicDiffCmd struct {
	What  []string `arg:"" name:"a b" help:"Two topics, or a collection and two of its models."`
	On    string   `placeholder:"DIR" help:"Judge the pages of this collection by both."`
	Limit int      `default:"15" placeholder:"N" help:"Terms and pages to show."`
	JSON  bool     `help:"Print JSON."`
	askFlags
}

func (topicDiffCmd) Help() string {
	return `Examples:
  dowse topic diff reefs.topic.yaml reefs2.topic.yaml
  dowse topic diff reefs.topic.yaml reefs2.topic.yaml --on reefs.dowse
  dowse topic diff reefs.dowse m0000 m0002   the effect of the labels

Shows which lines of the topics differ, which terms the judges weight differently
and, if there is a collection, which of its pages would change sides.`
}

// A contender is one of the two judges that are compared, with the topic and threshold
// that it judges by and the examples that it was trained on.
type contender struct {
	name      string
	topic     *topic.Topic
	judge     dowse.Judge
	threshold float64
	examples  []judge.Example
}

// A topicDiff is the output of topic diff --json.
type topicDiff struct {
	A       string             `json:"a"`
	B       string             `json:"b"`
	Removed []string           `json:"removed"` // lines of the first topic
	Added   []string           `json:"added"`   // lines of the second
	Terms   []topic.TermChange `json:"terms"`
	Pages   int                `json:"pages"` // judged by both
	Flips   []flip             `json:"flips"`
}

// A flip is a page on which the two judges disagree.
type flip struct {
	URL    dowse.URL `json:"url"`
	Title  string    `json:"title"`
	Before float64   `json:"before"`
	After  float64   `json:"after"`
	On     bool      `json:"on"` // after
}

// Run compares the topics or models and prints the differences. Terms are compared on the
// examples of both or, without any, on a sample of the collection's pages: only terms
// that occur on pages are worth comparing.
func (c *topicDiffCmd) Run(w *world) error {
	cfg, end, err := c.ask(w)
	if err != nil {
		return err
	}
	defer end()
	a, b, err := c.contenders(w, cfg)
	if err != nil {
		return err
	}
	d := &topicDiff{A: a.name, B: b.name, Flips: []flip{}}
	d.Removed, d.Added = lineDiff(string(a.topic.YAML()), string(b.topic.YAML()))
	examples := slices.Concat(a.examples, b.examples)
	// With a collection both judges rate its pages. Its pages also serve for comparing
	// terms if neither topic has examples.
	if c.On != "" {
		pages, err := d.judge(c.On, a, b)
		if err != nil {
			return err
		}
		if len(examples) == 0 {
			examples = pages
		}
	}
	d.Terms = a.topic.Changes(a.judge, b.judge, examples, c.Limit)
	if c.JSON {
		return json.NewEncoder(w.out).Encode(d)
	}
	n := columnsOf(w.out)
	for _, l := range d.lines(c.Limit, n) {
		fmt.Fprintln(w.out, strings.TrimRight(clip(oneLine(l), n, n), " "))
	}
	return nil
}

// contenders reads the two topics, or the two models of a collection. A collection among
// the arguments also supplies the pages to judge, unless --on names another.
func (c *topicDiffCmd) contenders(w *world, cfg crawler.Config) (a, b *contender, err error) {
	switch {
	case len(c.What) == 3 && collection.IsCollection(c.What[0]):
		c.On = cmp.Or(c.On, c.What[0])
		if a, err = modelContender(c.What[0], c.What[1]); err == nil {
			b, err = modelContender(c.What[0], c.What[2])
		}
		return a, b, err
	case len(c.What) != 2:
		return nil, nil, usage("wrong number of arguments: want two topics, or a collection and two of its models")
	}
	for _, what := range c.What {
		if collection.IsCollection(what) {
			c.On = cmp.Or(c.On, what)
		}
	}
	if a, err = topicContender(w, c.What[0], cfg); err == nil {
		b, err = topicContender(w, c.What[1], cfg)
	}
	return a, b, err
}

// topicContender returns the judge of a topic file, collection or words.
func topicContender(w *world, what string, cfg crawler.Config) (*contender, error) {
	t, j, examples, err := judgeAndPages(w, what, cfg)
	if err != nil {
		return nil, err
	}
	return &contender{what, t, j, t.OnTopic(), examples}, nil
}

// modelContender returns the judge that a model of a collection is.
func modelContender(dir, model string) (*contender, error) {
	t, threshold, err := topicIn(dir)
	if err != nil {
		return nil, inCollection(err)
	}
	j, err := crawler.JudgeOf(dir, model)
	if err != nil {
		return nil, usage("%w", err)
	}
	examples, _, err := crawler.Labelled(dir)
	return &contender{model, t, j, threshold, examples}, err
}

// lineDiff returns the lines that only one of two texts has, in their order.
func lineDiff(a, b string) (removed, added []string) {
	in := func(s string) map[string]bool {
		m := map[string]bool{}
		for l := range strings.SplitSeq(s, "\n") {
			m[l] = true
		}
		return m
	}
	inA, inB := in(a), in(b)
	only := func(s string, other map[string]bool) []string {
		list := []string{}
		for l := range strings.SplitSeq(s, "\n") {
			if l != "" && !other[l] {
				list = append(list, l)
			}
		}
		return list
	}
	return only(a, inB), only(b, inA)
}

// judge rates every page that the collection keeps by both judges and records the pages
// on which they disagree, the largest change first. It returns some of the pages for
// comparing terms.
func (d *topicDiff) judge(dir string, a, b *contender) (some []judge.Example, err error) {
	cr, err := view(dir)
	if err != nil {
		return nil, err
	}
	defer cr.Close()
	for row, err := range cr.Collection.Pages(collection.Filter{On: true, Off: true}) {
		if err != nil {
			return nil, inCollection(err)
		}
		doc, err := cr.Collection.DocumentOf(row)
		if err != nil {
			continue // taken down, or not kept
		}
		p := row.Page
		p.Document, p.Verdict = *doc, dowse.Verdict{}
		d.Pages++
		before, after := a.judge.Judge(p).Relevance, b.judge.Judge(p).Relevance
		if on := after >= b.threshold; on != (before >= a.threshold) {
			d.Flips = append(d.Flips, flip{row.URL, doc.Title, before, after, on})
		}
		if len(some) < diffSample {
			some = append(some, judge.Example{Page: p})
		}
	}
	slices.SortStableFunc(d.Flips, func(a, b flip) int {
		return cmp.Compare(math.Abs(b.After-b.Before), math.Abs(a.After-a.Before))
	})
	return some, nil
}

// diffSample is the number of pages on which terms are compared if there are no
// examples.
const diffSample = 200

// lines returns the differences as text, with at most n pages: first the lines of the
// topics, then terms with their weights before and after, then pages that change sides.
func (d *topicDiff) lines(n, terminal int) []string {
	lines := []string{fmt.Sprintf("%s and %s", d.A, d.B)}
	if len(d.Removed)+len(d.Added) == 0 {
		lines = append(lines, " the topics say the same")
	}
	for _, l := range d.Removed {
		lines = append(lines, " - "+l)
	}
	for _, l := range d.Added {
		lines = append(lines, " + "+l)
	}
	if len(d.Terms) > 0 {
		lines = append(lines, "", " terms: what they add to the log-odds of a page that has them")
	}
	for _, t := range d.Terms {
		lines = append(lines, fmt.Sprintf("  %+.3f  %-24s %+.3f -> %+.3f", t.After-t.Before, clip(t.Spelt(), 24, terminal), t.Before, t.After))
	}
	if d.Pages == 0 {
		return lines
	}
	lines = append(lines, "", fmt.Sprintf(" pages: %s of %s change sides", count(len(d.Flips)), count(d.Pages)))
	for _, f := range d.Flips[:min(n, len(d.Flips))] {
		lines = append(lines, fmt.Sprintf("  %.2f -> %.2f %-3s  %-28s %s", f.Before, f.After, labelWord(f.On), clip(f.Title, 28, terminal), bareName(string(f.URL))))
	}
	return lines
}
